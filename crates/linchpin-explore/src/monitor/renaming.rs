//! Monitor states under other names (PAT 4.2: the specification is renamed along with the implementation).
//!
//! A renaming of threads and values acts on pending calls, results and specification states; moves commute with it. Values
//! that occur in the monitor only are given the names that are left, in every order, and the least result counts: least
//! by a digest of what it stands for, so that neither numbers nor the order of arrival decide.

use super::configuration::Configuration;
use super::digest::{digest, low_half};
use super::sequential::{CallId, ResultId};
use super::{
    Monitor, MonitorId, MonitorKind, ProgramOrderState, QuiescentPeriods, REJECTED, UNWATCHED, pending_call,
};
use crate::reduce::{Renaming, ThreadSymmetry};
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_ir::program::OpId;
use linchpin_ir::types::word_of;
use smallvec::SmallVec;
use std::sync::Arc;

/// What may be renamed in the specification's states.
#[derive(Clone, Default)]
pub struct SpecSymmetry {
    pub threads: Option<ThreadSymmetry>,
    /// Values are interchangeable, but for those whose bit is set; and how many there are.
    pub data: Option<(u64, u32)>,
}

/// How a monitor state looks without names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// For each thread what its pending call looks like.
    pub colours: SmallVec<[u64; 8]>,
    /// Threads with equal numbers may be exchanged without any change.
    pub columns: SmallVec<[u8; 8]>,
    /// The values that occur.
    pub values: u64,
}

/// Values whose names are tried in every order; more than these are named as they come.
const MOST_TRIED: usize = 4;

