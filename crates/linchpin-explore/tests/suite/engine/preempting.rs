//! A bound on preemptions against all executions with so few, gone through one by one.

use crate::engine::naive::{initial, key, next};
use crate::engine::support::{Instance, unlimited};
use linchpin_engine::Silent;
use linchpin_explore::{MonitorKind, Reductions, Search, SearchProblem, SearchResult, ViolationKind};
use linchpin_ir::types::Word;
use linchpin_semantics::{Client, ScheduleScope, State, ThreadId};
use std::collections::BTreeSet;

fn schedules(instance: &Instance, steps: u32, preadds: u32) -> Client {
    let Client::General(general) = instance.general() else { panic!("the general client") };
    let scope = ScheduleScope { steps: steps..=steps, preadds, restrictions: Vec::new() };
    Client::schedules(instance.machine.program(), &general, &scope).expect("there are such schedules")
}

/// The states that can be reached with so many preemptions, by going through (state, last thread,
/// preemptions).
fn reachable(instance: &Instance, client: &Client, most: u32) -> BTreeSet<Vec<Word>> {
    let machine = &instance.machine;
    let (mut known, mut states) = (BTreeSet::new(), BTreeSet::new());
    let mut work: Vec<(State, Option<ThreadId>, u32)> =
        initial(machine).into_iter().map(|state| (state, None, 0)).collect();
    while let Some((state, last, used)) = work.pop() {
        let words = key(machine, &state);
        states.insert(words.clone());
        if !known.insert((words, last, used)) {
            continue;
        }
        let steps = next(machine, client, &state).steps;
        let is_in_call = last.is_some_and(|last| !machine.is_idle(&state, last));
        let goes_on = is_in_call && steps.iter().any(|step| Some(step.thread) == last);
        for step in steps {
            let used = used + u32::from(goes_on && Some(step.thread) != last);
            if used <= most {
                work.push((step.to, Some(step.thread), used));
            }
        }
    }
    states
}

fn search<'i>(
    instance: &'i Instance,
    client: &'i Client,
    most: u32,
    monitor: Option<MonitorKind>,
    reductions: Reductions,
) -> (Search<'i>, SearchResult) {
    let mut search = Search::new(SearchProblem {
        machine: &instance.machine,
        client,
        spec: &instance.spec,
        monitor,
        wanted: vec![ViolationKind::Inconsistent],
        reductions,
        jobs: 1,
        most_levels: None,
        most_nodes: None,
        planted: None,
    });
    search.bound_preemptions(most);
    let summary = search.run(&unlimited(), &mut Silent).expect("it can be searched");
    (search, summary)
}

const SYMMETRY: Reductions = Reductions { symmetry: true, partial_order: false };

#[test]
fn the_same_states() {
    for (model, steps, preadds) in
        [("treiber_stack", 3, 0), ("lock_free_list", 2, 1), ("bounded_queue", 3, 0), ("ms_queue", 2, 1)]
    {
        let instance = Instance::of(model, (2, 5, 2));
        let client = schedules(&instance, steps, preadds);
        let mut sizes = Vec::new();
        for most in [0, 1, 2, 200] {
            let expected = reachable(&instance, &client, most);
            let (search, _) = search(&instance, &client, most, None, Reductions::NONE);
            let mut found = BTreeSet::new();
            search.for_each_node(&mut |state, _| {
                found.insert(key(&instance.machine, state));
            });
            assert!(found == expected, "{model}, {most}: {} and {}", found.len(), expected.len());
            sizes.push(expected.len());
        }
        assert!(sizes.windows(2).all(|pair| pair[0] <= pair[1]) && sizes[0] < sizes[3], "{model}: {sizes:?}");
    }
}

/// Two threads get the same result only if one of them is preempted. Symmetry changes nothing.
#[test]
fn a_violation_needs_its_preemptions() {
    let instance = Instance::of("lock_free_list_original", (2, 4, 1));
    let client = schedules(&instance, 2, 1);
    let mut lengths = Vec::new();
    for most in 0..4 {
        let plain = search(&instance, &client, most, Some(MonitorKind::Refinement), Reductions::NONE).1.found;
        let symmetric = search(&instance, &client, most, Some(MonitorKind::Refinement), SYMMETRY).1.found;
        assert_eq!(plain, symmetric, "{most} preemptions");
        lengths.push(plain.get(&ViolationKind::Inconsistent).copied());
    }
    assert_eq!(lengths[0], None);
    assert!(lengths[3].is_some(), "{lengths:?}");
}
