//! The execution that is shown is a shortest one and, among the shortest, one with the fewest context
//! switches; both numbers are computed again over all pairs of states and monitor states.

use crate::engine::naive::{initial, key, next};
use crate::engine::support::{Instance, Size, Text, finding, request};
use crate::engine::switches::Switches;
use linchpin_engine::verdict::Verdict;
use linchpin_explore::{Monitor, MonitorId, MonitorKind};
use linchpin_ir::property::Property;
use linchpin_ir::types::Word;
use linchpin_judge::trace::context_switches;
use linchpin_semantics::State;
use std::collections::{BTreeMap, BTreeSet};

type Level = BTreeMap<(Vec<Word>, MonitorId), (State, Switches)>;

/// Steps and switches of the best violation of linearizability, judged by refinement.
fn best(instance: &Instance) -> (usize, usize) {
    let Instance { machine, spec } = instance;
    let client = instance.general();
    let mut monitor = Monitor::new(spec, MonitorKind::Refinement, machine.bounds().threads as usize);
    let start = monitor.initial().expect("the specification is in order");
    let begin = |state| ((key(machine, &state), start), (state, Switches::at_start()));
    let mut level: Level = initial(machine).into_iter().map(begin).collect();
    let mut known: BTreeSet<_> = level.keys().cloned().collect();
    for depth in 1.. {
        assert!(!level.is_empty(), "there is a violation");
        let mut least = None;
        let mut below = Level::new();
        for ((_, from), (state, switches)) in &level {
            for step in next(machine, &client, state).steps {
                let fewest = switches.and_then(step.thread);
                let mut at = Some(*from);
                for seen in &step.seen {
                    let (Some(here), Some(event)) = (at, monitor.event(seen)) else { continue };
                    at = monitor.advance(here, event).expect("the specification is in order");
                }
                let Some(to) = at else {
                    least = Some(least.map_or(fewest, |least: usize| least.min(fewest)));
                    continue;
                };
                let name = (key(machine, &step.to), to);
                if !known.contains(&name) {
                    let (_, switches) = below.entry(name).or_insert_with(|| (step.to, Switches::default()));
                    switches.lower(step.thread, fewest);
                }
            }
        }
        if let Some(least) = least {
            return (depth, least);
        }
        known.extend(below.keys().cloned());
        level = below;
    }
    unreachable!("the loop has no end of its own")
}

#[test]
fn no_execution_is_shorter_or_has_fewer_switches() {
    let instances: [(&str, Size); 5] = [
        ("treiber_stack_reuse", (2, 1, 2)),
        ("treiber_stack_reuse", (2, 2, 1)),
        ("treiber_stack_reuse", (3, 1, 2)),
        ("ms_queue_reuse", (2, 2, 1)),
        ("lock_free_list_original", (2, 3, 1)),
    ];
    for (model, size) in instances {
        let found = finding(&Text::of(model), &request(Property::Linearizable, size));
        let Verdict::Violated(counterexample) = found.verdict() else {
            panic!("{model} {size:?}: {:?}", found.verdict())
        };
        let choices = &counterexample.trace().choices;
        let shown = (choices.len(), context_switches(choices));
        assert_eq!(shown, best(&Instance::of(model, size)), "{model} {size:?}");
    }
}
