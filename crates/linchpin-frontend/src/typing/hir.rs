//! The typed program: every name resolved, every type known, type parameters expanded, constants and the number of
//! threads substituted, modules joined. It still has the shape of the text (blocks, loops, `defer`, nested shared reads);
//! splitting it into steps is [`crate::lower`]'s work.
//!
//! Invariants that the checker establishes and everyone after it may rely on:
//! - `Expr::ty` is the type of the value; implicit conversions are explicit ([`ExprKind::Some`], [`ExprKind::ToRange`]);
//!   a range where an `int` is wanted needs none (same encoding).
//! - `break`, `continue` name the loop they leave; a `self` place occurs in functions with `self_type` only.
//! - Both sides of a comparison have the same type, up to ranges and `int`.
//! - Every way through a function with a result ends in `return`, in a loop without exit, or in what cannot go on.

use linchpin_ir::index::IndexVec;
use linchpin_ir::interface::observer::Observer;
use linchpin_ir::source::Span;
use linchpin_ir::types::{StructId, TypeId, TypeTable, WordId};
use std::sync::Arc;

pub use linchpin_ir::interface::{BinaryOp, UnaryOp};
pub use linchpin_ir::interface::{
    Bound, Calls, Check, CollectionMethod, Constant, Expect, HashId, MemoryKind, OpId, ProofExpectation,
    Role, ThreadVarId,
};

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
    /// The number of threads that was substituted for `threads`, and the first place that asked for it.
    pub threads: u32,
    pub threads_used_at: Option<Span>,
    pub types: TypeTable,
    pub constants: Vec<Constant>,
    pub shared: IndexVec<SharedId, Variable>,
    pub thread_vars: IndexVec<ThreadVarId, Variable>,
    pub init: Option<FunctionId>,
    pub functions: IndexVec<FunctionId, Function>,
    pub ops: IndexVec<OpId, Op>,
    pub hashes: IndexVec<HashId, Hash>,
    pub roles: Vec<Role>,
    pub spec: Spec,
    pub checks: Vec<Check>,
    pub proofs: Vec<ProofExpectation>,
    pub object_span: Span,
}

