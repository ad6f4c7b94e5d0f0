//! Stuck by spinning: states from which no continuation completes any call, although somebody can move.
//!
//! A state *goes on* if one of its moves completes a call, or leads out of the scope, to an error, or to a cell that is not
//! there (nothing is known of what comes then), or to a state that goes on. All others are stuck: what is left when the
//! graph is walked backwards from the moves that go on.
//!
//! *Partial order.* Steps that are run ahead keep this: every move is a run of the plain semantics, and of a run that completes
//! a call the reduced graph has a variant that does. Late calls do not: an idle thread whose next call would wait for ever
//! may call something else instead, so the states in which it has called are missing. A search that is asked for spinning
//! makes calls apart ([`Search::tell_calls_apart`]).

use super::super::monitor::REJECTED;
use super::super::search::Search;
use super::super::store::NodeId;
use super::graph::{Graph, Label, NoGraph};
use crate::engine::{Budget, Listener, Watch};
use linchpin_core::index::number_of;
use linchpin_core::semantics::State;

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

impl Search<'_> {
    /// From here on calls are moves of their own, also where their first step can block. To be said before the search runs.
    pub fn tell_calls_apart(&mut self) {
        self.reduction.late_calls = false;
    }

    /// The states of a search that has run to its end, with pending calls of which none ever completes: those with the
    /// fewest moves first, equal ones in the order of their bytes.
    pub fn stuck_states(
        &self,
        budget: &Budget,
        listener: &mut dyn Listener,
    ) -> Result<Vec<StuckState>, NoGraph> {
        let mut watch = Watch::start(budget.clone());
        let graph = Graph::of(self, &mut watch, listener)?;
        Ok(self.stuck_in(&graph))
    }

    /// An end of a schedule that is stuck and not legal: no step of a pending call ever completes one, and no further calls are
    /// made. Of all such nodes one with the fewest moves; of equal ones the first in the order of bytes and of what
    /// the monitor knows.
    pub fn stuck_ends(
        &self,
        budget: &Budget,
        listener: &mut dyn Listener,
    ) -> Result<Option<NodeId>, NoGraph> {
        let mut watch = Watch::start(budget.clone());
        let graph = Graph::of(self, &mut watch, listener)?;
        let everybody = (0..graph.threads).fold(0, |mask, thread| mask | 1u16 << thread);
        let leaves = |node: usize| graph.standing(node).steps_leave;
        let goes_on = going_on(&graph, leaves, |label| label.deeds.call.is_none());
        let mut worker = self.worker();
        let (mut bytes, mut state) = (Vec::new(), State::default());
        let mut best: Option<(usize, Vec<u8>, u128, NodeId)> = None;
        for node in (0..graph.size()).filter(|node| !goes_on[*node]) {
            let standing = graph.standing(node);
            if standing.idle == everybody || !standing.may_end {
                continue;
            }
            self.store.copy(graph.place(node), &mut bytes);
            worker.read(&bytes, &mut state);
            for (place, monitor) in self.store.nodes_of(&bytes) {
                if monitor == REJECTED || !worker.is_illegal_end(&state, monitor).map_err(NoGraph::Spec)? {
                    continue;
                }
                let found = (self.level_of(place), bytes.clone(), worker.watcher.digest(monitor), place);
                if best.as_ref().is_none_or(|best| found < *best) {
                    best = Some(found);
                }
            }
        }
        Ok(best.map(|(_, _, _, node)| node))
    }

    fn stuck_in(&self, graph: &Graph) -> Vec<StuckState> {
        let everybody = (0..graph.threads).fold(0, |mask, thread| mask | 1u16 << thread);
        let mut found: Vec<(usize, Vec<u8>, StuckState)> = Vec::new();
        let leaves = |node: usize| graph.standing(node).leaves;
        for (node, goes_on) in going_on(graph, leaves, |_| true).into_iter().enumerate() {
            if goes_on || graph.standing(node).idle == everybody {
                continue;
            }
            let place = graph.place(node);
            let mut bytes = Vec::new();
            self.store.copy(place, &mut bytes);
            let (moves, spins) = (self.level_of(place), graph.edges(node).next().is_some());
            found.push((moves, bytes, StuckState { node: place, moves, spins }));
        }
        found.sort_unstable_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
        found.into_iter().map(|(_, _, state)| state).collect()
    }

    /// The level of a node: the fewest moves that lead there.
    pub fn level_of(&self, node: NodeId) -> usize {
        self.levels.partition_point(|level| level[node.shard as usize] <= node.place) - 1
    }
}

/// By node: whether some continuation, along edges that count, completes a call, or leaves what is known.
fn going_on(graph: &Graph, leaves: impl Fn(usize) -> bool, counts: impl Fn(&Label) -> bool) -> Vec<bool> {
    let size = graph.size();
    let edges = |node: usize| graph.edges(node).filter(|(_, label)| counts(label));
    let completes = |node: usize| leaves(node) || edges(node).any(|(_, label)| label.deeds.returned != 0);
    let mut goes_on: Vec<bool> = (0..size).map(completes).collect();
    // Predecessors, list after list.
    let mut starts = vec![0u32; size + 1];
    for node in 0..size {
        edges(node).for_each(|(edge, _)| starts[edge.to as usize + 1] += 1);
    }
    for node in 0..size {
        starts[node + 1] += starts[node];
    }
    let mut predecessors = vec![0u32; graph.number_of_edges()];
    let mut next = starts.clone();
    for node in 0..size {
        for (edge, _) in edges(node) {
            let at = &mut next[edge.to as usize];
            predecessors[*at as usize] = number_of(node);
            *at += 1;
        }
    }
    let mut work: Vec<u32> = (0..number_of(size)).filter(|node| goes_on[*node as usize]).collect();
    while let Some(node) = work.pop() {
        for &before in &predecessors[starts[node as usize] as usize..starts[node as usize + 1] as usize] {
            if !std::mem::replace(&mut goes_on[before as usize], true) {
                work.push(before);
            }
        }
    }
    goes_on
}
