//! Heap programs: the part of the language that the unbounded provers take (language 10), as types.
//!
//! A [`HeapProgram`] cannot express arrays on the heap, collections, hashes, thread ids, recursion, `ll`/`sc`
//! or condition variables. So no prover can meet one. `pairs` also takes shared arrays of a few elements, as
//! that many variables. It takes `int`s of operations as long as they are small.
//!
//! The view keeps the numbers of the program (locals, variables, structs, instructions). So a prover's result
//! can be shown, and replayed, on the program itself. Only [`HeapProgram::of`] makes a heap program. It takes
//! a program whole, or returns every unsupported construct with its position.

mod build;
pub mod cell;
mod convert;
pub mod layout;
mod overwritten;
mod refusal;
pub mod sets;
mod spec;
mod visit;

use crate::index::IndexVec;
use crate::program::{Access, GlobalId, LocalId, LocalSet, MemoryKind, OpId, Pc};
use crate::source::Span;
use crate::types::StructId;
use std::sync::Arc;

pub use spec::{SetOperation, SpecShape};

/// The unbounded provers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProofMethod {
    Pairs,
    Canonical,
    Cmp,
    Sets,
}

impl ProofMethod {
    pub const ALL: [ProofMethod; 4] =
        [ProofMethod::Pairs, ProofMethod::Canonical, ProofMethod::Cmp, ProofMethod::Sets];

    /// As `prove` blocks and the command line call it.
    pub fn name(self) -> &'static str {
        match self {
            ProofMethod::Pairs => "pairs",
            ProofMethod::Canonical => "canonical",
            ProofMethod::Cmp => "cmp",
            ProofMethod::Sets => "sets",
        }
    }
}

/// A construct that no prover accepts, and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnsupportedConstruct {
    /// Fits "… is not taken": `an array`, `ll`, `a second pointer field`.
    pub construct: String,
    pub span: Span,
}

/// A program on a heap of structs with pointers; fields are private, so that [`HeapProgram::of`] is its only
/// maker.
#[derive(Clone, Debug)]
pub struct HeapProgram {
    method: ProofMethod,
    memory: MemoryKind,
    structs: IndexVec<StructId, HeapStruct>,
    globals: IndexVec<GlobalId, HeapVariable>,
    init: HeapMethod,
    ops: IndexVec<OpId, HeapOperation>,
    spec: SpecShape,
}

impl HeapProgram {
    /// The prover it was made for.
    pub fn method(&self) -> ProofMethod {
        self.method
    }

    pub fn memory(&self) -> MemoryKind {
        self.memory
    }

    pub fn structs(&self) -> &IndexVec<StructId, HeapStruct> {
        &self.structs
    }

    pub fn globals(&self) -> &IndexVec<GlobalId, HeapVariable> {
        &self.globals
    }

    pub fn init(&self) -> &HeapMethod {
        &self.init
    }

    pub fn ops(&self) -> &IndexVec<OpId, HeapOperation> {
        &self.ops
    }

    pub fn spec(&self) -> SpecShape {
        self.spec
    }
}

/// A value of one part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HeapScalar {
    Bool,
    /// An `enum`, or a range; of at most [`HeapScalar::MOST_VALUES`] values.
    Small {
        low: i64,
        high: i64,
    },
    Data,
    Key,
    Age,
    Pointer(StructId),
    /// An `int` of an operation; `pairs` and `sets` only.
    Int,
}

