//! The compiled program: every name, type and field is resolved to slots.
//!
//! All methods lie in one vector of instructions; an *address* is an index into it. A [`Term`] of one slot
//! evaluates to a word without a buffer. Any other term appends its words to a buffer.

pub mod age_slots;
pub mod collection_class;
pub mod definedness;
pub mod hash_tables;
pub mod layout;
pub mod outcome;

use crate::code::age_slots::AgeSlots;
use crate::code::collection_class::{Classes, Root};
use crate::code::definedness::Definedness;
use crate::code::hash_tables::Tables;
use crate::code::layout::Layout;
use crate::code::outcome::{Site, TextId};
use linchpin_ir::program::{CollectionMethod, GlobalId, MemoryKind};
use linchpin_ir::types::{SlotKind, TypeId, Word};

#[derive(Clone, Debug)]
pub struct Code {
    pub instrs: Vec<Instr>,
    pub methods: Vec<Method>,
    /// The kinds of cells: the structs, then the arrays.
    pub kinds: Vec<CellKind>,
    pub classes: Classes,
    pub definedness: Vec<Definedness>,
    pub tables: Tables,
    pub texts: Vec<Box<str>>,
    pub layout: Layout,
    /// The first slot of each shared variable.
    pub global_starts: Box<[usize]>,
    pub global_slots: Box<[SlotKind]>,
    pub global_defaults: Box<[Word]>,
    pub global_roots: Box<[Root]>,
    pub var_slots: Box<[SlotKind]>,
    pub var_defaults: Box<[Word]>,
    pub var_roots: Box<[Root]>,
    /// Whether some instruction is a call, so that threads have stacks.
    pub has_calls: bool,
    pub memory: MemoryKind,
    /// The number of threads of the program. A specification has one block, whichever thread runs.
    pub threads: u32,
    pub nodes: usize,
    pub ints: Word,
    pub depth: u32,
    pub spurious: bool,
    /// The slots of ages that are renamed.
    pub ages: Option<AgeSlots>,
}

/// A method of the program or of the specification.
#[derive(Clone, Debug)]
pub struct Method {
    pub site: Site,
    /// The address of its first instruction, whose `Pc` is 0.
    pub start: usize,
    pub entry: usize,
    /// The slots of a frame.
    pub slots: Box<[SlotKind]>,
    pub roots: Box<[Root]>,
    pub defaults: Box<[Word]>,
    pub params: Box<[Span]>,
}

/// Consecutive slots of a frame, a block, a cell or a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    pub at: u32,
    pub width: u32,
}

impl Span {
    pub fn range(self) -> std::ops::Range<usize> {
        self.at as usize..(self.at + self.width) as usize
    }
}

/// A kind of cell: a struct, or an array of a type.
#[derive(Clone, Debug)]
pub struct CellKind {
    pub pointee: linchpin_ir::types::Pointee,
    /// The slots of the struct, or of one element.
    pub slots: Box<[SlotKind]>,
    pub roots: Box<[Root]>,
    pub defaults: Box<[Word]>,
    /// Whether the cell is an array, with `len` elements.
    pub is_array: bool,
}

#[derive(Clone, Debug)]
pub struct Instr {
    pub op: Op,
    /// The address of the next instruction.
    pub next: usize,
    /// Whether a thread rests in front of it.
    pub rests: bool,
    /// Whether a call whose first access this is runs through the access.
    pub fuses: bool,
    /// Whether an `sc` may come before the next `ll`.
    pub link_live: bool,
    pub method: u32,
    /// The slots of the frame that are live in front of it, and the others.
    pub live: Box<[Span]>,
    pub dead: Box<[Span]>,
    pub live_roots: Box<[Root]>,
}

/// An operation of [`linchpin_ir::program::Op`], resolved. `texts` are the texts of a collection and its
/// first argument.
#[derive(Clone, Debug)]
pub enum Op {
    Assign {
        to: Local,
        value: Term,
    },
    Branch {
        cond: Term,
        then: usize,
        otherwise: usize,
    },
    Choose {
        into: Span,
        from: Candidates,
        cond: Option<Term>,
    },
    Assert {
        cond: Term,
        text: TextId,
    },
    Assume(Term),
    Await(Term),
    Lin {
        maybe: bool,
        of: Option<(Term, TextId)>,
        cond: Option<Term>,
    },
    Call {
        method: u32,
        args: Box<[Term]>,
        into: Option<Local>,
        kept: Box<[Span]>,
    },
    Return {
        values: Box<[Term]>,
        text: TextId,
    },
    Load {
        into: Local,
        from: ResolvedPlace,
    },
    Store {
        to: ResolvedPlace,
        value: Term,
    },
    New {
        into: Local,
        kind: u32,
        fields: Box<[(Span, Term)]>,
    },
    NewArray {
        into: Local,
        kind: u32,
        value: Term,
        len: Term,
        text: TextId,
    },
    ArrayLen {
        into: Local,
        array: Term,
        text: TextId,
    },
    Free {
        pointer: Term,
        text: TextId,
    },
    Collection {
        into: Option<Local>,
        on: Target,
        class: u32,
        method: CollectionMethod,
        args: Box<[Term]>,
        texts: [TextId; 2],
    },
    Cas {
        into: Option<Local>,
        place: ResolvedPlace,
        old: Term,
        new: Term,
        definedness: u32,
    },
    CmpXchg {
        into: Option<Local>,
        place: ResolvedPlace,
        old: Term,
        new: Term,
        definedness: u32,
    },
    Dcas(Box<Dcas>),
    Swap {
        into: Option<Local>,
        place: ResolvedPlace,
        value: Term,
    },
    FetchAdd {
        into: Option<Local>,
        place: ResolvedPlace,
        value: Term,
        limits: Limits,
    },
    LoadLinked {
        into: Option<Local>,
        place: ResolvedPlace,
    },
    StoreConditional {
        into: Option<Local>,
        place: ResolvedPlace,
        value: Term,
    },
    Lock(ResolvedPlace),
    Unlock(ResolvedPlace),
    TryLock {
        into: Option<Local>,
        place: ResolvedPlace,
    },
    IsLocked {
        into: Option<Local>,
        place: ResolvedPlace,
    },
    WaitBegin {
        condvar: ResolvedPlace,
        lock: ResolvedPlace,
    },
    WaitEnd {
        condvar: ResolvedPlace,
        lock: ResolvedPlace,
    },
    Notify {
        condvar: ResolvedPlace,
        all: bool,
    },
    Atomic,
}

