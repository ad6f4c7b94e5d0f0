//! The prover skips steps whose result follows from known views. The reference prover makes every step, and
//! must find the same views.

use crate::prove::{Text, budget};
use linchpin_certify::certificate::{
    BEFORE, FAR, FAR_BEFORE, Invariant, LocalState, NEXT, SharedState, Symbol, View,
};
use linchpin_engine::model::Model;
use linchpin_engine::{BudgetMeter, Silent};
use linchpin_ir::interface::Setting;
use linchpin_prove::pairs::PairsProver;
use linchpin_prove::{Analysis, Found, Prover};
use std::collections::BTreeMap;

#[test]
fn skipped_steps_lead_to_no_new_view() {
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
        let compiled = Text::of_catalogue(name).compile(&Setting::default());
        let compiled = compiled.unwrap_or_else(|_| panic!("`{name}` has no errors"));
        let prover = || PairsProver::new(&compiled.program).unwrap_or_else(|_| panic!("`{name}` is taken"));
        let [spared, plain] = [prover(), prover().without_acceleration()].map(|prover| both(name, &prover));
        for (spared, plain) in spared.iter().zip(&plain) {
            assert!(spared.steps < plain.steps, "{name}: {} of {} steps", spared.steps, plain.steps);
            assert_eq!(spared.invariants.len(), plain.invariants.len(), "{name}");
            for (spared, plain) in spared.invariants.iter().zip(&plain.invariants) {
                assert!(spared.question == plain.question && views(spared) == views(plain), "{name}");
            }
        }
    }
}

/// Returns the invariants of conformance and of memory.
fn both(name: &str, prover: &PairsProver) -> [Found; 2] {
    let mut meter = BudgetMeter::start(budget(None));
    [Analysis::Conformance, Analysis::Memory].map(|analysis| {
        let found = prover.prove(analysis, &mut meter, &mut Silent);
        found.unwrap_or_else(|_| panic!("`{name}` is proved"))
    })
}

/// All relations, row by row, and labels, by shared state and the states of two threads.
type ByStates<'i> = BTreeMap<(&'i SharedState, [&'i LocalState; 2]), (Vec<u8>, Vec<u8>)>;

/// All views, whatever their numbers and those of their states.
fn views(invariant: &Invariant) -> ByStates<'_> {
    invariant.views.iter().map(|view| in_order(invariant, view)).collect()
}

/// A view with the smaller of its two states first.
fn in_order<'i>(
    invariant: &'i Invariant,
    view: &'i View,
) -> ((&'i SharedState, [&'i LocalState; 2]), (Vec<u8>, Vec<u8>)) {
    let shared = &invariant.shared[view.shared];
    let mut states = view.locals.map(|local| &invariant.locals[local]);
    let cells = |symbols: &[Symbol]| symbols.iter().filter(|symbol| **symbol == Symbol::Cell).count();
    let [first, second] = states.map(|state| cells(&state.slots));
    let count = (0_usize..).find(|count| count * count.saturating_sub(1) / 2 == view.shape.len());
    // A shape of one term and of none have the same entries; there is always one sentinel.
    let count = count.map_or(1, |count| count.max(1));
    let tracked = shared.tracked.iter().filter(|is_there| **is_there).count();
    let sentinels = count - cells(&shared.globals) - tracked - first - second;
    let mut terms: Vec<usize> = (0..count).collect();
    if states[1] < states[0] {
        states.swap(0, 1);
        terms[count - first - second..].rotate_left(first);
    }
    let at = |a: usize, b: usize| view.shape[a * count - a * (a + 1) / 2 + b - a - 1];
    let get = |a: usize, b: usize| if a < b { at(a, b) } else { converse(at(b, a)) };
    let pairs = terms.iter().flat_map(|a| terms.iter().filter(move |b| *b != a).map(move |b| (*a, *b)));
    let relations = pairs.map(|(a, b)| get(a, b)).collect();
    let labels = terms.iter().filter_map(|term| view.labels.get(term.checked_sub(sentinels)?).copied());
    ((shared, states), (relations, labels.collect()))
}

fn converse(set: u8) -> u8 {
    set & !(NEXT | BEFORE | FAR | FAR_BEFORE) | (set & (NEXT | FAR)) << 1 | (set & (BEFORE | FAR_BEFORE)) >> 1
}
