//! Judges a set of points on a recorded execution.
//!
//! As the monitor of `--lin-points` (language 8): a configuration is a spec state and, for each pending call,
//! whether it waits or is done with a result. A point runs the call's spec operation in each configuration. A
//! return keeps the configurations in which the call is done with its result. An empty set refutes the
//! points. This code shares nothing with that monitor; what it accepts is confirmed by it.

use super::record::{CallKind, Event, Execution, Record, ResultId};
use linchpin_ir::index::Index;
use linchpin_semantics::{Participant, SpecMachine, SpecState};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// The role of a candidate in a set of points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Role {
    #[default]
    Unused,
    Point,
    /// `lin maybe`.
    Maybe,
}

/// A set of points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Points {
    /// The role of each candidate.
    pub roles: Vec<Role>,
    /// By operation: it has no point, and may take effect at any step of its interval.
    pub free: Vec<bool>,
}

/// The specification, with the transitions that were needed so far.
pub struct SpecTable<'s> {
    machine: &'s SpecMachine,
    states: Vec<SpecState>,
    ids: FxHashMap<SpecState, u32>,
    initial: Vec<u32>,
    /// `None`: the specification leaves its bounds.
    outcomes: FxHashMap<(u32, CallKind), Option<Vec<(u32, ResultId)>>>,
}

/// A spec state, and the status of each thread's call: 0 if it waits, else one more than its result.
type Configuration = (u32, SmallVec<[u32; 4]>);

