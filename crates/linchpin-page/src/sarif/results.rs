//! Results of a log: violations with their executions, and verdicts that are unknown.

use super::log::{CodeFlow, FlowLocation, Location, LogResult, Message, Suppression, ThreadFlow};
use linchpin_engine::verdict::Match;
use linchpin_report::line::Palette;
use linchpin_report::recorded::shown::{HistoryReport, HistoryVerdict};
use linchpin_report::trace::Step;
use linchpin_report::view::execution::ExecutionView;
use linchpin_report::view::intervals::{Interval, Intervals};
use linchpin_report::view::proof::ProofView;
use linchpin_report::view::verdicts::{VerdictRow, Verdicts};
use linchpin_report::view::why::Part;
use std::collections::{BTreeMap, BTreeSet};

/// Number of calls of a history to show. Of a longer history only the calls at fault are shown.
const MOST_CALLS: usize = 1_000;

pub fn of_verdicts(verdicts: &Verdicts) -> Vec<LogResult> {
    let mut results = Vec::new();
    let mut shown = BTreeSet::new();
    for request in &verdicts.requests {
        for row in &request.rows {
            match row.execution.and_then(|at| Some((at, verdicts.executions.get(at)?))) {
                Some((at, view)) => {
                    shown.insert(at);
                    results.push(LogResult {
                        rule_id: Some(row.property.clone()),
                        suppressions: suppressions(row.fit),
                        ..of_execution(view)
                    });
                }
                None if row.verdict == "unknown" => {
                    let place = Location::line(&request.place.uri, request.place.line);
                    results.push(open(&row.property, &row.remarks, place));
                }
                None => {}
            }
        }
    }
    let others = verdicts.executions.iter().enumerate().filter(|(at, _)| !shown.contains(at));
    results.extend(others.map(|(_, view)| of_execution(view)));
    results
}

pub fn of_proof(view: &ProofView, executions: &[ExecutionView]) -> Vec<LogResult> {
    let is_open = |row: &&VerdictRow| row.verdict == "unknown";
    let place = || Location::line(&view.source.uri, 1);
    let unknown = view.rows.iter().filter(is_open).map(|row| open(&row.property, &row.remarks, place()));
    executions.iter().map(of_execution).chain(unknown).collect()
}

/// Returns the result of one execution. A random run that violates nothing is a result of kind
/// `informational`.
pub fn of_execution(view: &ExecutionView) -> LogResult {
    let mut text = format!("{}: {} ({})", view.object, view.title, view.length);
    if !view.bounds.is_empty() {
        text += &format!("; {}", view.bounds);
    }
    let last = view.trace.steps.iter().rev().find_map(|step| line_of(view, step));
    LogResult {
        rule_id: (!view.rule.is_empty()).then(|| view.rule.clone()),
        kind: if view.is_violation { "fail" } else { "informational" },
        level: if view.is_violation { "error" } else { "none" },
        message: Message::of(text + &reasons(&view.why)),
        locations: vec![last.unwrap_or_else(|| Location::line(&view.source.uri, 1))],
        code_flows: code_flow(&view.length, flows_of_execution(view)),
        suppressions: Vec::new(),
    }
}

pub fn of_history(report: &HistoryReport) -> Vec<LogResult> {
    let place = || Location::line(&report.uri, 1);
    let result = |verdict: &HistoryVerdict| match verdict.verdict {
        "violated" => Some(LogResult {
            rule_id: Some(verdict.property.clone()),
            kind: "fail",
            level: "error",
            message: Message::of(format!(
                "{}: not {} as {}{}",
                report.file,
                verdict.property,
                report.spec,
                reasons(&verdict.parts)
            )),
            locations: vec![first_at_fault(report).unwrap_or_else(place)],
            code_flows: code_flow(&report.size, flows_of_history(&report.uri, &report.calls)),
            suppressions: Vec::new(),
        }),
        "unknown" => Some(open(&verdict.property, &verdict.remark, place())),
        _ => None,
    };
    report.verdicts.iter().filter_map(result).collect()
}

fn open(property: &str, reason: &str, place: Location) -> LogResult {
    LogResult {
        rule_id: Some(property.to_string()),
        kind: "open",
        level: "none",
        message: Message::of(format!("{property}: unknown; {reason}")),
        locations: vec![place],
        code_flows: Vec::new(),
        suppressions: Vec::new(),
    }
}

fn suppressions(fit: Match) -> Vec<Suppression> {
    let is_expected = fit == Match::AsExpected;
    let suppression = || Suppression {
        kind: "inSource",
        justification: "a `check` block of the model expects this violation",
    };
    is_expected.then(suppression).into_iter().collect()
}

