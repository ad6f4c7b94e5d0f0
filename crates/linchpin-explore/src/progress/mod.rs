//! Infinite executions: whether calls return.
//!
//! Progress properties are about cycles of the graph of the implementation, without monitor and without
//! pruning. A search runs to its end. Its edges are generated again, with what each thread does on them.
//! Strongly connected components decide the properties.
//!
//! | file | contents |
//! |---|---|
//! | [`graph`] | the graph of a finished search, with what each thread does on its edges |
//! | [`rule`] | which cycles violate which property, and why reductions keep them |
//! | [`cycles`] | strongly connected components |
//! | [`mod@own_steps`] | the largest number of steps of a call, where every call returns |
//! | [`mod@lasso`] | the execution that is shown: stem and loop |
//! | [`concrete_loop`] | the loop of a lasso in the plain semantics |
//! | [`stuck`] | states from which no call ever completes |

mod concrete_loop;
mod cycles;
mod graph;
mod lasso;
mod own_steps;
mod rule;
mod stuck;

pub use graph::{Graph, NoGraph, ThreadStatus};
pub use lasso::{Lasso, lasso};
pub use own_steps::own_steps;
pub use rule::{BadComponents, ProductGraph, Rule};
pub use stuck::{Judges, StuckState};
