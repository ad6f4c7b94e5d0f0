//! An explorer in the plainest way: whole states are cloned and kept under the names that their cells were
//! given, nothing is encoded or decoded, no monitor runs along. The normal form only says whether a state was
//! met before.

use linchpin_explore::ClientEvent;
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_judge::history::{Budget, Event, History, linearizable, stuck};
use linchpin_semantics::{Client, Events, Machine, Outcome, Picks, SpecMachine, State, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// A transition that is done, and what was seen of it.
pub struct Step {
    pub thread: ThreadId,
    pub to: State,
    pub seen: Vec<ClientEvent>,
}

/// Everything that can happen next.
pub struct Next {
    pub steps: Vec<Step>,
    /// No thread can move, and not because of the bounds.
    pub is_at_rest: bool,
    /// Some transition leaves the scope or is an error.
    pub leaves: bool,
}

pub fn initial(machine: &Machine) -> Vec<State> {
    let mut picks = Picks::new();
    let mut states = Vec::new();
    loop {
        picks.restart();
        match machine.initial(&mut picks) {
            Ok(state) => states.push(state),
            Err(outcome) => assert_eq!(outcome, Outcome::Discarded),
        }
        if !picks.advance() {
            return states;
        }
    }
}

pub fn next(machine: &Machine, client: &Client, state: &State) -> Next {
    let mut next = Next { steps: Vec::new(), is_at_rest: true, leaves: false };
    for thread in machine.bounds().thread_ids() {
        if machine.is_idle(state, thread) {
            for call in client.calls(machine, state, thread) {
                next.each_way(machine, state, thread, |to, picks, seen| {
                    machine.call(to, thread, call.op, &call.args, call.next_position, picks, seen)
                });
            }
        } else {
            next.each_way(machine, state, thread, |to, picks, seen| machine.step(to, thread, picks, seen));
        }
    }
    next
}

impl Next {
    fn each_way(
        &mut self,
        machine: &Machine,
        from: &State,
        thread: ThreadId,
        go: impl Fn(&mut State, &mut Picks, &mut Record) -> Outcome,
    ) {
        let mut picks = Picks::new();
        loop {
            picks.restart();
            let (mut to, mut record) = (from.clone(), Record::default());
            match go(&mut to, &mut picks, &mut record) {
                Outcome::Done => {
                    machine.collect_keeping_names(&mut to);
                    self.steps.push(Step { thread, to, seen: record.0 });
                    self.is_at_rest = false;
                }
                Outcome::Disabled(blocked) => {
                    self.is_at_rest &= !blocked.by_bound();
                    self.leaves |= blocked.by_bound();
                }
                Outcome::Fault(_) | Outcome::Cut(_) | Outcome::Discarded => {
                    (self.is_at_rest, self.leaves) = (false, true);
                }
            }
            if !picks.advance() {
                return;
            }
        }
    }
}

/// A state up to names.
pub fn key(machine: &Machine, state: &State) -> Vec<Word> {
    let mut normal = state.clone();
    machine.normalise(&mut normal);
    let mut words = Vec::new();
    machine.flatten(&normal, &mut words);
    words
}

/// Every state that can be reached, up to names.
pub fn reachable(machine: &Machine, client: &Client) -> BTreeSet<Vec<Word>> {
    reachable_states(machine, client).iter().map(|state| key(machine, state)).collect()
}

/// One state for each name of one that can be reached.
pub fn reachable_states(machine: &Machine, client: &Client) -> Vec<State> {
    let mut known = BTreeSet::new();
    let mut states = Vec::new();
    let mut work = initial(machine);
    while let Some(state) = work.pop() {
        if known.insert(key(machine, &state)) {
            work.extend(next(machine, client, &state).steps.into_iter().map(|step| step.to));
            states.push(state);
        }
    }
    states
}

/// What every history of an instance says, judged one by one.
#[derive(Default, Debug)]
pub struct Histories {
    /// Steps of a shortest execution whose history is not linearizable, or whose end is stuck without
    /// justification.
    pub shortest_violation: Option<usize>,
    pub legal: usize,
    pub illegal: usize,
    pub stuck: usize,
}

/// Goes over all histories; those that are illegal are not continued.
pub fn histories(machine: &Machine, spec: &SpecMachine, client: &Client) -> Histories {
    let mut told = Histories::default();
    let mut judged: BTreeMap<Vec<(Option<OpId>, ThreadId, Vec<Word>)>, bool> = BTreeMap::new();
    let mut known = BTreeSet::new();
    let mut level: Vec<(State, Vec<Event>)> =
        initial(machine).into_iter().map(|state| (state, Vec::new())).collect();
    let mut depth = 0;
    while !level.is_empty() {
        let mut below = Vec::new();
        for (state, events) in level {
            if !known.insert((key(machine, &state), ordered(&events))) {
                continue;
            }
            let is_legal = *judged.entry(ordered(&events)).or_insert_with(|| {
                let history = History::new(machine.program(), events.clone()).expect("an execution's");
                let judgement = linearizable(spec, &history, Budget::default());
                judgement.expect("the specification is in order").is_legal()
            });
            if !is_legal {
                told.violation(depth);
                continue;
            }
            let next = next(machine, client, &state);
            if next.is_at_rest && machine.bounds().thread_ids().any(|t| !machine.is_idle(&state, t)) {
                told.stuck += 1;
                let history = History::new(machine.program(), events.clone()).expect("an execution's");
                let judgement = stuck(spec, &history, Budget::default());
                if judgement.expect("the specification is in order").is_illegal() {
                    told.violation(depth);
                }
            }
            for step in next.steps {
                let more = step.seen.iter().filter_map(event);
                below.push((step.to, events.iter().cloned().chain(more).collect()));
            }
        }
        level = below;
        depth += 1;
    }
    told.legal = judged.values().filter(|legal| **legal).count();
    told.illegal = judged.len() - told.legal;
    told
}

impl Histories {
    fn violation(&mut self, depth: usize) {
        self.shortest_violation.get_or_insert(depth);
    }
}

/// What a client sees of it.
pub fn event(seen: &ClientEvent) -> Option<Event> {
    match seen {
        ClientEvent::Call { thread, op, args } => {
            Some(Event::Call { thread: *thread, op: *op, args: args.to_vec() })
        }
        ClientEvent::Return { thread, result, .. } => {
            Some(Event::Return { thread: *thread, result: result.to_vec() })
        }
        ClientEvent::Lin { .. } => None,
    }
}

/// Events as something that can be ordered.
fn ordered(events: &[Event]) -> Vec<(Option<OpId>, ThreadId, Vec<Word>)> {
    let words = |event: &Event| match event {
        Event::Call { thread, op, args } => (Some(*op), *thread, args.clone()),
        Event::Return { thread, result } => (None, *thread, result.clone()),
    };
    events.iter().map(words).collect()
}

/// Keeps what is seen, in order.
#[derive(Default)]
struct Record(Vec<ClientEvent>);

impl Events for Record {
    fn call(&mut self, thread: ThreadId, op: OpId, args: &[Word]) {
        self.0.push(ClientEvent::Call { thread, op, args: args.into() });
    }

    fn returned(&mut self, thread: ThreadId, op: OpId, result: &[Word]) {
        self.0.push(ClientEvent::Return { thread, op, result: result.into() });
    }

    fn lin(&mut self, thread: ThreadId, maybe: bool) {
        self.0.push(ClientEvent::Lin { thread, maybe });
    }
}
