//! `linchpin verify`: searches for violations in growing bounds, then proves for all sizes.
//!
//! 1. A model that is expected to be wrong: its own `check` blocks that expect a violation.
//! 2. Unless they show one: a search in growing bounds.
//! 3. Unless it finds a violation: a proof for all sizes, if a prover supports the model.
//! 4. If time is left and something is not proved: a longer search.

mod expected;
mod page;

use super::budget::ProgressLine;
use super::files::outputs_apply;
use super::guard::{Guard, Interrupts};
use super::instance::bounds_text;
use super::reports::{Content, Reports};
use super::source::Source;
use super::terminal::Terminal;
use super::values::{MemorySize, TimeLimit};
use super::{Ending, Failure};
use clap::Args;
use expected::{Expected, own_checks};
use linchpin_engine::Budget;
use linchpin_engine::model::Compiled;
use linchpin_engine::verdict::{
    Annotation, BoundedScope, ClientScope, Cuts, ExpectationResult, Finding, Verdict,
};
use linchpin_explore::hunt;
use linchpin_explore::hunt::Hunted;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_judge::Counterexample;
use linchpin_portfolio as portfolio;
use linchpin_portfolio::catalogue;
use linchpin_portfolio::catalogue::Group;
use linchpin_report::counterexample;
use linchpin_report::line::{BOLD, DIM, Palette};
use linchpin_report::qualified;
use linchpin_report::qualified::Qualification;
use linchpin_report::visible::visible;
use page::{Head, Page, Standing};
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Args, Debug)]
pub struct Arguments {
    /// `.lin` files or names of the catalogue (default: all models of the catalogue)
    pub models: Vec<String>,
    /// Time limit for each model, such as `60s`, shared by search and proof
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<TimeLimit>,
    /// Memory limit, such as `8G`
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<MemorySize>,
    #[command(flatten)]
    pub reports: Reports,
}

/// Default time limits for each model. The tour of the catalogue ends within a few minutes.
const TIME_OF_NAMED: Duration = Duration::from_secs(5);
const TIME_OF_TOUR: Duration = Duration::from_millis(1000);
const PROOF_OF_NAMED: Duration = Duration::from_secs(60);
const PROOF_OF_TOUR: Duration = Duration::from_secs(3);
/// The default time limit for the `check` blocks of a model that expect a violation.
const TIME_OF_OWN_CHECKS: Duration = Duration::from_secs(30);

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    arguments.reports.apply()?;
    let inputs: Vec<PathBuf> = arguments.models.iter().map(PathBuf::from).collect();
    outputs_apply(&arguments.reports.outputs(), &inputs)?;
    let is_tour = arguments.models.is_empty();
    let all: Vec<String> = catalogue::entries().iter().map(|entry| entry.name.to_string()).collect();
    let models = if is_tour { &all } else { &arguments.models };
    let interrupts = Interrupts::listen();
    let mut page = Page::new(terminal, models);
    let mut shortest: Option<Found> = None;
    let mut drawn: Vec<Found> = Vec::new();
    let mut ending = Ending::AsAsked;
    let mut group = None;
    for name in models {
        if interrupts.have_come() {
            break;
        }
        let guard = Guard::new(&interrupts, arguments.timeout, arguments.memory);
        guard.keep("", ending);
        if is_tour && group != group_of(name) {
            group = group_of(name);
            page.section(
                terminal,
                if group == Some(Group::Wrong) { "wrong models" } else { "correct models" },
            );
        }
        let is_excused = is_tour && group == Some(Group::Wrong);
        let times = Times { asked: arguments.timeout.map(|limit| limit.duration), is_tour };
        let mut run = ModelRun {
            page: &mut page,
            terminal,
            guard: &guard,
            times,
            is_excused,
            ending,
            found: Vec::new(),
            started: Instant::now(),
            line: ProgressLine::new(),
        };
        let result = run.verify(name);
        let found = std::mem::take(&mut run.found);
        ending = run.ending;
        if let Err(failure) = result {
            terminal.note(format_args!("{failure}\n"));
            ending = ending.worst(failure.ending());
        }
        guard.finish();
        if !is_tour {
            drawn.extend(found);
        } else if is_excused {
            shortest = shortest.into_iter().chain(found).min_by_key(|found| found.steps);
        }
    }
    // What an interrupt left open is unknown, also where a smaller instance holds.
    if interrupts.have_come() {
        ending = ending.worst(Ending::Unknown);
    }
    page.end(terminal);
    if let Some(found) = shortest {
        terminal.print(&format!("\n{BOLD}A shortest counterexample{BOLD:#} {DIM}({}){DIM:#}\n", found.name));
        drawn.push(found);
    }
    for found in drawn {
        let text = counterexample::draw(
            &found.compiled.sources,
            &found.counterexample,
            terminal.width,
            Palette::Colours,
        );
        terminal.print(&format!("\n{text}"));
    }
    if arguments.reports.is_asked() {
        arguments.reports.save(terminal, &Content::Overview(&page.overview()));
    }
    Ok(ending)
}

