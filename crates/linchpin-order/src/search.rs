//! The search for a legal order of calls (Wing and Gong 1993, with Lowe's memory of configurations).
//!
//! A *configuration* is the set of calls that have taken effect, and a state of the specification. The first
//! one is (∅, initial state). From (D, q) a call *c* ∉ D, or the calls of a rendezvous, may take effect if
//! two conditions hold:
//!
//! - No completed call outside D is before it in the [`Precedence`].
//! - The specification in state q gives a completed call the result that it returned. A pending call may get
//!   any result.
//!
//! What remains possible depends on the configuration alone, so each one is visited once. The search is
//! exact, and linear in the number of configurations.
//!
//! The search goes depth first, and computes the outcomes of a move only when it tries the move. If an
//! [idle](Oracle::is_idle) call can come next, the search tries nothing else.

use crate::call::CallId;
use crate::call_prefix::CallPrefix;
use crate::call_set::CallSet;
use crate::configurations::{Configurations, NodeId, Step};
use crate::oracle::{Calls, Oracle};
use crate::precedence::{Edges, Precedence};
use crate::spec::{Outcome, Specification};
use crate::verdict::{Budget, Effect, LegalOrder, Limit, OrderOf, OutOfBudget};
use smallvec::SmallVec;

/// The input of a search.
pub(crate) struct OrderProblem<'a, S: Specification> {
    pub oracle: &'a Oracle<'a, S>,
    pub precedence: &'a Precedence,
    pub edges: &'a Edges,
    pub set: &'a CallSet,
}

impl<S: Specification> Clone for OrderProblem<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Specification> Copy for OrderProblem<'_, S> {}

pub(crate) struct Search<'a, S: Specification> {
    problem: OrderProblem<'a, S>,
    budget: Budget<'a>,
    configurations: Configurations<'a, S>,
    /// The nodes with the largest number of completed calls.
    deepest: Vec<NodeId>,
    /// The number of completed calls of the deepest nodes.
    depth: usize,
}

/// How a search ended.
pub(crate) enum Ended {
    /// At an end that was accepted.
    Accepted(NodeId),
    /// All configurations were visited.
    Exhausted,
    OutOfBudget(OutOfBudget),
}

/// A configuration on the current path, and the moves left to try from it.
struct Frame<State> {
    node: NodeId,
    taken: CallPrefix,
    moves: Moves<State>,
}

struct Moves<State> {
    /// The next move last.
    rest: Vec<Calls>,
    /// The move that is being tried.
    now: Calls,
    /// Its outcomes: the number among all outcomes and the state, the next outcome last.
    outcomes: Outcomes<State>,
}

type Outcomes<State> = SmallVec<[(usize, State); 1]>;

/// The number of words of states that a search keeps: 64 MiB.
const KEPT_WORDS: usize = 1 << 24;

