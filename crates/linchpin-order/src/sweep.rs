//! Decides a history by one pass over its events, for few calls at a time and few states.
//!
//! At each event the sweep holds every *configuration* that some legal order of the events so far can have: a
//! state, and the open calls that have taken effect. A call is *open* from its start to its end. Calls take
//! effect as late as possible (Lowe 2017): when a call returns that has not taken effect, it takes effect now,
//! after any sequence of other open calls.
//!
//! **Claim.** If the set is empty after a return, the history up to it has no legal order; otherwise it has
//! one. Proof. Take a legal order of the events so far. Move the effect of each call to the next return of a
//! call whose effect is not earlier than this one. The order of effects stays, and each effect stays within
//! its interval: the call itself returns no earlier than that. So each configuration of the order is one of
//! the set. Guarding test: `the_search_agrees_with_brute_force`.
//!
//! The memory is proportional to the configurations at one event, besides one small record for each effect,
//! which gives the witness. States are numbered, and what a call does in a state is computed once. So a step
//! of the sweep is a look into a table. An [idle](crate::Specification::is_idle) call takes effect as soon as
//! it can, and of [calls that act alike](crate::Specification::are_alike) the one that ends first comes first.
//!
//! A violation is found at the event that breaks the history, however long the rest is.

use crate::call::{CallId, CallMap, number_of};
use crate::decide::{Decided, among, shown};
use crate::oracle::Oracle;
use crate::precedence::{Interval, NEVER};
use crate::search::OrderProblem;
use crate::spec::Specification;
use crate::verdict::{
    Broken, Budget, DeadEnd, Effect, Explanation, LegalOrder, Limit, OrderOf, OutOfBudget, Way,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::rc::Rc;

/// The largest number of calls that are open at the same time.
const MOST_OPEN: usize = 64;

/// The number of configurations of a sweep for each configuration of the budget. The record of one takes a
/// few bytes; a configuration of the search takes a few hundred.
const PER_CONFIGURATION: usize = 16;

/// The place of an open call among the open calls.
type Slot = usize;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Configuration {
    /// The open calls that have taken effect, one bit for each slot.
    taken: u64,
    state: u32,
}

/// An effect, the state after it, and the effect before it.
#[derive(Clone, Copy)]
struct Record {
    before: u32,
    /// `None`: the beginning in an initial state.
    call: Option<CallId>,
    state: u32,
}

pub(crate) struct Sweep<'a, S: Specification> {
    problem: OrderProblem<'a, S>,
    intervals: &'a CallMap<Interval>,
    budget: Budget<'a>,
    states: States<'a, S>,
    records: Vec<Record>,
    /// The open calls, by slot.
    open: Vec<Option<Open>>,
    /// The configurations, each with its last record.
    now: FxHashMap<Configuration, u32>,
}

#[derive(Clone, Copy)]
struct Open {
    call: CallId,
    end: usize,
    is_idle: bool,
}

/// The states by number, and what calls do in them.
struct States<'a, S: Specification> {
    oracle: &'a Oracle<'a, S>,
    all: Vec<Rc<S::State>>,
    numbers: FxHashMap<Rc<S::State>, u32>,
    /// The states after a call in a state. Calls that act alike and returned the same have one class.
    after: FxHashMap<(u32, u32), SmallVec<[u32; 2]>>,
    classes: CallMap<u32>,
}

/// Decides an order problem without edges; `None` if too many calls are open at a time. Also returns the
/// number of configurations.
pub(crate) fn decide<S: Specification>(
    problem: OrderProblem<S>,
    intervals: &CallMap<Interval>,
    budget: Budget,
) -> Result<Option<(Decided<S>, usize)>, S::Error> {
    if !problem.oracle.spec().rendezvous().is_empty() {
        return Ok(None);
    }
    let mut sweep = Sweep {
        problem,
        intervals,
        budget,
        states: States::new(problem.oracle),
        records: Vec::new(),
        open: Vec::new(),
        now: FxHashMap::default(),
    };
    let decided = sweep.run()?;
    let visited = sweep.records.len() / PER_CONFIGURATION;
    Ok(decided.map(|decided| (decided, visited)))
}

