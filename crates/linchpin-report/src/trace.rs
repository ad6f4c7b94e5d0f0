//! An execution as it is shown: who did what at which line, and the memory after it. A random run and a counterexample are
//! both this.

use super::scene::HeapSnapshot;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// How many threads there are; those that never step have a column too.
    pub threads: usize,
    /// The memory before the first step.
    pub start: HeapSnapshot,
    pub steps: Vec<Step>,
    /// The steps from this one on are repeated for ever.
    pub cycle: Option<usize>,
}

/// One step of one thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub thread: usize,
    /// The call that begins with it: `push(1)`.
    pub call: Option<String>,
    /// The line of its access; none where a step touches nothing.
    pub line: Option<SourceLine>,
    /// What was read and written: `top = A`, `head: A → B`.
    pub accesses: Vec<String>,
    /// Whose operation takes effect here.
    pub effects: Vec<String>,
    /// The result of the call that ends with it: `none`; empty for a call without result.
    pub result: Option<String>,
    /// The error that ends the execution here, and its line.
    pub fault: Option<(SourceLine, String)>,
    /// The memory after it.
    pub after: HeapSnapshot,
}

/// A line of the model, trimmed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLine {
    /// The file's name, if it is not the model's own.
    pub file: Option<String>,
    pub number: usize,
    pub text: String,
}
