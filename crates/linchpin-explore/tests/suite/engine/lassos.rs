//! An execution without end that is shown has a shortest stem, of those a shortest loop, and of those the
//! fewest context switches. The three numbers are computed again in the plainest way: from every state, over
//! all states under their own names.

use crate::engine::naive::{Step, initial, key, next};
use crate::engine::support::{Instance, Size, Text, finding, request};
use crate::engine::switches::Switches;
use linchpin_engine::verdict::Verdict;
use linchpin_explore::{ClientEvent, Reductions, Request};
use linchpin_ir::property::Property;
use linchpin_ir::types::Word;
use linchpin_judge::trace::{Trace, context_switches};
use linchpin_semantics::{State, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// Steps of the stem, steps of the loop, context switches.
type Lengths = (usize, usize, usize);

/// Which loops are looked for, of an object whose calls never wait.
#[derive(Clone, Copy)]
struct Rule<'i> {
    instance: &'i Instance,
    property: Property,
}

impl Rule<'_> {
    /// Returns the threads that a loop may track; one placeholder where the rule tracks no thread.
    fn marks(self, state: &State) -> Vec<Option<ThreadId>> {
        let machine = &self.instance.machine;
        match self.property {
            Property::WaitFree => {
                let threads = machine.bounds().thread_ids();
                threads.filter(|thread| !machine.is_idle(state, *thread)).map(Some).collect()
            }
            _ => vec![None],
        }
    }

    fn allows(self, step: &Step, mark: Option<ThreadId>) -> bool {
        !step.seen.iter().any(|seen| match seen {
            ClientEvent::Return { thread, .. } => mark.is_none_or(|mark| mark == *thread),
            ClientEvent::Call { .. } => self.property == Property::Terminating,
            ClientEvent::Lin { .. } => false,
        })
    }

    /// The shortest loop from a state, and the fewest switches of a lasso with it. None if it would be longer
    /// than `most`.
    fn best_loop(
        self,
        start: &State,
        switches: &Switches,
        mark: Option<ThreadId>,
        most: usize,
    ) -> Option<(usize, usize)> {
        let Instance { machine, .. } = self.instance;
        let (client, goal) = (self.instance.general(), key(machine, start));
        type Level = BTreeMap<(Vec<Word>, bool), (State, Switches)>;
        let mut level = Level::from([((goal.clone(), mark.is_none()), (start.clone(), switches.clone()))]);
        let mut known: BTreeSet<_> = BTreeSet::new();
        for length in 1..=most {
            let mut below = Level::new();
            for ((_, has_acted), (state, switches)) in &level {
                for step in next(machine, &client, state).steps {
                    if self.allows(&step, mark) {
                        let fewest = switches.and_then(step.thread);
                        let name = (key(machine, &step.to), *has_acted || mark == Some(step.thread));
                        if !known.contains(&name) {
                            let (_, switches) =
                                below.entry(name).or_insert_with(|| (step.to, Switches::default()));
                            switches.lower(step.thread, fewest);
                        }
                    }
                }
            }
            if let Some((_, switches)) = below.get(&(goal.clone(), true)) {
                return switches.fewest().map(|fewest| (length, fewest));
            }
            if below.is_empty() {
                return None;
            }
            known.extend(below.keys().cloned());
            level = below;
        }
        None
    }

    /// The best lasso: over the states with the fewest steps before them from which there is a loop at all.
    fn best(self) -> Lengths {
        let Instance { machine, .. } = self.instance;
        let client = self.instance.general();
        let begin = |state| (key(machine, &state), (state, Switches::at_start()));
        let mut level: BTreeMap<Vec<Word>, (State, Switches)> =
            initial(machine).into_iter().map(begin).collect();
        let mut known: BTreeSet<_> = level.keys().cloned().collect();
        for depth in 0.. {
            assert!(!level.is_empty(), "there is a loop");
            let mut best: Option<(usize, usize)> = None;
            for (state, switches) in level.values() {
                for mark in self.marks(state) {
                    let most = best.map_or(usize::MAX, |(length, _)| length);
                    let found = self.best_loop(state, switches, mark, most);
                    best = [best, found].into_iter().flatten().min();
                }
            }
            if let Some((length, switches)) = best {
                return (depth, length, switches);
            }
            let mut below: BTreeMap<Vec<Word>, (State, Switches)> = BTreeMap::new();
            for (state, switches) in level.values() {
                for step in next(machine, &client, state).steps {
                    let name = key(machine, &step.to);
                    if !known.contains(&name) {
                        let fewest = switches.and_then(step.thread);
                        let (_, switches) =
                            below.entry(name).or_insert_with(|| (step.to, Switches::default()));
                        switches.lower(step.thread, fewest);
                    }
                }
            }
            known.extend(below.keys().cloned());
            level = below;
        }
        unreachable!("the loop has no end of its own")
    }
}

fn shown(model: &str, property: Property, size: Size, reductions: Reductions) -> Lengths {
    let found = finding(&Text::of(model), &Request { reductions, ..request(property, size) });
    let Verdict::Violated(counterexample) = found.verdict() else {
        panic!("{model} {size:?}: {:?}", found.verdict())
    };
    let Trace { choices, cycle, .. } = counterexample.trace();
    let start = cycle.expect("a loop");
    (start, choices.len() - start, context_switches(choices))
}

#[test]
fn no_lasso_is_shorter_or_has_fewer_switches() {
    let instances: [(&str, Property, Size); 6] = [
        ("treiber_stack", Property::WaitFree, (2, 1, 1)),
        ("treiber_stack", Property::WaitFree, (2, 2, 1)),
        ("treiber_stack", Property::WaitFree, (3, 1, 1)),
        ("ms_queue", Property::WaitFree, (2, 2, 1)),
        ("test_and_set_lock", Property::LockFree, (2, 1, 1)),
        ("hlm_deque", Property::LockFree, (2, 4, 1)),
    ];
    for (model, property, size) in instances {
        let best = Rule { instance: &Instance::of(model, size), property }.best();
        for reductions in [Reductions::NONE, Reductions::ALL] {
            let shown = shown(model, property, size, reductions);
            assert_eq!(shown, best, "{model} {property} {size:?} {reductions:?}");
        }
    }
}
