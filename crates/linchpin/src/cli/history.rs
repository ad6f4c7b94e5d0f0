//! `linchpin history`: judges a recorded history against a specification.

use super::compile::model_failure;
use super::files::{Output, is_standard_output, outputs_apply};
use super::guard::{Guard, Interrupts};
use super::history_spec::Specification;
use super::property;
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
use linchpin_ir::types::Word;
use linchpin_judge::history;
use linchpin_judge::history::Budget;
use linchpin_report::line::DIM;
use linchpin_report::recorded::view::View;
use linchpin_report::recorded::{HistoryQuery, Judged, PROPERTIES, Recorded, json, judge, lines, read};
use linchpin_report::verdicts::grouped;
use linchpin_semantics::{Bounds, MAX_THREADS, SpecMachine};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The format of the file, and a worked example, are in `docs/history.md`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The history, a JSON object a line
    pub file: PathBuf,
    /// The specification to judge it by: one of the library (`Queue`, `Set<key>`, `BoundedQueue(8)`), or a `.lin` file
    /// with one in it
    #[arg(long, value_name = "NAME")]
    pub spec: String,
    /// A `const` of the file with the specification (repeatable)
    #[arg(long = "set", value_name = "CONST=N")]
    pub constants: Vec<ConstantSetting>,
    /// What to ask of it (repeatable; `linearizable` if nothing is asked)
    #[arg(long = "property", value_name = "P", value_parser = property::one_of(&PROPERTIES))]
    pub properties: Vec<Property>,
    /// The pending calls will never return: each of them must be one that may wait
    #[arg(long)]
    pub stuck: bool,
    /// The most time to use, such as `60s`
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<TimeLimit>,
    /// The most memory to use, such as `8G`
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
    /// The most configurations to look at: a set of calls that took effect, and a state
    #[arg(long, value_name = "N", default_value_t = number_of(Budget::default().configurations))]
    pub configurations: u32,
    /// Write the result as JSON (`-`: to standard output, and nothing else there)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// The verdict lines alone
    #[arg(long)]
    pub quiet: bool,
}

const AFTER_HELP: &str = "\
A line is a call or a return, in the order of time:
  {\"thread\": 1, \"call\": \"enq\", \"args\": [7]}
  {\"thread\": 1, \"return\": \"enq\"}
  {\"thread\": 2, \"return\": \"deq\", \"result\": 7}";

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    let guard = Guard::new(&Interrupts::listen(), arguments.timeout, arguments.memory);
    let specification = Specification::new(&arguments.spec, &arguments.constants)?;
    let outputs = Output::given([("--json", &arguments.json)]);
    let inputs: Vec<PathBuf> =
        specification.path().map(PathBuf::from).into_iter().chain([arguments.file.clone()]).collect();
    outputs_apply(&outputs, &inputs)?;
    let (spec, recorded) = load(&arguments.file, specification, &guard)?;
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
            guard.keep(&View { spec: &spec, recorded: &recorded }.verdicts(&known), ending(&answers));
        }
    }
    guard.finish();
    tell(terminal, arguments, &View { spec: &spec, recorded: &recorded }, &answers);
    Ok(ending(&answers))
}

fn limit(cause: Cause, arguments: &Arguments) -> Limit {
    match cause {
        Cause::Interrupted => Limit::Interrupted,
        Cause::Time => Limit::Time(arguments.timeout.map(|limit| limit.duration).unwrap_or_default()),
        Cause::Memory => Limit::Memory(arguments.memory.map(|size| size.bytes).unwrap_or_default()),
    }
}

/// What is asked; the options let nothing else through than properties of histories.
fn questions(arguments: &Arguments) -> Vec<HistoryQuery> {
    let ending = if arguments.stuck { history::Ending::Stuck } else { history::Ending::Open };
    let asked = match arguments.properties.as_slice() {
        [] => &PROPERTIES[..1],
        some => some,
    };
    asked.iter().filter_map(|&property| HistoryQuery::new(property, ending)).collect()
}

/// More than anybody records at a time, less than a place in a file can count.
const LARGEST_FILE: u64 = 1 << 30;