impl<'s> SpecTable<'s> {
    pub fn new(machine: &'s SpecMachine) -> SpecTable<'s> {
        let mut table = SpecTable {
            machine,
            states: Vec::new(),
            ids: FxHashMap::default(),
            initial: Vec::new(),
            outcomes: FxHashMap::default(),
        };
        let initial = machine.initial().unwrap_or_default();
        table.initial = initial.into_iter().map(|state| table.id(state)).collect();
        table
    }

    fn id(&mut self, state: SpecState) -> u32 {
        let next = linchpin_ir::index::number_of(self.states.len());
        let id = *self.ids.entry(state.clone()).or_insert(next);
        if id == next {
            self.states.push(state);
        }
        id
    }

    /// Returns the states and results after a call takes effect. `None`: the specification leaves its bounds.
    fn outcomes(&mut self, state: u32, call: CallKind, record: &mut Record) -> Option<Vec<(u32, ResultId)>> {
        if let Some(known) = self.outcomes.get(&(state, call)) {
            return known.clone();
        }
        let called = record.calls.get(call).clone();
        let participant = Participant { op: called.op, args: &called.args, thread: called.thread };
        let computed = self.machine.outcomes(&self.states[state as usize], &[participant]).ok();
        let computed: Option<Vec<_>> = computed.map(|outcomes| {
            let of = |outcome: linchpin_semantics::SpecOutcome| {
                let result = outcome.results.into_iter().next().flatten();
                (self.id(outcome.state), record.results.id(result))
            };
            outcomes.into_iter().map(of).collect()
        });
        self.outcomes.insert((state, call), computed.clone());
        computed
    }

    /// Returns the results with which a call may leave every known state as it is, and none with which it
    /// changes one. Explores at most `limit` states.
    pub fn results_that_only_read(
        &mut self,
        calls: &[CallKind],
        record: &mut Record,
        limit: usize,
    ) -> BTreeSet<ResultId> {
        let (mut reading, mut changing) = (BTreeSet::new(), BTreeSet::new());
        let mut at = 0;
        let all: Vec<CallKind> = (0..record.calls.iter().count()).map(CallKind::new).collect();
        while at < self.states.len() && at < limit {
            let state = linchpin_ir::index::number_of(at);
            for call in &all {
                for (next, result) in self.outcomes(state, *call, record).unwrap_or_default() {
                    if calls.contains(call) {
                        if next == state {
                            reading.insert(result)
                        } else {
                            changing.insert(result)
                        };
                    }
                }
            }
            at += 1;
        }
        reading.difference(&changing).copied().collect()
    }

    /// Returns whether the points explain an execution.
    pub fn accepts(&mut self, execution: &Execution, points: &Points, record: &mut Record) -> bool {
        let mut pending: SmallVec<[Option<CallKind>; 4]> = SmallVec::new();
        let mut configurations: BTreeSet<Configuration> =
            self.initial.iter().map(|state| (*state, SmallVec::new())).collect();
        for event in &execution.events {
            match *event {
                Event::Call(call) => {
                    let thread = record.calls.get(call).thread.index();
                    if pending.len() <= thread {
                        pending.resize(thread + 1, None);
                        let widened = configurations.iter().cloned().map(|(state, mut done)| {
                            done.resize(thread + 1, 0);
                            (state, done)
                        });
                        configurations = widened.collect();
                    }
                    pending[thread] = Some(call);
                }
                Event::Mark { thread, candidate, .. } => {
                    let role = points.roles[candidate.index()];
                    let Some(call) = pending.get(thread.index()).copied().flatten() else { continue };
                    if role == Role::Unused {
                        continue;
                    }
                    if !self.take_free_effects(&mut configurations, &pending, points, record) {
                        return true;
                    }
                    let mut next = if role == Role::Maybe { configurations.clone() } else { BTreeSet::new() };
                    if !self.take_effect(&configurations, thread.index(), call, record, &mut next) {
                        return true;
                    }
                    configurations = next;
                }
                Event::Return { thread, result } => {
                    if !self.take_free_effects(&mut configurations, &pending, points, record) {
                        return true;
                    }
                    let thread = thread.index();
                    let status = linchpin_ir::index::number_of(result.index()) + 1;
                    let fits = |(state, mut done): Configuration| {
                        let is_done = done.get(thread) == Some(&status);
                        if let Some(own) = done.get_mut(thread) {
                            *own = 0;
                        }
                        is_done.then_some((state, done))
                    };
                    configurations = configurations.into_iter().filter_map(fits).collect();
                    if let Some(own) = pending.get_mut(thread) {
                        *own = None;
                    }
                }
            }
            if configurations.is_empty() {
                return false;
            }
        }
        true
    }

    /// Adds the configurations in which the call takes effect. Returns false if the specification leaves its
    /// bounds: then the execution decides nothing.
    fn take_effect(
        &mut self,
        from: &BTreeSet<Configuration>,
        thread: usize,
        call: CallKind,
        record: &mut Record,
        into: &mut BTreeSet<Configuration>,
    ) -> bool {
        for (state, done) in from {
            if done.get(thread) != Some(&0) {
                continue;
            }
            let Some(outcomes) = self.outcomes(*state, call, record) else { return false };
            for (next, result) in outcomes {
                let mut done = done.clone();
                done[thread] = linchpin_ir::index::number_of(result.index()) + 1;
                into.insert((next, done));
            }
        }
        true
    }

    /// Adds the configurations in which calls of free operations have taken effect, in any order.
    fn take_free_effects(
        &mut self,
        configurations: &mut BTreeSet<Configuration>,
        pending: &[Option<CallKind>],
        points: &Points,
        record: &mut Record,
    ) -> bool {
        let is_free = |call: &CallKind| points.free[record.calls.get(*call).op.index()];
        let free: Vec<(usize, CallKind)> = pending
            .iter()
            .enumerate()
            .filter_map(|(thread, call)| call.filter(|call| is_free(call)).map(|call| (thread, call)))
            .collect();
        loop {
            let before = configurations.len();
            for (thread, call) in &free {
                let from = configurations.clone();
                if !self.take_effect(&from, *thread, *call, record, configurations) {
                    return false;
                }
            }
            if configurations.len() == before {
                return true;
            }
        }
    }
}
