//! The shape of three threads, from those of each two of them.
//!
//! Terms stand in the order: what is shared, then the first, the second, the third thread's. In the view of two threads those of the one that is left out
//! are missing, so that a row of it is a row of the whole with a gap ([`Gap`]), and is treated as a whole.
//!
//! Each part is closed. What is new follows from three terms of three threads, which are in no part together, or from what one
//! part allows and another does not.

use super::relation::compose;
use super::shape::{Impossible, MOST_TERMS, Pending, Row, Shape, columns, term_of};

/// A pair of which no part has said anything yet. No set of relations has its highest bit.
const UNSET: u8 = 255;

impl Shape {
    /// The shape of three threads with so many terms each: the parts are those of the first and the second, of the first and the
    /// third, and of the second and the third.
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

    /// Keeps what a part allows. Pending is where it, or another one before, has lost something.
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

    /// Keeps the relations of `a` and `c` that go with those of both to `b`.
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

/// Where the terms of a part stand among all.
struct Gap {
    before: usize,
    width: usize,
    /// The columns before the gap, and those behind it.
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

    /// A row of the part, as one of all.
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
