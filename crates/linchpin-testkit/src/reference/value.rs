//! Values as trees.

use linchpin_ir::types::{
    KEY_MAX, NONE, NULL, Pointee, TypeId, TypeKind, TypeTable, UNDEFINED, Word, word_of,
};
use std::collections::{BTreeMap, BTreeSet};

use super::memory::CellId;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    Unit,
    Undefined,
    Bool(bool),
    /// Numbers, ages, data, keys (`key::MAX` is the largest), variants of enums by their number.
    Number(i64),
    Thread(usize),
    Null,
    Pointer(CellId),
    None,
    Some(Box<Value>),
    /// A word, or the contents of a struct.
    Record(Vec<Value>),
    Array(Vec<Value>),
    Seq(Vec<Value>),
    Set(BTreeSet<Value>),
    /// How often each element is there.
    Bag(BTreeMap<Value, usize>),
    Map(BTreeMap<Value, Value>),
    /// The holder.
    Lock(Option<usize>),
    /// The threads that wait and were not notified.
    Condvar(BTreeSet<usize>),
}

/// A number from 0: of a thread, a cell, or the holder of a lock.
fn from_zero(word: Word) -> usize {
    usize::try_from(word).expect("no special word is left")
}

impl Value {
    /// How many there are.
    pub fn count(number: usize) -> Value {
        Value::Number(i64::try_from(number).expect("a machine has fewer than 2⁶³ of anything"))
    }

    pub fn default_of(types: &TypeTable, ty: TypeId) -> Value {
        match types.kind(ty) {
            TypeKind::Unit => Value::Unit,
            TypeKind::Bool => Value::Bool(false),
            TypeKind::Int | TypeKind::Enum(_) | TypeKind::Age => Value::Number(0),
            TypeKind::Range { low, high } => Value::Number(if low <= 0 && 0 <= high { 0 } else { low }),
            TypeKind::Data | TypeKind::Key | TypeKind::Thread => Value::Undefined,
            TypeKind::Pointer(_) => Value::Null,
            TypeKind::Option(_) => Value::None,
            TypeKind::Word(_) | TypeKind::Struct(_) => {
                let fields = types.record(ty).map_or(&[][..], |record| &record.fields);
                Value::Record(fields.iter().map(|field| Value::default_of(types, field.ty)).collect())
            }
            TypeKind::Array(element, len) => {
                Value::Array(vec![Value::default_of(types, element); len as usize])
            }
            TypeKind::Seq(_) => Value::Seq(Vec::new()),
            TypeKind::Set(_) => Value::Set(BTreeSet::new()),
            TypeKind::Bag(_) => Value::Bag(BTreeMap::new()),
            TypeKind::Map(..) => Value::Map(BTreeMap::new()),
            TypeKind::Lock => Value::Lock(None),
            TypeKind::Condvar => Value::Condvar(BTreeSet::new()),
        }
    }

    /// The contents of a new cell without initial values; an array gets them all from `new`.
    pub fn default_cell(types: &TypeTable, of: Pointee) -> Value {
        match of {
            Pointee::Struct(id) => {
                let fields = &types.structs[id].fields;
                Value::Record(fields.iter().map(|field| Value::default_of(types, field.ty)).collect())
            }
            Pointee::Array(_) => Value::Array(Vec::new()),
        }
    }

