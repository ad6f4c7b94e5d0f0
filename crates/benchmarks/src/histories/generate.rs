//! Generated histories: executions of an object whose calls take effect one after the other, some with a
//! fault.
//!
//! Each step of a thread is a call, its effect, or its return. A thread that returned calls again in its next
//! step, so all threads call all the time. No value is put twice, except in sets and repeated registers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// Writes have different values.
    Register,
    /// Writes have one of ten values.
    RepeatedRegister,
    Queue,
    Stack,
    PriorityQueue,
    Set,
    /// A map with `put` and `get`.
    Cells,
}

pub const OBJECTS: [Object; 7] = [
    Object::Register,
    Object::RepeatedRegister,
    Object::Queue,
    Object::Stack,
    Object::PriorityQueue,
    Object::Set,
    Object::Cells,
];

/// What is wrong with a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The results of two calls are exchanged, at this part of the history in percent.
    Exchanged(usize),
    /// A call found nothing although there was something.
    Empty,
    /// A value never leaves, and later values do.
    Lost,
}

pub const FAULTS: [Fault; 5] =
    [Fault::Exchanged(5), Fault::Exchanged(50), Fault::Exchanged(95), Fault::Empty, Fault::Lost];

impl Object {
    pub fn name(self) -> &'static str {
        match self {
            Object::Register => "register",
            Object::RepeatedRegister => "register, 10 values",
            Object::Queue => "queue",
            Object::Stack => "stack",
            Object::PriorityQueue => "priority queue",
            Object::Set => "set, 100 keys",
            Object::Cells => "key-value, 10 keys",
        }
    }

    /// Returns the value of `--spec`, for a directory with the file `cells.lin`.
    pub fn spec(self) -> &'static str {
        match self {
            Object::Register => "Register<0..=2000000000>(0)",
            Object::RepeatedRegister => "Register<0..=9>(0)",
            Object::Queue => "Queue",
            Object::Stack => "Stack",
            Object::PriorityQueue => "PQueue",
            Object::Set => "Set",
            Object::Cells => "cells.lin::Cells",
        }
    }

    /// Checks that the fault changes histories of this object.
    pub fn has(self, fault: Fault) -> bool {
        let is_container = matches!(self, Object::Queue | Object::Stack | Object::PriorityQueue);
        is_container
            || (matches!(fault, Fault::Exchanged(_)) && self != Object::Set)
            || (self == Object::Set && fault == Fault::Lost)
    }
}

/// A specification that the library does not have.
pub const CELLS: &str = "spec Cells<K, V> {
    state items: map<K, V>;
    op put(k: K, v: V) { items.insert(k, v); }
    op get(k: K) -> V? { return items.get(k); }
}
";

/// A small generator of random numbers (xorshift), so that histories are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

#[derive(Clone, Copy)]
enum Op {
    Put(u64, u64),
    Take(u64),
    Look(u64),
}

#[derive(Clone, Copy)]
enum Thread {
    Idle,
    Called(Op),
    Done(Op, Outcome),
}

#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Nothing,
    None,
    Value(u64),
    Bool(bool),
}

#[derive(Default)]
struct State {
    sequence: VecDeque<u64>,
    ordered: BTreeSet<(u64, u64)>,
    cells: BTreeMap<u64, u64>,
    register: u64,
}

enum Event {
    Call(usize, Op),
    Return(usize, Op, Outcome),
}

/// The number of elements that containers tend to.
const ELEMENTS: usize = 200;

