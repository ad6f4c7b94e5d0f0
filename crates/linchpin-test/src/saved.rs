//! Records as files. `linchpin history` reads them, and so does `LINCHPIN_REPLAY`.
//!
//! The format is that of `docs/history.md`. It has no place for the difference between a value, a key and a
//! number. So the field `time`, which the format leaves to its users, holds the exact data.

use crate::object::Interface;
use crate::record::{End, Event, Record};
use crate::value::Datum;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Returns the lines of a record.
pub(crate) fn lines(interface: &Interface, record: &Record) -> String {
    let mut pending: BTreeMap<usize, usize> = BTreeMap::new();
    let mut out = String::new();
    for (at, (thread, event)) in record.events.iter().enumerate() {
        let name = format!("T{}", thread + 1);
        let mut line = match event {
            Event::Call { operation, parts } => {
                pending.insert(*thread, *operation);
                let args: Vec<Json> = parts.iter().map(plain).collect();
                let exact: Vec<Json> = parts.iter().map(exact).collect();
                let name_of = &interface.operations[*operation].name;
                json!({"thread": name, "call": name_of, "args": args, "time": {"exact": exact}})
            }
            Event::Return(result) => {
                let operation = pending.get(thread).map_or("", |&op| &interface.operations[op].name);
                let mut line = json!({"thread": name, "return": operation, "time": {"exact": exact(result)}});
                if *result != Datum::Nothing {
                    line["result"] = plain(result);
                }
                line
            }
        };
        if at == 0 {
            line["time"]["before"] = json!(record.before);
            line["time"]["stuck"] = json!(record.end == End::Stuck);
        }
        out += &format!("{line}\n");
    }
    out
}

/// Reads the lines of a record of this object.
pub(crate) fn parse(interface: &Interface, text: &str) -> Result<Record, String> {
    let mut record = Record::default();
    let mut threads: Vec<String> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let refuse = |why: &str| format!("line {}: {why}", number + 1);
        let line: Json = serde_json::from_str(line).map_err(|error| refuse(&error.to_string()))?;
        let name = line["thread"].as_str().ok_or_else(|| refuse("no thread"))?.to_string();
        let own = name.strip_prefix('T').and_then(|number| number.parse::<usize>().ok());
        let thread = own.and_then(|number| number.checked_sub(1)).ok_or_else(|| refuse("not a thread"))?;
        if !threads.contains(&name) {
            threads.push(name);
        }
        if number == 0 {
            record.before =
                line["time"]["before"].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            record.end = if line["time"]["stuck"] == json!(true) { End::Stuck } else { End::Complete };
        }
        let event = match line["call"].as_str() {
            Some(call) => {
                let known = interface.operations.iter().position(|operation| operation.name == call);
                let operation =
                    known.ok_or_else(|| refuse(&format!("`{call}` is not an operation of the object")))?;
                let parts = line["time"]["exact"].as_array().map(|all| all.iter().map(read).collect());
                let parts: Option<Vec<Datum>> = parts.unwrap_or_default();
                Event::Call { operation, parts: parts.ok_or_else(|| refuse("an argument is not readable"))? }
            }
            None => {
                let result = read(&line["time"]["exact"]);
                Event::Return(result.ok_or_else(|| refuse("the result is not readable"))?)
            }
        };
        record.events.push((thread, event));
    }
    Ok(record)
}

fn plain(datum: &Datum) -> Json {
    match datum {
        Datum::Nothing | Datum::Absent => Json::Null,
        Datum::Bool(value) => json!(value),
        Datum::Number(number) => json!(number),
        Datum::Text(text) => json!(text),
        Datum::Value(number) | Datum::Key(number) => json!(number),
        Datum::Present(inside) => plain(inside),
        Datum::List(items) => Json::Array(items.iter().map(plain).collect()),
    }
}

fn exact(datum: &Datum) -> Json {
    match datum {
        Datum::Nothing => json!({}),
        Datum::Absent => Json::Null,
        Datum::Bool(_) | Datum::Number(_) | Datum::Text(_) => plain(datum),
        Datum::Value(number) => json!({"value": number}),
        Datum::Key(number) => json!({"key": number}),
        Datum::Present(inside) => json!({"some": exact(inside)}),
        Datum::List(items) => Json::Array(items.iter().map(exact).collect()),
    }
}

fn read(json: &Json) -> Option<Datum> {
    let number = |json: &Json| json.as_u64().and_then(|number| u32::try_from(number).ok());
    Some(match json {
        Json::Null => Datum::Absent,
        Json::Bool(value) => Datum::Bool(*value),
        Json::Number(number) => Datum::Number(number.as_i64()?),
        Json::String(text) => Datum::Text(text.clone().into()),
        Json::Array(items) => Datum::List(items.iter().map(read).collect::<Option<_>>()?),
        Json::Object(fields) => match fields.iter().next() {
            None => Datum::Nothing,
            Some((kind, inside)) => match kind.as_str() {
                "value" => Datum::Value(number(inside)?),
                "key" => Datum::Key(number(inside)?),
                "some" => Datum::Present(Box::new(read(inside)?)),
                _ => return None,
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Operation;

    #[test]
    fn a_saved_record_is_the_record() {
        let operation = |name: &str| Operation { name: name.into(), choices: vec![] };
        let interface = Interface { roles: vec![], operations: vec![operation("put"), operation("get")] };
        let present = Datum::Present(Box::new(Datum::Value(4)));
        let all = Datum::List(vec![Datum::Absent, Datum::Number(-1), Datum::Text("full".into())]);
        let record = Record {
            events: vec![
                (1, Event::Call { operation: 0, parts: vec![Datum::Key(0), Datum::Bool(true)] }),
                (0, Event::Call { operation: 1, parts: vec![] }),
                (1, Event::Return(Datum::Nothing)),
                (0, Event::Return(present)),
                (0, Event::Call { operation: 1, parts: vec![] }),
                (0, Event::Return(all)),
            ],
            before: 2,
            end: End::Stuck,
        };
        assert_eq!(parse(&interface, &lines(&interface, &record)), Ok(record));
        let error = parse(&interface, "{\"thread\":\"T1\",\"call\":\"pop\"}").expect_err("there is no `pop`");
        assert_eq!(error, "line 1: `pop` is not an operation of the object");
    }
}
