//! Adapts the specification of a program to the search of [`linchpin_order`].
//!
//! The object may return `T?` where the specification returns `T`. Results are given in the words of the
//! object's operation. So a result equals the returned value iff their words are equal.

use super::record::{Call, Event, History};
use super::structure::ProgramStructure;
use super::value_check::result_type;
use linchpin_ir::index::{Index, IndexVec, number_of};
use linchpin_ir::program::{ExprKind, Method, Op, OpId, Program};
use linchpin_ir::types::{TypeKind, Word};
use linchpin_order::{Outcome, OutcomesOf, Specification, Structure};
use linchpin_semantics::{Participant, Results, SpecError, SpecMachine, SpecOutcome, SpecRunner, SpecState};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The specification of a program. Its operations are calls of a [`History`].
pub(super) struct SpecOracle<'a> {
    spec: &'a SpecMachine,
    runner: RefCell<SpecRunner<'a>>,
    clauses: Clauses,
    structure: ProgramStructure,
}

/// A history as the search takes it.
pub(super) type OrderHistory<'a> = linchpin_order::History<&'a Call, Vec<Word>>;

impl<'a> SpecOracle<'a> {
    pub fn new(spec: &'a SpecMachine) -> SpecOracle<'a> {
        let program = spec.program();
        let (clauses, structure) = (Clauses::of(program), ProgramStructure::of(program));
        SpecOracle { spec, runner: RefCell::new(SpecRunner::new(spec)), clauses, structure }
    }

    /// Returns the outcomes with results that fit, by the words of the object's operations.
    fn fitting(
        &self,
        state: &SpecState,
        calls: &[&&Call],
        fits: impl Fn(usize, &[Word]) -> bool,
    ) -> OutcomesOf<SpecOracle<'a>> {
        let participants: SmallVec<[Participant; 2]> = calls
            .iter()
            .map(|call| Participant { op: call.op, args: &call.args, thread: call.thread })
            .collect();
        let given = |at: usize, result: &Option<Box<[Word]>>| {
            let present = self.clauses.wrapped[calls[at].op].then_some(1);
            let words = result.iter().flat_map(|words| present.into_iter().chain(words.iter().copied()));
            words.collect::<SmallVec<[Word; 8]>>()
        };
        let mut wanted =
            |results: &Results| results.iter().enumerate().all(|(at, result)| fits(at, &given(at, result)));
        let outcomes = self.runner.borrow_mut().outcomes(state, &participants, &mut wanted)?;
        let outcome = |SpecOutcome { state, results }| Outcome {
            state,
            results: results.iter().enumerate().map(|(at, result)| given(at, result).into_vec()).collect(),
        };
        Ok(outcomes.into_iter().map(outcome).collect())
    }
}

impl<'a> Specification for SpecOracle<'a> {
    type State = SpecState;
    type Op = &'a Call;
    type Ret = Vec<Word>;
    type Error = SpecError;

    fn initial(&self) -> Result<Vec<SpecState>, SpecError> {
        self.spec.initial()
    }