impl HeapScalar {
    pub const MOST_VALUES: i64 = 8;
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HeapType {
    Scalar(HeapScalar),
    /// `none` or a value; in variables of operations and results only.
    Optional(HeapScalar),
    Word(Vec<HeapScalar>),
    Lock,
    /// A shared array of so many elements, at most [`HeapType::MOST_ELEMENTS`]; of one part each, or of the
    /// fields of a struct. `pairs` only.
    Array {
        len: usize,
        fields: Vec<HeapType>,
    },
}

impl HeapType {
    pub const MOST_ELEMENTS: u32 = 8;
}

#[derive(Clone, Debug)]
pub struct HeapStruct {
    pub name: Arc<str>,
    pub fields: Vec<HeapVariable>,
}

/// A shared variable, a field or a local.
#[derive(Clone, Debug)]
pub struct HeapVariable {
    pub name: Arc<str>,
    pub ty: HeapType,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct HeapOperation {
    pub name: Arc<str>,
    pub method: HeapMethod,
    /// It may take effect at any of its steps.
    pub free_point: bool,
    pub has_result: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct HeapMethod {
    pub params: Vec<LocalId>,
    pub locals: IndexVec<LocalId, HeapVariable>,
    pub code: IndexVec<Pc, HeapInstr>,
    pub entry: Pc,
}

#[derive(Clone, Debug)]
pub struct HeapInstr {
    pub op: HeapOp,
    pub next: Pc,
    pub access: Access,
    pub live: LocalSet,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum HeapOp {
    Assign {
        to: HeapLocal,
        value: HeapExpr,
    },
    Branch {
        cond: HeapExpr,
        then: Pc,
        otherwise: Pc,
    },
    ChooseBool {
        into: LocalId,
    },
    Assert(HeapExpr),
    Assume(HeapExpr),
    Await(HeapExpr),
    Lin {
        maybe: bool,
        cond: Option<HeapExpr>,
    },
    Return(Option<HeapExpr>),
    Load {
        into: HeapLocal,
        from: HeapPlace,
    },
    Store {
        to: HeapPlace,
        value: HeapExpr,
    },
    New {
        into: HeapLocal,
        of: StructId,
        fields: Vec<(usize, HeapExpr)>,
    },
    Free(HeapExpr),
    Cas {
        into: Option<HeapLocal>,
        place: HeapPlace,
        old: HeapExpr,
        new: HeapExpr,
    },
    CmpXchg {
        into: Option<HeapLocal>,
        place: HeapPlace,
        old: HeapExpr,
        new: HeapExpr,
    },
    /// `canonical` and `sets` only.
    Dcas {
        into: Option<HeapLocal>,
        places: Box<[HeapPlace; 2]>,
        olds: Box<[HeapExpr; 2]>,
        news: Box<[HeapExpr; 2]>,
    },
    Swap {
        into: Option<HeapLocal>,
        place: HeapPlace,
        value: HeapExpr,
    },
    Lock(HeapPlace),
    Unlock(HeapPlace),
    TryLock {
        into: Option<HeapLocal>,
        place: HeapPlace,
    },
    IsLocked {
        into: Option<HeapLocal>,
        place: HeapPlace,
    },
    Atomic {
        end: Pc,
    },
}

/// A local, or one part of a local word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HeapLocal {
    pub local: LocalId,
    pub part: Option<usize>,
}

/// A shared variable or a field of a cell, or one part of a word there.
#[derive(Clone, PartialEq, Debug)]
pub struct HeapPlace {
    pub base: HeapBase,
    pub part: Option<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum HeapBase {
    Global(GlobalId),
    /// An element of a shared array, or this field of it.
    Element {
        array: GlobalId,
        index: HeapExpr,
        field: usize,
    },
    Field {
        pointer: HeapExpr,
        of: StructId,
        field: usize,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub enum HeapExpr {
    Bool(bool),
    /// A value of a [`HeapScalar::Small`] or [`HeapScalar::Int`].
    Small(i64),
    Null,
    None,
    KeyMin,
    KeyMax,
    /// The age of what was never counted.
    FirstAge,
    /// A `data` or `key` without a value.
    Undefined,
    Local(LocalId),
    Part(Box<HeapExpr>, usize),
    Some(Box<HeapExpr>),
    Word(Vec<HeapExpr>),
    NextAge(Box<HeapExpr>),
    Not(Box<HeapExpr>),
    And(Box<HeapExpr>, Box<HeapExpr>),
    Or(Box<HeapExpr>, Box<HeapExpr>),
    Equal(Box<HeapExpr>, Box<HeapExpr>),
    /// Of two keys, or two small values.
    Less(Box<HeapExpr>, Box<HeapExpr>),
    /// The sum of two numbers; `pairs` only, as all arithmetic.
    Plus(Box<HeapExpr>, Box<HeapExpr>),
    Minus(Box<HeapExpr>, Box<HeapExpr>),
    /// A number where a range is wanted; a number outside of the range is a fault.
    InRange {
        value: Box<HeapExpr>,
        low: i64,
        high: i64,
    },
}
