//! Linearizability by refinement and by annotated points: the determinised specification (PAT 3.2, 4.1;
//! Friggens 5.2).
//!
//! The monitor reads calls, returns and annotated points. Its state is the pending calls and a set S of
//! [`Configuration`]s. Write c → c′ if one pending call (in a rendezvous: several) that *floats* and waits in
//! c takes effect in c′. The relation → is acyclic, since more calls are done in c′. A call floats if its
//! moment is not annotated. By refinement all calls float. By points the calls of operations without `lin`
//! float.
//!
//! - call: the thread's call is pending, and waits in every configuration.
//! - lin of t: S becomes { c″ | c ∈ S, c →* c′, t waits in c′, t takes effect from c′ to c″ }; `maybe` keeps
//!   S too.
//! - return of t with r: { c′ with t idle | c ∈ S, c →* c′, t is done with r in c′ }.
//! - S empty: rejected. No order of the calls explains the results, or the annotation is wrong.
//!
//! Calls that can never change the specification's state (*readers*) are kept apart. A configuration has for
//! each reader the results that it may have had; see [`super::configuration`].
//!
//! Two sets with the same closure under →* accept the same futures. So a set is kept as the minimal elements
//! of its closure, which are unique. Calls take effect as late as a return needs it (*lazy linearisation*),
//! and equal meanings have equal representations.
//!
//! **Subset pruning.** A move maps subsets to subsets, so S′ ⊇ S accepts every future that S accepts.
//! `covers` decides closure(S) ⊆ closure(S′), box by box. Where (q, S) is known, (q, S′) need not be
//! searched.

mod effects;

use super::MonitorId;
use super::configuration::Configuration;
use super::criterion::{Criterion, Tables};
use super::digest::{digest, low_half};
use super::event::Event;
use super::signature::MonitorSignature;
use super::spec_table::{CallId, ResultId, SpecTable};
use crate::reduce::Renaming;
use effects::Until;
use linchpin_ir::index::{Index, IndexVec, byte_of, number_of};
use linchpin_ir::program::{OpId, Program};
use linchpin_semantics::SpecError;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// The criterion.
pub(super) struct Linearizability {
    /// For each operation whether its calls float; `None`: all calls float, and points are ignored.
    floats: Option<Vec<bool>>,
    /// For each operation whether it is a reader: its calls never change the specification's state, and no
    /// point pins them.
    readers: IndexVec<OpId, bool>,
    /// Observers reject histories, but do not decide which calls may wait.
    judges_ends: bool,
}

/// The criterion at work on its tables.
pub(super) struct Linearizer<'a, 'p> {
    pub criterion: &'a Linearizability,
    pub tables: &'a mut Tables<'p>,
}

impl Linearizability {
    pub fn by_refinement(program: &Program, spec: &SpecTable<'_>) -> Linearizability {
        let readers = (0..program.ops.len()).map(|op| spec.only_reads(OpId::new(op))).collect();
        Linearizability { floats: None, readers, judges_ends: true }
    }

    /// A point may pin a call that floats otherwise, so no call is a reader.
    pub fn by_points(floats: Vec<bool>) -> Linearizability {
        Linearizability { floats: Some(floats), readers: IndexVec::default(), judges_ends: true }
    }

    pub fn by_observers(floats: Vec<bool>) -> Linearizability {
        Linearizability { judges_ends: false, ..Linearizability::by_points(floats) }
    }

    fn on<'a, 'p>(&'a self, tables: &'a mut Tables<'p>) -> Linearizer<'a, 'p> {
        Linearizer { criterion: self, tables }
    }