    /// Reads a value, as the layout of its type says, and takes what it reads off `words`. `contents` are the
    /// elements behind the handle of a collection.
    pub fn decode<'w>(
        types: &TypeTable,
        contents: &impl Fn(Word) -> &'w [Word],
        ty: TypeId,
        words: &mut &[Word],
    ) -> Value {
        let decode = |ty, words: &mut &[Word]| Value::decode(types, contents, ty, words);
        let mut next = || {
            let (&first, rest) = words.split_first().expect("a constant has all its words");
            *words = rest;
            first
        };
        match types.kind(ty) {
            TypeKind::Unit => Value::Unit,
            TypeKind::Bool => Value::Bool(next() != 0),
            TypeKind::Int | TypeKind::Range { .. } | TypeKind::Enum(_) | TypeKind::Age => {
                Value::Number(next().into())
            }
            TypeKind::Data | TypeKind::Key => match next() {
                UNDEFINED => Value::Undefined,
                number => Value::Number(number.into()),
            },
            TypeKind::Thread => match next() {
                UNDEFINED => Value::Undefined,
                number => Value::Thread(from_zero(number)),
            },
            TypeKind::Pointer(_) => match next() {
                NULL => Value::Null,
                cell => Value::Pointer(CellId(from_zero(cell))),
            },
            TypeKind::Option(of) if types.option_is_flat(of) => {
                if words.first() == Some(&NONE) {
                    *words = &words[1..];
                    return Value::None;
                }
                Value::Some(Box::new(decode(of, words)))
            }
            TypeKind::Option(of) => {
                let present = next() != 0;
                let value = decode(of, words);
                if present { Value::Some(Box::new(value)) } else { Value::None }
            }
            TypeKind::Word(_) | TypeKind::Struct(_) => {
                let fields = types.record(ty).map_or(&[][..], |record| &record.fields);
                Value::Record(fields.iter().map(|field| decode(field.ty, words)).collect())
            }
            TypeKind::Array(element, len) => Value::Array((0..len).map(|_| decode(element, words)).collect()),
            TypeKind::Seq(of) => Value::Seq(all(contents(next()), |words| decode(of, words))),
            TypeKind::Set(of) => {
                Value::Set(all(contents(next()), |words| decode(of, words)).into_iter().collect())
            }
            TypeKind::Bag(of) => {
                let mut bag = BTreeMap::new();
                for element in all(contents(next()), |words| decode(of, words)) {
                    *bag.entry(element).or_insert(0) += 1;
                }
                Value::Bag(bag)
            }
            TypeKind::Map(key, value) => {
                let entry = |words: &mut &[Word]| (decode(key, words), decode(value, words));
                Value::Map(all(contents(next()), entry).into_iter().collect())
            }
            TypeKind::Lock => Value::Lock(from_zero(next()).checked_sub(1)),
            TypeKind::Condvar => {
                let waiting = next();
                Value::Condvar(
                    (0..Word::BITS as usize).filter(|thread| waiting & (1 << thread) != 0).collect(),
                )
            }
        }
    }

    /// The other direction, for arguments of calls.
    pub fn encode(&self, types: &TypeTable, ty: TypeId, words: &mut Vec<Word>) {
        match (self, types.kind(ty)) {
            (Value::Unit, _) => {}
            (Value::Undefined, _) => words.push(UNDEFINED),
            (Value::Bool(b), _) => words.push((*b).into()),
            (Value::Number(n), _) => words.push(word_of((*n).clamp(Word::MIN.into(), KEY_MAX.into()))),
            (Value::Thread(t), _) => words.push(word_of(*t)),
            (Value::Null, _) => words.push(NULL),
            (Value::None, TypeKind::Option(of)) if types.option_is_flat(of) => words.push(NONE),
            (Value::Some(value), TypeKind::Option(of)) if types.option_is_flat(of) => {
                value.encode(types, of, words)
            }
            (Value::None, TypeKind::Option(of)) => {
                words.push(0);
                words.extend(types.defaults(of));
            }
            (Value::Some(value), TypeKind::Option(of)) => {
                words.push(1);
                value.encode(types, of, words);
            }
            (Value::Record(values), _) => {
                let fields = types.record(ty).map_or(&[][..], |record| &record.fields);
                for (value, field) in values.iter().zip(fields) {
                    value.encode(types, field.ty, words);
                }
            }
            (Value::Array(values), TypeKind::Array(element, _)) => {
                for value in values {
                    value.encode(types, element, words);
                }
            }
            (value, kind) => panic!("{value:?} of {kind:?} is not an argument"),
        }
    }

    /// Whether an undefined value is in it, at any depth.
    pub fn has_undefined(&self) -> bool {
        match self {
            Value::Undefined => true,
            Value::Some(value) => value.has_undefined(),
            Value::Record(values) | Value::Array(values) | Value::Seq(values) => {
                values.iter().any(Value::has_undefined)
            }
            Value::Set(values) => values.iter().any(Value::has_undefined),
            Value::Bag(values) => values.keys().any(Value::has_undefined),
            Value::Map(values) => {
                values.iter().any(|(key, value)| key.has_undefined() || value.has_undefined())
            }
            _ => false,
        }
    }
}

/// Reads values one after the other until nothing is left.
fn all<T>(mut words: &[Word], read: impl Fn(&mut &[Word]) -> T) -> Vec<T> {
    let mut found = Vec::new();
    while !words.is_empty() {
        found.push(read(&mut words));
    }
    found
}
