//! The bounded engine: every execution of a small instance.

mod concretise;
mod coverage;
mod encode;
mod monitor;
mod schedules;
mod search;
mod store;
mod successors;
mod witness;

pub use coverage::Coverage;
pub use monitor::Method;
pub use search::{Kind, Question, Search, Summary, Unsearchable};