    /// Returns for each thread with a pending call whether that call may wait for ever. It may if it must
    /// wait in some configuration in which no pending call has taken effect (language reference, 7: stuck).
    pub fn may_wait(
        &self,
        tables: &mut Tables<'_>,
        state: MonitorId,
    ) -> Result<Vec<Option<bool>>, SpecError> {
        let (pending, set) = read(tables, state);
        let readers = self.on(tables).readers(&pending);
        let waiting: Vec<(CallId, usize)> = (0..tables.threads)
            .filter_map(|thread| Some((pending_call(&pending, thread)?, thread)))
            .collect();
        let mut answers = vec![None; tables.threads];
        for &(call, thread) in &waiting {
            let mut justified = false;
            for configuration in set.iter().filter(|c| c.nothing_done(readers)) {
                justified = justified || tables.must_wait(configuration.spec, &waiting, (call, thread))?;
            }
            answers[thread] = Some(justified);
        }
        Ok(answers)
    }

    fn is_reader(&self, op: OpId) -> bool {
        self.readers.get(op).copied().unwrap_or(false)
    }

    /// Returns the result of a call that is done, or the results that a reader may have had.
    fn results(
        &self,
        tables: &Tables<'_>,
        configuration: &Configuration,
        thread: usize,
        op: OpId,
    ) -> SmallVec<[ResultId; 4]> {
        if self.is_reader(op) {
            return SmallVec::from_slice(tables.spec.results_of(configuration.past(thread)));
        }
        configuration.result(thread).into_iter().collect()
    }
}

impl Criterion for Linearizability {
    fn initial(&self, tables: &mut Tables<'_>) -> Result<MonitorId, SpecError> {
        let threads = tables.threads;
        let set = tables.spec.initial()?.into_iter().map(|s| Configuration::quiet(s, threads)).collect();
        Ok(intern(tables, &vec![0; threads], set))
    }

    fn advance(
        &self,
        tables: &mut Tables<'_>,
        from: MonitorId,
        event: Event,
    ) -> Result<Option<MonitorId>, SpecError> {
        self.on(tables).advance(from, event)
    }

    fn is_legal_end(&self, tables: &mut Tables<'_>, state: MonitorId) -> Result<bool, SpecError> {
        if !self.judges_ends {
            return Ok(true);
        }
        Ok(self.may_wait(tables, state)?.into_iter().flatten().all(|may_wait| may_wait))
    }

    fn rename(&self, tables: &mut Tables<'_>, state: MonitorId, renaming: Renaming) -> MonitorId {
        if renaming.data == 0 && !tables.spec_names_threads && !tables.calls_name_threads {
            return exchange_columns(tables, state, renaming);
        }
        let (pending, set) = read(tables, state);
        let mut new_pending = vec![0; tables.threads];
        for (thread, call) in pending.iter().enumerate() {
            if let Some(call) = call.checked_sub(1) {
                new_pending[renaming.thread(thread)] = tables.spec.rename_call(CallId(call), renaming).0 + 1;
            }
        }
        let mut new_set = Vec::with_capacity(set.len());
        for configuration in set {
            let spec = tables.rename_spec(configuration.spec, renaming);
            let mut renamed = Configuration::quiet(spec, tables.threads);
            for thread in 0..tables.threads {
                let Some(call) = pending_call(&pending, thread) else { continue };
                let op = tables.spec.op_of(call);
                let results: SmallVec<[ResultId; 4]> = self
                    .results(tables, &configuration, thread, op)
                    .iter()
                    .map(|result| tables.spec.rename_result(op, *result, renaming))
                    .collect();
                let thread = renaming.thread(thread);
                if self.is_reader(op) {
                    renamed.set_past(thread, tables.spec.result_set(results.to_vec()));
                } else if let Some(result) = results.first() {
                    renamed = renamed.with_done(spec, thread, *result);
                }
            }
            new_set.push(renamed);
        }
        intern(tables, &new_pending, new_set)
    }