/// Returns a history as JSON lines.
pub fn history(object: Object, threads: usize, calls: usize, fault: Option<Fault>) -> String {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut state = State::default();
    let mut doing = vec![Thread::Idle; threads];
    let mut events = Vec::with_capacity(2 * calls);
    let (mut left, mut fresh) = (calls, 0);
    let mut is_lost = false;
    while left > 0 || doing.iter().any(|thread| !matches!(thread, Thread::Idle)) {
        let thread = usize::try_from(random.below(threads as u64)).unwrap_or(0);
        doing[thread] = match doing[thread] {
            Thread::Idle if left == 0 => Thread::Idle,
            Thread::Idle => {
                left -= 1;
                let op = next(object, &state, &mut random, &mut fresh);
                events.push(Event::Call(thread, op));
                Thread::Called(op)
            }
            Thread::Called(op) => {
                let outcome = effect(object, &mut state, op);
                let is_half = left < calls / 2;
                if fault == Some(Fault::Lost) && is_half && !is_lost && matches!(op, Op::Put(..)) {
                    is_lost = lose(object, &mut state, op);
                }
                Thread::Done(op, outcome)
            }
            Thread::Done(op, outcome) => {
                events.push(Event::Return(thread, op, outcome));
                Thread::Idle
            }
        };
    }
    match fault {
        Some(Fault::Exchanged(percent)) if object == Object::RepeatedRegister => {
            exchange_all(&mut events, calls * 2 / 100 * percent);
        }
        Some(Fault::Exchanged(percent)) => exchange(&mut events, calls * 2 / 100 * percent),
        Some(Fault::Empty) => make_empty(&mut events, calls),
        Some(Fault::Lost) | None => {}
    }
    text(object, &events)
}

fn next(object: Object, state: &State, random: &mut Random, fresh: &mut u64) -> Op {
    *fresh += 1;
    match object {
        Object::Register => {
            if random.below(2) == 0 {
                Op::Put(0, *fresh)
            } else {
                Op::Look(0)
            }
        }
        Object::RepeatedRegister => {
            if random.below(2) == 0 {
                Op::Put(0, random.below(10))
            } else {
                Op::Look(0)
            }
        }
        Object::Cells => {
            let key = random.below(10);
            if random.below(2) == 0 { Op::Put(key, *fresh) } else { Op::Look(key) }
        }
        Object::Set => {
            let key = random.below(100);
            [Op::Put(key, 0), Op::Take(key), Op::Look(key)][usize::try_from(random.below(3)).unwrap_or(0)]
        }
        _ => {
            let elements = state.sequence.len().max(state.ordered.len());
            let is_put = random.below(2 * ELEMENTS as u64) >= elements as u64;
            if is_put { Op::Put(random.below(1_000_000), *fresh) } else { Op::Take(0) }
        }
    }
}

fn effect(object: Object, state: &mut State, op: Op) -> Outcome {
    let some = |value: Option<u64>| value.map_or(Outcome::None, Outcome::Value);
    match (object, op) {
        (Object::Register | Object::RepeatedRegister, Op::Put(_, value)) => {
            state.register = value;
            Outcome::Nothing
        }
        (Object::Register | Object::RepeatedRegister, _) => Outcome::Value(state.register),
        (Object::Cells, Op::Put(key, value)) => {
            state.cells.insert(key, value);
            Outcome::Nothing
        }
        (Object::Cells, Op::Take(key) | Op::Look(key)) => some(state.cells.get(&key).copied()),
        (Object::Set, Op::Put(key, _)) => Outcome::Bool(state.cells.insert(key, 0).is_none()),
        (Object::Set, Op::Take(key)) => Outcome::Bool(state.cells.remove(&key).is_some()),
        (Object::Set, Op::Look(key)) => Outcome::Bool(state.cells.contains_key(&key)),
        (Object::PriorityQueue, Op::Put(rank, value)) => {
            state.ordered.insert((rank, value));
            Outcome::Nothing
        }
        (Object::PriorityQueue, _) => some(state.ordered.pop_first().map(|(_, value)| value)),
        (_, Op::Put(_, value)) => {
            state.sequence.push_back(value);
            Outcome::Nothing
        }
        (Object::Queue, _) => some(state.sequence.pop_front()),
        (_, _) => some(state.sequence.pop_back()),
    }
}

/// Takes the value of a put away again.
fn lose(object: Object, state: &mut State, op: Op) -> bool {
    let Op::Put(key, value) = op else { return false };
    match object {
        Object::Set => state.cells.remove(&key).is_some(),
        Object::PriorityQueue => state.ordered.remove(&(key, value)),
        _ => state.sequence.pop_back().is_some(),
    }
}

