//! `linchpin verify`: searches for violations in growing bounds, then proves for all sizes.
//!
//! The table fits the width. Each row is printed when it is known. So column widths depend only on
//! the names of the models and the width of the terminal. Long reasons get a number and follow below the table.

use super::budget::ProgressLine;
use super::files::outputs_apply;
use super::guard::{Guard, Interrupts};
use super::instance::bounds_text;
use super::reports::Reports;
use super::source::Source;
use super::terminal::Terminal;
use super::values::{MemorySize, TimeLimit};
use super::{Ending, Failure};
use clap::Args;
use linchpin_engine::model::Compiled;
use linchpin_engine::verdict::{
    Annotation, BoundedScope, ClientScope, Cuts, ExpectationResult, Finding, Scope, Verdict,
};
use linchpin_engine::{Budget, cores};
use linchpin_explore as explore;
use linchpin_explore::hunt::Hunted;
use linchpin_explore::{Request, hunt};
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_judge::Counterexample;
use linchpin_portfolio as portfolio;
use linchpin_portfolio::catalogue;
use linchpin_portfolio::catalogue::Group;
use linchpin_report::counterexample;
use linchpin_report::line::{BOLD, DIM, ERROR, display_width, hanging};
use linchpin_report::qualified;
use linchpin_report::qualified::Qualification;
use linchpin_report::table::{Table, TableCell};
use linchpin_report::verdicts::{GOOD, OPEN, grouped};
use linchpin_report::view::overview::{Overview, OverviewRow};
use linchpin_report::visible::visible;
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
const TIME_OF_TOUR: Duration = Duration::from_millis(1200);
const TIME_OF_PROOF: Duration = Duration::from_secs(60);

pub fn run(terminal: &mut Terminal, arguments: &Arguments) -> Result<Ending, Failure> {
    arguments.reports.apply()?;
    let inputs: Vec<PathBuf> = arguments.models.iter().map(PathBuf::from).collect();
    outputs_apply(&arguments.reports.outputs(), &inputs)?;
    let is_tour = arguments.models.is_empty();
    let all: Vec<String> = catalogue::entries().iter().map(|entry| entry.name.to_string()).collect();
    let models = if is_tour { &all } else { &arguments.models };
    let interrupts = Interrupts::listen();
    let asked = arguments.timeout.map(|limit| limit.duration);
    let hunting = asked.unwrap_or(if is_tour { TIME_OF_TOUR } else { TIME_OF_NAMED });
    let proving = asked.unwrap_or(if is_tour { TIME_OF_TOUR } else { TIME_OF_PROOF });
    let within = |guard: &Guard, time: Duration| Budget { time: Some(time), ..guard.budget.clone() };
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
        // Search and proof share the given time.
        let started = Instant::now();
        let share = |source: &Source| if arguments.timeout.is_some() && is_provable(source) { 2 } else { 1 };
        let found = Source::new(name).and_then(|source| {
            let share = share(&source);
            let hunted = search(&source, &within(&guard, hunting / share))?;
            Ok((source, share, hunted))
        });
        let (source, share, hunted) = match found {
            Ok(found) => found,
            Err(failure) => {
                terminal.note(format_args!("{failure}\n"));
                ending = ending.worst(failure.ending());
                continue;
            }
        };
        let expected = Expected::of(name, &hunted.compiled.program);
        let mut results = vec![result_of(&hunted)];
        let is_violated = |result: &SearchResult| !result.violations.is_empty();
        if expected == Expected::Violated && !results.iter().any(is_violated) {
            let left = (hunting / share).saturating_sub(started.elapsed()).max(hunting / 2);
            results.extend(own_checks(&source, &hunted.compiled, &within(&guard, left)));
        }
        // The tour expects violations of wrong models. A named model is a question about that model.
        if !(is_tour && group == Some(Group::Wrong)) {
            let findings = results.iter().flat_map(|result| &result.findings);
            ending = ending.worst(Ending::of(findings.map(|f| (f, ExpectationResult::default()))));
        }
        let found: Vec<Found> = results
            .iter()
            .flat_map(|result| &result.violations)
            .map(|(compiled, counterexample)| Found::new(name, compiled, counterexample))
            .collect();
        for (at, result) in results.iter().enumerate() {
            page.result(terminal, if at == 0 { name } else { "" }, expected, result);
        }
        guard.keep("", ending);
        if found.is_empty()
            && let Err(failure) = prove(&mut page, terminal, &source, &within(&guard, proving / share))
        {
            terminal.note(format_args!("{failure}\n"));
            ending = ending.worst(failure.ending());
        }
        guard.finish();
        if !is_tour {
            drawn.extend(found);
        } else if group == Some(Group::Wrong) {
            shortest = shortest.into_iter().chain(found).min_by_key(|found| found.steps);
        }
    }
    // What an interrupt left open is unknown, also where a smaller instance holds.
    if interrupts.have_come() {
        ending = ending.worst(Ending::Unknown);
    }
    page.reasons(terminal);
    if let Some(found) = shortest {
        terminal.print(&format!("\n{BOLD}A shortest counterexample{BOLD:#} {DIM}({}){DIM:#}\n", found.name));
        drawn.push(found);
    }
    for found in drawn {
        let text = counterexample::draw(&found.compiled.sources, &found.counterexample, terminal.width);
        terminal.print(&format!("\n{text}"));
    }
    if let Some(path) = &arguments.reports.html {
        let overview = Overview { reasons: page.reasons, ..page.overview };
        terminal.save(path, Ok(linchpin_page::overview_page(&overview)));
    }
    Ok(ending)
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

