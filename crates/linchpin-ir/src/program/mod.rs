//! The program that every engine shares: operations as graphs of instructions, divided into *steps*.
//!
//! **Instructions and steps.** A method is a graph of [`Instr`]s. Instructions work on the locals of the
//! thread. Instructions with [`Access::Step`] may touch memory that other threads see. A thread rests only in
//! front of them. A **step** is the instruction at which the thread rests, and everything after it up to the
//! next [`Access::Step`] or the return. A **call** binds the parameters and runs to the first rest. If the
//! instruction there cannot block, the call also makes that step. So each step makes at most one shared
//! access, and local work is fused into it. An `atomic` block is one instruction [`Op::Atomic`] that rests,
//! followed by instructions that never rest.
//!
//! **Pure expressions.** [`Expr`] reads locals only: every shared read is a separate [`Op::Load`] in
//! evaluation order. Loads that no other thread can observe (constants, owned cells, inside `atomic`) have
//! [`Access::Local`].
//!
//! **Dead locals** hold their type's default wherever a thread rests ([`Instr::live`] lists the live ones).
//! So states differ only where behaviour can.

pub mod ages;
mod element;
pub mod expr;
pub mod footprint;
pub mod instr;
pub mod place;
mod print;
pub mod protection;
mod validate;
mod walk;

pub use expr::{Expr, ExprKind};
pub use instr::{Access, Candidates, Instr, LocalSet, Op};
pub use place::{Base, LocalBase, LocalPlace, Place, Projection, Target};
pub use print::print;
pub use validate::validate;
pub use walk::successors;

pub use crate::interface::observer;
pub use crate::interface::{
    Bound, Calls, Check, CollectionMethod, Constant, Expect, HashId, MemoryKind, OpId, ProofExpectation,
    Role, ThreadVarId,
};

use crate::index::IndexVec;
use crate::source::Span;
use crate::types::{SlotKind, TypeId, TypeTable};
use std::sync::Arc;

crate::index_types! {
    /// A shared variable, or in a [`Spec`] a state variable.
    pub struct GlobalId;
    pub struct MethodId;
    /// A parameter, variable or temporary of one method.
    pub struct LocalId;
    /// An instruction of one method.
    pub struct Pc;
    /// A chain of inlined calls.
    pub struct ContextId;
}

/// An open program: what an object is and does, with no client.
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
    pub globals: Globals,
    /// Their initial values are the types' defaults, or what [`Program::thread_init`] gives them.
    pub thread_vars: IndexVec<ThreadVarId, Global>,
    pub thread_slots: Vec<SlotKind>,
    /// Sets the thread variables that have an initial value; local work only. Run once for each thread, after
    /// `init`.
    pub thread_init: Option<MethodId>,
    /// Sets the shared variables that have an initial value, then runs the object's `init`; alone, to its
    /// end.
    pub init: MethodId,
    pub methods: IndexVec<MethodId, Method>,
    pub ops: IndexVec<OpId, Operation>,
    pub hashes: IndexVec<HashId, HashFunction>,
    pub roles: Vec<Role>,
    pub spec: Spec,
    pub checks: Vec<Check>,
    pub proofs: Vec<ProofExpectation>,
    /// Some instruction is `ll` or `sc`: writes must break links.
    pub uses_links: bool,
    pub object_span: Span,
}

/// Variables of one memory, laid out one after the other.
#[derive(Clone, Debug, Default)]
pub struct Globals {
    pub variables: IndexVec<GlobalId, Global>,
    pub slots: Vec<SlotKind>,
}