fn load(
    path: &Path,
    specification: Specification,
    guard: &Guard,
) -> Result<(SpecMachine, Recorded), Failure> {
    let go_on = || !guard.budget.stop.is_asked();
    let ended = || {
        let why = guard.ended_by().unwrap_or_default();
        Failure::unknown(format!("{why}: `{}` was not read to its end", path.display())).help(
            "raise the limit, or judge it in pieces: a prefix of a linearizable history is linearizable",
        )
    };
    let name = path.display().to_string();
    let mut sources = SourceMap::default();
    let text: Arc<str> = text(path, &go_on)?.ok_or_else(ended)?.into();
    if !go_on() {
        return Err(ended());
    }
    let file = sources.add(name.clone(), text.clone());
    let (parsed, mut findings) = lines::parse(file, &text, &go_on).ok_or_else(ended)?;
    if parsed.is_empty() && findings.is_empty() {
        return Err(Failure::input(format!("`{name}` has no events"))
            .help("a history is a JSON object a line, a call or a return: see `linchpin history --help`"));
    }
    let mut threads: Vec<_> = parsed.iter().map(|line| &line.thread).collect();
    threads.sort();
    threads.dedup();
    let program = specification.compile(number_of(threads.len().min(MAX_THREADS as usize)))?;
    if program.threads_used_at.is_some() && threads.len() > MAX_THREADS as usize {
        return Err(Failure::input(format!(
            "the specification counts threads, and the history has {}",
            threads.len()
        ))
        .help(format!("at most {MAX_THREADS} threads can be counted")));
    }
    let recorded = match read(&sources, &program, &parsed, &go_on) {
        Ok(None) => return Err(ended()),
        Ok(Some(recorded)) if findings.is_empty() => recorded,
        Ok(_) => return Err(failure(&sources, name, findings)),
        Err(more) => {
            findings.extend(more);
            return Err(failure(&sources, name, findings));
        }
    };
    let bounds = Bounds {
        threads: program.threads,
        values: number_of(recorded.dictionary.data()),
        keys: number_of(recorded.dictionary.keys()),
        ints: Word::MAX - 1,
        ..Bounds::default()
    };
    let spec = SpecMachine::new(&Arc::new(program), &bounds)
        .map_err(|findings| failure(&sources, name, findings))?;
    Ok((spec, recorded))
}

/// So many findings are told; a file that is no history at all has one a line.
const MOST_FINDINGS: usize = 10;

fn failure(sources: &SourceMap, name: String, mut findings: Vec<Diagnostic>) -> Failure {
    findings.sort_by_key(|finding| finding.labels.first().map(|label| label.span));
    let errors = findings.len();
    findings.truncate(MOST_FINDINGS);
    match model_failure(sources, name, &findings) {
        Failure::Model { file, findings, .. } => Failure::Model { file, findings, errors },
        other => other,
    }
}

/// Bytes that are read at a time.
const PIECE: u64 = 1 << 20;

/// The text of a history, or why there is none; `None` if `go_on` ended it.
fn text(path: &Path, go_on: &dyn Fn() -> bool) -> Result<Option<String>, Failure> {
    let shown = path.display();
    let too_large = || {
        Failure::input(format!("`{shown}` is larger than {} MiB", LARGEST_FILE >> 20))
            .help("judge it in pieces: a prefix of a linearizable history is linearizable")
    };
    if path.is_dir() {
        return Err(Failure::input(format!("`{shown}` is a directory, not a history")));
    }
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|mut file| {
        while bytes.len() as u64 <= LARGEST_FILE && go_on() {
            if file.by_ref().take(PIECE).read_to_end(&mut bytes)? == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    });
    match read {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Failure::input(format!("no file `{shown}`")));
        }
        Err(error) => return Err(Failure::input(format!("cannot read `{shown}`: {error}"))),
        Ok(_) if bytes.len() as u64 > LARGEST_FILE => return Err(too_large()),
        Ok(false) => return Ok(None),
        Ok(true) => {}
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        Failure::input(format!("`{shown}` is not UTF-8 text: byte {at} (line {line}) begins no character"))
            .help("a history is JSON, and JSON is UTF-8")
    })
}

fn tell(terminal: &mut Terminal, arguments: &Arguments, view: &View, answers: &[(Judged, f64)]) {
    let file = arguments.file.display().to_string();
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
    text += &format!("  {DIM}{looked_at} configuration{plural}, {seconds:.1} s{DIM:#}\n");
    for judged in &judged {
        let reasons = view.reasons(judged, terminal.width);
        if !reasons.is_empty() {
            text += &format!("\n{reasons}");
        }
    }
    terminal.print(&text);
}

/// A violation says more than what is unknown.
fn ending(answers: &[(Judged, f64)]) -> Ending {
    let of_one = |(judged, _): &(Judged, f64)| match judged.verdict() {
        "violated" => Ending::Violated,
        "unknown" => Ending::Unknown,
        _ => Ending::AsAsked,
    };
    answers.iter().map(of_one).fold(Ending::AsAsked, Ending::worst)
}
