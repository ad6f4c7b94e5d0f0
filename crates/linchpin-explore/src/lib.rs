//! The bounded engine: every execution of a small instance.
//!
//! | file | what it says |
//! |---|---|
//! | [`request`], [`schedules`] | what is asked, and which instances and clients that means |
//! | [`check`], [`answers`] | the answers: which search judges what, and what is known in the end |
//! | [`search`], [`store`] | breadth-first search over full states, by all workers |
//! | [`expand`], [`successors`], [`deeds`], [`reduction`] | what can happen next, up to symmetry and partial order |
//! | [`preemptions`] | executions in which threads are seldom interrupted |
//! | [`monitor`], [`watcher`] | linearizability, by refinement and by points |
//! | [`witness`], [`concretise`] | the one execution that is shown |
//! | [`progress`] | whether calls ever complete |
//! | [`failures`] | schedules that fail in the same way |
//! | [`coverage`] | what happened at all |
//! | [`observers`] | observers tried on their specification |

mod answers;
mod check;
mod concretise;
mod coverage;
mod deeds;
mod expand;
mod failures;
pub mod hunt;
pub mod minimise;
mod monitor;
mod observers;
mod preemptions;
mod progress;
pub mod reduce;
mod reduction;
mod request;
mod schedules;
mod search;
mod store;
mod successors;
pub mod walk;
mod watcher;
mod witness;

pub use check::check;
pub use coverage::Coverage;
pub use failures::{CallShape, Failure};
pub use linchpin_semantics::Restriction;
pub use monitor::{Monitor, MonitorId, MonitorKind};
pub use observers::try_observers;
pub use progress::{Judges, NoGraph, StuckState};
pub use reduction::{Reduction, Reductions};
pub use request::{ALWAYS, ClientRequest, Request, Size};
pub use schedules::{Counted, Schedule, ScheduleLists, schedules};
#[doc(hidden)]
pub use search::Pass;
pub use search::{ReductionStats, Search, SearchError, SearchProblem, SearchResult, ViolationKind};
pub use successors::ClientEvent;