impl<S: Specification> Sweep<'_, S> {
    fn run(&mut self) -> Result<Option<Decided<S>>, S::Error> {
        for state in self.problem.oracle.spec().initial()? {
            let state = self.states.number(state);
            let record = number_of(self.records.len());
            self.records.push(Record { before: record, call: None, state });
            self.now.insert(Configuration { taken: 0, state }, record);
        }
        let mut events: Vec<(usize, bool, CallId)> = Vec::new();
        for call in self.problem.set.calls() {
            let Interval { start, end } = self.intervals[call];
            events.push((2 * start, false, call));
            if end != NEVER {
                events.push((2 * end + 1, true, call));
            }
        }
        events.sort_unstable();
        let mut slots: FxHashMap<CallId, Slot> = FxHashMap::default();
        for (_, is_return, call) in events {
            if let Some(limit) = self.out_of_budget() {
                return Ok(Some(Decided::Unknown(limit)));
            }
            if is_return {
                let Some(slot) = slots.remove(&call) else { return Ok(None) };
                let before = std::mem::take(&mut self.now);
                self.returns(slot, &before)?;
                if self.now.is_empty() {
                    return self.broken(call, &before).map(Some);
                }
                self.open[slot] = None;
            } else {
                let free = self.open.iter().position(Option::is_none);
                let slot = free.unwrap_or(self.open.len());
                if slot == MOST_OPEN {
                    return Ok(None);
                }
                if free.is_none() {
                    self.open.push(None);
                }
                slots.insert(call, slot);
                let is_idle = self.problem.oracle.is_idle(call);
                self.open[slot] = Some(Open { call, end: self.intervals[call].end, is_idle });
                if is_idle {
                    let before = std::mem::take(&mut self.now);
                    for (configuration, record) in before {
                        let (configuration, record) = self.take_idle(configuration, record)?;
                        self.now.insert(configuration, record);
                    }
                }
            }
        }
        let last = self.now.iter().min_by_key(|(configuration, record)| (configuration.state, **record));
        let Some((_, &record)) = last else { return Ok(None) };
        Ok(self.order(record)?.map(Decided::Order))
    }

    /// Replaces the configurations by those in which the call of a slot has taken effect, and forgets the call.
    fn returns(&mut self, slot: Slot, before: &FxHashMap<Configuration, u32>) -> Result<(), S::Error> {
        let mut seen: FxHashSet<Configuration> = FxHashSet::default();
        let mut left: Vec<(Configuration, u32)> = Vec::new();
        for (&configuration, &record) in before {
            if configuration.taken >> slot & 1 == 1 {
                self.keep(slot, configuration, record);
            } else if seen.insert(configuration) {
                left.push((configuration, record));
            }
        }
        // The order of a hash map must not show.
        left.sort_unstable_by_key(|(configuration, record)| {
            (configuration.state, configuration.taken, *record)
        });
        while let Some((configuration, record)) = left.pop() {
            if self.out_of_budget().is_some() {
                return Ok(());
            }
            for next in self.candidates(configuration) {
                let Some(Open { call: moved, .. }) = self.open[next] else { continue };
                for state in self.states.after(configuration.state, moved)? {
                    let after = Configuration { taken: configuration.taken | 1 << next, state };
                    let record = self.record(record, moved, state);
                    let (after, record) = self.take_idle(after, record)?;
                    if after.taken >> slot & 1 == 1 {
                        self.keep(slot, after, record);
                    } else if seen.insert(after) {
                        left.push((after, record));
                    }
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, slot: Slot, configuration: Configuration, record: u32) {
        let without = Configuration { taken: configuration.taken & !(1 << slot), ..configuration };
        let known = self.now.entry(without).or_insert(record);
        *known = (*known).min(record);
    }

    /// Returns the open calls that may take effect now, without those that act like one that ends earlier.
    fn candidates(&self, configuration: Configuration) -> SmallVec<[Slot; 16]> {
        let mut candidates: SmallVec<[Slot; 16]> = SmallVec::new();
        for (slot, open) in self.open.iter().enumerate() {
            let Some(open) = open.filter(|open| configuration.taken >> slot & 1 == 0 && !open.is_idle) else {
                continue;
            };
            let class = self.states.classes[open.call];
            let alike = candidates.iter_mut().find(|other| {
                self.open[**other].is_some_and(|other| self.states.classes[other.call] == class)
            });
            match alike {
                Some(other) if self.open[*other].is_some_and(|other| other.end <= open.end) => {}
                Some(other) => *other = slot,
                None => candidates.push(slot),
            }
        }
        candidates
    }

    /// Lets all idle calls take effect that can.
    fn take_idle(
        &mut self,
        mut configuration: Configuration,
        mut record: u32,
    ) -> Result<(Configuration, u32), S::Error> {
        for slot in 0..self.open.len() {
            let Some(open) = self.open[slot] else { continue };
            if open.is_idle
                && configuration.taken >> slot & 1 == 0
                && !self.states.after(configuration.state, open.call)?.is_empty()
            {
                configuration.taken |= 1 << slot;
                record = self.record(record, open.call, configuration.state);
            }
        }
        Ok((configuration, record))
    }

    fn record(&mut self, before: u32, call: CallId, state: u32) -> u32 {
        self.records.push(Record { before, call: Some(call), state });
        number_of(self.records.len() - 1)
    }

    fn out_of_budget(&self) -> Option<OutOfBudget> {
        let configurations = self.records.len() / PER_CONFIGURATION;
        let out = |limit| Some(OutOfBudget { configurations, limit });
        // Numbers of records have 32 bits.
        if configurations >= self.budget.configurations || self.records.len() >= (u32::MAX / 2) as usize {
            return out(Limit::Configurations);
        }
        if self.budget.is_stopped() {
            return out(Limit::Stopped);
        }
        None
    }

    /// Runs the effects up to a record through the specification; `None` if they are not a legal order.
    fn order(&self, last: u32) -> Result<Option<OrderOf<S>>, S::Error> {
        let mut path = Vec::new();
        let mut at = self.records[last as usize];
        while let Some(call) = at.call {
            path.push((call, at.state));
            at = self.records[at.before as usize];
        }
        path.reverse();
        let oracle = self.problem.oracle;
        let state_of = |number: u32| &*self.states.all[number as usize];
        let mut state = at.state;
        let mut effects = Vec::with_capacity(path.len());
        for (call, after) in path {
            let outcomes = oracle.outcomes_as_returned(state_of(state), &[call])?;
            let fitting = outcomes.into_iter().find(|outcome| outcome.state == *state_of(after));
            let Some(outcome) = fitting else { return Ok(None) };
            effects.push(Effect { calls: vec![call], results: outcome.results });
            state = after;
        }
        Ok(Some(LegalOrder { effects, state: state_of(state).clone() }))
    }

    /// Explains that a call cannot return: shows the longest orders without it.
    fn broken(&self, call: CallId, before: &FxHashMap<Configuration, u32>) -> Result<Decided<S>, S::Error> {
        if let Some(limit) = self.out_of_budget() {
            return Ok(Decided::Unknown(limit));
        }
        let mut longest: Vec<(&Configuration, &u32)> = before.iter().collect();
        longest.sort_unstable_by_key(|(c, record)| Reverse((c.taken.count_ones(), c.state, **record)));
        let mut dead_ends = Vec::new();
        for (_, &record) in longest.into_iter().take(shown(self.problem)) {
            let Some(order) = self.order(record)? else { continue };
            let outcomes = self.problem.oracle.outcomes(&order.state, &[call])?;
            let mut results: Vec<Vec<S::Ret>> = outcomes.into_iter().map(|outcome| outcome.results).collect();
            results.sort();
            results.dedup();
            let broken = if results.is_empty() { Broken::NotEnabled } else { Broken::Results(results) };
            dead_ends.push(DeadEnd { order, ways: vec![Way { calls: vec![call], broken }] });
        }
        let omitted = before.len().saturating_sub(dead_ends.len());
        let explanation = Explanation::NoOrder { among: None, dead_ends, omitted };
        let is_part = self.problem.set.calls().count() < self.problem.oracle.history().calls().len();
        let explanation =
            if is_part { among(explanation, self.problem.set.calls().collect()) } else { explanation };
        Ok(Decided::None(explanation))
    }
}

impl<'a, S: Specification> States<'a, S> {
    fn new(oracle: &'a Oracle<'a, S>) -> States<'a, S> {
        let history = oracle.history();
        let spec = oracle.spec();
        // Calls are compared with the first call of each class. The class of a call is only a means to look
        // results up, so it may be finer than necessary: after many classes each call is its own.
        let mut firsts: Vec<(CallId, u32)> = Vec::new();
        let mut classes: CallMap<u32> = CallMap::default();
        for (id, call) in history.calls().entries() {
            let known = firsts.iter().find(|(first, _)| {
                let first = history.call(*first);
                first.returned.as_ref().map(|r| &r.result) == call.returned.as_ref().map(|r| &r.result)
                    && spec.are_alike(&first.op, &call.op)
            });
            let class = known.map_or(number_of(id.index()), |(_, class)| *class);
            if known.is_none() && firsts.len() < MOST_CLASSES {
                firsts.push((id, class));
            }
            classes.push(class);
        }
        States {
            oracle,
            all: Vec::new(),
            numbers: FxHashMap::default(),
            after: FxHashMap::default(),
            classes,
        }
    }

    fn number(&mut self, state: S::State) -> u32 {
        let state = Rc::new(state);
        if let Some(number) = self.numbers.get(&state) {
            return *number;
        }
        let number = number_of(self.all.len());
        self.all.push(state.clone());
        self.numbers.insert(state, number);
        number
    }

    /// Returns the states after a call with its result.
    fn after(&mut self, state: u32, call: CallId) -> Result<SmallVec<[u32; 2]>, S::Error> {
        let key = (state, self.classes[call]);
        if let Some(after) = self.after.get(&key) {
            return Ok(after.clone());
        }
        let from = self.all[state as usize].clone();
        let mut after: SmallVec<[u32; 2]> = SmallVec::new();
        for outcome in self.oracle.outcomes_as_returned(&from, &[call])? {
            let number = self.number(outcome.state);
            if !after.contains(&number) {
                after.push(number);
            }
        }
        self.after.insert(key, after.clone());
        Ok(after)
    }
}

/// The largest number of classes of calls that are looked for.
const MOST_CLASSES: usize = 64;
