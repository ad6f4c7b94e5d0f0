//! Faults planted into right certificates.
//!
//! The gate finds a change if the instance has a state that needs the changed view and no other view contains
//! it. So many changes of each kind are tried, and a share must be found. The share is lower where a single
//! view is changed: an observer of three variables has views that an instance with two values never reaches.

use super::{CLAIMS, certificate, program};
use crate::prove::{QUICK, Text};
use fastrand::Rng;
use linchpin_certify::certificate::{Certificate, Effect, Invariant, Obligation, Symbol};
use linchpin_certify::gate::{GateOptions, GateRefused, examine};
use linchpin_ir::program::Program;
use std::sync::Arc;

/// One instance: the first one finds what there is to be found.
const FIRST: GateOptions = GateOptions { second_states: 0, ..QUICK };

fn is_outside(program: &Arc<Program>, certificate: &Certificate) -> bool {
    match examine(program, certificate, &CLAIMS, &FIRST, &|| true) {
        Ok(_) => false,
        Err(GateRefused::Outside { .. }) => true,
        Err(refused) => panic!("{refused}"),
    }
}

/// Plants a fault into random invariants; of how many that made a difference how many were found.
fn planted(
    name: &str,
    times: usize,
    which: impl Fn(&Invariant) -> bool,
    plant: impl Fn(&mut Invariant, &mut Rng) -> bool,
) -> (usize, usize) {
    let mut rng = Rng::with_seed(31);
    let program = program(&Text::of_catalogue(name));
    let right = certificate(&program);
    assert!(!is_outside(&program, &right), "{name} as it is");
    let (mut tried, mut found) = (0, 0);
    for _ in 0..times {
        let mut wrong = right.clone();
        let mut chosen: Vec<&mut Invariant> =
            wrong.invariants.iter_mut().filter(|invariant| which(invariant)).collect();
        let at = rng.usize(..chosen.len());
        if plant(chosen[at], &mut rng) {
            tried += 1;
            found += usize::from(is_outside(&program, &wrong));
        }
    }
    println!("{name}: {found} of {tried}");
    (tried, found)
}

fn any(_: &Invariant) -> bool {
    true
}

fn watches(invariant: &Invariant) -> bool {
    matches!(invariant.question, Obligation::Observers(_))
}

/// At least so many of a hundred are found.
fn mostly(percent: usize, (tried, found): (usize, usize)) {
    assert!(tried >= 5 && found * 100 >= tried * percent, "{found} of {tried}");
}

#[test]
fn a_view_is_missing() {
    for name in ["treiber_stack", "two_lock_queue_gc", "coarse_queue_manual", "treiber_stack_tagged"] {
        mostly(
            15,
            planted(name, 12, any, |invariant, rng| {
                let at = rng.usize(..invariant.views.len());
                invariant.views.remove(at);
                true
            }),
        );
    }
}

#[test]
fn a_relation_is_too_tight() {
    for name in ["treiber_stack", "coarse_queue_manual", "two_lock_queue_gc"] {
        mostly(
            20,
            planted(name, 25, any, |invariant, rng| {
                let at = rng.usize(..invariant.views.len());
                let shape = &mut invariant.views[at].shape;
                let loose: Vec<usize> = (0..shape.len()).filter(|at| shape[*at].count_ones() > 1).collect();
                let Some(&entry) = rng.choice(&loose) else { return false };
                shape[entry] &= shape[entry] - 1;
                true
            }),
        );
    }
}

#[test]
fn a_symbol_is_another_one() {
    for name in ["treiber_stack", "coarse_queue_manual", "treiber_stack_tagged"] {
        mostly(
            40,
            planted(name, 15, any, |invariant, rng| {
                let at = rng.usize(..invariant.locals.len());
                let Some(symbol) = invariant.locals[at].slots.first_mut() else { return false };
                let other = match *symbol {
                    Symbol::Null => Symbol::Absent,
                    Symbol::Tracked(_) => Symbol::Other,
                    Symbol::Other => Symbol::Tracked(0),
                    Symbol::Current => Symbol::Stale,
                    Symbol::Stale => Symbol::Current,
                    _ => return false,
                };
                *symbol = other;
                true
            }),
        );
    }
}

#[test]
fn an_effect_is_another_one() {
    for name in ["treiber_stack", "two_lock_queue_gc", "ms_queue"] {
        mostly(
            60,
            planted(name, 15, watches, |invariant, rng| {
                let at = rng.usize(..invariant.locals.len());
                let local = &mut invariant.locals[at];
                if local.at.is_none() {
                    return false;
                }
                local.effect = match local.effect {
                    Effect::Waiting => Effect::Due,
                    Effect::Done(Symbol::Absent) => Effect::Done(Symbol::Other),
                    Effect::Done(_) | Effect::Due | Effect::Tentative { .. } => Effect::Waiting,
                };
                true
            }),
        );
    }
}

#[test]
fn a_label_is_missing() {
    mostly(
        60,
        planted("coarse_pqueue_list", 15, any, |invariant, rng| {
            let at = rng.usize(..invariant.views.len());
            let Some(set) = invariant.views[at].labels.iter_mut().find(|set| set.count_ones() > 1) else {
                return false;
            };
            *set &= *set - 1;
            true
        }),
    );
}

#[test]
fn an_observer_is_elsewhere() {
    for name in ["treiber_stack", "two_lock_queue_gc"] {
        mostly(
            60,
            planted(name, 15, watches, |invariant, rng| {
                let at = rng.usize(..invariant.shared.len());
                invariant.shared[at].location ^= 1;
                true
            }),
        );
    }
}

#[test]
fn locks_answers_and_watched_cells_are_compared() {
    mostly(
        60,
        planted("two_lock_queue_gc", 12, any, |invariant, rng| {
            let at = rng.usize(..invariant.shared.len());
            invariant.shared[at].held ^= 1;
            true
        }),
    );
    mostly(
        60,
        planted("two_lock_queue_gc", 12, any, |invariant, rng| {
            let at = rng.usize(..invariant.locals.len());
            invariant.locals[at].holds ^= 1;
            true
        }),
    );
    let memory = |invariant: &Invariant| !watches(invariant);
    mostly(
        60,
        planted("treiber_stack_tagged", 12, memory, |invariant, rng| {
            let at = rng.usize(..invariant.locals.len());
            invariant.locals[at].answers ^= true;
            true
        }),
    );
    mostly(
        60,
        planted("coarse_stack_manual", 12, memory, |invariant, rng| {
            let at = rng.usize(..invariant.shared.len());
            invariant.shared[at].watch.shared ^= true;
            true
        }),
    );
    mostly(
        60,
        planted("coarse_stack_manual", 12, memory, |invariant, rng| {
            let at = rng.usize(..invariant.shared.len());
            invariant.shared[at].watch.undefined ^= true;
            true
        }),
    );
}

/// That cells are ordered is looked at, and so are ages' homes.
#[test]
fn order_and_ages_are_compared() {
    let stack = program(&Text::of_catalogue("treiber_stack_tagged"));
    let mut elsewhere = certificate(&stack);
    for slot in elsewhere.rests.iter_mut().flat_map(|rest| &mut rest.slots) {
        slot.origin = None;
    }
    assert!(is_outside(&stack, &elsewhere));
    let list = program(&Text::of_catalogue("bucket_lock_pqueue"));
    let right = certificate(&list);
    assert!(!is_outside(&list, &right));
}