/// Exchanges the values of two calls that are a few calls apart.
fn exchange(events: &mut [Event], from: usize) {
    let values = events.iter().enumerate().skip(from).filter_map(|(at, event)| match event {
        Event::Return(_, _, Outcome::Value(value)) => Some((at, *value)),
        _ => None,
    });
    let values: Vec<(usize, u64)> = values.take(60).collect();
    let (Some(&(first, one)), Some(&(second, other))) =
        (values.first(), values.iter().rev().find(|(_, value)| *value != values[0].1))
    else {
        return;
    };
    for (at, value) in [(first, other), (second, one)] {
        if let Event::Return(_, _, outcome) = &mut events[at] {
            *outcome = Outcome::Value(value);
        }
    }
}

/// Replaces the values of a few reads. One read of a repeated value may be legal; many are not.
fn exchange_all(events: &mut [Event], from: usize) {
    let mut left = 40;
    for event in events.iter_mut().skip(from) {
        if let Event::Return(_, _, Outcome::Value(value)) = event
            && left > 0
        {
            *value = (*value + 5) % 10;
            left -= 1;
        }
    }
}

/// Makes a take of the second half find nothing.
fn make_empty(events: &mut [Event], from: usize) {
    for event in events.iter_mut().skip(from) {
        if let Event::Return(_, Op::Take(_), outcome @ Outcome::Value(_)) = event {
            *outcome = Outcome::None;
            return;
        }
    }
}

fn text(object: Object, events: &[Event]) -> String {
    let mut out = String::new();
    let name = |op: Op| match (object, op) {
        (Object::Register | Object::RepeatedRegister, Op::Put(..)) => "write",
        (Object::Register | Object::RepeatedRegister, _) => "read",
        (Object::Queue, Op::Put(..)) => "enq",
        (Object::Queue, _) => "deq",
        (Object::Stack, Op::Put(..)) => "push",
        (Object::Stack, _) => "pop",
        (Object::PriorityQueue | Object::Set, Op::Put(..)) => "add",
        (Object::PriorityQueue, _) => "remove_min",
        (Object::Set, Op::Take(_)) => "remove",
        (Object::Set, Op::Look(_)) => "contains",
        (Object::Cells, Op::Put(..)) => "put",
        (Object::Cells, _) => "get",
    };
    for event in events {
        // Writing to a text cannot fail.
        let _ = match event {
            Event::Call(thread, op) => {
                let args = match (object, *op) {
                    (Object::Set, Op::Put(key, _)) => format!(", \"args\": [{key}]"),
                    (Object::Cells, Op::Put(key, value)) => format!(", \"args\": [{key}, {value}]"),
                    (Object::PriorityQueue, Op::Put(key, value)) => format!(", \"args\": [{value}, {key}]"),
                    (_, Op::Put(_, value)) => format!(", \"args\": [{value}]"),
                    (Object::Set | Object::Cells, Op::Take(key) | Op::Look(key)) => {
                        format!(", \"args\": [{key}]")
                    }
                    _ => String::new(),
                };
                writeln!(out, "{{\"thread\": {thread}, \"call\": \"{}\"{args}}}", name(*op))
            }
            Event::Return(thread, op, outcome) => {
                let result = match outcome {
                    Outcome::Nothing => String::new(),
                    Outcome::None => ", \"result\": null".into(),
                    Outcome::Value(value) => format!(", \"result\": {value}"),
                    Outcome::Bool(value) => format!(", \"result\": {value}"),
                };
                writeln!(out, "{{\"thread\": {thread}, \"return\": \"{}\"{result}}}", name(*op))
            }
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_changes_the_history_and_no_more_than_it_should() {
        for object in OBJECTS {
            let right = history(object, 4, 2_000, None);
            assert_eq!(right, history(object, 4, 2_000, None));
            assert_eq!(right.lines().count(), 4_000);
            for fault in FAULTS.into_iter().filter(|fault| object.has(*fault)) {
                let wrong = history(object, 4, 2_000, Some(fault));
                let changed = right.lines().zip(wrong.lines()).filter(|(a, b)| a != b).count();
                assert!(changed > 0, "{object:?} {fault:?}");
                let most = if object == Object::RepeatedRegister { 40 } else { 2 };
                assert!(changed <= most || fault == Fault::Lost, "{object:?} {fault:?}: {changed}");
            }
        }
    }
}
