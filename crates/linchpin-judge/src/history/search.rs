//! The search for a legal order of calls (Wing and Gong 1993, with Lowe's memory of configurations).
//!
//! A *configuration* is the set of calls that have taken effect and the state that the specification is in. The first one
//! is (∅, initial state). From (D, q) a call *c* ∉ D, or the calls of a rendezvous, may take effect if no completed call
//! outside D is before it in the [`Precedence`], and the specification, asked in q, gives a completed call the result it
//! returned; a pending call may be given any. What remains possible depends on the configuration alone, so each is visited
//! once: the search is exact, and linear in the number of configurations.
//!
//! It goes depth first, and asks the specification only for the move that it tries. Where a call that
//! [changes nothing](Ask::is_idle) can come next, nothing else needs to be tried.

use super::ask::{Ask, Calls, Outcome};
use super::configurations::{Configurations, NodeId, Step};
use super::judgement::{Budget, Effect, LegalOrder, Limit, OutOfBudget};
use super::precedence::{Edges, Precedence};
use super::progress::Progress;
use super::record::CallId;
use super::roster::Roster;
use linchpin_semantics::{SpecError, SpecState};
use smallvec::SmallVec;

/// What an order is sought for.
#[derive(Clone, Copy)]
pub(super) struct OrderProblem<'a> {
    pub ask: &'a Ask<'a>,
    pub precedence: &'a Precedence,
    pub edges: &'a Edges,
    pub roster: &'a Roster,
}

pub(super) struct Search<'a> {
    question: OrderProblem<'a>,
    budget: Budget<'a>,
    configurations: Configurations<'a>,
    /// Nodes with as many completed calls as any, and how many these are.
    deepest: Vec<NodeId>,
    depth: usize,
}

pub(super) enum Ended {
    /// At an end that was accepted.
    Accepted(NodeId),
    /// There are no more configurations.
    Exhausted,
    OutOfBudget(OutOfBudget),
}

/// A configuration on the way that is being tried, and what is left to try from it.
struct Frame {
    node: NodeId,
    progress: Progress,
    moves: Moves,
}

#[derive(Default)]
struct Moves {
    /// The next one last.
    rest: Vec<Calls>,
    /// The move that is being tried, and what it can lead to: the number among all outcomes and the state, the next last.
    now: Calls,
    outcomes: SmallVec<[(usize, SpecState); 1]>,
}

/// Words of states that a search keeps: 64 MiB.
const KEPT_WORDS: usize = 1 << 24;

