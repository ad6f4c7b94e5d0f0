//! The interface of a consistency criterion, and the tables that all criteria share.

use super::event::Event;
use super::linearizability::Linearizability;
use super::program_order::ProgramOrder;
use super::quiescence::Quiescence;
use super::spec_table::SpecTable;
use super::{MonitorId, MonitorSignature};
use crate::reduce::Renaming;
use crate::reduce::SpecSymmetry;
use indexmap::IndexSet;
use linchpin_ir::index::number_of;
use linchpin_semantics::SpecError;
use rustc_hash::FxBuildHasher;

/// A consistency criterion: a deterministic automaton whose states are interned in [`Tables`].
///
/// Renaming commutes with the moves: advance(rename(s), rename(e)) = rename(advance(s, e)).
pub(super) trait Criterion {
    /// Returns the state of the empty history.
    fn initial(&self, tables: &mut Tables<'_>) -> Result<MonitorId, SpecError>;

    /// Returns the state after an event; `None`: the criterion rejects the history.
    fn advance(
        &self,
        tables: &mut Tables<'_>,
        from: MonitorId,
        event: Event,
    ) -> Result<Option<MonitorId>, SpecError>;

    /// Checks whether an execution may end in a state, its pending calls never returning.
    fn is_legal_end(&self, tables: &mut Tables<'_>, state: MonitorId) -> Result<bool, SpecError>;

    /// Renames threads and values of a state. The renaming names every value that occurs.
    fn rename(&self, tables: &mut Tables<'_>, state: MonitorId, renaming: Renaming) -> MonitorId;

    /// Returns what a state looks like without names.
    fn signature(&self, tables: &mut Tables<'_>, state: MonitorId) -> MonitorSignature;

    /// Returns a digest of a state's contents. It does not depend on the numbers of interned items.
    fn digest(&self, tables: &Tables<'_>, state: MonitorId) -> u128;

    /// Checks whether `large` accepts every future that `small` accepts. `false` is always sound.
    fn covers(&self, _: &mut Tables<'_>, _: MonitorId, _: MonitorId) -> Result<bool, SpecError> {
        Ok(false)
    }

    /// Checks whether [`Criterion::covers`] can be true for different states.
    fn can_cover(&self) -> bool {
        false
    }

    /// Checks whether annotated points are visible to the criterion.
    fn watches_points(&self) -> bool {
        false
    }
}

/// The criterion of a monitor. An enum, so that calls are dispatched statically.
pub(super) enum AnyCriterion {
    Linearizability(Linearizability),
    ProgramOrder(ProgramOrder),
    Quiescence(Quiescence),
}

/// Evaluates an expression for the criterion inside an [`AnyCriterion`].
macro_rules! with_criterion {
    ($any:expr, $criterion:ident => $body:expr) => {
        match $any {
            AnyCriterion::Linearizability($criterion) => $body,
            AnyCriterion::ProgramOrder($criterion) => $body,
            AnyCriterion::Quiescence($criterion) => $body,
        }
    };
}

impl Criterion for AnyCriterion {
    fn initial(&self, tables: &mut Tables<'_>) -> Result<MonitorId, SpecError> {
        with_criterion!(self, criterion => criterion.initial(tables))
    }

    fn advance(
        &self,
        tables: &mut Tables<'_>,
        from: MonitorId,
        event: Event,
    ) -> Result<Option<MonitorId>, SpecError> {
        with_criterion!(self, criterion => criterion.advance(tables, from, event))
    }

    fn is_legal_end(&self, tables: &mut Tables<'_>, state: MonitorId) -> Result<bool, SpecError> {
        with_criterion!(self, criterion => criterion.is_legal_end(tables, state))
    }

    fn rename(&self, tables: &mut Tables<'_>, state: MonitorId, renaming: Renaming) -> MonitorId {
        with_criterion!(self, criterion => criterion.rename(tables, state, renaming))
    }

    fn signature(&self, tables: &mut Tables<'_>, state: MonitorId) -> MonitorSignature {
        with_criterion!(self, criterion => criterion.signature(tables, state))
    }

    fn digest(&self, tables: &Tables<'_>, state: MonitorId) -> u128 {
        with_criterion!(self, criterion => criterion.digest(tables, state))
    }

    fn covers(&self, tables: &mut Tables<'_>, large: MonitorId, small: MonitorId) -> Result<bool, SpecError> {
        with_criterion!(self, criterion => criterion.covers(tables, large, small))
    }

    fn can_cover(&self) -> bool {
        with_criterion!(self, criterion => criterion.can_cover())
    }

    fn watches_points(&self) -> bool {
        with_criterion!(self, criterion => criterion.watches_points())
    }
}

/// The interned states of a monitor, and the interned specification.
pub(super) struct Tables<'p> {
    pub threads: usize,
    pub spec: SpecTable<'p>,
    pub symmetry: SpecSymmetry,
    pub spec_names_threads: bool,
    pub calls_name_threads: bool,
    /// The words of each state. Equal states have equal words.
    states: IndexSet<Box<[u32]>, FxBuildHasher>,
    bytes: usize,
}

impl<'p> Tables<'p> {
    pub fn new(spec: SpecTable<'p>, threads: usize, symmetry: SpecSymmetry) -> Tables<'p> {
        let is_in_spec = symmetry.threads.as_ref().is_some_and(|threads| threads.is_in_spec());
        Tables {
            threads,
            spec_names_threads: spec.names_threads() || is_in_spec,
            calls_name_threads: spec.calls_name_threads(),
            spec,
            symmetry,
            states: IndexSet::default(),
            bytes: 0,
        }
    }

    /// Returns the words of a state.
    pub fn words(&self, state: MonitorId) -> &[u32] {
        &self.states[state.0 as usize]
    }

    pub fn intern(&mut self, words: Vec<u32>) -> MonitorId {
        let (index, fresh) = self.states.insert_full(words.into_boxed_slice());
        if fresh {
            self.bytes += 48 + 4 * self.states[index].len();
        }
        MonitorId(number_of(index))
    }

    /// Returns an estimate of the memory of the tables.
    pub fn bytes(&self) -> usize {
        self.bytes + self.spec.bytes()
    }
}
