//! The logs of Jepsen, and of tests of Porcupine: one event on each line, as an EDN map or as text.
//!
//! ```text
//! {:process 4, :type :invoke, :f :append, :key "1", :value "x"}
//! INFO  jepsen.util - 3  :ok  :write  3
//! ```
//!
//! | type | meaning here |
//! |---|---|
//! | `:invoke` | a call |
//! | `:ok` | its return |
//! | `:fail` | the call did not happen, and is left out; a call that returns `bool` returned `false`, unless the line gives an error as its value |
//! | `:info` | the outcome is unknown: the call stays pending, and may take effect at any later time |
//!
//! After `:info` a process is a new thread. Processes that are not numbers, such as `:nemesis`, are left out.
//!
//! The operation `cas` of a log is `cas_` in a specification, since the language reserves the name; so are
//! others. *Arguments* are the key, if there is one, and the value; a vector gives several. *Results*: an
//! operation that returns nothing ignores the value. An operation that returns `bool` gives `true` for `:ok`,
//! unless the value says otherwise. Other operations give the value, or its last element if the value repeats
//! the key.

use super::edn;
use super::lines::{LineEvent, RecordedLine};
use super::values::Outside;
use super::values::kind;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::program::Program;
use linchpin_ir::source::{FileId, Span};
use linchpin_ir::types::TypeKind;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

/// A line of a log.
#[derive(Clone, PartialEq, Debug)]
pub struct LogLine {
    pub span: Span,
    /// The line number, from 1.
    pub number: usize,
    entry: Entry,
}

/// What a line says.
#[derive(Clone, PartialEq, Debug)]
struct Entry {
    process: i64,
    outcome: LogType,
    op: String,
    key: Option<Value>,
    value: Value,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LogType {
    Invoke,
    Ok,
    Fail,
    Info,
}

/// The text in front of the values of a line of a Jepsen log.
const MARK: &str = "jepsen.util - ";

/// Number of lines between two polls of `go_on`.
const POLL_INTERVAL: usize = 256;

/// Checks by its first line with content whether a text is such a log.
pub fn is_log(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with(';'));
    first.is_some_and(|line| {
        line.starts_with("{:") || line.starts_with("[{:") || line.contains(MARK) || line.starts_with("INFO ")
    })
}