/// A `shared`, `local` or `state` variable.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Arc<str>,
    pub ty: TypeId,
    /// `None`: the type's default. Never reads shared memory.
    pub init: Option<Expr>,
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
pub struct Function {
    /// As a person calls it: `find`, `ReentrantLock::lock`.
    pub name: Arc<str>,
    /// The type of the place before the dot.
    pub self_type: Option<TypeId>,
    pub params: Vec<VarId>,
    pub result: Option<TypeId>,
    pub vars: IndexVec<VarId, Var>,
    pub body: Block,
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
    pub body: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Spec {
    pub name: Arc<str>,
    pub state: IndexVec<StateId, Variable>,
    pub clauses: Vec<Clause>,
    /// Operations marked `#[adds]` and `#[removes]`.
    pub adds: Vec<OpId>,
    pub removes: Vec<OpId>,
    pub observers: Vec<Observer>,
    pub span: Span,
}

/// One way in which one operation, or several at one moment, may take effect. `return` lists the results of those
/// heads that have one, in their order.
#[derive(Clone, Debug)]
pub struct Clause {
    pub heads: Vec<ClauseHead>,
    pub vars: IndexVec<VarId, Var>,
    pub when: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct ClauseHead {
    pub op: OpId,
    pub params: Vec<VarId>,
    pub result: Option<TypeId>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `None`: the type's default.
    Let(VarId, Option<Expr>),
    Assign(Place, Expr),
    /// `x += e`: a read, then a write of the same place (its pointers and indices evaluated once); `+` or `-`.
    Update(Place, BinaryOp, Expr),
    Expr(Expr),
    Block(Block),
    If(Expr, Block, Option<Block>),
    /// The first arm whose pattern equals the value; `None` matches all. Patterns are constants.
    Match(Expr, Vec<(Option<Expr>, Block)>),
    Loop(LoopId, Block),
    While(LoopId, Expr, Block),
    For {
        id: LoopId,
        var: VarId,
        over: Sequence,
        body: Block,
    },
    Break(LoopId),
    Continue(LoopId),
    /// One value, none, or (in a rendezvous) the results in order.
    Return(Vec<Expr>),
    /// Runs on every way out of the enclosing block, last first.
    Defer(Box<Stmt>),
    Atomic(Block),
    Await(Expr),
    Assert(Expr),
    Assume(Expr),
    Lin {
        maybe: bool,
        of: Option<Expr>,
        cond: Option<Expr>,
    },
}

/// What `for` and `choose` run over. Evaluated once.
#[derive(Clone, Debug)]
pub enum Sequence {
    Range {
        low: Expr,
        high: Expr,
        inclusive: bool,
        reversed: bool,
    },
    /// All thread ids in order.
    Threads,
    /// The elements of a `seq` in order; of a `set` or `bag` (for `choose`) each; of a map its keys.
    Collection(Expr),
    /// `choose bool`
    Bool,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Numbers, enum variants, `key::MIN` and `key::MAX`, booleans, `null`, `none`: the words of the value.
    Constant(Vec<linchpin_ir::types::Word>),
    Me,
    Read(Place),
    Unary(UnaryOp, Box<Expr>),
    /// `&&` and `||` evaluate their right side only where it is needed.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `T` where `T?` is wanted.
    Some(Box<Expr>),
    /// A number where a range is wanted: leaving it is an error.
    ToRange {
        value: Box<Expr>,
        low: i64,
        high: i64,
    },
    Unwrap(Box<Expr>),
    /// A value of a word; every field is there (the defaults filled in), in the order of the text of the literal in
    /// `order`: field numbers, as they are evaluated.
    Word {
        word: WordId,
        fields: Vec<Expr>,
        order: Vec<usize>,
    },
    Array(Vec<Expr>),
    Repeat(Box<Expr>, u32),
    /// A collection literal: `[]`, `[a, b]` where a `seq`, `set` or `bag` is wanted.
    Collection(Vec<Expr>),
    /// The named fields in the order of the text.
    New {
        of: StructId,
        fields: Vec<(usize, Expr)>,
    },
    /// `new [value; len]`: the value is evaluated once.
    NewArray {
        value: Box<Expr>,
        len: Box<Expr>,
    },
    /// `a.len()` of an array on the heap.
    ArrayLen(Box<Expr>),
    Call {
        function: FunctionId,
        self_place: Option<Place>,
        args: Vec<Expr>,
    },
    Hash(HashId, Box<Expr>),
    Ord(Box<Expr>),
    /// `choose`; `var` stands for the candidate in `cond`.
    Choose {
        var: VarId,
        from: Box<Sequence>,
        cond: Option<Box<Expr>>,
    },
    Primitive(Primitive),
    Method {
        receiver: Place,
        method: CollectionMethod,
        args: Vec<Expr>,
    },
    /// `c.all(|x| e)`, `c.any(|x| e)`
    Quantifier {
        all: bool,
        collection: Box<Expr>,
        var: VarId,
        body: Box<Expr>,
    },
}

#[derive(Clone, Debug)]
pub enum Primitive {
    Cas { place: Place, old: Box<Expr>, new: Box<Expr> },
    CmpXchg { place: Place, old: Box<Expr>, new: Box<Expr> },
    Dcas { places: Box<[Place; 2]>, olds: Box<[Expr; 2]>, news: Box<[Expr; 2]> },
    Swap { place: Place, value: Box<Expr> },
    FetchAdd { place: Place, value: Box<Expr> },
    Ll(Place),
    Sc { place: Place, value: Box<Expr> },
    Free(Box<Expr>),
    Lock(Place),
    Unlock(Place),
    TryLock(Place),
    IsLocked(Place),
    Wait { condvar: Place, lock: Place },
    NotifyOne(Place),
    NotifyAll(Place),
}

/// Something that can be read and written.
#[derive(Clone, Debug)]
pub struct Place {
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
    /// The struct or the array that a pointer leads to. The place's type is the struct, or `[T; 0]` for `*[T]`,
    /// whose length is known at run time only.
    Deref(Box<Expr>),
    Field(Box<Place>, usize),
    /// Of a fixed array or of one on the heap; of a `seq` it is [`CollectionMethod::Get`].
    Index(Box<Place>, Box<Expr>),
    /// The value of an expression that is no place: `find(k).found`. Read only.
    Value(Box<Expr>),
}
