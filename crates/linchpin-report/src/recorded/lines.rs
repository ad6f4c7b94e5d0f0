//! The format of a recorded history: one JSON object on each line, in the order of time.
//!
//! ```text
//! {"thread": 1, "call": "enq", "args": [7]}
//! {"thread": 1, "return": "enq"}
//! {"thread": "reader", "return": "deq", "result": 7}
//! ```
//!
//! This module checks each line by itself: valid JSON with the fields of a call or of a return. Every other
//! line gives a diagnostic.

use super::values::{Outside, kind};
use crate::strict;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::{FileId, Span};
use serde_json::{Map, Value};

/// A line with an event.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordedLine {
    /// The line without its line break.
    pub span: Span,
    /// The line number, from 1.
    pub number: usize,
    pub thread: Outside,
    pub event: LineEvent,
}

#[derive(Clone, PartialEq, Debug)]
pub enum LineEvent {
    Call { op: String, args: Vec<Value> },
    Return { op: String, result: Option<Value> },
}

impl LineEvent {
    pub fn op(&self) -> &str {
        match self {
            LineEvent::Call { op, .. } | LineEvent::Return { op, .. } => op,
        }
    }
}

/// Number of lines between two polls of `go_on`.
const POLL_INTERVAL: usize = 256;

/// Reads all lines and skips empty ones. `None`: `go_on` returned false.
pub fn parse(
    file: FileId,
    text: &str,
    go_on: &dyn Fn() -> bool,
) -> Option<(Vec<RecordedLine>, Vec<Diagnostic>)> {
    let (mut lines, mut findings) = (Vec::new(), Vec::new());
    let mut start = 0;
    for (at, whole) in text.split_inclusive('\n').enumerate() {
        if at.is_multiple_of(POLL_INTERVAL) && !go_on() {
            return None;
        }
        let content = whole.trim_end_matches(['\n', '\r']);
        let place = LineLocation { file, start, text: content, is_last: start + whole.len() == text.len() };
        start += whole.len();
        if content.trim().is_empty() {
            continue;
        }
        match line(&place) {
            Ok((thread, event)) => {
                lines.push(RecordedLine { span: place.all(), number: at + 1, thread, event })
            }
            Err(finding) => findings.push(*finding),
        }
    }
    Some((lines, findings))
}

/// Returns the place of a field name in a line; the whole line if the name is absent.
pub fn field_span(span: Span, text: &str, field: &str) -> Span {
    let quoted = format!("\"{field}\"");
    match text.find(&quoted) {
        Some(at) => {
            let start = span.start as usize + at;
            Span::new(span.file, start, start + quoted.len())
        }
        None => span,
    }
}

/// The location of a line in the file.
struct LineLocation<'t> {
    file: FileId,
    start: usize,
    text: &'t str,
    is_last: bool,
}

impl LineLocation<'_> {
    fn all(&self) -> Span {
        Span::new(self.file, self.start, self.start + self.text.len())
    }

    fn field(&self, name: &str) -> Span {
        field_span(self.all(), self.text, name)
    }

    /// Returns the place of a column, from 1.
    fn column(&self, column: usize) -> Span {
        let at = self.start + column.saturating_sub(1).min(self.text.len().saturating_sub(1));
        Span::new(self.file, at, at + 1)
    }
}

type Finding = Box<Diagnostic>;

const FIELDS: &str = "`thread`; `call` and `args`, or `return` and `result`; `time`, which is ignored";

fn line(place: &LineLocation) -> Result<(Outside, LineEvent), Finding> {
    let value: Value = strict::value(place.text).map_err(|error| Box::new(no_json(place, &error)))?;
    let Value::Object(mut fields) = value else {
        let title = format!("expected an object, found {}", kind(&value));
        return Err(refuse(title, place.all(), "expected a call or a return", EXAMPLE));
    };
    let thread = thread(place, &mut fields)?;
    let call = name(place, &mut fields, "call")?;
    let returned = name(place, &mut fields, "return")?;
    let args = fields.remove("args");
    let result = fields.remove("result");
    fields.remove("time");
    if let Some(unknown) = fields.keys().next() {
        let title = format!("unknown field `{unknown}`");
        return Err(refuse(
            title,
            place.field(unknown),
            "not a field of an event",
            &format!("use the fields {FIELDS}"),
        ));
    }
    let event = match (call, returned) {
        (Some(op), None) => {
            if result.is_some() {
                let help = "write the result into the line of the return";
                return Err(refuse("a call has no `result`", place.field("result"), "not here", help));
            }
            LineEvent::Call { op, args: list(place, args)? }
        }
        (None, Some(op)) => {
            if args.is_some() {
                let help = "write the result as `result`";
                return Err(refuse("a return has no `args`", place.field("args"), "not here", help));
            }
            LineEvent::Return { op, result }
        }
        (Some(_), Some(_)) => {
            let title = "a line is a call or a return, not both";
            return Err(refuse(title, place.field("return"), "the second event", "write two lines"));
        }
        (None, None) => {
            let title = "neither a call nor a return";
            return Err(refuse(title, place.all(), "`call` and `return` are missing", EXAMPLE));
        }
    };
    Ok((thread, event))
}

const EXAMPLE: &str =
    "such as {\"thread\": 1, \"call\": \"enq\", \"args\": [7]} or {\"thread\": 1, \"return\": \"enq\"}";

fn thread(place: &LineLocation, fields: &mut Map<String, Value>) -> Result<Outside, Finding> {
    let Some(value) = fields.remove("thread") else {
        return Err(refuse("the field `thread` is missing", place.all(), "expected `thread`", EXAMPLE));
    };
    Outside::of(&value).ok_or_else(|| {
        let title = format!("expected a number or a text for `thread`, found {}", kind(&value));
        refuse(title, place.field("thread"), "not the name of a thread", EXAMPLE)
    })
}

fn name(
    place: &LineLocation,
    fields: &mut Map<String, Value>,
    field: &str,
) -> Result<Option<String>, Finding> {
    match fields.remove(field) {
        None => Ok(None),
        Some(Value::String(name)) => Ok(Some(name)),
        Some(other) => {
            let title = format!("expected the name of an operation for `{field}`, found {}", kind(&other));
            Err(refuse(title, place.field(field), "not the name of an operation", EXAMPLE))
        }
    }
}

fn list(place: &LineLocation, args: Option<Value>) -> Result<Vec<Value>, Finding> {
    match args {
        None => Ok(Vec::new()),
        Some(Value::Array(values)) => Ok(values),
        Some(other) => {
            let title = format!("expected a list for `args`, found {}", kind(&other));
            let help = "write a single argument as a list: \"args\": [7]";
            Err(refuse(title, place.field("args"), "not a list", help))
        }
    }
}

fn no_json(place: &LineLocation, error: &serde_json::Error) -> Diagnostic {
    if error.is_eof() {
        let title = if place.is_last { "the last line is incomplete" } else { "incomplete line" };
        let end = Span::new(
            place.file,
            place.start + place.text.len().saturating_sub(1),
            place.start + place.text.len(),
        );
        return Diagnostic::error(title, end, "the object does not end")
            .help("remove the line: the recording program ended while it wrote; its call is then pending");
    }
    // The label replaces the position at the end of the message.
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text).to_string();
    Diagnostic::error("this line is not JSON", place.column(error.column()), reason)
        .help(format!("write an object on each line, {EXAMPLE}"))
}

fn refuse(title: impl Into<String>, span: Span, label: &str, help: &str) -> Finding {
    Box::new(Diagnostic::error(title, span, label).help(help))
}
