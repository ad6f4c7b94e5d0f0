//! Converts lines to a history of the operations of a specification, or returns all errors.

use super::lines::{LineEvent, RecordedLine, field_span};
use super::values::{Dictionary, Mismatch};
use crate::calls::ValueNaming;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::nearest::nearest;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::source::{SourceMap, Span};
use linchpin_ir::types::TypeId;
use linchpin_judge::history::{Event, History};
use linchpin_semantics::ThreadId;
use rustc_hash::{FxHashMap, FxHashSet};

/// A history with the recorded names of its threads and values.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub history: History,
    pub dictionary: Dictionary,
    /// The line number of each event, from 1.
    lines: Vec<usize>,
}

impl Recorded {
    /// Returns the line number of an event, from 1.
    pub fn line(&self, event: usize) -> usize {
        self.lines.get(event).copied().unwrap_or(0)
    }
}

/// Number of lines between two polls of `go_on`.
const POLL_INTERVAL: usize = 256;

/// Reads a history of the operations of the program. `None`: `go_on` returned false.
pub fn read(
    sources: &SourceMap,
    program: &Program,
    lines: &[RecordedLine],
    go_on: &dyn Fn() -> bool,
) -> Result<Option<Recorded>, Vec<Diagnostic>> {
    let mut reader = Reader { sources, program, dictionary: Dictionary::default(), findings: Vec::new() };
    let Some(accepted) = reader.check(lines, go_on) else { return Ok(None) };
    if !reader.findings.is_empty() {
        return Err(reader.findings);
    }
    reader.dictionary.finish();
    let mut events: Vec<Event> = Vec::with_capacity(accepted.len());
    for (at, accepted) in accepted.iter().enumerate() {
        if at.is_multiple_of(POLL_INTERVAL) && !go_on() {
            return Ok(None);
        }
        events.push(reader.event(accepted));
    }
    match History::new(program, events) {
        Ok(history) => {
            let lines = accepted.iter().map(|accepted| accepted.line.number).collect();
            Ok(Some(Recorded { history, dictionary: reader.dictionary, lines }))
        }
        // Unreachable by the checks above, which are stricter.
        Err(malformed) => {
            let span = accepted.get(malformed.event).map(|accepted| accepted.line.span);
            Err(span.map(|span| Diagnostic::error(malformed.to_string(), span, "here")).into_iter().collect())
        }
    }
}

struct Reader<'a> {
    sources: &'a SourceMap,
    program: &'a Program,
    dictionary: Dictionary,
    findings: Vec<Diagnostic>,
}

/// A line that is consistent with the operations and the earlier lines.
struct Accepted<'a> {
    line: &'a RecordedLine,
    thread: ThreadId,
    op: OpId,
}

