//! Histories, and what a specification says of one of them.
//!
//! A [`History`] is what a client saw: calls and returns in the order of time. It is judged against the sequential
//! specification alone; the object's code plays no part. The functions here are trusted: counterexamples are re-judged by
//! them, and engines are tested against them. They are exact, or say that they ran out of their budget.
//!
//! | file | what it says |
//! |---|---|
//! | `record`, `fit` | what a history is |
//! | `precedence`, `judge` | when it is legal |
//! | `search`, `roster`, `progress`, `configurations`, `ask` | how a legal order is found, or none |
//! | `structure`, `parts`, `pairs`, `core` | how a long history is taken apart |
//! | `judgement`, `decide` | the answer: a witness, or why there is none |
//! | `prefix` | up to which event a history is legal |
//! | `points` | whether annotated linearization points are right |

mod ask;
mod configurations;
mod core;
mod decide;
mod fit;
mod judge;
mod judgement;
mod observers;
mod pairs;
mod parts;
mod points;
mod precedence;
mod prefix;
mod progress;
mod record;
mod roster;
mod search;
mod structure;

pub use ask::as_returned;
pub(crate) use fit::fits;
pub use judge::{
    Answer, Ending, Strategy, examine, judge, linearizable, quiescently_consistent, sequentially_consistent,
    stuck,
};
pub use judgement::{
    Broken, Budget, DeadEnd, Effect, Enabled, Explanation, Judgement, Justification, LegalOrder, Limit,
    OutOfBudget, Results, Way, Witness,
};
pub use observers::{
    Found, Instance as ObserverInstance, NotWatched, Observed, ObservedCall, Watched, Watching,
    event as observed_event, observed,
};
pub use points::{
    CannotWait, Configuration, NoPoints, PendingCall, PointError, PointEvent, PointMonitor, Refutation,
};
pub use precedence::Consistency;
pub use prefix::{Break, first_break};
pub use record::{Call, CallId, Event, History, Malformed, Reason, Returned};
