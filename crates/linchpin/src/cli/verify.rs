//! `linchpin verify`: hunts in growing bounds until a violation or the end of the budget, then proves for all sizes what it can.

use super::budget::ProgressLine;
use super::guard::{Guard, Interrupts};
use super::instance::bounds_text;
use super::source::Source;
use super::terminal::Terminal;
use super::values::{MemorySize, TimeLimit};
use super::{Ending, Failure};
use clap::Args;
use linchpin_certify::certificate::Certificate;
use linchpin_engine::Budget;
use linchpin_engine::verdict::{ClientScope, ExpectationResult, Finding, Verdict};
use linchpin_explore::hunt;
use linchpin_explore::hunt::Hunted;
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_portfolio as portfolio;
use linchpin_portfolio::catalogue;
use linchpin_portfolio::catalogue::Group;
use linchpin_report::counterexample;
use linchpin_report::line::{DIM, ERROR};
use linchpin_report::qualified;
use linchpin_report::qualified::Qualification;
use linchpin_report::table::{Cell, Table};
use linchpin_report::verdicts::{GOOD, OPEN, grouped};
use std::time::Duration;

#[derive(Args, Debug)]
pub struct Arguments {
    /// `.lin` files or names of the catalogue; a tour of the catalogue if none is given
    pub models: Vec<String>,
    /// The most time for each model, such as `60s`, shared by search and proof
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<TimeLimit>,
    /// The most memory to use, such as `8G`
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
}

/// For each model that was named, and for each of the tour: the tour ends within a minute.
const TIME_OF_NAMED: Duration = Duration::from_secs(5);
const TIME_OF_TOUR: Duration = Duration::from_millis(1200);
const TIME_OF_PROOF: Duration = Duration::from_secs(60);

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    let is_tour = arguments.models.is_empty();
    let all: Vec<String> = catalogue::entries().iter().map(|entry| entry.name.to_string()).collect();
    let models = if is_tour { &all } else { &arguments.models };
    let interrupts = Interrupts::listen();
    let asked = arguments.timeout.map(|limit| limit.duration);
    let hunting = asked.unwrap_or(if is_tour { TIME_OF_TOUR } else { TIME_OF_NAMED });
    let proving = asked.unwrap_or(if is_tour { TIME_OF_TOUR } else { TIME_OF_PROOF });
    let guard = || Guard::new(&interrupts, arguments.timeout, arguments.memory);
    let within = |guard: &Guard, time: Duration| Budget { time: Some(time), ..guard.budget.clone() };
    let mut table = Table::new(["model", "property", "verdict", "scope", "states", "time", "next"]);
    let mut shortest: Option<Found> = None;
    let mut ending = Ending::AsAsked;
    for name in models {
        if interrupts.have_come() {
            ending = ending.worst(Ending::Unknown);
            break;
        }
        let guard = guard();
        guard.keep(&table.to_string(), ending);
        // Both stages share the time that was asked for.
        let share = if arguments.timeout.is_some() && is_provable(name) { 2 } else { 1 };
        let hunted = match one(name, &within(&guard, hunting / share)) {
            Ok(hunted) => hunted,
            Err(failure) => {
                terminal.note(format_args!("{failure}\n"));
                ending = ending.worst(failure.ending());
                continue;
            }
        };
        let found = rows(&mut table, name, &hunted);
        // In the tour what the catalogue calls wrong is as it should be; who names a model asks about it.
        if !(is_tour && is_expected(name)) {
            ending = ending.worst(Ending::of(
                hunted.findings.iter().map(|finding| (finding, ExpectationResult::default())),
            ));
        }
        guard.keep(&table.to_string(), ending);
        if found.is_empty()
            && let Err(failure) = prove(&mut table, name, &within(&guard, proving / share))
        {
            terminal.note(format_args!("{failure}\n"));
            ending = ending.worst(failure.ending());
        }
        guard.finish();
        for steps in found {
            if is_expected(name) && shortest.as_ref().is_none_or(|known| steps < known.steps) {
                shortest = Some(Found { steps, name: name.clone() });
            }
            if !is_tour {
                show(terminal, name, &hunted)?;
            }
        }
    }
    terminal.print(&table.to_string());
    let all: Vec<String> = hunt::PROPERTIES.iter().map(|property| property.to_string()).collect();
    terminal.print(&format!("{DIM}all: {}{DIM:#}\n", all.join(", ")));
    if is_tour && let Some(found) = shortest {
        let title = format!(
            "\nThe shortest of these counterexamples: {DIM}linchpin verify {}{DIM:#}\n\n",
            found.name
        );
        terminal.print(&title);
        let guard = guard();
        let hunted = one(&found.name, &within(&guard, hunting))?;
        guard.finish();
        show(terminal, &found.name, &hunted)?;
    }
    Ok(ending)
}

/// A violation, by its length.
struct Found {
    steps: usize,
    name: String,
}

fn one(name: &str, budget: &Budget) -> Result<Hunted, Failure> {
    let source = Source::new(name)?;
    let mut line = ProgressLine::new();
    let hunted = hunt::hunt(&source, budget, &mut line);
    line.clear();
    hunted.map_err(|uncheckable| source.failure(uncheckable))
}

/// Whether a prover takes the model.
fn is_provable(name: &str) -> bool {
    let compiled = Source::new(name).and_then(|source| source.compiled(&Setting::default()));
    compiled.is_ok_and(|compiled| portfolio::is_taken(&compiled.program))
}