/// The expected verdict of a model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// No `check` block.
    Unstated,
    Holds,
    Violated,
}

impl Expected {
    /// Returns the expectation: of a model of the catalogue by its group, of another model by its `check`
    /// blocks. Progress properties of other models do not count: most correct objects violate one.
    fn of(name: &str, program: &Program) -> Expected {
        match group_of(name) {
            Some(Group::Correct) => return Expected::Holds,
            Some(Group::Wrong) => return Expected::Violated,
            None => {}
        }
        let mut expected = Expected::Unstated;
        for expectation in program.checks.iter().flat_map(|check| Request::of_check(check).1) {
            let counts = !PROGRESS.contains(&expectation.property);
            if (expectation.violated && counts) || expectation.points_violated == Some(true) {
                return Expected::Violated;
            }
            expected = Expected::Holds;
        }
        expected
    }

    fn text(self) -> &'static str {
        match self {
            Expected::Unstated => "–",
            Expected::Holds => "holds",
            Expected::Violated => "violated",
        }
    }

    fn cell(self) -> TableCell {
        TableCell::styled(self.text(), DIM)
    }
}

const PROGRESS: [Property; 5] = [
    Property::Terminating,
    Property::LockFree,
    Property::WaitFree,
    Property::ObstructionFree,
    Property::StarvationFree,
];

/// The result of one search.
struct SearchResult {
    findings: Vec<Finding>,
    violations: Vec<(Compiled, Counterexample)>,
    scope: String,
    states: u64,
    time: Duration,
}

fn search(source: &Source, budget: &Budget) -> Result<Hunted, Failure> {
    let mut line = ProgressLine::new();
    let hunted = hunt::hunt(source, budget, &mut line);
    line.clear();
    hunted.map_err(|error| source.failure(error))
}

