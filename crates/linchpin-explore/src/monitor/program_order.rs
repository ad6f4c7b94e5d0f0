//! Sequential consistency: one order of all calls, that of each thread kept, explains all results (COLLECT 2.2, 3).
//!
//! It is not closed under prefixes: a call still to be made may explain a result of today. So nothing is judged on the way,
//! and the state is all that the judgement needs: for each thread its completed calls, in order, with their results,
//! and its pending call. At an end without pending calls some merge of the threads' lists must be a legal sequence. At
//! a stuck end each pending call needs a merge of the completed calls after which it must wait.

use super::digest::digest;
use super::explain::Completed;
use super::record::{Names, Record, Token};
use super::sequential::{CallId, ResultId};
use super::{Event, Monitor, MonitorId};
use linchpin_ir::index::{byte_of, number_of};
use linchpin_semantics::SpecError;

/// What each thread has done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ProgramOrderState {
    pub pending: Vec<Option<CallId>>,
    /// By thread.
    pub done: Vec<Vec<Completed>>,
}

impl Monitor<'_> {
    pub(super) fn initial_ledger(&mut self) -> MonitorId {
        let empty =
            ProgramOrderState { pending: vec![None; self.threads], done: vec![Vec::new(); self.threads] };
        self.intern_record(&empty)
    }

    pub(super) fn advance_ledger(&mut self, from: MonitorId, event: Event) -> MonitorId {
        let mut ledger: ProgramOrderState = self.record(from);
        match event {
            Event::Call { thread, call } => ledger.pending[thread as usize] = Some(call),
            Event::Lin { .. } => {}
            Event::Return { thread, result } => {
                if let Some(call) = ledger.pending[thread as usize].take() {
                    ledger.done[thread as usize].push(Completed { call, result, thread: Some(thread) });
                }
            }
        }
        self.intern_record(&ledger)
    }

    pub(super) fn is_legal_ledger(&mut self, state: MonitorId) -> Result<bool, SpecError> {
        let ledger: ProgramOrderState = self.record(state);
        let lanes: Vec<&[Completed]> = ledger.done.iter().map(|list| &list[..]).collect();
        let first = self.sequential.initial()?;
        let ends = self.ends(&first, &lanes)?;
        if ends.is_empty() {
            return Ok(false);
        }
        self.all_must_wait(&ledger.pending, |_, _| Ok(ends.clone()))
    }
}

impl Record for ProgramOrderState {
    fn read(words: &[u32], threads: usize) -> ProgramOrderState {
        let mut ledger =
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
            ledger.pending.push(pending.checked_sub(1).map(CallId));
            ledger.done.push(list.chunks_exact(2).map(completed).collect());
            rest = after;
        }
        ledger
    }

    fn words(&self) -> Vec<u32> {
        let mut words = Vec::new();
        for (pending, list) in self.pending.iter().zip(&self.done) {
            words.extend([pending.map_or(0, |call| call.0 + 1), number_of(list.len())]);
            words.extend(list.iter().flat_map(|completed| [completed.call.0, completed.result.0]));
        }
        words
    }

    fn renamed(&self, names: &mut dyn Names) -> ProgramOrderState {
        let mut renamed = self.clone();
        for thread in 0..self.pending.len() {
            let name = names.thread(thread);
            renamed.pending[name] = self.pending[thread].map(|call| names.call(call));
            let completed = |&Completed { call, result, .. }: &Completed| Completed {
                call: names.call(call),
                result: names.result(call, result),
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
