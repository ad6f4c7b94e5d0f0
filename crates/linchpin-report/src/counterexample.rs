//! Draws a counterexample: the execution with one column for each thread, the history, and the reason.

use super::calls::{Plain, call_text, completed_text, result_text, state_text};
use super::decode::{CellNames, thread_name};
use super::endless;
use super::fold::fold;
use super::history_view::HistoryView;
use super::line::{BOLD, Palette, display_width, wrap};
use super::record::{Recorder, place_name};
use super::trace_view;
use super::view::execution::ExecutionView;
use super::view::intervals::Intervals;
use super::view::rules;
use super::view::source::SourceText;
use super::view::why::{Fact, Part};
use linchpin_ir::index::Index;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_ir::source::SourceMap;
use linchpin_judge::history::{Found, History, Observed, PointError, Refutation};
use linchpin_judge::replay::{
    BlockedThread, Counterexample, Deadlock, End, Evidence, Observation, PointsRefuted, Rerun,
};
use linchpin_judge::trace::{Claim, context_switches};
use linchpin_semantics::{Blocked, Outcome, SpecMachine, Status};
use std::fmt::Write;
use std::sync::Arc;

/// Draws a counterexample in lines of at most `width` columns. Equal counterexamples have equal drawings.
pub fn draw(sources: &SourceMap, counterexample: &Counterexample, width: usize, palette: Palette) -> String {
    let view = view(sources, counterexample);
    let spec_and_history = Some((counterexample.spec(), counterexample.history()));
    draw_view(&view, spec_and_history, width, palette)
}

/// Draws an execution. The history is drawn if the view has one.
fn draw_view(
    view: &ExecutionView,
    history: Option<(&SpecMachine, &History)>,
    width: usize,
    palette: Palette,
) -> String {
    let bold = palette.style(BOLD);
    let mut out = wrapped(&format!("{bold}{}{bold:#}: {}\n", view.title, view.length), width) + "\n";
    out += &trace_view::draw(&view.trace, width, palette);
    out += "\n";
    if let (Some(_), Some((spec, history))) = (&view.history, history) {
        let calls: Vec<_> = history.calls().ids().collect();
        let _ = writeln!(out, "{bold}The history{bold:#}");
        out += &HistoryView { names: &Plain, spec, history }.draw(&calls, width, palette, |_| String::new());
        out += "\n";
    }
    for (at, part) in view.why.iter().enumerate() {
        if at > 0 {
            out += "\n";
        }
        let mut text = String::new();
        part.write(&mut text, palette);
        out += &wrapped(&text, width);
    }
    out
}

/// Draws an execution without a claim.
pub fn draw_rerun(sources: &SourceMap, rerun: &Rerun, width: usize, palette: Palette) -> String {
    draw_view(&rerun_view(sources, rerun), None, width, palette)
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

/// Returns everything that a report shows of a counterexample.
pub fn view(sources: &SourceMap, counterexample: &Counterexample) -> ExecutionView {
    let machine = counterexample.machine();
    let mut state = counterexample.initial().clone();
    let mut recorder = Recorder::new(machine, sources, &state);
    for moment in counterexample.moments() {
        if !matches!(recorder.choose(&mut state, &moment.choice), Outcome::Done) {
            break;
        }
    }
    let names = recorder.names().clone();
    recorder.set_cycle(counterexample.trace().cycle);
    let trace = recorder.into_trace();
    ExecutionView {
        object: machine.program().name.to_string(),
        rule: rule(counterexample).into(),
        title: title(counterexample),
        length: length(counterexample),
        bounds: String::new(),
        rows: fold(&trace),
        trace,
        history: history(counterexample),
        why: because(sources, counterexample, names),
        source: SourceText::of(sources, machine.program().object_span.file),
        is_violation: true,
    }
}

/// Returns the view of an execution without a claim.
pub fn rerun_view(sources: &SourceMap, rerun: &Rerun) -> ExecutionView {
    let program = rerun.machine.program();
    let mut state = rerun.initial.clone();
    let mut recorder = Recorder::new(&rerun.machine, sources, &state);
    for moment in &rerun.moments {
        if !matches!(recorder.choose(&mut state, &moment.choice), Outcome::Done) {
            break;
        }
    }
    let steps = rerun.moments.len();
    let end = match &rerun.end {
        Some(End::Fault(fault)) => {
            let line = sources.line_of(fault.span);
            Part::sentence(format!("The last step is an error at line {line}: {}", fault.message))
        }
        Some(End::Cut(cut)) => Part::sentence(format!("Ended at a bound of the instance: {}.", cut.what())),
        None => Part::sentence(format!("Ended after {} of the trace.", count(steps, "step"))),
    };
    let source = SourceText::of(sources, program.object_span.file);
    let end = end.titled("How it ended");
    let view = ExecutionView::of_run(&program.name, "", recorder.into_trace(), end, source, None);
    ExecutionView { title: "one execution, without a claim".into(), length: count(steps, "step"), ..view }
}

/// Returns the name of what is violated.
fn rule(counterexample: &Counterexample) -> &'static str {
    match counterexample.trace().claim {
        Claim::Violates(property) => property.as_str(),
        Claim::RefutesPoints | Claim::RefutesProgressByPoints => rules::POINTS,
        Claim::Nothing => "",
    }
}

