//! What a proof by pairs is: a set of *views*, of which every reachable state is made up.
//!
//! A view says what may be true of two threads together with everything that is shared. It is a *symbolic state* (control
//! locations of both threads and of the observers, classes of data, orders of ages, which pointers are null) with a *joined
//! shape constraint*: for each pair of cell terms a set of relations, of which one holds (Observers, section 5.1).
//!
//! **The graph.** Shapes speak of a graph whose nodes are the cells and three sentinels, and in which every cell has one edge:
//! to the cell that its pointer leads to, to [`NULL`], to [`FREE`] if the cell is not allocated, or to [`GARBAGE`] if its pointer was not
//! written since the cell was allocated (or was copied from a place of which nothing is known). Sentinels have no edge, and
//! there is no cycle: from each cell a chain leads to one sentinel. In garbage-collected memory `NULL` is the only one.
//!
//! **Labels.** Where cells have a field of a small type or a `key`, its value is the cell's label, and a view has for each cell term a set of
//! labels, of which one is right. The labels of a small type are its values, from the least on. Those of a `key` are two classes, 0 for the
//! keys up to some key and 1 for those above it: the views speak of every such cut ([`link`](crate::observer_adequacy)). An invariant may say that cells
//! are *ordered*: no edge leads from a cell to one with a smaller label.
//!
//! **The terms of a view**, in this order: the sentinels; the pointers in shared variables that are [`Symbol::Cell`]; the tracked
//! cells that there are; the slots of the first thread that are [`Symbol::Cell`], and those of the second.
//!
//! Nothing here computes: the prover writes such a thing, [`super`] checks it.

use linchpin_ir::program::{LocalId, OpId, Pc};

/// One claim for each question that has to be answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    pub rests: Vec<Rest>,
    pub invariants: Vec<Invariant>,
}

impl Certificate {
    /// Returns the number of views of all invariants.
    pub fn size(&self) -> usize {
        self.invariants.iter().map(|invariant| invariant.views.len()).sum()
    }
}

/// A place in front of which a thread rests, and what is remembered of its variables there. Whatever is left out may be anything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rest {
    pub op: OpId,
    pub pc: Pc,
    pub slots: Vec<RestSlot>,
    /// What a call that rests here and has taken effect will return.
    pub returned: Returned,
}

/// A variable of an operation, or one part of a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Slot {
    pub local: LocalId,
    pub part: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RestSlot {
    pub slot: Slot,
    /// Where an age was read.
    pub origin: Option<AgeOrigin>,
    /// The slot of an age: once that is stale, nothing is remembered of this one. (Whoever is about to compare a stale age need not know
    /// with what else.)
    pub until_stale: Option<Slot>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgeOrigin {
    /// The part of the shared variables with this number, counted as in [`SharedState::globals`].
    Shared(usize),
    /// The pointer field of the cell that this variable points to.
    Cell(Slot),
}

/// The result of a call, seen from an earlier place. A hint: that the call returns this is checked where it returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returned {
    Unclear,
    Nothing,
    None,
    Slot(Slot),
    /// The data in the cell that this variable points to.
    DataOf(Slot),
}

/// What is shown by an invariant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Obligation {
    /// No observer of this group accepts, and every call passes one effective point, which says what it returns.
    Observers(usize),
    /// No access through null, to a freed cell or to an undefined value, no double free, no leak. A cell is kept by the shared variable
    /// of which this is a part, by any of them if none is named, or else by one thread.
    Memory { root: Option<usize> },
    /// No fault of `assertions`: no failed `assert`, no index or value out of range, no `unlock` of a lock that the thread does not
    /// hold, no local work without end. No cell is tracked and no observer runs.
    Assertions,
}

/// The views that together hold of every reachable state; a view is symmetric in its two threads and stands here once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    pub question: Obligation,
    /// No edge leads to a smaller label.
    pub ordered: bool,
    pub shared: Vec<SharedState>,
    pub locals: Vec<LocalState>,
    pub views: Vec<View>,
}

/// Numbers of the invariant's states, and a shape: the sets of relations above the diagonal, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    pub shared: usize,
    pub locals: [usize; 2],
    pub shape: Vec<u8>,
    /// The set of labels, a bit each, of every term that is no sentinel; empty where cells have none.
    pub labels: Vec<u8>,
}

/// The symbolic state of what is shared.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SharedState {
    /// The locations of the group of observers: that of the first, and so many times as it has locations that of the second, and
    /// so on.
    pub location: u16,
    /// A bit for each observer variable whose value was an argument already.
    pub used: u8,
    /// A bit for each lock among the parts of the shared variables, in their order.
    pub held: u32,
    /// The parts of the shared variables in their order, those of an array element by element; [`Symbol::Unknown`] for locks and ages.
    pub globals: Vec<Symbol>,
    /// Whether there is a tracked cell: for each observer variable the one that holds its value, or the one that is watched.
    pub tracked: Vec<bool>,
    pub watch: WatchedCell,
}

/// What is known of the watched cell of [`Obligation::Memory`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct WatchedCell {
    /// Its data was not written since it was allocated.
    pub undefined: bool,
    /// A shared variable leads to it; otherwise one thread answers for it.
    pub shared: bool,
}

/// The symbolic state of one thread.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalState {
    /// The number of a [`Rest`]; none if no call is pending.
    pub at: Option<u16>,
    pub effect: Effect,
    /// A bit for each lock that it holds.
    pub holds: u32,
    /// It answers for the watched cell.
    pub answers: bool,
    /// As [`Rest::slots`] says.
    pub slots: Vec<Symbol>,
}

/// Whether the pending call has taken effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Effect {
    Waiting,
    /// It passed its point, but what it will return is not clear yet: it takes effect in the first of its steps after which this is so.
    Due,
    /// With this result; [`Symbol::Unknown`] where operations have none.
    Done(Symbol),
    /// It passed a tentative point with the result `none`, lastly one at which this was right or wrong.
    Tentative {
        right: bool,
    },
}

/// The class of one value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Symbol {
    /// Anything.
    Unknown,
    Null,
    /// A pointer of which nothing is known.
    Garbage,
    /// A pointer to a cell, which is a term of the shape.
    Cell,
    /// `none`.
    Absent,
    /// The value of an observer variable; in [`Obligation::Memory`], undefined data read from the watched cell.
    Tracked(u8),
    /// Other data.
    Other,
    /// Data that nobody gave a value.
    Undefined,
    /// An age that is the one of its place still, or not.
    Current,
    Stale,
    /// A truth value, range or enum, or a small `int`.
    Small(i8),
    /// A `key` of this class.
    Key(u8),
}

/// The sentinels.
pub const NULL: usize = 0;
pub const FREE: usize = 1;
pub const GARBAGE: usize = 2;

/// The six relations between nodes of the graph, as bits of a set.
pub const SAME: u8 = 1;
/// The first one's edge leads to the second.
pub const NEXT: u8 = 2;
pub const BEFORE: u8 = 4;
/// A chain of two or more edges leads from the first to the second.
pub const FAR: u8 = 8;
pub const FAR_BEFORE: u8 = 16;
/// None of these.
pub const APART: u8 = 32;
pub const ANY: u8 = 63;
