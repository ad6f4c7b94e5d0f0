//! Joined shape constraints (Observers, section 5.1): for each pair of terms a set of relations, one of which
//! holds.
//!
//! **Meaning.** A shape represents graphs ([`certificate`](linchpin_certify::certificate)) with a cell for
//! each term. For each pair of terms the relation of their cells is in the pair's set.
//!
//! **Closure.** [`Shape::close_from`] removes relations that no graph has. It applies `r[x, z] ∩= r[x, y] ∘
//! r[y, z]` until nothing changes. It also uses that a chain leads from every cell to a sentinel. Every graph
//! of the shape is a graph of the closed shape. If a set becomes empty, no such graph exists. A set that
//! shrinks affects only the triangles that contain it, so the work is kept pair by pair ([`Pending`]). A set
//! that grows implies nothing new.
//!
//! **Labels.** Where cells have labels ([`certificate`](linchpin_certify::certificate)), a shape also has a
//! set of labels for each term. The label of its cell is in the set. Closure then removes relations and
//! labels that are inconsistent ([`Shape::match_labels`]). One cell has one label. Where cells are ordered,
//! no edge leads to a smaller label, so no chain does.
//!
//! The tests in `meaning` compare every operation with its effect on random graphs.

use super::relation::{REACHES, Relations, compose, compositions, converse, members};
use linchpin_certify::certificate::{ANY, APART, BEFORE, FAR, FAR_BEFORE, NEXT, SAME};
use std::ops::Range;

/// The number of a term within a shape.
pub type Term = u8;

/// The sentinels as terms.
pub const NULL_TERM: Term = 0;
pub const FREE_TERM: Term = 1;
pub const GARBAGE_TERM: Term = 2;

/// The maximal number of terms of a shape. A step that needs more raises an alarm.
pub const MOST_TERMS: usize = 24;

/// Converts the number of a term, or a count of terms.
#[inline(always)]
pub fn term_of(number: usize) -> Term {
    Term::try_from(number).expect("a shape has at most MOST_TERMS terms")
}

pub type Row = [Relations; MOST_TERMS];

/// Lists the terms of a set with one bit each.
pub fn bits(mut set: u32) -> impl Iterator<Item = Term> {
    std::iter::from_fn(move || {
        let term = (set != 0).then(|| term_of(set.trailing_zeros() as usize))?;
        set &= set - 1;
        Some(term)
    })
}

/// Returns a row with all bits in the columns of a range and none elsewhere.
#[inline]
pub fn columns(range: Range<usize>) -> Row {
    let (mut row, before) = (FIRST[range.end], &FIRST[range.start]);
    for column in 0..MOST_TERMS {
        row[column] &= !before[column];
    }
    row
}

/// Rows with all bits in the first columns, by the number of these columns.
static FIRST: [Row; MOST_TERMS + 1] = {
    let mut rows = [[0; MOST_TERMS]; MOST_TERMS + 1];
    let mut count = 0;
    while count <= MOST_TERMS {
        let mut column = 0;
        while column < count {
            rows[count][column] = Relations::MAX;
            column += 1;
        }
        count += 1;
    }
    rows
};

#[derive(Clone, PartialEq, Eq)]
pub struct Shape {
    pub terms: u8,
    /// The number of sentinels; they are the first terms.
    pub sentinels: u8,
    pub rows: [Row; MOST_TERMS],
    pub kinds: Option<Labels>,
    pub labels: [u8; MOST_TERMS],
}

/// Facts about the labels of all cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Labels {
    /// All labels, one bit each.
    pub all: u8,
    /// No edge leads to a smaller label.
    pub ordered: bool,
}

/// The pairs whose sets have shrunk and whose consequences are not yet applied.
#[derive(Clone, Default)]
pub struct Pending {
    /// For each term the other terms of its pairs, one bit each.
    others: [u32; MOST_TERMS],
    /// The terms with at least one pair.
    terms: u32,
    /// A set of labels has shrunk.
    pub labels: bool,
}

impl Pending {
    pub fn add(&mut self, a: usize, b: usize) {
        self.add_for(a, b);
        self.add_for(b, a);
    }

    /// Adds a pair for its first term only.
    fn add_for(&mut self, term: usize, other: usize) {
        self.others[term] |= 1 << other;
        self.terms |= 1 << term;
    }

    /// Removes and returns one pair.
    fn take(&mut self) -> Option<(usize, usize)> {
        if self.terms == 0 {
            return None;
        }
        let term = self.terms.trailing_zeros() as usize;
        let others = &mut self.others[term];
        let other = others.trailing_zeros() as usize;
        *others &= *others - 1;
        self.terms &= !(u32::from(*others == 0) << term);
        Some((term, other))
    }

