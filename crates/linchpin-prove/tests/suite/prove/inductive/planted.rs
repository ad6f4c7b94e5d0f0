//! Certificates that are not inductive: the local test finds a step that leads out of the views of a fair
//! share of them.
//!
//! What is *missing* (a view, a relation, a value that a variable may have) may be reachable, and then the
//! gate sees it too. What is *too much* (a relation that no step makes) the gate cannot see: every reachable
//! state is still in the views.

use super::certificate;
use crate::local::examine;
use fastrand::Rng;
use linchpin_certify::certificate::{
    APART, BEFORE, Certificate, FAR, FAR_BEFORE, Invariant, NEXT, SAME, Symbol,
};
use linchpin_certify::check;
use std::collections::BTreeMap;

/// Certificates of each kind and model.
const PLANTS: u64 = 5;
/// Views that are drawn from one.
const VIEWS: u64 = 1_000;

/// What is done to a certificate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Plant {
    /// A view is left out.
    View,
    /// A relation is left out of an entry that has others.
    Relation,
    /// Two cells that may be further apart are always next to each other, in all views of an invariant.
    NoneFurther,
    /// A variable that may hold anything is said to hold something.
    Value,
    /// Wherever there may be one relation there may be another one, in all views of all invariants.
    Loose,
}

const ALL: [Plant; 5] = [Plant::View, Plant::Relation, Plant::NoneFurther, Plant::Value, Plant::Loose];

/// Each relation, and the same seen from the other side.
const RELATIONS: [[u8; 2]; 6] =
    [[SAME, SAME], [NEXT, BEFORE], [BEFORE, NEXT], [FAR, FAR_BEFORE], [FAR_BEFORE, FAR], [APART, APART]];

#[test]
fn a_certificate_that_is_not_inductive_is_found_out() {
    let mut found: BTreeMap<Plant, [u64; 2]> = BTreeMap::new();
    for name in ["coarse_stack", "treiber_stack", "treiber_stack_tagged"] {
        let (program, certificate) = certificate(name);
        let mut rng = Rng::with_seed(31);
        for plant in ALL {
            for _ in 0..PLANTS {
                let Some(planted) = planted(&certificate, plant, &mut rng) else { continue };
                if check(&program, &planted, &|| true).is_ok() {
                    continue;
                }
                let counts = examine(&program, &planted, &mut rng, |counts| counts.views < VIEWS);
                let [tried, out] = found.entry(plant).or_default();
                *tried += 1;
                *out += u64::from(!counts.failures.is_empty());
            }
        }
        println!("{name}: {found:?}");
    }
    let share = |plant: Plant, of: u64| {
        let [tried, out] = found.get(&plant).copied().unwrap_or_default();
        assert!(out * of >= tried && tried > 3, "{plant:?}: {out} of {tried}");
    };
    share(Plant::View, 2);
    share(Plant::Relation, 4);
    share(Plant::NoneFurther, 2);
    share(Plant::Value, 4);
    share(Plant::Loose, 4);
}

/// A changed certificate; `None` if there is nothing to change.
fn planted(certificate: &Certificate, plant: Plant, rng: &mut Rng) -> Option<Certificate> {
    let mut planted = certificate.clone();
    let at = rng.usize(..planted.invariants.len());
    let invariant: &mut Invariant = &mut planted.invariants[at];
    match plant {
        Plant::View => {
            invariant.views.swap_remove(rng.usize(..invariant.views.len()));
        }
        Plant::Relation => change(invariant, rng, |set, one| if set == one { set } else { set & !one })?,
        Plant::Loose => {
            let [from, to] = [rng.usize(..6), rng.usize(..6)].map(|at| RELATIONS[at]);
            let views = planted.invariants.iter_mut().flat_map(|invariant| &mut invariant.views);
            for set in views.flat_map(|view| &mut view.shape) {
                for way in 0..2 {
                    if *set & from[way] != 0 {
                        *set |= to[way];
                    }
                }
            }
        }
        Plant::NoneFurther => {
            let sets = invariant.views.iter_mut().flat_map(|view| &mut view.shape);
            let mut wide = sets.filter(|set| **set & (NEXT | FAR) == NEXT | FAR).peekable();
            wide.peek()?;
            wide.for_each(|set| *set &= !FAR);
        }
        Plant::Value => {
            let slots = invariant.locals.iter_mut().flat_map(|local| &mut local.slots);
            let mut open: Vec<&mut Symbol> =
                slots.filter(|symbol| matches!(symbol, Symbol::Garbage | Symbol::Other)).collect();
            let number = rng.usize(..open.len().max(1));
            let symbol = open.get_mut(number)?;
            **symbol = if **symbol == Symbol::Garbage { Symbol::Null } else { Symbol::Undefined };
        }
    }
    Some(planted)
}

/// Changes one entry of one shape.
fn change(invariant: &mut Invariant, rng: &mut Rng, with: impl Fn(u8, u8) -> u8) -> Option<()> {
    for _ in 0..200 {
        let view = rng.usize(..invariant.views.len());
        let shape = &mut invariant.views[view].shape;
        let place = rng.usize(..shape.len().max(1));
        let Some(set) = shape.get_mut(place) else { continue };
        let changed = with(*set, 1 << rng.u8(..6));
        if changed != *set {
            *set = changed;
            return Some(());
        }
    }
    None
}
