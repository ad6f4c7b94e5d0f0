//! Why a trace is not accepted as a counterexample, with messages.

use crate::history::{Judgement, Malformed, OutOfBudget};
use crate::trace::Fingerprint;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_semantics::{Blocked, Outcome, SpecError};
use std::fmt;

/// Why a trace is not accepted.
#[derive(Clone, Debug)]
pub enum ReplayError {
    /// The trace is of another object.
    OtherModel { trace: String, program: String },
    /// A constant differs between trace and program; `None` if one of them does not have it.
    OtherConstant { name: String, trace: Option<i64>, program: Option<i64> },
    /// The number of threads differs, and the program depends on it.
    OtherThreads { trace: u32, program: u32 },
    /// The trace was made with another program.
    Changed { trace: Fingerprint, program: Fingerprint },
    /// The bounds or the client of the trace are invalid.
    Instance(Vec<Diagnostic>),
    /// The schedule of the trace does not fit the program.
    Schedule(String),
    /// A choice is invalid. `choice` is its number, from 0; `None` for the initial state.
    InvalidChoice { choice: Option<usize>, reason: InvalidChoice },
    /// The execution does not show the claim of the trace.
    ClaimNotShown(ClaimNotShown),
    /// The specification has a fault, or leaves the bounds.
    Specification(SpecError),
    /// The budget did not suffice to judge the history.
    Undecided(OutOfBudget),
    /// The calls and returns are not a history.
    Malformed(Malformed),
}

/// Why a choice is invalid.
#[derive(Clone, Debug)]
pub enum InvalidChoice {
    /// `init` does not end.
    NoStart(Outcome),
    NoSuchThread,
    /// A call by a thread that has a pending call.
    Busy,
    /// A step of a thread without a pending call.
    Idle,
    /// The client of the instance does not make this call here.
    NotCalled,
    Disabled(Blocked),
    /// The thread can move, but the choice is a wait.
    DoesNotWait,
    /// An `assume` is false.
    Discarded,
    /// The step needs other picks than the trace has.
    Picks,
    /// The execution ended before this choice.
    AfterEnd,
}

/// Why an execution does not show the claim.
#[derive(Clone, Debug)]
pub enum ClaimNotShown {
    /// The trace has no claim.
    NothingClaimed,
    /// The history is legal. The judgement has the witness.
    Legal(Box<Judgement>),
    /// The execution ends in an error that is not a violation of the property.
    OtherEnd,
    /// The execution has no fault.
    NoFault,
    /// The specification lets all pending calls wait for ever.
    Justified(Box<Judgement>),
    /// A call can still complete, or a continuation leaves the bounds.
    NotStuck,
    /// The continuations have too many states to decide whether the execution is stuck.
    PerhapsStuck { states: usize },
    /// The property is judged only where all calls have returned, or no pending call ever returns.
    NotOver,
    /// The general client has no such end.
    NoEnd,
    /// The linearization points are correct.
    PointsHold,
    /// No observer accepts for some choice of the moments at which calls take effect.
    NothingAccepted,
    /// The specification has no observers, or they cannot be run.
    NotObserved,
    /// The specification has a rendezvous, which has no linearization points.
    NoPoints,
    /// The claim needs a cycle, and the trace has none.
    NoCycle,
    /// The claim needs no cycle, and the trace has one.
    NeedlessCycle,
    /// The last state is not the state in which the cycle begins.
    CycleIsOpen,
    /// A call returns in the cycle, or no thread is active.
    CycleMakesProgress,
    /// A thread can always move, but never does.
    CycleIsUnfair,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::OtherModel { trace, program } => {
                write!(f, "the trace is of object `{trace}`, not of `{program}`")
            }
            ReplayError::OtherConstant { name, trace: Some(trace), program: Some(program) } => {
                write!(f, "constant `{name}` is {trace} in the trace and {program} in the program")
            }
            ReplayError::OtherConstant { name, trace: Some(_), .. } => {
                write!(f, "the trace sets constant `{name}`, but the program has no such constant")
            }
            ReplayError::OtherConstant { name, .. } => {
                write!(f, "the program has constant `{name}`, but the trace does not set it")
            }
            ReplayError::OtherThreads { trace, program } => {
                write!(f, "the trace has {trace} threads, but the program was lowered for {program}")
            }
            ReplayError::Changed { trace, program } => write!(
                f,
                "the model has changed since the trace was made (fingerprint {trace}, now {program}): \
                 make the trace again"
            ),
            ReplayError::Instance(diagnostics) => {
                let titles: Vec<&str> = diagnostics.iter().map(|diagnostic| &*diagnostic.title).collect();
                write!(f, "the instance of the trace is invalid: {}", titles.join("; "))
            }
            ReplayError::Schedule(why) => {
                write!(f, "the schedule of the trace does not fit the program: {why}")
            }
            ReplayError::InvalidChoice { choice: None, reason } => {
                write!(f, "the initial state is invalid: {reason}")
            }
            ReplayError::InvalidChoice { choice: Some(choice), reason } => {
                write!(f, "choice {} is invalid: {reason}", choice + 1)
            }
            ReplayError::ClaimNotShown(why) => {
                write!(f, "the execution does not show the claim: {why}")
            }
            ReplayError::Specification(SpecError::Fault(fault)) => {
                write!(f, "the specification has a fault: {}", fault.message)
            }
            ReplayError::Specification(SpecError::Cut(cut)) => {
                write!(f, "the specification leaves the bounds: {}", cut.what())
            }
            ReplayError::Undecided(limit) => {
                write!(f, "the history was not decided within {} configurations", limit.configurations)
            }
            ReplayError::Malformed(malformed) => {
                write!(f, "the calls and returns are not a history: {malformed}")
            }
        }
    }
}