    fn is_empty(&self) -> bool {
        self.terms == 0
    }
}

/// The error of a shape without graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Impossible;

impl Shape {
    /// Returns the shape of the sentinels alone.
    pub fn new(sentinels: usize, kinds: Option<Labels>) -> Shape {
        let labels = [kinds.map_or(0, |kinds| kinds.all); MOST_TERMS];
        let rows = [[ANY; MOST_TERMS]; MOST_TERMS];
        let mut shape = Shape { terms: 0, sentinels: term_of(sentinels), rows, kinds, labels };
        for _ in 0..sentinels {
            shape.add(APART);
        }
        shape
    }

    #[inline]
    pub fn terms(&self) -> usize {
        self.terms as usize
    }

    pub fn is_full(&self) -> bool {
        self.terms() == MOST_TERMS
    }

    #[inline]
    pub fn get(&self, a: Term, b: Term) -> Relations {
        self.rows[a as usize][b as usize]
    }

    /// Sets the relations of a pair in both directions.
    #[inline]
    pub fn set(&mut self, a: Term, b: Term, relations: Relations) {
        self.rows[a as usize][b as usize] = relations;
        self.rows[b as usize][a as usize] = converse(relations);
    }

    /// Adds a term with these relations to all other terms.
    pub fn add(&mut self, relations: Relations) -> Term {
        let term = self.terms;
        assert!(!self.is_full(), "the caller asks first whether there is room");
        self.terms += 1;
        for other in 0..term {
            self.set(term, other, relations);
        }
        self.rows[term as usize][term as usize] = SAME;
        self.labels[term as usize] = self.kinds.map_or(0, |kinds| kinds.all);
        term
    }

    /// Adds a term for an arbitrary cell.
    pub fn add_cell(&mut self) -> Term {
        let term = self.add(ANY);
        for sentinel in 0..self.sentinels {
            self.set(term, sentinel, REACHES & !SAME | APART);
        }
        if self.sentinels == 1 {
            self.set(term, 0, REACHES & !SAME);
        }
        term
    }

    /// Adds a term for a cell with these relations to another term.
    pub fn add_related(&mut self, to: Term, relations: Relations) -> Result<Term, Impossible> {
        let term = self.add_cell();
        self.set(term, to, self.get(term, to) & relations);
        if self.get(term, to) == 0 {
            return Err(Impossible);
        }
        // Close the new row first: no composition has been applied to it.
        let (row, terms) = (term as usize, self.terms());
        let mut sets = self.rows[row];
        let mut settled = false;
        while !settled {
            settled = true;
            for middle in (0..terms).filter(|middle| *middle != row) {
                if sets[middle] == ANY {
                    continue;
                }
                let table = compositions(sets[middle]);
                for (set, second) in sets.iter_mut().zip(&self.rows[middle]).take(terms) {
                    let left = *set & table[(second & ANY) as usize];
                    settled &= left == *set;
                    *set = left;
                }
            }
        }
        if sets[..terms].contains(&0) {
            return Err(Impossible);
        }
        for (other, set) in sets.into_iter().enumerate().take(row) {
            self.set(term, term_of(other), set);
        }
        let mut pending = Pending::default();
        (0..terms - 1).for_each(|other| pending.add_for(other, row));
        self.close_from(pending)?;
        Ok(term)
    }

    /// Removes all other relations of a pair, and closes the shape.
    pub fn refine(&mut self, a: Term, b: Term, relations: Relations) -> Result<(), Impossible> {
        let now = self.get(a, b);
        let left = now & relations;
        if left == 0 {
            return Err(Impossible);
        }
        if left == now {
            return Ok(());
        }
        self.set(a, b, left);
        let mut pending = Pending::default();
        pending.add(a as usize, b as usize);
        self.close_from(pending)
    }

    /// Removes all other relations of a term to each of some terms, and closes the shape.
    pub fn refine_all(&mut self, a: Term, others: &[usize], relations: Relations) -> Result<(), Impossible> {
        let mut pending = Pending::default();
        for &other in others {
            let now = self.get(a, term_of(other));
            let left = now & relations;
            if left == 0 {
                return Err(Impossible);
            }
            if left != now {
                self.set(a, term_of(other), left);
                pending.add(a as usize, other);
            }
        }
        self.close_from(pending)
    }

    /// Returns the shape of these terms alone, in this order.
    pub fn project(&self, terms: &[Term]) -> Shape {
        let mut shape = Shape::new(self.sentinels as usize, self.kinds);
        shape.labels.iter_mut().zip(terms).for_each(|(labels, &term)| *labels = self.labels[term as usize]);
        shape.terms = term_of(terms.len());
        for (row, &a) in shape.rows.iter_mut().zip(terms) {
            for (entry, &b) in row.iter_mut().zip(terms) {
                *entry = self.get(a, b);
            }
        }
        shape
    }

