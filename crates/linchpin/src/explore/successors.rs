//! All successors of a state: for each thread, each call its client may make or its next step, each way that step can go.
//!
//! Threads in order, calls in the client's order, picks in lexicographic order: everything downstream is deterministic
//! because this is.

use linchpin_core::ir::OpId;
use linchpin_core::semantics::{Client, Events, Machine, Outcome, Picks, State, ThreadId};
use linchpin_core::types::Word;
use smallvec::SmallVec;

/// What happened between client and object in one step, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    Call { thread: ThreadId, op: OpId, args: SmallVec<[Word; 4]> },
    Lin { thread: ThreadId, maybe: bool },
    Return { thread: ThreadId, op: OpId, result: SmallVec<[Word; 4]> },
}

/// What a thread does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action<'a> {
    Call { op: OpId, args: &'a [Word], position: u32 },
    Step,
}

/// One transition, as it is told to the visitor. On anything but [`Outcome::Done`] `next` is garbage.
pub struct Transition<'a> {
    pub thread: ThreadId,
    pub action: Action<'a>,
    pub picks: &'a Picks,
    pub outcome: Outcome,
    pub next: &'a mut State,
    pub seen: &'a [Seen],
}

/// Buffers that make enumerating free of allocation once they are warm.
#[derive(Default)]
pub struct Successors {
    next: State,
    picks: Picks,
    recorder: Recorder,
}

impl Successors {
    /// Also notes which instructions ran.
    pub fn noting(machine: &Machine) -> Successors {
        let recorder = Recorder { seen: Vec::new(), reached: vec![false; machine.number_of_instructions()] };
        Successors { recorder, ..Successors::default() }
    }

    /// The instructions that ran so far, by address, if they are noted.
    pub fn reached(&self) -> &[bool] {
        &self.recorder.reached
    }

    /// Tells the visitor every transition of every thread; it may stop the enumeration by `false`.
    pub fn each(
        &mut self,
        machine: &Machine,
        client: &Client,
        state: &State,
        mut visit: impl FnMut(Transition<'_>) -> bool,
    ) {
        for thread in machine.bounds().thread_ids() {
            if !self.of_thread(machine, client, state, thread, &mut visit) {
                return;
            }
        }
    }

    /// The transitions of one thread; whether the visitor wants to go on.
    pub fn of_thread(
        &mut self,
        machine: &Machine,
        client: &Client,
        state: &State,
        thread: ThreadId,
        mut visit: impl FnMut(Transition<'_>) -> bool,
    ) -> bool {
        if machine.is_idle(state, thread) {
            client.calls(machine, state, thread).iter().all(|call| {
                let action = Action::Call { op: call.op, args: &call.args, position: call.next_position };
                self.of_action(machine, state, thread, action, &mut visit)
            })
        } else {
            self.of_action(machine, state, thread, Action::Step, &mut visit)
        }
    }

    /// Every way in which one action can go.
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
            recorder.seen.clear();
            next.clone_from(state);
            let outcome = match action {
                Action::Call { op, args, position } => {
                    machine.call(next, thread, op, args, position, picks, recorder)
                }
                Action::Step => machine.step(next, thread, picks, recorder),
            };
            if !visit(Transition { thread, action, picks, outcome, next, seen: &recorder.seen }) {
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
    seen: Vec<Seen>,
    /// Instructions that ran, by address; none are noted beyond its end.
    reached: Vec<bool>,
}

impl Events for Recorder {
    const ADDRESSES: bool = true;

    fn reached(&mut self, address: usize) {
        if let Some(reached) = self.reached.get_mut(address) {
            *reached = true;
        }
    }

    fn call(&mut self, thread: ThreadId, op: OpId, args: &[Word]) {
        self.seen.push(Seen::Call { thread, op, args: args.into() });
    }

    fn returned(&mut self, thread: ThreadId, op: OpId, result: &[Word]) {
        self.seen.push(Seen::Return { thread, op, result: result.into() });
    }

    fn lin(&mut self, target: ThreadId, maybe: bool) {
        self.seen.push(Seen::Lin { thread: target, maybe });
    }
}
