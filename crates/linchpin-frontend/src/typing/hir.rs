//! The typed program: names resolved, types known, type parameters expanded, constants and the number of
//! threads substituted, modules joined. It still has the shape of the text (blocks, loops, `defer`, nested
//! shared reads). [`crate::lower`] splits it into steps.
//!
//! Invariants that the checker establishes and later passes rely on:
//! - `TypedExpr::ty` is the type of the value. Implicit conversions are explicit ([`TypedExprKind::Some`],
//!   [`TypedExprKind::ToRange`]). A range where an `int` is expected needs none (same encoding).
//! - `break`, `continue` name the loop they leave; a `self` place occurs in functions with `self_type` only.
//! - Both sides of a comparison have the same type, up to ranges and `int`.
//! - Every path through a function with a result ends in `return`, in a loop without exit, or where execution
//!   stops.

use linchpin_ir::index::IndexVec;
use linchpin_ir::interface::observer::Observer;
use linchpin_ir::source::Span;
use linchpin_ir::types::{StructId, TypeId, TypeTable, WordId};
use std::sync::Arc;

pub use linchpin_ir::interface::{
    BinaryOp, CollectionMethod, Constant, HashId, MemoryKind, OpId, ProofExpectation, Role, ThreadVarId,
    UnaryOp,
};
pub(crate) use linchpin_ir::interface::{Bound, Calls, Check, Expect};

linchpin_ir::index_types! {
    pub struct SharedId;
    /// A `state` variable of the specification.
    pub struct StateId;
    pub struct FunctionId;
    /// A parameter or variable of one function, clause or hash.
    pub struct VarId;
    /// A loop of one function, for `break` and `continue`.
    pub struct LoopId;
}

#[derive(Clone, Debug)]
pub struct Program {
    pub name: Arc<str>,
    pub header: Vec<String>,
    pub memory: MemoryKind,
    /// The number of threads that replaced `threads`, and the first place that uses it.
    pub threads: u32,
    pub threads_used_at: Option<Span>,
    pub types: TypeTable,
    pub constants: Vec<Constant>,
    pub shared: IndexVec<SharedId, TypedVariable>,
    pub thread_vars: IndexVec<ThreadVarId, TypedVariable>,
    pub init: Option<FunctionId>,
    pub functions: IndexVec<FunctionId, TypedFunction>,
    pub ops: IndexVec<OpId, Op>,
    pub hashes: IndexVec<HashId, Hash>,
    pub roles: Vec<Role>,
    pub spec: TypedSpec,
    pub checks: Vec<Check>,
    pub proofs: Vec<ProofExpectation>,
    pub object_span: Span,
}

/// A `shared`, `local` or `state` variable.
#[derive(Clone, Debug)]
pub struct TypedVariable {
    pub name: Arc<str>,
    pub ty: TypeId,
    /// `None`: the type's default. Never reads shared memory.
    pub init: Option<TypedExpr>,
    pub span: Span,
}

/// An operation: the signature is the specification's; the function does the work.
#[derive(Clone, Debug)]
pub struct Op {
    pub name: Arc<str>,
    pub function: FunctionId,
    pub params: Vec<TypeId>,
    pub result: Option<TypeId>,
    pub span: Span,
}

