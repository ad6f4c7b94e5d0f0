//! Enumerates all small acyclic graphs in which each node has at most one edge. The tests use them as an
//! oracle.

use super::relation::Relations;
use linchpin_certify::certificate::{APART, BEFORE, FAR, FAR_BEFORE, NEXT, SAME};

/// The target of each node's edge.
pub type Edges = [Option<usize>];

/// Visits every graph whose edges lead to smaller numbers. Each acyclic graph is one of these up to
/// renumbering.
pub fn for_each_forest(nodes: usize, visit: &mut impl FnMut(&Edges)) {
    let mut edges = vec![None; nodes];
    extend(&mut edges, 0, visit);
}

fn extend(edges: &mut Vec<Option<usize>>, node: usize, visit: &mut impl FnMut(&Edges)) {
    if node == edges.len() {
        visit(edges);
        return;
    }
    for target in std::iter::once(None).chain((0..node).map(Some)) {
        edges[node] = target;
        extend(edges, node + 1, visit);
    }
}

/// Returns the relation of two nodes.
pub fn relation(edges: &Edges, a: usize, b: usize) -> Relations {
    match (distance(edges, a, b), distance(edges, b, a)) {
        (Some(0), _) => SAME,
        (Some(1), _) => NEXT,
        (Some(_), _) => FAR,
        (_, Some(1)) => BEFORE,
        (_, Some(_)) => FAR_BEFORE,
        (None, None) => APART,
    }
}

/// Returns the number of edges on the chain from one node to another; `None` if there is no chain.
fn distance(edges: &Edges, from: usize, to: usize) -> Option<usize> {
    let chain = std::iter::successors(Some(from), |&node| edges[node]);
    chain.into_iter().position(|node| node == to)
}
