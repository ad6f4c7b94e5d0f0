//! Alarms: obligations that a prover could not discharge, and the abstract trace that leads to each.
//!
//! An abstract step may correspond to no concrete step. An abstract trace is a hint for a search, not a
//! counterexample.

use linchpin_certify::sets::failure::SetFailureKind;
use linchpin_ir::program::OpId;
use linchpin_ir::source::Span;
use linchpin_ir::types::Word;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Alarm {
    pub kind: AlarmKind,
    pub span: Span,
}

/// An abstract trace to an alarm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractTrace {
    pub alarm: Alarm,
    /// The steps, first step first.
    pub steps: Vec<AbstractStep>,
    /// The calls of the steps, by thread.
    pub calls: Vec<Vec<Call>>,
    /// The possible relations of two pointers of the last acting thread, if there are several.
    pub unclear: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractStep {
    /// The acting thread. Threads 0 and 1 are those of the view; the others interfere.
    pub thread: usize,
    /// The operation; `None` if a call raises the alarm in its first step and several operations could.
    pub op: Option<Arc<str>>,
    /// The location where the thread rests; `None` if it begins its call.
    pub span: Option<Span>,
    pub takes_effect: bool,
    pub returns: bool,
    /// The moves of observers. If the alarm names an observer, only the moves of that observer.
    pub observed: Vec<Observed>,
}

/// A move of an observer between two locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    pub observer: Arc<str>,
    pub from: Arc<str>,
    pub to: Arc<str>,
}

/// A call with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub op: OpId,
    pub args: Vec<Word>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AlarmKind {
    // Observers and points.
    Accepts(Arc<str>),
    NoPoint,
    SecondPoint,
    WrongResult,
    /// The call returns `none`, but `none` was wrong at its last tentative point.
    WrongTentative,
    // Memory.
    NullAccess,
    FreedAccess,
    DoubleFree,
    UndefinedReturned,
    /// A value that may be undefined is compared.
    UndefinedUsed,
    /// A value that may be undefined is stored in a cell. The analysis does not follow it there.
    UndefinedStored,
    /// The key of a cell may be undefined.
    UndefinedKey,
    Leak,
    /// The pointer is arbitrary.
    WildAccess,
    // Assertions.
    AssertFails,
    OutOfBounds,
    OutOfRange,
    NotHolder,
    // Limits of the method: the object may be right.
    /// The age that is written is neither the compared age nor its successor.
    WrongAge,
    /// The value is not a label of a cell, or does not fit its place.
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
    /// An obligation of the method of sets.
    Set(SetFailureKind),
}

impl AlarmKind {
    /// Returns whether the alarm concerns memory alone.
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

    /// Returns whether the alarm concerns assertions alone.
    pub fn is_assertions(&self) -> bool {
        use AlarmKind::*;
        matches!(self, AssertFails | OutOfBounds | OutOfRange | NotHolder)
    }

    /// Returns whether the alarm concerns observers and points alone.
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

    /// Returns whether the analysis itself cannot continue.
    pub fn is_limit(&self) -> bool {
        matches!(self, AlarmKind::TooManyTerms | AlarmKind::Endless)
    }

    /// Describes the alarm; the text continues "the prover cannot exclude that".
    pub fn text(&self) -> String {
        match self {
            AlarmKind::Accepts(observer) => format!("the observer `{observer}` accepts"),
            AlarmKind::NoPoint => "a call returns without having taken effect".into(),
            AlarmKind::SecondPoint => "a call takes effect twice".into(),
            AlarmKind::WrongResult => "a call returns another result than at its point".into(),
            AlarmKind::WrongTentative => {
                "a call returns `none`, but `none` was wrong at its last tentative point".into()
            }
            AlarmKind::NullAccess => "the pointer is null".into(),
            AlarmKind::FreedAccess => "the cell was freed".into(),
            AlarmKind::DoubleFree => "the cell is already freed".into(),
            AlarmKind::UndefinedReturned => "the result is undefined".into(),
            AlarmKind::UndefinedUsed => "a value that is compared is undefined".into(),
            AlarmKind::UndefinedStored => "an undefined value is stored in a cell".into(),
            AlarmKind::UndefinedKey => "the key of a cell is undefined".into(),
            AlarmKind::AssertFails => "the assertion fails".into(),
            AlarmKind::OutOfBounds => "the index is out of bounds".into(),
            AlarmKind::OutOfRange => "a value is out of its range".into(),
            AlarmKind::NotHolder => "the thread does not hold the lock".into(),
            AlarmKind::WrongAge => {
                "an age is written that is neither the compared age nor its successor".into()
            }
            AlarmKind::Misfit => "a value does not fit the place where it is stored".into(),
            AlarmKind::Leak => "a cell is leaked".into(),
            AlarmKind::WildAccess => "the pointer was read from a free cell, so it is arbitrary".into(),
            AlarmKind::Cycle => "the write closes a cycle".into(),
            AlarmKind::WildWrite => {
                "the written cell is unknown, because the pointer was read from a free cell".into()
            }
            AlarmKind::SecondHolder => "a second cell holds the same argument".into(),
            AlarmKind::UnclearResult => {
                "the result at the point depends on facts that the view does not have".into()
            }
            AlarmKind::ChangingTentative => "a tentative point changes the specification's state".into(),
            AlarmKind::TooManyTerms => "more pointers are live than the analysis tracks".into(),
            AlarmKind::Endless => "local work does not end".into(),
            AlarmKind::UnclearIndex => "the analysis does not know the index".into(),
            AlarmKind::OutOfOrder => "the cells are no longer in order".into(),
            AlarmKind::Set(kind) => kind.text().into(),
            AlarmKind::MayWaitForever => "threads wait for each other for ever".into(),
        }
    }
}
