//! Entries: monitor states of the criteria that are judged at ends. An entry has calls, results and
//! specification states.
//!
//! The criteria differ in their entries. Renaming, signatures and digests are the same for all. An entry
//! lists its parts as [`Token`]s, and builds itself anew under other names.

use super::MonitorId;
use super::criterion::Tables;
use super::digest::{digest, low_half};
use super::signature::MonitorSignature;
use super::spec_table::{CallId, ResultId, SpecId};
use crate::reduce::Renaming;
use linchpin_ir::index::{Index, byte_of};
use linchpin_semantics::SpecError;
use smallvec::SmallVec;

/// A state of a criterion that is judged at ends. Two entries are equal iff their words are.
pub(super) trait MonitorEntry: Sized {
    fn read(words: &[u32], threads: usize) -> Self;

    fn words(&self) -> Vec<u32>;

    fn renamed(&self, renamer: &mut Renamer<'_, '_>) -> Self;

    /// Returns all parts.
    fn tokens(&self) -> Vec<Token>;

    /// Returns a digest of the contents, given the digests of the tokens.
    fn digest(&self, of: &dyn Fn(Token) -> u64) -> u128;

    /// Returns the pending call of each thread.
    fn pending(&self) -> &[Option<CallId>];
}

/// A part of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    Call(CallId),
    Result(CallId, ResultId),
    Spec(SpecId),
}

impl Tables<'_> {
    pub fn entry<E: MonitorEntry>(&self, state: MonitorId) -> E {
        E::read(self.words(state), self.threads)
    }

    pub fn intern_entry(&mut self, entry: &impl MonitorEntry) -> MonitorId {
        self.intern(entry.words())
    }

    pub fn rename_entry<E: MonitorEntry>(&mut self, state: MonitorId, renaming: Renaming) -> MonitorId {
        let entry: E = self.entry(state);
        let renamed = entry.renamed(&mut Renamer { tables: self, renaming });
        self.intern_entry(&renamed)
    }

    /// Renames a specification state.
    pub fn rename_spec(&mut self, spec: SpecId, renaming: Renaming) -> SpecId {
        let threads = if self.spec_names_threads { self.symmetry.threads.as_ref() } else { None };
        self.spec.rename_state(spec, renaming, threads, self.threads)
    }

    /// Returns the signature of an entry. Two threads are interchangeable iff their transposition keeps the
    /// entry. That is an equivalence.
    pub fn entry_signature<E: MonitorEntry>(&mut self, state: MonitorId) -> MonitorSignature {
        let entry: E = self.entry(state);
        let words = entry.words();
        let mut signature = MonitorSignature::blank(self.threads);
        for thread in 0..self.threads {
            let twin = (0..thread).find(|&other| {
                let mut order: SmallVec<[u8; 16]> = (0..byte_of(self.threads)).collect();
                order.swap(thread, other);
                let renaming = Renaming::of_order(&order);
                entry.renamed(&mut Renamer { tables: self, renaming }).words() == words
            });
            signature.columns[thread] = twin.map_or(byte_of(thread), |twin| signature.columns[twin]);
            let op = entry.pending()[thread].map_or(0, |call| self.spec.op_of(call).index() as u64 + 1);
            signature.colours[thread] = low_half(digest([op]));
        }
        for token in entry.tokens() {
            signature.values |= match token {
                Token::Call(call) => self.spec.values_of_call(call),
                Token::Result(call, result) => self.spec.values_of_result(self.spec.op_of(call), result),
                Token::Spec(spec) => self.spec.values_of_state(spec),
            };
        }
        signature
    }

    pub fn entry_digest<E: MonitorEntry>(&self, state: MonitorId) -> u128 {
        self.entry::<E>(state).digest(&|token| {
            let content = match token {
                Token::Call(call) => self.spec.digest_of_call(call),
                Token::Result(_, result) => self.spec.digest_of_result(result),
                Token::Spec(spec) => self.spec.digest_of_state(spec),
            };
            low_half(content ^ content >> 64)
        })
    }

    /// Checks whether each pending call must wait after some end, if the other pending calls never take
    /// effect. `ends` returns the states that an execution may have reached while the call of a thread waits.
    pub fn all_must_wait(
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

/// Renames the parts of an entry.
pub(super) struct Renamer<'t, 'p> {
    tables: &'t mut Tables<'p>,
    renaming: Renaming,
}

impl Renamer<'_, '_> {
    pub fn thread(&self, thread: usize) -> usize {
        self.renaming.thread(thread)
    }

    pub fn call(&mut self, call: CallId) -> CallId {
        self.tables.spec.rename_call(call, self.renaming)
    }

    pub fn result(&mut self, call: CallId, result: ResultId) -> ResultId {
        let op = self.tables.spec.op_of(call);
        self.tables.spec.rename_result(op, result, self.renaming)
    }

    pub fn spec(&mut self, spec: SpecId) -> SpecId {
        self.tables.rename_spec(spec, self.renaming)
    }
}
