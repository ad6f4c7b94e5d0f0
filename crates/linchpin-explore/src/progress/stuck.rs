//! Stuck states: states from which no pending call ever completes, because calls wait or spin.
//!
//! For each node n, can(n) is the set of threads whose pending call *can return*. It is the least solution of
//!
//! t ∈ can(n) if n has an edge on which t's call returns, or an edge to m on which it does not, and π(t) ∈
//! can(m),
//!
//! where π renames the threads along the edge. Every thread is in can(n) where a move exits the scope, ends
//! in a fault, or needs a cell beyond the bound: the continuation is unknown there. A node is *stuck* if
//! calls are pending, none of their threads is in can(n), and the idle threads may rest. With schedules idle
//! threads make no further calls, so only moves that begin no call count. The general client has no end, so
//! all its moves count. Spurious wake-ups need not happen, so they never count.
//!
//! **Claim.** The reduced graph has a stuck state iff the plain graph has one.
//!
//! **Assumption.** Calls are not delayed where a first step can block ([`Search::keep_calls_separate`]).
//! Otherwise an idle thread whose next call would wait for ever may make another call instead, and the states
//! after the waiting call are missing.
//!
//! **Proof.** *Symmetry.* Each edge of the quotient is an edge of the real system with its end renamed by π,
//! and conversely. So t can return from a state iff π(t) can return from the renamed state, and the equations
//! have the same solution.
//!
//! *Partial order.* Every move of the reduced graph is a run of the plain semantics. Conversely let a run
//! from a kept state s complete t's call. The search has a move for the first step and the local steps after
//! it. Each local step occurs in the run and commutes to the front, or is added. Then t's return is on that
//! move, or in the rest of the run, which is shorter. So can(s) is the same in the plain graph. Let s be
//! stuck in the plain graph. The search keeps a state s′ that s reaches by local steps. No call returns on
//! these steps, since none can. So the same calls are pending in s′, at the same positions, and s′ is stuck.
//!
//! *Pruning.* Where the search kept (q, S′) with S′ ⊆ S instead of (q, S), S′ justifies no waiting that S
//! does not justify. ∎
//!
//! The tests in `tests/suite/oracle` compare with the definition on the graph of all concrete states,
//! schedule by schedule.

use super::graph::{Graph, Label, NoGraph};
use crate::expand::{ExpandOptions, bit};
use crate::monitor::REJECTED;
use crate::search::Search;
use crate::store::NodeId;
use linchpin_engine::{Budget, BudgetMeter, Listener};
use linchpin_ir::index::number_of;
use linchpin_semantics::{Client, State};

/// A stuck state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StuckState {
    /// The first node of the state, with one of its monitor states.
    pub node: NodeId,
    /// The least number of moves that lead to the state.
    pub moves: usize,
    /// Some thread can move, but no call completes. Otherwise all threads wait.
    pub spins: bool,
}

/// The property that a stuck execution violates, where the specification does not justify it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judges {
    /// A consistency property. A history that the monitor rejects is another violation of it.
    Consistency,
    /// Deadlock-freedom.
    Deadlock,
}

impl Search<'_> {
    /// Returns the stuck states of a finished search: those with the fewest moves first, then in the order of
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
            let id = graph.node_id(node);
            let mut bytes = Vec::new();
            self.store.copy(id, &mut bytes);
            let is_step = |label: &Label| label.summary.call.is_none() && !label.summary.is_spurious;
            let spins = graph.edges(node).any(|(_, label)| is_step(label));
            let moves = self.level_of(id);
            found.push((moves, bytes, StuckState { node: id, moves, spins }));
        }
        found.sort_unstable_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
        Ok(found.into_iter().map(|(_, _, state)| state).collect())
    }

    /// Returns a stuck node whose pending calls the specification does not let wait. Nodes from which no
    /// thread can call come first. Among those the node with the fewest moves is returned, then the first by
    /// bytes and by the digest of the monitor.
    pub fn unjustified(
        &self,
        judges: Judges,
        budget: &Budget,
        listener: &mut dyn Listener,
    ) -> Result<Option<NodeId>, NoGraph> {
        let mut watch = BudgetMeter::start(budget.clone());
        let graph = Graph::of(self, &mut watch, listener)?;
        let mut expander = self.expander(ExpandOptions::default());
        let (mut bytes, mut state) = (Vec::new(), State::default());
        let mut best: Option<(bool, usize, Vec<u8>, u128, NodeId)> = None;
        for node in self.stuck_nodes(&graph) {
            let first = self.store.copy(graph.node_id(node), &mut bytes);
            expander.decode(&bytes, first, &mut state);
            let is_calling = graph.edges(node).any(|(_, label)| label.summary.call.is_some());
            for (id, monitor) in self.store.nodes_of(&bytes) {
                let is_judged = monitor != REJECTED || judges == Judges::Deadlock;
                if !is_judged || !expander.is_illegal_end(&state, monitor).map_err(NoGraph::Spec)? {
                    continue;
                }
                let digest = expander.representatives().monitors().digest(monitor);
                let found = (is_calling, self.level_of(id), bytes.clone(), digest, id);
                if best.as_ref().is_none_or(|best| found < *best) {
                    best = Some(found);
                }
            }
        }
        Ok(best.map(|(_, _, _, _, node)| node))
    }

    fn stuck_nodes(&self, graph: &Graph) -> Vec<usize> {
        let is_general = matches!(self.problem.client, Client::General(_));
        let all_threads = (0..graph.threads).fold(0, |mask, thread| mask | bit(thread));
        let can_return = can_return(graph, is_general);
        let is_stuck = |node: &usize| {
            let pending = all_threads & !graph.status(*node).idle;
            pending != 0 && can_return[*node] & pending == 0 && graph.status(*node).may_rest
        };
        (0..graph.size()).filter(is_stuck).collect()
    }
}

/// Returns can(n) for each node n: a bit for each thread whose pending call some continuation completes. All
/// bits are set where a move exits the scope.
fn can_return(graph: &Graph, counts_calls: bool) -> Vec<u16> {
    let size = graph.size();
    let counts = |label: &Label| !label.summary.is_spurious && (counts_calls || label.summary.call.is_none());
    let edges = |node: usize| graph.edges(node).filter(|(_, label)| counts(label));
    let exits_scope = |node: usize| {
        let status = graph.status(node);
        if counts_calls { status.exits_scope } else { status.steps_exit_scope }
    };
    let first = |node: usize| {
        let returned = edges(node).fold(0, |can, (_, label)| can | label.summary.returned);
        if exits_scope(node) { u16::MAX } else { returned & !graph.status(node).idle }
    };
    let mut can: Vec<u16> = (0..size).map(first).collect();
    let predecessors =
        Predecessors::of(size, &|node, visit| edges(node).for_each(|(edge, _)| visit(edge.to)));
    let mut work: Vec<usize> = (0..size).filter(|node| can[*node] != 0).collect();
    while let Some(to) = work.pop() {
        for &from in predecessors.of_node(to) {
            let from = from as usize;
            let idle = graph.status(from).idle;
            let mut more = 0;
            for (_, label) in edges(from).filter(|(edge, _)| edge.to as usize == to) {
                let follows = |thread: &usize| can[to] & bit(label.renaming.thread(*thread)) != 0;
                more |= (0..graph.threads).filter(follows).fold(0, |mask, thread| mask | bit(thread));
            }
            // A return of an idle thread belongs to a call that the thread has not made yet.
            let more = more & !idle & !can[from];
            if more != 0 {
                can[from] |= more;
                work.push(from);
            }
        }
    }
    can
}

/// The predecessors of each node, in one array.
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