    fn outcomes(&self, state: &SpecState, calls: &[&&'a Call]) -> OutcomesOf<Self> {
        self.fitting(state, calls, |_, _| true)
    }

    fn outcomes_returning(
        &self,
        state: &SpecState,
        calls: &[&&'a Call],
        returned: &[Option<&Vec<Word>>],
    ) -> OutcomesOf<Self> {
        self.fitting(state, calls, |at, given| returned[at].is_none_or(|returned| returned[..] == *given))
    }

    fn is_idle(&self, call: &&'a Call, returned: &Vec<Word>) -> bool {
        self.clauses.idle[call.op] || self.structure.is_idle(call.op, returned)
    }

    fn kind(&self, call: &&'a Call) -> u32 {
        number_of(call.op.index())
    }

    fn takes_effect_alone(&self, call: &&'a Call) -> bool {
        self.clauses.alone[call.op]
    }

    fn rendezvous(&self) -> &[Vec<u32>] {
        &self.clauses.together
    }

    fn words(&self, state: &SpecState) -> usize {
        state.words().len()
    }

    fn are_alike(&self, one: &&'a Call, other: &&'a Call) -> bool {
        let is_same_thread = !self.clauses.depend_on_thread || one.thread == other.thread;
        one.op == other.op && one.args == other.args && is_same_thread
    }

    fn structure(&self, history: &OrderHistory<'a>) -> Structure {
        self.structure.of_history(history, |call| {
            let [state] = &self.spec.initial().ok()?[..] else { return None };
            let [outcome] = &self.fitting(state, &[&call], |_, _| true).ok()?[..] else { return None };
            outcome.results.first().cloned()
        })
    }
}

/// Returns the history as the search takes it. Calls and events keep their numbers.
pub(super) fn order_history(history: &History) -> OrderHistory<'_> {
    let mut calls = history.calls().iter();
    let events = history.events().iter().filter_map(|event| {
        let thread = event.thread().index();
        Some(match event {
            Event::Call { .. } => linchpin_order::Event::Call { thread, op: calls.next()? },
            Event::Return { result, .. } => linchpin_order::Event::Return { thread, result: result.clone() },
        })
    });
    linchpin_order::History::from_events(events).expect("a history is well-formed")
}

/// Returns a result of the specification in the words of the object's operation; no words if there is no
/// result.
pub fn as_returned(program: &Program, op: OpId, result: Option<Box<[Word]>>) -> Vec<Word> {
    let Some(result) = result else { return Vec::new() };
    is_wrapped(program, op).then_some(1).into_iter().chain(result).collect()
}

/// Checks whether the object returns `T?` in more words than `T`, where the specification returns `T`.
fn is_wrapped(program: &Program, op: OpId) -> bool {
    let by_object = result_type(program, op);
    let heads = program.spec.clauses.iter().flat_map(|clause| &clause.heads);
    let by_spec = heads.filter(|head| head.op == op).find_map(|head| head.result);
    by_object != by_spec
        && by_object.is_some_and(|ty| match program.types.kind(ty) {
            TypeKind::Option(inside) => !program.types.option_is_flat(inside),
            _ => false,
        })
}

/// The operations of the clauses of a specification.
struct Clauses {
    /// Whether the operation can take effect alone.
    alone: IndexVec<OpId, bool>,
    /// The numbers of the operations of each kind of rendezvous, sorted.
    together: Vec<Vec<u32>>,
    /// Whether all clauses of the operation only read, and none is a rendezvous.
    idle: IndexVec<OpId, bool>,
    /// Whether the operation's result has a word that says that it is present.
    wrapped: IndexVec<OpId, bool>,
    /// Whether what a call does may depend on its thread.
    depend_on_thread: bool,
}

impl Clauses {
    fn of(program: &Program) -> Clauses {
        let mut alone: IndexVec<OpId, bool> = program.ops.iter().map(|_| false).collect();
        let idle = program.ops.ids().map(|op| program.spec.only_reads(op)).collect();
        let mut together = BTreeSet::new();
        for clause in &program.spec.clauses {
            match clause.heads.as_slice() {
                [head] => alone[head.op] = true,
                heads => {
                    let mut ops: Vec<u32> = heads.iter().map(|head| number_of(head.op.index())).collect();
                    ops.sort();
                    together.insert(ops);
                }
            }
        }
        let wrapped = program.ops.ids().map(|op| is_wrapped(program, op)).collect();
        let depend_on_thread = program.spec.clauses.iter().any(|clause| depends_on_thread(&clause.method));
        Clauses { alone, together: together.into_iter().collect(), idle, wrapped, depend_on_thread }
    }
}

/// Checks whether a method may do different things for different threads. A function that it calls may.
fn depends_on_thread(method: &Method) -> bool {
    let mut found = false;
    for instr in method.code.iter() {
        found |= matches!(instr.op, Op::Call { .. });
        instr.op.operands(&mut |operand| {
            operand.for_each(&mut |part| found |= matches!(part.kind, ExprKind::Me | ExprKind::ThreadVar(_)));
        });
    }
    found
}