impl Monitor<'_> {
    pub fn look(&mut self, state: MonitorId) -> Arc<Look> {
        if let Some(known) = self.looks.get(&state) {
            return known.clone();
        }
        let look =
            Arc::new(if state == REJECTED || state == UNWATCHED { self.blank() } else { self.see(state) });
        self.looks.insert(state, look.clone());
        self.bytes += 96 + 9 * self.threads;
        look
    }

    /// The state under other names. Threads are renamed as said; values that the renaming does not name get names that are left.
    pub fn renamed(&mut self, state: MonitorId, renaming: Renaming) -> MonitorId {
        if state == REJECTED || state == UNWATCHED {
            return state;
        }
        let values = self.look(state).values;
        let Some((fixed, number)) = self.exchanged.data else { return self.rename(state, renaming) };
        let (mut open, mut used): (SmallVec<[u64; 16]>, u64) = (SmallVec::new(), fixed);
        for value in 1..=u64::from(number) {
            match renaming.value(word_of(value)) {
                Some(name) => used |= 1 << name,
                None if fixed >> value & 1 == 1 => {}
                None if values >> value & 1 == 1 => open.push(value),
                None => {}
            }
        }
        let renaming = (1..=u64::from(number))
            .filter(|value| fixed >> value & 1 == 1)
            .fold(renaming, |renaming, value| with(renaming, value, value));
        let left: SmallVec<[u64; 16]> =
            (1..=u64::from(number)).filter(|name| used >> name & 1 == 0).take(open.len()).collect();
        if open.len() > MOST_TRIED || open.len() < 2 {
            let whole = open
                .iter()
                .zip(&left)
                .fold(renaming, |renaming, (value, name)| with(renaming, *value, *name));
            return self.rename(state, whole);
        }
        let mut least: Option<(u128, MonitorId)> = None;
        let mut order: SmallVec<[usize; 4]> = (0..open.len()).collect();
        loop {
            let whole =
                (0..open.len()).fold(renaming, |renaming, at| with(renaming, open[at], left[order[at]]));
            let renamed = self.rename(state, whole);
            let rank = (self.digest(renamed), renamed);
            if least.is_none_or(|least| rank.0 < least.0) {
                least = Some(rank);
            }
            if !next_permutation(&mut order) {
                return least.map_or(state, |(_, state)| state);
            }
        }
    }

    fn rename(&mut self, state: MonitorId, renaming: Renaming) -> MonitorId {
        match self.method {
            MonitorKind::Refinement | MonitorKind::Points { .. } | MonitorKind::Observers { .. } => {}
            MonitorKind::ProgramOrder => return self.rename_record::<ProgramOrderState>(state, renaming),
            MonitorKind::Quiescence | MonitorKind::Barrier => {
                return self.rename_record::<QuiescentPeriods>(state, renaming);
            }
        }
        if renaming.data == 0 && !self.spec_names_threads && !self.calls_name_threads {
            return self.exchange_columns(state, renaming);
        }
        let (pending, set) = self.read(state);
        let mut new_pending = vec![0; self.threads];
        for (thread, call) in pending.iter().enumerate() {
            if let Some(call) = call.checked_sub(1) {
                new_pending[renaming.thread(thread)] =
                    self.sequential.rename_call(CallId(call), renaming).0 + 1;
            }
        }
        let threads = if self.spec_names_threads { self.exchanged.threads.clone() } else { None };
        let mut new_set = Vec::with_capacity(set.len());
        for configuration in set {
            let spec =
                self.sequential.rename_state(configuration.spec, renaming, threads.as_ref(), self.threads);
            let mut renamed = Configuration::quiet(spec, self.threads);
            for thread in 0..self.threads {
                let Some(call) = pending_call(&pending, thread) else { continue };
                let op = self.sequential.op_of(call);
                let results: SmallVec<[ResultId; 4]> = self
                    .results(&configuration, thread, op)
                    .iter()
                    .map(|result| self.sequential.rename_result(op, *result, renaming))
                    .collect();
                let thread = renaming.thread(thread);
                if self.is_reader(op) {
                    renamed.set_past(thread, self.sequential.result_set(results.to_vec()));
                } else if let Some(result) = results.first() {
                    renamed = renamed.with_done(spec, thread, *result);
                }
            }
            new_set.push(renamed);
        }
        self.intern(&new_pending, new_set)
    }

    /// As [`Monitor::rename`], where nothing but the place of a thread changes.
    fn exchange_columns(&mut self, state: MonitorId, renaming: Renaming) -> MonitorId {
        let threads = self.threads;
        if (0..threads).all(|thread| renaming.thread(thread) == thread) {
            return state;
        }
        let words = &self.states[state.0 as usize];
        let mut pending = vec![0; threads];
        (0..threads).for_each(|thread| pending[renaming.thread(thread)] = words[thread]);
        let set = words[threads..]
            .chunks_exact(threads + 1)
            .map(|words| Configuration::read_renamed(words, renaming));
        let set = set.collect();
        self.intern(&pending, set)
    }

    /// The result of a call that is done; those that a reader may have had.
    fn results(&self, configuration: &Configuration, thread: usize, op: OpId) -> SmallVec<[ResultId; 4]> {
        if self.is_reader(op) {
            return SmallVec::from_slice(self.sequential.results_of(configuration.past(thread)));
        }
        configuration.result(thread).into_iter().collect()
    }

    pub(super) fn blank(&self) -> Look {
        Look {
            colours: SmallVec::from_elem(0, self.threads),
            columns: SmallVec::from_elem(0, self.threads),
            ..Look::default()
        }
    }

    fn see(&mut self, state: MonitorId) -> Look {
        match self.method {
            MonitorKind::Refinement | MonitorKind::Points { .. } | MonitorKind::Observers { .. } => {}
            MonitorKind::ProgramOrder => return self.see_record::<ProgramOrderState>(state),
            MonitorKind::Quiescence | MonitorKind::Barrier => {
                return self.see_record::<QuiescentPeriods>(state);
            }
        }
        let (pending, set) = self.read(state);
        let mut look = self.blank();
        let mut columns: Vec<Vec<u32>> = Vec::new();
        for thread in 0..self.threads {
            let mut column = vec![pending[thread]];
            column.extend(set.iter().map(|c| c.column(thread)));
            if self.spec_names_threads {
                column.push(number_of(thread));
            }
            look.columns[thread] = match columns.iter().position(|known| *known == column) {
                Some(at) => byte_of(at),
                None => {
                    columns.push(column);
                    byte_of(columns.len() - 1)
                }
            };
            let Some(call) = pending_call(&pending, thread) else { continue };
            let op = self.sequential.op_of(call);
            let mut looks: Vec<u64> = set
                .iter()
                .map(|c| {
                    let results = self.results(c, thread, op);
                    let looks = results.iter().map(|result| self.sequential.look_of_result(op, *result) | 1);
                    looks.fold(0, u64::wrapping_add)
                })
                .collect();
            looks.sort_unstable();
            look.colours[thread] = low_half(digest([op.index() as u64 + 1].into_iter().chain(looks)));
            look.values |= self.sequential.values_of_call(call);
            for configuration in &set {
                for result in self.results(configuration, thread, op) {
                    look.values |= self.sequential.values_of_result(op, result);
                }
            }
        }
        for configuration in &set {
            look.values |= self.sequential.values_of_state(configuration.spec);
        }
        look
    }

    /// What a state stands for, whatever its number: the same in every run.
    pub fn digest(&mut self, state: MonitorId) -> u128 {
        if state == REJECTED || state == UNWATCHED {
            return u128::from(state.0);
        }
        if let Some(&known) = self.digests.get(&state) {
            return known;
        }
        let whole = match self.method {
            MonitorKind::Refinement | MonitorKind::Points { .. } | MonitorKind::Observers { .. } => {
                self.digest_configurations(state)
            }
            MonitorKind::ProgramOrder => self.digest_record::<ProgramOrderState>(state),
            MonitorKind::Quiescence | MonitorKind::Barrier => self.digest_record::<QuiescentPeriods>(state),
        };
        self.digests.insert(state, whole);
        self.bytes += 32;
        whole
    }

    fn digest_configurations(&self, state: MonitorId) -> u128 {
        let (pending, set) = self.read(state);
        let mut parts: Vec<u128> = Vec::with_capacity(set.len());
        for configuration in &set {
            let results = (0..self.threads).map(|thread| {
                let Some(call) = pending_call(&pending, thread) else { return 1 };
                let results = self.results(configuration, thread, self.sequential.op_of(call));
                let mut digests: SmallVec<[u128; 4]> =
                    results.iter().map(|result| self.sequential.digest_of_result(*result)).collect();
                digests.sort_unstable();
                digests
                    .into_iter()
                    .fold(1, |all: u128, one| all.wrapping_mul(0x2_0000_0003).wrapping_add(one))
            });
            let words = [self.sequential.digest_of_state(configuration.spec)].into_iter().chain(results);
            parts.push(digest(words.flat_map(halves)));
        }
        parts.sort_unstable();
        let calls = (0..self.threads).map(|thread| {
            pending_call(&pending, thread).map_or(1, |call| self.sequential.digest_of_call(call))
        });
        digest(calls.chain(parts).flat_map(halves))
    }
}

fn halves(word: u128) -> [u64; 2] {
    [low_half(word), low_half(word >> 64)]
}

fn with(renaming: Renaming, value: u64, name: u64) -> Renaming {
    Renaming { data: renaming.data & !(15 << (4 * value)) | name << (4 * value), ..renaming }
}

/// The next order of a sequence without repetitions; `false` after the last one.
pub fn next_permutation<T: Ord>(items: &mut [T]) -> bool {
    let Some(at) = (1..items.len()).rev().find(|&at| items[at - 1] < items[at]) else { return false };
    let swap = (at..items.len()).rev().find(|&other| items[at - 1] < items[other]).unwrap_or(at);
    items.swap(at - 1, swap);
    items[at..].reverse();
    true
}
