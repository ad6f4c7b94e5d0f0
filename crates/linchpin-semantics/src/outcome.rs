//! How a step ends: done, or one of four ways in which it does not.

use super::bounds::{CellId, ThreadId};
use linchpin_ir::program::{ContextId, GlobalId, MethodId, Pc};
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, Word};

/// On anything but [`Outcome::Done`] the state that was stepped is garbage.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Outcome {
    Done,
    /// The step cannot happen now; others may enable it.
    Disabled(Blocked),
    /// An error: the execution ends here.
    Fault(Box<Fault>),
    /// The execution leaves the instance: nothing is known of what comes after.
    Cut(Cut),
    /// An `assume` was false: there is no such execution.
    Discarded,
}

impl Outcome {
    pub fn is_done(&self) -> bool {
        matches!(self, Outcome::Done)
    }
}

/// What a disabled step waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// A lock that is held; by its own thread too, since a lock is a plain mutex.
    Lock { lock: Location, holder: Option<ThreadId> },
    /// An `await`, or a clause's `when`, is false.
    Await,
    /// The thread waits on the condition and nobody has notified it.
    Condition(Location),
    /// `choose` has nothing to choose from.
    NoCandidate,
    /// No cell is left for `new`. This is the bound's doing: outside the scope, never a deadlock.
    NoCell,
}

impl Blocked {
    /// Waiting for a cell is the bound's doing; everything else is the program's.
    pub fn by_bound(self) -> bool {
        self == Blocked::NoCell
    }
}

/// Which bound was left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cut {
    /// An `int` left its bound.
    Ints,
    /// Calls nested deeper than the bound.
    Depth,
    /// Local work, or an `atomic` block, longer than anybody waits for, that has not repeated itself.
    Work,
    /// A step that adds more words to memory than anybody keeps.
    Words,
    /// An array too long, or a `choose` among too many, to be enumerated.
    Size,
}

impl Cut {
    /// What left its bound, for a person.
    pub fn what(self) -> &'static str {
        match self {
            Cut::Ints => "an `int` leaves the bound `ints`",
            Cut::Depth => "calls nest deeper than the bound `depth`",
            Cut::Work => "local work goes on for too long",
            Cut::Words => "one step makes too much memory",
            Cut::Size => "an array or a choice is too large",
        }
    }
}

/// A place in shared memory, found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    pub base: LocationBase,
    /// Its first slot, counted from the beginning of the variable or of the cell.
    pub slot: u32,
    pub ty: TypeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocationBase {
    Global(GlobalId),
    Cell(CellId),
}

/// An error that ends an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    /// What is wrong, for a person: "`top` is null here".
    pub message: String,
    pub site: Site,
    pub pc: Pc,
    pub span: Span,
    pub context: ContextId,
}

impl Fault {
    pub fn property(&self) -> FaultProperty {
        self.kind.property()
    }
}

/// The text that was running.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Site {
    Method(MethodId),
    SpecInit,
    /// By its place in [`linchpin_ir::program::Spec::clauses`].
    Clause(usize),
}

/// The property that a fault violates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FaultProperty {
    MemorySafe,
    Assertions,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    NullAccess,
    FreedAccess(CellId),
    DoubleFree(CellId),
    UndefinedUsed,
    UndefinedReturned,
    Assert,
    Range {
        value: i64,
        low: i64,
        high: i64,
    },
    Index {
        index: i64,
        len: u32,
    },
    /// An array of negative length.
    Length(i64),
    Unwrap,
    DivisionByZero,
    /// `pop` of an empty collection.
    Empty,
    /// `unlock` or `wait` by a thread that does not hold the lock.
    NotHolder {
        holder: Option<ThreadId>,
    },
    /// Local work, or an `atomic` block, came back to where it was.
    Endless,
}

impl FaultKind {
    pub fn property(self) -> FaultProperty {
        use FaultKind::*;
        match self {
            NullAccess | FreedAccess(_) | DoubleFree(_) | UndefinedUsed | UndefinedReturned => {
                FaultProperty::MemorySafe
            }
            Assert
            | Range { .. }
            | Index { .. }
            | Length(_)
            | Unwrap
            | DivisionByZero
            | Empty
            | NotHolder { .. }
            | Endless => FaultProperty::Assertions,
        }
    }

    /// A sentence for a person; `what` is the expression it is about, as source text.
    pub fn message(self, what: &str) -> String {
        use super::value::{cell_name, thread_name};
        use FaultKind::*;
        match self {
            NullAccess => format!("`{what}` is null here"),
            FreedAccess(cell) => format!("`{what}` points to {}, which was freed", cell_name(cell)),
            DoubleFree(cell) => format!("`{what}` points to {}, which was freed already", cell_name(cell)),
            UndefinedUsed => format!("`{what}` is undefined here"),
            UndefinedReturned => format!("`{what}` is returned but undefined"),
            Assert => format!("`{what}` does not hold"),
            Range { value, low, high } => format!("`{what}` is {value}, which is not in {low}..={high}"),
            Index { index, len: 0 } => format!("`{what}` is {index}, and there are no elements"),
            Index { index, len } => format!("`{what}` is {index}, and the elements are 0 to {}", len - 1),
            Length(len) => format!("`{what}` is {len}, and an array cannot be that long"),
            Unwrap => format!("`{what}` is none here"),
            DivisionByZero => format!("`{what}` is 0 here"),
            Empty => format!("`{what}` is empty here"),
            NotHolder { holder: None } => format!("`{what}` is held by nobody here"),
            NotHolder { holder: Some(holder) } => format!("`{what}` is held by {} here", thread_name(holder)),
            Endless => "this comes back to where it was, with nothing changed: it never ends".into(),
        }
    }
}

/// Why a run inside a step stopped; [`Outcome`] without the place, which only the outermost loop knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap {
    Fault(FaultKind, TextId),
    Blocked(Blocked),
    Cut(Cut),
    Discarded,
}

/// An expression as source text, kept for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextId(pub u32);

/// The word for a lock's holder, decoded.
pub fn holder(word: Word) -> Option<ThreadId> {
    use linchpin_ir::index::Index;
    usize::try_from(word).ok()?.checked_sub(1).map(ThreadId::new)
}
