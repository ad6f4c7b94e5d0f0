//! The criteria behind one type, dispatched statically.

use super::MonitorId;
use super::criterion::{Criterion, Tables};
use super::event::Event;
use super::linearizability::Linearizability;
use super::program_order::ProgramOrder;
use super::quiescence::Quiescence;
use super::signature::MonitorSignature;
use crate::reduce::Renaming;
use linchpin_semantics::SpecError;

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
