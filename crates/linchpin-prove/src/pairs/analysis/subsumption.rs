//! Steps of a third thread that bring nothing new, told from what is known of pairs, without the shape of the three.
//!
//! Let thread `c` act, seen by `a` and `b`. Whatever it does beside both it does beside each of them alone, and there it is a kept [`Change`]: what the three
//! know is no more than what `a` and `c` know, and a step that begins in less ends in less. So of two changes that are the same step of `c`, that is, with the
//! same end for it and for what is shared, one beside `a` and one beside `b`, follow
//!
//! - all relations with and among the terms of `a`, from the first, and those of `b`, from the second;
//! - those of a term of `a` and one of `b`: as the view of the two has them before, unless the edge of a cell was redirected that just one of them
//!   reaches. Then the one that reaches it comes to reach the other, or no longer does ([`super::heap`]); what was one node stays one node.
//!   They also follow from those of both to what is shared.
//!
//! A change that `a` and what is shared do not feel leaves what the view of `a` and `b` says of them. If for each two such changes a view is known that has all
//! this, then nothing new can come of the step.

use super::change::{Change, Role};
use super::relation::{Relations, compose};
use super::shape::{MOST_TERMS, Row, Shape, bits, columns};
use super::views::{Known, Views};
use linchpin_certify::certificate::{APART, BEFORE, FAR, FAR_BEFORE, NEXT};

/// One of the two that see a step, as it ends for it: a shape that has its terms, and where they are in the view that should have them.
struct Part<'s> {
    shape: &'s Shape,
    from: usize,
    to: usize,
    terms: usize,
    /// Which of its terms before these are, and which of these may reach a cell whose edge was redirected.
    kept: u32,
    moved: u32,
    /// The columns of what is shared, and its own.
    shared: Row,
    own: Row,
}

impl Views {
    /// Whether nothing new can come of what a thread does to two others.
    pub fn is_covered(&self, role: &Role) -> bool {
        let [first, second] = role.with.map(|with| {
            let known = &self.views[with as usize];
            &known.changes[self.place(with, role.state)]
        });
        let before = &self.views[role.view as usize];
        let is_felt = |change: &Change| change.felt.is_some();
        first.all.iter().all(|one| {
            let both = second.all.iter().filter(|other| one.is_one_step_with(other));
            let mut felt = both.filter(|other| is_felt(one) || is_felt(other));
            felt.all(|other| self.has_change(before, [one, other]))
        })
    }

    /// Whether a view is known with whatever comes of a step of which these are the changes.
    fn has_change(&self, before: &Known, changes: [&Change; 2]) -> bool {
        let [a, b] = changes.map(|change| change.local);
        let Some(id) = self.find(changes[0].shared, a, b) else { return false };
        let known = &self.views[id as usize];
        let places = if a <= b { [0, 1] } else { [1, 0] };
        let [of_a, of_b] = [0, 1].map(|at| Part::new(before, at, changes[at], known, places[at]));
        known.shape.has_parts(&of_a, &of_b) && known.shape.has_between(&of_a, &of_b, before)
    }
}

impl<'s> Part<'s> {
    /// Of the thread at this place in the view before, and at that place in the one that is known.
    fn new(before: &'s Known, at: usize, change: &'s Change, known: &Known, place: usize) -> Part<'s> {
        let (terms, to) = (usize::from(known.terms[place]), known.offset(place));
        let shared = known.offset(0);
        let (shape, from) = match &change.felt {
            Some(shape) => (&**shape, shared),
            None => (&*before.shape, before.offset(at)),
        };
        let Change { kept, moved, .. } = *change;
        Part { shape, from, to, terms, kept, moved, shared: columns(0..shared), own: columns(to..to + terms) }
    }

    /// A row of the shape, as one of the view; all where it says nothing.
    fn row(&self, row: &Row) -> Row {
        let mut padded = [0; 3 * MOST_TERMS];
        padded[MOST_TERMS..2 * MOST_TERMS].copy_from_slice(row);
        let moved = &padded[MOST_TERMS + self.from - self.to..][..MOST_TERMS];
        let mut placed = [0; MOST_TERMS];
        for column in 0..MOST_TERMS {
            let (shared, own) = (self.shared[column], self.own[column]);
            placed[column] = row[column] & shared | moved[column] & own | !(shared | own);
        }
        placed
    }
}

impl Shape {
    /// Whether it has all relations that two parts allow of what is shared and of each of them, and all labels.
    fn has_parts(&self, a: &Part, b: &Part) -> bool {
        let mut beyond = [0; MOST_TERMS];
        let mut compare = |mine: &Row, wanted: [Row; 2], within: &Row| {
            for column in 0..MOST_TERMS {
                let theirs = wanted[0][column] & wanted[1][column];
                beyond[column] |= theirs & !mine[column] & within[column];
            }
        };
        let everything = [u8::MAX; MOST_TERMS];
        let both = columns(0..self.terms());
        let shared = a.to.min(b.to);
        for row in 0..shared {
            let wanted = [a.row(&a.shape.rows[row]), b.row(&b.shape.rows[row])];
            compare(&self.rows[row], wanted, &both);
        }
        for part in [a, b] {
            for term in 0..part.terms {
                let wanted = part.row(&part.shape.rows[part.from + term]);
                compare(&self.rows[part.to + term], [wanted, everything], &part.own);
            }
        }
        if self.kinds.is_some() {
            compare(&self.labels, [a.row(&a.shape.labels), b.row(&b.shape.labels)], &both);
        }
        beyond == [0; MOST_TERMS]
    }

    /// Whether it has all relations that two threads may have to each other.
    fn has_between(&self, a: &Part, b: &Part, before: &Known) -> bool {
        let [first, second] = [before.offset(0), before.offset(1)];
        let shared = a.to.min(b.to);
        bits(a.kept).enumerate().all(|(one, of_a)| {
            let before = &before.shape.rows[first + usize::from(of_a)];
            bits(b.kept).enumerate().all(|(other, of_b)| {
                let mut relations = before[second + usize::from(of_b)];
                if a.moved >> one & 1 != 0 {
                    relations |= NEXT | FAR | APART;
                }
                if b.moved >> other & 1 != 0 {
                    relations |= BEFORE | FAR_BEFORE | APART;
                }
                let mut beyond = relations & !self.rows[a.to + one][b.to + other];
                let through = |middle: usize| -> Relations {
                    compose(a.shape.rows[a.from + one][middle], b.shape.rows[middle][b.from + other])
                };
                for middle in 0..shared {
                    if beyond == 0 {
                        break;
                    }
                    beyond &= through(middle);
                }
                beyond == 0
            })
        })
    }
}
