//! The monitor: a deterministic automaton over the events of an execution, built on demand.
//!
//! A monitor judges one consistency criterion. Its states are interned and its moves are cached, so the
//! search follows a deterministic automaton by numbers. Equal meanings have equal [`MonitorId`]s.
//!
//! | file | contents |
//! |---|---|
//! | [`spec_table`], [`observer_spec`] | the specification, or observers in its place, by interned numbers |
//! | [`criterion`] | the interface of a criterion |
//! | [`linearizability`] | linearizability by refinement and by points: the determinised specification |
//! | [`configuration`], [`readers`] | sets of configurations of linearizability |
//! | [`program_order`] | sequential consistency |
//! | [`quiescence`] | quiescent consistency |
//! | [`entry`], [`explain`] | what the criteria that are judged at ends share |
//! | [`renaming`] | monitor states under other names |
//! | [`cache`] | per-worker cache in front of the shared monitor |

mod any_criterion;
mod cache;
mod configuration;
mod criterion;
mod digest;
mod entry;
mod event;
mod explain;
mod linearizability;
mod observer_spec;
mod program_order;
mod quiescence;
mod readers;
mod renaming;
mod signature;
mod spec_table;

pub use cache::{MonitorCache, SharedMonitor};
pub use event::{ClientEvent, Event};
pub use renaming::next_permutation;
pub use signature::MonitorSignature;
pub use spec_table::{CallId, ResultId};

use crate::problem::MonitorKind;
use crate::reduce::SpecSymmetry;
use any_criterion::AnyCriterion;
use criterion::{Criterion, Tables};
use linchpin_ir::index::{Index, byte_of};
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_judge::history::Watching;
use linchpin_semantics::{SpecError, SpecMachine};
use linearizability::Linearizability;
use program_order::ProgramOrder;
use quiescence::Quiescence;
use rustc_hash::FxHashMap;
use spec_table::SpecTable;
use std::sync::Arc;

/// A state of the monitor. Equal meanings have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MonitorId(pub u32);

/// The monitor state of a history that has been rejected.
pub const REJECTED: MonitorId = MonitorId(u32::MAX >> 1);
/// The monitor state of a search without a monitor.
pub const UNWATCHED: MonitorId = MonitorId((u32::MAX >> 1) - 1);

/// A consistency criterion with its interned states and its caches.
pub struct Monitor<'p> {
    criterion: AnyCriterion,
    tables: Tables<'p>,
    moves: FxHashMap<(MonitorId, Event), Option<MonitorId>>,
    coverings: FxHashMap<(MonitorId, MonitorId), bool>,
    legal_ends: FxHashMap<MonitorId, bool>,
    digests: FxHashMap<MonitorId, u128>,
    signatures: FxHashMap<MonitorId, Arc<MonitorSignature>>,
    bytes: usize,
}

impl<'p> Monitor<'p> {
    pub fn new(machine: &'p SpecMachine, kind: MonitorKind, threads: usize) -> Monitor<'p> {
        Monitor::with_symmetry(machine, kind, threads, SpecSymmetry::default())
    }

    /// Returns a monitor whose states can be [renamed](Monitor::renamed).
    pub fn with_symmetry(
        machine: &'p SpecMachine,
        kind: MonitorKind,
        threads: usize,
        symmetry: SpecSymmetry,
    ) -> Monitor<'p> {
        let watching = matches!(kind, MonitorKind::Observers { .. })
            .then(|| Watching::new(machine.program(), machine.bounds()).ok());
        let spec = match watching.flatten() {
            Some(watching) => SpecTable::with_observers(machine, watching),
            None => SpecTable::new(machine),
        };
        let may_block = machine.program().spec.may_block();
        let criterion = match kind {
            MonitorKind::Refinement => {
                AnyCriterion::Linearizability(Linearizability::by_refinement(machine.program(), &spec))
            }
            MonitorKind::Points { floats } => {
                AnyCriterion::Linearizability(Linearizability::by_points(floats))
            }
            MonitorKind::Observers { floats } => {
                AnyCriterion::Linearizability(Linearizability::by_observers(floats))
            }
            MonitorKind::ProgramOrder => AnyCriterion::ProgramOrder(ProgramOrder),
            MonitorKind::Quiescence => {
                AnyCriterion::Quiescence(Quiescence { may_block, has_one_barrier: false })
            }
            MonitorKind::Barrier => AnyCriterion::Quiescence(Quiescence { may_block, has_one_barrier: true }),
        };
        Monitor {
            criterion,
            tables: Tables::new(spec, threads, symmetry),
            moves: FxHashMap::default(),
            coverings: FxHashMap::default(),
            legal_ends: FxHashMap::default(),
            digests: FxHashMap::default(),
            signatures: FxHashMap::default(),
            bytes: 0,
        }
    }

