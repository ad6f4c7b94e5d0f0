//! Certificates of proofs by pairs: sets of *views* that compose every reachable state.
//!
//! A view describes two threads and the shared state. It has a *symbolic state*: control locations of both
//! threads and of the observers, classes of data, orders of ages, null pointers. It also has a *joined shape
//! constraint*: for each pair of cell terms a set of relations, one of which holds (Observers, section 5.1).
//!
//! **The graph.** The nodes of the graph are the cells and three sentinels. Every cell has one edge: to the
//! target of its pointer; to [`NULL`]; or to [`FREE`] if the cell is not allocated. It leads to [`GARBAGE`]
//! if its pointer was not written since the allocation, or is a copy of an unknown pointer. Sentinels have no
//! edge. There is no cycle: a chain leads from each cell to one sentinel. In garbage-collected memory `NULL`
//! is the only sentinel.
//!
//! **Labels.** Where cells have a field of a small type or a `key`, its value is the cell's label. A view has
//! a set of labels for each cell term, one of which is right. The labels of a small type are its values, from
//! the least on. A `key` has two labels: 0 for keys up to some key, and 1 for keys above it. The views cover
//! every such cut ([`observer_adequacy`](crate::observer_adequacy)). An invariant may claim that cells are
//! *ordered*: no edge leads to a smaller label.
//!
//! **The terms of a view**, in this order: the sentinels; the pointers in shared variables that are
//! [`Symbol::Cell`]; the tracked cells that exist. Then follow the slots of the first thread that are
//! [`Symbol::Cell`], and those of the second.
//!
//! This module contains data only: a prover writes certificates, the checker of [pairs](crate::pairs) checks
//! them.

use linchpin_ir::program::{LocalId, OpId, Pc};

/// A certificate: one invariant for each obligation.
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

/// An instruction in front of which a thread rests, and the variables that views keep there. Every other
/// variable has any value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rest {
    pub op: OpId,
    pub pc: Pc,
    pub slots: Vec<RestSlot>,
    /// The predicted result of a call that rests here and has taken effect.
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
    /// The place where an age was read; `None` for other sorts.
    pub origin: Option<AgeOrigin>,
    /// The slot of an age: once this age is stale, views forget the slot. (A comparison with a stale age
    /// fails, whatever the other values are.)
    pub until_stale: Option<Slot>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgeOrigin {
    /// The part of the shared variables with this number, counted as in [`SharedState::globals`].
    Shared(usize),
    /// The pointer field of the cell that this variable points to.
    Cell(Slot),
}

/// The predicted result of a call. A hint: the checker compares it with the result at the return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returned {
    Unclear,
    Nothing,
    None,
    Slot(Slot),
    /// The data in the cell that this variable points to.
    DataOf(Slot),
}

/// The obligation that an invariant discharges.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Obligation {
    /// No observer of the product with this number accepts, and every call passes one effective point with
    /// the result that it returns.
    Observers(usize),
    /// No access through null, to a freed cell or to an undefined value, no double free, no leak. The shared
    /// variable with part `root` owns each cell (any shared variable for `None`), or else one thread does.
    Memory { root: Option<usize> },
    /// No fault of `assertions`: no failed `assert`, no index or value out of range, no `unlock` of a lock
    /// that the thread does not hold, no local work without end. No cell is tracked and no observer runs.
    Assertions,
}

/// Views that compose every reachable state. A view is symmetric in its two threads, and occurs once.
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
    /// The set of labels of every term except sentinels, one bit each; empty if cells have no labels.
    pub labels: Vec<u8>,
}

/// The symbolic shared state.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SharedState {
    /// The locations of the product of observers, as one number in mixed radix; the first observer is the
    /// lowest digit.
    pub location: u16,
    /// A bit for each observer variable whose value has been an argument.
    pub used: u8,
    /// A bit for each lock among the parts of the shared variables, in their order.
    pub held: u32,
    /// The parts of the shared variables in order, arrays element by element; [`Symbol::Unknown`] for locks
    /// and ages.
    pub globals: Vec<Symbol>,
    /// For each observer variable: a cell holds its value. For memory: there is a watched cell.
    pub tracked: Vec<bool>,
    pub watch: WatchedCell,
}

/// Facts about the watched cell of [`Obligation::Memory`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct WatchedCell {
    /// Its data was not written since it was allocated.
    pub undefined: bool,
    /// A shared variable reaches the cell; otherwise one thread owns it.
    pub shared: bool,
}

/// The symbolic state of one thread.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalState {
    /// The number of a [`Rest`]; `None` if no call is pending.
    pub at: Option<u16>,
    pub effect: Effect,
    /// A bit for each lock that the thread holds.
    pub holds: u32,
    /// The thread owns the watched cell.
    pub answers: bool,
    /// The values of [`Rest::slots`].
    pub slots: Vec<Symbol>,
}

/// The effect of the pending call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Effect {
    Waiting,
    /// The call passed its point, but its result is not yet known. It takes effect in the first step after
    /// which the result is known.
    Due,
    /// The call has taken effect with this result; [`Symbol::Unknown`] for operations without a result.
    Done(Symbol),
    /// The call passed tentative points. `right`: the result `none` was right at the last of them.
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
    /// An arbitrary pointer.
    Garbage,
    /// A pointer to a cell, which is a term of the shape.
    Cell,
    /// `none`.
    Absent,
    /// The value of an observer variable; in [`Obligation::Memory`], undefined data read from the watched
    /// cell.
    Tracked(u8),
    /// Other data.
    Other,
    /// Data without a value.
    Undefined,
    /// A copy of an age that equals the age of its place.
    Current,
    /// A copy of an age that differs from the age of its place.
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
/// The edge of the first node leads to the second.
pub const NEXT: u8 = 2;
pub const BEFORE: u8 = 4;
/// A chain of two or more edges leads from the first to the second.
pub const FAR: u8 = 8;
pub const FAR_BEFORE: u8 = 16;
/// None of these.
pub const APART: u8 = 32;
pub const ANY: u8 = 63;
