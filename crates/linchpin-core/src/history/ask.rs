//! Asking the specification about the calls of one history: which of them may take effect together, and with what results.
//!
//! The object may answer `T?` where the specification says `T`; results are given as the object's operation has them, so
//! that they are equal to what was returned iff their words are.

use super::fit::result_type;
use super::judgement::Results;
use super::record::{CallId, History};
use crate::index::IndexVec;
use crate::ir::{OpId, Program};
use crate::semantics::{Participant, SpecError, SpecMachine, SpecState};
use crate::types::{TypeKind, Word};
use smallvec::SmallVec;
use std::collections::BTreeSet;

pub(super) struct Ask<'a> {
    spec: &'a SpecMachine,
    history: &'a History,
    clauses: Clauses,
}

/// Calls that could take effect together, and every way in which the specification lets them; none: it does not.
pub(super) struct Attempt {
    pub calls: Calls,
    pub outcomes: Vec<Outcome>,
}

pub(super) struct Outcome {
    pub state: SpecState,
    pub results: Results,
}

pub(super) type Calls = SmallVec<[CallId; 2]>;

impl<'a> Ask<'a> {
    pub fn new(spec: &'a SpecMachine, history: &'a History) -> Ask<'a> {
        Ask { spec, history, clauses: Clauses::of(spec.program()) }
    }

    pub fn initial(&self) -> Result<Vec<SpecState>, SpecError> {
        self.spec.initial()
    }

    /// All attempts with some of these calls.
    pub fn attempts(&self, state: &SpecState, calls: &[CallId]) -> Result<Vec<Attempt>, SpecError> {
        let mut attempts = Vec::new();
        for &call in calls {
            if self.clauses.alone[self.history.call(call).op] {
                let calls: Calls = [call].into_iter().collect();
                attempts.push(Attempt { outcomes: self.outcomes(state, &calls)?, calls });
            }
        }
        for heads in &self.clauses.together {
            let mut groups = Vec::new();
            self.groups(heads, calls, &mut Calls::new(), &mut groups);
            for calls in groups {
                attempts.push(Attempt { outcomes: self.outcomes(state, &calls)?, calls });
            }
        }
        Ok(attempts)
    }

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
        let given = |outcome: crate::semantics::SpecOutcome| Outcome {
            state: outcome.state,
            results: calls.iter().zip(outcome.results).map(result).collect(),
        };
        Ok(outcomes.into_iter().map(given).collect())
    }

    /// Whether the completed ones of the calls returned these results.
    pub fn is_returned(&self, calls: &[CallId], results: &[Vec<Word>]) -> bool {
        calls.iter().zip(results).all(|(&call, result)| {
            self.history.call(call).returned.as_ref().is_none_or(|returned| returned.result == *result)
        })
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
}

impl Clauses {
    fn of(program: &Program) -> Clauses {
        let mut alone: IndexVec<OpId, bool> = program.ops.iter().map(|_| false).collect();
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
        Clauses { alone, together }
    }
}
