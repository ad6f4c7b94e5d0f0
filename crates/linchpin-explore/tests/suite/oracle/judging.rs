//! What the schedules of a scope say together, each run by itself.
//!
//! A property is violated by a scope if one of its schedules violates it, and unknown if none does and of one
//! nothing is known.

use crate::oracle::orders::is_legal;
use crate::reductions::endless::{Expected, Whole};
use linchpin_engine::model::Model;
use linchpin_explore::{ClientRequest, Request, schedules};
use linchpin_ir::property::Property;
use linchpin_judge::history::{Consistency, Ending, Event, History};
use linchpin_semantics::{Client, Machine, Picks, SpecMachine};
use std::collections::{BTreeMap, BTreeSet};

pub const ENDLESS: [Property; 5] = [
    Property::LockFree,
    Property::WaitFree,
    Property::ObstructionFree,
    Property::StarvationFree,
    Property::Terminating,
];

pub const CONSISTENCY: [(Property, Consistency); 4] = [
    (Property::Linearizable, Consistency::Linearizable),
    (Property::SequentiallyConsistent, Consistency::Sequential),
    (Property::QuiescentlyConsistent, Consistency::Quiescent),
    (Property::BarrierConsistent, Consistency::Barrier),
];

/// Why a property about histories is violated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// Calls that returned have no order.
    Results,
    /// Pending calls wait that must not.
    Blocked,
    /// The same, and some thread can move, in circles.
    Spinning,
}

#[derive(Default)]
pub struct Judged {
    /// Progress, by property and fairness.
    pub endless: BTreeMap<(Property, bool), Expected>,
    /// Reasons by property; a property without one holds.
    pub reasons: BTreeMap<Property, BTreeSet<Reason>>,
    /// The properties about histories that were judged.
    pub properties: Vec<Property>,
}

/// States of one schedule; pairs of a state and a history.
pub const MOST_STATES: usize = 3_000;
pub const MOST_PAIRS: usize = 12_000;

/// `None`: some graph is too large or has no beginning, there is no schedule, or the specification leaves the
/// bounds.
pub fn judged(model: &dyn Model, request: &Request) -> Option<Judged> {
    let mut judged = Judged::default();
    for size in request.sizes() {
        let program = model.compile(&size.setting).ok()?.program;
        let machine = Machine::new(&program, &size.bounds).ok()?;
        let spec = SpecMachine::new(&program, &size.bounds).ok()?;
        machine.initial(&mut Picks::new()).ok()?;
        let general = Client::general(&program, &size.bounds).ok()?;
        let ClientRequest::Schedules { steps, preadds, restrictions } = &request.client else {
            let whole = Whole::explore(&machine, &general, MOST_STATES)?;
            judged.progress(&whole);
            if !program.spec.may_block() {
                judged.properties = vec![Property::DeadlockFree];
                judged.hopeless(&whole);
            }
            continue;
        };
        let Client::General(general) = &general else { return None };
        judged.properties = CONSISTENCY.iter().map(|(property, _)| *property).collect();
        judged.properties.push(Property::DeadlockFree);
        for (steps, preadds) in steps.clone().flat_map(|steps| preadds.clone().map(move |p| (steps, p))) {
            let (steps, preadds) = (steps as usize, preadds as usize);
            let threads = size.bounds.threads as usize;
            for schedule in schedules(&program, general, threads, steps, preadds, restrictions) {
                let whole = Whole::explore(&machine, &schedule.client(), MOST_STATES)?;
                judged.progress(&whole);
                judged.histories(&whole, &machine, &spec)?;
            }
        }
    }
    (!judged.endless.is_empty()).then_some(judged)
}

impl Judged {
    pub fn said_of(&self, property: Property) -> Expected {
        match self.reasons.get(&property).is_some_and(|reasons| !reasons.is_empty()) {
            true => Expected::Violated,
            false => Expected::Holds,
        }
    }

    fn progress(&mut self, whole: &Whole) {
        for (property, fair) in ENDLESS.into_iter().flat_map(|property| [(property, false), (property, true)])
        {
            let said = self.endless.entry((property, fair)).or_insert(Expected::Holds);
            *said = whole.verdict(property, fair).max(*said);
        }
    }

    /// Stuck states where the specification makes no call wait: each is a violation.
    fn hopeless(&mut self, whole: &Whole) {
        for (node, _) in whole.stuck().iter().enumerate().filter(|(_, stuck)| **stuck) {
            let reason = if whole.moves(node) { Reason::Spinning } else { Reason::Blocked };
            self.reasons.entry(Property::DeadlockFree).or_default().insert(reason);
        }
    }

    fn histories(&mut self, whole: &Whole, machine: &Machine, spec: &SpecMachine) -> Option<()> {
        let stuck = whole.stuck();
        let mut known: BTreeSet<(usize, Vec<u8>)> = BTreeSet::new();
        let mut memory: BTreeMap<(Vec<u8>, Consistency, bool), bool> = BTreeMap::new();
        let mut work: Vec<(usize, Vec<Event>)> =
            whole.first.iter().map(|first| (*first, Vec::new())).collect();
        while let Some((at, events)) = work.pop() {
            let key = key(&events);
            if !known.insert((at, key.clone())) {
                continue;
            }
            if known.len() > MOST_PAIRS {
                return None;
            }
            let history = History::new(machine.program(), events.clone()).ok()?;
            let mut is_legal = |consistency: Consistency, ending: Ending| {
                let key = (key.clone(), consistency, ending == Ending::Open);
                if let Some(known) = memory.get(&key) {
                    return Some(*known);
                }
                let legal = is_legal(spec, &history, consistency, ending).ok()?;
                memory.insert(key, legal);
                Some(legal)
            };
            let node = &whole.nodes[at];
            if !is_legal(Consistency::Linearizable, Ending::Open)? {
                self.reasons.entry(Property::Linearizable).or_default().insert(Reason::Results);
            }
            let is_quiet = !node.idle.contains(&false);
            let is_over = is_quiet && !node.may_call.contains(&true);
            for (property, consistency) in CONSISTENCY {
                let is_end = is_over || is_quiet && consistency == Consistency::Quiescent;
                if (is_end || stuck[at]) && !is_legal(consistency, Ending::Stuck)? {
                    let reason = match (stuck[at], whole.moves(at)) {
                        (false, _) => Reason::Results,
                        (true, false) => Reason::Blocked,
                        (true, true) => Reason::Spinning,
                    };
                    self.reasons.entry(property).or_default().insert(reason);
                    if property == Property::Linearizable && stuck[at] {
                        self.reasons.entry(Property::DeadlockFree).or_default().insert(reason);
                    }
                }
            }
            for edge in &node.edges {
                work.push((edge.to, [&events[..], &edge.events[..]].concat()));
            }
        }
        Some(())
    }
}

/// Events as something that can be ordered.
fn key(events: &[Event]) -> Vec<u8> {
    format!("{events:?}").into_bytes()
}
