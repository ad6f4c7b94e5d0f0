//! Histories of a program, and their judgement by its specification.
//!
//! A [`History`] is a list of calls and returns in the order of time. It is judged by the sequential
//! specification alone. The object's code plays no part. The functions here are trusted: counterexamples are
//! judged again by them, and engines are tested against them. They are exact, or report that the budget did
//! not suffice.
//!
//! The search for a legal order is in [`linchpin_order`]. It needs neither the language nor a program.
//!
//! | file | contents |
//! |---|---|
//! | `record`, `value_check` | histories over the operations of a program |
//! | `spec_oracle` | the program's specification, adapted to the search |
//! | `structure`, `registers`, `logs`, `unordered`, `clauses` | what is read off the text of a specification |
//! | `judge` | the judgement of a history |
//! | `points` | the reference monitor for annotated linearization points |
//! | `observers` | observers over the operations of one execution |

mod clauses;
mod judge;
mod logs;
mod observers;
mod points;
mod record;
mod registers;
mod spec_oracle;
mod structure;
mod unordered;
mod value_check;

pub use judge::{
    examine, first_break, judge, linearizable, quiescently_consistent, sequentially_consistent, stuck,
};
pub use linchpin_order::{Budget, CallId, Consistency, Ending, Limit, Method, OutOfBudget, Strategy};
pub use observers::{
    Found, Instance as ObserverInstance, NotWatched, Observed, ObservedCall, Watched, Watching,
    event as observed_event, observed,
};
pub use points::{
    CannotWait, Configuration, NoPoints, PendingCall, PointError, PointEvent, PointMonitor, Refutation,
};
pub use record::{Call, Event, History, Malformed, Reason, Returned};
pub use spec_oracle::as_returned;
pub(crate) use value_check::fits;

use linchpin_ir::types::Word;
use linchpin_semantics::SpecState;

/// A verdict about a history of a program.
pub type Judgement = linchpin_order::Verdict<SpecState, Vec<Word>>;

/// A judgement and its cost.
pub type Answer = linchpin_order::Answer<SpecState, Vec<Word>>;

/// Why a history is legal.
pub type Witness = linchpin_order::Witness<SpecState, Vec<Word>>;

/// Why a pending call may wait for ever.
pub type Justification = linchpin_order::Justification<SpecState, Vec<Word>>;

/// Why a history is illegal.
pub type Explanation = linchpin_order::Explanation<SpecState, Vec<Word>>;

/// The first return that no order explains.
pub type Break = linchpin_order::Break<SpecState, Vec<Word>>;

/// A legal sequential execution, and the specification's state after it.
pub type LegalOrder = linchpin_order::LegalOrder<SpecState, Vec<Word>>;

/// The result of each of some calls, in the words of the object's operation; no words if there is no result.
pub type Results = Vec<Vec<Word>>;

/// The effect of one call, or of the calls of a rendezvous.
pub type Effect = linchpin_order::Effect<Vec<Word>>;

/// A legal order of some calls that no completed call can continue.
pub type DeadEnd = linchpin_order::DeadEnd<SpecState, Vec<Word>>;

/// An attempt to continue an order.
pub type Way = linchpin_order::Way<Vec<Word>>;

/// Why calls cannot take effect.
pub type Broken = linchpin_order::Broken<Vec<Word>>;

/// A legal order of the completed calls after which a pending call can take effect.
pub type Enabled = linchpin_order::Enabled<SpecState, Vec<Word>>;
