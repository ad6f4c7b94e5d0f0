//! The bounded engine: explores every execution of a small instance.
//!
//! Modules, from the bottom to the top. A module uses only modules above it in this table.
//!
//! | module | contents |
//! |---|---|
//! | [`problem`] | requests, schedules, and the problem that one search solves |
//! | [`reduce`] | symmetry and partial order: representatives, interchangeable threads and values, local steps |
//! | [`monitor`] | the consistency criteria as deterministic automata, built on demand |
//! | [`expand`] | the successors of a node, under partial order and symmetry reduction |
//! | [`store`] | the visited set |
//! | [`search`] | breadth-first search by all workers |
//! | [`trace`] | the execution that shows a violation |
//! | [`progress`] | cycles: whether calls ever complete |
//! | [`mod@check`] | verdicts: which search judges which property |
//! | [`hunt`], [`minimise`] | growing bounds, and minimal bounds |
//! | [`simulate`] | one random execution |
//! | [`moves`] | every move that is possible in a state; small state spaces |
//! | [`samples`] | states as plain data, for provers that guess lemmas |

mod check;
mod expand;
pub mod hunt;
pub mod minimise;
mod monitor;
pub mod moves;
mod problem;
mod progress;
pub mod reduce;
pub mod samples;
mod search;
pub mod simulate;
mod store;
mod trace;

/// The parts of the search, for other searches: the expansion of a node, representatives, and the visited
/// set.
pub mod kernel {
    pub use crate::expand::{
        Counters, ExpandOptions, Expander, Expansion, Move, MoveSink, NodeFacts, PreemptionState,
        Representative, Representatives,
    };
    pub use crate::monitor::{MonitorCache, SharedMonitor};
    pub use crate::store::{Inserted, NodeId, NodeOffset, Shard, StoredNode, Tag, VisitedSet};
}

pub use check::{CallShape, Failure, check, try_observers};
pub use expand::Coverage;
pub use linchpin_semantics::Restriction;
pub use monitor::{ClientEvent, Monitor, MonitorId};
#[doc(hidden)]
pub use problem::Pass;
pub use problem::{
    ALWAYS, ClientRequest, Counted, MonitorKind, Reductions, Request, Schedule, ScheduleLists, SearchProblem,
    Size, ViolationKind, schedules,
};
pub use progress::{Judges, NoGraph, StuckState};
pub use reduce::ReductionPlan;
pub use search::{ReductionStats, Search, SearchError, SearchResult};
