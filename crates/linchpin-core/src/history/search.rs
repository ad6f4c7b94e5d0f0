//! The search for a legal order of the calls of one history (Wing and Gong 1993, with Lowe's memory of configurations).
//!
//! A *configuration* is the set of calls that have taken effect and the state that the specification is in. The first one
//! is (∅, initial state). From (D, q) a call *c* ∉ D, or the calls of a rendezvous, may take effect if no completed call
//! outside D is before it in the [`Precedence`], and the specification, asked in q, gives a completed call the result it
//! returned; a pending call may be given any. What remains possible depends on the configuration alone, so each is visited
//! once: the search is exact, and linear in the number of configurations.

use super::ask::{Ask, Attempt, Calls};
use super::judgement::{Broken, Budget, DeadEnd, Effect, LegalOrder, OutOfBudget, Way};
use super::precedence::Precedence;
use super::progress::Progress;
use super::record::CallId;
use crate::semantics::{SpecError, SpecState};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Search<'a> {
    ask: &'a Ask<'a>,
    precedence: Precedence,
    /// Calls that must take effect, in the order in which they were made.
    completed: Vec<CallId>,
    /// Calls that may take effect.
    pending: Vec<CallId>,
    budget: Budget,
    states: Vec<SpecState>,
    state_ids: FxHashMap<SpecState, u32>,
    visited: FxHashSet<(Progress, u32)>,
    nodes: Vec<Node>,
    /// Nodes with as many completed calls as any, and how many these are.
    deepest: Vec<NodeId>,
    depth: usize,
}

/// A configuration that was reached, by its way from the beginning.
struct Node {
    state: u32,
    parent: Option<NodeId>,
    /// What took effect last.
    calls: Calls,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeId(u32);

pub(super) enum Ended {
    /// At an end that was accepted.
    Accepted(NodeId),
    /// There are no more configurations.
    Exhausted,
    OutOfBudget(OutOfBudget),
}

impl<'a> Search<'a> {
    pub fn new(
        ask: &'a Ask<'a>,
        precedence: Precedence,
        completed: Vec<CallId>,
        pending: Vec<CallId>,
        budget: Budget,
    ) -> Search<'a> {
        Search {
            ask,
            precedence,
            completed,
            pending,
            budget,
            states: Vec::new(),
            state_ids: FxHashMap::default(),
            visited: FxHashSet::default(),
            nodes: Vec::new(),
            deepest: Vec::new(),
            depth: 0,
        }
    }

    /// Visits configurations, depth first, until one with all completed calls in it is accepted.
    pub fn run(
        &mut self,
        mut accept: impl FnMut(&SpecState) -> Result<bool, SpecError>,
    ) -> Result<Ended, SpecError> {
        let mut stack: Vec<(NodeId, Progress)> = Vec::new();
        for state in self.ask.initial()?.into_iter().rev() {
            stack.extend(self.visit(None, Calls::new(), Progress::default(), state));
        }
        let mut next = Vec::new();
        while let Some((id, progress)) = stack.pop() {
            if self.nodes.len() > self.budget.configurations {
                return Ok(Ended::OutOfBudget(OutOfBudget { configurations: self.budget.configurations }));
            }
            self.remember_depth(id, &progress);
            if progress.completed() == self.completed.len() && accept(self.state(id))? {
                return Ok(Ended::Accepted(id));
            }
            self.minimal(&progress, &mut next);
            let attempts = self.ask.attempts(self.state(id), &next)?;
            let first_new = stack.len();
            for Attempt { calls, outcomes } in attempts {
                let mut after = progress.clone();
                calls.iter().for_each(|&call| self.take(&mut after, call));
                for outcome in
                    outcomes.into_iter().filter(|outcome| self.ask.is_returned(&calls, &outcome.results))
                {
                    stack.extend(self.visit(Some(id), calls.clone(), after.clone(), outcome.state));
                }
            }
            stack[first_new..].reverse();
        }
        Ok(Ended::Exhausted)
    }