/// An operation, a `fn`, a method of an `impl` (one for each type it is used with), or `init`.
#[derive(Clone, Debug)]
pub struct TypedFunction {
    /// As a person calls it: `find`, `ReentrantLock::lock`.
    pub name: Arc<str>,
    /// The type of the place before the dot.
    pub self_type: Option<TypeId>,
    pub params: Vec<VarId>,
    pub result: Option<TypeId>,
    pub vars: IndexVec<VarId, Var>,
    pub body: TypedBlock,
    /// It may call itself, directly or through others: it cannot be inlined.
    pub recursive: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Var {
    pub name: Arc<str>,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Hash {
    pub name: Arc<str>,
    pub param: VarId,
    pub vars: IndexVec<VarId, Var>,
    pub domain: TypeId,
    pub result: TypeId,
    /// `None`: an arbitrary function.
    pub body: Option<TypedExpr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct TypedSpec {
    pub name: Arc<str>,
    pub state: IndexVec<StateId, TypedVariable>,
    pub clauses: Vec<TypedClause>,
    /// Operations marked `#[adds]` and `#[removes]`.
    pub adds: Vec<OpId>,
    pub removes: Vec<OpId>,
    pub observers: Vec<Observer>,
    pub span: Span,
}

/// One way in which one operation, or several at one moment, may take effect. `return` lists the results of
/// those heads that have one, in their order.
#[derive(Clone, Debug)]
pub struct TypedClause {
    pub heads: Vec<TypedClauseHead>,
    pub vars: IndexVec<VarId, Var>,
    pub when: Option<TypedExpr>,
    pub body: TypedBlock,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct TypedClauseHead {
    pub op: OpId,
    pub params: Vec<VarId>,
    pub result: Option<TypeId>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct TypedBlock {
    pub stmts: Vec<TypedStmt>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct TypedStmt {
    pub kind: TypedStmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypedStmtKind {
    /// `None`: the type's default.
    Let(VarId, Option<TypedExpr>),
    Assign(PlaceExpr, TypedExpr),
    /// `x += e`: a read, then a write of the same place (its pointers and indices evaluated once); `+` or
    /// `-`.
    Update(PlaceExpr, BinaryOp, TypedExpr),
    Expr(TypedExpr),
    Block(TypedBlock),
    If(TypedExpr, TypedBlock, Option<TypedBlock>),
    /// The first arm whose pattern equals the value; `None` matches all. Patterns are constants.
    Match(TypedExpr, Vec<(Option<TypedExpr>, TypedBlock)>),
    Loop(LoopId, TypedBlock),
    While(LoopId, TypedExpr, TypedBlock),
    For {
        id: LoopId,
        var: VarId,
        over: Sequence,
        body: TypedBlock,
    },
    Break(LoopId),
    Continue(LoopId),
    /// One value, none, or (in a rendezvous) the results in order.
    Return(Vec<TypedExpr>),
    /// Runs on every way out of the enclosing block, last first.
    Defer(Box<TypedStmt>),
    Atomic(TypedBlock),
    Await(TypedExpr),
    Assert(TypedExpr),
    Assume(TypedExpr),
    Lin {
        maybe: bool,
        of: Option<TypedExpr>,
        cond: Option<TypedExpr>,
    },
}

/// What `for` and `choose` run over. Evaluated once.
#[derive(Clone, Debug)]
pub enum Sequence {
    Range {
        low: TypedExpr,
        high: TypedExpr,
        inclusive: bool,
        reversed: bool,
    },
    /// All thread ids in order.
    Threads,
    /// The elements of a `seq` in order; of a `set` or `bag` (for `choose`) each; of a map its keys.
    Collection(TypedExpr),
    /// `choose bool`
    Bool,
}

#[derive(Clone, Debug)]
pub struct TypedExpr {
    pub kind: TypedExprKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypedExprKind {
    /// Numbers, enum variants, `key::MIN` and `key::MAX`, booleans, `null`, `none`: the words of the value.
    Constant(Vec<linchpin_ir::types::Word>),
    Me,
    Read(PlaceExpr),
    Unary(UnaryOp, Box<TypedExpr>),
    /// `&&` and `||` evaluate their right side only where it is needed.
    Binary(BinaryOp, Box<TypedExpr>, Box<TypedExpr>),
    /// `T` where `T?` is wanted.
    Some(Box<TypedExpr>),
    /// A number where a range is wanted: leaving it is an error.
    ToRange {
        value: Box<TypedExpr>,
        low: i64,
        high: i64,
    },
    Unwrap(Box<TypedExpr>),
    /// A value of a word; every field is there (the defaults filled in), in the order of the text of the
    /// literal in `order`: field numbers, as they are evaluated.
    Word {
        word: WordId,
        fields: Vec<TypedExpr>,
        order: Vec<usize>,
    },
    Array(Vec<TypedExpr>),
    Repeat(Box<TypedExpr>, u32),
    /// A collection literal: `[]`, `[a, b]` where a `seq`, `set` or `bag` is wanted.
    Collection(Vec<TypedExpr>),
    /// The named fields in the order of the text.
    New {
        of: StructId,
        fields: Vec<(usize, TypedExpr)>,
    },
    /// `new [value; len]`: the value is evaluated once.
    NewArray {
        value: Box<TypedExpr>,
        len: Box<TypedExpr>,
    },
    /// `a.len()` of an array on the heap.
    ArrayLen(Box<TypedExpr>),
    Call {
        function: FunctionId,
        self_place: Option<PlaceExpr>,
        args: Vec<TypedExpr>,
    },
    Hash(HashId, Box<TypedExpr>),
    Ord(Box<TypedExpr>),
    /// `choose`; `var` stands for the candidate in `cond`.
    Choose {
        var: VarId,
        from: Box<Sequence>,
        cond: Option<Box<TypedExpr>>,
    },
    Primitive(Primitive),
    Method {
        receiver: PlaceExpr,
        method: CollectionMethod,
        args: Vec<TypedExpr>,
    },
    /// `c.all(|x| e)`, `c.any(|x| e)`
    Quantifier {
        all: bool,
        collection: Box<TypedExpr>,
        var: VarId,
        body: Box<TypedExpr>,
    },
}

#[derive(Clone, Debug)]
pub enum Primitive {
    Cas { place: PlaceExpr, old: Box<TypedExpr>, new: Box<TypedExpr> },
    CmpXchg { place: PlaceExpr, old: Box<TypedExpr>, new: Box<TypedExpr> },
    Dcas { places: Box<[PlaceExpr; 2]>, olds: Box<[TypedExpr; 2]>, news: Box<[TypedExpr; 2]> },
    Swap { place: PlaceExpr, value: Box<TypedExpr> },
    FetchAdd { place: PlaceExpr, value: Box<TypedExpr> },
    Ll(PlaceExpr),
    Sc { place: PlaceExpr, value: Box<TypedExpr> },
    Free(Box<TypedExpr>),
    Lock(PlaceExpr),
    Unlock(PlaceExpr),
    TryLock(PlaceExpr),
    IsLocked(PlaceExpr),
    Wait { condvar: PlaceExpr, lock: PlaceExpr },
    NotifyOne(PlaceExpr),
    NotifyAll(PlaceExpr),
}

/// Something that can be read and written.
#[derive(Clone, Debug)]
pub struct PlaceExpr {
    pub kind: PlaceKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum PlaceKind {
    Var(VarId),
    Shared(SharedId),
    ThreadVar(ThreadVarId),
    State(StateId),
    /// The place before the dot of the call.
    SelfPlace,
    /// The struct or the array that a pointer leads to. The place's type is the struct, or `[T; 0]` for
    /// `*[T]`, whose length is known at run time only.
    Deref(Box<TypedExpr>),
    Field(Box<PlaceExpr>, usize),
    /// Of a fixed array or of one on the heap; of a `seq` it is [`CollectionMethod::Get`].
    Index(Box<PlaceExpr>, Box<TypedExpr>),
    /// The value of an expression that is not a place: `find(k).found`. Read only.
    Value(Box<TypedExpr>),
}