fn result_of(hunted: &Hunted) -> SearchResult {
    let cuts = hunted.findings.first().map(|finding| finding.effort.cuts.clone()).unwrap_or_default();
    SearchResult {
        violations: violations(&hunted.compiled, &hunted.findings),
        scope: hunted.scope.as_ref().map_or(String::new(), |of| scope(&hunted.compiled.program, of, &cuts)),
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

/// Runs the `check` blocks that expect a violation, until one shows it. Such a violation needs other bounds,
/// properties or points than the search in growing bounds.
fn own_checks(source: &Source, compiled: &Compiled, budget: &Budget) -> Option<SearchResult> {
    for check in &compiled.program.checks {
        let (mut request, expectations) = Request::of_check(check);
        let is_expected = |finding: &Finding| {
            let mut all = expectations.iter().filter(|expected| expected.property == finding.property());
            all.any(|expected| expected.violated || expected.points_violated == Some(true))
        };
        request.jobs = cores();
        let started = Instant::now();
        let mut line = ProgressLine::new();
        let answer = explore::check(source, &request, budget, &mut line);
        line.clear();
        let mut findings = answer.unwrap_or_default();
        findings.retain(is_expected);
        let setting = request.largest().map_or(Setting::default(), |size| size.setting);
        let compiled = source.compiled(&setting).ok()?;
        let violations = violations(&compiled, &findings);
        if let (false, Some(Scope::Bounded(of))) =
            (violations.is_empty(), findings.first().map(Finding::scope))
        {
            let scope = scope(&compiled.program, of, &findings[0].effort.cuts);
            let states = findings[0].effort.states;
            return Some(SearchResult { violations, scope, states, time: started.elapsed(), findings });
        }
    }
    None
}

/// Returns whether a prover supports the model.
fn is_provable(source: &Source) -> bool {
    let compiled = source.compiled(&Setting::default());
    compiled.is_ok_and(|compiled| portfolio::is_taken(&compiled.program))
}

/// Adds a row for proved properties and a row for the others. A model without a prover gets no row.
fn prove(page: &mut Page, terminal: &mut Terminal, source: &Source, budget: &Budget) -> Result<(), Failure> {
    let mut line = ProgressLine::new();
    let result = portfolio::prove(source, Some(&portfolio::PROPERTIES), None, budget, &mut line);
    line.clear();
    let result = result.map_err(|error| source.failure(error))?;
    if !result.refusals.is_empty() {
        return Ok(());
    }
    let is_proved = |finding: &&Finding| matches!(finding.verdict(), Verdict::Holds);
    let (proved, open): (Vec<&Finding>, Vec<&Finding>) = result.findings.iter().partition(is_proved);
    let time = result.time;
    let sizes = format!("all sizes ({})", portfolio::method_of(&result.compiled.program).name());
    if !proved.is_empty() {
        let size = result.certificate_size() as u64;
        let text = format!("proved: {}", names(&proved));
        page.overview.rows.push(OverviewRow {
            states: grouped(size),
            time: seconds_text(time),
            ..proof_row(&sizes, &text, "proved")
        });
        let verdict = TableCell::styled(text, GOOD);
        page.row(terminal, "", TableCell::plain(""), verdict, &sizes, Some((size, time)));
    }
    if let Some(Verdict::Unknown(limit)) = open.first().map(|finding| finding.verdict()) {
        let number = page.reason(&limit.to_string());
        let text = format!("not proved: {} [{number}]", names(&open));
        page.overview.rows.push(proof_row(&sizes, &text, "unknown"));
        let verdict = TableCell::styled(text, OPEN);
        page.row(terminal, "", TableCell::plain(""), verdict, &sizes, None);
    }
    Ok(())
}

/// Returns the row of a proof without its cost.
fn proof_row(scope: &str, verdict: &str, tone: &'static str) -> OverviewRow {
    OverviewRow { verdict: verdict.into(), tone, scope: scope.into(), ..OverviewRow::default() }
}

/// Returns the kind of the verdict of a search.
fn tone_of(result: &SearchResult) -> &'static str {
    let is_unknown = |finding: &Finding| matches!(finding.verdict(), Verdict::Unknown(_));
    match (result.violations.is_empty(), result.findings.iter().any(is_unknown)) {
        (false, _) => "violated",
        (true, true) => "unknown",
        (true, false) => "holds",
    }
}

fn seconds_text(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn names(findings: &[&Finding]) -> String {
    let names: Vec<String> = findings.iter().map(|finding| finding.property().to_string()).collect();
    names.join(", ")
}

/// The table, printed row by row.
struct Page {
    widths: Vec<usize>,
    reasons: Vec<String>,
    /// The same rows for the page of `--html`.
    overview: Overview,
}

/// Widths of columns with short contents.
const EXPECTED: usize = 8;
const STATES: usize = 9;
const TIME: usize = 6;
/// A terminal of this width has columns for states and time.
const WIDE: usize = 96;
/// A terminal of this width has a column for the scope.
const NARROW: usize = 60;

impl Page {
    /// Prints the heading.
    fn new(terminal: &mut Terminal, models: &[String]) -> Page {
        let longest = models.iter().map(|name| display_width(name)).max().unwrap_or(0);
        let widths = column_widths(terminal.width, longest);
        let page = Page { widths, reasons: Vec::new(), overview: Overview::default() };
        let heading = ["model", "expected", "verdict", "scope", "states", "time"];
        page.cells(terminal, heading.map(|text| TableCell::styled(text, DIM)).to_vec());
        page
    }

    fn section(&self, terminal: &mut Terminal, title: &str) {
        terminal.print(&format!("\n{BOLD}{title}{BOLD:#}\n"));
    }

    /// Prints the row of a search.
    fn result(&mut self, terminal: &mut Terminal, name: &str, expected: Expected, result: &SearchResult) {
        let (text, style) = self.verdict(result);
        let is_violated = !result.violations.is_empty();
        let is_surprise = match expected {
            Expected::Unstated => false,
            Expected::Holds => is_violated,
            Expected::Violated => name.is_empty() && !is_violated,
        };
        let found = result.violations.first();
        let row = OverviewRow {
            model: visible(name),
            expected: if name.is_empty() { String::new() } else { expected.text().into() },
            verdict: text.clone(),
            tone: tone_of(result),
            is_surprise,
            scope: result.scope.clone(),
            states: grouped(result.states),
            time: seconds_text(result.time),
            execution: found.map(|_| self.overview.executions.len()),
        };
        self.overview.rows.push(row);
        self.overview.executions.extend(found.map(|(of, found)| counterexample::view(&of.sources, found)));
        let text = if is_surprise { format!("{text}, NOT AS EXPECTED") } else { text };
        let expected = if name.is_empty() { TableCell::plain("") } else { expected.cell() };
        let cost = Some((result.states, result.time));
        self.row(terminal, name, expected, TableCell::styled(text, style), &result.scope, cost);
    }

    /// Summarizes the verdicts of a search.
    fn verdict(&mut self, result: &SearchResult) -> (String, anstyle::Style) {
        let mut violated: Vec<String> = Vec::new();
        let mut unknown: Vec<&Finding> = Vec::new();
        for finding in &result.findings {
            match (finding.verdict(), &finding.annotation) {
                (Verdict::Violated(found), _) => {
                    violated.push(format!("{} in {} steps", finding.property(), found.trace().choices.len()));
                }
                (_, Some(Annotation::Refuted(found))) => {
                    violated.push(format!("points in {} steps", found.trace().choices.len()));
                }
                (Verdict::Unknown(_), _) => unknown.push(finding),
                (Verdict::Holds, _) => {}
            }
        }
        if !violated.is_empty() {
            return (format!("violated: {}", violated.join(", ")), ERROR);
        }
        let Some(Verdict::Unknown(limit)) = unknown.first().map(|finding| finding.verdict()) else {
            return ("holds".into(), GOOD);
        };
        let number = self.reason(&limit.to_string());
        match unknown.len() == result.findings.len() {
            true => (format!("unknown [{number}]"), OPEN),
            false => (format!("holds, but unknown: {} [{number}]", names(&unknown)), OPEN),
        }
    }

    /// Prints a row. Columns without room are dropped; a narrow table appends the scope to the verdict.
    fn row(
        &self,
        terminal: &mut Terminal,
        name: &str,
        expected: TableCell,
        verdict: TableCell,
        scope: &str,
        cost: Option<(u64, Duration)>,
    ) {
        let (states, time) = cost
            .map_or((String::new(), String::new()), |(states, time)| (grouped(states), seconds_text(time)));
        let cells = vec![TableCell::plain(visible(name)), expected, verdict, TableCell::plain(scope)];
        self.cells(terminal, cells.into_iter().chain([states, time].map(TableCell::plain)).collect());
        if self.widths.len() == 3 && !scope.is_empty() {
            for line in textwrap::wrap(scope, hanging(terminal.width - 2, 0)) {
                terminal.print(&format!("  {DIM}{line}{DIM:#}\n"));
            }
        }
    }

    fn cells(&self, terminal: &mut Terminal, mut cells: Vec<TableCell>) {
        cells.truncate(self.widths.len());
        let mut table = Table::without_heading();
        table.row(cells);
        terminal.print(&table.to_widths(&self.widths));
    }

    /// Returns the number of a reason.
    fn reason(&mut self, text: &str) -> usize {
        let known = self.reasons.iter().position(|known| known == text);
        1 + known.unwrap_or_else(|| {
            self.reasons.push(text.into());
            self.reasons.len() - 1
        })
    }

    /// Prints the reasons and the searched properties below the table.
    fn reasons(&self, terminal: &mut Terminal) {
        let all: Vec<String> = hunt::PROPERTIES.iter().map(|property| property.to_string()).collect();
        let reasons = self.reasons.iter().enumerate().map(|(at, text)| format!("[{}] {text}", at + 1));
        let properties = format!("properties: {}", all.join(", "));
        terminal.print("\n");
        for text in reasons.chain([properties]) {
            for line in textwrap::wrap(&text, hanging(terminal.width.min(WIDEST), 4)) {
                terminal.print(&format!("{DIM}{line}{DIM:#}\n"));
            }
        }
    }
}

/// The greatest width of the table.
const WIDEST: usize = 120;

/// Returns the widths of the columns for a terminal and for the longest name of a model. Between columns are
/// two blanks.
fn column_widths(width: usize, longest: usize) -> Vec<usize> {
    let width = width.min(WIDEST);
    let model = longest.clamp(5, width * 3 / 8);
    if width >= WIDE {
        let rest = width - model - EXPECTED - STATES - TIME - 10;
        vec![model, EXPECTED, rest / 2, rest - rest / 2, STATES, TIME]
    } else if width >= NARROW {
        let rest = width - model - EXPECTED - 6;
        vec![model, EXPECTED, rest / 2, rest - rest / 2]
    } else {
        vec![model, EXPECTED, width - model - EXPECTED - 4]
    }
}

/// Formats the scope of a search, with all qualifications.
fn scope(program: &Program, scope: &BoundedScope, cuts: &Cuts) -> String {
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
    text + &qualified::scope_words(&more)
}

/// Returns the group of a model of the catalogue.
fn group_of(name: &str) -> Option<Group> {
    catalogue::find(name).map(|entry| entry.group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_report::plain;

    #[test]
    fn the_table_fits_every_width() {
        let name = "synchronous_dual_queue_patched";
        for width in 40..200 {
            let widths = column_widths(width, display_width(name));
            let total = widths.iter().sum::<usize>() + 2 * (widths.len() - 1);
            assert!(total <= width.min(WIDEST), "{widths:?} at {width}");
            let mut table = Table::without_heading();
            let verdict = TableCell::styled("violated: linearizable in 22 steps, NOT AS EXPECTED", ERROR);
            let mut cells = vec![TableCell::plain(name), Expected::Violated.cell(), verdict];
            cells.extend(["2 threads, 3 nodes, 2 values", "1,234,567", "12.3 s"].map(TableCell::plain));
            cells.truncate(widths.len());
            table.row(cells);
            let text = plain::text(&table.to_widths(&widths));
            for line in text.lines() {
                assert!(display_width(line) <= width && line.trim_end() == line, "{width}: {line:?}");
            }
        }
    }
}
