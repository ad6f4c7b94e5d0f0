//! The table of `--keep-going`: one line for each group of equal failures.

use super::calls::{Plain, call_text, completed_text};
use super::line::{BOLD, DIM};
use super::quantities::{count, grouped};
use super::table::{Table, TableCell};
use linchpin_engine::verdict::Failures;
use linchpin_ir::property::Property;
use linchpin_ir::source::{SourceMap, Span};
use linchpin_judge::history::Call;
use linchpin_judge::replay::{Counterexample, Evidence};
use linchpin_semantics::Status;

/// Returns a table of the groups of a property. Empty: no schedule fails.
pub fn table(sources: &SourceMap, property: Property, failures: &Failures) -> String {
    if failures.groups.is_empty() {
        return String::new();
    }
    let mut table = Table::new(["", "schedules", "steps", "what fails"]);
    for (at, group) in failures.groups.iter().enumerate() {
        table.row([
            TableCell::plain((at + 1).to_string()),
            TableCell::plain(grouped(group.schedules)),
            TableCell::plain(group.counterexample.trace().choices.len().to_string()),
            TableCell::plain(describe(sources, &group.counterexample)),
        ]);
    }
    let lines: String = table.to_string().lines().map(|line| format!("  {line}\n")).collect();
    format!("{BOLD}{property}{BOLD:#}{DIM}: {}{DIM:#}\n{lines}\n", summary(failures))
}

/// Returns `3 kinds of failure, in 812 of 8,108 schedules` and the number of schedules not judged.
pub fn summary(failures: &Failures) -> String {
    let kinds = match failures.groups.len() {
        1 => "1 kind of failure".to_string(),
        kinds => format!("{kinds} kinds of failure"),
    };
    let mut text =
        format!("{kinds}, in {} of {} schedules", grouped(failures.failing), grouped(failures.schedules));
    let unjudged = failures.schedules - failures.judged;
    if unjudged > 0 {
        text += &format!(" ({} of them not judged)", grouped(unjudged));
    }
    text
}

/// Describes what the failures of a group have in common.
pub fn describe(sources: &SourceMap, counterexample: &Counterexample) -> String {
    let (program, history) = (counterexample.machine().program(), counterexample.history());
    let line = |span: Span| format!("line {}", sources.line_of(span));
    let text = |call: &Call| match &call.returned {
        Some(returned) => completed_text(&Plain, program, call.op, &call.args, &returned.result),
        None => format!("{} pending", call_text(&Plain, program, call.op, &call.args)),
    };
    match counterexample.evidence() {
        Evidence::Inconsistent(_) | Evidence::PointsRefuted(_) | Evidence::Observed(_) => {
            let calls = counterexample.calls_at_fault();
            calls.iter().map(|id| text(history.call(*id))).collect::<Vec<_>>().join(", ")
        }
        Evidence::Fault(fault) => format!("{}: {}", line(fault.span), fault.message),
        Evidence::Leak(cells) => format!("{} lost", count(cells.len(), "cell")),
        Evidence::Deadlock(deadlock) => {
            let last = counterexample.moments().iter().rev().find_map(|moment| moment.after.as_ref());
            let state = last.unwrap_or(counterexample.initial());
            let waits = deadlock.threads.iter().map(|blocked| {
                let name = &program.ops[blocked.op].name;
                match counterexample.machine().status(state, blocked.thread) {
                    Status::Busy { method, pc, .. } => {
                        format!("{name} waits at {}", line(program.methods[method].code[pc].span))
                    }
                    Status::Idle => format!("{name} waits"),
                }
            });
            waits.collect::<Vec<_>>().join(", ")
        }
        Evidence::Endless(endless) => {
            let is_starved = |call: &&Call| call.is_pending() && endless.starved.contains(&call.thread);
            let starved = history.calls().iter().filter(is_starved);
            let texts = starved.map(|call| call_text(&Plain, program, call.op, &call.args));
            format!("{} never returns", texts.collect::<Vec<_>>().join(", "))
        }
        Evidence::Recursion { depth, .. } => format!("calls nest deeper than {depth}"),
    }
}
