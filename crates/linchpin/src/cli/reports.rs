//! The options `--html`, `--sarif` and `--dot`: reports beside the text.

use super::Failure;
use super::files::{Output, is_standard_output};
use super::terminal::Terminal;
use clap::Args;
use linchpin_report::recorded::shown::HistoryReport;
use linchpin_report::trace::Trace;
use linchpin_report::view::execution::ExecutionView;
use linchpin_report::view::overview::Overview;
use linchpin_report::view::proof::ProofView;
use linchpin_report::view::verdicts::Verdicts;
use std::path::PathBuf;

/// Files that show a result.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct Reports {
    /// Write a page that shows the result: one file, opens in any browser
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the violations as a log of SARIF 2.1.0, for editors and services
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
}

/// What a command shows.
pub enum Content<'a> {
    /// The names of the models, and their verdicts.
    Check(&'a str, &'a Verdicts),
    Execution(&'a ExecutionView),
    History(&'a HistoryReport),
    /// A search for proofs, and the executions that alarms led to.
    Proof(&'a ProofView, &'a [ExecutionView]),
    Overview(&'a Overview),
}

impl Content<'_> {
    fn page(&self) -> String {
        match self {
            Content::Check(models, verdicts) => linchpin_page::check_page(models, verdicts),
            Content::Execution(view) => linchpin_page::execution_page(view),
            Content::History(report) => linchpin_page::history_page(report),
            Content::Proof(view, executions) => linchpin_page::proof_page(view, executions),
            Content::Overview(overview) => linchpin_page::overview_page(overview),
        }
    }

    fn log(&self) -> Result<String, serde_json::Error> {
        use linchpin_page::sarif;
        match self {
            Content::Check(_, verdicts) => sarif::check_log(verdicts),
            Content::Execution(view) => sarif::execution_log(view),
            Content::History(report) => sarif::history_log(report),
            Content::Proof(view, executions) => sarif::proof_log(view, executions),
            Content::Overview(overview) => sarif::overview_log(overview),
        }
    }
}

impl Reports {
    /// Returns whether a report is requested.
    pub fn is_asked(&self) -> bool {
        self.html.is_some() || self.sarif.is_some()
    }

    /// Returns the output files.
    pub fn outputs(&self) -> Vec<Output<'_>> {
        Output::given([("--html", &self.html), ("--sarif", &self.sarif)])
    }

    /// Rejects standard output, which has the text.
    pub fn apply(&self) -> Result<(), Failure> {
        rejects_standard_output(&self.outputs())
    }

    /// Writes the requested files.
    pub fn save(&self, terminal: &mut Terminal, report: &Content<'_>) {
        if let Some(path) = &self.html {
            terminal.save(path, Ok(report.page()));
        }
        if let Some(path) = &self.sarif {
            terminal.save(path, report.log());
        }
    }
}

/// A graph of one state of an execution.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct StateGraph {
    /// Write the memory after the last step as a graph in the language DOT
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// For `--dot`: the number of steps before the state (default: all)
    #[arg(long, value_name = "N", requires = "dot")]
    pub state: Option<usize>,
}

impl StateGraph {
    pub fn outputs(&self) -> Vec<Output<'_>> {
        Output::given([("--dot", &self.dot)])
    }

    /// Rejects standard output, which has the text.
    pub fn apply(&self) -> Result<(), Failure> {
        rejects_standard_output(&self.outputs())
    }

    /// Writes the graph of a state of an execution, if it is requested.
    pub fn save(&self, terminal: &mut Terminal, object: &str, trace: &Trace) -> Result<(), Failure> {
        let Some(path) = &self.dot else { return Ok(()) };
        terminal.save(path, Ok(state_graph(object, trace, self.state)?));
        Ok(())
    }
}

/// Returns the graph of the state after a number of steps; `None`: after all steps.
pub fn state_graph(object: &str, trace: &Trace, steps: Option<usize>) -> Result<String, Failure> {
    let last = trace.steps.len();
    let steps = steps.unwrap_or(last);
    linchpin_page::dot::state(object, trace, steps).ok_or_else(|| {
        Failure::input(format!("`--state {steps}`: the execution has {last} steps"))
            .help(format!("use a number from 0 to {last}"))
    })
}

/// Rejects standard output, which has the text.
pub fn rejects_standard_output(outputs: &[Output<'_>]) -> Result<(), Failure> {
    match outputs.iter().find(|output| is_standard_output(output.path)) {
        None => Ok(()),
        Some(output) => {
            Err(Failure::input(format!("`{} -` does not apply: standard output has the text", output.option))
                .help("name a file"))
        }
    }
}
