//! How a step ends: done, or in one of four other ways.

use crate::instance::bounds::{CellId, ThreadId};
use linchpin_ir::program::{ContextId, GlobalId, Method, MethodId, Pc, Program};
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, Word};

/// The end of a step. After anything but [`Outcome::Done`] the state is garbage.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Outcome {
    Done,
    /// The step cannot happen now; a step of another thread may enable it.
    Disabled(Blocked),
    /// A fault of the model: the execution ends here.
    Fault(Box<Fault>),
    /// The execution leaves the scope. Its continuation is not explored.
    Cut(Cut),
    /// An `assume` was false, so this execution does not exist.
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
    /// A held lock. The holder may be the same thread, because locks are not reentrant.
    Lock { lock: Location, holder: Option<ThreadId> },
    /// An `await`, or the `when` of a clause, is false.
    Await,
    /// The thread waits on a condition variable and has not been notified.
    Condition(Location),
    /// `choose` has no candidate.
    NoCandidate,
    /// No cell is left for `new`. The bound on cells causes this, so it is out of scope and never a deadlock.
    NoCell,
}

impl Blocked {
    /// Checks whether a bound causes the wait, and not the program.
    pub fn by_bound(self) -> bool {
        self == Blocked::NoCell
    }
}

/// The bound that an execution left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cut {
    /// An `int` left its bound.
    Ints,
    /// Calls nested deeper than the bound.
    Depth,
    /// Local work or an `atomic` block took too many instructions, without repeating a state.
    Work,
    /// One step added too many words to memory.
    Words,
    /// An array is too long, or a `choose` has too many candidates.
    Size,
}

impl Cut {
    /// Describes what left its bound.
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

/// A resolved place in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    pub base: LocationBase,
    /// The first slot, counted from the beginning of the variable or of the cell.
    pub slot: u32,
    pub ty: TypeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocationBase {
    Global(GlobalId),
    Cell(CellId),
}

/// A fault of the model. It ends an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    /// The description for people, such as "`top` is null here".
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

/// The method that ran.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Site {
    Method(MethodId),
    SpecInit,
    /// The index in [`linchpin_ir::program::Spec::clauses`].
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
    /// Local work or an `atomic` block repeats a state.
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

    /// Describes the fault; `what` is the source text of the expression.
    pub fn message(self, what: &str) -> String {
        use crate::instance::names::{cell_name, thread_name};
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
            NotHolder { holder: None } => format!("`{what}` is held by no thread here"),
            NotHolder { holder: Some(holder) } => format!("`{what}` is held by {} here", thread_name(holder)),
            Endless => "this work returns to the same state: it never ends".into(),
        }
    }
}

/// Why a run inside a step stopped: an [`Outcome`] without the location, which only the outermost loop has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap {
    Fault(FaultKind, TextId),
    Blocked(Blocked),
    Cut(Cut),
    Discarded,
}

/// The number of a source text kept for messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextId(pub u32);

/// Decodes the word of a lock: its holder, or `None` if the lock is free.
pub fn holder(word: Word) -> Option<ThreadId> {
    use linchpin_ir::index::Index;
    usize::try_from(word).ok()?.checked_sub(1).map(ThreadId::new)
}

/// Returns the fault of an undefined value that is used.
pub fn undefined(text: TextId) -> Trap {
    Trap::Fault(FaultKind::UndefinedUsed, text)
}

/// Returns the method that runs at a site.
pub fn site_method(program: &Program, site: Site) -> &Method {
    match site {
        Site::Method(method) => &program.methods[method],
        Site::SpecInit => &program.spec.init,
        Site::Clause(clause) => &program.spec.clauses[clause].method,
    }
}