/// Returns the parts of the explanation, each after an empty line.
fn reasons(parts: &[Part]) -> String {
    let text = |part: &Part| {
        let mut text = String::new();
        part.write(&mut text, Palette::Plain);
        format!("\n\n{}", text.trim_end())
    };
    parts.iter().map(text).collect()
}

fn code_flow(text: &str, thread_flows: Vec<ThreadFlow>) -> Vec<CodeFlow> {
    // The format has no empty code flow.
    if thread_flows.is_empty() {
        return Vec::new();
    }
    vec![CodeFlow { message: Message::of(text), thread_flows }]
}

fn flows_of_execution(view: &ExecutionView) -> Vec<ThreadFlow> {
    let mut flows: BTreeMap<usize, Vec<FlowLocation>> = BTreeMap::new();
    for (at, step) in view.trace.steps.iter().enumerate() {
        // A step without an access, such as a call, is at the line where the thread rests.
        let rest = view.trace.rests.get(at + 1).and_then(|rests| rests.get(step.thread));
        let line = step.line.as_ref().or(rest.and_then(|rest| rest.line.as_ref()));
        let place = match line {
            Some(line) => Location::line(line.uri.as_ref().unwrap_or(&view.source.uri), line.number),
            None => Location::line(&view.source.uri, 1),
        };
        let loops = if view.trace.cycle == Some(at) { "the loop begins here; " } else { "" };
        let text = format!("{loops}{}", step.lines().join("; "));
        let locals = rest.into_iter().flat_map(|rest| &rest.locals);
        let variables = step.after.variables.iter().chain(locals);
        flows.entry(step.thread).or_default().push(FlowLocation {
            location: place.saying(text),
            execution_order: at + 1,
            kinds: kinds(step),
            importance: if view.is_news(at) || step.call.is_some() { "essential" } else { "important" },
            state: variables
                .map(|field| (field.name.clone(), Message::of(field.value.to_string())))
                .collect(),
        });
    }
    flows.into_iter().map(|(thread, locations)| ThreadFlow { id: format!("t{thread}"), locations }).collect()
}

fn kinds(step: &Step) -> Vec<&'static str> {
    let kinds = [
        (step.call.is_some(), "call"),
        (step.result.is_some(), "return"),
        (step.fault.is_some(), "danger"),
        (!step.accesses.is_empty(), "memory"),
    ];
    kinds.into_iter().filter_map(|(is, kind)| is.then_some(kind)).collect()
}

fn line_of(view: &ExecutionView, step: &Step) -> Option<Location> {
    let line = step.fault.as_ref().map(|(line, _)| line).or(step.line.as_ref())?;
    Some(Location::line(line.uri.as_ref().unwrap_or(&view.source.uri), line.number))
}

fn first_at_fault(report: &HistoryReport) -> Option<Location> {
    let call = report.calls.calls.iter().find(|call| call.at_fault)?;
    let (called, returned) = call.lines?;
    Some(Location::line(&report.uri, returned.unwrap_or(called)).saying(call.text.clone()))
}

/// Returns a thread flow for each recorded thread: its calls and returns.
fn flows_of_history(uri: &str, calls: &Intervals) -> Vec<ThreadFlow> {
    let is_long = calls.calls.len() > MOST_CALLS;
    let mut flows: BTreeMap<usize, Vec<FlowLocation>> = BTreeMap::new();
    for call in calls.calls.iter().filter(|call| !is_long || call.at_fault) {
        let Some((called, returned)) = call.lines else { continue };
        let events = [(called, Some(call.start), "call"), (returned.unwrap_or(0), call.end, "return")];
        for (line, event, kind) in events {
            let Some(event) = event else { continue };
            flows.entry(call.thread).or_default().push(FlowLocation {
                location: Location::line(uri, line).saying(event_text(call, kind)),
                execution_order: event + 1,
                kinds: vec![kind],
                importance: if call.at_fault { "essential" } else { "important" },
                state: BTreeMap::new(),
            });
        }
    }
    let name = |thread: usize| calls.threads.get(thread).cloned().unwrap_or_else(|| format!("t{thread}"));
    let flow = |(thread, locations)| ThreadFlow { id: name(thread), locations };
    flows.into_iter().map(flow).collect()
}

fn event_text(call: &Interval, kind: &str) -> String {
    if kind == "call" { format!("begins {}", call.text) } else { format!("ends {}", call.text) }
}
