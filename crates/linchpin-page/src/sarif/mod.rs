//! The report model as a log of SARIF 2.1.0 (OASIS), for editors and services that show results of analyses.
//!
//! - A violation is a result of kind `fail`. An unknown verdict is a result of kind `open`. Other verdicts
//!   have no result: a reader of logs shows each result as a problem.
//! - An execution is a code flow with one thread flow for each thread that moves. `executionOrder` is the
//!   number of the step, so the thread flows interleave as the threads do.
//! - A violation that a `check` block of the model expects is suppressed in source.
//!
//! | file | contents |
//! |---|---|
//! | [`log`] | the types of the format |
//! | [`results`] | from the report model to results |

mod log;
mod results;

use linchpin_report::recorded::shown::HistoryReport;
use linchpin_report::view::execution::ExecutionView;
use linchpin_report::view::overview::Overview;
use linchpin_report::view::proof::ProofView;
use linchpin_report::view::verdicts::Verdicts;
use log::{Log, LogResult};

/// Returns the log of `check`.
pub fn check_log(verdicts: &Verdicts) -> Result<String, serde_json::Error> {
    text(results::of_verdicts(verdicts))
}

/// Returns the log of one execution.
pub fn execution_log(view: &ExecutionView) -> Result<String, serde_json::Error> {
    text(vec![results::of_execution(view)])
}

/// Returns the log of a recorded history.
pub fn history_log(report: &HistoryReport) -> Result<String, serde_json::Error> {
    text(results::of_history(report))
}

/// Returns the log of a search for proofs. `executions` are those that alarms led to.
pub fn proof_log(view: &ProofView, executions: &[ExecutionView]) -> Result<String, serde_json::Error> {
    text(results::of_proof(view, executions))
}

/// Returns the log of `verify`: the violations.
pub fn overview_log(overview: &Overview) -> Result<String, serde_json::Error> {
    text(overview.executions.iter().map(results::of_execution).collect())
}

fn text(results: Vec<LogResult>) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&Log::of(results)).map(|text| text + "\n")
}
