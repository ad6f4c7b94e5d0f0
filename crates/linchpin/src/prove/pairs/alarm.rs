//! What the analysis could not exclude.

use linchpin_core::source::Span;
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
    Leak,
    /// The pointer is one of which nothing is known.
    WildAccess,
    // Of the method itself: there may be nothing wrong.
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
        matches!(self, NullAccess | FreedAccess | DoubleFree | UndefinedReturned | Leak | WildAccess)
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
