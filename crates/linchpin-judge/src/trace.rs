//! Traces: executions as lists of choices. Replay computes the states again.
//!
//! A trace is plain data without references to a program, so it can be written to a file and read back.
//! Operations are names, values are self-contained words. Replay checks whether a trace fits a program.

use linchpin_ir::property::Property;
use linchpin_ir::types::Word;
use linchpin_semantics::{Bounds, ThreadId};
use std::fmt;

/// An execution and its claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    pub instance: Instance,
    pub claim: Claim,
    /// The picks of the initial state.
    pub initial: Vec<u32>,
    pub choices: Vec<Choice>,
    /// The first choice of the cycle that is repeated for ever; `None` if the execution ends. Claims about
    /// progress need a cycle. A stuck execution whose threads spin may have one.
    pub cycle: Option<usize>,
}

/// The program, the bounds and the client of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The object's name.
    pub model: String,
    /// The fingerprint of the program with these constants and this number of threads.
    pub fingerprint: Fingerprint,
    pub bounds: Bounds,
    pub constants: Vec<(String, i64)>,
    pub client: TraceClient,
    /// Only weakly fair executions count.
    pub fair: bool,
}

/// The client of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TraceClient {
    General,
    /// Thread 0 makes the calls of the prefix alone. Then each thread makes its own calls.
    Schedule {
        prefix: Vec<PlannedCall>,
        threads: Vec<Vec<PlannedCall>>,
    },
}

/// A call of an operation by its name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PlannedCall {
    pub op: String,
    /// The words of the arguments, self-contained.
    pub args: Vec<Word>,
}

/// The claim of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Claim {
    /// The property is violated.
    Violates(Property),
    /// The annotated linearization points are wrong, whether or not the object is.
    RefutesPoints,
    /// Progress does not follow the annotated points. A call is active for ever and does not return, although
    /// it has passed its point, or no thread passes a point.
    RefutesProgressByPoints,
    /// No claim: an execution to look at. Replay never makes a counterexample of it.
    Nothing,
}

/// A thread, its action, and the resolved nondeterminism.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    pub thread: ThreadId,
    pub action: Action,
    /// The picks in the order in which the plain semantics needs them.
    pub picks: Vec<u32>,
}

/// The action of a choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    Call(PlannedCall),
    /// The next step of the pending call.
    Step,
    /// The pending call waits for a lock or a condition: the state does not change. Progress properties treat
    /// it as spinning.
    Wait,
}

/// Counts how often the running thread changes.
pub fn context_switches(choices: &[Choice]) -> usize {
    choices.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// A 64-bit hash of a program. Equal fingerprints mean equal programs, up to collisions.
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
