//! Why a trace is not accepted as a counterexample, in words.

use crate::history::{Judgement, Malformed, OutOfBudget};
use crate::trace::Fingerprint;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_semantics::{Blocked, Outcome, SpecError};
use std::fmt;

#[derive(Clone, Debug)]
pub enum ReplayError {
    /// It is a trace of another object.
    OtherModel {
        trace: String,
        program: String,
    },
    /// A constant has another value than in the trace, or one of the two does not know it.
    OtherConstant {
        name: String,
        trace: Option<i64>,
        program: Option<i64>,
    },
    OtherThreads {
        trace: u32,
        program: u32,
    },
    /// The program is not the one that the trace was made with.
    Changed {
        trace: Fingerprint,
        program: Fingerprint,
    },
    /// These bounds, or this client, cannot be run.
    Instance(Vec<Diagnostic>),
    /// The schedule of the trace is none of this program.
    Schedule(String),
    /// A choice that cannot be made; the initial state is choice `None`.
    InvalidChoice {
        choice: Option<usize>,
        misstep: InvalidChoice,
    },
    /// It runs, but does not show what it claims.
    ClaimNotShown(ClaimNotShown),
    /// The specification itself is at fault.
    Specification(SpecError),
    /// The judgement of its history was given up.
    Undecided(OutOfBudget),
    /// Its calls and returns make no history.
    Malformed(Malformed),
}

/// Why a choice cannot be made.
#[derive(Clone, Debug)]
pub enum InvalidChoice {
    NoStart(Outcome),
    NoSuchThread,
    /// A call by a thread that has a pending one.
    Busy,
    /// A step of a thread that has no pending call.
    Idle,
    /// No client of this instance makes this call now.
    NotCalled,
    Disabled(Blocked),
    DoesNotWait,
    Discarded,
    /// The step asks for other picks than it is given.
    Picks,
    /// The execution ended before.
    AfterEnd,
}

/// Why an execution does not show what it claims.
#[derive(Clone, Debug)]
pub enum ClaimNotShown {
    /// The history is legal; the witness is in the judgement.
    Legal(Box<Judgement>),
    /// It ended in an error, which is no violation of this property.
    OtherEnd,
    NoFault,
    /// The specification lets all pending calls wait for ever.
    Justified(Box<Judgement>),
    /// Some call can still complete, or the execution leaves the bounds.
    NotStuck,
    /// Too many states to see whether it is stuck.
    PerhapsStuck {
        states: usize,
    },
    /// The property is judged where all calls have returned or no call ever will.
    NotOver,
    /// With the general client there is no such end.
    NoEnd,
    PointsHold,
    /// Some choice of the moments at which the calls take effect is accepted by no observer.
    NothingAccepted,
    /// The specification has no observers, or they cannot be run.
    NotObserved,
    /// The specification has operations that happen together: points say nothing about them.
    NoPoints,
    NoCycle,
    /// What is claimed has happened before anything repeats.
    NeedlessCycle,
    /// The state at the end is not the one that the cycle began in.
    CycleIsOpen,
    /// In the cycle a call returns that should not, or nobody does anything.
    CycleMakesProgress,
    /// A thread that can always move never does.
    CycleIsUnfair,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::OtherModel { trace, program } => {
                write!(f, "this is a trace of `{trace}`, not of `{program}`")
            }
            ReplayError::OtherConstant { name, trace: Some(trace), program: Some(program) } => {
                write!(f, "the trace was made with {name} = {trace}, and the program has {name} = {program}")
            }
            ReplayError::OtherConstant { name, trace: Some(_), .. } => {
                write!(f, "the trace sets `{name}`, which the program does not have")
            }
            ReplayError::OtherConstant { name, .. } => {
                write!(f, "the program has a constant `{name}`, which the trace does not set")
            }
            ReplayError::OtherThreads { trace, program } => {
                write!(f, "the trace has {trace} threads, and the program was made for {program}")
            }
            ReplayError::Changed { trace, program } => write!(
                f,
                "the model has changed since the trace was made (it was {trace}, it is {program}): \
                 the choices of the trace mean nothing any more"
            ),
            ReplayError::Instance(diagnostics) => {
                let titles: Vec<&str> = diagnostics.iter().map(|diagnostic| &*diagnostic.title).collect();
                write!(f, "the instance of the trace cannot be run: {}", titles.join("; "))
            }
            ReplayError::Schedule(why) => {
                write!(f, "the schedule of the trace is none of this program: {why}")
            }
            ReplayError::InvalidChoice { choice: None, misstep } => {
                write!(f, "the execution cannot begin: {misstep}")
            }
            ReplayError::InvalidChoice { choice: Some(choice), misstep } => {
                write!(f, "choice {} cannot be made: {misstep}", choice + 1)
            }
            ReplayError::ClaimNotShown(why) => {
                write!(f, "the execution does not show what is claimed: {why}")
            }
            ReplayError::Specification(SpecError::Fault(fault)) => {
                write!(f, "the specification itself is at fault: {}", fault.message)
            }
            ReplayError::Specification(SpecError::Cut(cut)) => {
                write!(f, "the specification leaves the bounds ({cut:?})")
            }
            ReplayError::Undecided(limit) => {
                write!(f, "its history was not decided within {} configurations", limit.configurations)
            }
            ReplayError::Malformed(malformed) => {
                write!(f, "its calls and returns make no history: {malformed}")
            }
        }
    }
}

