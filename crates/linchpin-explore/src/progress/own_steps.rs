//! The largest number of steps that a call takes itself, whatever others do: a longest path.
//!
//! Where an object is wait-free, the marked thread steps on no cycle. So in the graph of marked nodes the marked thread's steps
//! are counted along paths through components, and within a component there are none to count.

use super::super::deeds::bit;
use super::cycles::for_each_component;
use super::rule::{Mark, Marked};
use linchpin_ir::index::Index;

/// By operation: the largest number of own steps of a call, from its beginning to its return or to where it is cut. `marked`
/// is the graph of wait-freedom, and has no bad component.
pub fn own_steps(marked: &Marked<'_>, operations: usize) -> Vec<u64> {
    const OPEN: u32 = u32::MAX;
    let graph = marked.graph;
    let mut ahead = vec![OPEN; graph.size() * graph.threads];
    for_each_component(marked, &mut |members| {
        let mut most = 0;
        for &number in members {
            let (node, mark) = marked.split(number);
            if graph.standing(node).idle & bit(mark.thread) != 0 {
                continue;
            }
            for (edge, label) in graph.edges(node) {
                let own = u32::from(label.deeds.steps[mark.thread]);
                let rest = if label.deeds.returned & bit(mark.thread) != 0 {
                    0
                } else {
                    ahead[marked.join(edge.to as usize, marked.renamed(mark, label))]
                };
                // Within the component nothing is counted.
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
            let Some((caller, op)) = label.deeds.call else { continue };
            let caller = Mark { thread: caller as usize, has_passed: false };
            let own = u64::from(label.deeds.steps[caller.thread]);
            let rest = if label.deeds.returned & bit(caller.thread) != 0 {
                0
            } else {
                u64::from(ahead[marked.join(edge.to as usize, marked.renamed(caller, label))])
            };
            let known = &mut most[op.index()];
            *known = (*known).max(own + rest);
        }
    }
    most
}
