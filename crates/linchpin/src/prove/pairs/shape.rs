//! Joined shape constraints (Observers, section 5.1): for each pair of terms a set of relations, of which one holds.
//!
//! **Meaning.** A shape stands for all graphs ([`certificate`](linchpin_core::certify::certificate)) with a node for each term
//! such that for each pair of terms the relation of their nodes is in the pair's set.
//!
//! **Closure.** [`Shape::close_from`] removes relations that no graph can have, by `r[x, z] ∩= r[x, y] ∘ r[y, z]` until nothing changes, and by one
//! fact more: from every cell a chain leads to one of the sentinels. Every graph of the shape is one of the closed shape.
//! If a set becomes empty there is no such graph at all.
//!
//! **Labels.** Where cells have labels ([`certificate`](linchpin_core::certify::certificate)) a shape also has for each term a set of labels, of which the
//! node's is one. Closure then removes relations and labels that do not go together ([`Shape::match_labels`]): one cell has
//! one label, and where cells are ordered no chain leads to a smaller label, since no edge of it does.

use super::relation::{REACHES, Relations, compose, compositions, converse, members};
use linchpin_core::certify::certificate::{ANY, APART, BEFORE, FAR, FAR_BEFORE, NEXT, SAME};

/// The number of a term within a shape.
pub type Term = u8;

/// More than the terms of three threads ever need in programs of this kind; a step that needs more is not taken.
pub const MOST_TERMS: usize = 24;

type Row = [Relations; MOST_TERMS];

/// How many relations there are.
const SINGLES: usize = ANY.count_ones() as usize;

/// A pair of which no part has said anything yet.
const UNSET: Relations = 255;

#[derive(Clone, PartialEq, Eq)]
pub struct Shape {
    terms: u8,
    /// How many of the first terms are sentinels.
    sentinels: u8,
    rows: [Row; MOST_TERMS],
    kinds: Option<Labels>,
    labels: [u8; MOST_TERMS],
}

/// What is known of the labels of all cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Labels {
    /// All that there are, a bit each.
    pub all: u8,
    /// No edge leads to a smaller one.
    pub ordered: bool,
}

/// There is no graph of this shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Impossible;

impl Shape {
    /// Of the sentinels alone.
    pub fn new(sentinels: usize, kinds: Option<Labels>) -> Shape {
        let labels = [kinds.map_or(0, |kinds| kinds.all); MOST_TERMS];
        let rows = [[ANY; MOST_TERMS]; MOST_TERMS];
        let mut shape = Shape { terms: 0, sentinels: sentinels as u8, rows, kinds, labels };
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

    /// Sets a pair's relations, both ways round.
    #[inline]
    pub fn set(&mut self, a: Term, b: Term, relations: Relations) {
        self.rows[a as usize][b as usize] = relations;
        self.rows[b as usize][a as usize] = converse(relations);
    }

    /// A term more, with these relations to all others.
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

    /// A term more, for a cell of which nothing is known.
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

    /// A term more, for a cell that is so related to another term.
    pub fn add_related(&mut self, to: Term, relations: Relations) -> Result<Term, Impossible> {
        let term = self.add_cell();
        self.set(term, to, self.get(term, to) & relations);
        if self.get(term, to) == 0 {
            return Err(Impossible);
        }
        // Nothing of the new row follows from anything yet.
        let (row, terms) = (term as usize, self.terms());
        let mut settled = false;
        while !settled {
            settled = true;
            for middle in 0..terms {
                let table = compositions(self.rows[row][middle]);
                for z in 0..terms {
                    let left = self.rows[row][z] & table[self.rows[middle][z] as usize];
                    settled &= left == self.rows[row][z];
                    if left == 0 {
                        return Err(Impossible);
                    }
                    self.set(term, z as Term, left);
                }
            }
        }
        self.close_from(1 << term)?;
        Ok(term)
    }

    /// Keeps these relations of a pair only, and what follows.
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
        self.close_from(1 << a | 1 << b)
    }

    /// Keeps these relations of a term to each of some others only, and what follows.
    pub fn refine_all(&mut self, a: Term, others: &[usize], relations: Relations) -> Result<(), Impossible> {
        let mut changed = 0;
        for &other in others {
            let now = self.get(a, other as Term);
            let left = now & relations;
            if left == 0 {
                return Err(Impossible);
            }
            if left != now {
                self.set(a, other as Term, left);
                changed |= 1 << a | 1 << other;
            }
        }
        self.close_from(changed)
    }

