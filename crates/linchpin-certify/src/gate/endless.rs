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
    let can_return = Backwards::of(graph).can_return(graph);
    graph.node_ids().find(|node| {
        let record = graph.record(*node);
        let threads = graph.layout.threads;
        let mut pending = (0..threads).filter(|thread| record.place(*thread).is_some()).peekable();
        pending.peek().is_some() && pending.all(|thread| !can_return[*node as usize * threads + thread])
    })
}

/// The edges of a graph, by target node.
struct Backwards {
    first: Vec<usize>,
    /// The source node and the renaming of each edge.
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
                edges[*slot] = (node, edge.cells);
                *slot += 1;
            }
        }
        Backwards { first, edges }
    }

    /// Returns for each node and thread whether its pending call can return, or the instance can be left.
    fn can_return(&self, graph: &Graph) -> Vec<bool> {
        let threads = graph.layout.threads;
        let mut can = vec![false; graph.nodes() * threads];
        let mut open = Vec::new();
        for node in graph.node_ids() {
            for thread in 0..threads {
                let returns = |edge: &super::graph::Edge| {
                    let label = &graph.labels[edge.label as usize];
                    label.thread == thread && label.returned.is_some()
                };
                if graph.leaves[node as usize] || graph.edges(node).iter().any(returns) {
                    can[node as usize * threads + thread] = true;
                    open.push((node, thread));
                }
            }
        }
        while let Some((node, thread)) = open.pop() {
            // Where the thread is idle, later steps belong to another call.
            if graph.record(node).place(thread).is_none() && !graph.leaves[node as usize] {
                continue;
            }
            for (from, moved) in &self.edges[self.first[node as usize]..self.first[node as usize + 1]] {
                let names = &graph.moves[*moved as usize].threads;
                let Some(before) = names.iter().position(|after| *after == thread) else { continue };
                let at = *from as usize * threads + before;
                if !can[at] {
                    can[at] = true;
                    open.push((*from, before));
                }
            }
        }
        can
    }
}
