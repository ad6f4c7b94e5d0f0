//! The naive twin of the fixpoint makes every step in every view, and in every three threads each that others can see: it must find the same views.

use super::relation::converse;
use super::{Context, Fixpoint, Plan, Prover};
use crate::catalogue;
use crate::embedded::compile_beside_catalogue;
use crate::engine::{Budget, Silent, Watch};
use linchpin_core::certify::certificate::{Invariant, LocalState, Question, SharedState, Symbol, View};
use linchpin_core::typing::Setting;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[test]
fn steps_that_are_left_out_bring_nothing() {
    for name in [
        "coarse_stack_manual",
        "two_lock_queue_gc",
        "two_lock_queue",
        "bucket_lock_pqueue",
        "coarse_pqueue_list",
        "treiber_stack",
        "treiber_stack_tagged",
        "ms_queue",
    ] {
        let entry = catalogue::find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
        let compiled = compile_beside_catalogue(name, entry.text, &Setting::default());
        let compiled = compiled.unwrap_or_else(|_| panic!("`{name}` has no errors"));
        let prover = Prover::new(&compiled.program).unwrap_or_else(|_| panic!("`{name}` is taken"));
        let plan = &prover.plan;
        let ordered = plan.node.label.is_some();
        let pointers = (0..plan.globals.kinds.len()).map(Some);
        let memory = [None].into_iter().chain(pointers).map(|root| (None, root));
        let mut answered = 0;
        for (group, root) in prover.groups.iter().map(|group| (Some(group), None)).chain(memory) {
            let dead = group.map_or_else(BTreeSet::new, |group| group.dead(plan.program));
            let context = Context { plan, group, dead: &dead, root, visible_only: false, ordered };
            let [spared, plain] = [true, false].map(|spares| views(context, spares));
            assert_eq!(spared.is_some(), plain.is_some(), "{name}");
            let (Some((spared, fewer)), Some((plain, steps))) = (spared, plain) else { continue };
            assert!(spared == plain, "{name}");
            assert!(fewer < steps, "{name}: {fewer} of {steps} steps");
            answered += 1;
        }
        assert!(answered > prover.groups.len(), "{name}");
    }
}

/// By what is shared and the states of two threads: all relations, row by row, and labels.
type ByStates = BTreeMap<(SharedState, [LocalState; 2]), (Vec<u8>, Vec<u8>)>;

/// All views, whatever their numbers, and how many steps were made; nothing if there is an alarm: not every shared variable keeps all cells.
fn views(context: Context, spares: bool) -> Option<(ByStates, u64)> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut watch = Watch::start(Budget { time: None, memory: None, stop, memory_in_use: || None });
    let mut fixpoint = Fixpoint::new(context);
    fixpoint.spares = spares;
    fixpoint.run(&mut watch, &mut Silent).ok()?;
    let invariant = fixpoint.views.invariant(Question::Memory { root: None }, context.ordered);
    let by_states = invariant.views.iter().map(|view| by_states(context.plan, &invariant, view));
    Some((by_states.collect(), fixpoint.steps))
}

/// A view with the smaller of its two states first.
fn by_states(
    plan: &Plan,
    invariant: &Invariant,
    view: &View,
) -> ((SharedState, [LocalState; 2]), (Vec<u8>, Vec<u8>)) {
    let mut states = view.locals.map(|local| invariant.locals[local].clone());
    let [first, second] =
        [0, 1].map(|at| states[at].slots.iter().filter(|slot| **slot == Symbol::Cell).count());
    let sentinels = super::scene::sentinels(plan);
    let count = (0..).find(|count| count * (count - 1) / 2 == view.shape.len() as i64).unwrap_or(0) as usize;
    let shared = count - first - second;
    let mut terms: Vec<usize> = (0..count).collect();
    if states[1] < states[0] {
        states.swap(0, 1);
        terms[shared..].rotate_left(first);
    }
    let at = |a: usize, b: usize| a * count - a * (a + 1) / 2 + b - a - 1;
    let get = |a: usize, b: usize| if a < b { view.shape[at(a, b)] } else { converse(view.shape[at(b, a)]) };
    let pairs = terms.iter().flat_map(|a| terms.iter().filter(move |b| *b != a).map(move |b| (*a, *b)));
    let relations = pairs.map(|(a, b)| get(a, b)).collect();
    let labels = terms.iter().filter_map(|term| view.labels.get(term.checked_sub(sentinels)?).copied());
    ((invariant.shared[view.shared].clone(), states), (relations, labels.collect()))
}