/// Returns the violated property in words.
fn title(counterexample: &Counterexample) -> String {
    match counterexample.trace().claim {
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
        Claim::Nothing => "one execution".into(),
    }
}

/// Returns the number of steps and the number of context switches.
fn length(counterexample: &Counterexample) -> String {
    let choices = &counterexample.trace().choices;
    let length = match counterexample.trace().cycle {
        Some(start) => {
            format!("{}, then a loop of {}", count(start, "step"), count(choices.len() - start, "step"))
        }
        None => count(choices.len(), "step"),
    };
    format!("{length}, {}", count(context_switches(choices), "context switch"))
}

/// Returns the history, if it is part of the reason.
fn history(counterexample: &Counterexample) -> Option<Intervals> {
    let at_fault = match counterexample.evidence() {
        Evidence::Inconsistent(_) => counterexample.calls_at_fault(),
        Evidence::PointsRefuted(_) | Evidence::Observed(_) => Vec::new(),
        _ => return None,
    };
    let (spec, history) = (counterexample.spec(), counterexample.history());
    let mut intervals = HistoryView { names: &Plain, spec, history }.intervals(&at_fault, |_| String::new());
    // The events of the history are the calls and returns of the steps, in order.
    let mut steps = Vec::new();
    for (at, moment) in counterexample.moments().iter().enumerate() {
        let is_event =
            |seen: &&Observation| matches!(seen, Observation::Call { .. } | Observation::Return { .. });
        steps.extend(moment.observations.iter().filter(is_event).map(|_| at));
    }
    for call in &mut intervals.calls {
        let step = |event: usize| steps.get(event).copied();
        call.steps = step(call.start).map(|start| (start, call.end.and_then(step)));
    }
    Some(intervals)
}

fn because(sources: &SourceMap, counterexample: &Counterexample, mut names: CellNames) -> Vec<Part> {
    let (machine, spec) = (counterexample.machine(), counterexample.spec());
    let (program, history) = (machine.program(), counterexample.history());
    let view = HistoryView { names: &Plain, spec, history };
    match counterexample.evidence() {
        Evidence::Inconsistent(inconsistency) => {
            vec![view.reasons(&inconsistency.explanation).titled("No order of these calls is legal")]
        }
        Evidence::PointsRefuted(refuted) => {
            let facts = match refuted {
                PointsRefuted::Event { moment, refutation } => refutation_facts(spec, *moment, refutation),
                PointsRefuted::Stuck(stuck) => {
                    let call = call_text(&Plain, program, stuck.call.op, &stuck.call.args);
                    let who = thread_name(stuck.thread);
                    let text = format!(
                        "{who}'s {call} waits for ever, but the specification does not allow it to wait"
                    );
                    vec![Fact::of_thread(stuck.thread.index(), text)]
                }
            };
            vec![Part { facts, ..Part::default() }.titled("Why the points are wrong")]
        }
        Evidence::Observed(observed) => vec![observed_part(program, observed)],
        Evidence::Fault(fault) => {
            let line = sources.line_of(fault.span);
            vec![Part::sentence(format!("The last step is an error at line {line}: {}", fault.message))]
        }
        Evidence::Leak(cells) => {
            let cells: Vec<String> = cells.iter().map(|cell| names.name(*cell).to_string()).collect();
            let are = if cells.len() == 1 { "cell is" } else { "cells are" };
            let text = format!("Leak: the {are} allocated but unreachable: {}", cells.join(", "));
            vec![Part::sentence(text)]
        }
        Evidence::Deadlock(deadlock) => deadlock_parts(sources, counterexample, deadlock, &mut names),
        Evidence::Endless(endless) => endless::explain(sources, counterexample, endless, &mut names),
        Evidence::Recursion { thread, depth } => {
            vec![Part::sentence(format!("{} nests calls deeper than {depth}", thread_name(*thread)))]
        }
    }
}

