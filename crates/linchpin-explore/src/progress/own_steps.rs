//! The largest number of own steps of a call, whatever other threads do: a longest path.
//!
//! Where an object is wait-free, the tracked thread steps on no cycle. So in the product graph the steps of
//! the tracked thread are counted along paths through components. Within a component there are no such steps.

use super::cycles::for_each_component;
use super::rule::{ProductGraph, TrackedThread};
use crate::expand::bit;
use linchpin_ir::index::Index;

/// Returns for each operation the largest number of own steps of a call, from its beginning to its return or
/// cut. `product` is the product graph of wait-freedom, and has no bad component.
pub fn own_steps(product: &ProductGraph<'_>, operations: usize) -> Vec<u64> {
    const OPEN: u32 = u32::MAX;
    let graph = product.graph;
    let mut ahead = vec![OPEN; graph.size() * graph.threads];
    for_each_component(product, &mut |members| {
        let mut most = 0;
        for &number in members {
            let (node, tracked) = product.split(number);
            if graph.status(node).idle & bit(tracked.thread) != 0 {
                continue;
            }
            for (edge, label) in graph.edges(node) {
                let own = u32::from(label.summary.steps[tracked.thread]);
                let rest = if label.summary.returned & bit(tracked.thread) != 0 {
                    0
                } else {
                    ahead[product.join(edge.to as usize, product.renamed(tracked, label))]
                };
                // Steps within the component are not counted.
                if rest != OPEN {
                    most = most.max(own + rest);
                }
            }
        }
        members.iter().for_each(|&number| ahead[number] = most);
    });
    let mut most = vec![0u64; operations];
    for node in 0..graph.size() {
        for (edge, label) in graph.edges(node) {
            let Some((caller, op)) = label.summary.call else { continue };
            let caller = TrackedThread { thread: caller as usize, has_passed: false };
            let own = u64::from(label.summary.steps[caller.thread]);
            let rest = if label.summary.returned & bit(caller.thread) != 0 {
                0
            } else {
                u64::from(ahead[product.join(edge.to as usize, product.renamed(caller, label))])
            };
            let known = &mut most[op.index()];
            *known = (*known).max(own + rest);
        }
    }
    most
}
