//! `linchpin replay`: runs a saved counterexample again and shows it.

use super::guard::{Guard, Interrupts};
use super::source::Source;
use super::terminal::Terminal;
use super::values::{MemorySize, TimeLimit};
use super::{Ending, Failure};
use crate::input;
use clap::Args;
use linchpin_judge::replay::replay;
use linchpin_report::counterexample;
use linchpin_report::trace_file::TraceFile;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct Arguments {
    /// The trace that `check --trace` saved
    #[arg(value_name = "TRACE.json")]
    pub trace: PathBuf,
    /// Where the model is now, if it is not where it was
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// The most time to use, such as `60s`
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<TimeLimit>,
    /// The most memory to use, such as `8G`
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    let guard = Guard::new(&Interrupts::listen(), arguments.timeout, arguments.memory);
    let shown = arguments.trace.display();
    let text = input::read_text(&arguments.trace).map_err(Failure::Input)?;
    let refuse = |why: String| {
        Failure::input(format!("`{shown}` is not a trace that can be replayed: {why}"))
            .help("make a new one with `linchpin check MODEL --trace FILE`")
    };
    let file = TraceFile::parse(&text).map_err(refuse)?;
    let trace = file.trace().map_err(refuse)?;
    let source = Source::new(arguments.model.as_deref().unwrap_or(&file.model))?;
    let compiled = source.compiled(&file.setting())?;
    let counterexample = replay(&compiled.program, &trace).map_err(|refused| {
        Failure::input(format!("the trace is refused: {refused}"))
            .help("make a new one with `linchpin check MODEL --trace FILE`")
    })?;
    let text = counterexample::draw(&compiled.sources, &counterexample, terminal.width);
    guard.finish();
    terminal.print(&text);
    Ok(Ending::Violated)
}
