//! States from which no pending call can complete: all pending calls wait or spin for ever.
//!
//! For each thread a backward search from the returns of its call finds the states from which the call can
//! return. A state may lead out of the instance: no cell left, an age too large, a fault. Its successors are
//! not known, so it counts as such a state. Only a complete graph is judged.

use super::graph::Graph;

/// Returns the first node whose pending calls can never return; `None` if there is none, or if the graph is
/// not complete.
pub fn first(graph: &Graph) -> Option<u32> {
    if graph.depth.is_some() {
        return None;
    }
    let nodes = graph.nodes();
    let backwards = Backwards::of(graph);
    let mut hopeless = vec![true; nodes];
    let mut is_pending = vec![false; nodes];
    for thread in 0..graph.layout.threads {
        let can_return = backwards.can_return(graph, thread);
        for node in graph.node_ids() {
            let at = node as usize;
            if graph.record(node).place(thread).is_some() {
                is_pending[at] = true;
                hopeless[at] &= !can_return[at];
            }
        }
    }
    graph.node_ids().find(|node| is_pending[*node as usize] && hopeless[*node as usize])
}

/// The edges of a graph, by target node.
struct Backwards {
    first: Vec<usize>,
    /// The source node and the label of each edge.
    edges: Vec<(u32, u32)>,
}

impl Backwards {
    fn of(graph: &Graph) -> Backwards {
        let mut first = vec![0_usize; graph.nodes() + 1];
        for node in graph.node_ids() {
            for edge in graph.edges(node) {
                first[edge.to as usize + 1] += 1;
            }
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut next = first.clone();
        let mut edges = vec![(0, 0); graph.transitions()];
        for node in graph.node_ids() {
            for edge in graph.edges(node) {
                let slot = &mut next[edge.to as usize];
                edges[*slot] = (node, edge.label);
                *slot += 1;
            }
        }
        Backwards { first, edges }
    }

    /// Returns the nodes from which the pending call of a thread can return, or the instance can be left.
    fn can_return(&self, graph: &Graph, thread: usize) -> Vec<bool> {
        let mut can = vec![false; graph.nodes()];
        let mut open = Vec::new();
        for node in graph.node_ids() {
            let returns = |edge: &super::graph::Edge| {
                let label = &graph.labels[edge.label as usize];
                label.thread == thread && label.returned.is_some()
            };
            if graph.leaves[node as usize] || graph.edges(node).iter().any(returns) {
                can[node as usize] = true;
                open.push(node);
            }
        }
        while let Some(node) = open.pop() {
            // Where the thread is idle, later steps belong to another call.
            if graph.record(node).place(thread).is_none() && !graph.leaves[node as usize] {
                continue;
            }
            for (from, _) in &self.edges[self.first[node as usize]..self.first[node as usize + 1]] {
                if !can[*from as usize] {
                    can[*from as usize] = true;
                    open.push(*from);
                }
            }
        }
        can
    }
}
