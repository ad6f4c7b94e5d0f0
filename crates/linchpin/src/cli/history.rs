//! `linchpin history`: judges a recorded history against a specification.

use super::compile::model_failure;
use super::files::{Output, is_standard_output, outputs_apply};
use super::guard::{Guard, Interrupts};
use super::history_spec::SpecOption;
use super::history_text::{self, is_standard_input};
use super::property;
use super::reports::{Content, Reports};
use super::terminal::Terminal;
use super::values::{ConstantSetting, MemorySize, TimeLimit};
use super::{Ending, Failure};
use clap::Args;
use linchpin_engine::stop::Cause;
use linchpin_engine::verdict::Limit;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::number_of;
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_judge::history;
use linchpin_judge::history::Budget;
use linchpin_report::line::{DIM, Palette};
use linchpin_report::quantities::grouped;
use linchpin_report::recorded::shown::HistoryReport;
use linchpin_report::recorded::view::View;
use linchpin_report::recorded::{
    HistoryQuery, Judged, LoadError, Loaded, PROPERTIES, json, judge, load as load_history,
};
use linchpin_semantics::MAX_THREADS;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The format of the file, and a worked example, are in `docs/history.md`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The history: JSON lines or a log of Jepsen, also with gzip or zstd (`-`: standard input)
    pub file: PathBuf,
    /// The specification: a name of the library (`Queue`, `Set<key>`, `BoundedQueue(8)`) or a `.lin` file
    #[arg(long, value_name = "NAME")]
    pub spec: String,
    /// A `const` of the file with the specification (repeatable)
    #[arg(long = "set", value_name = "CONST=N")]
    pub constants: Vec<ConstantSetting>,
    /// Property to judge (repeatable; default: `linearizable`)
    #[arg(long = "property", value_name = "P", value_parser = property::one_of(&PROPERTIES))]
    pub properties: Vec<Property>,
    /// Pending calls never return: the specification must allow each of them to wait
    #[arg(long)]
    pub stuck: bool,
    /// Time limit, such as `60s`
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<TimeLimit>,
    /// Memory limit, such as `8G`
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
    /// Limit on configurations: sets of calls that took effect, each with a state
    #[arg(long, value_name = "N", default_value_t = number_of(Budget::default().configurations))]
    pub configurations: u32,
    /// Write the result as JSON (`-`: to standard output, without other output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub reports: Reports,
    /// Print only the verdict lines
    #[arg(long)]
    pub quiet: bool,
}

