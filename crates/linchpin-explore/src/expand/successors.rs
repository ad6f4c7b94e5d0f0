//! The outcomes of one action of one thread: a call that the client may make, or the thread's next step.
//!
//! Picks come in lexicographic order. The expander takes threads in order, and calls in the client's order.
//! All results of a search are deterministic because this order is.

use crate::monitor::ClientEvent;
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::{CellId, Events, Location, Machine, Outcome, Picks, State, ThreadId};

/// The next action of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action<'a> {
    Call { op: OpId, args: &'a [Word], position: u32 },
    Step,
}

/// One transition. Unless the outcome is [`Outcome::Done`], `next` is unspecified.
pub struct Transition<'a> {
    pub thread: ThreadId,
    pub action: Action<'a>,
    pub picks: &'a Picks,
    pub outcome: Outcome,
    pub next: &'a mut State,
    pub events: &'a [ClientEvent],
    /// The transition made an access. The beginning of a call may make none.
    pub accessed: bool,
    /// The thread wakes up without a notification, which may happen but need not.
    pub is_spurious: bool,
}

/// Buffers for the enumeration of outcomes. After the first uses, enumeration allocates nothing.
#[derive(Default)]
pub struct Successors {
    next: State,
    picks: Picks,
    recorder: Recorder,
}

impl Successors {
    /// Returns buffers that also record which instructions ran.
    pub fn recording(machine: &Machine) -> Successors {
        let instructions = machine.number_of_instructions();
        let recorder = Recorder {
            reached: vec![false; instructions],
            rests: (0..instructions).map(|address| machine.rests_at(address)).collect(),
            ..Recorder::default()
        };
        Successors { recorder, ..Successors::default() }
    }

    /// Returns the instructions that ran so far, by address; empty if they are not recorded.
    pub fn reached(&self) -> &[bool] {
        &self.recorder.reached
    }

    /// Makes the next step of a thread in place. Returns its events if the step has one outcome only, is
    /// done, allocates nothing, and all its events are `accepted`. Otherwise returns `None`, and the caller
    /// must [undo](Successors::undo) the step.
    pub fn only_outcome(
        &mut self,
        machine: &Machine,
        state: &mut State,
        thread: ThreadId,
        accepted: impl Fn(&ClientEvent) -> bool,
    ) -> Option<&[ClientEvent]> {
        let Successors { next, picks, recorder } = self;
        picks.clear();
        recorder.begin();
        next.clone_from(state);
        let outcome = machine.step(next, thread, picks, recorder);
        std::mem::swap(state, next);
        if !outcome.is_done()
            || recorder.allocated
            || !recorder.events.iter().all(accepted)
            || picks.advance()
        {
            return None;
        }
        Some(&recorder.events)
    }

    /// Reverts the last [`Successors::only_outcome`].
    pub fn undo(&mut self, state: &mut State) {
        std::mem::swap(state, &mut self.next);
    }

    /// Gives every outcome of one action to `visit`, until `visit` returns `false`.
    pub fn of_action(
        &mut self,
        machine: &Machine,
        state: &State,
        thread: ThreadId,
        action: Action<'_>,
        mut visit: impl FnMut(Transition<'_>) -> bool,
    ) -> bool {
        let Successors { next, picks, recorder } = self;
        picks.clear();
        loop {
            picks.restart();
            recorder.begin();
            next.clone_from(state);
            let outcome = match action {
                Action::Call { op, args, position } => {
                    machine.call(next, thread, op, args, position, picks, recorder)
                }
                Action::Step => machine.step(next, thread, picks, recorder),
            };
            let Recorder { accessed, is_spurious, .. } = *recorder;
            let events = &recorder.events;
            if !visit(Transition { thread, action, picks, outcome, next, events, accessed, is_spurious }) {
                return false;
            }
            if !picks.advance() {
                return true;
            }
        }
    }
}

#[derive(Default)]
struct Recorder {
    events: Vec<ClientEvent>,
    /// For each address whether its instruction ran. Addresses beyond the end are not recorded.
    reached: Vec<bool>,
    /// For each address whether a thread may rest in front of it: its instruction is an access.
    rests: Vec<bool>,
    accessed: bool,
    allocated: bool,
    is_spurious: bool,
}

impl Recorder {
    fn begin(&mut self) {
        self.events.clear();
        self.accessed = false;
        self.allocated = false;
        self.is_spurious = false;
    }
}

impl Events for Recorder {
    const ADDRESSES: bool = true;

    fn reached(&mut self, address: usize) {
        if let Some(reached) = self.reached.get_mut(address) {
            *reached = true;
            self.accessed |= self.rests[address];
        }
    }

    fn allocated(&mut self, _: CellId) {
        self.allocated = true;
    }

    fn woken_spuriously(&mut self, _: Location) {
        self.is_spurious = true;
    }

    fn call(&mut self, thread: ThreadId, op: OpId, args: &[Word]) {
        self.events.push(ClientEvent::Call { thread, op, args: args.into() });
    }

    fn returned(&mut self, thread: ThreadId, op: OpId, result: &[Word]) {
        self.events.push(ClientEvent::Return { thread, op, result: result.into() });
    }

    fn lin(&mut self, target: ThreadId, maybe: bool) {
        self.events.push(ClientEvent::Lin { thread: target, maybe });
    }
}
