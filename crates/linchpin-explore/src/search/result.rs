//! The result of a search.

use crate::expand::Coverage;
use crate::problem::ViolationKind;
use linchpin_engine::Exhausted;
use linchpin_engine::verdict::Asymmetry;
use linchpin_semantics::{Outcome, SpecError};
use std::collections::BTreeMap;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// For each kind of violation found, the number of moves of a shortest one.
    pub found: BTreeMap<ViolationKind, usize>,
    /// The limit that ended the search early; `None` if the search finished, or if it found everything
    /// wanted.
    pub exhausted: Option<Exhausted>,
    pub states: usize,
    pub nodes: usize,
    pub transitions: u64,
    pub depth: usize,
    pub frontier: usize,
    pub bytes: usize,
    pub coverage: Coverage,
    pub work: ReductionStats,
    /// The estimated number of nodes of the whole search; `None` if the search finished, or the levels allow
    /// no estimate.
    pub forecast: Option<u64>,
    /// The causes that break the symmetry of threads, or of values.
    pub obstacles: Vec<Asymmetry>,
}

/// How often each reduction applied.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReductionStats {
    /// The number of local steps that moves included.
    pub run_ahead: u64,
    /// The number of states whose tied threads were tried in every order.
    pub ties_tried: u64,
    /// Threads, or values, are interchangeable.
    pub exchanges: bool,
}

/// Why there is nothing to search.
#[derive(Clone, Debug)]
pub enum SearchError {
    /// `init` does not reach an initial state.
    Init(Outcome),
    /// The specification itself has a fault.
    Spec(SpecError),
}

impl From<SpecError> for SearchError {
    fn from(fault: SpecError) -> SearchError {
        SearchError::Spec(fault)
    }
}
