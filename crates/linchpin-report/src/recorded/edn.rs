//! Reads values of EDN, the notation of Clojure, as JSON values.
//!
//! | EDN | JSON |
//! |---|---|
//! | `nil`, `true`, `false`, a whole number, a text | the same |
//! | a keyword `:ok`, a symbol `ok` | the text `"ok"` |
//! | a vector, a list, a set | a list |
//! | a map | an object; keys that are not texts are written as EDN |
//! | a tagged value `#tag value` | the value |
//!
//! A comma is a space. Other numbers are texts. Nesting is limited, so the reader cannot overflow its stack.

use serde_json::{Map, Value};

/// The reason why a text is not EDN, and the byte at which it shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotEdn {
    pub reason: &'static str,
    pub at: usize,
}

/// The deepest nesting of collections.
const DEEPEST: usize = 64;

/// Reads all values of a text.
pub fn values(text: &str) -> Result<Vec<Value>, NotEdn> {
    let mut reader = Reader { text, at: 0 };
    let mut values = Vec::new();
    loop {
        reader.skip_space();
        if reader.at == text.len() {
            return Ok(values);
        }
        values.push(reader.value(0)?);
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn refuse<T>(&self, reason: &'static str) -> Result<T, NotEdn> {
        Err(NotEdn { reason, at: self.at })
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        let after = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        self.at += rest.len() - after.len();
        if self.rest().starts_with(';') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            self.skip_space();
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, NotEdn> {
        if depth > DEEPEST {
            return self.refuse("too many nested collections");
        }
        let Some(first) = self.rest().chars().next() else { return self.refuse("the value does not end") };
        match first {
            '"' => self.string().map(Value::String),
            '[' => self.list(']', depth),
            '(' => self.list(')', depth),
            '{' => self.map(depth),
            '#' if self.rest().starts_with("#{") => {
                self.at += 1;
                self.list('}', depth)
            }
            '#' => {
                self.at += 1;
                self.atom();
                self.skip_space();
                self.value(depth + 1)
            }
            ']' | ')' | '}' => self.refuse("nothing is open here"),
            _ => Ok(named(self.atom())),
        }
    }

    fn list(&mut self, end: char, depth: usize) -> Result<Value, NotEdn> {
        self.at += 1;
        let mut values = Vec::new();
        loop {
            self.skip_space();
            if self.rest().starts_with(end) {
                self.at += 1;
                return Ok(Value::Array(values));
            }
            values.push(self.value(depth + 1)?);
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, NotEdn> {
        let start = self.at;
        let Value::Array(values) = self.list('}', depth)? else { return self.refuse("not a map") };
        let mut fields = Map::new();
        let mut values = values.into_iter();
        while let Some(key) = values.next() {
            let key = match key {
                Value::String(text) => text,
                other => other.to_string(),
            };
            let Some(value) = values.next() else {
                return Err(NotEdn { reason: "a key of this map has no value", at: start });
            };
            if fields.insert(key, value).is_some() {
                return Err(NotEdn { reason: "a key of this map stands there twice", at: start });
            }
        }
        Ok(Value::Object(fields))
    }

    fn string(&mut self) -> Result<String, NotEdn> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        let mut characters = self.text[self.at..].char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(text);
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                other => text.push(other),
            }
        }
        Err(NotEdn { reason: "the text does not end", at: start })
    }

    /// Returns the characters up to a space or a bracket.
    fn atom(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let is_end = |c: char| c.is_whitespace() || ",\"[](){};".contains(c);
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..].find(is_end).map_or(rest.len(), |end| first + end);
        self.at += end;
        &rest[..end]
    }
}

fn named(atom: &str) -> Value {
    match atom {
        "nil" => Value::Null,
        "true" => true.into(),
        "false" => false.into(),
        _ => match atom.trim_end_matches('N').parse::<i64>() {
            Ok(number) if !atom.starts_with(':') => number.into(),
            _ => atom.trim_start_matches(':').into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_of_every_kind() {
        let text = r#"{:process 3, :type :ok :value ["a\"b" nil -7 (x true)]} #{1 2} #inst "now" 5N ; end"#;
        let expected = json!([
            {"process": 3, "type": "ok", "value": ["a\"b", null, -7, ["x", true]]}, [1, 2], "now", 5
        ]);
        assert_eq!(values(text).map(Value::Array), Ok(expected));
    }

    #[test]
    fn texts_that_are_not_edn() {
        let why = |text: &str| values(text).expect_err(text);
        assert_eq!(why("{:a 1"), NotEdn { reason: "the value does not end", at: 5 });
        assert_eq!(why("]"), NotEdn { reason: "nothing is open here", at: 0 });
        assert_eq!(why("{:a}").reason, "a key of this map has no value");
        assert_eq!(why("{:a 1 :a 2}").reason, "a key of this map stands there twice");
        assert_eq!(why("\"x").reason, "the text does not end");
        assert_eq!(why(&"[".repeat(100_000)).reason, "too many nested collections");
        assert_eq!(why(&"#a ".repeat(100_000)).reason, "too many nested collections");
    }
}
