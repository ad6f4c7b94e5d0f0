//! The executable form of a program: every name, type and field resolved to slots, once.
//!
//! All methods lie in one vector of instructions; an *address* is an index into it. A [`Term`] of one slot is evaluated to a
//! word without any buffer; the others append their words to one.

use super::class::{Classes, Root};
use super::definedness::Definedness;
use super::hash::Tables;
use super::layout::Layout;
use super::outcome::{Site, TextId};
use linchpin_ir::program::{CollectionMethod, GlobalId, MemoryKind};
use linchpin_ir::types::{SlotKind, TypeId, Word};

#[derive(Clone, Debug)]
pub struct Code {
    pub instrs: Vec<Instr>,
    pub methods: Vec<Method>,
    /// By struct, then the arrays.
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
    /// Some instruction is a call: threads have stacks.
    pub has_calls: bool,
    pub memory: MemoryKind,
    /// As the program knows them; a specification runs in one block, whoever runs.
    pub threads: u32,
    pub nodes: usize,
    pub ints: Word,
    pub depth: u32,
    pub spurious: bool,
    /// Where ages lie that are renamed.
    pub ages: Option<super::ages::Ages>,
}

/// A method of the program, or of the specification.
#[derive(Clone, Debug)]
pub struct Method {
    pub site: Site,
    /// The address of its first instruction; its `Pc` 0.
    pub start: usize,
    pub entry: usize,
    /// The slots of a frame.
    pub slots: Box<[SlotKind]>,
    pub roots: Box<[Root]>,
    pub defaults: Box<[Word]>,
    pub params: Box<[Span]>,
}

/// Some slots of a frame, a block, a cell or a value.
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

/// What a cell is: a struct, or an array of a type.
#[derive(Clone, Debug)]
pub struct CellKind {
    pub pointee: linchpin_ir::types::Pointee,
    /// The slots of the struct, or of one element.
    pub slots: Box<[SlotKind]>,
    pub roots: Box<[Root]>,
    pub defaults: Box<[Word]>,
    /// An array: it lies `len` times.
    pub is_array: bool,
}

#[derive(Clone, Debug)]
pub struct Instr {
    pub op: Op,
    /// The address where control goes.
    pub next: usize,
    /// A thread rests in front of it.
    pub rests: bool,
    /// A call that comes here first goes on through its step.
    pub fuses: bool,
    /// An `sc` may come before the next `ll`.
    pub link_live: bool,
    pub method: u32,
    /// The slots of the frame whose value may still be used in front of it, and the others.
    pub live: Box<[Span]>,
    pub dead: Box<[Span]>,
    pub live_roots: Box<[Root]>,
}

/// As [`linchpin_ir::program::Op`]. `texts` of a collection's method are those of the collection and of the first argument.
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

/// What a number may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limits {
    /// Leaving them cuts the execution.
    Ints,
    /// Leaving them is an error.
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

/// A place in shared memory.
#[derive(Clone, Debug)]
pub struct ResolvedPlace {
    pub base: Base,
    /// Of a global its first slot is included.
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

/// An index into an array: so many times the stride further.
#[derive(Clone, Debug)]
pub struct Index {
    pub index: Term,
    pub stride: u32,
    /// `None`: the cell knows.
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
    /// An element of an array that is no variable.
    Element {
        of: Box<Term>,
        index: Box<Index>,
    },
    Not(Box<Term>),
    Negate(Box<Term>),
    And(Box<[Term; 2]>),
    Or(Box<[Term; 2]>),
    /// One slot each, which is never undefined.
    Same {
        sides: Box<[Term; 2]>,
        negated: bool,
    },
    /// One slot each.
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
    /// The next age.
    NextAge {
        of: Box<Term>,
        modulo: Option<Word>,
    },
    /// A value that is there, before its slots.
    Present(Box<Term>),
    ToRange {
        value: Box<Term>,
        low: i64,
        high: i64,
        text: TextId,
    },
    /// An `int` that is kept in memory.
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

    /// The words of a cell.
    pub fn cell_width(&self, kind: u32, len: u32) -> usize {
        self.kinds[kind as usize].slots.len() * len as usize
    }
}
