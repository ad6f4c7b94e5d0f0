//! Subsumption: steps of a third thread that cannot lead to a new view, decided from views of pairs alone.
//!
//! Let thread `c` act; `a` and `b` see the step.
//!
//! - *Claim.* If [`is_subsumed`] holds, the step adds nothing to any view of `a` and `b`.
//! - *Assumptions.* The interference of every step of `c` is stored in its views with `a` and with `b`.
//!   Postconditions are monotone: a step from a smaller shape ends in a smaller shape.
//! - *Proof.* The shape of the three is at most the shape of `a` and `c`. So whatever `c` does beside both it
//!   does beside each of them, as a stored [`Interference`]. Take two interferences of the same step of `c`,
//!   one beside `a` and one beside `b`. They have the same end for `c` and for the shared state. They bound
//!   the result:
//!   - The first bounds all relations with and among the terms of `a`; the second bounds those of `b`.
//!   - A term of `a` and a term of `b` keep the relation of their view before. The exception is a redirected
//!     edge that exactly one of them reaches. Then that term comes to reach the other, or no longer does
//!     ([`heap`](crate::pairs::domain::heap)). The same cell stays the same cell. Their relation also follows
//!     from the relations of both to the shared terms.
//!   - An interference that is not visible to `a` and the shared state leaves their relations in the view of
//!     `a` and `b`.
//!
//!   If for each such pair of interferences a known view has all these relations, the step leads to nothing
//!   new.
//! - *Test.* `prove::without_acceleration` compares the views with those of the reference, which computes
//!   every step.

use super::interference::{Interference, Role};
use super::views::{Known, Views};
use crate::pairs::domain::relation::{Relations, compose};
use crate::pairs::domain::shape::{MOST_TERMS, Row, Shape, bits, columns};
use linchpin_certify::certificate::{APART, BEFORE, FAR, FAR_BEFORE, NEXT};

/// A victim after the step: a shape with its terms, and their position in the view that should cover them.
struct PeerShape<'s> {
    shape: &'s Shape,
    /// The first term in the shape.
    from: usize,
    /// The first term in the view.
    to: usize,
    terms: usize,
    /// The terms before the step that the victim still has, one bit each.
    kept: u32,
    /// The terms that may reach a cell whose edge was redirected, one bit each.
    moved: u32,
    /// The columns of the shared terms.
    shared: Row,
    /// The columns of its own terms.
    own: Row,
}

/// Returns whether the steps of the actor lead to nothing new for its victims.
pub fn is_subsumed(views: &Views, role: &Role) -> bool {
    let [first, second] = role.with.map(|with| {
        let known = &views.views[with as usize];
        &known.interferences[views.place(with, role.state)]
    });
    let before = &views.views[role.view as usize];
    let is_visible = |interference: &Interference| interference.visible_to_peer.is_some();
    first.all.iter().all(|one| {
        let both = second.all.iter().filter(|other| one.is_one_step_with(other));
        let mut visible = both.filter(|other| is_visible(one) || is_visible(other));
        visible.all(|other| covers_step(views, before, [one, other]))
    })
}

/// Returns whether a known view covers the results of a step with these interferences.
fn covers_step(views: &Views, before: &Known, interferences: [&Interference; 2]) -> bool {
    let [a, b] = interferences.map(|interference| interference.local);
    let Some(id) = views.find(interferences[0].shared, a, b) else { return false };
    let known = &views.views[id as usize];
    let places = if a <= b { [0, 1] } else { [1, 0] };
    let [of_a, of_b] = [0, 1].map(|at| PeerShape::new(before, at, interferences[at], known, places[at]));
    covers_parts(&known.shape, &of_a, &of_b) && covers_between(&known.shape, &of_a, &of_b, before)
}

impl<'s> PeerShape<'s> {
    /// Takes the victim at position `at` of the view before; its position in the known view is `place`.
    fn new(
        before: &'s Known,
        at: usize,
        interference: &'s Interference,
        known: &Known,
        place: usize,
    ) -> PeerShape<'s> {
        let (terms, to) = (usize::from(known.terms[place]), known.offset(place));
        let shared = known.offset(0);
        let (shape, from) = match &interference.visible_to_peer {
            Some(shape) => (&**shape, shared),
            None => (&*before.shape, before.offset(at)),
        };
        let Interference { kept, moved, .. } = *interference;
        PeerShape {
            shape,
            from,
            to,
            terms,
            kept,
            moved,
            shared: columns(0..shared),
            own: columns(to..to + terms),
        }
    }

    /// Converts a row of the shape into a row of the view; all bits in columns without a constraint.
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

/// Returns whether a shape has all relations among the shared terms and the terms of each victim, and all
/// labels.
fn covers_parts(known: &Shape, a: &PeerShape, b: &PeerShape) -> bool {
    let mut beyond = [0; MOST_TERMS];
    let mut compare = |mine: &Row, wanted: [Row; 2], within: &Row| {
        for column in 0..MOST_TERMS {
            let theirs = wanted[0][column] & wanted[1][column];
            beyond[column] |= theirs & !mine[column] & within[column];
        }
    };
    let everything = [u8::MAX; MOST_TERMS];
    let both = columns(0..known.terms());
    let shared = a.to.min(b.to);
    for row in 0..shared {
        let wanted = [a.row(&a.shape.rows[row]), b.row(&b.shape.rows[row])];
        compare(&known.rows[row], wanted, &both);
    }
    for part in [a, b] {
        for term in 0..part.terms {
            let wanted = part.row(&part.shape.rows[part.from + term]);
            compare(&known.rows[part.to + term], [wanted, everything], &part.own);
        }
    }
    if known.kinds.is_some() {
        compare(&known.labels, [a.row(&a.shape.labels), b.row(&b.shape.labels)], &both);
    }
    beyond == [0; MOST_TERMS]
}

/// Returns whether a shape has all possible relations between the terms of the two victims.
fn covers_between(known: &Shape, a: &PeerShape, b: &PeerShape, before: &Known) -> bool {
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
            let mut beyond = relations & !known.rows[a.to + one][b.to + other];
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