const AFTER_HELP: &str = "\
Each line is a call or a return, in the order of time:
  {\"thread\": 1, \"call\": \"enq\", \"args\": [7]}
  {\"thread\": 1, \"return\": \"enq\"}
  {\"thread\": 2, \"return\": \"deq\", \"result\": 7}";

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    arguments.reports.apply()?;
    let guard = Guard::new(&Interrupts::listen(), arguments.timeout, arguments.memory);
    let specification = SpecOption::new(&arguments.spec, &arguments.constants)?;
    let mut outputs = Output::given([("--json", &arguments.json)]);
    outputs.extend(arguments.reports.outputs());
    let input = (!is_standard_input(&arguments.file)).then(|| arguments.file.clone());
    let inputs: Vec<PathBuf> = specification.path().map(Path::to_path_buf).into_iter().chain(input).collect();
    outputs_apply(&outputs, &inputs)?;
    let Loaded { spec, recorded } = load(&arguments.file, &specification, &guard)?;
    let view = View { spec: &spec, recorded: &recorded, palette: Palette::Colours };
    let stop = &guard.budget.stop;
    let budget = Budget { configurations: arguments.configurations as usize, stop: Some(stop) };
    let mut answers = Vec::new();
    for question in questions(arguments) {
        let started = Instant::now();
        let mut judged = judge(&spec, &recorded, question, budget);
        judged.stopped_by = stop.cause().map(|cause| limit(cause, arguments));
        answers.push((judged, started.elapsed().as_secs_f64()));
        if !arguments.json.as_deref().is_some_and(is_standard_output) {
            let known: Vec<Judged> = answers.iter().map(|(judged, _)| judged.clone()).collect();
            guard.keep(&view.verdicts(&known), ending(&answers));
        }
    }
    guard.finish();
    print(terminal, arguments, &view, &answers);
    Ok(ending(&answers))
}

fn limit(cause: Cause, arguments: &Arguments) -> Limit {
    match cause {
        Cause::Interrupted => Limit::Interrupted,
        Cause::Time => Limit::Time(arguments.timeout.map(|limit| limit.duration).unwrap_or_default()),
        Cause::Memory => Limit::Memory(arguments.memory.map(|size| size.bytes).unwrap_or_default()),
    }
}

/// Returns the requested queries. The option parser admits only properties of histories.
fn questions(arguments: &Arguments) -> Vec<HistoryQuery> {
    let ending = if arguments.stuck { history::Ending::Stuck } else { history::Ending::Open };
    let asked = match arguments.properties.as_slice() {
        [] => &PROPERTIES[..1],
        some => some,
    };
    asked.iter().filter_map(|&property| HistoryQuery::new(property, ending)).collect()
}

fn load(path: &Path, specification: &SpecOption, guard: &Guard) -> Result<Loaded, Failure> {
    let go_on = || !guard.budget.stop.is_asked();
    let stopped = || {
        let why = guard.ended_by().unwrap_or_default();
        Failure::unknown(format!("{why}: `{}` was not read to its end", path.display())).help(
            "raise the limit, or judge the history in pieces: a prefix of a linearizable history is linearizable",
        )
    };
    let name = path.display().to_string();
    let mut sources = SourceMap::default();
    let text: Arc<str> = history_text::read(path, &go_on)?.ok_or_else(stopped)?.into();
    if !go_on() {
        return Err(stopped());
    }
    let file = sources.add(name.clone(), text);
    load_history(&sources, file, |threads| specification.compile(threads), &go_on).map_err(
        |error| match error {
            LoadError::Stopped => stopped(),
            LoadError::Empty => Failure::input(format!("`{name}` has no events")).help(
                "write one JSON object on each line, a call or a return: see `linchpin history --help`",
            ),
            LoadError::History(findings) => failure(&sources, name, findings),
            LoadError::Specification(failure) => failure,
            LoadError::TooManyThreads(threads) => {
                Failure::input(format!("the specification counts threads, and the history has {threads}"))
                    .help(format!("use at most {MAX_THREADS} threads with this specification"))
            }
        },
    )
}

/// Number of errors to show. A file of another format has one error on each line.
const SHOWN_ERRORS: usize = 10;

fn failure(sources: &SourceMap, name: String, mut findings: Vec<Diagnostic>) -> Failure {
    findings.sort_by_key(|finding| finding.labels.first().map(|label| label.span));
    let errors = findings.len();
    findings.truncate(SHOWN_ERRORS);
    match model_failure(sources, name, &findings) {
        Failure::Model { file, findings, .. } => Failure::Model { file, findings, errors },
        other => other,
    }
}

fn print(terminal: &mut Terminal, arguments: &Arguments, view: &View, answers: &[(Judged, f64)]) {
    let file = arguments.file.display().to_string();
    if arguments.reports.is_asked() {
        let judged: Vec<Judged> = answers.iter().map(|(judged, _)| judged.clone()).collect();
        let report = HistoryReport::of(view, &file, &arguments.spec, &judged);
        arguments.reports.save(terminal, &Content::History(&report));
    }
    if let Some(path) = &arguments.json {
        terminal.save(path, json::Report::new(view, &arguments.spec, &file, answers).to_text());
        if is_standard_output(path) {
            return;
        }
    }
    let judged: Vec<Judged> = answers.iter().map(|(judged, _)| judged.clone()).collect();
    let verdicts = view.verdicts(&judged);
    if arguments.quiet {
        return terminal.print(&verdicts);
    }
    let configurations: usize = judged.iter().map(Judged::configurations).sum();
    let seconds: f64 = answers.iter().map(|(_, seconds)| seconds).sum();
    let mut text = view.heading(&file, &arguments.spec) + &verdicts;
    let plural = if configurations == 1 { "" } else { "s" };
    let looked_at = grouped(configurations as u64);
    let mut methods: Vec<&str> = judged.iter().filter_map(Judged::method).collect();
    methods.dedup();
    let decided =
        if methods.is_empty() { String::new() } else { format!("; decided {}", methods.join(", ")) };
    text += &format!("  {DIM}{looked_at} configuration{plural}, {seconds:.1} s{decided}{DIM:#}\n");
    for judged in &judged {
        let reasons = view.reasons(judged, terminal.width);
        if !reasons.is_empty() {
            text += &format!("\n{reasons}");
        }
    }
    terminal.print(&text);
}

/// Returns the ending of all answers: a violation outweighs an unknown verdict.
fn ending(answers: &[(Judged, f64)]) -> Ending {
    let of_one = |(judged, _): &(Judged, f64)| match judged.verdict() {
        "violated" => Ending::Violated,
        "unknown" => Ending::Unknown,
        _ => Ending::AsAsked,
    };
    answers.iter().map(of_one).fold(Ending::AsAsked, Ending::worst)
}
