//! Histories judged by the specification alone: no points, no observers.
//!
//! Beside each state stands the set of configurations that explain the history so far: a state of the specification, and for each
//! thread whether its pending call has taken effect, with which result. The set is closed under taking effect. A return
//! keeps the configurations in which the call has taken effect with that result; if none is left, the history has no legal order.

use super::graph::{Edge, Graph};
use super::heard::Label;
use super::product::{self, Numbers, To};
use super::refused::{GateRefused, Unsupported};
use crate::index::Index;
use crate::ir::{OpId, Program};
use crate::semantics::{Participant, SpecMachine, SpecState, ThreadId};
use crate::types::{TypeKind, Word};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Pending {
    Idle,
    Waiting(OpId, Box<[Word]>),
    Done(Option<Box<[Word]>>),
}

type Configuration = (SpecState, Vec<Pending>);

struct Monitor<'m> {
    spec: &'m SpecMachine,
    sets: Numbers<Vec<Configuration>>,
    steps: FxHashMap<(u32, u32), To>,
    /// The specification itself is at fault.
    failed: bool,
}

/// Judges every history of the graph.
pub fn judge(program: &Arc<Program>, graph: &Graph, go_on: &dyn Fn() -> bool) -> Result<(), GateRefused> {
    if program.spec.has_rendezvous {
        return Err(Unsupported("a rendezvous").into());
    }
    let broken = || GateRefused::from(Unsupported("a specification that cannot be run"));
    let spec = SpecMachine::new(program, &graph.bounds).map_err(|_| broken())?;
    let initial = spec.initial().map_err(|_| broken())?;
    let idle = vec![Pending::Idle; graph.layout.threads];
    let initial: Vec<Configuration> = initial.into_iter().map(|state| (state, idle.clone())).collect();
    let mut monitor =
        Monitor { spec: &spec, sets: Numbers::new(), steps: FxHashMap::default(), failed: false };
    let first = monitor.sets.of(initial);
    let starts: Vec<(u32, u32)> = graph.initial.iter().map(|node| (*node, first)).collect();
    let step = |set: u32, edge: &Edge| {
        let label = &graph.labels[edge.label as usize];
        if label.call.is_none() && label.returned.is_none() {
            return To::State(set);
        }
        if let Some(to) = monitor.steps.get(&(set, edge.label)) {
            return *to;
        }
        let to = monitor.step(set, label);
        monitor.steps.insert((set, edge.label), to);
        to
    };
    let judged = product::pairs(graph, &starts, step, go_on);
    if monitor.failed {
        return Err(broken());
    }
    judged.map(drop).map_err(|stopped| {
        stopped.refuse(|node, label| GateRefused::Refinement {
            way: graph.way(node, Some(&graph.labels[label as usize])),
        })
    })
}

impl Monitor<'_> {
    fn step(&mut self, set: u32, label: &Label) -> To {
        let mut configurations: BTreeSet<Configuration> = self.sets.get(set).iter().cloned().collect();
        if let Some((op, args)) = &label.call {
            let called = |(state, mut calls): Configuration| {
                calls[label.thread] = Pending::Waiting(*op, args.clone());
                (state, calls)
            };
            configurations = configurations.into_iter().map(called).collect();
            self.close(&mut configurations);
        }
        if let Some((op, result)) = &label.returned {
            let program = self.spec.program();
            let kept = |(state, mut calls): Configuration| {
                let fits = match &calls[label.thread] {
                    Pending::Done(said) => is_result(program, *op, result, said.as_deref()),
                    Pending::Idle | Pending::Waiting(..) => false,
                };
                calls[label.thread] = Pending::Idle;
                fits.then_some((state, calls))
            };
            configurations = configurations.into_iter().filter_map(kept).collect();
        }
        if configurations.is_empty() || self.failed {
            return To::Wrong;
        }
        To::State(self.sets.of(configurations.into_iter().collect()))
    }

    /// Adds every configuration in which more of the pending calls have taken effect.
    fn close(&mut self, configurations: &mut BTreeSet<Configuration>) {
        let mut open: Vec<Configuration> = configurations.iter().cloned().collect();
        while let Some((state, calls)) = open.pop() {
            for (thread, call) in calls.iter().enumerate() {
                let Pending::Waiting(op, args) = call else { continue };
                let participant = Participant { op: *op, args, thread: ThreadId::new(thread) };
                let Ok(outcomes) = self.spec.outcomes(&state, &[participant]) else {
                    self.failed = true;
                    return;
                };
                for outcome in outcomes {
                    let mut after = calls.clone();
                    after[thread] = Pending::Done(outcome.results.into_iter().next().flatten());
                    let next = (outcome.state, after);
                    if configurations.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
    }
}

/// Whether an object's result is the specification's; the object may have `T?` where the specification has `T`.
fn is_result(program: &Program, op: OpId, result: &[Word], said: Option<&[Word]>) -> bool {
    let said = said.unwrap_or(&[]);
    if result.len() == said.len() {
        return result == said;
    }
    let is_wrapped = program.ops[op].result.is_some_and(|ty| match program.types.kind(ty) {
        TypeKind::Option(inner) => !program.types.option_is_flat(inner),
        _ => false,
    });
    is_wrapped && result.split_first() == Some((&1, said))
}