    /// Closes the shape.
    #[cfg(test)]
    pub fn close(&mut self) -> Result<(), Impossible> {
        let mut pending = Pending { labels: true, ..Pending::default() };
        for a in 0..self.terms() {
            (0..a).for_each(|b| pending.add(a, b));
        }
        self.close_from(pending)
    }

    /// Closes a shape that differs from the closed shape `before` only in these pairs. Each pair is first
    /// intersected with all compositions; pairs that have lost a relation become [`Pending`].
    pub fn close_replaced(&mut self, pairs: &[(Term, Term)], before: &Shape) -> Result<(), Impossible> {
        let mut pending = Pending { labels: !pairs.is_empty(), ..Pending::default() };
        for &(a, b) in pairs {
            let now = self.get(a, b);
            let mut left = now;
            for middle in 0..self.terms() {
                left &= compose(self.rows[a as usize][middle], self.rows[middle][b as usize]);
            }
            if left == 0 {
                return Err(Impossible);
            }
            if left != now || before.get(a, b) & !left != 0 {
                self.set(a, b, left);
                pending.add(a as usize, b as usize);
            }
        }
        self.close_from(pending)
    }

    /// Closes a shape that is closed except for the consequences of these pairs.
    pub fn close_from(&mut self, mut pending: Pending) -> Result<(), Impossible> {
        if pending.is_empty() && !pending.labels {
            return Ok(());
        }
        let terms = self.terms();
        loop {
            while let Some((x, through)) = pending.take() {
                let first = self.rows[x][through];
                if first == ANY {
                    continue;
                }
                let table = compositions(first);
                let middle = self.rows[through];
                let mut shrunk = 0;
                for (z, (set, second)) in self.rows[x].iter_mut().zip(middle).enumerate().take(terms) {
                    let left = *set & table[(second & ANY) as usize];
                    shrunk |= u32::from(left != *set) << z;
                    *set = left;
                }
                while shrunk != 0 {
                    let z = shrunk.trailing_zeros() as usize;
                    shrunk &= shrunk - 1;
                    let left = self.rows[x][z];
                    if left == 0 {
                        return Err(Impossible);
                    }
                    self.rows[z][x] = converse(left);
                    pending.add(x, z);
                }
            }
            self.chains_end(&mut pending)?;
            if pending.is_empty() && self.kinds.is_some() {
                self.match_labels(&mut pending)?;
            }
            if pending.is_empty() {
                return Ok(());
            }
        }
    }

    /// Returns the possible labels of a term.
    pub fn labels(&self, term: Term) -> u8 {
        self.labels[term as usize]
    }

    /// Removes all other labels of a term, and closes the shape.
    pub fn keep_labels(&mut self, term: Term, labels: u8) -> Result<(), Impossible> {
        self.labels[term as usize] &= labels;
        self.close_from(Pending { labels: true, ..Pending::default() })
    }

    /// Gives a cell one of these labels. A term that may be the same cell keeps its own labels too.
    pub fn put_labels(&mut self, cell: Term, labels: u8) {
        for term in self.sentinels as usize..self.terms() {
            let relations = self.rows[cell as usize][term];
            if relations == SAME {
                self.labels[term] = labels;
            } else if relations & SAME != 0 {
                self.labels[term] |= labels;
            }
        }
    }

    /// Returns whether an edge from one cell to the other never leads to a smaller label.
    pub fn is_in_order(&self, from: Term, to: Term) -> bool {
        self.labels(from) & !up_to_least(self.labels(to)) == 0
    }

    /// Removes relations that no labels of a pair allow, and labels that no relation allows.
    fn match_labels(&mut self, pending: &mut Pending) -> Result<(), Impossible> {
        let ordered = self.kinds.is_some_and(|kinds| kinds.ordered);
        let mut settled = false;
        while !settled {
            settled = true;
            for a in self.sentinels as usize..self.terms() {
                for b in a + 1..self.terms() {
                    let (of_a, of_b) = (self.labels[a], self.labels[b]);
                    // The labels of one term that a relation to the other allows.
                    let fitting = |relation: Relations, other: u8| match relation {
                        SAME => other,
                        NEXT | FAR if ordered => up_to_greatest(other),
                        BEFORE | FAR_BEFORE if ordered => from_least(other),
                        _ => u8::MAX,
                    };
                    let (mut left, mut left_a, mut left_b) = (0, 0, 0);
                    for relation in members(self.rows[a][b]) {
                        let fitting_a = of_a & fitting(relation, of_b);
                        if fitting_a != 0 {
                            left |= relation;
                            left_a |= fitting_a;
                            left_b |= of_b & fitting(converse(relation), of_a);
                        }
                    }
                    if left == 0 {
                        return Err(Impossible);
                    }
                    settled &= (left_a, left_b) == (of_a, of_b);
                    (self.labels[a], self.labels[b]) = (left_a, left_b);
                    if left != self.rows[a][b] {
                        self.set(term_of(a), term_of(b), left);
                        pending.add(a, b);
                    }
                }
            }
        }
        Ok(())
    }

