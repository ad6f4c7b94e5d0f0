//! The tree that the parser makes: what was written, with the place of everything, nothing resolved.
//!
//! Equality ignores nothing; [`mod@super::shape`] compares two trees without their places.

pub use linchpin_ir::interface::{BinaryOp, MemoryKind, UnaryOp};
use linchpin_ir::source::Span;
use std::sync::Arc;

/// A word of the source and its place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Name {
    pub text: Arc<str>,
    pub span: Span,
}

/// One file: at most one object, and its items in the order of the text.
#[derive(Clone, PartialEq, Debug)]
pub struct File {
    /// The lines of the `//!` header, without the marker.
    pub header: Vec<String>,
    pub object: Option<Object>,
    pub items: Vec<Item>,
    /// Every comment but the header's, in the order of the text; the formatter puts them back.
    pub comments: Vec<Comment>,
    pub span: Span,
}

/// `object Name: Spec<targs>(args);`
#[derive(Clone, PartialEq, Debug)]
pub struct Object {
    pub name: Name,
    pub spec: Name,
    pub type_args: Vec<Type>,
    pub args: Vec<Expr>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Comment {
    /// The text with its `//`.
    pub text: String,
    pub span: Span,
    /// Only white space is before it on its line.
    pub own_line: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ItemKind {
    Memory(MemoryKind),
    Use { module: Name, names: UseNames },
    Const { name: Name, value: Expr },
    TypeAlias { name: Name, ty: Type },
    Enum { name: Name, variants: Vec<Name> },
    Struct(Record),
    Word(Record),
    Shared(Variable),
    Local(Variable),
    Init(Block),
    Op(Function),
    Fn(Function),
    Impl { type_params: Vec<Name>, target: Name, target_params: Vec<Name>, functions: Vec<Function> },
    Hash { name: Name, param: Name, param_type: Type, result: Type, body: Option<Expr> },
    Role { name: Name, count: Option<Expr>, calls: Calls },
    Spec(Spec),
    Check(Check),
    Prove { method: Name, expects: Vec<Expect> },
}

#[derive(Clone, PartialEq, Debug)]
pub enum UseNames {
    All,
    Some(Vec<Name>),
}

/// A `struct` or a `word`.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    pub name: Name,
    pub type_params: Vec<Name>,
    pub fields: Vec<Param>,
}

/// `name: type`
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    pub name: Name,
    pub ty: Type,
}

/// A `shared`, `local` or specification `state` variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    pub name: Name,
    pub ty: Type,
    pub init: Option<Expr>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub signature: Signature,
    /// `None`: left to the file that uses the module.
    pub body: Option<Block>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Signature {
    pub name: Name,
    /// The span of the word `self`.
    pub self_param: Option<Span>,
    pub params: Vec<Param>,
    pub result: Option<Type>,
}

