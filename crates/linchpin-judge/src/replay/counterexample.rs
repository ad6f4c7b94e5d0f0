//! An execution that was run again and that shows what it is said to show, with everything a printer needs.

use crate::history::{
    Budget, CallId, CannotWait, Consistency, Ending, Explanation, History, Judgement, Observed, Refutation,
    Strategy, examine,
};
use crate::trace::{Choice, Trace};
use linchpin_ir::program::OpId;
use linchpin_ir::property::Property;
use linchpin_ir::types::{TypeId, Word};
use linchpin_semantics::{
    Blocked, CellId, Fault, Location, Machine, SpecMachine, State, Status, ThreadId, Value,
};

/// A violation that was confirmed. The only maker is the room `replay`: the constructor is not visible outside this crate,
/// and nothing else in it calls it.
#[derive(Clone, Debug)]
pub struct Counterexample {
    trace: Trace,
    machine: Machine,
    spec: SpecMachine,
    initial: State,
    moments: Vec<TraceStep>,
    history: History,
    evidence: Evidence,
}

/// What a [`Counterexample`] is made of.
pub(super) struct Confirmed {
    pub trace: Trace,
    pub machine: Machine,
    pub spec: SpecMachine,
    pub initial: State,
    pub moments: Vec<TraceStep>,
    pub history: History,
    pub evidence: Evidence,
}

impl Counterexample {
    pub(super) fn new(confirmed: Confirmed) -> Counterexample {
        let Confirmed { trace, machine, spec, initial, moments, history, evidence } = confirmed;
        Counterexample { trace, machine, spec, initial, moments, history, evidence }
    }

    /// The choices, to be saved.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Reads the states.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Reads the states of the specification in an explanation.
    pub fn spec(&self) -> &SpecMachine {
        &self.spec
    }

    /// The state before the first moment.
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// What happened, step by step. Cells keep their names from one to the next.
    pub fn moments(&self) -> &[TraceStep] {
        &self.moments
    }

    pub fn history(&self) -> &History {
        &self.history
    }

    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The calls that have no legal order: few of a history that no order explains, where the specification's structure lets it
    /// be taken apart; otherwise all.
    pub fn calls_at_fault(&self) -> Vec<CallId> {
        if let Evidence::Inconsistent(Inconsistency { consistency, ending, .. }) = self.evidence {
            let (strategy, budget) = (Strategy::ApartAlways, Budget::default());
            let answer = examine(&self.spec, &self.history, consistency, ending, strategy, budget);
            if let Ok(answer) = answer
                && let Judgement::Illegal(Explanation::NoOrder { among: Some(calls), .. }) = answer.verdict
            {
                return calls;
            }
        }
        self.history.calls().ids().collect()
    }
}

/// One choice and what it did.
#[derive(Clone, Debug)]
pub struct TraceStep {
    pub choice: Choice,
    /// Where the thread rested before.
    pub from: Status,
    /// In order.
    pub observations: Vec<Observation>,
    /// `None` if the execution ended in this step, by a fault or by leaving the bounds.
    pub after: Option<State>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Observation {
    /// Self-contained arguments.
    Call {
        op: OpId,
        args: Vec<Word>,
    },
    Access(Access),
    /// The pending call of this thread takes effect; `maybe`: or not.
    Lin {
        thread: ThreadId,
        maybe: bool,
    },
    Allocated(CellId),
    Freed(CellId),
    /// A self-contained result.
    Return {
        op: OpId,
        result: Vec<Word>,
    },
}

/// A read or write of memory that others may see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    pub location: Location,
    /// As a person writes it.
    pub place: String,
    pub ty: TypeId,
    pub before: Value,
    /// `None` where nothing was written.
    pub after: Option<Value>,
}

/// Why this execution is a violation.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// No order of the calls explains the results.
    Inconsistent(Inconsistency),
    /// The annotated points are not those at which the operations take effect.
    PointsRefuted(PointsRefuted),
    /// An observer of the specification accepts.
    Observed(Observed),
    /// The last step is an error.
    Fault(Box<Fault>),
    /// Cells that are allocated, but that nobody can reach, in the last state.
    Leak(Vec<CellId>),
    Deadlock(Deadlock),
    /// The execution goes on for ever.
    Endless(Endless),
    /// The last step nests calls deeper than the bound.
    Recursion {
        thread: ThreadId,
        depth: u32,
    },
}

#[derive(Clone, Debug)]
pub struct Inconsistency {
    pub consistency: Consistency,
    pub ending: Ending,
    pub explanation: Explanation,
}

#[derive(Clone, Debug)]
pub enum PointsRefuted {
    /// In this moment.
    Event { moment: usize, refutation: Refutation },
    /// The execution is stuck.
    Stuck(CannotWait),
}

/// No call will ever complete again, and the specification does not justify it.
#[derive(Clone, Debug)]
pub struct Deadlock {
    /// Every thread with a pending call.
    pub threads: Vec<BlockedThread>,
    pub explanation: Explanation,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockedThread {
    pub thread: ThreadId,
    pub op: OpId,
    /// What it waits for and, if that is a lock, who holds it; `None`: it can move, but only in circles.
    pub waits_for: Option<Blocked>,
    /// The same for a person.
    pub text: String,
}

/// From moment `start` on the execution repeats itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endless {
    pub property: Property,
    pub start: usize,
    /// Whose calls are pending all the time and never return.
    pub starved: Vec<ThreadId>,
}
