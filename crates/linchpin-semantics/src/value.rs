//! Values as trees, for reports: decoded from their words by their type.

use crate::instance::bounds::{CellId, ThreadId};
use crate::instance::names::{cell_name, thread_name};
use crate::state::State;
use linchpin_ir::index::Index;
use linchpin_ir::types::{KEY_MAX, KEY_MIN, NONE, TypeId, TypeKind, TypeTable, UNDEFINED, Word};
use std::fmt;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    Undefined,
    None,
    Null,
    Bool(bool),
    /// Numbers, ages, and the values of `data` and `key`.
    Number(Word),
    KeyMin,
    KeyMax,
    /// An enum and its variant: `State::Busy`.
    Variant(Arc<str>, Arc<str>),
    Thread(ThreadId),
    Pointer(CellId),
    /// A `word` or `struct`: its name, its fields.
    Record(Arc<str>, Vec<(Arc<str>, Value)>),
    /// An array or a `seq`.
    List(Vec<Value>),
    /// A `set` or a `bag`.
    Bag(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Lock(Option<ThreadId>),
    /// The waiting threads.
    Condvar(Vec<ThreadId>),
    Unit,
}

impl Value {
    /// Decodes a value from the slots of a state.
    pub(crate) fn inside(types: &TypeTable, state: &State, ty: TypeId, words: &[Word]) -> Value {
        Decoder { types, state: Some(state), words }.value(ty)
    }

    /// Decodes a self-contained value ([`crate::portable`]): an argument or a result.
    pub fn outside(types: &TypeTable, ty: TypeId, words: &[Word]) -> Value {
        Decoder { types, state: None, words }.value(ty)
    }
}

struct Decoder<'a> {
    types: &'a TypeTable,
    /// The state of the handles; `None` for a self-contained value.
    state: Option<&'a State>,
    words: &'a [Word],
}

impl<'a> Decoder<'a> {
    fn word(&mut self) -> Word {
        let Some((&word, rest)) = self.words.split_first() else { return UNDEFINED };
        self.words = rest;
        word
    }

    fn value(&mut self, ty: TypeId) -> Value {
        match self.types.kind(ty) {
            TypeKind::Unit => Value::Unit,
            TypeKind::Option(of) if !self.types.option_is_flat(of) => {
                let is_present = self.word() != 0;
                if is_present {
                    return self.value(of);
                }
                let skipped = if self.state.is_some() { self.types.width(of) } else { self.absent(of) };
                self.words = self.words.get(skipped..).unwrap_or(&[]);
                Value::None
            }
            TypeKind::Option(of) if self.words.first() != Some(&NONE) => self.value(of),
            TypeKind::Word(_) | TypeKind::Struct(_) => {
                let record = self.types.record(ty);
                let fields = record.into_iter().flat_map(|record| &record.fields);
                let fields = fields.map(|field| (field.name.clone(), self.value(field.ty))).collect();
                Value::Record(record.map_or_else(|| "".into(), |record| record.name.clone()), fields)
            }
            TypeKind::Array(of, len) => Value::List((0..len).map(|_| self.value(of)).collect()),
            TypeKind::Seq(of) => Value::List(self.elements(of)),
            TypeKind::Set(of) | TypeKind::Bag(of) => Value::Bag(self.elements(of)),
            TypeKind::Map(key, value) => {
                let word = self.word();
                let entry = |decoder: &mut Self| (decoder.value(key), decoder.value(value));
                Value::Map(self.each(word, entry))
            }
            kind => {
                let word = self.word();
                self.scalar(kind, word)
            }
        }
    }

    fn elements(&mut self, of: TypeId) -> Vec<Value> {
        let word = self.word();
        self.each(word, |decoder| decoder.value(of))
    }

    /// Decodes every element of the collection whose slot holds `word`.
    fn each<T>(&mut self, word: Word, mut element: impl FnMut(&mut Decoder<'a>) -> T) -> Vec<T> {
        let Some(state) = self.state else {
            return (0..word).take_while(|_| !self.words.is_empty()).map(|_| element(self)).collect();
        };
        let mut inner = Decoder { types: self.types, state: self.state, words: state.contents.get(word) };
        let mut out = Vec::new();
        while !inner.words.is_empty() {
            out.push(element(&mut inner));
        }
        out
    }

    /// Returns the number of words of a default value outside a state. Its collections are empty, one word
    /// each.
    fn absent(&self, of: TypeId) -> usize {
        self.types.width(of)
    }

    fn scalar(&self, kind: TypeKind, word: Word) -> Value {
        match kind {
            _ if word == UNDEFINED => Value::Undefined,
            _ if word == NONE => Value::None,
            TypeKind::Bool => Value::Bool(word != 0),
            TypeKind::Enum(id) => {
                let definition = &self.types.enums[id];
                let variant = usize::try_from(word).ok().and_then(|at| definition.variants.get(at));
                Value::Variant(definition.name.clone(), variant.cloned().unwrap_or_else(|| "?".into()))
            }
            TypeKind::Key if word == KEY_MIN => Value::KeyMin,
            TypeKind::Key if word == KEY_MAX => Value::KeyMax,
            TypeKind::Thread => Value::Thread(ThreadId::new(word.max(0).cast_unsigned() as usize)),
            TypeKind::Pointer(_) => CellId::of_pointer(word).map_or(Value::Null, Value::Pointer),
            TypeKind::Lock => Value::Lock(crate::code::outcome::holder(word)),
            TypeKind::Condvar => {
                let waits = |thread: &usize| word & (1 << thread) != 0;
                Value::Condvar((0..Word::BITS as usize).filter(waits).map(ThreadId::new).collect())
            }
            _ => Value::Number(word),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Undefined => f.write_str("undefined"),
            Value::None => f.write_str("none"),
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(value) => write!(f, "{value}"),
            Value::KeyMin => f.write_str("key::MIN"),
            Value::KeyMax => f.write_str("key::MAX"),
            Value::Variant(_, variant) => f.write_str(variant),
            Value::Thread(thread) => f.write_str(&thread_name(*thread)),
            Value::Pointer(cell) => f.write_str(&cell_name(*cell)),
            Value::Record(name, fields) => {
                write!(f, "{name} {{ ")?;
                for (at, (field, value)) in fields.iter().enumerate() {
                    write!(f, "{}{field}: {value}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str(" }")
            }
            Value::List(items) => list(f, ["[", "]"], items),
            Value::Bag(items) => list(f, ["{", "}"], items),
            Value::Map(entries) => {
                f.write_str("{")?;
                for (at, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
            Value::Lock(None) => f.write_str("free"),
            Value::Lock(Some(holder)) => write!(f, "held by {}", thread_name(*holder)),
            Value::Condvar(waiters) if waiters.is_empty() => f.write_str("no thread waits"),
            Value::Condvar(waiters) => {
                let names: Vec<String> = waiters.iter().map(|thread| thread_name(*thread)).collect();
                write!(f, "{} wait", names.join(", "))
            }
            Value::Unit => Ok(()),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, [open, close]: [&str; 2], items: &[Value]) -> fmt::Result {
    f.write_str(open)?;
    for (at, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if at == 0 { "" } else { ", " })?;
    }
    f.write_str(close)
}
