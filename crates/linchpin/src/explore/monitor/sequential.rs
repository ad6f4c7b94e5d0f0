//! The sequential specification by numbers: states, calls and results are interned, outcomes remembered.

use indexmap::IndexSet;
use linchpin_core::history::as_returned;
use linchpin_core::index::Index;
use linchpin_core::ir::OpId;
use linchpin_core::semantics::{Participant, SpecError, SpecMachine, SpecState, ThreadId};
use linchpin_core::types::Word;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SpecId(pub u32);

/// An operation with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ResultId(pub u32);

/// The next state and the result of each participant.
pub type Outcome = (SpecId, Vec<ResultId>);

pub struct Sequential<'p> {
    machine: &'p SpecMachine,
    /// Heads of the largest rendezvous.
    largest_clause: usize,
    states: IndexSet<SpecState, FxBuildHasher>,
    calls: IndexSet<(OpId, Box<[Word]>), FxBuildHasher>,
    results: IndexSet<Box<[Word]>, FxBuildHasher>,
    outcomes: FxHashMap<(SpecId, Box<[(CallId, usize)]>), Rc<[Outcome]>>,
    bytes: usize,
}

impl<'p> Sequential<'p> {
    pub fn new(machine: &'p SpecMachine) -> Sequential<'p> {
        Sequential {
            machine,
            largest_clause: machine.program().spec.clauses.iter().map(|c| c.heads.len()).max().unwrap_or(1),
            states: IndexSet::default(),
            calls: IndexSet::default(),
            results: IndexSet::default(),
            outcomes: FxHashMap::default(),
            bytes: 0,
        }
    }

    pub fn initial(&mut self) -> Result<Vec<SpecId>, SpecError> {
        Ok(self.machine.initial()?.into_iter().map(|s| self.state(s)).collect())
    }

    pub fn call(&mut self, op: OpId, args: &[Word]) -> CallId {
        CallId(self.calls.insert_full((op, args.into())).0 as u32)
    }

    pub fn result(&mut self, words: &[Word]) -> ResultId {
        ResultId(self.results.insert_full(words.into()).0 as u32)
    }

    pub fn op_of(&self, call: CallId) -> OpId {
        self.calls[call.0 as usize].0
    }

    /// Every way in which the calls of these threads take effect at one moment.
    pub fn outcomes(
        &mut self,
        from: SpecId,
        participants: &[(CallId, usize)],
    ) -> Result<Rc<[Outcome]>, SpecError> {
        let key = (from, participants.into());
        if let Some(known) = self.outcomes.get(&key) {
            return Ok(known.clone());
        }
        let group: Vec<Participant<'_>> = participants
            .iter()
            .map(|&(call, thread)| {
                let (op, args) = &self.calls[call.0 as usize];
                Participant { op: *op, args, thread: ThreadId::new(thread) }
            })
            .collect();
        let found = self.machine.outcomes(&self.states[from.0 as usize], &group)?;
        let mut words = Vec::with_capacity(found.len());
        for outcome in found {
            let state = outcome.state;
            let program = self.machine.program();
            let as_object = |(part, result): (&Participant<'_>, _)| as_returned(program, part.op, result);
            let results: Vec<Vec<Word>> = group.iter().zip(outcome.results).map(as_object).collect();
            words.push((state, results));
        }
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(words.len());
        for (state, results) in words {
            let state = self.state(state);
            outcomes.push((state, results.iter().map(|r| self.result(r)).collect()));
        }
        outcomes.sort();
        outcomes.dedup();
        let outcomes: Rc<[Outcome]> = outcomes.into();
        self.bytes += 80 + 40 * outcomes.len();
        self.outcomes.insert(key, outcomes.clone());
        Ok(outcomes)
    }

    /// The groups of waiting calls that may take effect together: each alone, and as many as a rendezvous has heads.
    pub fn groups(&self, waiting: &[(CallId, usize)]) -> Vec<Vec<(CallId, usize)>> {
        let mut groups: Vec<Vec<(CallId, usize)>> = waiting.iter().map(|&w| vec![w]).collect();
        let mut last = groups.clone();
        for _ in 1..self.largest_clause {
            last = last.iter().flat_map(|group| larger_groups(group, waiting)).collect();
            groups.extend(last.iter().cloned());
        }
        groups
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn state(&mut self, state: SpecState) -> SpecId {
        let (index, fresh) = self.states.insert_full(state);
        if fresh {
            self.bytes += 96;
        }
        SpecId(index as u32)
    }
}

/// The group with one more call, of a thread behind all of the group's: each group once.
fn larger_groups(
    group: &[(CallId, usize)],
    waiting: &[(CallId, usize)],
) -> impl Iterator<Item = Vec<(CallId, usize)>> {
    let last = group.last().map_or(0, |(_, thread)| *thread);
    waiting.iter().filter(move |(_, thread)| *thread > last).map(move |&next| [group, &[next]].concat())
}