/// Reads all events of a log. `None`: `go_on` returned false.
pub fn parse(file: FileId, text: &str, go_on: &dyn Fn() -> bool) -> Option<(Vec<LogLine>, Vec<Diagnostic>)> {
    let (mut lines, mut findings) = (Vec::new(), Vec::new());
    let mut start = 0;
    for (at, whole) in text.split_inclusive('\n').enumerate() {
        if at.is_multiple_of(POLL_INTERVAL) && !go_on() {
            return None;
        }
        let content = whole.trim_end_matches(['\n', '\r']);
        let span = Span::new(file, start, start + content.len());
        let before = start;
        start += whole.len();
        // A file may be one vector of maps.
        let trimmed = content.trim_end().trim_start_matches('[');
        let values = match (trimmed.find(MARK), trimmed.trim_start().starts_with('{')) {
            (Some(mark), _) => &trimmed[mark + MARK.len()..],
            (None, true) if trimmed.ends_with("}]") => &trimmed[..trimmed.len() - 1],
            (None, true) => trimmed,
            (None, false) => continue,
        };
        match edn::values(values) {
            Ok(values) => match event(values) {
                Ok(Some(entry)) => lines.push(LogLine { span, number: at + 1, entry }),
                Ok(None) => {}
                Err(title) => findings.push(
                    Diagnostic::error(title, span, "not an event")
                        .help("such as {:process 1, :type :invoke, :f :write, :value 3}"),
                ),
            },
            Err(error) => {
                let offset = content.len() - content.trim_start_matches('[').len();
                let skipped = content[offset..].find(values).unwrap_or(0) + offset;
                let place = (before + skipped + error.at).min(before + content.len().saturating_sub(1));
                let place = (before..=place).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(before);
                let end = (place + 1..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(place);
                let label = Span::new(file, place, end.min(before + content.len()).max(place));
                findings.push(
                    Diagnostic::error("this line is not EDN", label, error.reason)
                        .help("remove the line if the recording program ended while it wrote"),
                );
            }
        }
    }
    Some((lines, findings))
}

/// Returns the event of a line; `None` for an event that is not one of a client.
fn event(values: Vec<Value>) -> Result<Option<Entry>, String> {
    let [process, outcome, op, key, value] = match <[Value; 1]>::try_from(values) {
        Ok([Value::Object(mut fields)]) => {
            ["process", "type", "f", "key", "value"].map(|name| fields.remove(name).unwrap_or(Value::Null))
        }
        Ok(_) => return Err("expected a map".into()),
        Err(values) => {
            let mut values = values.into_iter();
            let mut next = || values.next().unwrap_or(Value::Null);
            [next(), next(), next(), Value::Null, next()]
        }
    };
    let Value::Number(number) = &process else {
        let is_other = matches!(process, Value::String(_));
        return if is_other {
            Ok(None)
        } else {
            Err(format!("expected a `:process`, found {}", kind(&process)))
        };
    };
    let Some(process) = number.as_i64() else { return Err("the number of the process is too large".into()) };
    let outcome = match outcome.as_str() {
        Some("invoke") => LogType::Invoke,
        Some("ok") => LogType::Ok,
        Some("fail") => LogType::Fail,
        Some("info") => LogType::Info,
        _ => return Err(format!("expected `:invoke`, `:ok`, `:fail` or `:info`, found {}", kind(&outcome))),
    };
    let Value::String(op) = op else { return Err(format!("expected an operation, found {}", kind(&op))) };
    let key = Some(key).filter(|key| !key.is_null());
    Ok(Some(Entry { process, outcome, op, key, value }))
}

/// Returns the largest number of threads that a log can have: its processes, and one for each crash.
pub fn most_threads(log: &[LogLine]) -> usize {
    let processes: FxHashSet<i64> = log.iter().map(|line| line.entry.process).collect();
    let crashes = log.iter().filter(|line| line.entry.outcome == LogType::Info).count();
    processes.len() + crashes
}

/// Converts a log to calls and returns of the operations of a program.
pub fn resolve(program: &Program, log: Vec<LogLine>) -> Vec<RecordedLine> {
    let mut crashes: FxHashMap<i64, u32> = FxHashMap::default();
    // The position in `lines` of the pending call of each process.
    let mut pending: FxHashMap<i64, usize> = FxHashMap::default();
    let mut lines: Vec<RecordedLine> = Vec::new();
    let mut left_out: FxHashSet<usize> = FxHashSet::default();
    for line in log {
        let LogLine { span, number, entry: Entry { process, outcome, op, key, value } } = line;
        let thread = match crashes.get(&process) {
            None => Outside::Number(process.into()),
            Some(times) => Outside::Text(format!("{process} after {times} unknown outcomes")),
        };
        let op = named(program, op);
        let result = program.ops.iter().find(|known| *known.name == *op).and_then(|op| op.result);
        let is_bool = result.is_some_and(|ty| program.types.kind(ty) == TypeKind::Bool);
        match outcome {
            LogType::Invoke => {
                let params =
                    program.ops.iter().find(|known| *known.name == *op).map_or(1, |op| op.params.len());
                pending.insert(process, lines.len());
                let event = LineEvent::Call { op, args: arguments(params, key, value) };
                lines.push(RecordedLine { span, number, thread, event });
            }
            LogType::Info => {
                if pending.remove(&process).is_some() {
                    *crashes.entry(process).or_default() += 1;
                }
            }
            LogType::Fail if !is_bool || matches!(value, Value::String(_)) => {
                left_out.extend(pending.remove(&process));
            }
            LogType::Ok | LogType::Fail => {
                let call = pending.remove(&process).map(|at| &lines[at].event);
                let given = match (result, value) {
                    (None, _) => None,
                    (Some(_), Value::Bool(value)) => Some(Value::Bool(value)),
                    (Some(_), _) if is_bool => Some(Value::Bool(outcome == LogType::Ok)),
                    (Some(_), Value::Array(mut parts)) if repeats_key(call, &parts) => parts.pop(),
                    (Some(_), value) => Some(value),
                };
                let event = LineEvent::Return { op, result: given };
                lines.push(RecordedLine { span, number, thread, event });
            }
        }
    }
    let mut at = 0;
    lines.retain(|_| {
        at += 1;
        !left_out.contains(&(at - 1))
    });
    lines
}

/// Returns the name of the operation in the specification. A name that the language reserves has a `_` there.
fn named(program: &Program, op: String) -> String {
    let reserved = format!("{op}_");
    let is_named = |name: &str| program.ops.iter().any(|known| *known.name == *name);
    if !is_named(&op) && is_named(&reserved) { reserved } else { op }
}

/// Returns the arguments of a call: the key and the value, or the parts of the value.
fn arguments(params: usize, key: Option<Value>, value: Value) -> Vec<Value> {
    let mut args: Vec<Value> = key.into_iter().collect();
    match value {
        _ if args.len() >= params => {}
        Value::Array(parts) if params - args.len() > 1 => args.extend(parts),
        // A read of a key has the key and `nil`.
        Value::Array(parts) if parts.len() == 2 && parts[1].is_null() => {
            args.extend(parts.into_iter().take(1))
        }
        value => args.push(value),
    }
    args
}

/// Checks whether a result is the call's arguments and one more value.
fn repeats_key(call: Option<&LineEvent>, parts: &[Value]) -> bool {
    match call {
        Some(LineEvent::Call { args, .. }) => !args.is_empty() && parts.len() == 2 && args[0] == parts[0],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_ir::source::SourceMap;

    fn read(text: &str) -> (Vec<LogLine>, Vec<Diagnostic>) {
        let mut sources = SourceMap::default();
        let file = sources.add("h.edn", text);
        parse(file, text, &|| true).expect("not stopped")
    }

    #[test]
    fn both_forms_of_a_line_are_events() {
        let map = "{:process 3, :type :invoke, :f :cas, :value [1 2]}\n{:process :nemesis, :type :info, :f :kill}\n";
        let text = "INFO  jepsen.util - 3\t:invoke\t:cas\t[1 2]\nINFO  other\n";
        let vector = "[{:process 3, :type :invoke, :f :cas, :value [1 2]}]";
        let entries = [map, text, vector].map(|text| {
            assert!(is_log(text));
            let (lines, findings) = read(text);
            assert!(findings.is_empty(), "{findings:?}");
            lines.into_iter().map(|line| line.entry).collect::<Vec<_>>()
        });
        assert_eq!((entries[0].len(), &entries[0]), (1, &entries[1]));
        assert_eq!(entries[0], entries[2]);
        assert!(!is_log("{\"thread\": 1}"));
    }

    #[test]
    fn bad_lines_have_places() {
        let (lines, findings) = read("{:process 1, :type :begin, :f :x}\n{:process 1\n{:process \"é");
        assert_eq!((lines.len(), findings.len()), (0, 3));
        assert!(findings[0].title.contains("`:invoke`"), "{}", findings[0].title);
    }
}
