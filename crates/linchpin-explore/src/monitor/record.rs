//! What a monitor remembers for properties that are judged at ends: a structure of calls, results and specification states.
//!
//! The structures differ; how they are renamed, compared without names and told apart in every run does not. A record
//! lists what it is made of as [`Token`]s, and builds itself anew under other names.

use super::digest::{digest, low_half};
use super::renaming::Look;
use super::sequential::{CallId, ResultId, SpecId};
use super::{Monitor, MonitorId};
use crate::reduce::Renaming;
use linchpin_ir::index::{Index, byte_of};
use linchpin_semantics::SpecError;
use smallvec::SmallVec;

/// A state of a monitor that judges at ends. The words that it is kept as are equal iff the states are.
pub trait Record: Sized {
    fn read(words: &[u32], threads: usize) -> Self;

    fn words(&self) -> Vec<u32>;

    fn renamed(&self, names: &mut dyn Names) -> Self;

    fn tokens(&self) -> Vec<Token>;

    /// A digest of what it stands for, given those of its tokens: the same whatever numbers they have.
    fn digest(&self, of: &dyn Fn(Token) -> u64) -> u128;

    fn pending(&self) -> &[Option<CallId>];
}

/// What a record is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    Call(CallId),
    Result(CallId, ResultId),
    Spec(SpecId),
}

/// Other names for everything.
pub trait Names {
    fn thread(&self, thread: usize) -> usize;
    fn call(&mut self, call: CallId) -> CallId;
    fn result(&mut self, call: CallId, result: ResultId) -> ResultId;
    fn spec(&mut self, spec: SpecId) -> SpecId;
}

impl Monitor<'_> {
    pub(super) fn record<R: Record>(&self, state: MonitorId) -> R {
        R::read(&self.states[state.0 as usize], self.threads)
    }

    pub(super) fn intern_record(&mut self, record: &impl Record) -> MonitorId {
        self.intern_words(record.words())
    }

    pub(super) fn rename_record<R: Record>(&mut self, state: MonitorId, renaming: Renaming) -> MonitorId {
        let record: R = self.record(state);
        let renamed = record.renamed(&mut Renamer { monitor: self, renaming });
        self.intern_record(&renamed)
    }

    /// Threads may be exchanged without any change iff their transposition leaves the record as it is: an equivalence.
    pub(super) fn see_record<R: Record>(&mut self, state: MonitorId) -> Look {
        let record: R = self.record(state);
        let words = record.words();
        let mut look = self.blank();
        for thread in 0..self.threads {
            let twin = (0..thread).find(|&other| {
                let mut order: SmallVec<[u8; 16]> = (0..byte_of(self.threads)).collect();
                order.swap(thread, other);
                let renaming = Renaming::of_order(&order);
                record.renamed(&mut Renamer { monitor: self, renaming }).words() == words
            });
            look.columns[thread] = twin.map_or(byte_of(thread), |twin| look.columns[twin]);
            let op =
                record.pending()[thread].map_or(0, |call| self.sequential.op_of(call).index() as u64 + 1);
            look.colours[thread] = low_half(digest([op]));
        }
        for token in record.tokens() {
            look.values |= match token {
                Token::Call(call) => self.sequential.values_of_call(call),
                Token::Result(call, result) => {
                    self.sequential.values_of_result(self.sequential.op_of(call), result)
                }
                Token::Spec(spec) => self.sequential.values_of_state(spec),
            };
        }
        look
    }

    pub(super) fn digest_record<R: Record>(&self, state: MonitorId) -> u128 {
        self.record::<R>(state).digest(&|token| {
            let content = match token {
                Token::Call(call) => self.sequential.digest_of_call(call),
                Token::Result(_, result) => self.sequential.digest_of_result(result),
                Token::Spec(spec) => self.sequential.digest_of_state(spec),
            };
            low_half(content ^ content >> 64)
        })
    }

    /// For each pending call an end after which it must wait, the other pending calls never having taken effect. `ends` gives the
    /// states that can have been reached while this thread's call waits.
    pub(super) fn all_must_wait(
        &mut self,
        pending: &[Option<CallId>],
        mut ends: impl FnMut(&mut Self, usize) -> Result<Vec<SpecId>, SpecError>,
    ) -> Result<bool, SpecError> {
        let waiting: Vec<(CallId, usize)> =
            pending.iter().enumerate().filter_map(|(thread, call)| Some(((*call)?, thread))).collect();
        for &call in &waiting {
            let mut is_justified = false;
            for spec in ends(self, call.1)? {
                is_justified = is_justified || self.must_wait(spec, &waiting, call)?;
            }
            if !is_justified {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

struct Renamer<'m, 'p> {
    monitor: &'m mut Monitor<'p>,
    renaming: Renaming,
}

impl Names for Renamer<'_, '_> {
    fn thread(&self, thread: usize) -> usize {
        self.renaming.thread(thread)
    }

    fn call(&mut self, call: CallId) -> CallId {
        self.monitor.sequential.rename_call(call, self.renaming)
    }

    fn result(&mut self, call: CallId, result: ResultId) -> ResultId {
        let op = self.monitor.sequential.op_of(call);
        self.monitor.sequential.rename_result(op, result, self.renaming)
    }

    fn spec(&mut self, spec: SpecId) -> SpecId {
        let monitor = &mut *self.monitor;
        let threads = if monitor.spec_names_threads { monitor.exchanged.threads.as_ref() } else { None };
        monitor.sequential.rename_state(spec, self.renaming, threads, monitor.threads)
    }
}