/// Returns the calls in the order of their points, with the location of the observer after each.
fn observed_part(program: &Program, observed: &Observed) -> Part {
    let (observer, variables, locations) = match &observed.reason {
        Found::Accepts { observer, variables, locations } => (observer, variables, locations),
        Found::Points { thread, error } => {
            let who = thread_name(*thread);
            let what = match error {
                PointError::NoPoint => "returns without a point",
                PointError::SecondPoint => "passes a second point",
                _ => "passes a point without a pending call",
            };
            let fact = Fact::of_thread(thread.index(), format!("the call of {who} {what}"));
            return Part { facts: vec![fact], ..Part::default() }
                .titled("Observers need exactly one point in each call");
        }
    };
    let with: Vec<String> = variables.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let fact = |(call, location): (&linchpin_judge::history::ObservedCall, &Arc<str>)| {
        let text = match &call.result {
            Some(result) => completed_text(&Plain, program, call.op, &call.args, result),
            None => call_text(&Plain, program, call.op, &call.args),
        };
        let text = format!("{}  {text:24}  {location}", thread_name(call.thread));
        Fact::of_thread(call.thread.index(), text)
    };
    let facts = observed.calls.iter().zip(locations).map(fact).collect();
    let remark = format!(", with {}", with.join(", "));
    Part { facts, remark, ..Part::default() }.titled(format!("The observer `{observer}` accepts"))
}

/// Returns for each waiting thread the line, the lock or condition, and the holder.
fn deadlock_parts(
    sources: &SourceMap,
    counterexample: &Counterexample,
    deadlock: &Deadlock,
    names: &mut CellNames,
) -> Vec<Part> {
    let machine = counterexample.machine();
    let program = machine.program();
    let last = counterexample.moments().iter().rev().find_map(|moment| moment.after.as_ref());
    let state = last.unwrap_or(counterexample.initial());
    let mut fact = |blocked: &BlockedThread| {
        let place = match machine.status(state, blocked.thread) {
            Status::Busy { method, pc, .. } => {
                let line = sources.line_of(program.methods[method].code[pc].span);
                format!(" at line {line}")
            }
            Status::Idle => String::new(),
        };
        let name = thread_name(blocked.thread);
        // The letters of the drawing instead of the numbers of cells.
        let waits = match blocked.waits_for {
            Some(Blocked::Lock { lock, holder: Some(holder) }) => {
                let lock = place_name(machine, names, state, lock);
                format!("waits for `{lock}`, which {} holds", thread_name(holder))
            }
            _ => blocked.text.clone(),
        };
        let text = format!("{name} in {}{place}: {waits}", program.ops[blocked.op].name);
        let holder = match blocked.waits_for {
            Some(Blocked::Lock { holder, .. }) => holder.map(|holder| holder.index()),
            _ => None,
        };
        Fact { holder, ..Fact::of_thread(blocked.thread.index(), text) }
    };
    let waiting = Part { facts: deadlock.threads.iter().map(&mut fact).collect(), ..Part::default() };
    let (spec, history) = (counterexample.spec(), counterexample.history());
    let reasons = HistoryView { names: &Plain, spec, history }.reasons(&deadlock.explanation);
    vec![
        waiting.titled("No call will ever return"),
        reasons.titled("The specification does not allow these calls to wait"),
    ]
}

fn refutation_facts(spec: &SpecMachine, moment: usize, refutation: &Refutation) -> Vec<Fact> {
    let program = spec.program();
    let who = thread_name(refutation.thread);
    let call = match &refutation.call {
        Some(call) => format!("{who}'s {}", call_text(&Plain, program, call.op, &call.args)),
        None => who.clone(),
    };
    let at = format!("At step {}", moment + 1);
    let text = match &refutation.reason {
        PointError::NoPoint => format!("{at} {call} returns without a point"),
        PointError::SecondPoint => format!("{at} {call} passes a second point"),
        PointError::NotEnabled => format!("{at} {call} takes effect where the specification forbids it"),
        PointError::NoCall => format!("{at} {who} passes a point without a pending call"),
        PointError::ResultDiffers { given, returned } => {
            let op = refutation.call.as_ref().map(|call| call.op);
            let text = |words: &Vec<_>| {
                op.and_then(|op| result_text(&Plain, program, op, words)).unwrap_or_default()
            };
            let given: Vec<String> = given.iter().map(text).collect();
            format!("{at} {call} returns {}, but its point gave it {}", text(returned), given.join(" or "))
        }
    };
    let thread = Some(refutation.thread.index());
    let mut facts = vec![Fact { text, thread, steps: vec![moment], ..Fact::default() }];
    for configuration in refutation.before.iter().take(3) {
        let state = state_text(&Plain, program, &spec.values(&configuration.state));
        if !state.is_empty() {
            facts.push(Fact::new(format!("possible spec state before this step: {state}")));
        }
    }
    facts
}

fn count(n: usize, what: &str) -> String {
    let ending = match (n, what.ends_with('h')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{n} {what}{ending}")
}