impl fmt::Display for InvalidChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvalidChoice::NoStart(_) => "`init` does not end",
            InvalidChoice::NoSuchThread => "there is no such thread",
            InvalidChoice::Busy => "the thread has a pending call, and makes another one",
            InvalidChoice::Idle => "the thread has no pending call",
            InvalidChoice::NotCalled => "no client of this instance makes this call here",
            InvalidChoice::Disabled(_) => "the step is not enabled",
            InvalidChoice::DoesNotWait => "the thread can move, and is said to wait",
            InvalidChoice::Discarded => "an `assume` discards this execution",
            InvalidChoice::Picks => "it asks for other picks than it is given",
            InvalidChoice::AfterEnd => "the execution has ended before",
        })
    }
}

impl fmt::Display for ClaimNotShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClaimNotShown::Legal(_) => f.write_str("its history is legal"),
            ClaimNotShown::OtherEnd => f.write_str("it ends in an error of another kind"),
            ClaimNotShown::NoFault => f.write_str("nothing goes wrong in it"),
            ClaimNotShown::Justified(_) => f.write_str("the specification lets the pending calls wait"),
            ClaimNotShown::NotStuck => f.write_str("some call can still complete, or leaves the bounds"),
            ClaimNotShown::PerhapsStuck { states } => {
                write!(f, "after {states} states it is not clear that it is stuck")
            }
            ClaimNotShown::NotOver => f.write_str("some call may still return"),
            ClaimNotShown::NoEnd => f.write_str("the general client never ends"),
            ClaimNotShown::PointsHold => f.write_str("the linearization points are right"),
            ClaimNotShown::NothingAccepted => f.write_str("no observer accepts"),
            ClaimNotShown::NotObserved => f.write_str("the specification's observers cannot be run"),
            ClaimNotShown::NoPoints => {
                f.write_str("operations that happen together have no points of their own")
            }
            ClaimNotShown::NoCycle => f.write_str("it ends"),
            ClaimNotShown::NeedlessCycle => {
                f.write_str("what is claimed needs no cycle, and the trace has one")
            }
            ClaimNotShown::CycleIsOpen => f.write_str("its cycle does not come back to where it began"),
            ClaimNotShown::CycleMakesProgress => f.write_str("there is progress in its cycle"),
            ClaimNotShown::CycleIsUnfair => f.write_str("a thread that can always move never does"),
        }
    }
}

impl std::error::Error for ReplayError {}
