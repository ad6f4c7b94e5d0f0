//! Sequential consistency: one order of all calls that keeps the order of each thread explains all results
//! (COLLECT 2.2, 3).
//!
//! The criterion is not closed under prefixes: a later call may explain an earlier result. So nothing is
//! judged before the end. The state has all that the judgement needs: for each thread its completed calls in
//! order, with their results, and its pending call. At an end without pending calls some merge of the
//! threads' lists must be a legal sequence. At a stuck end each pending call needs a merge of the completed
//! calls after which that call must wait. Nothing is pruned.

use super::MonitorId;
use super::criterion::{Criterion, Tables};
use super::digest::digest;
use super::entry::{MonitorEntry, Renamer, Token};
use super::event::Event;
use super::explain::Completed;
use super::signature::MonitorSignature;
use super::spec_table::{CallId, ResultId};
use crate::reduce::Renaming;
use linchpin_ir::index::{byte_of, number_of};
use linchpin_semantics::SpecError;

/// The criterion.
pub(super) struct ProgramOrder;

/// The completed calls and the pending call of each thread.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ProgramOrderState {
    pending: Vec<Option<CallId>>,
    /// The completed calls of each thread.
    done: Vec<Vec<Completed>>,
}

impl Criterion for ProgramOrder {
    fn initial(&self, tables: &mut Tables<'_>) -> Result<MonitorId, SpecError> {
        let threads = tables.threads;
        let empty = ProgramOrderState { pending: vec![None; threads], done: vec![Vec::new(); threads] };
        Ok(tables.intern_entry(&empty))
    }

    fn advance(
        &self,
        tables: &mut Tables<'_>,
        from: MonitorId,
        event: Event,
    ) -> Result<Option<MonitorId>, SpecError> {
        let mut state: ProgramOrderState = tables.entry(from);
        match event {
            Event::Call { thread, call } => state.pending[thread as usize] = Some(call),
            Event::Lin { .. } => {}
            Event::Return { thread, result } => {
                if let Some(call) = state.pending[thread as usize].take() {
                    state.done[thread as usize].push(Completed { call, result, thread: Some(thread) });
                }
            }
        }
        Ok(Some(tables.intern_entry(&state)))
    }

    fn is_legal_end(&self, tables: &mut Tables<'_>, state: MonitorId) -> Result<bool, SpecError> {
        let state: ProgramOrderState = tables.entry(state);
        let lanes: Vec<&[Completed]> = state.done.iter().map(|list| &list[..]).collect();
        let first = tables.spec.initial()?;
        let ends = tables.ends(&first, &lanes)?;
        if ends.is_empty() {
            return Ok(false);
        }
        tables.all_must_wait(&state.pending, |_, _| Ok(ends.clone()))
    }

    fn rename(&self, tables: &mut Tables<'_>, state: MonitorId, renaming: Renaming) -> MonitorId {
        tables.rename_entry::<ProgramOrderState>(state, renaming)
    }

    fn signature(&self, tables: &mut Tables<'_>, state: MonitorId) -> MonitorSignature {
        tables.entry_signature::<ProgramOrderState>(state)
    }

    fn digest(&self, tables: &Tables<'_>, state: MonitorId) -> u128 {
        tables.entry_digest::<ProgramOrderState>(state)
    }
}

impl MonitorEntry for ProgramOrderState {
    fn read(words: &[u32], threads: usize) -> ProgramOrderState {
        let mut state =
            ProgramOrderState { pending: Vec::with_capacity(threads), done: Vec::with_capacity(threads) };
        let mut rest = words;
        for thread in 0..threads {
            let [pending, count, after @ ..] = rest else { break };
            let (list, after) = after.split_at(2 * *count as usize);
            let completed = |pair: &[u32]| Completed {
                call: CallId(pair[0]),
                result: ResultId(pair[1]),
                thread: Some(byte_of(thread)),
            };
            state.pending.push(pending.checked_sub(1).map(CallId));
            state.done.push(list.chunks_exact(2).map(completed).collect());
            rest = after;
        }
        state
    }

    fn words(&self) -> Vec<u32> {
        let mut words = Vec::new();
        for (pending, list) in self.pending.iter().zip(&self.done) {
            words.extend([pending.map_or(0, |call| call.0 + 1), number_of(list.len())]);
            words.extend(list.iter().flat_map(|completed| [completed.call.0, completed.result.0]));
        }
        words
    }

    fn renamed(&self, renamer: &mut Renamer<'_, '_>) -> ProgramOrderState {
        let mut renamed = self.clone();
        for thread in 0..self.pending.len() {
            let name = renamer.thread(thread);
            renamed.pending[name] = self.pending[thread].map(|call| renamer.call(call));
            let completed = |&Completed { call, result, .. }: &Completed| Completed {
                call: renamer.call(call),
                result: renamer.result(call, result),
                thread: Some(byte_of(name)),
            };
            renamed.done[name] = self.done[thread].iter().map(completed).collect();
        }
        renamed
    }

    fn tokens(&self) -> Vec<Token> {
        let of_list = |c: &Completed| [Token::Call(c.call), Token::Result(c.call, c.result)];
        let pending = self.pending.iter().flatten().map(|call| Token::Call(*call));
        pending.chain(self.done.iter().flatten().flat_map(of_list)).collect()
    }

    fn digest(&self, of: &dyn Fn(Token) -> u64) -> u128 {
        let mut words = Vec::new();
        for (pending, list) in self.pending.iter().zip(&self.done) {
            words.extend([list.len() as u64, pending.map_or(1, |call| of(Token::Call(call)))]);
            words.extend(
                list.iter().flat_map(|c| [of(Token::Call(c.call)), of(Token::Result(c.call, c.result))]),
            );
        }
        digest(words)
    }

    fn pending(&self) -> &[Option<CallId>] {
        &self.pending
    }
}
