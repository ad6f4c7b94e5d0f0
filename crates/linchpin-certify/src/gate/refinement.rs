//! Judges histories by the specification alone, without points and observers.
//!
//! Each state is paired with the set of configurations that explain the history so far. A configuration is a
//! spec state, and for each thread whether its pending call has taken effect, with its result. The set is
//! closed under taking effect. A return keeps the configurations in which the call has taken effect with that
//! result. If none remains, the history has no legal order.

use super::graph::{Edge, Graph};
use super::observed_step::{Label, Move};
use super::product::{self, Numbers, Search, To};
use super::refused::{GateRefused, Unsupported};
use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{TypeKind, Word};
use linchpin_semantics::{Participant, SpecMachine, SpecState, ThreadId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// The status of the call of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Pending {
    Idle,
    Waiting(OpId, Box<[Word]>),
    Done(Option<Box<[Word]>>),
}

/// The number of a spec state, and for each thread the number of its [`Pending`].
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Configuration {
    state: u32,
    calls: SmallVec<[u32; 3]>,
}

struct Monitor<'m> {
    spec: &'m SpecMachine,
    states: Numbers<SpecState>,
    pending: Numbers<Pending>,
    /// The results of a call, by spec state, thread and call: the spec state afterwards, and the call that
    /// has taken effect.
    outcomes: FxHashMap<(u32, usize, u32), Rc<[(u32, u32)]>>,
    sets: Numbers<Vec<Configuration>>,
    steps: FxHashMap<(u32, u32), To>,
    /// Sets with the names of threads after a step, by set and renaming.
    renamed: FxHashMap<(u32, u32), u32>,
    /// The specification has a fault.
    failed: bool,
}

/// Judges every history of the graph.
pub fn judge(program: &Arc<Program>, graph: &Graph, search: &Search) -> Result<(), GateRefused> {
    if program.spec.has_rendezvous {
        return Err(Unsupported("a rendezvous").into());
    }
    let broken = || GateRefused::from(Unsupported("a specification that cannot be run"));
    let spec = SpecMachine::new(program, &graph.bounds).map_err(|_| broken())?;
    let initial = spec.initial().map_err(|_| broken())?;
    let mut monitor = Monitor {
        spec: &spec,
        states: Numbers::new(),
        pending: Numbers::new(),
        outcomes: FxHashMap::default(),
        sets: Numbers::new(),
        steps: FxHashMap::default(),
        renamed: FxHashMap::default(),
        failed: false,
    };
    let idle = monitor.pending.of(Pending::Idle);
    let calls = SmallVec::from_elem(idle, graph.layout.threads);
    let begin = |state: SpecState| Configuration { state: monitor.states.of(state), calls: calls.clone() };
    let initial: BTreeSet<Configuration> = initial.into_iter().map(begin).collect();
    let first = monitor.sets.of(initial.into_iter().collect());
    let starts: Vec<(u32, u32)> = graph.initial.iter().map(|node| (*node, first)).collect();
    let step = |_: u32, set: u32, edge: &Edge| {
        let label = &graph.labels[edge.label as usize];
        let to = if label.call.is_none() && label.returned.is_none() {
            To::State(set)
        } else if let Some(to) = monitor.steps.get(&(set, edge.label)) {
            *to
        } else {
            let to = monitor.step(set, label);
            monitor.steps.insert((set, edge.label), to);
            to
        };
        match to {
            To::State(set) => To::State(monitor.renamed(set, edge.cells, &graph.moves[edge.cells as usize])),
            To::Left | To::Wrong => to,
        }
    };
    let judged = product::pairs(graph, &starts, step, search);
    if monitor.failed {
        return Err(broken());
    }
    judged.map(drop).map_err(|stopped| {
        stopped.refuse(graph, |node, label| GateRefused::Refinement {
            execution: graph.execution_to(node, Some(&graph.labels[label as usize])),
        })
    })
}

impl Monitor<'_> {
    fn step(&mut self, set: u32, label: &Label) -> To {
        let mut configurations: BTreeSet<Configuration> = self.sets.get(set).iter().cloned().collect();
        if let Some((op, args)) = &label.call {
            let call = self.pending.of(Pending::Waiting(*op, args.clone()));
            let called = |mut configuration: Configuration| {
                configuration.calls[label.thread] = call;
                configuration
            };
            configurations = configurations.into_iter().map(called).collect();
            self.close(&mut configurations);
        }
        if let Some((op, result)) = &label.returned {
            let program = self.spec.program();
            let idle = self.pending.of(Pending::Idle);
            let kept = |mut configuration: Configuration| {
                let fits = match self.pending.get(configuration.calls[label.thread]) {
                    Pending::Done(said) => is_result(program, *op, result, said.as_deref()),
                    Pending::Idle | Pending::Waiting(..) => false,
                };
                configuration.calls[label.thread] = idle;
                fits.then_some(configuration)
            };
            configurations = configurations.into_iter().filter_map(kept).collect();
        }
        if configurations.is_empty() || self.failed {
            return To::Wrong;
        }
        To::State(self.sets.of(configurations.into_iter().collect()))
    }

    /// Returns a set with the names of threads after a step.
    fn renamed(&mut self, set: u32, number: u32, moved: &Move) -> u32 {
        if moved.keeps_threads() {
            return set;
        }
        if let Some(renamed) = self.renamed.get(&(set, number)) {
            return *renamed;
        }
        let configurations = self.sets.get(set).iter();
        let renamed: BTreeSet<Configuration> = configurations
            .map(|one| Configuration { state: one.state, calls: moved.rename(&one.calls) })
            .collect();
        let renamed = self.sets.of(renamed.into_iter().collect());
        self.renamed.insert((set, number), renamed);
        renamed
    }

    /// Adds every configuration in which more of the pending calls have taken effect.
    fn close(&mut self, configurations: &mut BTreeSet<Configuration>) {
        let mut open: Vec<Configuration> = configurations.iter().cloned().collect();
        while let Some(configuration) = open.pop() {
            for thread in 0..configuration.calls.len() {
                let call = configuration.calls[thread];
                for (state, done) in self.outcomes(configuration.state, thread, call).iter() {
                    let mut calls = configuration.calls.clone();
                    calls[thread] = *done;
                    let next = Configuration { state: *state, calls };
                    if configurations.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
    }

    /// Returns the results of a waiting call in a spec state; empty for every other call.
    fn outcomes(&mut self, state: u32, thread: usize, call: u32) -> Rc<[(u32, u32)]> {
        if let Some(known) = self.outcomes.get(&(state, thread, call)) {
            return Rc::clone(known);
        }
        let mut all = Vec::new();
        if let Pending::Waiting(op, args) = self.pending.get(call) {
            let participant = Participant { op: *op, args, thread: ThreadId::new(thread) };
            match self.spec.outcomes(self.states.get(state), &[participant]) {
                Ok(outcomes) => {
                    for outcome in outcomes {
                        let done = Pending::Done(outcome.results.into_iter().next().flatten());
                        all.push((self.states.of(outcome.state), self.pending.of(done)));
                    }
                }
                Err(_) => self.failed = true,
            }
        }
        let all: Rc<[(u32, u32)]> = all.into();
        self.outcomes.insert((state, thread, call), Rc::clone(&all));
        all
    }
}

/// Returns whether an object's result equals the specification's. The object may have `T?` where the
/// specification has `T`.
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
