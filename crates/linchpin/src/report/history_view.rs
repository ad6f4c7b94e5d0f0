//! A history as bars, and why no order of its calls is legal.

use super::calls::{completed_text, history_call_text, result_text, state_text};
use super::line::{DIM, thread_name, thread_style};
use super::width::width;
use linchpin_core::history::{
    Broken, CallId, DeadEnd, Effect, Enabled, Explanation, History, LegalOrder, Way,
};
use linchpin_core::index::Index;
use linchpin_core::ir::Program;
use linchpin_core::semantics::SpecMachine;
use std::fmt::Write;

/// One row a call, in the order in which they were made: who, what, and when.
pub fn draw(program: &Program, history: &History, limit: usize) -> String {
    let texts: Vec<String> = history.calls().iter().map(|call| history_call_text(program, call)).collect();
    let column = texts.iter().map(|text| width(text)).max().unwrap_or(0);
    let events = history.events().len().max(1);
    let scale = ((limit.saturating_sub(column + 8)) / events).clamp(1, 4);
    let mut out = String::new();
    for (call, text) in history.calls().iter().zip(&texts) {
        let thread = call.thread.index();
        let style = thread_style(thread);
        let start = call.called * scale;
        let (end, close) = match &call.returned {
            Some(returned) => (returned.event * scale, "┤"),
            None => (events * scale, "┄"),
        };
        let bar = format!("├{}{close}", "─".repeat((end - start).saturating_sub(1)));
        let padding = " ".repeat(column - width(text));
        let _ = writeln!(
            out,
            "  {style}{}{style:#}  {text}{padding}  {}{style}{bar}{style:#}",
            thread_name(thread),
            " ".repeat(start)
        );
    }
    out
}

/// The longest legal orders, and what breaks each way on.
pub fn explain(spec: &SpecMachine, history: &History, explanation: &Explanation) -> String {
    let program = spec.program();
    let mut out = String::new();
    match explanation {
        Explanation::NoOrder { dead_ends, omitted } => {
            for dead_end in dead_ends {
                out += &dead_end_text(spec, history, dead_end);
            }
            if *omitted > 0 {
                let _ = writeln!(out, "  {DIM}and {omitted} more ways to begin, no better{DIM:#}");
            }
        }
        Explanation::Unjustified { call, ends, omitted } => {
            let call = history.call(*call);
            let _ = writeln!(
                out,
                "  {} of {} never returns, although it could happen:",
                history_call_text(program, call).trim_end_matches(" …"),
                thread_name(call.thread.index())
            );
            for Enabled { order, results } in ends {
                let results: Vec<String> =
                    results.iter().filter_map(|words| result_text(program, call.op, words)).collect();
                let gives = if results.is_empty() {
                    String::new()
                } else {
                    format!(" and give {}", results.join(" or "))
                };
                let _ = writeln!(out, "    {} it can happen{gives}", after_text(spec, history, order));
            }
            if *omitted > 0 {
                let _ = writeln!(out, "    {DIM}and {omitted} more orders{DIM:#}");
            }
        }
    }
    out
}

fn dead_end_text(spec: &SpecMachine, history: &History, dead_end: &DeadEnd) -> String {
    let mut out = format!("  {}\n", after_text(spec, history, &dead_end.order));
    for way in &dead_end.ways {
        let _ = writeln!(out, "    {}", way_text(spec.program(), history, way));
    }
    out
}

/// `after push(1), pop() → 1 (items = []),`
fn after_text(spec: &SpecMachine, history: &History, order: &LegalOrder) -> String {
    let program = spec.program();
    let state = state_text(program, &spec.values(&order.state));
    let state = if state.is_empty() { String::new() } else { format!(" ({state})") };
    if order.effects.is_empty() {
        return format!("at the beginning{state}");
    }
    let effects: Vec<String> =
        order.effects.iter().map(|effect| effect_text(program, history, effect)).collect();
    format!("after {}{state}", effects.join(", "))
}

fn effect_text(program: &Program, history: &History, effect: &Effect) -> String {
    let one = |(call, result): (&CallId, &Vec<_>)| {
        let call = history.call(*call);
        completed_text(program, call.op, &call.args, result)
    };
    effect.calls.iter().zip(&effect.results).map(one).collect::<Vec<_>>().join(" with ")
}

fn way_text(program: &Program, history: &History, way: &Way) -> String {
    let who: Vec<String> = way
        .calls
        .iter()
        .map(|call| {
            let call = history.call(*call);
            let text = super::calls::call_text(program, call.op, &call.args);
            format!("{}'s {text}", thread_name(call.thread.index()))
        })
        .collect();
    let who = who.join(" with ");
    match &way.broken {
        Broken::NotEnabled => format!("{who} cannot happen"),
        Broken::NoPartner => format!("{who} has nobody to meet"),
        Broken::Results(allowed) => {
            let texts = |results: &Vec<Vec<_>>| {
                let each = way.calls.iter().zip(results);
                each.filter_map(|(call, words)| result_text(program, history.call(*call).op, words))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let mut allowed: Vec<String> = allowed.iter().map(texts).collect();
            allowed.sort();
            allowed.dedup();
            let returned: Vec<Vec<_>> = way
                .calls
                .iter()
                .map(|call| history.call(*call).returned.as_ref().map_or(Vec::new(), |r| r.result.clone()))
                .collect();
            format!("{who} must give {}, but gave {}", allowed.join(" or "), texts(&returned))
        }
    }
}
