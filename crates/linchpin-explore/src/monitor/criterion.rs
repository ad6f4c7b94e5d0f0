//! The interface of a consistency criterion, and the tables that all criteria share.

use super::MonitorId;
use super::event::Event;
use super::signature::MonitorSignature;
use super::spec_table::SpecTable;
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
