//! A history as intervals: each call from the event of its invocation to the event of its return.

use serde::Serialize;

/// The calls of a history.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Intervals {
    /// Names of the threads.
    pub threads: Vec<String>,
    /// Number of events.
    pub events: usize,
    /// The calls; other parts of a report name a call by its position.
    pub calls: Vec<Interval>,
}

/// One call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Interval {
    pub thread: usize,
    /// `deq() → 7`; of a pending call `deq() …`.
    pub text: String,
    /// The event of the invocation.
    pub start: usize,
    /// The event of the return. `None`: the call is pending.
    pub end: Option<usize>,
    /// The call belongs to calls that have no legal order.
    pub at_fault: bool,
    /// The place in a recorded file: `lines 3 and 8`. Empty: none.
    pub note: String,
    /// The lines of a recorded file with the invocation and the return. `None`: an execution.
    pub lines: Option<(usize, Option<usize>)>,
    /// The steps of an execution with the invocation and the return. `None`: a recorded history.
    pub steps: Option<(usize, Option<usize>)>,
}
