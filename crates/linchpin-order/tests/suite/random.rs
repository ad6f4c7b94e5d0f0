//! Random histories: executions with atomic effects, some with one changed result.

use crate::brute_force::ObjectHistory;
use crate::objects::{Object, Op};
use fastrand::Rng;
use linchpin_order::{Event, History, Sequential};

pub struct Recipe {
    pub object: Object,
    pub threads: usize,
    pub calls: usize,
    /// The number of different values.
    pub values: u8,
    /// Whether there are calls of `Look`.
    pub has_look: bool,
    /// Whether one result of a call is changed.
    pub is_changed: bool,
}

/// What a thread does next.
#[derive(Clone, Copy)]
enum Thread {
    Idle,
    /// The operation of the call has not taken effect.
    Called(Op),
    /// The operation of the call has taken effect.
    Done(Option<u8>),
}

/// Runs the object: each step of a thread is a call, the effect of the call, or its return.
pub fn history(rng: &mut Rng, recipe: &Recipe) -> ObjectHistory {
    let &Recipe { object, threads, calls, values, has_look, is_changed } = recipe;
    let mut state = object.initial().remove(0);
    let mut status = vec![Thread::Idle; threads];
    let mut events = Vec::new();
    let mut left = calls;
    // Some calls stay pending: the run ends after a number of steps.
    for _ in 0..calls * 3 + rng.usize(0..threads * 2) {
        let thread = rng.usize(0..threads);
        status[thread] = match status[thread] {
            Thread::Idle if left == 0 => Thread::Idle,
            Thread::Idle => {
                left -= 1;
                let value = rng.u8(1..=values);
                let op = [Op::Put(value), Op::Take(value), Op::Look(value)]
                    [rng.usize(0..if has_look { 3 } else { 2 })];
                let op = if object == Object::Rendezvous && rng.bool() { Op::Put(value) } else { op };
                events.push(Event::Call { thread, op });
                Thread::Called(op)
            }
            Thread::Called(op) => {
                let mut outcomes = object.outcomes(&state, &op);
                if outcomes.is_empty() {
                    meet(object, &state, &mut status, thread, op)
                } else {
                    let (after, result) = outcomes.swap_remove(rng.usize(0..outcomes.len()));
                    state = after;
                    Thread::Done(result)
                }
            }
            Thread::Done(result) => {
                events.push(Event::Return { thread, result });
                Thread::Idle
            }
        };
    }
    if is_changed {
        let value = rng.bool().then(|| rng.u8(1..=values));
        let returns = events.iter_mut().filter_map(|event| match event {
            Event::Return { result, .. } => Some(result),
            Event::Call { .. } => None,
        });
        let mut returns: Vec<&mut Option<u8>> = returns.collect();
        if let Some(result) = rng.choice(returns.iter_mut()) {
            **result = value;
        }
    }
    History::from_events(events).expect("the history is well-formed")
}

/// Lets a call take effect together with the call of another thread, if the two can meet.
fn meet(object: Object, state: &Vec<u8>, status: &mut [Thread], thread: usize, op: Op) -> Thread {
    for other in (0..status.len()).filter(|other| *other != thread) {
        let Thread::Called(partner) = status[other] else { continue };
        if let Some((_, results)) = object.outcomes_together(state, &[&op, &partner]).pop() {
            status[other] = Thread::Done(results[1]);
            return Thread::Done(results[0]);
        }
        if let Some((_, results)) = object.outcomes_together(state, &[&partner, &op]).pop() {
            status[other] = Thread::Done(results[0]);
            return Thread::Done(results[1]);
        }
    }
    Thread::Called(op)
}
