//! Heap operations on shapes: strongest postconditions, one pair of terms at a time.
//!
//! [`follow`] reads a pointer: it adds a term for the cell behind an edge. [`redirect`] writes a pointer: it
//! changes the target of an edge. Allocating and freeing are redirections from and to the sentinel of free
//! cells.
//!
//! **Redirection.**
//! - *Claim.* After `y`'s edge is redirected to `x`, [`redirect`] returns a shape of every graph that
//!   results.
//! - *Assumption.* `x` does not reach `y`: otherwise the write would close a cycle.
//! - *Proof.* Let `a` and `b` be two cells. Suppose both reach `y`, or neither does. Then their relation
//!   stays: a chain between them does not pass `y`'s edge, because nothing behind the edge reaches `y`.
//!   Suppose `a` reaches `y` and `b` does not. Then every chain from `a` to `b` passes the edge. Afterwards
//!   `a` reaches `b` exactly if `x` does; `b` never reaches `a`. So the relation of `a` and `b` is a function
//!   of four relations: `a` and `y`, `b` and `y`, `a` and `b`, `x` and `b`. For sets the function is applied
//!   to every consistent choice. (Observers 5.2 removes what *may* be falsified, which would be unsound; here
//!   everything stays that may be true.)
//! - *Test.* `redirecting_is_the_union_of_all_choices` below, and `redirecting_follows_every_graph` in
//!   `meaning`.

use super::relation::{REACHES, Relations, compose, converse};
use super::shape::{FREE_TERM, Impossible, MOST_TERMS, Shape, Term, bits, term_of};
use linchpin_certify::certificate::{APART, BEFORE, FAR, FAR_BEFORE, FREE, GARBAGE, NEXT, NULL, SAME};
use smallvec::SmallVec;

/// Adds a term for the cell behind `from`'s edge. The edge must not lead to a sentinel.
pub fn follow(shape: &mut Shape, from: Term) -> Result<Term, Impossible> {
    shape.add_related(from, BEFORE)
}

/// Redirects the edge of `from` to `to`, which does not reach `from`. Returns the terms that may reach
/// `from`, one bit each.
pub fn redirect(shape: &mut Shape, from: Term, to: Term) -> Result<u32, Impossible> {
    shape.refine(to, from, !REACHES)?;
    let before = shape.clone();
    let terms = term_of(before.terms());
    let (mut may, mut may_not) = (0_u32, 0_u32);
    for term in 0..terms {
        let relations = before.get(term, from);
        may |= u32::from(relations & REACHES != 0) << term;
        may_not |= u32::from(relations & !REACHES != 0) << term;
    }
    let mut beyond = [[[0; 2]; AWAY.len()]; MOST_TERMS];
    for target in bits(may_not) {
        beyond[target as usize] = AWAY.map(|away| reached(&before, (from, to), target, away));
    }
    let is_in = |set: u32, term: Term| set >> term & 1 != 0;
    let mut changed: SmallVec<[(Term, Term); 64]> = SmallVec::new();
    for a in 0..terms {
        let of_a = before.get(a, from);
        let (a_may, a_may_not) = (is_in(may, a), is_in(may_not, a));
        // For all other terms either both reach `from` or neither does: the relation stays.
        let others = if a_may { may_not } else { 0 } | if a_may_not { may } else { 0 };
        for b in bits(others & (u32::MAX << a << 1)) {
            let of_b = before.get(b, from);
            let (b_may, b_may_not) = (is_in(may, b), is_in(may_not, b));
            let now = before.get(a, b);
            // `compose` is the union over all members: these are all choices in which both reach `from`, or
            // neither does.
            let mut after = 0;
            if a_may && b_may {
                after |= now & compose(of_a & REACHES, converse(of_b & REACHES));
            }
            if a_may_not && b_may_not {
                after |= now & compose(of_a & !REACHES, converse(of_b & !REACHES));
            }
            if a_may && b_may_not {
                after |= through(now, of_a, of_b, &beyond[b as usize]);
            }
            if b_may && a_may_not {
                after |= converse(through(converse(now), of_b, of_a, &beyond[a as usize]));
            }
            if after != now {
                shape.set(a, b, after);
                changed.push((a, b));
            }
        }
    }
    shape.close_replaced(&changed, &before)?;
    Ok(may)
}

/// The relations to `from` of cells that do not reach it.
const AWAY: [Relations; 3] = [BEFORE, FAR_BEFORE, APART];

/// For a target with this relation to `from`: the relations afterwards of `from` itself, and of all other
/// cells that reach `from`.
fn reached(before: &Shape, (from, to): (Term, Term), target: Term, away: Relations) -> [Relations; 2] {
    let behind = before.get(to, target) & compose(before.get(to, from), converse(away));
    [NEXT, FAR].map(|first| one_further(behind, first))
}

