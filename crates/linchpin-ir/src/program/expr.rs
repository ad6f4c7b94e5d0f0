//! Pure expressions: values computed from the locals of the running thread, with no access to shared memory.

use super::{CollectionMethod, HashId, LocalId, ThreadVarId};
use crate::interface::{BinaryOp, UnaryOp};
use crate::types::{TypeId, Word};

#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// The words of the value, as [`crate::types::layout`] says.
    Constant(Vec<Word>),
    /// The running thread.
    Me,
    Local(LocalId),
    ThreadVar(ThreadVarId),
    /// A field of a word.
    Field(Box<Expr>, usize),
    /// An element of an array that is a value.
    Index(Box<Expr>, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    /// `&&` and `||` evaluate their right side only where it is needed.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Some(Box<Expr>),
    ToRange {
        value: Box<Expr>,
        low: i64,
        high: i64,
    },
    Unwrap(Box<Expr>),
    /// The fields of a word in their order.
    Word(Vec<Expr>),
    Array(Vec<Expr>),
    Repeat(Box<Expr>, u32),
    /// The elements of a new collection.
    Collection(Vec<Expr>),
    Hash(HashId, Box<Expr>),
    Ord(Box<Expr>),
    /// A method that leaves its collection as it is ([`CollectionMethod::is_pure`]).
    Method(CollectionMethod, Box<Expr>, Vec<Expr>),
    /// Whether the body holds for all elements, or for any; `var` is the element.
    Quantifier {
        all: bool,
        collection: Box<Expr>,
        var: LocalId,
        body: Box<Expr>,
    },
}
