//! Converts recorded numbers and texts to values of a specification, and back.
//!
//! | type | in a line | |
//! |---|---|---|
//! | `data` | a whole number or a text | only equality counts; numbered in the order of appearance |
//! | `key` | a whole number or a text | numbered in their order: numbers before texts, texts by characters |
//! | `bool`, an enum, a range | `true` or `false`, the variant's name, a number in the range | unchanged |
//! | `T?` | `null`, or a `T` | |
//! | a word | an object with its fields | |
//! | an array, `seq`, `set`, `bag` | a list | a `set` and a `bag` in any order |
//! | `map` | a list of lists of a key and a value | in any order |
//!
//! Keys get their numbers when all keys are known. So a [`Dictionary`] learns all values and then converts.

use crate::calls::ValueNaming;
use crate::visible::visible;
use indexmap::IndexSet;
use linchpin_ir::index::Index;
use linchpin_ir::types::{NONE, TypeId, TypeKind, TypeTable, Word, word_of};
use linchpin_semantics::{ThreadId, Value, thread_name};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::fmt;

/// A recorded number or text. Numbers come before texts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outside {
    Number(i128),
    Text(String),
}

impl Outside {
    /// Converts a JSON value. `None`: not a whole number or a text.
    pub fn of(value: &Json) -> Option<Outside> {
        match value {
            Json::String(text) => Some(Outside::Text(text.clone())),
            Json::Number(number) => {
                let signed = number.as_i64().map(i128::from);
                signed.or(number.as_u64().map(i128::from)).map(Outside::Number)
            }
            _ => None,
        }
    }

    /// Returns the recorded JSON.
    pub fn json(&self) -> Json {
        match self {
            Outside::Number(number) => match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => json!(number),
                (_, Ok(number)) => json!(number),
                _ => json!(number.to_string()),
            },
            Outside::Text(text) => json!(text),
        }
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outside::Number(number) => write!(f, "{number}"),
            Outside::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// Maps recorded values to threads and to values of `data` and `key`.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    threads: IndexSet<Outside>,
    data: IndexSet<Outside>,
    keys: BTreeSet<Outside>,
    /// The keys in order, when all are known.
    order: Vec<Outside>,
}

/// Formats values in the syntax of the language.
impl ValueNaming for Dictionary {
    /// Returns the name, or `t3` for the number 3.
    fn thread(&self, thread: ThreadId) -> String {
        match self.thread_name(thread) {
            Some(Outside::Text(name)) => visible(name),
            Some(Outside::Number(number)) => format!("t{number}"),
            None => thread_name(thread),
        }
    }

    fn value(&self, types: &TypeTable, ty: TypeId, value: &Value) -> String {
        let all = |open: &str, items: Vec<String>, close: &str| format!("{open}{}{close}", items.join(", "));
        match (value, types.kind(ty)) {
            (Value::None | Value::Unit, _) => "none".into(),
            (_, TypeKind::Option(of)) => self.value(types, of, value),
            (Value::Number(word), TypeKind::Data | TypeKind::Key) => {
                self.outside(types.kind(ty), *word).map_or(word.to_string(), Outside::to_string)
            }
            (Value::Thread(thread), _) => self.thread(*thread),
            (Value::Record(name, given), _) => {
                let fields = types.record(ty).map_or(&[][..], |record| &record.fields);
                let each = given.iter().zip(fields);
                let shown = each.map(|((name, v), f)| format!("{name}: {}", self.value(types, f.ty, v)));
                all(&format!("{name} {{ "), shown.collect(), " }")
            }
            (Value::List(items), TypeKind::Array(of, _) | TypeKind::Seq(of)) => {
                all("[", items.iter().map(|item| self.value(types, of, item)).collect(), "]")
            }
            (Value::Bag(items), TypeKind::Set(of) | TypeKind::Bag(of)) => {
                all("{", items.iter().map(|item| self.value(types, of, item)).collect(), "}")
            }
            (Value::Map(entries), TypeKind::Map(key, of)) => {
                let entry = |(k, v): &(Value, Value)| {
                    format!("{}: {}", self.value(types, key, k), self.value(types, of, v))
                };
                all("{", entries.iter().map(entry).collect(), "}")
            }
            _ => value.to_string(),
        }
    }
}

/// A recorded value of a wrong type: the expected and the actual value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    pub expected: String,
    pub found: String,
}

