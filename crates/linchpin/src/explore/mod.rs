//! The bounded engine: every execution of a small instance.
//!
//! | file | what it says |
//! |---|---|
//! | [`request`], [`schedules`] | what is asked, and which instances and clients that means |
//! | [`check`], [`answers`] | the answers: which search judges what, and what is known in the end |
//! | [`search`], [`successors`], [`store`], [`encode`] | breadth-first search over full states |
//! | [`monitor`] | linearizability, by refinement and by points |
//! | [`witness`], [`concretise`] | the one execution that is shown |
//! | [`coverage`] | what happened at all |

mod answers;
mod check;
mod concretise;
mod coverage;
mod encode;
mod monitor;
mod request;
mod schedules;
mod search;
mod store;
mod successors;
mod witness;

pub use check::{Compiled, Model, Uncheckable, check};
pub use coverage::Coverage;
pub use encode::encode;
pub use monitor::{Method, Monitor, MonitorId};
pub use request::{ALWAYS, ClientRequest, Expectation, Request, Size};
pub use schedules::{Restriction, Schedule, schedules};
pub use search::{Kind, Question, Search, Summary, Unsearchable};
pub use store::StateId;
pub use successors::Seen;
