//! Draws a counterexample: the execution with one column for each thread, the history, and the reason.

use super::calls::{Plain, call_text, completed_text, result_text, state_text};
use super::decode::{CellNames, thread_name};
use super::endless;
use super::history_view::HistoryView;
use super::line::{BOLD, display_width, wrap};
use super::record::Recorder;
use super::trace_view;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_judge::history::{Found, Observed, PointError, Refutation};
use linchpin_judge::replay::{Counterexample, Deadlock, Evidence, PointsRefuted};
use linchpin_judge::trace::{Action, Choice, Claim, context_switches};
use linchpin_semantics::{CallChoice, Outcome, Picks, SpecMachine, Status};
use std::fmt::Write;

/// Draws a counterexample in lines of at most `width` columns. Equal counterexamples have equal drawings.
pub fn draw(sources: &SourceMap, counterexample: &Counterexample, width: usize) -> String {
    let machine = counterexample.machine();
    let mut state = counterexample.initial().clone();
    let mut recorder = Recorder::new(machine, sources, &state);
    for moment in counterexample.moments() {
        let mut picks = Picks::replay(&moment.choice.picks);
        let outcome = make(&mut recorder, machine.program(), &mut state, &moment.choice, &mut picks);
        if !matches!(outcome, Outcome::Done) {
            break;
        }
    }
    let names = recorder.names().clone();
    recorder.set_cycle(counterexample.trace().cycle);
    let mut out = wrapped(&headline(counterexample), width);
    out += "\n";
    out += &trace_view::draw(recorder.trace(), width);
    out += "\n";
    out += &wrapped(&because(sources, counterexample, names, width), width);
    out
}

/// Wraps the lines that are too long; the rest of a line is indented by two more columns.
fn wrapped(text: &str, width: usize) -> String {
    let rows = text.lines().flat_map(|line| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        match display_width(line) > width {
            true => wrap(line, width, blanks + 2),
            false => vec![line.to_string()],
        }
    });
    rows.fold(String::new(), |out, row| out + &row + "\n")
}

/// Returns the violated property, the number of steps and the number of context switches.
fn headline(counterexample: &Counterexample) -> String {
    let choices = &counterexample.trace().choices;
    let what = match counterexample.trace().claim {
        Claim::Violates(Property::Assertions) => "an assertion fails".into(),
        Claim::Violates(Property::Observers) => match counterexample.evidence() {
            Evidence::Observed(Observed { reason: Found::Points { .. }, .. }) => {
                "a call does not pass one point".into()
            }
            _ => "an observer accepts".into(),
        },
        Claim::Violates(property) => format!("not {property}"),
        Claim::RefutesPoints => "the linearization points are wrong".into(),
        Claim::RefutesProgressByPoints => "no progress by linearization points".into(),
    };
    let length = match counterexample.trace().cycle {
        Some(start) => {
            format!("{}, then a loop of {}", count(start, "step"), count(choices.len() - start, "step"))
        }
        None => count(choices.len(), "step"),
    };
    format!("{BOLD}{what}{BOLD:#}: {length}, {}\n", count(context_switches(choices), "context switch"))
}

fn make(
    recorder: &mut Recorder<'_>,
    program: &Program,
    state: &mut linchpin_semantics::State,
    choice: &Choice,
    picks: &mut Picks,
) -> Outcome {
    match &choice.action {
        Action::Call(call) => {
            let named = program.ops.entries().find(|(_, op)| *op.name == *call.op);
            let Some((op, _)) = named else { return Outcome::Discarded };
            let call = CallChoice { op, args: call.args.as_slice().into(), next_position: 0 };
            recorder.call(state, choice.thread, &call, picks)
        }
        Action::Step => recorder.step(state, choice.thread, picks),
        Action::Wait => recorder.wait(state, choice.thread),
    }
}

fn because(
    sources: &SourceMap,
    counterexample: &Counterexample,
    mut names: CellNames,
    width: usize,
) -> String {
    let (machine, spec) = (counterexample.machine(), counterexample.spec());
    let (program, history) = (machine.program(), counterexample.history());
    let view = HistoryView { names: &Plain, spec, history };
    let calls: Vec<_> = history.calls().ids().collect();
    let drawn = || view.draw(&calls, width, |_| String::new());
    let mut out = String::new();
    match counterexample.evidence() {
        Evidence::Inconsistent(inconsistency) => {
            let _ = writeln!(out, "{BOLD}The history{BOLD:#}");
            out += &drawn();
            let _ = writeln!(out, "\n{BOLD}No order of these calls is legal{BOLD:#}");
            out += &view.explain(&inconsistency.explanation);
        }
        Evidence::PointsRefuted(refuted) => {
            let _ = writeln!(out, "{BOLD}The history{BOLD:#}");
            out += &drawn();
            let _ = writeln!(out, "\n{BOLD}Why the points are wrong{BOLD:#}");
            match refuted {
                PointsRefuted::Event { moment, refutation } => {
                    out += &refutation_text(spec, *moment, refutation);
                }
                PointsRefuted::Stuck(stuck) => {
                    let call = call_text(&Plain, program, stuck.call.op, &stuck.call.args);
                    let who = thread_name(stuck.thread);
                    let _ = writeln!(
                        out,
                        "  {who}'s {call} waits for ever, but the specification does not allow it to wait"
                    );
                }
            }
        }
        Evidence::Observed(observed) => {
            let _ = writeln!(out, "{BOLD}The history{BOLD:#}");
            out += &drawn();
            out += &observed_text(program, observed);
        }
        Evidence::Fault(fault) => {
            let line = sources.line_of(fault.span);
            let _ = writeln!(out, "The last step is an error at line {line}: {}", fault.message);
        }
        Evidence::Leak(cells) => {
            let cells: Vec<String> = cells.iter().map(|cell| names.name(*cell).to_string()).collect();
            let are = if cells.len() == 1 { "cell is" } else { "cells are" };
            let _ = writeln!(out, "Leak: the {are} allocated but unreachable: {}", cells.join(", "));
        }
        Evidence::Deadlock(deadlock) => out += &deadlock_text(sources, counterexample, deadlock),
        Evidence::Endless(endless) => {
            out += &endless::explain(sources, counterexample, endless, &mut names);
        }
        Evidence::Recursion { thread, depth } => {
            let _ = writeln!(out, "{} nests calls deeper than {depth}", thread_name(*thread));
        }
    }
    out
}

