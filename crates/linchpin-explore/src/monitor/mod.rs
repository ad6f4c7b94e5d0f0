//! The determinised specification, built on the fly (PAT 3.2, 4.1; Friggens 5.2).
//!
//! The monitor watches calls, returns and annotated points. Its state is the pending calls and a set S of
//! [`Configuration`]s. Write c → c′ if one pending call (in a rendezvous: several) that *floats* and waits in c takes effect
//! in c′; → is acyclic, since c′ has more done. A call floats if its moment is not annotated: all calls when judging by
//! refinement, the calls of operations without `lin` when judging by points.
//!
//! - call: the thread's call is pending, waiting in every configuration.
//! - lin of t: S becomes { c″ | c ∈ S, c →* c′, t waits in c′, t takes effect from c′ to c″ }; `maybe` keeps S too.
//! - return of t with r: { c′ with t idle | c ∈ S, c →* c′, t is done with r in c′ }.
//! - S empty: rejected; no order of the calls explains the results, or the annotation is wrong.
//!
//! Calls that can never change the specification's state (*readers*) are kept apart: a configuration says of each which
//! results it may have had, see [`configuration`].
//!
//! Two sets with the same closure under →* accept the same futures, so a set is kept as the minimal elements of its
//! closure, which are unique: calls take effect as late as a return needs it (*lazy linearisation*), and equal meanings have
//! equal representations. Monitor states are interned and their moves remembered: the search walks a deterministic
//! automaton by numbers.
//!
//! **Subset pruning.** A move maps subsets to subsets, so whatever S accepts, S′ ⊇ S accepts; [`Monitor::covers`] decides
//! closure(S) ⊆ closure(S′), box by box. Where (q, S) is known, (q, S′) need not be searched.
//!
//! Sequential and quiescent consistency are judged at ends; what is remembered for them is another structure
//! ([`program_order`], [`quiescence`]), interned in the same way. Nothing is pruned there.

mod configuration;
mod digest;
mod effects;
mod explain;
mod observing;
mod program_order;
mod quiescence;
mod readers;
mod record;
mod renaming;
mod sequential;

pub use configuration::Configuration;
pub use renaming::{Look, SpecSymmetry, next_permutation};
pub use sequential::{CallId, ResultId, Sequential};

use super::successors::ClientEvent;
use crate::reduce::ThreadSymmetry;
use effects::Until;
use indexmap::IndexSet;
use linchpin_ir::index::{Index, IndexVec, byte_of, number_of};
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_judge::history::Watching;
use linchpin_semantics::{SpecError, SpecMachine};
use program_order::ProgramOrderState;
use quiescence::QuiescentPeriods;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::sync::Arc;

/// What is judged, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MonitorKind {
    /// Linearizability; all calls float: no annotation is used.
    Refinement,
    /// Annotated points; the calls of these operations (those without `lin`) float, by operation.
    Points { floats: Vec<bool> },
    /// Observers at the annotated points, with the calls of these operations floating.
    Observers { floats: Vec<bool> },
    /// Sequential consistency.
    ProgramOrder,
    /// Quiescent consistency.
    Quiescence,
    /// The same for each quiescent moment by itself.
    Barrier,
}

/// A state of the monitor; equal meanings have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MonitorId(pub u32);

/// The monitor state of a history that has been rejected.
pub const REJECTED: MonitorId = MonitorId(u32::MAX >> 1);
/// The monitor state where there is no monitor.
pub const UNWATCHED: MonitorId = MonitorId((u32::MAX >> 1) - 1);

/// What the monitor sees.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    Call { thread: u8, call: CallId },
    Lin { thread: u8, maybe: bool },
    Return { thread: u8, result: ResultId },
}

pub struct Monitor<'p> {
    method: MonitorKind,
    threads: usize,
    sequential: Sequential<'p>,
    /// Operations whose calls never change the specification's state, where no point can pin them.
    reading: IndexVec<OpId, bool>,
    /// Pending calls (0: idle, else 1 + call), then the configurations, sorted.
    states: IndexSet<Box<[u32]>, FxBuildHasher>,
    moves: FxHashMap<(MonitorId, Event), Option<MonitorId>>,
    coverings: FxHashMap<(MonitorId, MonitorId), bool>,
    exchanged: SpecSymmetry,
    spec_names_threads: bool,
    spec_may_block: bool,
    calls_name_threads: bool,
    /// By state, where somebody asked: whether an execution may end there.
    legal_ends: FxHashMap<MonitorId, bool>,
    digests: FxHashMap<MonitorId, u128>,
    /// By state, where somebody asked.
    looks: FxHashMap<MonitorId, Arc<Look>>,
    bytes: usize,
}

