//! `linchpin replay`: replays a saved counterexample and shows it.

use super::files::{model_inputs, outputs_apply};
use super::guard::{Guard, Interrupts};
use super::instance::bounds_text;
use super::reports::{Content, Reports, StateGraph};
use super::source::Source;
use super::terminal::Terminal;
use super::values::{MemorySize, TimeLimit};
use super::{Ending, Failure};
use crate::cli::input;
use clap::Args;
use linchpin_engine::model::Compiled;
use linchpin_judge::replay::{ReplayError, replay, rerun};
use linchpin_judge::trace::{Claim, Trace};
use linchpin_report::counterexample;
use linchpin_report::line::Palette;
use linchpin_report::trace_file::TraceFile;
use linchpin_report::view::execution::ExecutionView;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct Arguments {
    /// The trace that `check --trace` saved
    #[arg(value_name = "TRACE.json")]
    pub trace: PathBuf,
    /// The model, if it moved since the trace was saved
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Time limit, such as `60s`
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<TimeLimit>,
    /// Memory limit, such as `8G`
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
    #[command(flatten)]
    pub reports: Reports,
    #[command(flatten)]
    pub graph: StateGraph,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    arguments.reports.apply()?;
    arguments.graph.apply()?;
    let guard = Guard::new(&Interrupts::listen(), arguments.timeout, arguments.memory);
    let shown = arguments.trace.display();
    let text = input::read_text(&arguments.trace).map_err(Failure::Input)?;
    let refuse = |why: String| {
        Failure::input(format!("cannot replay `{shown}`: {why}"))
            .help("save a new trace with `linchpin check MODEL --trace FILE`")
    };
    let file = TraceFile::parse(&text).map_err(refuse)?;
    let trace = file.trace().map_err(refuse)?;
    let source = Source::new(arguments.model.as_deref().unwrap_or(&file.model))?;
    let compiled = source.compiled(&file.setting())?;
    let inputs = [model_inputs(&compiled.sources), vec![arguments.trace.clone()]].concat();
    let outputs = [arguments.reports.outputs(), arguments.graph.outputs()].concat();
    outputs_apply(&outputs, &inputs)?;
    if trace.claim == Claim::Nothing {
        return show_without_claim(terminal, arguments, &compiled, &trace, guard);
    }
    let counterexample = replay(&compiled.program, &trace).map_err(rejected)?;
    let text = counterexample::draw(&compiled.sources, &counterexample, terminal.width, Palette::Colours);
    guard.finish();
    terminal.print(&text);
    save(terminal, arguments, &compiled, &trace, || counterexample::view(&compiled.sources, &counterexample));
    Ok(Ending::Violated)
}

/// Shows a trace that claims nothing, such as one of `explore`.
fn show_without_claim(
    terminal: &mut Terminal,
    arguments: &Arguments,
    compiled: &Compiled,
    trace: &Trace,
    guard: Guard,
) -> Result<Ending, Failure> {
    let rerun = rerun(&compiled.program, trace).map_err(rejected)?;
    let text = counterexample::draw_rerun(&compiled.sources, &rerun, terminal.width, Palette::Colours);
    guard.finish();
    terminal.print(&text);
    save(terminal, arguments, compiled, trace, || counterexample::rerun_view(&compiled.sources, &rerun));
    Ok(Ending::AsAsked)
}

/// Writes the requested files.
fn save(
    terminal: &mut Terminal,
    arguments: &Arguments,
    compiled: &Compiled,
    trace: &Trace,
    view: impl FnOnce() -> ExecutionView,
) {
    if arguments.reports.is_asked() || arguments.graph.dot.is_some() {
        let bounds = bounds_text(&compiled.program, &trace.instance.bounds);
        let view = view().within(&bounds);
        arguments.reports.save(terminal, &Content::Execution(&view));
        let saved = arguments.graph.save(terminal, &view.object, &view.trace);
        terminal.fail(saved);
    }
}

fn rejected(refused: ReplayError) -> Failure {
    Failure::input(format!("the trace is rejected: {refused}"))
        .help("save a new trace with `linchpin check MODEL --trace FILE`")
}
