//! `linchpin check --minimize-bounds`: finds the minimal bounds that show a violation.

use super::super::budget::ProgressLine;
use super::super::files::{model_inputs, outputs_apply};
use super::super::guard::{Guard, Interrupts};
use super::super::instance::{Dimensions, points_apply, sizes_apply};
use super::super::source::Source;
use super::super::terminal::Terminal;
use super::super::values::TimeLimit;
use super::super::{Ending, Failure};
use super::arguments::Arguments;
use super::outcome::write_json;
use super::requests::request;
use super::{jobs, try_observers};
use linchpin_engine::verdict::{ExpectationResult, Finding, Verdict};
use linchpin_engine::{Listener, Progress};
use linchpin_explore::Request;
use linchpin_explore::minimise::{Bound, Extent, MinimiseListener, MinimiseRun, Minimised, Point, minimise};
use linchpin_ir::interface::Setting;
use linchpin_ir::interface::threads_of;
use linchpin_report::json::Report;
use linchpin_report::line::{BOLD, DIM, ERROR};
use linchpin_report::quantities::{duration_text, grouped};
use linchpin_report::table::{Table, TableCell};
use linchpin_report::verdicts::{GOOD, OPEN};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// Default ranges: greater than the greatest minimal bounds of the published tables.
const THREADS: RangeInclusive<u32> = 1..=3;
const NODES: RangeInclusive<u32> = 1..=4;
const VALUES: RangeInclusive<u32> = 1..=2;

/// The time limit without `--timeout`.
const TIME: Duration = Duration::from_secs(60);

/// Searches every model, one after the other.
pub fn run(
    terminal: &mut Terminal,
    arguments: &Arguments,
    interrupts: &Interrupts,
) -> Result<Ending, Failure> {
    let mut ending = Ending::AsAsked;
    let mut findings: Vec<(String, Finding, ExpectationResult)> = Vec::new();
    for model in &arguments.models {
        let answer =
            Source::new(model).and_then(|source| minimise_model(terminal, arguments, &source, interrupts));
        match answer {
            Ok(walk) => {
                ending = ending.worst(ending_of(&walk));
                findings.extend(
                    walk.properties
                        .iter()
                        .flat_map(findings_of)
                        .map(|finding| (model.clone(), finding.clone(), ExpectationResult::default())),
                );
            }
            Err(failure) if arguments.models.len() > 1 => {
                terminal.note(format_args!("{failure}\n"));
                ending = ending.worst(failure.ending());
            }
            Err(failure) => return Err(failure),
        }
    }
    let report = match arguments.models.as_slice() {
        [model] => Report::new(model, findings.into_iter().map(|(_, finding, judged)| (finding, judged))),
        _ => Report::of_models(findings),
    };
    write_json(terminal, arguments, &report);
    Ok(ending)
}

fn minimise_model(
    terminal: &mut Terminal,
    arguments: &Arguments,
    source: &Source,
    interrupts: &Interrupts,
) -> Result<MinimiseRun, Failure> {
    let limit = arguments.timeout.unwrap_or(TimeLimit { duration: TIME });
    let guard = Guard::new(interrupts, Some(limit), arguments.memory);
    let started = Instant::now();
    let compiled = source.compiled(&Setting::default())?;
    outputs_apply(&arguments.outputs(), &model_inputs(&compiled.sources))?;
    sizes_apply(&compiled.program, &arguments.bounds.sizes())?;
    if arguments.asks_for_points() {
        points_apply(&compiled.program)?;
    }
    try_observers(source, &compiled, &arguments.properties)?;
    let has = Dimensions::of(&compiled.program);
    let request = widened(arguments, has, threads_of(&compiled.program.roles));
    let extent = match (arguments.client.keep_going, arguments.properties.is_empty()) {
        (true, _) => Extent::All,
        (false, true) => Extent::First,
        (false, false) => Extent::FirstOfEach,
    };
    let is_shown = !arguments.is_json_alone();
    if is_shown && !arguments.quiet {
        let time = duration_text(limit.duration.as_secs_f64());
        terminal.print(&format!(
            "{BOLD}{}{BOLD:#} minimal ({}) up to {}, within {time}\n",
            source.file,
            names(has).join(", "),
            top(&request, has)
        ));
    }
    let mut answers =
        Answers { terminal, line: ProgressLine::new(), has, is_shown: is_shown && !arguments.quiet };
    let walk = minimise(source, &request, extent, &guard.budget, &mut answers);
    answers.line.clear();
    let walk = walk.map_err(|error| source.failure(error))?;
    guard.finish();
    if is_shown {
        terminal.print(&lines(&walk, has, terminal.width));
        if !arguments.quiet {
            let (instances, states) = (grouped(walk.instances as u64), grouped(walk.states));
            let time = duration_text(started.elapsed().as_secs_f64());
            terminal.print(&format!("  {DIM}{instances} instances, {states} states, {time}{DIM:#}\n"));
            if walk.properties.iter().any(|found| found.is_cut_short) {
                let text = "stopped at the violation; `--keep-going` finds all minimal bounds";
                terminal.print(&format!("  {DIM}{text}{DIM:#}\n"));
            }
        }
    }
    Ok(walk)
}

