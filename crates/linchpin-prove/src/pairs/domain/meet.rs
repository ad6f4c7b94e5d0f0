//! Computes the shape of three threads from the shapes of all three pairs.
//!
//! Terms are ordered: shared terms, then those of the first, the second and the third thread. The shape of a
//! pair lacks the terms of the third thread. A row of a pair is therefore a row of the whole with a gap
//! ([`Gap`]).
//!
//! Each pair's shape is closed. New facts follow from two sources only. One is three terms of three different
//! threads, which no pair contains together. The other is a relation that one pair allows and another
//! excludes.

use super::relation::compose;
use super::shape::{Impossible, MOST_TERMS, Pending, Row, Shape, columns, term_of};

/// The entry of a pair of terms before any shape constrains it. No set of relations uses the highest bit.
const UNSET: u8 = 255;

impl Shape {
    /// Returns the shape of three threads with the given numbers of terms. The parts are the shapes of the
    /// first and second, the first and third, and the second and third thread.
    pub fn meet(shared: usize, threads: [usize; 3], parts: [&Shape; 3]) -> Result<Shape, Impossible> {
        let [first, second, third] = threads;
        let terms = shared + first + second + third;
        let gaps = [
            Gap::new(terms - third, third, terms),
            Gap::new(shared + first, second, terms),
            Gap::new(shared, first, terms),
        ];
        let Shape { sentinels, kinds, labels, .. } = *parts[0];
        let rows = [[UNSET; MOST_TERMS]; MOST_TERMS];
        let mut all = Shape { terms: term_of(terms), sentinels, rows, kinds, labels };
        for (row, theirs) in all.rows.iter_mut().zip(&parts[0].rows).take(terms - third) {
            *row = gaps[0].open(theirs);
        }
        let mut pending = Pending::default();
        for (gap, part) in gaps.iter().zip(parts).skip(1) {
            all.keep(part, gap, &mut pending)?;
        }
        if all.kinds.is_some() {
            all.labels = [u8::MAX; MOST_TERMS];
            for (gap, part) in gaps.iter().zip(parts) {
                all.keep_their_labels(part, gap, &mut pending);
            }
        }
        for x in shared..shared + first {
            for y in shared + first..terms - third {
                for z in terms - third..terms {
                    for (a, b, c) in [(x, y, z), (y, z, x), (z, x, y)] {
                        all.through(a, b, c, &mut pending)?;
                    }
                }
            }
        }
        all.close_from(pending)?;
        Ok(all)
    }

    /// Keeps what a part allows. Adds every pair of terms to `pending` that has lost a relation.
    fn keep(&mut self, part: &Shape, gap: &Gap, pending: &mut Pending) -> Result<(), Impossible> {
        for (number, theirs) in part.rows.iter().enumerate().take(part.terms()) {
            let place = gap.place(number);
            let row = &mut self.rows[place];
            let theirs = gap.open(theirs);
            let mut differ = [0; MOST_TERMS];
            for column in 0..MOST_TERMS {
                let (mine, other) = (row[column], theirs[column]);
                differ[column] = if (mine | other) & 128 == 0 { mine ^ other } else { 0 };
                row[column] = mine & other;
            }
            if differ == [0; MOST_TERMS] {
                continue;
            }
            for column in (0..self.terms()).filter(|column| differ[*column] != 0) {
                if self.rows[place][column] == 0 {
                    return Err(Impossible);
                }
                pending.add(place, column);
            }
        }
        Ok(())
    }

    fn keep_their_labels(&mut self, part: &Shape, gap: &Gap, pending: &mut Pending) {
        for (number, theirs) in part.labels.iter().enumerate().take(part.terms()) {
            let labels = &mut self.labels[gap.place(number)];
            pending.labels |= *labels != u8::MAX && labels != theirs;
            *labels &= theirs;
        }
    }

    /// Keeps the relations of `a` and `c` that are consistent with their relations to `b`.
    fn through(&mut self, a: usize, b: usize, c: usize, pending: &mut Pending) -> Result<(), Impossible> {
        let now = self.rows[a][c];
        let left = now & compose(self.rows[a][b], self.rows[b][c]);
        if left == 0 {
            return Err(Impossible);
        }
        if left != now {
            self.set(term_of(a), term_of(c), left);
            pending.add(a, c);
        }
        Ok(())
    }
}

/// The position of a part's terms among all terms.
struct Gap {
    before: usize,
    width: usize,
    /// The columns before the gap, and the columns behind it.
    head: Row,
    tail: Row,
}

impl Gap {
    fn new(before: usize, width: usize, terms: usize) -> Gap {
        Gap { before, width, head: columns(0..before), tail: columns(before + width..terms) }
    }

    fn place(&self, term: usize) -> usize {
        if term < self.before { term } else { term + self.width }
    }

    /// Converts a row of the part into a row of the whole.
    fn open(&self, row: &Row) -> Row {
        let mut padded = [0; 2 * MOST_TERMS];
        padded[MOST_TERMS..].copy_from_slice(row);
        let behind = &padded[MOST_TERMS - self.width..][..MOST_TERMS];
        let mut opened = [0; MOST_TERMS];
        for column in 0..MOST_TERMS {
            let (head, tail) = (self.head[column], self.tail[column]);
            opened[column] = row[column] & head | behind[column] & tail | !(head | tail);
        }
        opened
    }
}
