//! Graphs in the language DOT of Graphviz: one state of an execution, or a whole small state space.
//!
//! Names of nodes are made here. Texts of a model stand in labels only, as quoted strings: a quote and a
//! backslash are escaped, and so is `&`, which would begin an entity.

use linchpin_report::heap_snapshot::{Cell, CellName, Field, HeapSnapshot, Value};
use linchpin_report::trace::{Rest, Trace};
use linchpin_report::view::state_space::{EdgeView, StateSpaceView};
use std::fmt::Write;

/// Returns the graph of the memory after a number of steps. `None`: the execution has fewer steps.
pub fn state(object: &str, trace: &Trace, steps: usize) -> Option<String> {
    let memory = match steps.checked_sub(1) {
        None => &trace.start,
        Some(last) => &trace.steps.get(last)?.after,
    };
    let rests = trace.rests.get(steps).map_or(&[][..], Vec::as_slice);
    Some(memory_graph(&format!("{object} after {steps} steps"), memory, rests))
}

/// Returns the graph of a state space: a node for each state, an edge for each step.
pub fn state_space(view: &StateSpaceView) -> String {
    let title =
        format!("{}: {} states, {} steps; {}", view.object, view.states.len(), view.edges.len(), view.bounds);
    let mut out = begin(&title, "TB");
    for (at, state) in view.states.iter().enumerate() {
        let lines: Vec<String> = state.memory.iter().chain(&state.threads).cloned().collect();
        let style = if state.is_initial { ", style=bold, color=blue" } else { "" };
        let _ = writeln!(out, "  s{at} [label={}{style}];", label(&lines));
    }
    for (at, edge) in view.edges.iter().enumerate() {
        edge_of_space(&mut out, at, edge);
    }
    out + "}\n"
}

fn edge_of_space(out: &mut String, at: usize, edge: &EdgeView) {
    let mut lines = edge.text.clone();
    if let Some(first) = lines.first_mut() {
        *first = format!("t{} {first}", edge.thread);
    }
    let colour = COLOURS[edge.thread % COLOURS.len()];
    let attributes = format!("label={}, color={colour:?}, fontcolor={colour:?}", label(&lines));
    let _ = match edge.to {
        Some(to) => writeln!(out, "  s{} -> s{to} [{attributes}];", edge.from),
        None => {
            let _ = writeln!(out, "  f{at} [label=\"fault\", shape=octagon, color=red];");
            writeln!(out, "  s{} -> f{at} [{attributes}];", edge.from)
        }
    };
}

/// Colours of threads, as on pages.
const COLOURS: [&str; 6] = ["#1f6feb", "#b35900", "#1a7f37", "#8250df", "#bf3989", "#57606a"];

fn begin(title: &str, direction: &str) -> String {
    format!(
        "digraph linchpin {{\n  label={};\n  labelloc=t;\n  rankdir={direction};\n  node [shape=box, \
         fontname=\"monospace\", fontsize=10];\n  edge [fontname=\"monospace\", fontsize=9];\n",
        quoted(title)
    )
}

fn memory_graph(title: &str, memory: &HeapSnapshot, rests: &[Rest]) -> String {
    let mut out = begin(title, "LR");
    for (at, variable) in memory.variables.iter().enumerate() {
        let links = links(&variable.value);
        let text = if links.is_empty() {
            format!("{} = {}", variable.name, variable.value)
        } else {
            variable.name.clone()
        };
        let _ = writeln!(out, "  v{at} [label={}, shape=plaintext];", quoted(&text));
        for (field, target) in links {
            let _ = writeln!(out, "  v{at} -> {} [label={}];", target_of(memory, target), quoted(&field));
        }
    }
    for (at, cell) in memory.cells.iter().enumerate() {
        let style = if cell.free { ", style=dashed, color=red" } else { "" };
        let _ = writeln!(out, "  c{at} [label={}{style}];", label(&contents(cell)));
        for (field, target) in links(&cell.value) {
            let _ = writeln!(out, "  c{at} -> {} [label={}];", target_of(memory, target), quoted(&field));
        }
    }
    for (at, holder) in memory.holders.iter().filter(|holder| !holder.is_temporary).enumerate() {
        let Field { name, value } = &holder.variable;
        let colour = COLOURS[holder.thread % COLOURS.len()];
        let text = quoted(&format!("t{}.{name}", holder.thread));
        let _ = writeln!(out, "  h{at} [label={text}, shape=plaintext, fontcolor={colour:?}];");
        for (field, target) in links(value) {
            let target = target_of(memory, target);
            let _ = writeln!(out, "  h{at} -> {target} [label={}, color={colour:?}];", quoted(&field));
        }
    }
    let threads: Vec<String> =
        rests.iter().enumerate().filter_map(|(thread, rest)| rest.text(thread)).collect();
    if !threads.is_empty() {
        let _ = writeln!(out, "  threads [label={}, shape=note];", label(&threads));
    }
    out + "}\n"
}

/// Returns the node of a cell.
fn target_of(memory: &HeapSnapshot, target: &CellName) -> String {
    let at = memory.cells.iter().position(|cell| cell.name == *target);
    at.map_or_else(|| "gone".to_string(), |at| format!("c{at}"))
}

/// Returns the lines of a cell: the name, then the fields without pointers to cells.
fn contents(cell: &Cell) -> Vec<String> {
    let mut lines = vec![if cell.free { format!("{} (freed)", cell.name) } else { cell.name.to_string() }];
    match &cell.value {
        Value::Struct(fields) | Value::Word(fields) => {
            let shown = fields.iter().filter(|field| !matches!(field.value, Value::Pointer(Some(_))));
            lines.extend(shown.map(|field| format!("{}: {}", field.name, field.value)));
        }
        value => lines.push(value.to_string()),
    }
    lines
}

/// Returns the pointers of a value that lead to cells, each with its path.
fn links(value: &Value) -> Vec<(String, &CellName)> {
    let mut found = Vec::new();
    collect_links("", value, &mut found);
    found
}

fn collect_links<'v>(path: &str, value: &'v Value, found: &mut Vec<(String, &'v CellName)>) {
    match value {
        Value::Pointer(Some(target)) => found.push((path.to_string(), target)),
        Value::Word(fields) | Value::Struct(fields) => {
            for field in fields {
                let inner =
                    if path.is_empty() { field.name.clone() } else { format!("{path}.{}", field.name) };
                collect_links(&inner, &field.value, found);
            }
        }
        Value::Array(items) | Value::Collection { items, .. } => {
            for (at, item) in items.iter().enumerate() {
                collect_links(&format!("{path}[{at}]"), item, found);
            }
        }
        Value::Entry(key, value) => {
            collect_links(path, key, found);
            collect_links(path, value, found);
        }
        _ => {}
    }
}

/// Returns a label of several lines, aligned to the left.
fn label(lines: &[String]) -> String {
    let text: String = lines.iter().map(|line| escaped(line.trim_end()) + "\\l").collect();
    format!("\"{text}\"")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}
