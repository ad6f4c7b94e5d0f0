//! Draws a record: one row for each call, thread by thread, over a common axis of time.

use crate::object::Interface;
use crate::record::{Record, RecordedCall};
use std::fmt::Write;

/// Width of the drawing in columns.
const WIDTH: usize = 80;
/// Number of calls before the threads start that are drawn. Of more calls only the last ones are drawn.
const MOST_BEFORE: usize = 6;

/// Draws all calls of the threads, and the last calls before the threads start.
pub(crate) fn draw(interface: &Interface, record: &Record) -> String {
    let all = record.calls();
    let (first, later): (Vec<_>, Vec<_>) = all.into_iter().partition(|call| call.called < record.before);
    let mut out = String::new();
    let omitted = first.len().saturating_sub(MOST_BEFORE);
    if !first.is_empty() {
        let texts: Vec<String> =
            first.iter().skip(omitted).map(|call| record.text(interface, call)).collect();
        let more = if omitted > 0 { format!("{omitted} calls, then ") } else { String::new() };
        let _ = writeln!(out, "  before the threads start: {more}{}", texts.join(", "));
    }
    let mut rows: Vec<&RecordedCall> = later.iter().collect();
    rows.sort_by_key(|call| (call.thread, call.called));
    let texts: Vec<String> = rows.iter().map(|call| record.text(interface, call)).collect();
    let column = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let names: Vec<String> = rows.iter().map(|call| name(interface, call)).collect();
    let name_column = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let axis = record.events.len() - record.before;
    let scale = (WIDTH.saturating_sub(column + name_column + 6) / axis.max(1)).clamp(1, 4);
    let place = |event: usize| (event - record.before) * scale;
    let mut last = None;
    for ((call, text), name) in rows.iter().zip(&texts).zip(&names) {
        let shown = if last.replace(call.thread) == Some(call.thread) { "" } else { name };
        let start = place(call.called);
        let (end, close) = match &call.returned {
            Some((event, _)) => (place(*event), "┤"),
            None => (axis * scale, "┄"),
        };
        let bar = "─".repeat((end - start).saturating_sub(1));
        let padding = " ".repeat(column - text.chars().count());
        let _ = writeln!(out, "  {shown:name_column$} {text}{padding}  {}├{bar}{close}", " ".repeat(start));
    }
    out
}

/// Returns the name of a thread, with its role if that has a name.
fn name(interface: &Interface, call: &RecordedCall) -> String {
    let role = interface.roles.iter().find(|role| role.operations.contains(&call.operation));
    match role.map_or("", |role| &role.name) {
        "" => format!("T{}", call.thread + 1),
        role => format!("T{} ({role})", call.thread + 1),
    }
}