impl Dictionary {
    /// Checks a value and learns its values of `data` and `key`.
    pub fn learn(&mut self, types: &TypeTable, ty: TypeId, value: &Json) -> Result<(), Mismatch> {
        let refuse = |expected: &str| Err(Mismatch { expected: expected.into(), found: kind(value) });
        match (types.kind(ty), value) {
            (TypeKind::Option(_), Json::Null) => Ok(()),
            (TypeKind::Option(of), _) => self.learn(types, of, value),
            (TypeKind::Data | TypeKind::Key, _) => match Outside::of(value) {
                Some(known) if types.kind(ty) == TypeKind::Data => {
                    self.data.insert(known);
                    Ok(())
                }
                Some(known) => {
                    self.keys.insert(known);
                    Ok(())
                }
                None => refuse("a whole number or a text"),
            },
            (TypeKind::Bool, Json::Bool(_)) => Ok(()),
            (TypeKind::Bool, _) => refuse("true or false"),
            (TypeKind::Range { low, high }, _) => match value.as_i64() {
                Some(number) if (low..=high).contains(&number) => Ok(()),
                _ => refuse(&format!("a number from {low} to {high}")),
            },
            (TypeKind::Enum(id), _) => {
                let variants = &types.enums[id].variants;
                if value.as_str().is_some_and(|name| variants.iter().any(|known| **known == *name)) {
                    return Ok(());
                }
                let names: Vec<String> = variants.iter().map(|name| format!("\"{name}\"")).collect();
                refuse(&names.join(" or "))
            }
            (TypeKind::Word(_), Json::Object(given)) => {
                let fields = types.record(ty).map_or(&[][..], |record| &record.fields);
                if given.len() != fields.len() || fields.iter().any(|f| !given.contains_key(&*f.name)) {
                    let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
                    return refuse(&format!("an object with the fields {}", names.join(", ")));
                }
                fields.iter().try_for_each(|field| self.learn(types, field.ty, &given[&*field.name]))
            }
            (TypeKind::Word(_), _) => refuse(&format!("an object: `{}`", types.name(ty))),
            (TypeKind::Array(of, len), Json::Array(items)) if items.len() == len as usize => {
                items.iter().try_for_each(|item| self.learn(types, of, item))
            }
            (TypeKind::Array(_, len), _) => refuse(&format!("a list of {len}")),
            (TypeKind::Seq(of) | TypeKind::Set(of) | TypeKind::Bag(of), Json::Array(items)) => {
                items.iter().try_for_each(|item| self.learn(types, of, item))
            }
            (TypeKind::Map(key, of), Json::Array(items)) => {
                let mut keys = BTreeSet::new();
                items.iter().try_for_each(|item| match item.as_array().map(Vec::as_slice) {
                    Some([k, v]) => {
                        if !keys.insert(k.to_string()) {
                            let found = format!("a list with {k} twice");
                            return Err(Mismatch { expected: "a list with each key once".into(), found });
                        }
                        self.learn(types, key, k)?;
                        self.learn(types, of, v)
                    }
                    _ => Err(Mismatch { expected: "a list of a key and a value".into(), found: kind(item) }),
                })
            }
            (TypeKind::Seq(_) | TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Map(..), _) => {
                refuse("a list")
            }
            _ => refuse(&format!("a value of `{}`, which cannot be recorded", types.name(ty))),
        }
    }

    /// Returns the thread of a name. Threads are numbered in the order of appearance.
    pub fn learn_thread(&mut self, name: &Outside) -> ThreadId {
        let at = self.threads.get_index_of(name);
        ThreadId::new(at.unwrap_or_else(|| self.threads.insert_full(name.clone()).0))
    }