    fn signature(&self, tables: &mut Tables<'_>, state: MonitorId) -> MonitorSignature {
        let (pending, set) = read(tables, state);
        let mut signature = MonitorSignature::blank(tables.threads);
        let mut columns: Vec<Vec<u32>> = Vec::new();
        for thread in 0..tables.threads {
            let mut column = vec![pending[thread]];
            column.extend(set.iter().map(|c| c.column(thread)));
            if tables.spec_names_threads {
                column.push(number_of(thread));
            }
            signature.columns[thread] = match columns.iter().position(|known| *known == column) {
                Some(at) => byte_of(at),
                None => {
                    columns.push(column);
                    byte_of(columns.len() - 1)
                }
            };
            let Some(call) = pending_call(&pending, thread) else { continue };
            let op = tables.spec.op_of(call);
            let mut colours: Vec<u64> = set
                .iter()
                .map(|c| {
                    let results = self.results(tables, c, thread, op);
                    let colours = results.iter().map(|result| tables.spec.colour_of_result(op, *result) | 1);
                    colours.fold(0, u64::wrapping_add)
                })
                .collect();
            colours.sort_unstable();
            signature.colours[thread] = low_half(digest([op.index() as u64 + 1].into_iter().chain(colours)));
            signature.values |= tables.spec.values_of_call(call);
            for configuration in &set {
                for result in self.results(tables, configuration, thread, op) {
                    signature.values |= tables.spec.values_of_result(op, result);
                }
            }
        }
        for configuration in &set {
            signature.values |= tables.spec.values_of_state(configuration.spec);
        }
        signature
    }

    fn digest(&self, tables: &Tables<'_>, state: MonitorId) -> u128 {
        let (pending, set) = read(tables, state);
        let mut parts: Vec<u128> = Vec::with_capacity(set.len());
        for configuration in &set {
            let results = (0..tables.threads).map(|thread| {
                let Some(call) = pending_call(&pending, thread) else { return 1 };
                let results = self.results(tables, configuration, thread, tables.spec.op_of(call));
                let mut digests: SmallVec<[u128; 4]> =
                    results.iter().map(|result| tables.spec.digest_of_result(*result)).collect();
                digests.sort_unstable();
                digests
                    .into_iter()
                    .fold(1, |all: u128, one| all.wrapping_mul(0x2_0000_0003).wrapping_add(one))
            });
            let words = [tables.spec.digest_of_state(configuration.spec)].into_iter().chain(results);
            parts.push(digest(words.flat_map(halves)));
        }
        parts.sort_unstable();
        let calls = (0..tables.threads)
            .map(|thread| pending_call(&pending, thread).map_or(1, |call| tables.spec.digest_of_call(call)));
        digest(calls.chain(parts).flat_map(halves))
    }

    /// closure(small) ⊆ closure(large), with the same calls pending.
    fn covers(&self, tables: &mut Tables<'_>, large: MonitorId, small: MonitorId) -> Result<bool, SpecError> {
        let (pending, large_set) = read(tables, large);
        let (small_pending, small_set) = read(tables, small);
        let mut linearizer = self.on(tables);
        let is_same = (0..linearizer.tables.threads)
            .all(|thread| linearizer.is_same_call(&pending, &small_pending, thread, &small_set));
        let covered = is_same && linearizer.reach_all(&pending, &large_set, &small_set)?;
        Ok(covered)
    }

    fn can_cover(&self) -> bool {
        true
    }

    fn watches_points(&self) -> bool {
        self.floats.is_some()
    }
}

impl Linearizer<'_, '_> {
    fn advance(&mut self, from: MonitorId, event: Event) -> Result<Option<MonitorId>, SpecError> {
        let (mut pending, set) = read(self.tables, from);
        let next = match event {
            Event::Call { thread, call } => {
                pending[thread as usize] = call.0 + 1;
                set
            }
            Event::Lin { thread, maybe } => {
                let thread = thread as usize;
                let mut next = FxHashSet::default();
                if let Some(call) = pending_call(&pending, thread) {
                    let readers = self.readers(&pending);
                    for c in self.closure(&pending, set.clone(), Until::Done(thread))? {
                        if c.is_done(thread) {
                            continue;
                        }
                        for (spec, result) in self.tables.spec.alone(c.spec, call, thread)?.iter() {
                            next.insert(self.after(&pending, readers, &c, *spec, [(thread, *result)])?);
                        }
                    }
                }
                if maybe {
                    next.extend(set);
                }
                next.into_iter().collect()
            }
            Event::Return { thread, result } => {
                let thread = thread as usize;
                let mut next = FxHashSet::default();
                let is_reader = self.readers(&pending).contains(thread);
                let until = if is_reader { Until::Answer(thread, result) } else { Until::Done(thread) };
                for c in self.closure(&pending, set, until)? {
                    let returns = match until {
                        Until::Done(_) => c.result(thread) == Some(result),
                        Until::Answer(..) => self.may_return(&pending, &c, thread, result)?,
                    };
                    if returns {
                        next.insert(c.returned(thread));
                    }
                }
                pending[thread] = 0;
                next.into_iter().collect()
            }
        };
        if next.is_empty() {
            return Ok(None);
        }
        let next = self.minimal(&pending, next)?;
        self.forget_arguments(&mut pending, &next);
        Ok(Some(intern(self.tables, &pending, next)))
    }

