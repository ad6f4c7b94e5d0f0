//! Subset pruning changes no verdict and no length: the twin keeps every pair of a state and a monitor state.

use crate::engine::naive::{initial, key, next};
use crate::engine::support::{Instance, Size};
use linchpin_explore::{Monitor, MonitorKind, ViolationKind};
use linchpin_semantics::Client;
use std::collections::BTreeSet;

struct Unpruned {
    shortest: Option<usize>,
    pairs: usize,
    states: usize,
}

/// Breadth first over all pairs, until the first rejection.
fn unpruned(instance: &Instance, client: &Client, method: MonitorKind) -> Unpruned {
    let machine = &instance.machine;
    let threads = machine.bounds().threads as usize;
    let mut monitor = Monitor::new(&instance.spec, method, threads);
    let start = monitor.initial().expect("the specification is in order");
    let mut known = BTreeSet::new();
    let mut level: Vec<_> = initial(machine).into_iter().map(|state| (state, start)).collect();
    let mut depth = 0;
    let mut shortest = None;
    'levels: while !level.is_empty() {
        let mut below = Vec::new();
        for (state, from) in level {
            if !known.insert((key(machine, &state), from)) {
                continue;
            }
            for step in next(machine, client, &state).steps {
                let mut at = Some(from);
                for seen in &step.seen {
                    let (Some(here), Some(event)) = (at, monitor.event(seen)) else { continue };
                    at = monitor.advance(here, event).expect("the specification is in order");
                }
                let Some(to) = at else {
                    shortest = Some(depth + 1);
                    break 'levels;
                };
                below.push((step.to, to));
            }
        }
        level = below;
        depth += 1;
    }
    let states: BTreeSet<_> = known.iter().map(|(state, _)| state).collect();
    Unpruned { shortest, pairs: known.len(), states: states.len() }
}

#[test]
fn the_same_verdict_and_the_same_length() {
    let instances: [(&str, Size); 9] = [
        ("treiber_stack", (2, 2, 1)),
        ("treiber_stack", (2, 1, 2)),
        ("treiber_stack_reuse", (2, 1, 1)),
        ("treiber_stack_reuse", (2, 1, 2)),
        ("treiber_stack_reuse", (2, 2, 1)),
        ("ms_queue", (2, 2, 1)),
        ("lock_free_list_original", (2, 3, 1)),
        ("snark_deque", (2, 3, 1)),
        ("register_k", (3, 1, 1)),
    ];
    let mut spared = 0;
    for (model, size) in instances {
        let instance = Instance::of(model, size);
        let client = instance.general();
        for method in [MonitorKind::Refinement, instance.points()] {
            let twin = unpruned(&instance, &client, method.clone());
            let (_, summary) = instance.search(&client, Some(method.clone()), &[ViolationKind::Inconsistent]);
            let found = summary.found.get(&ViolationKind::Inconsistent).copied();
            assert_eq!(found, twin.shortest, "{model} {size:?} {method:?}");
            if found.is_none() {
                assert_eq!(summary.states, twin.states, "{model} {size:?} {method:?}");
                assert!(summary.nodes <= twin.pairs, "{model} {size:?} {method:?}");
                spared += twin.pairs - summary.nodes;
            }
        }
    }
    assert!(spared > 0, "somewhere there was something to prune");
}
