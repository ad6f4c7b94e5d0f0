//! The interface of an object: its operations, the roles that call them, and the author's expectations.
//! Typing reads it from the text; the program, the clients and the reports use it.

pub mod observer;
mod setting;
mod words;

pub use setting::Setting;
pub use words::{BinaryOp, MemoryKind, UnaryOp};

use crate::source::Span;
use std::sync::Arc;

crate::index_types! {
    /// An operation of the object (and of its specification: same order).
    pub struct OpId;
    pub struct HashId;
    /// A `local` variable: one a thread, outlives calls.
    pub struct ThreadVarId;
}

/// Which threads call what, in which order.
#[derive(Clone, Debug)]
pub struct Role {
    pub name: Arc<str>,
    /// `None`: all threads that no role with a number takes.
    pub count: Option<u32>,
    pub calls: Calls,
    pub span: Span,
}

/// How many threads these roles take: the fewest, and the most if that is not any number.
pub fn threads_of(roles: &[Role]) -> (u32, Option<u32>) {
    let fixed: u32 = roles.iter().filter_map(|role| role.count).sum();
    let takes_all = roles.is_empty() || roles.iter().any(|role| role.count.is_none());
    (fixed.max(1), (!takes_all).then_some(fixed))
}

/// A regular expression over operations; a thread of the role repeats it for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Calls {
    Op(OpId),
    Sequence(Vec<Calls>),
    Choice(Vec<Calls>),
    Star(Box<Calls>),
    Optional(Box<Calls>),
}

/// A `const` that `--set` and `check` blocks may change.
#[derive(Clone, Debug)]
pub struct Constant {
    pub name: Arc<str>,
    pub value: i64,
    pub span: Span,
}

/// A `check` block as written; names of bounds and properties are known ones (the checker saw to it).
#[derive(Clone, Debug)]
pub struct Check {
    pub bounds: Vec<(Arc<str>, Bound, Span)>,
    pub expects: Vec<Expect>,
    /// `points`, an expectation of the annotation, not a property of the object.
    pub points: Option<Expect>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Both ends included.
    Range(i64, i64),
    Name(Arc<str>),
    Names(Vec<Arc<str>>),
}

#[derive(Clone, Debug)]
pub struct Expect {
    /// With `_`: `lock_free`.
    pub property: Arc<str>,
    pub violated: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct ProofExpectation {
    pub method: Arc<str>,
    pub expects: Vec<Expect>,
    pub span: Span,
}

/// What a call of a collection's method does; the same for shared, local and specification collections.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CollectionMethod {
    /// `c.len()`, all
    Len,
    IsEmpty,
    Clear,
    /// `c.contains(x)`: an element, or a key of a map
    Contains,
    // seq
    PushBack,
    PushFront,
    /// Empty: an error under `assertions`, as for `Get`, `Set` and `RemoveAt` out of bounds.
    PopBack,
    PopFront,
    /// `s[i]`
    Get,
    /// `s[i] = x`
    Set,
    /// Returns the element.
    RemoveAt,
    InsertAt,
    // set: whether it changed the set; bag: `add` returns nothing, `remove` whether there was one
    Add,
    Remove,
    /// `bag.count(x)`
    Count,
    // map: all return the value that was there, `V?`
    Insert,
    Lookup,
    RemoveKey,
}

impl CollectionMethod {
    /// It leaves the collection as it is.
    pub fn is_pure(self) -> bool {
        use CollectionMethod::*;
        matches!(self, Len | IsEmpty | Contains | Get | Count | Lookup)
    }
}