#[derive(Clone, Debug)]
pub struct Global {
    pub name: Arc<str>,
    pub ty: TypeId,
    /// Its first slot.
    pub offset: usize,
    /// Nothing assigns it after `init`: reading it is local.
    pub constant: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Operation {
    pub name: Arc<str>,
    pub method: MethodId,
    pub params: Vec<TypeId>,
    /// The result of the object; it may be `T?` where the specification has `T`.
    pub result: Option<TypeId>,
    /// It contains no `lin`, so it may take effect at any step of its interval.
    pub free_point: bool,
    pub span: Span,
}

/// A function of one value, chosen once and for all before the first step, or given.
#[derive(Clone, Debug)]
pub struct HashFunction {
    pub name: Arc<str>,
    pub domain: TypeId,
    pub result: TypeId,
    /// A method of one parameter and no access.
    pub body: Option<MethodId>,
    pub span: Span,
}

/// The body of an operation (helpers inlined), of a recursive function, of `init`, of a clause.
#[derive(Clone, Debug)]
pub struct Method {
    pub name: Arc<str>,
    pub params: Vec<LocalId>,
    pub results: Vec<TypeId>,
    pub locals: IndexVec<LocalId, Local>,
    /// The slots of a frame: the locals one after the other.
    pub slots: Vec<SlotKind>,
    pub code: IndexVec<Pc, Instr>,
    pub entry: Pc,
    pub contexts: IndexVec<ContextId, Context>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Local {
    /// The variable's name, or for a temporary what it holds, as `head.next`.
    pub name: Arc<str>,
    pub ty: TypeId,
    /// Its first slot in the frame.
    pub offset: usize,
    /// Made by the lowering; not shown to a person.
    pub temporary: bool,
    pub span: Span,
}

/// The origin of an inlined instruction.
#[derive(Clone, Debug)]
pub struct Context {
    pub function: Arc<str>,
    /// The call that was inlined, and its context; `None` for the method's own text.
    pub called: Option<(Span, ContextId)>,
}

impl Program {
    /// Whether a call may depend on its thread: some instruction of the object or a clause of the
    /// specification contains `me` or a variable of the thread.
    pub fn names_threads(&self) -> bool {
        self.methods.iter().any(names_thread) || self.spec.names_caller()
    }
}

/// A sequential specification: a memory of its own and clauses that run on it as one step each.
#[derive(Clone, Debug)]
pub struct Spec {
    pub name: Arc<str>,
    pub globals: Globals,
    pub init: Method,
    pub clauses: Vec<Clause>,
    pub adds: Vec<OpId>,
    pub removes: Vec<OpId>,
    /// Some clause has several heads.
    pub has_rendezvous: bool,
    /// One for each choice of their finite parameters.
    pub observers: Vec<observer::Observer>,
    pub span: Span,
}

impl Spec {
    /// Whether an operation by itself never changes the state, and takes effect only by itself.
    pub fn only_reads(&self, op: OpId) -> bool {
        let reads = |instr: &Instr| match &instr.op {
            Op::Call { .. } | Op::New { .. } | Op::NewArray { .. } | Op::Free(_) => false,
            op => op.places().is_empty() || op.only_reads(),
        };
        let mut clauses = self.clauses.iter().filter(|c| c.heads.iter().any(|head| head.op == op));
        clauses.all(|clause| clause.heads.len() == 1 && clause.method.code.iter().all(reads))
    }

    /// Whether a call may depend on its thread: some clause contains `me`.
    pub fn names_caller(&self) -> bool {
        self.clauses.iter().any(|clause| names_thread(&clause.method))
    }

    /// Whether the text lets calls wait: by `when`, or in a rendezvous.
    pub fn makes_wait(&self) -> bool {
        let code = self.clauses.iter().flat_map(|clause| clause.method.code.iter());
        self.has_rendezvous || code.into_iter().any(|instr| matches!(instr.op, Op::Await(_)))
    }

    /// Whether some clause can be disabled: then a call may have to wait.
    pub fn may_block(&self) -> bool {
        let code = self.clauses.iter().flat_map(|clause| clause.method.code.iter());
        self.has_rendezvous
            || code.into_iter().any(|instr| matches!(instr.op, Op::Await(_) | Op::Choose { .. }))
    }
}

#[derive(Clone, Debug)]
pub struct Clause {
    /// The operations that take effect together; one unless it is a rendezvous.
    pub heads: Vec<ClauseHead>,
    /// Its parameters are those of the heads, in order. It begins with an [`Op::Await`] for `when`. All of it
    /// is local, its globals are the specification's. `me` is the thread of the first head.
    pub method: Method,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct ClauseHead {
    pub op: OpId,
    /// How many of the method's parameters are its.
    pub params: usize,
    /// Whether one of the method's results is its.
    pub result: Option<TypeId>,
    pub span: Span,
}

/// Whether a method contains `me` or a variable of its thread.
fn names_thread(method: &Method) -> bool {
    let mut names = false;
    for instr in method.code.iter() {
        instr.op.operands(&mut |operand| {
            operand.for_each(&mut |part| names |= matches!(part.kind, ExprKind::Me | ExprKind::ThreadVar(_)));
        });
    }
    names
}
