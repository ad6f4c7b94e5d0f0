//! The specification of a set, restricted to calls on one key.
//!
//! Such calls lead to two spec states only: `k` is out (the initial state) and `k` is in. The table is
//! computed by running the specification: this file knows no name of an operation.

use super::super::refused::Unsupported;
use linchpin_ir::index::Index;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::{TypeKind, Word};
use linchpin_semantics::{Bounds, Participant, SpecMachine, SpecState, ThreadId};
use std::sync::Arc;

/// An outcome of a call on the key.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Outcome {
    from_in: bool,
    to_in: bool,
    result: Box<[Word]>,
}

/// The outcomes of calls on one key, by operation.
pub struct OneKey {
    outcomes: Vec<Vec<Outcome>>,
}

impl OneKey {
    pub fn new(program: &Arc<Program>, bounds: &Bounds, key: Word) -> Result<OneKey, Unsupported> {
        const BROKEN: Unsupported = Unsupported("a specification that is not a set of keys");
        let takes_a_key =
            |id: OpId| matches!(program.ops[id].params[..], [ty] if program.types.kind(ty) == TypeKind::Key);
        let ops: Vec<OpId> = program.ops.entries().map(|(id, _)| id).collect();
        if !ops.iter().all(|id| takes_a_key(*id)) {
            return Err(BROKEN);
        }
        let spec = SpecMachine::new(program, bounds).map_err(|_| BROKEN)?;
        let initial = spec.initial().map_err(|_| BROKEN)?;
        let [out] = &initial[..] else { return Err(BROKEN) };
        let mut states: Vec<SpecState> = vec![out.clone()];
        let mut outcomes = vec![Vec::new(); ops.len()];
        let mut at = 0;
        while let Some(state) = states.get(at).cloned() {
            for op in &ops {
                let call = Participant { op: *op, args: &[key], thread: ThreadId::new(0) };
                for outcome in spec.outcomes(&state, &[call]).map_err(|_| BROKEN)? {
                    let to = states.iter().position(|known| *known == outcome.state).unwrap_or_else(|| {
                        states.push(outcome.state.clone());
                        states.len() - 1
                    });
                    let result = outcome.results.into_iter().next().flatten().unwrap_or_default();
                    outcomes[op.index()].push(Outcome { from_in: at == 1, to_in: to == 1, result });
                }
            }
            if states.len() > 2 {
                return Err(BROKEN);
            }
            at += 1;
        }
        if states.len() == 2 { Ok(OneKey { outcomes }) } else { Err(BROKEN) }
    }

    /// Returns whether a call can move the key in or out, from the given side.
    pub fn can_move(&self, op: OpId, from_in: bool) -> bool {
        self.of(op).any(|outcome| outcome.from_in == from_in && outcome.to_in != from_in)
    }

    /// Returns whether a call that moved the key from this side may return this result.
    pub fn may_return_after_move(&self, op: OpId, from_in: bool, result: &[Word]) -> bool {
        self.of(op).any(|outcome| {
            outcome.from_in == from_in && outcome.to_in != from_in && *outcome.result == *result
        })
    }

    /// Returns whether a call that leaves the key on this side may return this result.
    pub fn may_return_without_move(&self, op: OpId, is_in: bool, result: &[Word]) -> bool {
        self.of(op)
            .any(|outcome| outcome.from_in == is_in && outcome.to_in == is_in && *outcome.result == *result)
    }

    fn of(&self, op: OpId) -> impl Iterator<Item = &Outcome> {
        self.outcomes.get(op.index()).into_iter().flatten()
    }
}
