//! What the steps of a program do to shapes: strongest postconditions, one pair of terms at a time.
//!
//! A pointer is read by [`follow`]: a new term for the node behind an edge. It is written by [`redirect`]: an edge leads somewhere else.
//! Allocating and freeing are redirections too, from and to the sentinel of free cells.
//!
//! **Redirecting** `y`'s edge to `x`, where `x` does not reach `y` (that would close a cycle). Let `a` and `b` be two nodes. If both reach `y`
//! or both do not, their relation stays: a chain from one to the other does not pass `y`'s edge, since behind it nothing
//! reaches `y`. If `a` reaches `y` and `b` does not, then a chain from `a` to `b` passes the edge: afterwards `a` reaches `b`
//! just if `x` does, and `b` reaches `a` neither before nor after. So the relation of `a` and `b` is a function of those of `a` and `y`, `b`
//! and `y`, `a` and `b`, `x` and `b`; for sets of relations it is taken for every choice that is consistent (Observers 5.2 removes what
//! *may* be falsified, which would be unsound: here everything stays that may be true).

use super::relation::{REACHES, Relations, compose, converse, members};
use super::shape::{Impossible, Shape, Term};
use linchpin_core::certify::certificate::{APART, BEFORE, FAR, FREE, GARBAGE, NEXT, NULL, SAME};

/// A new term for the cell that `from`'s edge leads to; the edge leads to no sentinel.
pub fn follow(shape: &mut Shape, from: Term) -> Result<Term, Impossible> {
    shape.add_related(from, BEFORE)
}

/// The edge of `from` leads to `to` from now on; `to` does not reach `from`.
pub fn redirect(shape: &mut Shape, from: Term, to: Term) -> Result<(), Impossible> {
    shape.refine(to, from, !REACHES)?;
    let before = shape.clone();
    let terms = before.terms() as Term;
    for a in 0..terms {
        for b in a + 1..terms {
            shape.set(a, b, redirected(&before, (from, to), a, b));
        }
    }
    shape.close()
}

/// The relations of `a` and `b` after an edge has been redirected.
fn redirected(before: &Shape, (from, to): (Term, Term), a: Term, b: Term) -> Relations {
    let now = before.get(a, b);
    let mut after = 0;
    for a_from in members(before.get(a, from)) {
        for b_from in members(before.get(b, from)) {
            let kept = now & compose(a_from, converse(b_from));
            if kept == 0 {
                continue;
            }
            let reaching = (a_from & REACHES != 0, b_from & REACHES != 0);
            after |= match reaching {
                (true, false) => through(before, (from, to), a_from, b, b_from),
                (false, true) => converse(through(before, (from, to), b_from, a, a_from)),
                _ => kept,
            };
        }
    }
    after
}

/// The relations of a node that reaches `from`, as `near` says, to one that does not.
fn through(
    before: &Shape,
    (from, to): (Term, Term),
    near: Relations,
    target: Term,
    target_from: Relations,
) -> Relations {
    let behind = before.get(to, target) & compose(before.get(to, from), converse(target_from));
    let mut after = 0;
    if behind & SAME != 0 {
        after |= if near == SAME { NEXT } else { FAR };
    }
    if behind & REACHES & !SAME != 0 {
        after |= FAR;
    }
    if behind & !REACHES != 0 {
        after |= APART;
    }
    after
}

/// A cell that nobody knew, its edge leading to `to`.
pub fn create(shape: &mut Shape, to: Term) -> Term {
    let cell = shape.add(APART);
    for other in 0..cell {
        let behind = shape.get(to, other);
        let mut relations = 0;
        if behind & SAME != 0 {
            relations |= NEXT;
        }
        if behind & REACHES & !SAME != 0 {
            relations |= FAR;
        }
        if behind & !REACHES != 0 {
            relations |= APART;
        }
        shape.set(cell, other, relations);
    }
    cell
}

/// Any free cell. It stays as it is: the caller redirects its edge.
pub fn any_free(shape: &mut Shape) -> Result<Term, Impossible> {
    shape.add_related(FREE as Term, NEXT)
}

/// Where an edge may lead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Null,
    Free,
    Garbage,
    Cell,
}

impl Target {
    pub const ALL: [Target; 4] = [Target::Null, Target::Free, Target::Garbage, Target::Cell];
}

/// The graphs in which the edge of a cell leads to a target of this kind.
pub fn with_target(shape: &Shape, cell: Term, target: Target, collected: bool) -> Option<Shape> {
    let sentinels: &[usize] = if collected { &[NULL] } else { &[NULL, FREE, GARBAGE] };
    let wanted = match target {
        Target::Null => Some(NULL),
        Target::Free => Some(FREE),
        Target::Garbage => Some(GARBAGE),
        Target::Cell => None,
    };
    match wanted {
        Some(wanted) if !sentinels.contains(&wanted) => None,
        Some(wanted) => {
            if shape.get(cell, wanted as Term) & NEXT == 0 {
                return None;
            }
            let mut refined = shape.clone();
            refined.refine(cell, wanted as Term, NEXT).ok()?;
            Some(refined)
        }
        None => {
            let mut refined = shape.clone();
            for &sentinel in sentinels {
                refined.refine(cell, sentinel as Term, !NEXT).ok()?;
            }
            Some(refined)
        }
    }
}