    /// Returns the state of the empty history: no call is pending, and the specification is in any initial
    /// state.
    pub fn initial(&mut self) -> Result<MonitorId, SpecError> {
        self.criterion.initial(&mut self.tables)
    }

    /// Interns an event; `None` where the monitor ignores it.
    pub fn event(&mut self, event: &ClientEvent) -> Option<Event> {
        Some(match event {
            ClientEvent::Call { thread, op, args } => {
                Event::Call { thread: byte_of(thread.index()), call: self.call(*op, args) }
            }
            ClientEvent::Return { thread, result, .. } => {
                Event::Return { thread: byte_of(thread.index()), result: self.result(result) }
            }
            ClientEvent::Lin { .. } if !self.watches_points() => return None,
            ClientEvent::Lin { thread, maybe } => {
                Event::Lin { thread: byte_of(thread.index()), maybe: *maybe }
            }
        })
    }

    /// Interns a call.
    pub fn call(&mut self, op: OpId, args: &[Word]) -> CallId {
        self.tables.spec.call(op, args)
    }

    /// Interns a result.
    pub fn result(&mut self, words: &[Word]) -> ResultId {
        self.tables.spec.result(words)
    }

    /// Checks whether annotated points are visible to the monitor.
    pub fn watches_points(&self) -> bool {
        self.criterion.watches_points()
    }

    /// Returns the state after an event; `None`: rejected.
    pub fn advance(&mut self, from: MonitorId, event: Event) -> Result<Option<MonitorId>, SpecError> {
        if let Some(&to) = self.moves.get(&(from, event)) {
            return Ok(to);
        }
        let to = self.criterion.advance(&mut self.tables, from, event)?;
        self.moves.insert((from, event), to);
        self.bytes += 40;
        Ok(to)
    }

    /// Checks whether `large` accepts every future that `small` accepts. Where (q, small) is known, (q,
    /// large) need not be searched.
    pub fn covers(&mut self, large: MonitorId, small: MonitorId) -> Result<bool, SpecError> {
        if large == small {
            return Ok(true);
        }
        if !self.criterion.can_cover() {
            return Ok(false);
        }
        if let Some(&known) = self.coverings.get(&(large, small)) {
            return Ok(known);
        }
        let covered = self.criterion.covers(&mut self.tables, large, small)?;
        self.coverings.insert((large, small), covered);
        self.bytes += 24;
        Ok(covered)
    }

    /// Checks whether an execution may end in a state, its pending calls never returning.
    pub fn is_legal_end(&mut self, state: MonitorId) -> Result<bool, SpecError> {
        if let Some(&known) = self.legal_ends.get(&state) {
            return Ok(known);
        }
        let is_legal = self.criterion.is_legal_end(&mut self.tables, state)?;
        self.legal_ends.insert(state, is_legal);
        self.bytes += 16;
        Ok(is_legal)
    }

    /// Returns for each thread with a pending call whether that call may wait for ever. Only linearizability
    /// knows; other criteria return `None` for every thread.
    pub fn may_wait(&mut self, state: MonitorId) -> Result<Vec<Option<bool>>, SpecError> {
        match &self.criterion {
            AnyCriterion::Linearizability(criterion) => criterion.may_wait(&mut self.tables, state),
            AnyCriterion::ProgramOrder(_) | AnyCriterion::Quiescence(_) => {
                Ok(vec![None; self.tables.threads])
            }
        }
    }

    /// Returns an estimate of the monitor's memory.
    pub fn bytes(&self) -> usize {
        self.bytes + self.tables.bytes()
    }
}
