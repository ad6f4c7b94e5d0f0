//! `linchpin check`: explores every execution within bounds.

mod arguments;
mod graph;
mod minimise;
mod outcome;
mod requests;
mod watch;

pub use arguments::Arguments;

use super::budget::ProgressLine;
use super::guard::{Guard, Interrupts};
use super::reports::Content;
use super::source::Source;
use super::terminal::Terminal;
use super::{Ending, Failure};
use arguments::Shown;
use graph::Instance;
use linchpin_engine::model::Compiled;
use linchpin_explore as explore;
use linchpin_ir::property::Property;
use outcome::{Outcome, write_json};
use requests::CheckRequest;

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    options_apply(arguments)?;
    let interrupts = Interrupts::listen();
    if arguments.watch {
        return watch::run(terminal, arguments, &interrupts);
    }
    run_once(terminal, arguments, &interrupts)
}

/// Checks every model once.
fn run_once(
    terminal: &mut Terminal,
    arguments: &Arguments,
    interrupts: &Interrupts,
) -> Result<Ending, Failure> {
    if arguments.minimize_bounds {
        return minimise::run(terminal, arguments, interrupts);
    }
    let guard = Guard::new(interrupts, arguments.timeout, arguments.memory);
    let mut outcome = Outcome::new(arguments.models.len(), arguments.reports.is_asked());
    for model in &arguments.models {
        match check_model(terminal.width, arguments, model, &guard, &mut outcome) {
            Ok(()) => {}
            Err(failure) if arguments.models.len() > 1 => {
                terminal.note(format_args!("{failure}\n"));
                outcome.fail(&failure);
            }
            Err(failure) => return Err(failure),
        }
    }
    let graph = arguments.graph.dot.as_ref().map(|path| (path, outcome.graph(&arguments.graph, &guard)));
    let text = outcome.full_text(arguments, terminal.width);
    let trace = outcome.trace();
    guard.finish();
    if !write_json(terminal, arguments, &outcome.report()) {
        terminal.print(&text);
    }
    if let (Some(path), Some(trace)) = (&arguments.trace, trace) {
        terminal.save(path, trace.to_text());
    }
    if arguments.reports.is_asked() {
        let models = arguments.models.join(", ");
        arguments.reports.save(terminal, &Content::Check(&models, &outcome.verdicts()));
    }
    match graph {
        Some((path, Ok(graph))) => terminal.save(path, Ok(graph)),
        Some((_, Err(failure))) => terminal.fail(Err(failure)),
        None => {}
    }
    Ok(outcome.ending())
}

fn check_model(
    width: usize,
    arguments: &Arguments,
    model: &str,
    guard: &Guard,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let source = Source::new(model)?;
    let requests = requests::requests(&source, arguments)?;
    is_judged(arguments, &source, &requests)?;
    if arguments.graph.dot.is_some() && arguments.graph.state.is_none() {
        outcome.draws(Instance::of(&source, &requests)?);
    }
    for asked in requests {
        let mut line = ProgressLine::new();
        let answer = explore::check(&source, &asked.request, &guard.budget, &mut line);
        line.clear();
        let findings = answer.map_err(|error| source.failure(error))?;
        outcome.add(&source, &asked, findings, width)?;
        if !arguments.is_json_alone() {
            guard.keep(outcome.quiet_text(), outcome.ending());
        }
    }
    Ok(())
}

/// Returns the number of workers: the option, or the number of cores.
fn jobs(asked: Option<u32>) -> usize {
    asked.map_or_else(linchpin_engine::cores, |jobs| usize::try_from(jobs.max(1)).unwrap_or(1))
}

/// Tries the observers on their specification. Skipped for the property `observers`, which runs them on the
/// object.
fn try_observers(source: &Source, compiled: &Compiled, properties: &[Property]) -> Result<(), Failure> {
    if properties.contains(&Property::Observers) {
        return Ok(());
    }
    explore::try_observers(compiled).map_err(|error| source.failure(error))
}

/// Rejects options that exclude each other.
fn options_apply(arguments: &Arguments) -> Result<(), Failure> {
    arguments.reports.apply()?;
    arguments.graph.apply(arguments)?;
    if arguments.minimize_bounds && arguments.reports.is_asked() {
        return Err(Failure::input("`--html` does not apply to `--minimize-bounds`")
            .help("run `check` with the minimal bounds and `--html`"));
    }
    let client = &arguments.client;
    let is_of_schedules = client.client == Some(arguments::ClientKind::Schedules);
    let only_for_schedules = client.only_for_schedules().filter(|option| *option != "--keep-going");
    if arguments.minimize_bounds && (is_of_schedules || only_for_schedules.is_some()) {
        return Err(Failure::input("`--minimize-bounds` does not apply to schedules")
            .help("use ranges, which are searched smallest first: with schedules a violation may vanish in larger bounds"));
    }
    if arguments.minimize_bounds && arguments.trace.is_some() {
        return Err(Failure::input("`--trace` does not apply to `--minimize-bounds`")
            .help("run `check` with the minimal bounds and `--trace`"));
    }
    if arguments.minimize_bounds && !arguments.show.is_empty() {
        return Err(Failure::input("`--show` does not apply to `--minimize-bounds`")
            .help("run `check` with the minimal bounds"));
    }
    if arguments.quiet && !arguments.show.is_empty() {
        return Err(Failure::input("`--show` does not apply to `--quiet`").help("remove one of the options"));
    }
    if arguments.trace.is_some() && arguments.models.len() > 1 {
        return Err(Failure::input("`--trace` saves one counterexample, and there are several models")
            .help("run `check` for one of the models"));
    }
    let reads_standard_input = arguments.models.iter().filter(|model| *model == "-").count();
    if reads_standard_input > 1 {
        return Err(Failure::input("standard input is one model, and `-` is given twice").help("name files"));
    }
    if reads_standard_input == 1 && arguments.trace.is_some() {
        return Err(Failure::input("`--trace` does not apply to standard input: a trace names its model")
            .help("save the model to a file"));
    }
    if reads_standard_input == 1 && arguments.watch {
        return Err(Failure::input("`--watch` does not apply to standard input").help("name a file"));
    }
    Ok(())
}

/// Rejects `--show` of a property that no request judges.
fn is_judged(arguments: &Arguments, source: &Source, requests: &[CheckRequest]) -> Result<(), Failure> {
    for shown in &arguments.show {
        let Shown::Of(property) = shown else { continue };
        if !requests.iter().any(|asked| asked.request.properties.contains(property)) {
            return Err(Failure::input(format!(
                "`--show {property}`: no check of `{}` judges it",
                source.file
            ))
            .help(format!("add `--property {property}`")));
        }
    }
    Ok(())
}