    /// The same shape of these terms alone, in this order.
    pub fn project(&self, terms: &[Term]) -> Shape {
        let mut shape = Shape::new(self.sentinels as usize, self.kinds);
        shape.labels.iter_mut().zip(terms).for_each(|(labels, &term)| *labels = self.labels[term as usize]);
        shape.terms = terms.len() as u8;
        for (row, &a) in shape.rows.iter_mut().zip(terms) {
            for (entry, &b) in row.iter_mut().zip(terms) {
                *entry = self.get(a, b);
            }
        }
        shape
    }

    /// The shape of some terms, of which each of these shapes has a part, at these places; every two terms are in one of them.
    /// `threes`: the terms of which no shape has three.
    pub fn meet(
        terms: usize,
        parts: [(&Shape, [u8; MOST_TERMS]); 3],
        threes: [std::ops::Range<usize>; 3],
    ) -> Result<Shape, Impossible> {
        let rows = [[UNSET; MOST_TERMS]; MOST_TERMS];
        let Shape { sentinels, kinds, .. } = *parts[0].0;
        let labels = [u8::MAX; MOST_TERMS];
        let mut all = Shape { terms: terms as u8, sentinels, rows, kinds, labels };
        let mut changed = 0;
        for (part, places) in &parts {
            changed |= all.keep(part, places)?;
        }
        // Each part is closed: what is new follows from three terms that are in no part together, or from what a part has lost.
        let [xs, ys, zs] = threes;
        for x in xs {
            for y in ys.clone() {
                for z in zs.clone() {
                    for (a, b, c) in [(x, y, z), (y, z, x), (z, x, y)] {
                        changed |= all.through(a, b, c)?;
                    }
                }
            }
        }
        all.close_from(changed)?;
        Ok(all)
    }

    /// Keeps what a part allows; gives the rows in which the part, or another one before, has lost something.
    fn keep(&mut self, part: &Shape, places: &[u8; MOST_TERMS]) -> Result<u32, Impossible> {
        let mut changed = 0;
        let terms = part.terms();
        for a in 0..terms {
            let labels = &mut self.labels[places[a] as usize];
            if *labels != part.labels[a] {
                changed |= u32::from(*labels != u8::MAX) << places[a];
                *labels &= part.labels[a];
            }
            let row = &mut self.rows[places[a] as usize];
            for b in 0..terms {
                let entry = &mut row[places[b] as usize];
                let (old, theirs) = (*entry, part.rows[a][b]);
                *entry = old & theirs;
                if old != UNSET && (old != theirs) {
                    if *entry == 0 {
                        return Err(Impossible);
                    }
                    changed |= 1 << places[a] | 1 << places[b];
                }
            }
        }
        Ok(changed)
    }

    /// Keeps the relations of `a` and `c` that go with those of both to `b`; gives the rows that change.
    fn through(&mut self, a: usize, b: usize, c: usize) -> Result<u32, Impossible> {
        let now = self.rows[a][c];
        let left = now & compose(self.rows[a][b], self.rows[b][c]);
        if left == now {
            return Ok(0);
        }
        if left == 0 {
            return Err(Impossible);
        }
        self.set(a as Term, c as Term, left);
        Ok(1 << a | 1 << c)
    }

    /// Removes what no graph can have.
    #[cfg(test)]
    pub fn close(&mut self) -> Result<(), Impossible> {
        self.close_from(u32::MAX >> (32 - u32::from(self.terms)))
    }

    /// Removes what no graph can have, where only the sets of these pairs are new. Each is first made to follow from all others; from then on sets only shrink, and whatever
    /// follows from one that does is found by [`Shape::close_from`].
    pub fn close_replaced(&mut self, pairs: &[(Term, Term)]) -> Result<(), Impossible> {
        let mut changed = 0;
        for &(a, b) in pairs {
            let mut left = self.get(a, b);
            for middle in 0..self.terms() {
                left &= compose(self.rows[a as usize][middle], self.rows[middle][b as usize]);
            }
            if left == 0 {
                return Err(Impossible);
            }
            self.set(a, b, left);
            changed |= 1 << a | 1 << b;
        }
        self.close_from(changed)
    }

