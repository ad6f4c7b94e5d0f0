//! Executions that go on for ever: whether calls return.
//!
//! | file | what it says |
//! |---|---|
//! | [`graph`] | the graph of a finished search, with who does what on its edges |
//! | [`stuck`] | states from which no call ever completes |

mod graph;
mod stuck;

pub use graph::NoGraph;
pub use stuck::StuckState;
