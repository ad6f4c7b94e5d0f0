//! Reports of the gate: the compared instances, and the report of a contradiction.

use super::quantities::{count, grouped};
use linchpin_certify::gate::{Compared, GateRefused, GateReport};
use linchpin_ir::source::{SourceMap, Span};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Duration;

/// Returns the compared instances, one line each, and the source lines that no instance reached.
pub fn compared_text(sources: &SourceMap, report: &GateReport, time: Duration) -> String {
    let mut text = format!("compared with small instances in {:.1} s\n", time.as_secs_f64());
    for compared in &report.instances {
        let _ = writeln!(text, "  {}", instance_text(compared));
    }
    let lines = lines_never_reached(sources, report);
    if !lines.is_empty() {
        let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
        let _ = writeln!(text, "  lines never reached in these instances: {}", lines.join(", "));
    }
    text
}

fn instance_text(compared: &Compared) -> String {
    let mut text = format!("{}: {} states, ", compared.size, grouped(compared.states));
    match compared.depth {
        None => text += "complete",
        Some(depth) => {
            let _ = write!(text, "to depth {depth}");
        }
    }
    if compared.cut_by_age > 0 {
        let _ = write!(text, ", {} cut by age", grouped(compared.cut_by_age));
    }
    text
}

/// Returns the source lines of operations without an executed instruction.
pub fn lines_never_reached(sources: &SourceMap, report: &GateReport) -> Vec<usize> {
    let line = |span: &Span| (span.file, sources.line_of(*span));
    let reached: BTreeSet<_> = report.reached.iter().map(line).collect();
    let never: BTreeMap<_, ()> = report.never_reached.iter().map(|span| (line(span), ())).collect();
    never.into_keys().filter(|line| !reached.contains(line)).map(|(_, line)| line).collect()
}

/// Returns the report of an execution that contradicts a checked certificate. `None`: another refusal.
pub fn contradiction_text(refused: &GateRefused) -> Option<String> {
    let way = refused.execution()?;
    let steps = count(way.steps.len(), "step");
    Some(format!(
        "\nThis is a bug in Linchpin: an execution of {steps} contradicts a certificate that the checker accepts.\n\
         Please send the model and this text.\n{refused}\n{way}\n"
    ))
}

/// The compared instances in JSON.
#[derive(Serialize, Debug)]
pub struct GateRecord {
    instances: Vec<InstanceRecord>,
    seconds: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines_never_reached: Vec<usize>,
}

#[derive(Serialize, Debug)]
struct InstanceRecord {
    threads: u32,
    nodes: u32,
    values: u32,
    states: u64,
    transitions: u64,
    complete: bool,
    /// The depth of an incomplete search.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    cut_by_age: u64,
}

impl GateRecord {
    pub fn new(sources: &SourceMap, report: &GateReport, time: Duration) -> GateRecord {
        let instance = |compared: &Compared| InstanceRecord {
            threads: compared.size.threads,
            nodes: compared.size.nodes,
            values: compared.size.values,
            states: compared.states,
            transitions: compared.transitions,
            complete: compared.depth.is_none(),
            depth: compared.depth,
            cut_by_age: compared.cut_by_age,
        };
        GateRecord {
            instances: report.instances.iter().map(instance).collect(),
            seconds: time.as_secs_f64(),
            lines_never_reached: lines_never_reached(sources, report),
        }
    }
}
