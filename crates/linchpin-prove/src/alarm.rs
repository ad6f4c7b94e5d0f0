//! What the analysis could not exclude.

use linchpin_ir::source::Span;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Alarm {
    pub kind: AlarmKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AlarmKind {
    // Of observers and points.
    Accepts(Arc<str>),
    NoPoint,
    SecondPoint,
    WrongResult,
    /// The call returns `none`, and its tentative points are not where that was right.
    WrongTentative,
    // Of memory.
    NullAccess,
    FreedAccess,
    DoubleFree,
    UndefinedReturned,
    /// A value that may be undefined is compared.
    UndefinedUsed,
    /// A value that may be undefined is stored in a cell, where it is lost sight of.
    UndefinedStored,
    /// The key of a cell may be undefined.
    UndefinedKey,
    Leak,
    /// The pointer is one of which nothing is known.
    WildAccess,
    // Of assertions.
    AssertFails,
    OutOfBounds,
    OutOfRange,
    NotHolder,
    // Of the method itself: there may be nothing wrong.
    /// An age is written that is not the compared one or its successor.
    WrongAge,
    /// A value that is no label of a cell, or does not fit its place.
    Misfit,
    Cycle,
    WildWrite,
    SecondHolder,
    UnclearResult,
    ChangingTentative,
    TooManyTerms,
    Endless,
    MayWaitForever,
    UnclearIndex,
    /// An edge may lead to a smaller label.
    OutOfOrder,
}

impl AlarmKind {
    /// Whether it speaks of memory alone.
    pub fn is_memory(&self) -> bool {
        use AlarmKind::*;
        matches!(
            self,
            NullAccess
                | FreedAccess
                | DoubleFree
                | UndefinedReturned
                | UndefinedUsed
                | UndefinedStored
                | UndefinedKey
                | Leak
                | WildAccess
        )
    }

    /// Whether it speaks of assertions alone.
    pub fn is_assertions(&self) -> bool {
        use AlarmKind::*;
        matches!(self, AssertFails | OutOfBounds | OutOfRange | NotHolder)
    }

    /// Whether it speaks of observers and points alone.
    pub fn is_conformance(&self) -> bool {
        use AlarmKind::*;
        matches!(
            self,
            Accepts(_)
                | NoPoint
                | SecondPoint
                | WrongResult
                | WrongTentative
                | UnclearResult
                | ChangingTentative
                | MayWaitForever
        )
    }

    /// Whether it is the analysis that cannot go on.
    pub fn is_limit(&self) -> bool {
        matches!(self, AlarmKind::TooManyTerms | AlarmKind::Endless)
    }

    /// For a person; fits behind "cannot exclude that".
    pub fn text(&self) -> String {
        match self {
            AlarmKind::Accepts(observer) => format!("the observer `{observer}` accepts"),
            AlarmKind::NoPoint => "a call returns without having taken effect".into(),
            AlarmKind::SecondPoint => "a call takes effect twice".into(),
            AlarmKind::WrongResult => "a call returns something else than its point says".into(),
            AlarmKind::WrongTentative => {
                "a call returns `none`, and at its last tentative point that was not the right answer".into()
            }
            AlarmKind::NullAccess => "the pointer is null".into(),
            AlarmKind::FreedAccess => "the cell was freed".into(),
            AlarmKind::DoubleFree => "the cell was freed already".into(),
            AlarmKind::UndefinedReturned => "the result is undefined".into(),
            AlarmKind::UndefinedUsed => "a value that is compared is undefined".into(),
            AlarmKind::UndefinedStored => "an undefined value is stored in a cell".into(),
            AlarmKind::UndefinedKey => "the key of a cell is undefined".into(),
            AlarmKind::AssertFails => "the assertion fails".into(),
            AlarmKind::OutOfBounds => "the index is out of bounds".into(),
            AlarmKind::OutOfRange => "a value leaves its range".into(),
            AlarmKind::NotHolder => "the thread does not hold the lock".into(),
            AlarmKind::WrongAge => "an age is written that is not the compared one or its successor".into(),
            AlarmKind::Misfit => "a value does not fit the place where it is stored".into(),
            AlarmKind::Leak => "a cell is lost".into(),
            AlarmKind::WildAccess => "the pointer was read from a free cell, and may be anything".into(),
            AlarmKind::Cycle => "the write closes a cycle".into(),
            AlarmKind::WildWrite => {
                "the cell that is written is unknown: the pointer was read from a free cell".into()
            }
            AlarmKind::SecondHolder => "a second cell holds the same argument".into(),
            AlarmKind::UnclearResult => "the result depends on more than is known at the point".into(),
            AlarmKind::ChangingTentative => "a tentative point changes the specification's state".into(),
            AlarmKind::TooManyTerms => "there are more pointers at a time than can be related".into(),
            AlarmKind::Endless => "local work does not end".into(),
            AlarmKind::UnclearIndex => "the index is any number".into(),
            AlarmKind::OutOfOrder => "the cells are no longer in order".into(),
            AlarmKind::MayWaitForever => "threads wait for each other for ever".into(),
        }
    }
}
