//! Failures of many schedules, grouped: equal failures are one group.
//!
//! | evidence | two failures of a property are equal if |
//! |---|---|
//! | a fault | the kind of fault and its place in the text are equal |
//! | a leak | the places of the last steps are equal |
//! | a deadlock | the same operations wait at the same places |
//! | an infinite execution | the same operations never return, and act at the same places |
//! | recursion | the operations are equal |
//! | a history | the calls without a legal order are equal, with their results |
//!
//! The threads of the calls do not matter. Calls are equal up to the names of values and up to the ranks of
//! keys: `add(1)` and `remove(1)` fail as `add(3)` and `remove(3)` do.

use crate::monitor::next_permutation;
use linchpin_engine::verdict::{FailureGroup, Failures};
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::property::Property;
use linchpin_ir::source::Span;
use linchpin_ir::types::{Scalar, SlotKind, TypeId, Word};
use linchpin_judge::history::{CallId, History};
use linchpin_judge::replay::{Counterexample, Evidence, TraceStep};
use linchpin_semantics::{FaultKind, Status, ThreadId};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::{Discriminant, discriminant};

/// The class of a failure. Two failures of one property with equal classes are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    Error { kind: Discriminant<FaultKind>, at: Span },
    Leak { at: Option<Span> },
    Waiting(Vec<(OpId, Option<Span>)>),
    Endless { starved: Vec<OpId>, at: BTreeSet<Span> },
    Recursion(Option<OpId>),
    History(Vec<CallShape>),
}

/// A call of a history, without its thread. Values and keys are renumbered.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CallShape {
    pub op: OpId,
    pub args: Vec<Word>,
    /// `None`: the call is pending.
    pub result: Option<Vec<Word>>,
}

impl Failure {
    pub fn of(counterexample: &Counterexample) -> Failure {
        let history = counterexample.history();
        let program = counterexample.machine().program();
        match counterexample.evidence() {
            Evidence::Inconsistent(_) | Evidence::PointsRefuted(_) | Evidence::Observed(_) => {
                Failure::History(shapes(program, history, &counterexample.calls_at_fault()))
            }
            Evidence::Fault(fault) => Failure::Error { kind: discriminant(&fault.kind), at: fault.span },
            Evidence::Leak(_) => Failure::Leak {
                at: counterexample.moments().last().and_then(|last| span_of(counterexample, &last.from)),
            },
            Evidence::Deadlock(deadlock) => {
                let last = counterexample.moments().iter().rev().find_map(|moment| moment.after.as_ref());
                let state = last.unwrap_or(counterexample.initial());
                let place = |thread| span_of(counterexample, &counterexample.machine().status(state, thread));
                let mut waiting: Vec<_> =
                    deadlock.threads.iter().map(|blocked| (blocked.op, place(blocked.thread))).collect();
                waiting.sort();
                Failure::Waiting(waiting)
            }
            Evidence::Endless(endless) => {
                let mut starved: Vec<OpId> =
                    endless.starved.iter().filter_map(|thread| pending(history, *thread)).collect();
                starved.sort();
                let in_loop = counterexample.moments().iter().skip(endless.start);
                let acts = in_loop.filter(|moment| endless.starved.contains(&moment.choice.thread));
                let at =
                    acts.filter_map(|moment: &TraceStep| span_of(counterexample, &moment.from)).collect();
                Failure::Endless { starved, at }
            }
            Evidence::Recursion { thread, .. } => Failure::Recursion(pending(history, *thread)),
        }
    }
}

/// Failures in groups. The result does not depend on the order of insertion.
#[derive(Default)]
pub struct Collection {
    groups: BTreeMap<Property, Vec<Group>>,
    failing: BTreeMap<Property, u64>,
}

struct Group {
    failure: Failure,
    schedules: u64,
    /// The least number of steps, and the number of the first schedule with it.
    best: (usize, u64),
    counterexample: Counterexample,
}

impl Collection {
    /// Adds a failure. The number of a schedule is the same in every run.
    pub fn add(&mut self, schedule: u64, property: Property, counterexample: Counterexample) {
        let failure = Failure::of(&counterexample);
        let rank = (counterexample.trace().choices.len(), schedule);
        *self.failing.entry(property).or_default() += 1;
        let groups = self.groups.entry(property).or_default();
        match groups.iter_mut().find(|group| group.failure == failure) {
            Some(group) => {
                group.schedules += 1;
                if rank < group.best {
                    (group.best, group.counterexample) = (rank, counterexample);
                }
            }
            None => groups.push(Group { failure, schedules: 1, best: rank, counterexample }),
        }
    }