impl<'p> Monitor<'p> {
    pub fn new(machine: &'p SpecMachine, method: MonitorKind, threads: usize) -> Monitor<'p> {
        Monitor::exchanging(machine, method, threads, SpecSymmetry::default())
    }

    /// A monitor whose states can be [renamed](Monitor::renamed).
    pub fn exchanging(
        machine: &'p SpecMachine,
        method: MonitorKind,
        threads: usize,
        exchanged: SpecSymmetry,
    ) -> Monitor<'p> {
        let watching = matches!(method, MonitorKind::Observers { .. })
            .then(|| Watching::new(machine.program(), machine.bounds()).ok());
        let sequential = match watching.flatten() {
            Some(watching) => Sequential::observing(machine, watching),
            None => Sequential::new(machine),
        };
        // A point may pin a call that floats otherwise; judging by points, no call is told apart.
        let all_float = method == MonitorKind::Refinement;
        let ops = (0..machine.program().ops.len()).map(OpId::new);
        Monitor {
            reading: ops.map(|op| all_float && sequential.only_reads(op)).collect(),
            method,
            threads,
            spec_names_threads: sequential.names_threads()
                || exchanged.threads.as_ref().is_some_and(ThreadSymmetry::is_in_spec),
            spec_may_block: machine.program().spec.may_block(),
            calls_name_threads: sequential.calls_name_threads(),
            legal_ends: FxHashMap::default(),
            digests: FxHashMap::default(),
            sequential,
            states: IndexSet::default(),
            moves: FxHashMap::default(),
            coverings: FxHashMap::default(),
            exchanged,
            looks: FxHashMap::default(),
            bytes: 0,
        }
    }

    /// Nobody is in a call; the specification stands in any of its initial states.
    pub fn initial(&mut self) -> Result<MonitorId, SpecError> {
        match self.method {
            MonitorKind::Refinement | MonitorKind::Points { .. } | MonitorKind::Observers { .. } => {}
            MonitorKind::ProgramOrder => return Ok(self.initial_ledger()),
            MonitorKind::Quiescence | MonitorKind::Barrier => return self.initial_periods(),
        }
        let specs = self.sequential.initial()?;
        let set = specs.into_iter().map(|s| Configuration::quiet(s, self.threads)).collect();
        Ok(self.intern(&vec![0; self.threads], set))
    }

    /// What a step did, by numbers; `None` where the monitor does not look at it.
    pub fn event(&mut self, seen: &ClientEvent) -> Option<Event> {
        Some(match seen {
            ClientEvent::Call { thread, op, args } => {
                Event::Call { thread: byte_of(thread.index()), call: self.sequential.call(*op, args) }
            }
            ClientEvent::Return { thread, result, .. } => {
                Event::Return { thread: byte_of(thread.index()), result: self.sequential.result(result) }
            }
            ClientEvent::Lin { .. } if !self.watches_points() => return None,
            ClientEvent::Lin { thread, maybe } => {
                Event::Lin { thread: byte_of(thread.index()), maybe: *maybe }
            }
        })
    }

    pub fn call(&mut self, op: OpId, args: &[Word]) -> CallId {
        self.sequential.call(op, args)
    }

    pub fn result(&mut self, words: &[Word]) -> ResultId {
        self.sequential.result(words)
    }

    /// Whether annotated points are visible to it.
    pub fn watches_points(&self) -> bool {
        matches!(self.method, MonitorKind::Points { .. } | MonitorKind::Observers { .. })
    }

    /// The state after an event; `None`: rejected.
    pub fn advance(&mut self, from: MonitorId, event: Event) -> Result<Option<MonitorId>, SpecError> {
        if let Some(&to) = self.moves.get(&(from, event)) {
            return Ok(to);
        }
        let to = match self.method {
            MonitorKind::Refinement | MonitorKind::Points { .. } | MonitorKind::Observers { .. } => {
                self.compute(from, event)?
            }
            MonitorKind::ProgramOrder => Some(self.advance_ledger(from, event)),
            MonitorKind::Quiescence | MonitorKind::Barrier => self.advance_periods(from, event)?,
        };
        self.moves.insert((from, event), to);
        self.bytes += 40;
        Ok(to)
    }

    /// closure(small) ⊆ closure(large), with the same calls pending.
    pub fn covers(&mut self, large: MonitorId, small: MonitorId) -> Result<bool, SpecError> {
        if large == small {
            return Ok(true);
        }
        if matches!(self.method, MonitorKind::ProgramOrder | MonitorKind::Quiescence | MonitorKind::Barrier) {
            return Ok(false);
        }
        if let Some(&known) = self.coverings.get(&(large, small)) {
            return Ok(known);
        }
        let (pending, large_set) = self.read(large);
        let (small_pending, small_set) = self.read(small);
        let is_same =
            (0..self.threads).all(|thread| self.is_same_call(&pending, &small_pending, thread, &small_set));
        let covered = is_same && self.reach_all(&pending, &large_set, &small_set)?;
        self.coverings.insert((large, small), covered);
        self.bytes += 24;
        Ok(covered)
    }

