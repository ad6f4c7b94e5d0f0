//! Places: where an instruction reads or writes.

use super::{Expr, GlobalId, LocalId, ThreadVarId};
use crate::types::{Pointee, TypeId};

/// A place in shared memory. Its pointer and indices are pure: they were evaluated before.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    pub base: Base,
    pub path: Vec<Projection>,
    pub ty: TypeId,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Base {
    /// A shared variable; in a clause a variable of the specification's state.
    Global(GlobalId),
    /// The cell that a pointer leads to.
    Cell { pointer: Expr, of: Pointee },
}

#[derive(Clone, PartialEq, Debug)]
pub enum Projection {
    /// A field of a struct or word of type `of`.
    Field { of: TypeId, field: usize },
    /// An element; `len` is `None` for an array on the heap, whose cell knows its length.
    Index { index: Expr, element: TypeId, len: Option<u32> },
}

/// A place that only its thread can see.
#[derive(Clone, PartialEq, Debug)]
pub struct LocalPlace {
    pub base: LocalBase,
    pub path: Vec<Projection>,
    pub ty: TypeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocalBase {
    Local(LocalId),
    ThreadVar(ThreadVarId),
}

/// Either kind of place, for what works on both.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    Local(LocalPlace),
    Shared(Place),
}
