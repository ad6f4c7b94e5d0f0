//! Checks whether an execution is stuck: no continuation completes a pending call, and no idle thread has a
//! call of a schedule left.
//!
//! The check follows the definition: it visits every continuation. If all threads wait, there is none. If
//! threads spin, there are few states. If there are too many states, the answer is unknown. Nothing is known
//! about a continuation that leaves the scope (no cell is left, a number is too large) or ends in an error.
//! So such an execution is not stuck. Spurious wake-ups need not happen, so only continuations without them
//! count.

use super::execution::{Mobility, mobility};
use crate::replay::BlockedThread;
use linchpin_ir::index::Index;
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::{Client, Events, Location, Machine, Outcome, Picks, State, Status, ThreadId};
use rustc_hash::FxHashSet;

/// The possible continuations of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Future {
    Stuck,
    /// A pending call can complete, an idle thread has a call left, or a continuation leaves the scope.
    GoesOn,
    /// Not decided after this number of states.
    Unknown(usize),
}

/// The largest number of states. Spinning threads have few.
const MOST_STATES: usize = 100_000;

pub(super) fn future(machine: &Machine, client: &Client, state: &State) -> Future {
    let mut known: FxHashSet<Vec<Word>> = FxHashSet::default();
    let mut first = state.clone();
    known.insert(normal_form(machine, &mut first));
    if !matches!(client, Client::General(_)) && !client.may_rest(machine, state) {
        return Future::GoesOn;
    }
    let is_pending = |thread: ThreadId| !machine.is_idle(state, thread);
    let pending: Vec<bool> = machine.bounds().thread_ids().map(is_pending).collect();
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        for thread in machine.bounds().thread_ids() {
            let goes_on = each_move(machine, client, &state, thread, |outcome, seen, next| match outcome {
                _ if seen.is_spurious => false,
                Outcome::Done if seen.returned && pending[thread.index()] => true,
                Outcome::Done => {
                    if known.insert(normal_form(machine, next)) {
                        open.push(next.clone());
                    }
                    false
                }
                Outcome::Disabled(blocked) => blocked.by_bound(),
                Outcome::Fault(_) | Outcome::Cut(_) | Outcome::Discarded => true,
            });
            if goes_on {
                return Future::GoesOn;
            }
        }
        if known.len() > MOST_STATES {
            return Future::Unknown(known.len());
        }
    }
    Future::Stuck
}

/// Returns the threads with a pending call, and what each of them waits for.
pub(super) fn blocked_threads(machine: &Machine, state: &State) -> Vec<BlockedThread> {
    let mut threads = Vec::new();
    for thread in machine.bounds().thread_ids() {
        let Status::Busy { op, .. } = machine.status(state, thread) else { continue };
        threads.push(match mobility(machine, state, thread) {
            Mobility::Waits(blocked) => {
                let text = machine.blocked_text(state, blocked);
                BlockedThread { thread, op, waits_for: Some(blocked), text }
            }
            Mobility::CanMove | Mobility::OutOfCells => {
                BlockedThread { thread, op, waits_for: None, text: "moves in circles".into() }
            }
        });
    }
    threads
}

/// Brings the state into its normal form, and returns it.
pub(super) fn normal_form(machine: &Machine, state: &mut State) -> Vec<Word> {
    machine.normalise(state);
    let mut words = Vec::new();
    machine.flatten(state, &mut words);
    words
}

/// Passes each possible next move of a thread to `enough`, until it returns `true`. Returns whether it did.
fn each_move(
    machine: &Machine,
    client: &Client,
    state: &State,
    thread: ThreadId,
    mut enough: impl FnMut(Outcome, &Seen, &mut State) -> bool,
) -> bool {
    let mut calls = client.calls(machine, state, thread);
    let mut each_way = |run: &dyn Fn(&mut State, &mut Picks, &mut Seen) -> Outcome| {
        let mut picks = Picks::new();
        let mut next = State::default();
        loop {
            picks.restart();
            next.clone_from(state);
            let mut seen = Seen::default();
            let outcome = run(&mut next, &mut picks, &mut seen);
            if enough(outcome, &seen, &mut next) {
                return true;
            }
            if !picks.advance() {
                return false;
            }
        }
    };
    if !machine.is_idle(state, thread) {
        return each_way(&|next, picks, seen| machine.step(next, thread, picks, seen));
    }
    calls.any(|call| {
        each_way(&|next, picks, seen| {
            machine.call(next, thread, call.op, &call.args, call.next_position, picks, seen)
        })
    })
}

/// The relevant observations of a step.
#[derive(Default)]
struct Seen {
    /// The thread's call returned.
    returned: bool,
    is_spurious: bool,
}

impl Events for Seen {
    fn returned(&mut self, _thread: ThreadId, _op: OpId, _result: &[Word]) {
        self.returned = true;
    }

    fn woken_spuriously(&mut self, _condvar: Location) {
        self.is_spurious = true;
    }
}