/// Adds a row for what is proved for all sizes, and one for what could not be; nothing where no prover takes the model.
fn prove(table: &mut Table, name: &str, budget: &Budget) -> Result<(), Failure> {
    let source = Source::new(name)?;
    let mut line = ProgressLine::new();
    let proving = portfolio::prove(&source, Some(&portfolio::PROPERTIES), None, budget, &mut line);
    line.clear();
    let proving = proving.map_err(|uncheckable| source.failure(uncheckable))?;
    if !proving.refusals.is_empty() {
        return Ok(());
    }
    let is_proved = |finding: &&Finding| matches!(finding.verdict(), Verdict::Holds);
    let (proved, open): (Vec<&Finding>, Vec<&Finding>) = proving.findings.iter().partition(is_proved);
    let names = |findings: &[&Finding]| {
        let names: Vec<String> = findings.iter().map(|finding| finding.property().to_string()).collect();
        names.join(", ")
    };
    let scope = || Cell::plain("any number of threads, nodes and values (pairs)");
    let mut time = Cell::plain(format!("{:.1} s", proving.time.as_secs_f64()));
    if !proved.is_empty() {
        let size = proving.certificate.as_ref().map_or(0, Certificate::size);
        table.row([
            Cell::plain(""),
            Cell::plain(names(&proved)),
            Cell::styled("proved", GOOD),
            scope(),
            Cell::plain(grouped(size as u64)),
            std::mem::replace(&mut time, Cell::plain("")),
            Cell::plain(""),
        ]);
    }
    if let Some(Verdict::Unknown(limit)) = open.first().map(|finding| finding.verdict()) {
        let text = format!("not proved ({limit})");
        let [empty, last, next] = [(); 3].map(|()| Cell::plain(""));
        table.row([empty, Cell::plain(names(&open)), Cell::styled(text, OPEN), scope(), last, time, next]);
    }
    Ok(())
}

/// Adds the rows of a model, one for all properties of which the same is said; gives the lengths of the violations.
fn rows(table: &mut Table, name: &str, hunted: &Hunted) -> Vec<usize> {
    let mut lengths = Vec::new();
    let mut groups: Vec<(Vec<Property>, String, anstyle::Style)> = Vec::new();
    for finding in &hunted.findings {
        let (text, style) = match finding.verdict() {
            Verdict::Holds => ("holds".to_string(), GOOD),
            Verdict::Violated(counterexample) => {
                let steps = counterexample.trace().choices.len();
                lengths.push(steps);
                (format!("violated in {steps} steps"), ERROR)
            }
            Verdict::Unknown(limit) => (format!("unknown ({limit})"), OPEN),
        };
        match groups.iter_mut().find(|(_, known, _)| *known == text) {
            Some((properties, ..)) => properties.push(finding.property()),
            None => groups.push((vec![finding.property()], text, style)),
        }
    }
    for (at, (properties, text, style)) in groups.iter().enumerate() {
        let names: Vec<String> = properties.iter().map(|property| property.to_string()).collect();
        let names = match (groups.len(), at) {
            (1, _) => "all".to_string(),
            (_, at) if at > 0 && at + 1 == groups.len() && names.len() > 1 => "the rest".to_string(),
            _ => names.join(", "),
        };
        let first = |text: String| if at == 0 { Cell::plain(text) } else { Cell::plain("") };
        table.row([
            first(name.to_string()),
            Cell::plain(names),
            Cell::styled(text, *style),
            first(scope(hunted)),
            first(grouped(hunted.states)),
            first(format!("{:.1} s", hunted.time.as_secs_f64())),
            first(hunted.next.clone().unwrap_or_default()),
        ]);
    }
    lengths
}

fn scope(hunted: &Hunted) -> String {
    let Some(scope) = &hunted.scope else { return String::new() };
    let cuts = hunted.findings.first().map(|finding| finding.effort.cuts.clone()).unwrap_or_default();
    let mut program = (*hunted.compiled.program).clone();
    // The values of constants are in `check`'s answer; a table has no room for them.
    program.constants.clear();
    let mut text = bounds_text(&program, &scope.bounds);
    if let ClientScope::Schedules { calls, preadds, .. } = &scope.client {
        let count = |n: u32, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        text = [count(scope.bounds.threads, "thread"), count(calls.1, "call")].join(", ");
        if preadds.1 > 0 {
            text += &format!(", {}", count(preadds.1, "pre-add"));
        }
    }
    // What it takes over from a `check` block, and whatever else makes the verdict say less than its sizes do.
    let mut more = qualified::of_scope(scope, &cuts);
    more.retain(|qualification| !matches!(qualification, Qualification::Schedules { .. }));
    text + &qualified::scope_words(&more)
}

/// The counterexamples of a model in full.
fn show(terminal: &mut Terminal, name: &str, hunted: &Hunted) -> Result<(), Failure> {
    let compiled = match &hunted.scope {
        Some(scope) => {
            Source::new(name)?.compiled(&Setting { threads: scope.bounds.threads, ..Setting::default() })?
        }
        None => hunted.compiled.clone(),
    };
    for finding in &hunted.findings {
        if let Verdict::Violated(counterexample) = finding.verdict() {
            let text = counterexample::draw(&compiled.sources, counterexample, terminal.width);
            terminal.print(&(text + "\n"));
        }
    }
    Ok(())
}

/// A violation of what the catalogue calls wrong is as expected.
fn is_expected(name: &str) -> bool {
    catalogue::find(name).is_some_and(|entry| entry.group == Group::Wrong)
}