    /// Returns the name of a thread.
    pub fn thread_name(&self, thread: ThreadId) -> Option<&Outside> {
        self.threads.get_index(thread.index())
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Numbers the keys. No key may be learnt afterwards.
    pub fn finish(&mut self) {
        self.order = self.keys.iter().cloned().collect();
    }

    /// Returns the number of values of `data`.
    pub fn data(&self) -> usize {
        self.data.len()
    }

    /// Returns the number of keys.
    pub fn keys(&self) -> usize {
        self.order.len()
    }

    /// Returns the words of a learnt value, self-contained.
    pub fn words(&self, types: &TypeTable, ty: TypeId, value: &Json) -> Vec<Word> {
        match (types.kind(ty), value) {
            (TypeKind::Option(of), Json::Null) if types.option_is_flat(of) => vec![NONE],
            (TypeKind::Option(of), Json::Null) => [vec![0], types.defaults(of)].concat(),
            (TypeKind::Option(of), _) if types.option_is_flat(of) => self.words(types, of, value),
            (TypeKind::Option(of), _) => [vec![1], self.words(types, of, value)].concat(),
            (TypeKind::Data, _) => vec![self.number_of_data(value)],
            (TypeKind::Key, _) => vec![self.number_of_key(value)],
            (TypeKind::Bool, _) => vec![Word::from(value.as_bool() == Some(true))],
            (TypeKind::Range { .. }, _) => vec![word_of(value.as_i64().unwrap_or(0))],
            (TypeKind::Enum(id), _) => {
                let variants = &types.enums[id].variants;
                let at = variants.iter().position(|known| value.as_str() == Some(known));
                vec![word_of(at.unwrap_or(0))]
            }
            (TypeKind::Word(_), Json::Object(given)) => {
                let fields = types.record(ty).map_or(&[][..], |record| &record.fields);
                fields.iter().flat_map(|field| self.words(types, field.ty, &given[&*field.name])).collect()
            }
            (TypeKind::Array(of, _), Json::Array(items)) => {
                items.iter().flat_map(|item| self.words(types, of, item)).collect()
            }
            (kind @ (TypeKind::Seq(of) | TypeKind::Set(of) | TypeKind::Bag(of)), Json::Array(items)) => {
                let mut elements: Vec<Vec<Word>> =
                    items.iter().map(|item| self.words(types, of, item)).collect();
                if !matches!(kind, TypeKind::Seq(_)) {
                    elements.sort();
                }
                if matches!(kind, TypeKind::Set(_)) {
                    elements.dedup();
                }
                [vec![word_of(elements.len())], elements.concat()].concat()
            }
            (TypeKind::Map(key, of), Json::Array(items)) => {
                let entry = |item: &Json| {
                    let part = |at: usize| item.get(at).unwrap_or(&Json::Null);
                    [self.words(types, key, part(0)), self.words(types, of, part(1))].concat()
                };
                let mut entries: Vec<Vec<Word>> = items.iter().map(entry).collect();
                entries.sort();
                [vec![word_of(entries.len())], entries.concat()].concat()
            }
            _ => Vec::new(),
        }
    }

    /// Returns a value of the specification as recorded JSON.
    pub fn json(&self, types: &TypeTable, ty: TypeId, value: &Value) -> Json {
        match (value, types.kind(ty)) {
            (Value::None | Value::Unit | Value::Undefined | Value::Null, _) => Json::Null,
            (_, TypeKind::Option(of)) => self.json(types, of, value),
            (Value::Number(word), TypeKind::Data | TypeKind::Key) => {
                self.outside(types.kind(ty), *word).map_or(json!(word), Outside::json)
            }
            (Value::Number(number), _) => json!(number),
            (Value::Bool(value), _) => json!(value),
            (Value::Thread(thread), _) => self.thread_name(*thread).map_or(Json::Null, Outside::json),
            (Value::Variant(_, variant), _) => json!(**variant),
            (Value::Record(_, given), _) => {
                let fields = types.record(ty).map_or(&[][..], |record| &record.fields);
                let each = given.iter().zip(fields);
                let one = |((name, value), field): (&(_, Value), &linchpin_ir::types::Field)| {
                    let name: &std::sync::Arc<str> = name;
                    (name.to_string(), self.json(types, field.ty, value))
                };
                Json::Object(each.map(one).collect())
            }
            (
                Value::List(items) | Value::Bag(items),
                TypeKind::Array(of, _) | TypeKind::Seq(of) | TypeKind::Set(of) | TypeKind::Bag(of),
            ) => items.iter().map(|item| self.json(types, of, item)).collect(),
            (Value::Map(entries), TypeKind::Map(key, of)) => {
                let entry =
                    |(k, v): &(Value, Value)| json!([self.json(types, key, k), self.json(types, of, v)]);
                entries.iter().map(entry).collect()
            }
            _ => json!(value.to_string()),
        }
    }

    fn number_of_data(&self, value: &Json) -> Word {
        Outside::of(value).and_then(|known| self.data.get_index_of(&known)).map_or(0, |at| word_of(at) + 1)
    }

    fn number_of_key(&self, value: &Json) -> Word {
        let known = Outside::of(value);
        known.and_then(|known| self.order.binary_search(&known).ok()).map_or(0, |at| word_of(at) + 1)
    }

    fn outside(&self, kind: TypeKind, word: Word) -> Option<&Outside> {
        let at = usize::try_from(word).ok()?.checked_sub(1)?;
        if kind == TypeKind::Data { self.data.get_index(at) } else { self.order.get(at) }
    }
}

/// Describes a JSON value.
pub fn kind(value: &Json) -> String {
    match value {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => format!("the number {number}"),
        Json::String(text) => format!("the text {text:?}"),
        Json::Array(_) => "a list".into(),
        Json::Object(_) => "an object".into(),
    }
}
