//! Stuck by waiting or spinning: states from which no pending call ever completes, whatever happens.
//!
//! For each node the set of threads whose pending call *can return*, the least solution of
//!
//! t ∈ can(n) if n has an edge on which t's call returns, or one to m on which it does not, and π(t) ∈ can(m),
//!
//! where π renames the threads along the edge; every thread can where a move leads out of the scope, to an error, or to a cell that
//! is not there: nothing is known of what comes then. A node is *stuck* if calls are pending, none of their threads is in
//! can(n), and the idle threads may rest. With schedules idle threads make no further calls, so only moves that begin none
//! count. The general client has no end: all its moves count. Spurious wake-ups need not happen, so they never count.
//!
//! **Symmetry.** Each edge of the quotient is one of the real system with its end renamed by π, and each real edge is one of
//! the quotient. So t can return from a state iff π(t) can from the renamed one, and the equations have the same solution.
//!
//! **Partial order.** Every move of the reduced graph is a run of the plain semantics. Conversely let a run from a kept state s
//! complete t's call. The search has a move for its first step and the local steps after it; each of these occurs in the run
//! and is moved to the front, or is put in, and t's return is on that move or in what is left of the run, which is shorter. So
//! can(s) is what it is in the plain graph. And let s be stuck in the plain graph: the search keeps a state s′ that s leads to by
//! local steps. No call returns on them, for none can; so the same calls are pending in s′, at the same positions, and it is
//! stuck. Late calls do not keep this: an idle thread whose next call would wait for ever may call something else instead, so
//! the states in which it has called are missing. Where a first step can block, the search makes calls apart
//! ([`Search::tell_calls_apart`]).
//!
//! **Pruning.** Where (q, S′) with S′ ⊆ S was kept for (q, S): what S does not justify, S′ does not.
//!
//! The tests compare with the definition on the whole graph of concrete states, schedule by schedule (`tests/oracle`).

use super::super::deeds::bit;
use super::super::monitor::REJECTED;
use super::super::search::Search;
use super::super::store::NodeId;
use super::graph::{Graph, Label, NoGraph};
use linchpin_engine::{Budget, BudgetMeter, Listener};
use linchpin_ir::index::number_of;
use linchpin_semantics::{Client, State};

/// A state that is stuck.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StuckState {
    /// The first node of the state: its monitor state is one of those that it was seen with.
    pub node: NodeId,
    /// The fewest moves that lead there.
    pub moves: usize,
    /// Some thread can move, but only in circles; otherwise all wait.
    pub spins: bool,
}

/// What a stuck execution is a violation of, where the specification does not justify it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judges {
    /// A consistency property: a history that is rejected already is another violation of it.
    Consistency,
    /// Deadlock-freedom.
    Deadlock,
}

