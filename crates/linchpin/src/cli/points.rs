//! `linchpin points`: mines linearization points and prints the lines of the model with them.

use super::budget::ProgressLine;
use super::files::{Output, is_standard_output, model_inputs, outputs_apply};
use super::guard::{Guard, Interrupts};
use super::instance::bounds_text;
use super::source::Source;
use super::terminal::Terminal;
use super::values::{MemorySize, TimeLimit};
use super::{Ending, Failure};
use clap::Args;
use linchpin_ir::interface::Setting;
use linchpin_ir::source::SourceMap;
use linchpin_portfolio::points::{Confirmed, Found, Mined, mine};
use linchpin_report::line::{BOLD, DIM};
use linchpin_report::quantities::grouped;
use std::fmt::Write;
use std::path::PathBuf;

/// Annotations of the source are tried first. Then the simplest points that recorded executions allow are
/// confirmed by `--lin-points` in growing bounds. This is a bounded search, not a proof.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 points confirmed, 1 the object is not linearizable, 3 no points found."
)]
pub struct Arguments {
    /// A `.lin` file or a name of the catalogue
    pub model: String,
    /// Write the annotated model (`-`: to standard output, without other output)
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Time limit, such as `60s`
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<TimeLimit>,
    /// Memory limit, such as `8G`
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
}

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    let guard = Guard::new(&Interrupts::listen(), arguments.timeout, arguments.memory);
    let source = Source::new(&arguments.model)?;
    let compiled = source.compiled(&Setting::default())?;
    let outputs = Output::given([("--write", &arguments.write)]);
    outputs_apply(&outputs, &model_inputs(&compiled.sources))?;
    let mut line = ProgressLine::new();
    let mined = mine(&compiled, &guard.budget, &mut line);
    line.clear();
    let mined = mined.map_err(|error| source.failure(error))?;
    guard.finish();
    let text = text(&source.file, &mined);
    let confirmed = match &mined.found {
        Found::Source(confirmed) | Found::Points(confirmed) => Some(confirmed),
        Found::Nothing | Found::NotLinearizable(_) | Found::Stopped => None,
    };
    let is_model_alone = arguments.write.as_deref().is_some_and(is_standard_output) && confirmed.is_some();
    if !is_model_alone {
        terminal.print(&text);
    }
    if let (Some(path), Some(confirmed)) = (&arguments.write, confirmed) {
        terminal.save(path, Ok(confirmed.text.clone()));
    }
    Ok(match mined.found {
        Found::Source(_) | Found::Points(_) => Ending::AsAsked,
        Found::NotLinearizable(_) => Ending::Violated,
        Found::Nothing | Found::Stopped => Ending::Unknown,
    })
}

fn text(model: &str, mined: &Mined) -> String {
    let mut text = String::new();
    let search = search_text(mined);
    match &mined.found {
        Found::Source(confirmed) => {
            let _ = writeln!(text, "{BOLD}{model}{BOLD:#}: the points of the source are confirmed");
            text += &confirmed_text(confirmed);
        }
        Found::Points(confirmed) => {
            let _ = writeln!(text, "{BOLD}{model}{BOLD:#}: points found and confirmed");
            text += &confirmed_text(confirmed);
        }
        Found::Nothing => {
            let _ = writeln!(
                text,
                "{BOLD}{model}{BOLD:#}: no points found\nhelp: run `linchpin check {model}`: the object may \
                 be wrong, or an operation takes effect in a step of another thread"
            );
        }
        Found::NotLinearizable(scope) => {
            let _ = writeln!(
                text,
                "{BOLD}{model}{BOLD:#}: the object is not linearizable with {} threads and {} nodes, so no \
                 points are right\nhelp: run `linchpin check {model}` for an execution",
                scope.bounds.threads, scope.bounds.nodes
            );
        }
        Found::Stopped => {
            let _ = writeln!(text, "{BOLD}{model}{BOLD:#}: no points found within the limits");
        }
    }
    text + &format!("{DIM}{search}{DIM:#}\n")
}

fn search_text(mined: &Mined) -> String {
    let seconds = mined.time.as_secs_f64();
    if mined.tried == 0 {
        return format!("{seconds:.1} s");
    }
    format!(
        "tried {} sets of {} candidates on {} recorded executions, {seconds:.1} s",
        grouped(mined.tried as u64),
        grouped(mined.candidates as u64),
        grouped(mined.executions as u64),
    )
}

/// Formats the scope, and each `lin` with the line before it.
pub fn confirmed_text(confirmed: &Confirmed) -> String {
    let mut text = String::new();
    let bounds = bounds_text(&confirmed.compiled.program, &confirmed.scope.bounds);
    let states = grouped(confirmed.states);
    let _ = writeln!(text, "  `--lin-points` confirms them up to {bounds} ({states} states)");
    let mut sources = SourceMap::default();
    let root = sources.add("model", confirmed.text.as_str());
    let file = sources.file(root);
    let mut function = "";
    let mut last = 0;
    for site in &confirmed.sites {
        if site.function != function {
            let _ = writeln!(text, "\n  {}", site.function);
            function = &site.function;
        }
        for line in [site.line.saturating_sub(1), site.line] {
            if line > last {
                let mark = if line == site.line { '+' } else { ' ' };
                let _ = writeln!(text, "  {line:>4} {mark} {}", file.line(line));
                last = line;
            }
        }
    }
    for op in &confirmed.free {
        let _ = writeln!(text, "\n  {op}\n       no point: it may take effect at any step of its interval");
    }
    text + "\n"
}