/// The time limits of one model.
#[derive(Clone, Copy)]
struct Times {
    /// The limit of the command line.
    asked: Option<Duration>,
    is_tour: bool,
}

impl Times {
    fn own_checks(self) -> Duration {
        self.asked.map_or(TIME_OF_OWN_CHECKS, |asked| asked / 2)
    }

    /// The first search. A long search begins only if the proof fails.
    fn search(self, is_provable: bool) -> Duration {
        match self.asked {
            Some(asked) if is_provable => TIME_OF_NAMED.min(asked / 2),
            Some(asked) => asked,
            None if self.is_tour => TIME_OF_TOUR,
            None => TIME_OF_NAMED,
        }
    }

    fn proof(self) -> Duration {
        let default = if self.is_tour { PROOF_OF_TOUR } else { PROOF_OF_NAMED };
        self.asked.map_or(default, |asked| asked / 2)
    }

    /// The time that is left for a longer search; `None` if that is not longer than the first one.
    fn longer_search(self, started: Instant) -> Option<Duration> {
        let left = self.asked?.saturating_sub(started.elapsed());
        (left > TIME_OF_NAMED).then_some(left)
    }
}

/// The run of one model.
struct ModelRun<'a> {
    page: &'a mut Page,
    terminal: &'a mut Terminal,
    guard: &'a Guard,
    times: Times,
    /// The tour expects violations of wrong models. A named model is a question about that model.
    is_excused: bool,
    ending: Ending,
    found: Vec<Found>,
    started: Instant,
    line: ProgressLine,
}

impl ModelRun<'_> {
    fn verify(&mut self, name: &str) -> Result<(), Failure> {
        let source = Source::new(name)?;
        let compiled = source.compiled(&Setting::default())?;
        let expected = Expected::of(name, &compiled.program);
        let head = Head { name, expected };
        self.line.begin(format!("{}: ", visible(name)));
        let mut unfinished = Vec::new();
        if expected == Expected::Violated {
            let own = own_checks(&source, &compiled, &self.within(self.times.own_checks()), &mut self.line);
            self.line.clear();
            let own = own?;
            if let Some(result) = own.found {
                self.show(Some(head), &result, Standing::Plain);
                return Ok(());
            }
            unfinished = own.unfinished;
        }
        let is_provable = portfolio::is_taken(&compiled.program);
        let result = self.search(&source, self.times.search(is_provable))?;
        let is_violated = !result.violations.is_empty();
        let standing = match expected {
            Expected::Holds if is_violated => Standing::Surprise,
            Expected::Violated if !is_violated && unfinished.is_empty() => Standing::Surprise,
            Expected::Violated if !is_violated => Standing::Unfinished(unfinished),
            _ => Standing::Plain,
        };
        self.show(Some(head), &result, standing);
        if !is_violated
            && is_provable
            && !self.prove(&source)?
            && let Some(time) = self.times.longer_search(self.started)
        {
            let result = self.search(&source, time)?;
            self.show(None, &result, Standing::Plain);
        }
        Ok(())
    }

    fn within(&self, time: Duration) -> Budget {
        Budget { time: Some(time), ..self.guard.budget.clone() }
    }

    fn search(&mut self, source: &Source, time: Duration) -> Result<SearchResult, Failure> {
        let hunted = hunt::hunt(source, &self.within(time), &mut self.line);
        self.line.clear();
        hunted.map(|hunted| result_of(&hunted)).map_err(|error| source.failure(error))
    }

    /// Prints the row of a search and judges the result.
    fn show(&mut self, head: Option<Head>, result: &SearchResult, standing: Standing) {
        let of_findings = Ending::of(result.findings.iter().map(|f| (f, ExpectationResult::default())));
        let of_standing = match standing {
            Standing::Plain => Ending::AsAsked,
            Standing::Surprise => Ending::Violated,
            Standing::Unfinished(_) => Ending::Unknown,
        };
        let is_expected = self.is_excused && !result.violations.is_empty();
        if !is_expected {
            self.ending = self.ending.worst(of_findings).worst(of_standing);
        }
        let name = head.map_or("", |head| head.name);
        self.found
            .extend(result.violations.iter().map(|(compiled, found)| Found::new(name, compiled, found)));
        self.page.result(self.terminal, head, result, &standing);
        self.guard.keep("", self.ending);
    }

    /// Adds a row for proved properties and a row for the others. Returns whether all are proved.
    fn prove(&mut self, source: &Source) -> Result<bool, Failure> {
        let budget = self.within(self.times.proof());
        let result = portfolio::prove(source, Some(&portfolio::PROPERTIES), None, &budget, &mut self.line);
        self.line.clear();
        let result = result.map_err(|error| source.failure(error))?;
        if !result.refusals.is_empty() {
            return Ok(false);
        }
        let is_proved = |finding: &&Finding| matches!(finding.verdict(), Verdict::Holds);
        let (proved, open): (Vec<&Finding>, Vec<&Finding>) = result.findings.iter().partition(is_proved);
        let sizes = format!("all sizes ({})", portfolio::method_of(&result.compiled.program).name());
        if !proved.is_empty() {
            let cost = (result.certificate_size() as u64, result.time);
            self.page.proved(self.terminal, &proved, &sizes, cost);
        }
        if let Some(Verdict::Unknown(limit)) = open.first().map(|finding| finding.verdict()) {
            self.page.not_proved(self.terminal, &open, limit, &sizes);
        }
        Ok(open.is_empty())
    }
}

