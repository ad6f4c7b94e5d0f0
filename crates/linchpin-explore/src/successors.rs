//! All successors of a state: for each thread, each call its client may make or its next step, each way that step can go.
//!
//! Threads in order, calls in the client's order, picks in lexicographic order: everything downstream is deterministic
//! because this is.

use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::{CellId, Events, Location, Machine, Outcome, Picks, State, ThreadId};
use smallvec::SmallVec;

/// What happened between client and object in one step, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientEvent {
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
    pub seen: &'a [ClientEvent],
    /// It made an access; the beginning of a call may make none.
    pub accessed: bool,
    /// The thread wakes up although it is not notified: it may, and need not.
    pub is_spurious: bool,
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
        let instructions = machine.number_of_instructions();
        let recorder = Recorder {
            reached: vec![false; instructions],
            rests: (0..instructions).map(|address| machine.rests_at(address)).collect(),
            ..Recorder::default()
        };
        Successors { recorder, ..Successors::default() }
    }

    /// The instructions that ran so far, by address, if they are noted.
    pub fn reached(&self) -> &[bool] {
        &self.recorder.reached
    }

    /// The next step of a thread in place, if it can go in one way only, is done, allocates nothing, and nothing is seen of it
    /// that is not `accepted`; what was seen of it. Otherwise it is to be [undone](Successors::undo).
    pub fn only_way(
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
        if !outcome.is_done() || recorder.allocated || !recorder.seen.iter().all(accepted) || picks.advance()
        {
            return None;
        }
        Some(&recorder.seen)
    }

    /// Takes back what [`Successors::only_way`] did last.
    pub fn undo(&mut self, state: &mut State) {
        std::mem::swap(state, &mut self.next);
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
            recorder.begin();
            next.clone_from(state);
            let outcome = match action {
                Action::Call { op, args, position } => {
                    machine.call(next, thread, op, args, position, picks, recorder)
                }
                Action::Step => machine.step(next, thread, picks, recorder),
            };
            let Recorder { accessed, is_spurious, .. } = *recorder;
            let seen = &recorder.seen;
            if !visit(Transition { thread, action, picks, outcome, next, seen, accessed, is_spurious }) {
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
    seen: Vec<ClientEvent>,
    /// Instructions that ran, by address; none are noted beyond its end.
    reached: Vec<bool>,
    /// In front of which instructions a thread may rest: those that are accesses.
    rests: Vec<bool>,
    accessed: bool,
    allocated: bool,
    is_spurious: bool,
}

impl Recorder {
    fn begin(&mut self) {
        self.seen.clear();
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
        self.seen.push(ClientEvent::Call { thread, op, args: args.into() });
    }

    fn returned(&mut self, thread: ThreadId, op: OpId, result: &[Word]) {
        self.seen.push(ClientEvent::Return { thread, op, result: result.into() });
    }

    fn lin(&mut self, target: ThreadId, maybe: bool) {
        self.seen.push(ClientEvent::Lin { thread: target, maybe });
    }
}