    /// Applies that every cell reaches a sentinel: if only one is possible, the cell reaches it.
    fn chains_end(&mut self, pending: &mut Pending) -> Result<(), Impossible> {
        let sentinels = self.sentinels as usize;
        for cell in sentinels..self.terms() {
            let reached = |sentinel: &usize| self.rows[cell][*sentinel] & REACHES != 0;
            let mut candidates = (0..sentinels).filter(reached);
            match (candidates.next(), candidates.next()) {
                (None, _) => return Err(Impossible),
                (Some(only), None) => {
                    let relations = self.rows[cell][only];
                    if relations & !REACHES != 0 {
                        self.set(term_of(cell), term_of(only), relations & REACHES);
                        pending.add(cell, only);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Joins another shape, whose `terms` correspond to the terms of this shape. The result is the least
    /// shape with the graphs of both. Returns whether this shape grew.
    pub fn join(&mut self, other: &Shape, terms: &[Term]) -> bool {
        let mut grew = false;
        for (labels, &a) in self.labels.iter_mut().zip(terms) {
            let joined = *labels | other.labels[a as usize];
            grew |= joined != *labels;
            *labels = joined;
        }
        for (row, &a) in self.rows.iter_mut().zip(terms) {
            let theirs = &other.rows[a as usize];
            for (entry, &b) in row.iter_mut().zip(terms) {
                let joined = *entry | theirs[b as usize];
                grew |= joined != *entry;
                *entry = joined;
            }
        }
        grew
    }

    /// Joins a shape with the same terms. Returns whether this shape grew.
    pub fn join_whole(&mut self, other: &Shape) -> bool {
        let mut grown = [0; MOST_TERMS];
        let terms = self.terms();
        let rows = self.rows[..terms].iter_mut().zip(&other.rows[..terms]);
        for (mine, theirs) in rows.chain([(&mut self.labels, &other.labels)]) {
            for column in 0..MOST_TERMS {
                grown[column] |= theirs[column] & !mine[column];
                mine[column] |= theirs[column];
            }
        }
        grown != [0; MOST_TERMS]
    }

    /// Returns whether this shape has all graphs of another shape, restricted to its shared terms and its
    /// terms from `from` on.
    pub fn covers(&self, other: &Shape, shared: usize, from: usize) -> bool {
        let (own, skipped) = (shared..self.terms(), from - shared);
        let theirs_of = |row: &Row| {
            let mut theirs = *row;
            if skipped > 0 {
                theirs[shared..MOST_TERMS - skipped].copy_from_slice(&row[from..]);
            }
            theirs
        };
        let mut beyond = [0; MOST_TERMS];
        let mut compare = |mine: &Row, theirs: &Row| {
            let theirs = theirs_of(theirs);
            for column in 0..MOST_TERMS {
                beyond[column] |= theirs[column] & !mine[column];
            }
        };
        (0..shared).for_each(|row| compare(&self.rows[row], &other.rows[row]));
        own.clone().for_each(|row| compare(&self.rows[row], &other.rows[row + skipped]));
        compare(&self.labels, &other.labels);
        beyond[..own.end].iter().all(|column| *column == 0)
    }

    /// Lists the sets above the diagonal, row by row.
    pub fn entries(&self) -> impl Iterator<Item = Relations> {
        let terms = self.terms();
        (0..terms).flat_map(move |a| (a + 1..terms).map(move |b| self.rows[a][b]))
    }

    /// Returns the labels of all terms except sentinels; empty if cells have no labels.
    pub fn cell_labels(&self) -> &[u8] {
        let first = if self.kinds.is_some() { self.sentinels as usize } else { self.terms() };
        &self.labels[first..self.terms()]
    }
}

/// Returns the labels up to the least label of a non-empty set.
fn up_to_least(labels: u8) -> u8 {
    labels ^ labels.wrapping_sub(1)
}

/// Returns the labels up to the greatest label of a non-empty set.
fn up_to_greatest(labels: u8) -> u8 {
    u8::MAX.checked_shr(labels.leading_zeros()).unwrap_or(0)
}

/// Returns the labels from the least label of a non-empty set on.
fn from_least(labels: u8) -> u8 {
    labels | labels.wrapping_neg()
}
