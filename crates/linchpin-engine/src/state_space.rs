//! A whole small state space as plain data: what an engine gives and a report draws.

use linchpin_semantics::{CallChoice, State, ThreadId};

/// Every reachable state of an instance, up to the names of cells, and every step between them.
#[derive(Clone, Debug)]
pub struct StateSpace {
    /// In the order of a breadth-first search.
    pub states: Vec<State>,
    /// Number of initial states; they are the first states.
    pub initial: usize,
    pub edges: Vec<Edge>,
}

/// One step.
#[derive(Clone, Debug)]
pub struct Edge {
    pub from: usize,
    /// `None`: a fault ends the execution.
    pub to: Option<usize>,
    pub thread: ThreadId,
    /// The call that begins. `None`: the next step of the pending call.
    pub call: Option<CallChoice>,
    pub picks: Vec<u32>,
}

/// The state space has more states than are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMany {
    /// Number of states that were found.
    pub states: usize,
    /// Whether these are all states.
    pub is_complete: bool,
}
