//! A whole small state space: each state with its memory and its threads, each step with its text.

/// A state space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateSpaceView {
    /// The name of the object.
    pub object: String,
    /// Sizes of the instance: `2 threads, 1 node`.
    pub bounds: String,
    pub states: Vec<StateView>,
    pub edges: Vec<EdgeView>,
}

/// One state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateView {
    /// The memory as text, line by line.
    pub memory: Vec<String>,
    /// Where each thread rests: `t0 push(1), line 16`. Idle threads have no entry.
    pub threads: Vec<String>,
    pub is_initial: bool,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgeView {
    pub from: usize,
    /// `None`: a fault ends the execution.
    pub to: Option<usize>,
    pub thread: usize,
    /// What the step does: `push(1)`, `16 let top = head;`.
    pub text: Vec<String>,
}
