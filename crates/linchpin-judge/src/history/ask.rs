//! Asking the specification about the calls of one history: which of them may take effect together, and with what results.
//!
//! The object may answer `T?` where the specification says `T`; results are given as the object's operation has them, so
//! that they are equal to what was returned iff their words are.

use super::fit::result_type;
use super::judgement::Results;
use super::record::{CallId, History};
use super::structure::Structure;
use linchpin_ir::index::IndexVec;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{TypeKind, Word};
use linchpin_semantics::{Participant, SpecError, SpecMachine, SpecOutcome, SpecState};
use smallvec::SmallVec;
use std::collections::BTreeSet;

pub(super) struct Ask<'a> {
    spec: &'a SpecMachine,
    history: &'a History,
    clauses: Clauses,
    structure: Structure,
}

/// One way in which calls may take effect together.
#[derive(Debug)]
pub(super) struct Outcome {
    pub state: SpecState,
    pub results: Results,
}

pub(super) type Calls = SmallVec<[CallId; 2]>;

impl<'a> Ask<'a> {
    pub fn new(spec: &'a SpecMachine, history: &'a History) -> Ask<'a> {
        let program = spec.program();
        Ask { spec, history, clauses: Clauses::of(program), structure: Structure::of(program) }
    }

    pub fn history(&self) -> &'a History {
        self.history
    }

    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    pub fn initial(&self) -> Result<Vec<SpecState>, SpecError> {
        self.spec.initial()
    }

    /// Which of these calls could take effect by themselves, and which together; in the order of the list.
    pub fn moves(&self, calls: &[CallId]) -> Vec<Calls> {
        let alone = calls.iter().filter(|call| self.clauses.alone[self.history.call(**call).op]);
        let mut moves: Vec<Calls> = alone.map(|&call| [call].into_iter().collect()).collect();
        for heads in &self.clauses.together {
            self.groups(heads, calls, &mut Calls::new(), &mut moves);
        }
        moves
    }

    /// Every way in which the calls take effect together, in an order that is always the same; none: they cannot.
    pub fn outcomes(&self, state: &SpecState, calls: &[CallId]) -> Result<Vec<Outcome>, SpecError> {
        let participant = |&call: &CallId| {
            let call = self.history.call(call);
            Participant { op: call.op, args: &call.args, thread: call.thread }
        };
        let participants: SmallVec<[Participant; 2]> = calls.iter().map(participant).collect();
        let outcomes = self.spec.outcomes(state, &participants)?;
        let result = |(call, result): (&CallId, Option<Box<[Word]>>)| {
            as_returned(self.spec.program(), self.history.call(*call).op, result)
        };
        let given = |outcome: SpecOutcome| Outcome {
            state: outcome.state,
            results: calls.iter().zip(outcome.results).map(result).collect(),
        };
        Ok(outcomes.into_iter().map(given).collect())
    }

    /// What a pending call could return if it happened now, by itself or together with other pending calls; nothing: it must
    /// wait.
    pub fn results_now(&self, state: &SpecState, call: CallId) -> Result<Results, SpecError> {
        let pending: Vec<CallId> = self.history.pending().collect();
        let mut results = Results::new();
        for calls in self.moves(&pending) {
            let Some(at) = calls.iter().position(|member| *member == call) else { continue };
            let outcomes = self.outcomes(state, &calls)?.into_iter();
            results.extend(outcomes.filter_map(|outcome| outcome.results.into_iter().nth(at)));
        }
        results.sort();
        results.dedup();
        Ok(results)
    }

    /// Whether the completed ones of the calls returned these results.
    pub fn is_returned(&self, calls: &[CallId], results: &[Vec<Word>]) -> bool {
        calls.iter().zip(results).all(|(&call, result)| {
            self.history.call(call).returned.as_ref().is_none_or(|returned| returned.result == *result)
        })
    }

    /// Whether the call, with the result that it returned, leaves every state as it is.
    ///
    /// **Law.** If such a call may come next and gives its result now, some legal order begins with it, or there is none:
    /// in a legal order in which it comes later, it can be moved to the front, since no call between sees a difference.
    pub fn is_idle(&self, call: CallId) -> bool {
        let call = self.history.call(call);
        let Some(returned) = &call.returned else { return false };
        self.clauses.idle[call.op] || self.structure.is_idle(call.op, &returned.result)
    }

    /// Every set of calls of different threads whose operations are these; equal operations stand together in `heads`.
    fn groups(&self, heads: &[OpId], from: &[CallId], chosen: &mut Calls, out: &mut Vec<Calls>) {
        let Some(&head) = heads.get(chosen.len()) else {
            out.push(chosen.clone());
            return;
        };
        // Calls of one operation are exchangeable here, so they are chosen in the order of the list.
        let again = chosen.len().checked_sub(1).filter(|&last| heads[last] == head).map(|last| chosen[last]);
        let after = again.and_then(|last| from.iter().position(|&call| call == last)).map_or(0, |at| at + 1);
        for &candidate in &from[after..] {
            let call = self.history.call(candidate);
            if call.op == head && chosen.iter().all(|&other| self.history.call(other).thread != call.thread) {
                chosen.push(candidate);
                self.groups(heads, from, chosen, out);
                chosen.pop();
            }
        }
    }
}

/// A result as the object's operation gives it; no words where there is none.
pub fn as_returned(program: &Program, op: OpId, result: Option<Box<[Word]>>) -> Vec<Word> {
    let Some(result) = result else { return Vec::new() };
    let by_object = result_type(program, op);
    let heads = program.spec.clauses.iter().flat_map(|clause| &clause.heads);
    let by_spec = heads.filter(|head| head.op == op).find_map(|head| head.result);
    let is_wrapped = by_object != by_spec
        && by_object.is_some_and(|ty| match program.types.kind(ty) {
            TypeKind::Option(inside) => !program.types.option_is_flat(inside),
            _ => false,
        });
    let present = is_wrapped.then_some(1);
    present.into_iter().chain(result).collect()
}

/// Which operations the clauses of a specification are about.
struct Clauses {
    /// Whether the operation can take effect by itself.
    alone: IndexVec<OpId, bool>,
    /// The operations of each kind of rendezvous, sorted.
    together: BTreeSet<Vec<OpId>>,
    /// Whether all clauses of the operation only read, and none is a rendezvous.
    idle: IndexVec<OpId, bool>,
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
                    let mut ops: Vec<OpId> = heads.iter().map(|head| head.op).collect();
                    ops.sort();
                    together.insert(ops);
                }
            }
        }
        Clauses { alone, together, idle }
    }
}
