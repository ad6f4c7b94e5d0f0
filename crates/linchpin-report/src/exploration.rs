//! Draws an execution by hand in lines of text: the memory, the threads, the moves, the configurations.

use super::heap;
use super::line::{BOLD, DIM, ERROR, Palette, thread_name, thread_style, wrap};
use super::view::exploration::ExplorationView;
use std::fmt::Write;

/// Draws the present moment: memory, threads, moves.
pub fn draw(view: &ExplorationView, width: usize, palette: Palette) -> String {
    let (bold, dim) = (palette.style(BOLD), palette.style(DIM));
    let mut out = memory(view, width, palette);
    let trace = &view.execution.trace;
    if let Some(rests) = trace.rests.last() {
        for (thread, rest) in rests.iter().enumerate() {
            if let Some(text) = rest.text(thread) {
                let _ = writeln!(out, "{}", rows(&text, width, 4));
            }
        }
    }
    for (thread, why) in &view.held {
        let _ = writeln!(out, "{dim}{} cannot move: {why}{dim:#}", thread_name(*thread));
    }
    let style = palette.style(if view.execution.is_violation { ERROR } else { DIM });
    let _ = writeln!(out, "{style}{}{style:#}", view.verdict);
    if let Some(ended) = &view.ended {
        let _ = writeln!(out, "{bold}{ended}{bold:#}");
    }
    for (at, option) in view.options.iter().enumerate() {
        let color = palette.style(thread_style(option.thread));
        let text = format!("{:>3}  {}  {}", at + 1, thread_name(option.thread), option.text());
        let _ = writeln!(out, "{color}{}{color:#}", rows(&text, width, 9));
        let results = option.results().join("; ");
        if !results.is_empty() {
            let _ = writeln!(out, "{dim}{}{dim:#}", rows(&format!("         {results}"), width, 9));
        }
    }
    out
}

/// Draws the memory.
pub fn memory(view: &ExplorationView, width: usize, palette: Palette) -> String {
    let trace = &view.execution.trace;
    let (before, now) = match trace.steps.as_slice() {
        [.., before, last] => (Some(&before.after), &last.after),
        [only] => (Some(&trace.start), &only.after),
        [] => (None, &trace.start),
    };
    heap::draw(now, before, width).iter().map(|line| palette.line(line) + "\n").collect()
}

/// Draws the configurations, one a line.
pub fn configurations(view: &ExplorationView, width: usize, palette: Palette) -> String {
    let dim = palette.style(DIM);
    let mut out = String::new();
    for configuration in &view.configurations {
        let state = if configuration.state.is_empty() { "no state" } else { &configuration.state };
        let calls = configuration.calls.join(", ");
        let text = if calls.is_empty() { state.to_string() } else { format!("{state}; {calls}") };
        let _ = writeln!(out, "{}", rows(&text, width, 4));
    }
    if !view.more_configurations.is_empty() {
        let _ = writeln!(out, "{dim}{}{dim:#}", view.more_configurations);
    }
    out
}

fn rows(text: &str, width: usize, indent: usize) -> String {
    wrap(text, width, indent).join("\n")
}