/// Returns the calls in the order of their points, with the location of the observer after each.
fn observed_text(program: &Program, observed: &Observed) -> String {
    let (observer, variables, locations) = match &observed.reason {
        Found::Accepts { observer, variables, locations } => (observer, variables, locations),
        Found::Points { thread, error } => {
            let who = thread_name(*thread);
            let what = match error {
                PointError::NoPoint => "returns without a point",
                PointError::SecondPoint => "passes a second point",
                _ => "passes a point without a pending call",
            };
            return format!(
                "\n{BOLD}Observers need exactly one point in each call{BOLD:#}\n  the call of {who} {what}\n"
            );
        }
    };
    let with: Vec<String> = variables.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let mut out = format!("\n{BOLD}The observer `{observer}` accepts{BOLD:#}, with {}\n", with.join(", "));
    for (call, location) in observed.calls.iter().zip(locations) {
        let text = match &call.result {
            Some(result) => completed_text(&Plain, program, call.op, &call.args, result),
            None => call_text(&Plain, program, call.op, &call.args),
        };
        let _ = writeln!(out, "  {}  {text:24}  {location}", thread_name(call.thread));
    }
    out
}

/// Returns for each waiting thread: the line, the lock or condition, the holder.
fn deadlock_text(sources: &SourceMap, counterexample: &Counterexample, deadlock: &Deadlock) -> String {
    let machine = counterexample.machine();
    let program = machine.program();
    let last = counterexample.moments().iter().rev().find_map(|moment| moment.after.as_ref());
    let state = last.unwrap_or(counterexample.initial());
    let mut out = format!("{BOLD}No call will ever return{BOLD:#}\n");
    for blocked in &deadlock.threads {
        let place = match machine.status(state, blocked.thread) {
            Status::Busy { method, pc, .. } => {
                let line = sources.line_of(program.methods[method].code[pc].span);
                format!(" at line {line}")
            }
            Status::Idle => String::new(),
        };
        let name = thread_name(blocked.thread);
        let _ = writeln!(out, "  {name} in {}{place}: {}", program.ops[blocked.op].name, blocked.text);
    }
    let (spec, history) = (counterexample.spec(), counterexample.history());
    let _ = writeln!(out, "\n{BOLD}The specification does not allow these calls to wait{BOLD:#}");
    out += &HistoryView { names: &Plain, spec, history }.explain(&deadlock.explanation);
    out
}

fn refutation_text(spec: &SpecMachine, moment: usize, refutation: &Refutation) -> String {
    let program = spec.program();
    let who = thread_name(refutation.thread);
    let call = match &refutation.call {
        Some(call) => format!("{who}'s {}", call_text(&Plain, program, call.op, &call.args)),
        None => who.clone(),
    };
    let at = format!("At step {}", moment + 1);
    let mut out = match &refutation.reason {
        PointError::NoPoint => format!("  {at} {call} returns without a point\n"),
        PointError::SecondPoint => format!("  {at} {call} passes a second point\n"),
        PointError::NotEnabled => {
            format!("  {at} {call} takes effect where the specification forbids it\n")
        }
        PointError::NoCall => format!("  {at} {who} passes a point without a pending call\n"),
        PointError::ResultDiffers { given, returned } => {
            let op = refutation.call.as_ref().map(|call| call.op);
            let text = |words: &Vec<_>| {
                op.and_then(|op| result_text(&Plain, program, op, words)).unwrap_or_default()
            };
            let given: Vec<String> = given.iter().map(text).collect();
            format!(
                "  {at} {call} returns {}, but its point gave it {}\n",
                text(returned),
                given.join(" or ")
            )
        }
    };
    for configuration in refutation.before.iter().take(3) {
        let state = state_text(&Plain, program, &spec.values(&configuration.state));
        if !state.is_empty() {
            let _ = writeln!(out, "  possible spec state before this step: {state}");
        }
    }
    out
}

fn count(n: usize, what: &str) -> String {
    let ending = match (n, what.ends_with('h')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{n} {what}{ending}")
}
