//! Runs choices in the plain semantics: no normal forms, no reduction, cells keep their names.
//!
//! This file defines the meaning of the picks of a [`Trace`](crate::trace::Trace). So the writer of a trace
//! runs it through here too.

use super::refused::InvalidChoice;
use super::step_recorder::StepRecorder;
use crate::replay::TraceStep;
use crate::trace::{Action, Choice};
use linchpin_ir::index::Index;
use linchpin_semantics::{
    Blocked, Client, Cut, Events, Fault, Location, Machine, Outcome, Picks, State, ThreadId,
};

/// An execution and its current state.
#[derive(Clone, Debug)]
pub struct Execution<'m> {
    machine: &'m Machine,
    client: &'m Client,
    state: State,
    end: Option<End>,
}

/// Why an execution cannot continue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    Fault(Box<Fault>),
    Cut(Cut),
}

/// Whether a thread with a pending call can move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mobility {
    CanMove,
    Waits(Blocked),
    /// The thread waits for a cell. The bound on cells is part of the scope, so nothing is known beyond it.
    OutOfCells,
}

impl<'m> Execution<'m> {
    pub fn start(
        machine: &'m Machine,
        client: &'m Client,
        picks: &[u32],
    ) -> Result<Execution<'m>, InvalidChoice> {
        let mut picks = Picks::replay(picks);
        match machine.initial(&mut picks) {
            Ok(_) if !picks.is_faithful() => Err(InvalidChoice::Picks),
            Ok(mut state) => {
                machine.collect_keeping_names(&mut state);
                Ok(Execution { machine, client, state, end: None })
            }
            Err(outcome) => Err(InvalidChoice::NoStart(outcome)),
        }
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the end of the execution, if the last step ended in a fault or left the bounds.
    /// [`Execution::state`] is then the state before that step.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Makes a choice, if the client, the thread and the picks allow it.
    pub fn make(&mut self, choice: &Choice) -> Result<TraceStep, InvalidChoice> {
        let Choice { thread, action, picks } = choice;
        if self.end.is_some() {
            return Err(InvalidChoice::AfterEnd);
        }
        if thread.index() >= self.machine.bounds().threads as usize {
            return Err(InvalidChoice::NoSuchThread);
        }
        let from = self.machine.status(&self.state, *thread);
        let is_idle = self.machine.is_idle(&self.state, *thread);
        let mut picks = Picks::replay(picks);
        let mut record = StepRecorder::new(self.machine);
        let mut next = self.state.clone();
        let outcome = match action {
            Action::Call(_) if !is_idle => return Err(InvalidChoice::Busy),
            Action::Step | Action::Wait if is_idle => return Err(InvalidChoice::Idle),
            Action::Call(planned) => {
                let program = self.machine.program();
                let wanted = |call: &&linchpin_semantics::CallChoice| {
                    *program.ops[call.op].name == *planned.op && *call.args == *planned.args
                };
                let mut calls = self.client.calls(self.machine, &self.state, *thread);
                let call = calls.find(wanted).ok_or(InvalidChoice::NotCalled)?;
                let position = call.next_position;
                self.machine.call(&mut next, *thread, call.op, &call.args, position, &mut picks, &mut record)
            }
            Action::Step => self.machine.step(&mut next, *thread, &mut picks, &mut record),
            Action::Wait => match mobility(self.machine, &self.state, *thread) {
                Mobility::Waits(_) => Outcome::Done,
                Mobility::CanMove => return Err(InvalidChoice::DoesNotWait),
                Mobility::OutOfCells => return Err(InvalidChoice::Disabled(Blocked::NoCell)),
            },
        };
        if !picks.is_faithful() {
            return Err(InvalidChoice::Picks);
        }
        let mut after = None;
        match outcome {
            Outcome::Done => {
                self.machine.collect_keeping_names(&mut next);
                self.state.clone_from(&next);
                after = Some(next);
            }
            Outcome::Fault(fault) => self.end = Some(End::Fault(fault)),
            Outcome::Cut(cut) => self.end = Some(End::Cut(cut)),
            Outcome::Disabled(blocked) => return Err(InvalidChoice::Disabled(blocked)),
            Outcome::Discarded => return Err(InvalidChoice::Discarded),
        }
        Ok(TraceStep { choice: choice.clone(), from, observations: record.observations, after })
    }
}

/// Tries the next step of a pending call with all picks. A thread that can only wake up spuriously waits.
pub(super) fn mobility(machine: &Machine, state: &State, thread: ThreadId) -> Mobility {
    let mut picks = Picks::new();
    let mut next = State::default();
    loop {
        picks.restart();
        next.clone_from(state);
        let mut sleep = Sleep::default();
        let outcome = machine.step(&mut next, thread, &mut picks, &mut sleep);
        let blocked = match (outcome, sleep.condvar) {
            (Outcome::Disabled(blocked), _) => blocked,
            (_, Some(condvar)) => Blocked::Condition(condvar),
            (_, None) => return Mobility::CanMove,
        };
        if blocked.by_bound() {
            return Mobility::OutOfCells;
        }
        if !picks.advance() {
            return Mobility::Waits(blocked);
        }
    }
}

/// The condition of a thread that woke up without a notification.
#[derive(Default)]
pub(super) struct Sleep {
    pub condvar: Option<Location>,
}

impl Events for Sleep {
    fn woken_spuriously(&mut self, condvar: Location) {
        self.condvar = Some(condvar);
    }
}
