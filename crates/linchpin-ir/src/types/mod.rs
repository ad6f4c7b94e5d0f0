//! What values there are. A type says two things: which operations a value allows, and how it lies in memory
//! ([`layout`]): every value is a fixed number of *slots*, each slot one [`Word`].

pub mod layout;

pub use layout::{KEY_MAX, KEY_MIN, NONE, NULL, Scalar, SlotKind, UNDEFINED, Word, word_of};

use crate::index::IndexVec;
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

crate::index_types! {
    /// A type of the [`TypeTable`]; equal types have equal ids.
    pub struct TypeId;
    /// A `struct`, its type parameters expanded.
    pub struct StructId;
    /// A `word`, its type parameters expanded.
    pub struct WordId;
    pub struct EnumId;
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TypeKind {
    /// The result of what returns nothing; no variable has it.
    Unit,
    Bool,
    Int,
    /// Both ends are included. If `low > high`, the type has no values.
    Range {
        low: i64,
        high: i64,
    },
    Enum(EnumId),
    Data,
    Key,
    Age,
    Thread,
    Pointer(Pointee),
    Option(TypeId),
    Word(WordId),
    Struct(StructId),
    Array(TypeId, u32),
    Seq(TypeId),
    Set(TypeId),
    Bag(TypeId),
    Map(TypeId, TypeId),
    Lock,
    Condvar,
}

/// What a pointer leads to: a cell of the heap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pointee {
    Struct(StructId),
    /// An array of run-time length, by the type of its elements.
    Array(TypeId),
}

/// The fields of a `struct` or a `word`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// As a person writes it, type arguments included: `Marked<*Node>`.
    pub name: Arc<str>,
    pub fields: Vec<Field>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    pub name: Arc<str>,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    pub name: Arc<str>,
    pub variants: Vec<Arc<str>>,
    pub span: Span,
}

/// Every type of one program, each once.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    kinds: IndexVec<TypeId, TypeKind>,
    ids: FxHashMap<TypeKind, TypeId>,
    pub structs: IndexVec<StructId, Record>,
    pub words: IndexVec<WordId, Record>,
    pub enums: IndexVec<EnumId, Enum>,
}

impl TypeTable {
    pub fn new() -> TypeTable {
        TypeTable::default()
    }

    pub fn intern(&mut self, kind: TypeKind) -> TypeId {
        if let Some(&id) = self.ids.get(&kind) {
            return id;
        }
        let id = self.kinds.push(kind);
        self.ids.insert(kind, id);
        id
    }

    pub fn kind(&self, id: TypeId) -> TypeKind {
        self.kinds[id]
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = TypeId> + use<> {
        self.kinds.ids()
    }

    /// The fields, if it has fields.
    pub fn record(&self, id: TypeId) -> Option<&Record> {
        match self.kind(id) {
            TypeKind::Struct(s) => Some(&self.structs[s]),
            TypeKind::Word(w) => Some(&self.words[w]),
            _ => None,
        }
    }

    pub fn is_collection(&self, id: TypeId) -> bool {
        matches!(self.kind(id), TypeKind::Seq(_) | TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Map(..))
    }

    pub fn is_number(&self, id: TypeId) -> bool {
        matches!(self.kind(id), TypeKind::Int | TypeKind::Range { .. })
    }

    /// The type as a person writes it.
    pub fn name(&self, id: TypeId) -> String {
        match self.kind(id) {
            TypeKind::Unit => "nothing".into(),
            TypeKind::Bool => "bool".into(),
            TypeKind::Int => "int".into(),
            TypeKind::Range { low, high } => format!("{low}..={high}"),
            TypeKind::Enum(e) => self.enums[e].name.to_string(),
            TypeKind::Data => "data".into(),
            TypeKind::Key => "key".into(),
            TypeKind::Age => "age".into(),
            TypeKind::Thread => "thread".into(),
            TypeKind::Pointer(Pointee::Struct(s)) => format!("*{}", self.structs[s].name),
            TypeKind::Pointer(Pointee::Array(t)) => format!("*[{}]", self.name(t)),
            TypeKind::Option(t) => format!("{}?", self.name(t)),
            TypeKind::Word(w) => self.words[w].name.to_string(),
            TypeKind::Struct(s) => self.structs[s].name.to_string(),
            TypeKind::Array(t, n) => format!("[{}; {n}]", self.name(t)),
            TypeKind::Seq(t) => format!("seq<{}>", self.name(t)),
            TypeKind::Set(t) => format!("set<{}>", self.name(t)),
            TypeKind::Bag(t) => format!("bag<{}>", self.name(t)),
            TypeKind::Map(k, v) => format!("map<{}, {}>", self.name(k), self.name(v)),
            TypeKind::Lock => "lock".into(),
            TypeKind::Condvar => "condvar".into(),
        }
    }
}