impl<'a, S: Specification> Search<'a, S> {
    pub fn new(problem: OrderProblem<'a, S>, budget: Budget<'a>) -> Search<'a, S> {
        Search {
            problem,
            budget,
            configurations: Configurations::new(problem.oracle, KEPT_WORDS),
            deepest: Vec::new(),
            depth: 0,
        }
    }

    /// Visits configurations, depth first, until one with all completed calls is accepted.
    pub fn run(&mut self, mut accept: impl Accept<S>) -> Result<Ended, S::Error> {
        let mut stack: Vec<Frame<S::State>> = Vec::new();
        for (way, state) in self.problem.oracle.spec().initial()?.into_iter().enumerate() {
            let step = Step { parent: None, calls: Calls::new(), way };
            let mut entered = Some(self.enter(step, CallPrefix::default(), state, &mut accept)?);
            while let Some(next) = entered {
                match next {
                    Entered::Accepted(node) => return Ok(Ended::Accepted(node)),
                    Entered::Frame(frame) => stack.push(frame),
                    Entered::Known => {}
                }
                if let Some(limit) = self.out_of_budget() {
                    return Ok(Ended::OutOfBudget(limit));
                }
                entered = self.advance(&mut stack, &mut accept)?;
            }
        }
        Ok(Ended::Exhausted)
    }

    /// Returns the number of configurations visited.
    pub fn visited(&self) -> usize {
        self.configurations.len()
    }

    pub fn problem(&self) -> OrderProblem<'a, S> {
        self.problem
    }

    /// Returns the configurations with the largest number of completed calls, those with the fewest pending
    /// calls first.
    pub fn deepest(&self) -> Vec<NodeId> {
        let mut deepest = self.deepest.clone();
        deepest.sort_by_key(|&id| self.configurations.depth(id));
        deepest
    }

    /// Checks whether some legal order has all completed calls in it.
    pub fn has_complete_order(&self) -> bool {
        !self.deepest.is_empty() && self.depth == self.problem.set.completed().len()
    }

    /// Returns the order that leads to a configuration.
    pub fn legal_order(&self, end: NodeId) -> Result<OrderOf<S>, S::Error> {
        let oracle = self.problem.oracle;
        let mut state = oracle.spec().initial()?.swap_remove(self.configurations.beginning(end));
        let mut effects = Vec::new();
        for (calls, way) in self.configurations.path(end) {
            let Outcome { state: after, results } =
                oracle.outcomes_as_returned(&state, calls)?.swap_remove(way);
            effects.push(Effect { calls: calls.to_vec(), results });
            state = after;
        }
        Ok(LegalOrder { effects, state })
    }

    /// Returns the calls that have taken effect at a node.
    pub fn taken(&self, id: NodeId) -> CallPrefix {
        let mut taken = CallPrefix::default();
        for (calls, _) in self.configurations.path(id) {
            calls.iter().for_each(|&call| self.problem.set.take(&mut taken, call));
        }
        taken
    }

    /// Returns the calls that may come next.
    pub fn next(&self, taken: &CallPrefix) -> Vec<CallId> {
        let OrderProblem { precedence, edges, set, .. } = self.problem;
        let mut next = Vec::new();
        precedence.minimal(set, edges, taken, &mut next);
        next
    }

    /// Tries the next move of the last configuration that has one; `None` if no configuration has.
    fn advance(
        &mut self,
        stack: &mut Vec<Frame<S::State>>,
        accept: &mut impl Accept<S>,
    ) -> Result<Option<Entered<S::State>>, S::Error> {
        let OrderProblem { oracle, set, .. } = self.problem;
        while let Some(frame) = stack.last_mut() {
            let Moves { rest, now, outcomes } = &mut frame.moves;
            if let Some((way, state)) = outcomes.pop() {
                let mut taken = frame.taken.clone();
                now.iter().for_each(|&call| set.take(&mut taken, call));
                let step = Step { parent: Some(frame.node), calls: now.clone(), way };
                return self.enter(step, taken, state, accept).map(Some);
            }
            let Some(calls) = rest.pop() else {
                stack.pop();
                continue;
            };
            let state = self.configurations.state(frame.node)?;
            *outcomes = returned(oracle, &state, &calls)?;
            *now = calls;
        }
        Ok(None)
    }

    /// Visits a configuration, unless it was visited before.
    fn enter(
        &mut self,
        step: Step,
        taken: CallPrefix,
        state: S::State,
        accept: &mut impl Accept<S>,
    ) -> Result<Entered<S::State>, S::Error> {
        let is_end = self.problem.set.is_complete(&taken);
        let after = if is_end { Some(state.clone()) } else { None };
        let Some(node) = self.configurations.visit(step, &taken, state)? else {
            return Ok(Entered::Known);
        };
        self.remember_depth(node, &taken);
        if let Some(state) = after
            && accept(&state)?
        {
            return Ok(Entered::Accepted(node));
        }
        let moves = self.moves(node, &taken)?;
        Ok(Entered::Frame(Frame { node, taken, moves }))
    }

    /// Returns the moves to try from a configuration. An idle call that can come now comes now. An idle call
    /// that cannot come now is not a move.
    fn moves(&mut self, node: NodeId, taken: &CallPrefix) -> Result<Moves<S::State>, S::Error> {
        let oracle = self.problem.oracle;
        let (idle, mut next): (Vec<CallId>, Vec<CallId>) =
            self.next(taken).into_iter().partition(|&call| oracle.is_idle(call));
        if self.problem.edges.is_empty() && self.problem.precedence.intervals().is_some() {
            oracle.leave_out_alike(&mut next);
        }
        for call in idle {
            let now: Calls = [call].into_iter().collect();
            let state = self.configurations.state(node)?;
            let outcomes = returned(oracle, &state, &now)?;
            if !outcomes.is_empty() {
                return Ok(Moves { rest: Vec::new(), now, outcomes });
            }
        }
        let mut rest = oracle.moves(&next);
        rest.reverse();
        Ok(Moves { rest, now: Calls::new(), outcomes: SmallVec::new() })
    }

    fn out_of_budget(&self) -> Option<OutOfBudget> {
        let configurations = self.visited();
        let out = |limit| Some(OutOfBudget { configurations, limit });
        if configurations >= self.budget.configurations {
            return out(Limit::Configurations);
        }
        if self.budget.is_stopped() {
            return out(Limit::Stopped);
        }
        None
    }

    fn remember_depth(&mut self, id: NodeId, taken: &CallPrefix) {
        if taken.completed() > self.depth {
            self.depth = taken.completed();
            self.deepest.clear();
        }
        if taken.completed() == self.depth {
            self.deepest.push(id);
        }
    }
}

/// Decides whether the state after all completed calls is what the search is for.
pub(crate) trait Accept<S: Specification>: FnMut(&S::State) -> Result<bool, S::Error> {}

impl<S: Specification, F: FnMut(&S::State) -> Result<bool, S::Error>> Accept<S> for F {}

/// The result of visiting a configuration.
enum Entered<State> {
    Accepted(NodeId),
    Frame(Frame<State>),
    /// The configuration was visited before.
    Known,
}

/// Returns the outcomes that give the completed calls what they returned, the last outcome first.
fn returned<S: Specification>(
    oracle: &Oracle<S>,
    state: &S::State,
    calls: &[CallId],
) -> Result<Outcomes<S::State>, S::Error> {
    let outcomes = oracle.outcomes_as_returned(state, calls)?.into_iter().enumerate().rev();
    Ok(outcomes.map(|(way, outcome)| (way, outcome.state)).collect())
}
