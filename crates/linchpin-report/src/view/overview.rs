//! The results of many models.

use super::execution::ExecutionView;

/// The results of many models.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    pub rows: Vec<OverviewRow>,
    /// Reasons for `unknown`; a row names a reason by its number, from 1.
    pub reasons: Vec<String>,
    pub executions: Vec<ExecutionView>,
}

/// A search or a proof.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OverviewRow {
    /// The model. Empty: a further row of the same model.
    pub model: String,
    pub expected: String,
    /// The verdict in words: `violated: linearizable in 22 steps`.
    pub verdict: String,
    /// `holds`, `proved`, `violated` or `unknown`.
    pub tone: &'static str,
    pub is_surprise: bool,
    pub scope: String,
    pub states: String,
    pub time: String,
    /// The position of the execution. `None`: no execution.
    pub execution: Option<usize>,
}