    /// Takes the failures of a property out, for a report of all schedules and of the judged schedules.
    pub fn failures(&mut self, property: Property, schedules: u64, judged: u64) -> Failures {
        let mut groups = self.groups.remove(&property).unwrap_or_default();
        groups.sort_by_key(|group| group.best);
        let group =
            |group: Group| FailureGroup { schedules: group.schedules, counterexample: group.counterexample };
        let failing = self.failing.get(&property).copied().unwrap_or(0);
        Failures { schedules, judged, failing, groups: groups.into_iter().map(group).collect() }
    }
}

/// Returns the operation that a thread called last.
fn pending(history: &History, thread: ThreadId) -> Option<OpId> {
    history.calls().iter().rev().find(|call| call.thread == thread).map(|call| call.op)
}

/// Returns the place where a thread rests.
fn span_of(counterexample: &Counterexample, status: &Status) -> Option<Span> {
    let methods = &counterexample.machine().program().methods;
    match status {
        Status::Busy { method, pc, .. } => methods.get(*method)?.code.get(*pc).map(|instr| instr.span),
        Status::Idle => None,
    }
}

/// The limit on values whose names are tried in every order.
const MOST_NAMED: usize = 6;

/// Returns calls with renumbered values and keys. Of all numberings of the values, the one with the least
/// list of calls.
fn shapes(program: &Program, history: &History, calls: &[CallId]) -> Vec<CallShape> {
    let mut shapes: Vec<CallShape> = calls
        .iter()
        .map(|&id| {
            let call = history.call(id);
            let result = call.returned.as_ref().map(|returned| returned.result.clone());
            CallShape { op: call.op, args: call.args.clone(), result }
        })
        .collect();
    let keys = ranks(program, &mut shapes, Scalar::Key);
    rename(program, &mut shapes, Scalar::Key, &keys);
    let values = ranks(program, &mut shapes, Scalar::Data);
    let count = values.len();
    let mut names: Vec<Word> = values.values().copied().collect();
    let mut best: Option<Vec<CallShape>> = None;
    loop {
        let naming = values.keys().copied().zip(names.iter().copied()).collect();
        let mut named = shapes.clone();
        rename(program, &mut named, Scalar::Data, &naming);
        named.sort();
        if best.as_ref().is_none_or(|best| named < *best) {
            best = Some(named);
        }
        if count > MOST_NAMED || !next_permutation(&mut names) {
            return best.unwrap_or_default();
        }
    }
}

/// Numbers the values of a kind that occur, in order, from 1.
fn ranks(program: &Program, shapes: &mut [CallShape], kind: Scalar) -> BTreeMap<Word, Word> {
    let mut found = BTreeSet::new();
    for_each_word(program, shapes, kind, &mut |word| {
        found.insert(*word);
    });
    found.into_iter().zip(1..).collect()
}

fn rename(program: &Program, shapes: &mut [CallShape], kind: Scalar, names: &BTreeMap<Word, Word>) {
    for_each_word(program, shapes, kind, &mut |word| *word = names.get(word).copied().unwrap_or(*word));
}

/// Visits every argument and result of a kind. The word 0 stands for none and is not visited.
fn for_each_word(
    program: &Program,
    shapes: &mut [CallShape],
    kind: Scalar,
    visit: &mut dyn FnMut(&mut Word),
) {
    let mut visit_words = |types: &[TypeId], words: &mut [Word]| {
        let slots: Vec<SlotKind> = types.iter().flat_map(|ty| program.types.slots(*ty)).collect();
        let of_kind = slots.iter().zip(words).filter(|(slot, word)| slot.scalar == kind && **word > 0);
        of_kind.for_each(|(_, word)| visit(word));
    };
    for shape in shapes {
        let operation = &program.ops[shape.op];
        visit_words(&operation.params, &mut shape.args);
        if let (Some(ty), Some(result)) = (operation.result, &mut shape.result) {
            visit_words(&[ty], result);
        }
    }
}