impl fmt::Display for InvalidChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvalidChoice::NoStart(_) => "`init` does not end",
            InvalidChoice::NoSuchThread => "there is no such thread",
            InvalidChoice::Busy => "the thread makes a call while its last call is pending",
            InvalidChoice::Idle => "the thread has no pending call",
            InvalidChoice::NotCalled => "the client does not make this call here",
            InvalidChoice::Disabled(_) => "the step is not enabled",
            InvalidChoice::DoesNotWait => "the thread waits in the trace, but it can move",
            InvalidChoice::Discarded => "an `assume` is false",
            InvalidChoice::Picks => {
                "the step needs different nondeterministic choices than the trace provides"
            }
            InvalidChoice::AfterEnd => "the execution ended before this choice",
        })
    }
}

impl fmt::Display for ClaimNotShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClaimNotShown::NothingClaimed => f.write_str("the trace claims nothing"),
            ClaimNotShown::Legal(_) => f.write_str("the history is legal"),
            ClaimNotShown::OtherEnd => f.write_str("the execution ends in an error of another kind"),
            ClaimNotShown::NoFault => f.write_str("the execution has no fault"),
            ClaimNotShown::Justified(_) => f.write_str("the specification allows the pending calls to wait"),
            ClaimNotShown::NotStuck => {
                f.write_str("a call can still complete, or a continuation leaves the bounds")
            }
            ClaimNotShown::PerhapsStuck { states } => {
                write!(f, "not decided after {states} states whether the execution is stuck")
            }
            ClaimNotShown::NotOver => f.write_str("a pending call may still return"),
            ClaimNotShown::NoEnd => f.write_str("the general client never ends"),
            ClaimNotShown::PointsHold => f.write_str("the linearization points are correct"),
            ClaimNotShown::NothingAccepted => f.write_str("no observer accepts"),
            ClaimNotShown::NotObserved => {
                f.write_str("the specification has no observers, or they cannot be run")
            }
            ClaimNotShown::NoPoints => f.write_str("a rendezvous has no linearization points"),
            ClaimNotShown::NoCycle => f.write_str("the claim needs a cycle, but the trace has none"),
            ClaimNotShown::NeedlessCycle => f.write_str("the claim needs no cycle, but the trace has one"),
            ClaimNotShown::CycleIsOpen => f.write_str("the cycle does not lead back to its first state"),
            ClaimNotShown::CycleMakesProgress => f.write_str("the cycle makes progress"),
            ClaimNotShown::CycleIsUnfair => {
                f.write_str("a thread can always move in the cycle, but never does")
            }
        }
    }
}

impl std::error::Error for ReplayError {}
