//! The key-value logs of Porcupine's tests as JSON lines for a map of sequences.
//!
//! `get` returns the concatenation of all texts that were put and appended. Each text stands between an `x`
//! and a `y`, so the concatenation can be taken apart.

use std::fmt::Write;

/// A specification that the library does not have.
pub const APPEND_MAP: &str = "spec AppendMap {
    state items: map<key, seq<data>>;
    op get(k: key) -> seq<data> {
        if !items.contains(k) { return []; }
        return items.get(k).unwrap();
    }
    op put(k: key, v: data) {
        let s: seq<data> = [v];
        items.insert(k, s);
    }
    op append(k: key, v: data) {
        let s: seq<data> = [];
        if items.contains(k) { s = items.get(k).unwrap(); }
        s.push_back(v);
        items.insert(k, s);
    }
}
";

/// Converts a log; `None` if a line has another form.
pub fn json_lines(log: &str) -> Option<String> {
    let mut out = String::new();
    for line in log.lines() {
        let field = |name: &str| {
            let (_, rest) = line.split_once(&format!(":{name} "))?;
            Some(match rest.strip_prefix('"') {
                Some(text) => text.split_once('"')?.0,
                None => rest.split([',', '}']).next()?.trim_start_matches(':'),
            })
        };
        let (process, op, key, value) = (field("process")?, field("f")?, field("key")?, field("value")?);
        // Writing to a text cannot fail.
        let _ = match (field("type")?, op) {
            ("invoke", "get") => {
                writeln!(out, "{{\"thread\": {process}, \"call\": \"get\", \"args\": [\"{key}\"]}}")
            }
            ("invoke", _) => {
                writeln!(
                    out,
                    "{{\"thread\": {process}, \"call\": \"{op}\", \"args\": [\"{key}\", \"{value}\"]}}"
                )
            }
            ("ok", "get") => {
                let parts: Vec<String> =
                    value.split_inclusive('y').map(|part| format!("\"{part}\"")).collect();
                let parts = parts.join(", ");
                writeln!(out, "{{\"thread\": {process}, \"return\": \"get\", \"result\": [{parts}]}}")
            }
            ("ok", _) => writeln!(out, "{{\"thread\": {process}, \"return\": \"{op}\"}}"),
            _ => return None,
        };
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_becomes_json_lines() {
        let log = "{:process 9, :type :invoke, :f :append, :key \"0\", :value \"x 9 0 y\"}\n\
                   {:process 1, :type :invoke, :f :get, :key \"9\", :value nil}\n\
                   {:process 1, :type :ok, :f :get, :key \"9\", :value \"x 1 yx 2 y\"}\n";
        let expected = "{\"thread\": 9, \"call\": \"append\", \"args\": [\"0\", \"x 9 0 y\"]}\n\
                        {\"thread\": 1, \"call\": \"get\", \"args\": [\"9\"]}\n\
                        {\"thread\": 1, \"return\": \"get\", \"result\": [\"x 1 y\", \"x 2 y\"]}\n";
        assert_eq!(json_lines(log).as_deref(), Some(expected));
        assert_eq!(json_lines("something else"), None);
    }
}
