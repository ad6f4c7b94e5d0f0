//! Executions that go on for ever: whether calls return.
//!
//! Questions about progress are questions about cycles of the implementation's own graph: no monitor, no pruning. A search runs to
//! its end, its edges are generated again with who does what on them, and strongly connected components say the rest.
//!
//! | file | what it says |
//! |---|---|
//! | [`graph`] | the graph of a finished search, with who does what on its edges |
//! | [`rule`] | which cycles violate which property, and why reductions keep them |
//! | [`cycles`] | strongly connected components |
//! | [`own_steps`] | the longest a call can take, where it always returns |
//! | [`lasso`] | the one execution that is shown |
//! | [`circuit`] | its loop |
//! | [`stuck`] | states from which no call ever completes |

mod circuit;
mod cycles;
mod graph;
mod lasso;
mod own_steps;
mod rule;
mod stuck;

pub use graph::{Graph, NoGraph, ThreadStatus};
pub use lasso::{Lasso, lasso};
pub use own_steps::own_steps;
pub use rule::{Bad, Marked, Rule};
pub use stuck::{Judges, StuckState};
