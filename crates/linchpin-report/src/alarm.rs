//! Alarms of the prover as text and as JSON: the abstract trace to the alarm, and the result of the explorer.

use super::line::{DIM, Palette};
use crate::render::render;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::byte_of;
use linchpin_ir::property::Property;
use linchpin_ir::source::{SourceMap, Span};
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

/// An alarm and the result of the search for a matching execution.
pub struct Alarm {
    pub property: Property,
    /// A clause that completes "the prover cannot exclude that".
    pub what: String,
    pub span: Span,
    /// The abstract trace, in order of time.
    pub steps: Vec<AlarmStep>,
    /// The relation that the prover does not know. `None`: all relations are known.
    pub unclear: Option<String>,
    /// Instances without an execution that shows the alarm.
    pub searched: Vec<String>,
    /// The instance with an execution that shows the alarm. `None`: no such instance was found.
    pub shown_by: Option<String>,
}

/// One step of the abstract trace.
pub struct AlarmStep {
    /// 0 and 1 for the two threads of the view; greater numbers for interfering threads.
    pub thread: usize,
    pub op: Option<Arc<str>>,
    /// Where the thread rests. `None`: the call begins.
    pub span: Option<Span>,
    pub takes_effect: bool,
    pub returns: bool,
    /// Moves of observers: name, old location, new location.
    pub observed: Vec<[Arc<str>; 3]>,
}

/// Draws an alarm. An alarm with an execution takes one line: the counterexample shows the rest.
pub fn draw(sources: &SourceMap, alarm: &Alarm, palette: Palette) -> String {
    let (property, what) = (alarm.property, &alarm.what);
    if let Some(shown_by) = &alarm.shown_by {
        let (line, dim) = (sources.line_of(alarm.span), palette.style(DIM));
        return format!(
            "{dim}alarm on `{property}`, line {line}: {what}; an execution shows it ({shown_by}){dim:#}\n"
        );
    }
    let title = format!("`{property}` is not proved: the prover cannot exclude that {what}");
    let mut diagnostic = Diagnostic::warning(title, alarm.span, "this may happen");
    diagnostic = diagnostic.note(match &alarm.unclear {
        Some(unclear) => format!("unknown to the prover: {unclear}"),
        None => "all relations between pointers of this thread are known, but not the earlier steps of other threads".into(),
    });
    for searched in &alarm.searched {
        diagnostic = diagnostic.note(format!("no execution of {searched} shows it"));
    }
    let mut text = format!("\n{}\n", render(sources, &diagnostic, palette == Palette::Colours));
    if alarm.steps.is_empty() {
        return text;
    }
    let _ = writeln!(
        text,
        "\nThe abstract trace to the alarm. Some of these steps may exclude each other.\n\
         `a` and `b` are the two threads of the view; `*` marks a step of another thread."
    );
    let rows: Vec<[String; 3]> = alarm.steps.iter().map(|step| row(sources, step)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    for [who, what, remarks] in &rows {
        let line = format!("  {who:first$}  {what:second$}  {remarks}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Returns the columns of a step: thread, source line, remarks.
fn row(sources: &SourceMap, step: &AlarmStep) -> [String; 3] {
    let op = step.op.as_deref().unwrap_or("a call");
    let what = match step.span {
        Some(span) => format!("{op}  {:>3}  {}", sources.line_of(span), source_line(sources, step)),
        None => format!("{op}  begins"),
    };
    let mut remarks = Vec::new();
    if step.takes_effect {
        remarks.push("takes effect".to_string());
    }
    for observed in &step.observed {
        let [observer, from, to] = observed;
        remarks.push(format!("`{observer}`: {from} → {to}"));
    }
    if step.returns {
        remarks.push("returns".into());
    }
    [thread_name(step.thread), what, remarks.join("; ")]
}

/// Returns the source line where the thread rests.
fn source_line(sources: &SourceMap, step: &AlarmStep) -> String {
    let Some(span) = step.span else { return String::new() };
    let file = sources.file(span.file);
    let text = file.line(sources.line_of(span)).trim();
    text.split("//").next().unwrap_or(text).trim().to_string()
}

/// Returns `a` or `b` for a thread of the view, `c*` and so on for an interfering thread.
fn thread_name(thread: usize) -> String {
    let letter = char::from(b'a' + byte_of(thread % 26));
    if thread < 2 { letter.to_string() } else { format!("{letter}*") }
}

/// An alarm in JSON.
#[derive(Serialize, Debug)]
pub struct AlarmRecord {
    property: String,
    what: String,
    line: usize,
    /// The instance with an execution that shows the alarm.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown_by: Option<String>,
    /// Instances without such an execution.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    searched: Vec<String>,
    /// The relation that the prover does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    unclear: Option<String>,
    trace: Vec<AlarmStepRecord>,
}

#[derive(Serialize, Debug)]
struct AlarmStepRecord {
    thread: usize,
    /// Not one of the two threads of the view.
    interferes: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<String>,
    /// Where the thread rests. Absent: the call begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    takes_effect: bool,
    returns: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    observers: Vec<[String; 3]>,
}

impl AlarmRecord {
    pub fn new(sources: &SourceMap, alarm: &Alarm) -> AlarmRecord {
        let record = |step: &AlarmStep| AlarmStepRecord {
            thread: step.thread,
            interferes: step.thread >= 2,
            op: step.op.as_ref().map(|op| op.to_string()),
            line: step.span.map(|span| sources.line_of(span)),
            takes_effect: step.takes_effect,
            returns: step.returns,
            observers: step
                .observed
                .iter()
                .map(|names| names.each_ref().map(|name| name.to_string()))
                .collect(),
        };
        AlarmRecord {
            property: alarm.property.to_string(),
            what: alarm.what.clone(),
            line: sources.line_of(alarm.span),
            shown_by: alarm.shown_by.clone(),
            searched: alarm.searched.clone(),
            unclear: alarm.unclear.clone(),
            trace: alarm.steps.iter().map(record).collect(),
        }
    }
}