#[derive(Clone, Debug)]
pub struct Dcas {
    pub into: Option<Local>,
    pub places: [ResolvedPlace; 2],
    pub olds: [Term; 2],
    pub news: [Term; 2],
    pub definedness: [u32; 2],
}

/// The range of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limits {
    /// The bound on `int`. Leaving it cuts the execution.
    Ints,
    /// A range type. Leaving it is a fault.
    Range { low: i64, high: i64 },
}

#[derive(Clone, Debug)]
pub enum Candidates {
    Bool,
    Range(Term, Term),
    Threads,
    Elements { of: Term, class: u32 },
}

/// A variable of the running thread, or a part of one: slots of its block.
#[derive(Clone, Debug)]
pub struct Local {
    pub at: u32,
    pub width: u32,
    pub indices: Box<[Index]>,
}

/// A place in shared memory, resolved to slots.
#[derive(Clone, Debug)]
pub struct ResolvedPlace {
    pub base: Base,
    /// The first slot. For a shared variable the start of the variable is included.
    pub offset: u32,
    pub width: u32,
    pub indices: Box<[Index]>,
    pub ty: TypeId,
    pub text: TextId,
}

#[derive(Clone, Debug)]
pub enum Base {
    Global(GlobalId),
    Cell { pointer: Term, text: TextId },
}

/// An index into an array.
#[derive(Clone, Debug)]
pub struct Index {
    pub index: Term,
    pub stride: u32,
    /// The length of the array. `None`: the cell holds it.
    pub len: Option<u32>,
    pub text: TextId,
}

#[derive(Clone, Debug)]
pub enum Target {
    Local(Local),
    Shared(ResolvedPlace),
}

/// A pure expression.
#[derive(Clone, Debug)]
pub enum Term {
    Constant(Word),
    Words(Box<[Word]>),
    Me,
    /// A slot of the thread's block.
    Slot(u32),
    Slots(Span),
    /// An element of an array variable.
    Indexed(Box<Local>),
    /// Some slots of a value.
    Part {
        of: Box<Term>,
        part: Span,
    },
    /// An element of an array that is not a variable.
    Element {
        of: Box<Term>,
        index: Box<Index>,
    },
    Not(Box<Term>),
    Negate(Box<Term>),
    And(Box<[Term; 2]>),
    Or(Box<[Term; 2]>),
    /// A comparison of two slots that are never undefined.
    Same {
        sides: Box<[Term; 2]>,
        negated: bool,
    },
    /// A comparison of two slots.
    SameDefined {
        sides: Box<[Term; 2]>,
        negated: bool,
        texts: [TextId; 2],
    },
    SameWide {
        sides: Box<[Term; 2]>,
        negated: bool,
        definedness: u32,
        text: TextId,
    },
    Order {
        order: Order,
        sides: Box<[Term; 2]>,
        texts: [TextId; 2],
    },
    Arithmetic {
        arithmetic: Arithmetic,
        sides: Box<[Term; 2]>,
        text: TextId,
    },
    /// The age after another.
    NextAge {
        of: Box<Term>,
        modulo: Option<Word>,
    },
    /// An optional value that is present: 1, then its slots.
    Present(Box<Term>),
    ToRange {
        value: Box<Term>,
        low: i64,
        high: i64,
        text: TextId,
    },
    /// An `int` that is stored.
    WithinInts(Box<Term>),
    UnwrapFlat {
        of: Box<Term>,
        text: TextId,
    },
    UnwrapWide {
        of: Box<Term>,
        text: TextId,
    },
    Concat(Box<[Term]>),
    Repeat(Box<Term>, u32),
    Collection {
        class: u32,
        elements: Box<[Term]>,
        text: TextId,
    },
    Hash {
        hash: u32,
        of: Box<Term>,
        text: TextId,
    },
    Ord {
        of: Box<Term>,
        text: TextId,
    },
    Method {
        method: CollectionMethod,
        class: u32,
        on: Box<Term>,
        args: Box<[Term]>,
        texts: [TextId; 2],
    },
    Quantifier {
        all: bool,
        class: u32,
        collection: Box<Term>,
        var: Span,
        body: Box<Term>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl Code {
    pub fn text(&self, text: TextId) -> &str {
        self.texts.get(text.0 as usize).map_or("", |text| text)
    }

    /// Returns the number of words of a cell.
    pub fn cell_width(&self, kind: u32, len: u32) -> usize {
        self.kinds[kind as usize].slots.len() * len as usize
    }
}