impl Search<'_> {
    /// From here on calls are moves of their own, also where their first step can block. To be said before the search runs.
    pub fn tell_calls_apart(&mut self) {
        self.reduction.late_calls = false;
    }

    /// The stuck states of a search that has run to its end: those with the fewest moves first, equal ones in the order of
    /// their bytes.
    pub fn stuck_states(
        &self,
        budget: &Budget,
        listener: &mut dyn Listener,
    ) -> Result<Vec<StuckState>, NoGraph> {
        let mut watch = BudgetMeter::start(budget.clone());
        let graph = Graph::of(self, &mut watch, listener)?;
        let mut found: Vec<(usize, Vec<u8>, StuckState)> = Vec::new();
        for node in self.stuck_nodes(&graph) {
            let place = graph.place(node);
            let mut bytes = Vec::new();
            self.store.copy(place, &mut bytes);
            let is_step = |label: &Label| label.deeds.call.is_none() && !label.deeds.is_spurious;
            let spins = graph.edges(node).any(|(_, label)| is_step(label));
            let moves = self.level_of(place);
            found.push((moves, bytes, StuckState { node: place, moves, spins }));
        }
        found.sort_unstable_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
        Ok(found.into_iter().map(|(_, _, state)| state).collect())
    }

    /// A stuck node whose pending calls the specification does not let wait. First those from which no call at all completes, since
    /// few states show that; of these one with the fewest moves; of equal ones the first in the order of bytes and of what the
    /// monitor knows.
    pub fn unjustified(
        &self,
        judges: Judges,
        budget: &Budget,
        listener: &mut dyn Listener,
    ) -> Result<Option<NodeId>, NoGraph> {
        let mut watch = BudgetMeter::start(budget.clone());
        let graph = Graph::of(self, &mut watch, listener)?;
        let mut worker = self.worker();
        let (mut bytes, mut state) = (Vec::new(), State::default());
        let mut best: Option<(bool, usize, Vec<u8>, u128, NodeId)> = None;
        for node in self.stuck_nodes(&graph) {
            self.store.copy(graph.place(node), &mut bytes);
            worker.read(&bytes, &mut state);
            let is_calling = graph.edges(node).any(|(_, label)| label.deeds.call.is_some());
            for (place, monitor) in self.store.nodes_of(&bytes) {
                let is_judged = monitor != REJECTED || judges == Judges::Deadlock;
                if !is_judged || !worker.is_illegal_end(&state, monitor).map_err(NoGraph::Spec)? {
                    continue;
                }
                let digest = worker.watcher.digest(monitor);
                let found = (is_calling, self.level_of(place), bytes.clone(), digest, place);
                if best.as_ref().is_none_or(|best| found < *best) {
                    best = Some(found);
                }
            }
        }
        Ok(best.map(|(_, _, _, _, node)| node))
    }

    fn stuck_nodes(&self, graph: &Graph) -> Vec<usize> {
        let is_general = matches!(self.question.client, Client::General(_));
        let everybody = (0..graph.threads).fold(0, |mask, thread| mask | bit(thread));
        let can_return = can_return(graph, is_general);
        let is_stuck = |node: &usize| {
            let pending = everybody & !graph.standing(*node).idle;
            pending != 0 && can_return[*node] & pending == 0 && graph.standing(*node).may_rest
        };
        (0..graph.size()).filter(is_stuck).collect()
    }

    /// The level of a node: the fewest moves that lead there.
    pub fn level_of(&self, node: NodeId) -> usize {
        self.levels.partition_point(|level| level[node.shard as usize] <= node.place) - 1
    }
}

/// By node, a bit for each thread whose pending call some continuation completes, or all bits where the scope may be left.
fn can_return(graph: &Graph, counts_calls: bool) -> Vec<u16> {
    let size = graph.size();
    let counts = |label: &Label| !label.deeds.is_spurious && (counts_calls || label.deeds.call.is_none());
    let edges = |node: usize| graph.edges(node).filter(|(_, label)| counts(label));
    let leaves = |node: usize| {
        let standing = graph.standing(node);
        if counts_calls { standing.leaves } else { standing.steps_leave }
    };
    let first = |node: usize| {
        let returned = edges(node).fold(0, |can, (_, label)| can | label.deeds.returned);
        if leaves(node) { u16::MAX } else { returned & !graph.standing(node).idle }
    };
    let mut can: Vec<u16> = (0..size).map(first).collect();
    let predecessors = Predecessors::of(size, &|node, tell| edges(node).for_each(|(edge, _)| tell(edge.to)));
    let mut work: Vec<usize> = (0..size).filter(|node| can[*node] != 0).collect();
    while let Some(to) = work.pop() {
        for &from in predecessors.of_node(to) {
            let from = from as usize;
            let idle = graph.standing(from).idle;
            let mut more = 0;
            for (_, label) in edges(from).filter(|(edge, _)| edge.to as usize == to) {
                let follows = |thread: &usize| can[to] & bit(label.renaming.thread(*thread)) != 0;
                more |= (0..graph.threads).filter(follows).fold(0, |mask, thread| mask | bit(thread));
            }
            // What an idle thread could return belongs to a call that it has not made.
            let more = more & !idle & !can[from];
            if more != 0 {
                can[from] |= more;
                work.push(from);
            }
        }
    }
    can
}

/// The predecessors of each node, list after list.
struct Predecessors {
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Predecessors {
    fn of(size: usize, successors: &dyn Fn(usize, &mut dyn FnMut(u32))) -> Predecessors {
        let mut starts = vec![0u32; size + 1];
        for node in 0..size {
            successors(node, &mut |to| starts[to as usize + 1] += 1);
        }
        for node in 0..size {
            starts[node + 1] += starts[node];
        }
        let mut nodes = vec![0u32; starts[size] as usize];
        let mut next = starts.clone();
        for node in 0..size {
            successors(node, &mut |to| {
                let at = &mut next[to as usize];
                nodes[*at as usize] = number_of(node);
                *at += 1;
            });
        }
        Predecessors { starts, nodes }
    }

    fn of_node(&self, node: usize) -> &[u32] {
        &self.nodes[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}
