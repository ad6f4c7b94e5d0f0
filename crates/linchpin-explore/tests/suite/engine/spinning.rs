//! Stuck states, spinning ones included, compared with a search of all continuations of each concrete state.

use crate::engine::naive;
use crate::engine::support::{Instance, Text, unlimited};
use linchpin_engine::Silent;
use linchpin_explore::{ClientEvent, Reductions, Search, SearchProblem};
use linchpin_semantics::{Client, State};
use std::collections::{BTreeMap, BTreeSet};

/// The number of stuck states, and the fewest moves to one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stuck {
    number: usize,
    moves: Option<usize>,
}

fn searched(instance: &Instance, client: &Client, reductions: Reductions) -> Stuck {
    let Instance { machine, spec } = instance;
    let question = SearchProblem {
        machine,
        client,
        spec,
        monitor: None,
        wanted: Vec::new(),
        reductions,
        jobs: 2,
        most_levels: None,
        most_nodes: None,
        planted: None,
    };
    let mut search = Search::new(question);
    search.is_exhaustive = true;
    search.keep_calls_separate();
    let summary = search.run(&unlimited(), &mut Silent).expect("it can be searched");
    assert_eq!(summary.exhausted, None);
    let found = search.stuck_states(&unlimited(), &mut Silent).expect("no limit");
    Stuck { number: found.len(), moves: found.first().map(|state| state.moves) }
}

/// By the definition: from each state every continuation, until one completes a pending call or leaves the
/// scope. With a schedule idle threads have no call left.
fn naive(instance: &Instance, client: &Client) -> Stuck {
    let machine = &instance.machine;
    let mut depth: BTreeMap<_, (usize, State)> = BTreeMap::new();
    let mut level = naive::initial(machine);
    let mut moves = 0;
    while !level.is_empty() {
        let mut below = Vec::new();
        for state in level {
            depth.entry(naive::key(machine, &state)).or_insert_with(|| {
                below.extend(naive::next(machine, client, &state).steps.into_iter().map(|step| step.to));
                (moves, state)
            });
        }
        (level, moves) = (below, moves + 1);
    }
    let is_pending = |state: &State| machine.bounds().thread_ids().any(|t| !machine.is_idle(state, t));
    let may_rest = |state: &State| client.may_rest(machine, state);
    let stuck: Vec<usize> = depth
        .values()
        .filter(|(_, state)| is_pending(state) && may_rest(state) && !goes_on(instance, client, state))
        .map(|(moves, _)| *moves)
        .collect();
    Stuck { number: stuck.len(), moves: stuck.iter().min().copied() }
}

fn goes_on(instance: &Instance, client: &Client, state: &State) -> bool {
    let machine = &instance.machine;
    let mut known = BTreeSet::new();
    let mut work = vec![state.clone()];
    let first = state;
    while let Some(state) = work.pop() {
        if !known.insert(naive::key(machine, &state)) {
            continue;
        }
        let next = naive::next(machine, client, &state);
        let returns =
            |seen: &[ClientEvent]| seen.iter().any(|seen| matches!(seen, ClientEvent::Return { .. }));
        let completes = |step: &naive::Step| returns(&step.seen) && !machine.is_idle(first, step.thread);
        if next.leaves || next.steps.iter().any(completes) {
            return true;
        }
        work.extend(next.steps.into_iter().map(|step| step.to));
    }
    false
}

fn agrees(instance: &Instance, client: &Client, expected: bool) {
    let plain = naive(instance, client);
    assert_eq!(plain.number > 0, expected, "{plain:?}");
    assert_eq!(searched(instance, client, Reductions::NONE), plain);
    let symmetric = searched(instance, client, Reductions { symmetry: true, partial_order: false });
    assert_eq!(symmetric.moves, plain.moves);
    assert!(symmetric.number <= plain.number);
    let reduced = searched(instance, client, Reductions::ALL);
    assert_eq!(reduced.moves.is_some(), expected);
    assert!(reduced.moves <= plain.moves, "moves hold more than one step");
}

#[test]
fn a_thread_that_finds_nothing_spins() {
    let instance = Instance::of("herlihy_wing_queue", (2, 1, 1));
    agrees(&instance, &instance.schedule(&[], &[&[("deq", &[])], &[("enq", &[1]), ("deq", &[])]]), true);
    agrees(&instance, &instance.schedule(&[("enq", &[1])], &[&[("deq", &[])], &[("enq", &[1])]]), false);
}

#[test]
fn a_lock_that_is_never_given_back() {
    let instance = Instance::of("test_and_set_lock", (2, 1, 1));
    agrees(&instance, &instance.general(), false);
    let forgets = Text::of("test_and_set_lock").with("    held = false;\n", "    let unused = held;\n");
    let instance = Instance::new(&forgets, (2, 1, 1));
    agrees(&instance, &instance.general(), true);
}

/// A thread that waits beside a spinning thread has called. A search that delays the call does not find the
/// stuck state.
#[test]
fn one_spins_and_one_waits() {
    let text = "object Both: Spec; spec Spec { op spin() { } op take() { } op look() { } } \
                shared ended: bool; shared l: lock; \
                op spin() { l.lock(); while !ended {} l.unlock(); } \
                op take() { l.lock(); ended = false; l.unlock(); } \
                op look() { let e = ended; }";
    let instance = Instance::new(&Text::new(text), (2, 1, 1));
    agrees(&instance, &instance.general(), true);
}

#[test]
fn missing_nodes_do_not_make_a_state_stuck() {
    let instance = Instance::of("treiber_stack", (2, 1, 1));
    agrees(&instance, &instance.general(), false);
}