impl<'a> Search<'a> {
    pub fn new(question: OrderProblem<'a>, budget: Budget<'a>) -> Search<'a> {
        Search {
            question,
            budget,
            configurations: Configurations::new(question.ask, KEPT_WORDS),
            deepest: Vec::new(),
            depth: 0,
        }
    }

    /// Visits configurations, depth first, until one with all completed calls in it is accepted.
    pub fn run(
        &mut self,
        mut accept: impl FnMut(&SpecState) -> Result<bool, SpecError>,
    ) -> Result<Ended, SpecError> {
        let mut stack: Vec<Frame> = Vec::new();
        for (way, state) in self.question.ask.initial()?.into_iter().enumerate() {
            let step = Step { parent: None, calls: Calls::new(), way };
            let mut entered = Some(self.enter(step, Progress::default(), state, &mut accept)?);
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

    /// How many configurations were visited.
    pub fn visited(&self) -> usize {
        self.configurations.len()
    }

    pub fn question(&self) -> OrderProblem<'a> {
        self.question
    }

    /// The configurations with as many completed calls as any, those with the fewest pending calls first.
    pub fn deepest(&self) -> Vec<NodeId> {
        let mut deepest = self.deepest.clone();
        deepest.sort_by_key(|&id| self.configurations.depth(id));
        deepest
    }

    /// Whether some legal order has all completed calls in it.
    pub fn has_complete_order(&self) -> bool {
        !self.deepest.is_empty() && self.depth == self.question.roster.completed().len()
    }

    /// The way to a configuration.
    pub fn legal_order(&self, end: NodeId) -> Result<LegalOrder, SpecError> {
        let ask = self.question.ask;
        let mut state = ask.initial()?.swap_remove(self.configurations.beginning(end));
        let mut effects = Vec::new();
        for (calls, way) in self.configurations.path(end) {
            let Outcome { state: after, results } = ask.outcomes(&state, calls)?.swap_remove(way);
            effects.push(Effect { calls: calls.to_vec(), results });
            state = after;
        }
        Ok(LegalOrder { effects, state })
    }

    /// What has taken effect at a node.
    pub fn progress(&self, id: NodeId) -> Progress {
        let mut progress = Progress::default();
        for (calls, _) in self.configurations.path(id) {
            calls.iter().for_each(|&call| self.question.roster.take(&mut progress, call));
        }
        progress
    }

    /// The calls that may come next.
    pub fn next(&self, progress: &Progress) -> Vec<CallId> {
        let OrderProblem { precedence, edges, roster, .. } = self.question;
        let mut next = Vec::new();
        precedence.minimal(roster, edges, progress, &mut next);
        next
    }

    /// Tries the next move of the last configuration that has one; `None`: there is none any more.
    fn advance(
        &mut self,
        stack: &mut Vec<Frame>,
        accept: &mut impl FnMut(&SpecState) -> Result<bool, SpecError>,
    ) -> Result<Option<Entered>, SpecError> {
        let OrderProblem { ask, roster, .. } = self.question;
        while let Some(frame) = stack.last_mut() {
            let Moves { rest, now, outcomes } = &mut frame.moves;
            if let Some((way, state)) = outcomes.pop() {
                let mut progress = frame.progress.clone();
                now.iter().for_each(|&call| roster.take(&mut progress, call));
                let step = Step { parent: Some(frame.node), calls: now.clone(), way };
                return self.enter(step, progress, state, accept).map(Some);
            }
            let Some(calls) = rest.pop() else {
                stack.pop();
                continue;
            };
            let state = self.configurations.state(frame.node)?;
            *outcomes = returned(ask, &state, &calls)?;
            *now = calls;
        }
        Ok(None)
    }

    /// Goes to a configuration, unless it was visited before.
    fn enter(
        &mut self,
        step: Step,
        progress: Progress,
        state: SpecState,
        accept: &mut impl FnMut(&SpecState) -> Result<bool, SpecError>,
    ) -> Result<Entered, SpecError> {
        let is_end = self.question.roster.is_complete(&progress);
        let after = if is_end { Some(state.clone()) } else { None };
        let Some(node) = self.configurations.visit(step, &progress, state)? else {
            return Ok(Entered::Known);
        };
        self.remember_depth(node, &progress);
        if let Some(state) = after
            && accept(&state)?
        {
            return Ok(Entered::Accepted(node));
        }
        let moves = self.moves(node, &progress)?;
        Ok(Entered::Frame(Frame { node, progress, moves }))
    }

    /// What can be tried from a configuration. A call that changes nothing and can come now comes now; one that cannot is
    /// no move.
    fn moves(&mut self, node: NodeId, progress: &Progress) -> Result<Moves, SpecError> {
        let ask = self.question.ask;
        let (idle, next): (Vec<CallId>, Vec<CallId>) =
            self.next(progress).into_iter().partition(|&call| ask.is_idle(call));
        for call in idle {
            let now: Calls = [call].into_iter().collect();
            let state = self.configurations.state(node)?;
            let outcomes = returned(ask, &state, &now)?;
            if !outcomes.is_empty() {
                return Ok(Moves { rest: Vec::new(), now, outcomes });
            }
        }
        let mut rest = ask.moves(&next);
        rest.reverse();
        Ok(Moves { rest, ..Moves::default() })
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

enum Entered {
    Accepted(NodeId),
    Frame(Frame),
    /// It was visited before.
    Known,
}

/// The outcomes that give the completed calls what they returned, the last one first.
fn returned(
    ask: &Ask,
    state: &SpecState,
    calls: &[CallId],
) -> Result<SmallVec<[(usize, SpecState); 1]>, SpecError> {
    let outcomes = ask.outcomes(state, calls)?.into_iter().enumerate().rev();
    let fitting = outcomes.filter(|(_, outcome)| ask.is_returned(calls, &outcome.results));
    Ok(fitting.map(|(way, outcome)| (way, outcome.state)).collect())
}
