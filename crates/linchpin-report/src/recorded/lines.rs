//! The format of a recorded history: a JSON object a line, in the order of time.
//!
//! ```text
//! {"thread": 1, "call": "enq", "args": [7]}
//! {"thread": 1, "return": "enq"}
//! {"thread": "reader", "return": "deq", "result": 7}
//! ```
//!
//! Here a line is checked by itself: that it is JSON, complete, and has the fields of a call or of a return. Every line
//! that has not gives a finding.

use super::values::Outside;
use crate::strict;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::{FileId, Span};
use serde_json::{Map, Value};

/// A line that says something.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// All of it, without its end.
    pub span: Span,
    /// From 1.
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

/// Lines between two questions whether to go on.
const BETWEEN_LOOKS: usize = 256;

/// Reads all lines, as long as `go_on` says so; empty ones are passed over. `None`: it was ended.
pub fn parse(file: FileId, text: &str, go_on: &dyn Fn() -> bool) -> Option<(Vec<Line>, Vec<Diagnostic>)> {
    let (mut lines, mut findings) = (Vec::new(), Vec::new());
    let mut start = 0;
    for (at, whole) in text.split_inclusive('\n').enumerate() {
        if at.is_multiple_of(BETWEEN_LOOKS) && !go_on() {
            return None;
        }
        let content = whole.trim_end_matches(['\n', '\r']);
        let place = Place { file, start, text: content, is_last: start + whole.len() == text.len() };
        start += whole.len();
        if content.trim().is_empty() {
            continue;
        }
        match line(&place) {
            Ok((thread, event)) => lines.push(Line { span: place.all(), number: at + 1, thread, event }),
            Err(finding) => findings.push(*finding),
        }
    }
    Some((lines, findings))
}

/// The part of a line's span where a field's name stands; all of it if it is not found.
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

/// Where a line stands.
struct Place<'t> {
    file: FileId,
    start: usize,
    text: &'t str,
    is_last: bool,
}

impl Place<'_> {
    fn all(&self) -> Span {
        Span::new(self.file, self.start, self.start + self.text.len())
    }

    fn field(&self, name: &str) -> Span {
        field_span(self.all(), self.text, name)
    }

    /// The character at a column that the JSON reader names, from 1.
    fn column(&self, column: usize) -> Span {
        let at = self.start + column.saturating_sub(1).min(self.text.len().saturating_sub(1));
        Span::new(self.file, at, at + 1)
    }
}

type Finding = Box<Diagnostic>;

const FIELDS: &str = "`thread`; `call` and `args`, or `return` and `result`; `time`, which is passed over";

fn line(place: &Place) -> Result<(Outside, LineEvent), Finding> {
    let value: Value = strict::value(place.text).map_err(|error| Box::new(no_json(place, &error)))?;
    let Value::Object(mut fields) = value else {
        let title = format!("expected an object, found {}", kind(&value));
        return Err(refuse(title, place.all(), "a line is a call or a return", EXAMPLE));
    };
    let thread = thread(place, &mut fields)?;
    let call = name(place, &mut fields, "call")?;
    let returned = name(place, &mut fields, "return")?;
    let args = fields.remove("args");
    let result = fields.remove("result");
    fields.remove("time");
    if let Some(unknown) = fields.keys().next() {
        let title = format!("there is no field `{unknown}`");
        return Err(refuse(title, place.field(unknown), "not known", &format!("the fields are {FIELDS}")));
    }
    let event = match (call, returned) {
        (Some(op), None) => {
            if result.is_some() {
                let help = "the result stands in the line of the return";
                return Err(refuse("a call has no `result`", place.field("result"), "not here", help));
            }
            LineEvent::Call { op, args: list(place, args)? }
        }
        (None, Some(op)) => {
            if args.is_some() {
                let help = "what an operation gives back is its `result`";
                return Err(refuse("a return has no `args`", place.field("args"), "not here", help));
            }
            LineEvent::Return { op, result }
        }
        (Some(_), Some(_)) => {
            let title = "a line is a call or a return, not both";
            return Err(refuse(title, place.field("return"), "the second one", "write two lines"));
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

fn thread(place: &Place, fields: &mut Map<String, Value>) -> Result<Outside, Finding> {
    let Some(value) = fields.remove("thread") else {
        return Err(refuse("no `thread`", place.all(), "whose line is it?", EXAMPLE));
    };
    Outside::of(&value).ok_or_else(|| {
        let title = format!("expected a number or a text for `thread`, found {}", kind(&value));
        refuse(title, place.field("thread"), "this names no thread", EXAMPLE)
    })
}

fn name(place: &Place, fields: &mut Map<String, Value>, field: &str) -> Result<Option<String>, Finding> {
    match fields.remove(field) {
        None => Ok(None),
        Some(Value::String(name)) => Ok(Some(name)),
        Some(other) => {
            let title = format!("expected the name of an operation for `{field}`, found {}", kind(&other));
            Err(refuse(title, place.field(field), "this names no operation", EXAMPLE))
        }
    }
}

fn list(place: &Place, args: Option<Value>) -> Result<Vec<Value>, Finding> {
    match args {
        None => Ok(Vec::new()),
        Some(Value::Array(values)) => Ok(values),
        Some(other) => {
            let title = format!("expected a list for `args`, found {}", kind(&other));
            let help = "write one argument as a list too: \"args\": [7]";
            Err(refuse(title, place.field("args"), "not a list", help))
        }
    }
}

fn no_json(place: &Place, error: &serde_json::Error) -> Diagnostic {
    if error.is_eof() {
        let title = if place.is_last { "the last line is torn" } else { "this line is not complete" };
        let end = Span::new(
            place.file,
            place.start + place.text.len().saturating_sub(1),
            place.start + place.text.len(),
        );
        return Diagnostic::error(title, end, "it ends in the middle of an object").help(
            "the program that recorded it ended while it wrote: take the line out; what it began is then pending",
        );
    }
    // The reader's own text ends with a place in the line, which the label shows better.
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text).to_string();
    Diagnostic::error("this line is not JSON", place.column(error.column()), reason)
        .help(format!("every line is an object, {EXAMPLE}"))
}

fn refuse(title: impl Into<String>, span: Span, label: &str, help: &str) -> Finding {
    Box::new(Diagnostic::error(title, span, label).help(help))
}

/// What a JSON value is, for a person.
pub fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {text:?}"),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}
