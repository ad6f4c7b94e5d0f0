//! An execution, written down: choices only. States are computed again by whoever runs it.
//!
//! Plain data without references to a program, so that it can be written to a file and read back: operations are named,
//! values are self-contained words. Whether it fits a program is found out by running it.

use linchpin_ir::property::Property;
use linchpin_ir::types::Word;
use linchpin_semantics::{Bounds, ThreadId};
use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    pub instance: Instance,
    pub claim: Claim,
    /// The picks of the initial state.
    pub initial: Vec<u32>,
    pub choices: Vec<Choice>,
    /// The choices from this one on can be repeated for ever. Claims about progress need it; a stuck execution whose
    /// threads spin may have it, and it is checked.
    pub cycle: Option<usize>,
}

/// What is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The object's name.
    pub model: String,
    /// Of the program with these constants and this number of threads.
    pub fingerprint: Fingerprint,
    pub bounds: Bounds,
    pub constants: Vec<(String, i64)>,
    pub client: TraceClient,
    /// Only weakly fair executions count.
    pub fair: bool,
}

/// Who calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TraceClient {
    General,
    /// Thread 0 makes the calls of the prefix, alone; then each thread makes its own.
    Schedule {
        prefix: Vec<PlannedCall>,
        threads: Vec<Vec<PlannedCall>>,
    },
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PlannedCall {
    pub op: String,
    /// Self-contained.
    pub args: Vec<Word>,
}

/// What the execution is said to show.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Claim {
    /// The property is violated.
    Violates(Property),
    /// The annotated linearization points are wrong, whether or not the object is.
    RefutesPoints,
    /// Progress does not go by the annotated points: a call that passed its point, or that no point passed by others keeps
    /// from it, acts for ever and does not return.
    RefutesProgressByPoints,
}

/// What one thread does, and how its nondeterminism goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    pub thread: ThreadId,
    pub action: Action,
    /// As the plain semantics asks for them, in order.
    pub picks: Vec<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    Call(PlannedCall),
    /// The next step of the pending call.
    Step,
    /// The pending call waits for a lock or a condition: nothing changes. For progress this is spinning.
    Wait,
}

/// How often the running thread changes.
pub fn context_switches(choices: &[Choice]) -> usize {
    choices.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// A number that two programs share only if they mean the same, but for accidents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fingerprint(pub u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl std::str::FromStr for Fingerprint {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Fingerprint, Self::Err> {
        u64::from_str_radix(text, 16).map(Fingerprint)
    }
}