    /// Checks whether the same call is pending in both, as far as it is known. Where the call has taken
    /// effect, only its operation is known.
    fn is_same_call(&self, large: &[u32], small: &[u32], thread: usize, small_set: &[Configuration]) -> bool {
        match (pending_call(large, thread), pending_call(small, thread)) {
            (Some(large), Some(small)) if large != small => {
                let op = self.tables.spec.op_of(large);
                op == self.tables.spec.op_of(small)
                    && !self.criterion.is_reader(op)
                    && small_set.iter().all(|configuration| configuration.is_done(thread))
            }
            (large, small) => large == small,
        }
    }

    /// Forgets the arguments of calls that have taken effect in every configuration: they do not matter any
    /// more.
    fn forget_arguments(&mut self, pending: &mut [u32], set: &[Configuration]) {
        for (thread, call) in pending.iter_mut().enumerate() {
            let Some(op) = call.checked_sub(1).map(|call| self.tables.spec.op_of(CallId(call))) else {
                continue;
            };
            if !self.criterion.is_reader(op) && set.iter().all(|configuration| configuration.is_done(thread))
            {
                *call = self.tables.spec.call(op, &[]).0 + 1;
            }
        }
    }

    pub(super) fn floats(&self, call: CallId) -> bool {
        match &self.criterion.floats {
            Some(floats) => floats.get(self.tables.spec.op_of(call).index()).copied().unwrap_or(true),
            None => true,
        }
    }

    pub(super) fn is_reader(&self, op: OpId) -> bool {
        self.criterion.is_reader(op)
    }
}

/// Interns pending calls (0: idle, else 1 + call) and a set of configurations.
fn intern(tables: &mut Tables<'_>, pending: &[u32], mut set: Vec<Configuration>) -> MonitorId {
    set.sort_unstable();
    set.dedup();
    let mut words = pending.to_vec();
    for configuration in &set {
        configuration.append_to(&mut words);
    }
    tables.intern(words)
}

fn read(tables: &Tables<'_>, state: MonitorId) -> (Vec<u32>, Vec<Configuration>) {
    let words = tables.words(state);
    let (pending, rest) = words.split_at(tables.threads);
    (pending.to_vec(), rest.chunks_exact(tables.threads + 1).map(Configuration::read).collect())
}

/// Renames a state in which only the columns of threads change.
fn exchange_columns(tables: &mut Tables<'_>, state: MonitorId, renaming: Renaming) -> MonitorId {
    let threads = tables.threads;
    if (0..threads).all(|thread| renaming.thread(thread) == thread) {
        return state;
    }
    let words = tables.words(state);
    let mut pending = vec![0; threads];
    (0..threads).for_each(|thread| pending[renaming.thread(thread)] = words[thread]);
    let set = words[threads..]
        .chunks_exact(threads + 1)
        .map(|words| Configuration::read_renamed(words, renaming))
        .collect();
    intern(tables, &pending, set)
}

/// Returns the pending call of a thread.
pub(super) fn pending_call(pending: &[u32], thread: usize) -> Option<CallId> {
    pending[thread].checked_sub(1).map(CallId)
}

fn halves(word: u128) -> [u64; 2] {
    [low_half(word), low_half(word >> 64)]
}
