//! `linchpin check --minimize-bounds`: finds the minimal bounds that show a violation.

use super::budget::ProgressLine;
use super::check::{Arguments, jobs, request, try_observers, write_json};
use super::files::{model_inputs, outputs_apply};
use super::guard::Guard;
use super::instance::{Dimensions, points_apply, sizes_apply};
use super::source::Source;
use super::terminal::Terminal;
use super::{Ending, Failure};
use linchpin_engine::verdict::{ExpectationResult, Finding, Verdict};
use linchpin_explore::Request;
use linchpin_explore::minimise::{Bound, MinimiseRun, Minimised, Point, minimise};
use linchpin_ir::interface::Setting;
use linchpin_ir::interface::threads_of;
use linchpin_report::line::{BOLD, DIM, ERROR};
use linchpin_report::table::{Table, TableCell};
use linchpin_report::verdicts::{GOOD, OPEN, duration_text, grouped};
use std::ops::RangeInclusive;
use std::time::Instant;

/// Default ranges: greater than the greatest minimal bounds of the published tables.
const THREADS: RangeInclusive<u32> = 1..=3;
const NODES: RangeInclusive<u32> = 1..=4;
const VALUES: RangeInclusive<u32> = 1..=2;

pub fn run(
    terminal: &mut Terminal,
    arguments: &Arguments,
    source: &Source,
    guard: &Guard,
) -> Result<Ending, Failure> {
    let started = Instant::now();
    let compiled = source.compiled(&Setting::default())?;
    outputs_apply(&arguments.outputs(), &model_inputs(&compiled.sources))?;
    sizes_apply(&compiled.program, &arguments.bounds.sizes())?;
    if arguments.lin_points {
        points_apply(&compiled.program)?;
    }
    try_observers(source, &compiled, &arguments.properties)?;
    let has = Dimensions::of(&compiled.program);
    let request = widened(arguments, has, threads_of(&compiled.program.roles));
    let mut line = ProgressLine::new();
    let walk = minimise(source, &request, &guard.budget, &mut line);
    line.clear();
    let walk = walk.map_err(|error| source.failure(error))?;
    guard.finish();
    let findings = walk.properties.iter().flat_map(findings_of);
    let is_all = write_json(
        terminal,
        arguments,
        findings.map(|finding| (finding.clone(), ExpectationResult::default())),
    );
    if !is_all {
        let lines = lines(&walk, has);
        if arguments.quiet {
            terminal.print(&lines);
        } else {
            let names = names(has).join(", ");
            let (instances, states) = (grouped(walk.instances as u64), grouped(walk.states));
            let time = duration_text(started.elapsed().as_secs_f64());
            terminal.print(&format!("{BOLD}{}{BOLD:#} minimal ({names})\n{lines}", source.file));
            terminal.print(&format!(
                "  {DIM}up to {}; {instances} instances, {states} states, {time}{DIM:#}\n",
                top(&request, has)
            ));
        }
    }
    Ok(ending(&walk))
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

fn lines(walk: &MinimiseRun, has: Dimensions) -> String {
    let mut table = Table::without_heading();
    for found in &walk.properties {
        let (word, style) = match (found.minimal.is_empty(), found.holds()) {
            (false, _) => ("violated", ERROR),
            (true, true) => ("holds", GOOD),
            (true, false) => ("unknown", OPEN),
        };
        let minimal = found.minimal.iter().map(|(point, finding)| {
            let steps = match finding.verdict() {
                Verdict::Violated(counterexample) => counterexample.trace().choices.len(),
                Verdict::Holds | Verdict::Unknown(_) => 0,
            };
            format!("{} in {steps} steps", point_text(point, has))
        });
        let mut text = minimal.collect::<Vec<_>>().join(", ");
        if let Some(open) = found.open.first() {
            let more = found.open.len() - 1;
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let gap = if text.is_empty() { "" } else { "; " };
            text += &format!("{gap}not finished: {}{more}", point_text(open, has));
        }
        if word == "unknown" && text.is_empty() {
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
    table.to_string().lines().fold(String::new(), |out, line| out + "  " + line + "\n")
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

fn ending(walk: &MinimiseRun) -> Ending {
    if walk.properties.iter().any(|found| !found.minimal.is_empty()) {
        return Ending::Violated;
    }
    match walk.properties.iter().all(|found| found.holds()) {
        true => Ending::AsAsked,
        false => Ending::Unknown,
    }
}