/// A violation with its program.
struct Found {
    name: String,
    steps: usize,
    compiled: Compiled,
    counterexample: Counterexample,
}

impl Found {
    fn new(name: &str, compiled: &Compiled, counterexample: &Counterexample) -> Found {
        let steps = counterexample.trace().choices.len();
        Found { name: name.into(), steps, compiled: compiled.clone(), counterexample: counterexample.clone() }
    }
}

/// The result of one search.
struct SearchResult {
    findings: Vec<Finding>,
    violations: Vec<(Compiled, Counterexample)>,
    scope: String,
    /// Several restrictions on schedules, which have no room in the table.
    restricted: Option<String>,
    states: u64,
    time: Duration,
}

fn result_of(hunted: &Hunted) -> SearchResult {
    let cuts = hunted.findings.first().map(|finding| finding.effort.cuts.clone()).unwrap_or_default();
    let program = &hunted.compiled.program;
    let (scope, restricted) =
        hunted.scope.as_ref().map_or_else(Default::default, |of| scope(program, of, &cuts));
    SearchResult {
        violations: violations(&hunted.compiled, &hunted.findings),
        scope,
        restricted,
        findings: hunted.findings.clone(),
        states: hunted.states,
        time: hunted.time,
    }
}

fn violations(compiled: &Compiled, findings: &[Finding]) -> Vec<(Compiled, Counterexample)> {
    let found = findings.iter().filter_map(|finding| match (finding.verdict(), &finding.annotation) {
        (Verdict::Violated(counterexample), _) => Some((**counterexample).clone()),
        (_, Some(Annotation::Refuted(counterexample))) => Some((**counterexample).clone()),
        _ => None,
    });
    found.map(|counterexample| (compiled.clone(), counterexample)).collect()
}

fn seconds_text(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// Formats the scope of a search, with all qualifications. Several restrictions are apart.
fn scope(program: &Program, scope: &BoundedScope, cuts: &Cuts) -> (String, Option<String>) {
    let mut program = program.clone();
    // The table has no room for constants; `check` prints them.
    program.constants.clear();
    let mut text = bounds_text(&program, &scope.bounds);
    if let ClientScope::Schedules { calls, preadds, .. } = &scope.client {
        let count = |n: u32, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        text = [count(scope.bounds.threads, "thread"), count(calls.1, "call")].join(", ");
        if preadds.1 > 0 {
            text += &format!(", {}", count(preadds.1, "pre-add"));
        }
    }
    let mut more = qualified::of_scope(scope, cuts);
    more.retain(|qualification| !matches!(qualification, Qualification::Schedules { .. }));
    let is_long = |one: &Qualification| matches!(one, Qualification::Restricted(names) if names.len() > 1);
    let long: Vec<Qualification> = more.extract_if(.., |one| is_long(one)).collect();
    let restricted = long.first().and_then(Qualification::in_scope).map(|(_, text)| text);
    (text + &qualified::scope_words(&more), restricted)
}

/// Returns the group of a model of the catalogue.
fn group_of(name: &str) -> Option<Group> {
    catalogue::find(name).map(|entry| entry.group)
}