    /// Whether an execution may end here, its pending calls never returning.
    pub fn is_legal_end(&mut self, state: MonitorId) -> Result<bool, SpecError> {
        if let Some(&known) = self.legal_ends.get(&state) {
            return Ok(known);
        }
        let is_legal = match self.method {
            MonitorKind::Refinement | MonitorKind::Points { .. } => {
                self.may_wait(state)?.into_iter().flatten().all(|may_wait| may_wait)
            }
            // Observers say what must not happen, and not who may wait.
            MonitorKind::Observers { .. } => true,
            MonitorKind::ProgramOrder => self.is_legal_ledger(state)?,
            MonitorKind::Quiescence | MonitorKind::Barrier => self.are_legal_periods(state)?,
        };
        self.legal_ends.insert(state, is_legal);
        self.bytes += 16;
        Ok(is_legal)
    }

    /// For each thread with a pending call, whether it may wait for ever here: in some configuration in which no pending call
    /// has taken effect it must wait (language reference, 7: stuck).
    pub fn may_wait(&mut self, state: MonitorId) -> Result<Vec<Option<bool>>, SpecError> {
        let (pending, set) = self.read(state);
        let readers = self.readers(&pending);
        let waiting: Vec<(CallId, usize)> =
            (0..self.threads).filter_map(|thread| Some((pending_call(&pending, thread)?, thread))).collect();
        let mut answers = vec![None; self.threads];
        for &(call, thread) in &waiting {
            let mut justified = false;
            for configuration in set.iter().filter(|c| c.nothing_done(readers)) {
                justified = justified || self.must_wait(configuration.spec, &waiting, (call, thread))?;
            }
            answers[thread] = Some(justified);
        }
        Ok(answers)
    }

    /// An estimate of the memory it holds.
    pub fn bytes(&self) -> usize {
        self.bytes + self.sequential.bytes()
    }

    fn compute(&mut self, from: MonitorId, event: Event) -> Result<Option<MonitorId>, SpecError> {
        let (mut pending, set) = self.read(from);
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
                        for (spec, result) in self.sequential.alone(c.spec, call, thread)?.iter() {
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
        Ok(Some(self.intern(&pending, next)))
    }

    /// Whether the same call is pending in both, as far as it is known: where it has taken effect, only the operation is.
    fn is_same_call(&self, large: &[u32], small: &[u32], thread: usize, small_set: &[Configuration]) -> bool {
        match (pending_call(large, thread), pending_call(small, thread)) {
            (Some(large), Some(small)) if large != small => {
                let op = self.sequential.op_of(large);
                op == self.sequential.op_of(small)
                    && !self.is_reader(op)
                    && small_set.iter().all(|configuration| configuration.is_done(thread))
            }
            (large, small) => large == small,
        }
    }

    /// The arguments of a call that has taken effect in every configuration mean nothing any more.
    fn forget_arguments(&mut self, pending: &mut [u32], set: &[Configuration]) {
        for (thread, call) in pending.iter_mut().enumerate() {
            let Some(op) = call.checked_sub(1).map(|call| self.sequential.op_of(CallId(call))) else {
                continue;
            };
            if !self.is_reader(op) && set.iter().all(|configuration| configuration.is_done(thread)) {
                *call = self.sequential.call(op, &[]).0 + 1;
            }
        }
    }

    fn floats(&self, call: CallId) -> bool {
        match &self.method {
            MonitorKind::Points { floats } | MonitorKind::Observers { floats } => {
                floats.get(self.sequential.op_of(call).index()).copied().unwrap_or(true)
            }
            _ => true,
        }
    }

    fn is_reader(&self, op: OpId) -> bool {
        self.reading.get(op).copied().unwrap_or(false)
    }

    fn intern(&mut self, pending: &[u32], mut set: Vec<Configuration>) -> MonitorId {
        set.sort_unstable();
        set.dedup();
        let mut words = pending.to_vec();
        for configuration in &set {
            configuration.append_to(&mut words);
        }
        self.intern_words(words)
    }

    fn intern_words(&mut self, words: Vec<u32>) -> MonitorId {
        let (index, fresh) = self.states.insert_full(words.into_boxed_slice());
        if fresh {
            self.bytes += 48 + 4 * self.states[index].len();
        }
        MonitorId(number_of(index))
    }

    fn read(&self, state: MonitorId) -> (Vec<u32>, Vec<Configuration>) {
        let words = &self.states[state.0 as usize];
        let (pending, rest) = words.split_at(self.threads);
        (pending.to_vec(), rest.chunks_exact(self.threads + 1).map(Configuration::read).collect())
    }
}

fn pending_call(pending: &[u32], thread: usize) -> Option<CallId> {
    pending[thread].checked_sub(1).map(CallId)
}
