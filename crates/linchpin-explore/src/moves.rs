//! Every move that is possible in a state, without reductions, and the state space that they span.
//!
//! These are the moves of the plain semantics under a client: each thread, each call, each resolved choice.
//! The search for violations shares no code with this module.

use crate::simulate::Move;
use linchpin_engine::BudgetMeter;
use linchpin_engine::state_space::{Edge, StateSpace, TooMany};
use linchpin_ir::program::{OpId, Pc};
use linchpin_ir::types::Word;
use linchpin_judge::history::Event;
use linchpin_semantics::{
    Blocked, CallChoice, Client, Cut, Events, Fault, Machine, Outcome, Picks, Site, State, ThreadId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// What can happen in a state.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    pub possible: Vec<Possible>,
    /// Threads whose pending call waits.
    pub waiting: Vec<(ThreadId, Blocked)>,
    /// Threads with a move that a bound forbids.
    pub cut: Vec<(ThreadId, Cut)>,
}

/// A move with its result.
#[derive(Clone, Debug)]
pub struct Possible {
    pub made: Move,
    /// The state after the move; after a fault the last state of the execution.
    pub next: State,
    /// `None`: no fault.
    pub fault: Option<Fault>,
    /// The calls and returns of the move.
    pub events: Vec<Event>,
    /// The instructions that ran.
    pub instructions: Vec<(Site, Pc)>,
}

/// Collects the events of a move.
#[derive(Default)]
struct Seen {
    events: Vec<Event>,
    instructions: Vec<(Site, Pc)>,
}

impl Events for Seen {
    const ACCESSES: bool = true;

    fn instruction(&mut self, site: Site, pc: Pc) {
        self.instructions.push((site, pc));
    }

    fn call(&mut self, thread: ThreadId, op: OpId, args: &[Word]) {
        self.events.push(Event::Call { thread, op, args: args.to_vec() });
    }

    fn returned(&mut self, thread: ThreadId, _op: OpId, result: &[Word]) {
        self.events.push(Event::Return { thread, result: result.to_vec() });
    }
}

impl Seen {
    fn possible(self, made: Move, next: State, fault: Option<Fault>) -> Possible {
        Possible { made, next, fault, events: self.events, instructions: self.instructions }
    }
}

/// The states in which an execution can begin, with the picks that lead to each.
///
/// The error is the outcome of `init`, if `init` never ends.
pub fn initial_states(machine: &Machine) -> Result<Vec<(Vec<u32>, State)>, Outcome> {
    let mut found: Vec<(Vec<u32>, State)> = Vec::new();
    let mut known = FxHashSet::default();
    let mut words = Vec::new();
    let mut refused = Outcome::Discarded;
    let mut picks = Picks::new();
    loop {
        picks.restart();
        match machine.initial(&mut picks) {
            Ok(state) => {
                machine.flatten(&state, &mut words);
                if known.insert(words.clone()) {
                    found.push((picks.chosen().collect(), state));
                }
            }
            Err(outcome) => refused = outcome,
        }
        if !picks.advance() {
            break;
        }
    }
    if found.is_empty() { Err(refused) } else { Ok(found) }
}

/// Returns every move that is possible in a state, thread by thread.
pub fn moves(machine: &Machine, client: &Client, state: &State) -> Moves {
    let mut found = Moves::default();
    for thread in machine.bounds().thread_ids() {
        if machine.is_idle(state, thread) {
            for call in client.calls(machine, state, thread) {
                found.add(machine, state, thread, Some(call));
            }
        } else {
            found.add(machine, state, thread, None);
        }
    }
    found
}

impl Moves {
    /// Adds every outcome of a call or of a step.
    fn add(&mut self, machine: &Machine, state: &State, thread: ThreadId, call: Option<&CallChoice>) {
        let mut picks = Picks::new();
        loop {
            picks.restart();
            let mut next = state.clone();
            let mut seen = Seen::default();
            let outcome = match call {
                Some(CallChoice { op, args, next_position }) => {
                    machine.call(&mut next, thread, *op, args, *next_position, &mut picks, &mut seen)
                }
                None => machine.step(&mut next, thread, &mut picks, &mut seen),
            };
            let made = || Move { thread, call: call.cloned(), picks: picks.chosen().collect() };
            match outcome {
                Outcome::Done => self.possible.push(seen.possible(made(), next, None)),
                Outcome::Fault(fault) => self.possible.push(seen.possible(made(), next, Some(*fault))),
                Outcome::Disabled(blocked) if call.is_none() => self.waiting.push((thread, blocked)),
                Outcome::Cut(cut) => self.cut.push((thread, cut)),
                Outcome::Disabled(_) | Outcome::Discarded => {}
            }
            if !picks.advance() {
                return;
            }
        }
    }
}

/// Number of states to count in a state space that is too large.
const MOST_COUNTED: usize = 1_000_000;

/// Returns the state space of an instance, if it has at most `most` states. States that differ in the names of
/// cells are one state. The outer error is the outcome of `init`, if `init` never ends.
pub fn state_space(
    machine: &Machine,
    client: &Client,
    most: usize,
    meter: &BudgetMeter,
) -> Result<Result<StateSpace, TooMany>, Outcome> {
    let mut known =
        Known { machine, numbers: FxHashMap::default(), words: Vec::new(), queue: VecDeque::new() };
    let mut space = StateSpace { states: Vec::new(), initial: 0, edges: Vec::new() };
    for (_, state) in initial_states(machine)? {
        known.number(state);
    }
    space.initial = known.numbers.len();
    let mut from = 0;
    while let Some(state) = known.queue.pop_front() {
        if known.numbers.len() > MOST_COUNTED || meter.exhausted(0).is_some() {
            return Ok(Err(TooMany { states: known.numbers.len(), is_complete: false }));
        }
        for Possible { made, next, fault, .. } in moves(machine, client, &state).possible {
            let to = fault.is_none().then(|| known.number(next));
            if known.numbers.len() <= most {
                space.edges.push(Edge { from, to, thread: made.thread, call: made.call, picks: made.picks });
            }
        }
        if known.numbers.len() <= most {
            space.states.push(state);
        }
        from += 1;
    }
    if known.numbers.len() > most {
        return Ok(Err(TooMany { states: known.numbers.len(), is_complete: true }));
    }
    Ok(Ok(space))
}

/// The states that were found.
struct Known<'m> {
    machine: &'m Machine,
    numbers: FxHashMap<Vec<Word>, usize>,
    words: Vec<Word>,
    /// States without successors so far, in the order of their numbers.
    queue: VecDeque<State>,
}

impl Known<'_> {
    /// Returns the number of a state, which is queued if it is new.
    fn number(&mut self, mut state: State) -> usize {
        self.machine.normalise(&mut state);
        self.words.clear();
        self.machine.flatten(&state, &mut self.words);
        if let Some(number) = self.numbers.get(&self.words) {
            return *number;
        }
        let number = self.numbers.len();
        self.numbers.insert(self.words.clone(), number);
        self.queue.push_back(state);
        number
    }
}