/// The state of a thread.
enum ThreadState<'a> {
    /// No pending call; the line of the last return.
    Idle(&'a RecordedLine),
    /// A pending call and its line.
    Call(OpId, &'a RecordedLine),
}

impl Reader<'_> {
    /// Pairs calls with returns and checks values. After an error, further lines of that thread are skipped.
    fn check<'l>(
        &mut self,
        lines: &'l [RecordedLine],
        go_on: &dyn Fn() -> bool,
    ) -> Option<Vec<Accepted<'l>>> {
        let mut doing: FxHashMap<ThreadId, ThreadState> = FxHashMap::default();
        let mut lost: FxHashSet<ThreadId> = FxHashSet::default();
        let mut accepted = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if at.is_multiple_of(POLL_INTERVAL) && !go_on() {
                return None;
            }
            let thread = self.dictionary.learn_thread(&line.thread);
            if lost.contains(&thread) {
                continue;
            }
            match self.check_line(line, thread, doing.get(&thread)) {
                Ok(op) => {
                    let now = match line.event {
                        LineEvent::Call { .. } => ThreadState::Call(op, line),
                        LineEvent::Return { .. } => ThreadState::Idle(line),
                    };
                    doing.insert(thread, now);
                    accepted.push(Accepted { line, thread, op });
                }
                Err(finding) => {
                    self.findings.push(*finding);
                    lost.insert(thread);
                }
            }
        }
        Some(accepted)
    }

    fn check_line(
        &mut self,
        line: &RecordedLine,
        thread: ThreadId,
        doing: Option<&ThreadState>,
    ) -> Result<OpId, Box<Diagnostic>> {
        let op = self.operation(line)?;
        match (&line.event, doing) {
            (LineEvent::Call { args, .. }, None | Some(ThreadState::Idle(_))) => {
                self.arguments(line, op, args)?;
            }
            (LineEvent::Return { result, .. }, Some(ThreadState::Call(called, _))) if *called == op => {
                self.result(line, op, result.as_ref())?;
            }
            (LineEvent::Call { op: name, .. }, Some(ThreadState::Call(called, earlier))) => {
                let title = format!(
                    "{} calls `{name}` while its call of `{}` is pending",
                    self.dictionary.thread(thread),
                    self.program.ops[*called].name
                );
                return Err(Box::new(
                    Diagnostic::error(title, self.field(line, "call"), "the second call")
                        .label(self.field(earlier, "call"), "this call has not returned")
                        .help("give overlapping calls different threads: a thread makes one call at a time"),
                ));
            }
            (LineEvent::Return { op: name, .. }, Some(ThreadState::Call(called, earlier))) => {
                let title = format!(
                    "{} returns from `{name}`, but its pending call is `{}`",
                    self.dictionary.thread(thread),
                    self.program.ops[*called].name
                );
                return Err(Box::new(
                    Diagnostic::error(title, self.field(line, "return"), "not the pending operation")
                        .label(self.field(earlier, "call"), "the pending call"),
                ));
            }
            (LineEvent::Return { .. }, before) => {
                let title = format!("{} returns, but it has no pending call", self.dictionary.thread(thread));
                let span = self.field(line, "return");
                let mut finding = Diagnostic::error(title, span, "no earlier call of this thread");
                if let Some(ThreadState::Idle(last)) = before {
                    finding.labels[0].text = "the second return".into();
                    finding = finding.label(self.field(last, "return"), "the last call returned here");
                }
                let help = "write the line of the call before this line: lines are in the order of time";
                return Err(Box::new(finding.help(help)));
            }
        }
        Ok(op)
    }

    fn operation(&self, line: &RecordedLine) -> Result<OpId, Box<Diagnostic>> {
        let name = line.event.op();
        if let Some((op, _)) = self.program.ops.entries().find(|(_, op)| *op.name == *name) {
            return Ok(op);
        }
        let field = if matches!(line.event, LineEvent::Call { .. }) { "call" } else { "return" };
        let known: Vec<&str> = self.program.ops.iter().map(|op| &*op.name).collect();
        let help = match nearest(name, known.iter().copied()).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the operations are `{}`", known.join("`, `")),
        };
        let title = format!("`{}` has no operation `{name}`", self.program.spec.name);
        Err(Box::new(Diagnostic::error(title, self.field(line, field), "not an operation").help(help)))
    }

    fn arguments(
        &mut self,
        line: &RecordedLine,
        op: OpId,
        args: &[serde_json::Value],
    ) -> Result<(), Box<Diagnostic>> {
        let params = self.program.ops[op].params.clone();
        if params.len() != args.len() {
            let title = format!("{} takes {}, not {}", self.named(op), count(params.len()), args.len());
            let help = match &params[..] {
                [] => "remove `args`".to_string(),
                _ => format!("\"args\": [{}]", self.type_names(&params)),
            };
            let found = Diagnostic::error(title, self.field(line, "args"), "the wrong number of values");
            return Err(Box::new(found.help(help)));
        }
        for (&ty, value) in params.iter().zip(args) {
            self.value(line, "args", op, ty, value)?;
        }
        Ok(())
    }

    fn result(
        &mut self,
        line: &RecordedLine,
        op: OpId,
        result: Option<&serde_json::Value>,
    ) -> Result<(), Box<Diagnostic>> {
        match (self.program.ops[op].result, result) {
            (None, None | Some(serde_json::Value::Null)) => Ok(()),
            (None, Some(_)) => {
                let title = format!("{} returns nothing", self.named(op));
                let found = Diagnostic::error(title, self.field(line, "result"), "expected no result");
                Err(Box::new(found.help("remove `result`")))
            }
            (Some(ty), None) => {
                let title = format!("{} returns a value, but the line has no `result`", self.named(op));
                let found = Diagnostic::error(title, line.span, "expected `result`");
                let types = &self.program.types;
                let is_optional = matches!(types.kind(ty), linchpin_ir::types::TypeKind::Option(_));
                let none = if is_optional { "; write `none` as null" } else { "" };
                Err(Box::new(found.help(format!("\"result\": {}{none}", self.type_names(&[ty])))))
            }
            (Some(ty), Some(value)) => self.value(line, "result", op, ty, value),
        }
    }

    fn value(
        &mut self,
        line: &RecordedLine,
        field: &str,
        op: OpId,
        ty: TypeId,
        value: &serde_json::Value,
    ) -> Result<(), Box<Diagnostic>> {
        let learnt = self.dictionary.learn(&self.program.types, ty, value);
        learnt.map_err(|Mismatch { expected, found }| {
            let verb = if field == "args" { "takes" } else { "returns" };
            let title = format!("{} {verb} {expected}, not {found}", self.named(op));
            let label = format!("the type is `{}`", self.program.types.name(ty));
            Box::new(Diagnostic::error(title, self.field(line, field), label))
        })
    }

    fn event(&self, accepted: &Accepted) -> Event {
        let Accepted { line, thread, op } = accepted;
        let types = &self.program.types;
        let operation = &self.program.ops[*op];
        match &line.event {
            LineEvent::Call { args, .. } => {
                let words = operation.params.iter().zip(args);
                let args = words.flat_map(|(&ty, value)| self.dictionary.words(types, ty, value)).collect();
                Event::Call { thread: *thread, op: *op, args }
            }
            LineEvent::Return { result, .. } => {
                let words = operation.result.zip(result.as_ref());
                let result = words.map(|(ty, value)| self.dictionary.words(types, ty, value));
                Event::Return { thread: *thread, result: result.unwrap_or_default() }
            }
        }
    }

    fn field(&self, line: &RecordedLine, field: &str) -> Span {
        field_span(line.span, self.sources.text(line.span), field)
    }

    fn named(&self, op: OpId) -> String {
        format!("`{}`", self.program.ops[op].name)
    }

    fn type_names(&self, types: &[TypeId]) -> String {
        let names: Vec<String> = types.iter().map(|&ty| self.program.types.name(ty)).collect();
        names.join(", ")
    }
}

fn count(values: usize) -> String {
    match values {
        0 => "no value".into(),
        1 => "1 value".into(),
        many => format!("{many} values"),
    }
}