    pub fn legal_order(&self, end: NodeId) -> Result<LegalOrder, SpecError> {
        let mut effects = Vec::new();
        let mut at = end;
        while let Node { state, parent: Some(parent), ref calls } = self.nodes[at.0 as usize] {
            let outcomes = self.ask.outcomes(self.state(parent), calls)?;
            let taken = outcomes.into_iter().find(|outcome| {
                outcome.state == self.states[state as usize] && self.ask.is_returned(calls, &outcome.results)
            });
            let results = taken.map(|outcome| outcome.results).unwrap_or_default();
            effects.push(Effect { calls: calls.to_vec(), results });
            at = parent;
        }
        effects.reverse();
        Ok(LegalOrder { effects, state: self.state(end).clone() })
    }

    /// The configurations with as many completed calls as any.
    pub fn deepest(&self) -> &[NodeId] {
        &self.deepest
    }

    /// The ends of the longest legal orders, at most so many, and how many more there are.
    pub fn dead_ends(&self, most: usize) -> Result<(Vec<DeadEnd>, usize), SpecError> {
        let mut ends = self.deepest.clone();
        ends.sort_by_key(|&id| self.path(id).count());
        let omitted = ends.len().saturating_sub(most);
        let ends = ends.into_iter().take(most).map(|id| self.dead_end(id)).collect::<Result<_, _>>()?;
        Ok((ends, omitted))
    }

    fn dead_end(&self, id: NodeId) -> Result<DeadEnd, SpecError> {
        let mut progress = Progress::default();
        for call in self.path(id).flat_map(|node| &node.calls) {
            self.take(&mut progress, *call);
        }
        let mut next = Vec::new();
        self.minimal(&progress, &mut next);
        let attempts = self.ask.attempts(self.state(id), &next)?;
        let must = |call: &CallId| self.completed.binary_search(call).is_ok();
        let mut ways = Vec::new();
        for Attempt { calls, outcomes } in &attempts {
            if !calls.iter().any(must) {
                continue;
            }
            let mut results: Vec<_> = outcomes.iter().map(|outcome| outcome.results.clone()).collect();
            results.sort();
            results.dedup();
            let broken = if results.is_empty() { Broken::NotEnabled } else { Broken::Results(results) };
            ways.push(Way { calls: calls.to_vec(), broken });
        }
        let alone = |call: &CallId| !attempts.iter().any(|attempt| attempt.calls.contains(call));
        for call in next.iter().copied().filter(must).filter(alone) {
            ways.push(Way { calls: vec![call], broken: Broken::NoPartner });
        }
        Ok(DeadEnd { order: self.legal_order(id)?, ways })
    }

    /// The nodes from this one back to the beginning.
    fn path(&self, id: NodeId) -> impl Iterator<Item = &Node> {
        std::iter::successors(Some(&self.nodes[id.0 as usize]), |node| {
            node.parent.map(|parent| &self.nodes[parent.0 as usize])
        })
    }

    fn state(&self, id: NodeId) -> &SpecState {
        &self.states[self.nodes[id.0 as usize].state as usize]
    }

    fn minimal(&self, progress: &Progress, out: &mut Vec<CallId>) {
        let completed = progress.missing(self.completed.len()).map(|at| self.completed[at]);
        let pending = progress.missing_pending(self.pending.len()).map(|at| self.pending[at]);
        self.precedence.minimal(completed, pending, out);
    }

    fn take(&self, progress: &mut Progress, call: CallId) {
        match self.completed.binary_search(&call) {
            Ok(at) => progress.take(at),
            Err(_) => {
                if let Ok(at) = self.pending.binary_search(&call) {
                    progress.take_pending(at);
                }
            }
        }
    }

    /// A new node, unless its configuration was reached before.
    fn visit(
        &mut self,
        parent: Option<NodeId>,
        calls: Calls,
        progress: Progress,
        state: SpecState,
    ) -> Option<(NodeId, Progress)> {
        let state = match self.state_ids.get(&state) {
            Some(&id) => id,
            None => {
                let id = self.states.len() as u32;
                self.states.push(state.clone());
                self.state_ids.insert(state, id);
                id
            }
        };
        if !self.visited.insert((progress.clone(), state)) {
            return None;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { state, parent, calls });
        Some((id, progress))
    }

    fn remember_depth(&mut self, id: NodeId, progress: &Progress) {
        if progress.completed() > self.depth {
            self.depth = progress.completed();
            self.deepest.clear();
        }
        if progress.completed() == self.depth {
            self.deepest.push(id);
        }
    }
}
