//! Whether an execution is stuck: no continuation of it completes any call.
//!
//! Decided as the definition says, by looking at every continuation. Where all threads wait there is none, and where they
//! spin there are few states; if there are too many, nothing is said. A continuation that leaves the scope (no cell is
//! left, a number too large) or ends in an error is one of which nothing is known, so the execution is not called stuck.

use super::execution::{Mobility, mobility};
use crate::ir::OpId;
use crate::semantics::{Client, Events, Machine, Outcome, Picks, State, Status, ThreadId};
use crate::types::Word;
use crate::verdict::BlockedThread;
use rustc_hash::FxHashSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Future {
    Stuck,
    /// Some call can complete, or the scope can be left.
    GoesOn,
    /// Not decided after so many states.
    Unknown(usize),
}

/// Spinning threads have few states among them.
const MOST_STATES: usize = 100_000;

pub(super) fn future(machine: &Machine, client: &Client, state: &State) -> Future {
    let mut seen: FxHashSet<Vec<Word>> = FxHashSet::default();
    let mut first = state.clone();
    seen.insert(normal_form(machine, &mut first));
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        for thread in machine.bounds().thread_ids() {
            let goes_on =
                each_move(machine, client, &state, thread, |outcome, returned, next| match outcome {
                    Outcome::Done if returned => true,
                    Outcome::Done => {
                        if seen.insert(normal_form(machine, next)) {
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
        if seen.len() > MOST_STATES {
            return Future::Unknown(seen.len());
        }
    }
    Future::Stuck
}

/// The threads with a pending call, and what each waits for.
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

/// The normal form of the state, which is left in it.
pub(super) fn normal_form(machine: &Machine, state: &mut State) -> Vec<Word> {
    machine.normalise(state);
    let mut words = Vec::new();
    machine.flatten(state, &mut words);
    words
}

/// Tells everything a thread can do next, until the visitor has seen enough; whether it has.
fn each_move(
    machine: &Machine,
    client: &Client,
    state: &State,
    thread: ThreadId,
    mut enough: impl FnMut(Outcome, bool, &mut State) -> bool,
) -> bool {
    let mut calls = client.calls(machine, state, thread);
    let mut each_way = |run: &dyn Fn(&mut State, &mut Picks, &mut Returns) -> Outcome| {
        let mut picks = Picks::new();
        let mut next = State::default();
        loop {
            picks.restart();
            next.clone_from(state);
            let mut returns = Returns { any: false };
            let outcome = run(&mut next, &mut picks, &mut returns);
            if enough(outcome, returns.any, &mut next) {
                return true;
            }
            if !picks.advance() {
                return false;
            }
        }
    };
    if !machine.is_idle(state, thread) {
        return each_way(&|next, picks, returns| machine.step(next, thread, picks, returns));
    }
    calls.any(|call| {
        each_way(&|next, picks, returns| {
            machine.call(next, thread, call.op, &call.args, call.next_position, picks, returns)
        })
    })
}

/// Whether a call returned.
struct Returns {
    any: bool,
}

impl Events for Returns {
    fn returned(&mut self, _thread: ThreadId, _op: OpId, _result: &[Word]) {
        self.any = true;
    }
}
