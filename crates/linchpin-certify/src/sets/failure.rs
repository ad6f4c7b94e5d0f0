//! Obligations of sets that do not hold.

use linchpin_ir::property::Property;
use linchpin_ir::source::Span;
use std::fmt;

/// An obligation that a step may break, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetFailure {
    pub kind: SetFailureKind,
    /// The instruction that fails.
    pub span: Span,
    /// The place where the thread rested; `None` for the step of a call, or `init`.
    pub step: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SetFailureKind {
    // Linearizability.
    /// A call on another key, or `contains`, changes the set in the watched key.
    ForeignEvent,
    WrongEvent,
    SecondEvent,
    /// The result is true without an event, or false with one.
    WrongResult,
    /// No moment of the call justifies the result.
    NoMoment,
    /// The watched key is in the set after `init`.
    Initial,
    // Faults.
    NullAccess,
    Undefined,
    Assertion,
    OutOfRange,
    NotHolder,
    // Deadlock.
    LockOrder,
    LockKept,
    // Limits of the method: the object may be right.
    /// An edge may lead to a key that is not greater.
    OutOfOrder,
    /// A write may link or unlink more cells than can be named.
    LongChain,
    /// The next cell of a private cell is not known.
    UnknownNext,
    BigNumber,
    Endless,
    Misfit,
    TooManyCells,
}

impl SetFailureKind {
    /// The property that the obligation belongs to; limits of the method concern the first one.
    pub fn property(self) -> Property {
        use SetFailureKind::*;
        match self {
            ForeignEvent | WrongEvent | SecondEvent | WrongResult | NoMoment | Initial => {
                Property::Linearizable
            }
            NullAccess | Undefined => Property::MemorySafe,
            Assertion | OutOfRange | NotHolder => Property::Assertions,
            LockOrder | LockKept => Property::DeadlockFree,
            OutOfOrder | LongChain | UnknownNext | BigNumber | Endless | Misfit | TooManyCells => {
                Property::Linearizable
            }
        }
    }

    /// Describes the failure; the text continues "it is not excluded that".
    pub fn text(self) -> &'static str {
        use SetFailureKind::*;
        match self {
            ForeignEvent => "a step of a call on another key, or of `contains`, adds or removes the key",
            WrongEvent => "an `add` removes its key, or a `remove` adds it",
            SecondEvent => "a call adds or removes its key twice",
            WrongResult => "a call returns `true` without a change of the set, or `false` with one",
            NoMoment => "the result was right at no moment of the call",
            Initial => "a key is in the set after `init`",
            NullAccess => "the pointer is null",
            Undefined => "a key that is used is undefined",
            Assertion => "the assertion fails",
            OutOfRange => "a value leaves its range",
            NotHolder => "the thread does not hold the lock",
            LockOrder => "locks are taken out of the order of keys",
            LockKept => "a call returns with a lock",
            OutOfOrder => "a cell leads to a cell whose key is not greater",
            LongChain => "one write links or unlinks many cells",
            UnknownNext => "the next cell of a new cell is not known",
            BigNumber => "a number is too large to be followed",
            Endless => "local work does not end",
            Misfit => "a value does not fit its place",
            TooManyCells => "a thread names more cells than can be related",
        }
    }
}

impl fmt::Display for SetFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is not excluded that {}", self.kind.text())
    }
}

/// Why a run of a step ends early.
pub enum Stop {
    /// No execution makes these choices.
    Impossible,
    Failed(SetFailureKind, Span),
}

pub type Checked<T> = Result<T, Stop>;
