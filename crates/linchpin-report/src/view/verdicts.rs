//! The verdicts of one request.

use super::execution::ExecutionView;
use super::source::Place;
use linchpin_engine::verdict::Match;

/// The verdicts of one request.
#[derive(Clone, Debug)]
pub struct RequestView {
    /// The model: `models/wrong/treiber_stack_reuse.lin`.
    pub model: String,
    /// The file with the line of the check, from 1.
    pub place: Place,
    /// `2 threads, 1 node; sequentially consistent memory`
    pub scope: String,
    pub rows: Vec<VerdictRow>,
    /// Cost, cuts, coverage: one line each.
    pub notes: Vec<String>,
}

/// One verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerdictRow {
    pub property: String,
    /// `holds`, `violated` or `unknown`.
    pub verdict: &'static str,
    /// Whether the verdict is the expected one.
    pub fit: Match,
    pub remarks: String,
    /// The position of the execution among the executions of the report. `None`: no execution.
    pub execution: Option<usize>,
}

/// The parts of a report about several requests.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    pub requests: Vec<RequestView>,
    pub executions: Vec<ExecutionView>,
}