    /// Removes what no graph can have, where all rows but these (a bit each) are closed already.
    ///
    /// Composition distributes over union, so what a row keeps is computed for all its entries at once, a relation at a time: for most rows
    /// that is everything they have.
    fn close_from(&mut self, mut changed: u32) -> Result<(), Impossible> {
        let terms = self.terms();
        let counts: Row = std::array::from_fn(|z| if z < terms { u8::MAX } else { 0 });
        while changed != 0 {
            let through = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let middle = self.rows[through];
            let has: [Row; SINGLES] =
                std::array::from_fn(|r| std::array::from_fn(|z| (middle[z] >> r & 1).wrapping_neg()));
            for x in 0..terms {
                let first = self.rows[x][through];
                if first == ANY || x == through {
                    continue;
                }
                let table = compositions(first);
                let row = &mut self.rows[x];
                let mut left: Row = [0; MOST_TERMS];
                for (r, has) in has.iter().enumerate() {
                    let composed = table[1 << r];
                    left.iter_mut().zip(has).for_each(|(left, has)| *left |= has & composed);
                }
                let mut lost = 0;
                for z in 0..MOST_TERMS {
                    left[z] &= row[z];
                    lost |= (left[z] ^ row[z]) & counts[z];
                }
                if lost == 0 {
                    continue;
                }
                let mut differs = 0;
                for z in 0..terms {
                    if left[z] == 0 {
                        return Err(Impossible);
                    }
                    differs |= u32::from(left[z] != row[z]) << z;
                    row[z] = left[z];
                }
                changed |= differs | 1 << x;
                for (other, relations) in self.rows.iter_mut().zip(left).take(terms) {
                    other[x] = converse(relations);
                }
            }
            if changed == 0 {
                changed = self.chains_end()?;
            }
            if changed == 0 && self.kinds.is_some() {
                changed = self.match_labels()?;
            }
        }
        Ok(())
    }

    /// The labels that a term may have.
    pub fn labels(&self, term: Term) -> u8 {
        self.labels[term as usize]
    }

    /// Keeps these labels of a term only, and what follows.
    pub fn keep_labels(&mut self, term: Term, labels: u8) -> Result<(), Impossible> {
        self.labels[term as usize] &= labels;
        self.close_from(1 << term)
    }

    /// A cell gets one of these labels; whatever may be the same cell has one of these or of those before.
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

    /// Whether an edge from one cell to the other never leads to a smaller label.
    pub fn is_in_order(&self, from: Term, to: Term) -> bool {
        self.labels(from) & !up_to_least(self.labels(to)) == 0
    }

    /// Removes relations that do not go with any labels of a pair, and labels that do not go with any relation; gives the rows in which
    /// a relation was removed.
    fn match_labels(&mut self) -> Result<u32, Impossible> {
        let ordered = self.kinds.is_some_and(|kinds| kinds.ordered);
        let mut changed = 0;
        let mut settled = false;
        while !settled {
            settled = true;
            for a in self.sentinels as usize..self.terms() {
                for b in a + 1..self.terms() {
                    let (of_a, of_b) = (self.labels[a], self.labels[b]);
                    // The labels of one that go with a relation to the other.
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
                        self.set(a as Term, b as Term, left);
                        changed |= 1 << a | 1 << b;
                    }
                }
            }
        }
        Ok(changed)
    }

    /// A cell that reaches all sentinels but one not, reaches that one; gives the rows that change.
    fn chains_end(&mut self) -> Result<u32, Impossible> {
        let mut changed = 0;
        let sentinels = self.sentinels as usize;
        for cell in sentinels..self.terms() {
            let reached = |sentinel: &usize| self.rows[cell][*sentinel] & REACHES != 0;
            let mut candidates = (0..sentinels).filter(reached);
            match (candidates.next(), candidates.next()) {
                (None, _) => return Err(Impossible),
                (Some(only), None) => {
                    let relations = self.rows[cell][only];
                    if relations & !REACHES != 0 {
                        self.set(cell as Term, only as Term, relations & REACHES);
                        changed |= 1 << cell | 1 << only;
                    }
                }
                _ => {}
            }
        }
        Ok(changed)
    }

    /// The least shape that has the graphs of both, where this one's terms are these of the other; whether it is larger than this
    /// one was.
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

    /// The sets above the diagonal, row by row.
    pub fn entries(&self) -> impl Iterator<Item = Relations> {
        let terms = self.terms();
        (0..terms).flat_map(move |a| (a + 1..terms).map(move |b| self.rows[a][b]))
    }

    /// The labels of all terms that are no sentinels; nothing where cells have none.
    pub fn cell_labels(&self) -> &[u8] {
        let first = if self.kinds.is_some() { self.sentinels as usize } else { self.terms() };
        &self.labels[first..self.terms()]
    }
}

/// The labels up to the least of these, which are some.
fn up_to_least(labels: u8) -> u8 {
    labels ^ labels.wrapping_sub(1)
}

/// The labels up to the greatest of these, which are some.
fn up_to_greatest(labels: u8) -> u8 {
    u8::MAX.checked_shr(labels.leading_zeros()).unwrap_or(0)
}

/// The labels from the least of these on, which are some.
fn from_least(labels: u8) -> u8 {
    labels | labels.wrapping_neg()
}