/// The right side of a role: a regular expression over operation names.
#[derive(Clone, PartialEq, Debug)]
pub enum Calls {
    Op(Name),
    Sequence(Vec<Calls>),
    Choice(Vec<Calls>),
    Star(Box<Calls>),
    Optional(Box<Calls>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    pub name: Name,
    pub type_params: Vec<Name>,
    pub params: Vec<Param>,
    pub members: Vec<SpecMember>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum SpecMember {
    State(Variable, Span),
    Clause(Clause),
    Observer(Observer),
}

/// An automaton that watches operations take effect and accepts what is forbidden.
#[derive(Clone, PartialEq, Debug)]
pub struct Observer {
    pub name: Name,
    pub params: Vec<Param>,
    pub when: Option<Expr>,
    pub steps: Vec<ObserverStep>,
    pub span: Span,
}

/// `from: op(args) -> result => to;`
#[derive(Clone, PartialEq, Debug)]
pub struct ObserverStep {
    pub from: Name,
    pub op: Name,
    pub args: Vec<Pattern>,
    pub result: Option<Pattern>,
    pub to: Name,
    pub span: Span,
}

/// A value of an event; `None` is `_`.
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern {
    pub value: Option<Expr>,
    pub span: Span,
}

/// One or, for a rendezvous, several operations that happen at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct Clause {
    pub heads: Vec<ClauseHead>,
    pub when: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ClauseHead {
    pub attributes: Vec<Name>,
    pub signature: Signature,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    pub bounds: Vec<(Name, Bound)>,
    pub expects: Vec<Expect>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Bound {
    /// `a..b` includes `b`, as on the command line.
    Range(i64, i64, Span),
    Name(Name),
    Names(Vec<Name>, Span),
}

/// `property;` or `property: violated;`
#[derive(Clone, PartialEq, Debug)]
pub struct Expect {
    pub property: Name,
    pub violated: bool,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    Bool,
    Int,
    Data,
    Key,
    Age,
    Thread,
    Lock,
    Condvar,
    Range {
        low: Box<Expr>,
        high: Box<Expr>,
        inclusive: bool,
    },
    Named {
        name: Name,
        args: Vec<Type>,
    },
    Pointer(Box<Type>),
    /// `*[T]`
    PointerToArray(Box<Type>),
    Array(Box<Type>, Box<Expr>),
    Option(Box<Type>),
    Seq(Box<Type>),
    Set(Box<Type>),
    Bag(Box<Type>),
    Map(Box<Type>, Box<Type>),
    /// What the parser could not read; an error was reported.
    Error,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    Let { name: Name, ty: Option<Type>, value: Option<Expr> },
    Assign { place: Expr, op: AssignOp, value: Expr },
    Expr(Expr),
    Block(Block),
    If(If),
    Match { value: Expr, open_brace: Span, arms: Vec<Arm> },
    Loop { label: Option<Name>, body: Block },
    While { label: Option<Name>, cond: Expr, body: Block },
    For { label: Option<Name>, var: Name, range: Expr, body: Block },
    Break(Option<Name>),
    Continue(Option<Name>),
    Return(Vec<Expr>),
    Defer(Box<Stmt>),
    Atomic(Block),
    Await(Expr),
    Assert(Expr),
    Assume(Expr),
    Lin { maybe: bool, of: Option<Expr>, cond: Option<Expr> },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignOp {
    Set,
    Add,
    Sub,
}

#[derive(Clone, PartialEq, Debug)]
pub struct If {
    pub cond: Expr,
    pub then: Block,
    pub otherwise: Option<Else>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Else {
    If(Box<If>),
    Block(Block),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Arm {
    /// `None`: `_`
    pub pattern: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Int(i64),
    Bool(bool),
    Null,
    None,
    Me,
    /// The place before the dot, inside an `impl`.
    SelfPlace,
    Name(Name),
    /// `State::Empty`, `key::MAX`
    Path(Name, Name),
    Field(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    /// `(e)`: kept, so that the formatter keeps what the writer found clear.
    Paren(Box<Expr>),
    Word {
        name: Name,
        fields: Vec<FieldInit>,
    },
    Array(Vec<Expr>),
    Repeat {
        value: Box<Expr>,
        len: Box<Expr>,
    },
    Range {
        low: Box<Expr>,
        high: Box<Expr>,
        inclusive: bool,
    },
    New {
        ty: Type,
        fields: Vec<FieldInit>,
    },
    NewArray {
        value: Box<Expr>,
        len: Box<Expr>,
    },
    /// `f(args)`, `receiver.f(args)`; the primitives are calls too.
    Call {
        receiver: Option<Box<Expr>>,
        name: Name,
        args: Vec<Expr>,
    },
    ChooseBool,
    /// `choose e`, `choose x in e where c`
    Choose {
        var: Option<Name>,
        from: Box<Expr>,
        cond: Option<Box<Expr>>,
    },
    /// `|x| e`
    Lambda {
        param: Name,
        body: Box<Expr>,
    },
    /// What the parser could not read; an error was reported.
    Error,
}

/// `name: value`, or `name` alone for a variable of that name.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldInit {
    pub name: Name,
    pub value: Option<Expr>,
}
