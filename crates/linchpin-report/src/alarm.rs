//! An alarm of the prover, told to a person and to programs: the abstract way to it, and what the explorer found.

use super::line::DIM;
use crate::render::render;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::byte_of;
use linchpin_ir::property::Property;
use linchpin_ir::source::{SourceMap, Span};
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

/// An alarm, and what came of it.
pub struct Alarm {
    pub property: Property,
    /// Fits behind "it is not excluded that".
    pub what: String,
    pub span: Span,
    /// First things first.
    pub moments: Vec<Moment>,
    /// The relation that is too weak.
    pub unclear: Option<String>,
    /// Of what no execution shows it.
    pub searched: Vec<String>,
    /// Of what some execution shows it.
    pub shown_by: Option<String>,
}

/// One abstract step.
pub struct Moment {
    /// The two that the prover looks at are 0 and 1; others interfere.
    pub thread: usize,
    pub op: Option<Arc<str>>,
    /// Where the thread rests; nothing if it begins its call.
    pub span: Option<Span>,
    pub takes_effect: bool,
    pub returns: bool,
    /// An observer, from where it moves, and where to.
    pub observed: Vec<[Arc<str>; 3]>,
}

/// What is said of an alarm. One that turned out to be an execution is a line; the counterexample says the rest.
pub fn draw(sources: &SourceMap, alarm: &Alarm) -> String {
    let (property, what) = (alarm.property, &alarm.what);
    if let Some(shown_by) = &alarm.shown_by {
        let line = sources.line_of(alarm.span);
        return format!(
            "{DIM}alarm on `{property}`, line {line}: {what}; an execution shows it ({shown_by}){DIM:#}\n"
        );
    }
    let title = format!("`{property}` is not proved: it is not excluded that {what}");
    let mut diagnostic = Diagnostic::warning(title, alarm.span, "this is not excluded");
    diagnostic = diagnostic.note(match &alarm.unclear {
        Some(unclear) => format!("too little is known: {unclear}"),
        None => "every relation of this thread's pointers is known; which steps of others came before is not"
            .into(),
    });
    for searched in &alarm.searched {
        diagnostic = diagnostic.note(format!("no execution of {searched} shows it"));
    }
    let mut text = format!("\n{}\n", render(sources, &diagnostic, true));
    if alarm.moments.is_empty() {
        return text;
    }
    let _ = writeln!(
        text,
        "\nThe way to it, as the prover sees it; some of these steps may not be possible together. `a` and `b` are the two threads\n\
         that it looks at, `*` marks a step of another one."
    );
    let rows: Vec<[String; 3]> = alarm.moments.iter().map(|moment| row(sources, moment)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    for [who, what, remarks] in &rows {
        let line = format!("  {who:first$}  {what:second$}  {remarks}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Who, what, and what comes of it.
fn row(sources: &SourceMap, moment: &Moment) -> [String; 3] {
    let op = moment.op.as_deref().unwrap_or("a call");
    let what = match moment.span {
        Some(span) => format!("{op}  {:>3}  {}", sources.line_of(span), source_line(sources, moment)),
        None => format!("{op}  begins"),
    };
    let mut remarks = Vec::new();
    if moment.takes_effect {
        remarks.push("takes effect".to_string());
    }
    for observed in &moment.observed {
        let [observer, from, to] = observed;
        remarks.push(format!("`{observer}`: {from} → {to}"));
    }
    if moment.returns {
        remarks.push("returns".into());
    }
    [thread_name(moment.thread), what, remarks.join("; ")]
}

/// The line of the text where the thread rests.
fn source_line(sources: &SourceMap, moment: &Moment) -> String {
    let Some(span) = moment.span else { return String::new() };
    let file = sources.file(span.file);
    let text = file.line(sources.line_of(span)).trim();
    text.split("//").next().unwrap_or(text).trim().to_string()
}

/// `a`, `b`; `c*` and so on for those that interfere.
fn thread_name(thread: usize) -> String {
    let letter = char::from(b'a' + byte_of(thread % 26));
    if thread < 2 { letter.to_string() } else { format!("{letter}*") }
}

/// An alarm for programs.
#[derive(Serialize, Debug)]
pub struct AlarmRecord {
    property: String,
    what: String,
    line: usize,
    /// Of what an execution shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown_by: Option<String>,
    /// Of what no execution shows it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    searched: Vec<String>,
    /// The relation that is too weak.
    #[serde(skip_serializing_if = "Option::is_none")]
    unclear: Option<String>,
    trace: Vec<MomentRecord>,
}

#[derive(Serialize, Debug)]
struct MomentRecord {
    thread: usize,
    /// It is none of the two threads that the prover looks at.
    interferes: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<String>,
    /// Where the thread rests; nothing if it begins its call.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    takes_effect: bool,
    returns: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    observers: Vec<[String; 3]>,
}

impl AlarmRecord {
    pub fn new(sources: &SourceMap, alarm: &Alarm) -> AlarmRecord {
        let moment = |moment: &Moment| MomentRecord {
            thread: moment.thread,
            interferes: moment.thread >= 2,
            op: moment.op.as_ref().map(|op| op.to_string()),
            line: moment.span.map(|span| sources.line_of(span)),
            takes_effect: moment.takes_effect,
            returns: moment.returns,
            observers: moment
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
            trace: alarm.moments.iter().map(moment).collect(),
        }
    }
}