/// Prints each answer when it is known, above the progress line.
struct Answers<'t> {
    terminal: &'t mut Terminal,
    line: ProgressLine,
    has: Dimensions,
    is_shown: bool,
}

impl Listener for Answers<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.line.progress(progress);
    }
}

impl MinimiseListener for Answers<'_> {
    fn at(&mut self, point: &Point) {
        self.line.begin(format!("{}: ", point_text(point, self.has)));
    }

    fn found(&mut self, point: &Point, finding: &Finding) {
        if self.is_shown {
            self.line.clear();
            let (point, steps) = (point_text(point, self.has), steps_of(finding));
            self.terminal.print(&format!(
                "  {DIM}found: not {} at {point}, in {steps} steps{DIM:#}\n",
                finding.property()
            ));
            self.line = ProgressLine::new();
        }
    }
}

fn steps_of(finding: &Finding) -> usize {
    match finding.verdict() {
        Verdict::Violated(counterexample) => counterexample.trace().choices.len(),
        Verdict::Holds | Verdict::Unknown(_) => 0,
    }
}

/// Makes the request, with a range for every bound that applies to the model.
fn widened(arguments: &Arguments, has: Dimensions, (fewest, most): (u32, Option<u32>)) -> Request {
    let mut request = request(arguments);
    let given = &arguments.bounds;
    if given.threads.is_none() {
        request.threads = fewest..=most.unwrap_or(*THREADS.end()).max(fewest);
    }
    if given.nodes.is_none() && has.nodes {
        request.nodes = Some(NODES);
    }
    if given.values.is_none() && has.values {
        request.values = VALUES;
    }
    if given.keys.is_none() && has.keys {
        request.keys = VALUES;
    }
    request.jobs = jobs(arguments.jobs);
    request.reductions = arguments.reductions();
    request
}

fn findings_of(found: &Minimised) -> impl Iterator<Item = &Finding> {
    let none = if found.minimal.is_empty() { found.largest.as_ref() } else { None };
    found.minimal.iter().map(|(_, finding)| finding).chain(none)
}

fn lines(walk: &MinimiseRun, has: Dimensions, width: usize) -> String {
    let mut table = Table::without_heading();
    for found in &walk.properties {
        let (word, style) = match (found.minimal.is_empty(), found.holds()) {
            (false, _) => ("violated", ERROR),
            (true, true) => ("holds", GOOD),
            (true, false) => ("unknown", OPEN),
        };
        let minimal = found.minimal.iter().map(|(point, finding)| {
            let steps = steps_of(finding);
            format!("{} in {steps} steps", point_text(point, has))
        });
        let mut text = minimal.collect::<Vec<_>>().join(", ");
        if let Some(open) = found.open.first() {
            let more = found.open.len() - 1;
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let gap = if text.is_empty() { "" } else { "; " };
            text += &format!("{gap}not finished: {}{more}", point_text(open, has));
        }
        if word == "unknown" && text.is_empty() && found.is_cut_short {
            text = "no violation before the search stopped".into();
        } else if word == "unknown" && text.is_empty() {
            text = match found.largest.as_ref().map(Finding::verdict) {
                Some(Verdict::Unknown(limit)) => limit.to_string(),
                _ => "no call can complete within these bounds".into(),
            };
        }
        table.row([
            TableCell::plain(found.property.to_string()),
            TableCell::styled(word, style),
            TableCell::plain(text),
        ]);
    }
    table.to_width(width.saturating_sub(2)).lines().fold(String::new(), |out, line| out + "  " + line + "\n")
}

fn has_bound(bound: &Bound, has: Dimensions) -> bool {
    match bound {
        Bound::Threads | Bound::Constant(_) => true,
        Bound::Nodes => has.nodes,
        Bound::Values => has.values,
        Bound::Keys => has.keys,
    }
}

fn point_text(point: &Point, has: Dimensions) -> String {
    let shown = point.iter().filter(|(bound, _)| has_bound(bound, has));
    let values: Vec<String> = shown.map(|(_, value)| value.to_string()).collect();
    format!("({})", values.join(","))
}

fn names(has: Dimensions) -> Vec<&'static str> {
    let all = [(true, "threads"), (has.nodes, "nodes"), (has.values, "values"), (has.keys, "keys")];
    all.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect()
}

fn top(request: &Request, has: Dimensions) -> String {
    let ends = [
        (true, *request.threads.end()),
        (has.nodes, *request.nodes().end()),
        (has.values, *request.values.end()),
        (has.keys, *request.keys.end()),
    ];
    let shown = ends.into_iter().filter(|(has, _)| *has).map(|(_, end)| end.to_string());
    format!("({})", shown.collect::<Vec<_>>().join(","))
}

fn ending_of(walk: &MinimiseRun) -> Ending {
    if walk.properties.iter().any(|found| !found.minimal.is_empty()) {
        return Ending::Violated;
    }
    match walk.properties.iter().all(|found| found.holds()) {
        true => Ending::AsAsked,
        false => Ending::Unknown,
    }
}
