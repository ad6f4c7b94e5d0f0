//! A replayed execution that shows the claim of its trace, with everything that a report needs.
//!
//! [`Counterexample::confirm`] is the only constructor: it replays the trace. Even this crate cannot make a
//! counterexample otherwise.

use super::execution::Execution;
use super::judge::ReplayedExecution;
use super::refused::ReplayError;
use super::step_recorder::point_events;
use super::{check_program, client};
use crate::history::{
    Budget, CallId, CannotWait, Consistency, Ending, Explanation, History, Judgement, Observed, PointEvent,
    Refutation, Strategy, examine,
};
use crate::trace::{Choice, Trace};
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::property::Property;
use linchpin_ir::types::{TypeId, Word};
use linchpin_semantics::{
    Blocked, CellId, Fault, Location, Machine, SpecMachine, State, Status, ThreadId, Value,
};
use std::sync::Arc;

/// A confirmed violation. Only [`replay`](super::replay) makes one.
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

impl Counterexample {
    /// Makes the choices of the trace in the plain semantics, and judges the execution.
    pub(super) fn confirm(program: &Arc<Program>, trace: &Trace) -> Result<Counterexample, ReplayError> {
        let instance = &trace.instance;
        check_program(program, instance)?;
        let machine = Machine::new(program, &instance.bounds).map_err(ReplayError::Instance)?;
        let spec = SpecMachine::new(program, &instance.bounds).map_err(ReplayError::Instance)?;
        let client = client(program, instance)?;
        let invalid = |choice| move |reason| ReplayError::InvalidChoice { choice, reason };
        let mut execution = Execution::start(&machine, &client, &trace.initial).map_err(invalid(None))?;
        let initial = execution.state().clone();
        let mut moments = Vec::new();
        for (at, choice) in trace.choices.iter().enumerate() {
            moments.push(execution.make(choice).map_err(invalid(Some(at)))?);
        }
        let events = point_events(&moments).filter_map(|(_, event)| match event {
            PointEvent::Client(event) => Some(event),
            PointEvent::Lin { .. } => None,
        });
        let history = History::new(program, events.collect()).map_err(ReplayError::Malformed)?;
        let replayed = ReplayedExecution {
            machine: &machine,
            client: &client,
            spec: &spec,
            trace,
            initial: &initial,
            moments: &moments,
            end: execution.end(),
            history: &history,
        };
        let evidence = replayed.evidence()?;
        replayed.cycle_belongs_to(&evidence)?;
        let trace = trace.clone();
        Ok(Counterexample { trace, machine, spec, initial, moments, history, evidence })
    }

    /// Returns the choices, to be saved.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Returns the machine that reads the states.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the machine that reads the specification's states in an explanation.
    pub fn spec(&self) -> &SpecMachine {
        &self.spec
    }

    /// Returns the state before the first step.
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// Returns the steps. Cells keep their names from one step to the next.
    pub fn moments(&self) -> &[TraceStep] {
        &self.moments
    }

    pub fn history(&self) -> &History {
        &self.history
    }

    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Returns calls that have no legal order. These are few if the structure of the specification allows the
    /// history to be taken apart; otherwise all calls.
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

/// A choice and its effects.
#[derive(Clone, Debug)]
pub struct TraceStep {
    pub choice: Choice,
    /// The status of the thread before the choice.
    pub from: Status,
    /// The observations in order.
    pub observations: Vec<Observation>,
    /// The state after the choice; `None` if the execution ended, by a fault or by leaving the bounds.
    pub after: Option<State>,
}

/// An observation during a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Observation {
    /// A call with self-contained arguments.
    Call {
        op: OpId,
        args: Vec<Word>,
    },
    Access(Access),
    /// The pending call of this thread takes effect; with `maybe` it may or may not.
    Lin {
        thread: ThreadId,
        maybe: bool,
    },
    Allocated(CellId),
    Freed(CellId),
    /// A return with a self-contained result.
    Return {
        op: OpId,
        result: Vec<Word>,
    },
}

/// A read or write of memory that other threads may see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    pub location: Location,
    /// The place as written in a model.
    pub place: String,
    pub ty: TypeId,
    pub before: Value,
    /// `None` if nothing was written.
    pub after: Option<Value>,
}

/// Why the execution is a violation.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// No order of the calls explains the results.
    Inconsistent(Inconsistency),
    /// The operations do not take effect at the annotated points.
    PointsRefuted(PointsRefuted),
    /// An observer of the specification accepts.
    Observed(Observed),
    /// The last step is an error.
    Fault(Box<Fault>),
    /// Cells that are allocated but not reachable in the last state.
    Leak(Vec<CellId>),
    Deadlock(Deadlock),
    /// The execution never ends.
    Endless(Endless),
    /// The last step nests calls deeper than the bound.
    Recursion {
        thread: ThreadId,
        depth: u32,
    },
}

/// A history without a legal order.
#[derive(Clone, Debug)]
pub struct Inconsistency {
    pub consistency: Consistency,
    pub ending: Ending,
    pub explanation: Explanation,
}

/// Why the annotated points are wrong.
#[derive(Clone, Debug)]
pub enum PointsRefuted {
    /// An event of step `moment` refutes them.
    Event { moment: usize, refutation: Refutation },
    /// The execution is stuck.
    Stuck(CannotWait),
}

/// No call can complete, and the specification does not justify it.
#[derive(Clone, Debug)]
pub struct Deadlock {
    /// All threads with a pending call.
    pub threads: Vec<BlockedThread>,
    pub explanation: Explanation,
}

/// A thread whose pending call cannot complete.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockedThread {
    pub thread: ThreadId,
    pub op: OpId,
    /// What the thread waits for; of a lock also the holder. `None` if the thread can move, but only in a
    /// cycle.
    pub waits_for: Option<Blocked>,
    /// `waits_for` as text.
    pub text: String,
}

/// An execution that repeats its steps from `start` on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endless {
    pub property: Property,
    pub start: usize,
    /// The threads whose calls are pending in the whole cycle.
    pub starved: Vec<ThreadId>,
}