/// Returns the relations of a cell that reaches `from` to another cell that does not. `beyond` has the result
/// for each relation of the other cell to `from`; only choices consistent with `now` count.
fn through(now: Relations, near: Relations, other: Relations, beyond: &[[Relations; 2]; 3]) -> Relations {
    let mut after = 0;
    for (away, [itself, further]) in AWAY.into_iter().zip(beyond) {
        if other & away == 0 {
            continue;
        }
        let there = converse(away);
        if near & SAME != 0 && now & there != 0 {
            after |= itself;
        }
        if now & compose(near & REACHES & !SAME, there) != 0 {
            after |= further;
        }
    }
    after
}

/// Returns the relations of a cell to a target, if its edge leads to a cell with relations `behind` to the
/// target. `first` is the relation if the edge leads to the target itself.
fn one_further(behind: Relations, first: Relations) -> Relations {
    let mut relations = 0;
    if behind & SAME != 0 {
        relations |= first;
    }
    if behind & REACHES & !SAME != 0 {
        relations |= FAR;
    }
    if behind & !REACHES != 0 {
        relations |= APART;
    }
    relations
}

/// Adds a cell that no pointer leads to; its edge leads to `to`.
pub fn create(shape: &mut Shape, to: Term) -> Term {
    let cell = shape.add(APART);
    for other in 0..cell {
        let relations = one_further(shape.get(to, other), NEXT);
        shape.set(cell, other, relations);
    }
    cell
}

/// Adds a term for an arbitrary free cell. The caller redirects its edge.
pub fn any_free(shape: &mut Shape) -> Result<Term, Impossible> {
    shape.add_related(FREE_TERM, NEXT)
}

/// The kind of cell behind an edge.
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

/// Returns the shape of the graphs in which the edge of a cell leads to a target of this kind; `None` if
/// there are none.
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
            if shape.get(cell, term_of(wanted)) & NEXT == 0 {
                return None;
            }
            let mut refined = shape.clone();
            refined.refine(cell, term_of(wanted), NEXT).ok()?;
            Some(refined)
        }
        None => {
            let mut refined = shape.clone();
            refined.refine_all(cell, sentinels, !NEXT).ok()?;
            Some(refined)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::domain::relation::members;
    use fastrand::Rng;
    use linchpin_certify::certificate::ANY;

    /// The reference: choice by choice, as in the header.
    fn choice_by_choice(before: &Shape, (from, to): (Term, Term), a: Term, b: Term) -> Relations {
        let behind = |target: Term, away: Relations, near: Relations| {
            let behind = before.get(to, target) & compose(before.get(to, from), converse(away));
            one_further(behind, if near == SAME { NEXT } else { FAR })
        };
        let mut after = 0;
        for of_a in members(before.get(a, from)) {
            for of_b in members(before.get(b, from)) {
                let kept = before.get(a, b) & compose(of_a, converse(of_b));
                if kept == 0 {
                    continue;
                }
                after |= match (of_a & REACHES != 0, of_b & REACHES != 0) {
                    (true, false) => behind(b, of_b, of_a),
                    (false, true) => converse(behind(a, of_a, of_b)),
                    _ => kept,
                };
            }
        }
        after
    }

    #[test]
    fn redirecting_is_the_union_of_all_choices() {
        let mut rng = Rng::with_seed(8);
        let mut redirected = 0;
        for _ in 0..4_000 {
            let mut shape = Shape::new(3, None);
            for _ in 0..rng.usize(2..6) {
                shape.add_cell();
            }
            let terms = term_of(shape.terms());
            for _ in 0..rng.usize(..8) {
                let (a, b) = (rng.u8(3..terms), rng.u8(..terms));
                let mut tighter = shape.clone();
                if a != b && tighter.refine(a, b, rng.u8(1..=ANY)).is_ok() {
                    shape = tighter;
                }
            }
            let (from, to) = (rng.u8(3..terms), rng.u8(..terms));
            let mut before = shape.clone();
            if before.refine(to, from, !REACHES).is_err() {
                continue;
            }
            let mut plain = before.clone();
            for a in 0..terms {
                (a + 1..terms).for_each(|b| plain.set(a, b, choice_by_choice(&before, (from, to), a, b)));
            }
            let plain = plain.close().is_ok().then_some(plain);
            let mut after = shape;
            let after = redirect(&mut after, from, to).is_ok().then_some(after);
            assert!(after == plain);
            redirected += usize::from(after.is_some());
        }
        assert!(redirected > 500, "only {redirected}");
    }
}
