//! Compares states without ghosts: the views of [`Obligation::Assertions`](crate::certificate::Obligation)
//! need none.

use super::gamma::{Classes, Ghosts, Views};
use super::graph::Graph;
use super::refused::GateRefused;
use crate::certificate::{Invariant, Rest};

/// Compares all states with the views of an invariant that has no ghosts.
pub fn compare(
    graph: &Graph,
    rests: &[Rest],
    invariant: &Invariant,
    go_on: &dyn Fn() -> bool,
) -> Result<(), GateRefused> {
    let question = invariant.question;
    for cut in graph.cuts() {
        let views = Views::new(graph.layout, rests, invariant, Classes { variables: Vec::new(), cut });
        for node in graph.node_ids() {
            if node % 1024 == 0 && !go_on() {
                return Err(GateRefused::Interrupted);
            }
            let mut scene = views.scene(graph.record(node));
            let ghosts = Ghosts { location: 0, used: 0, calls: &[], watched: None };
            if let Some(threads) = views.outside(&mut scene, &ghosts) {
                return Err(GateRefused::Outside {
                    question,
                    threads,
                    execution: graph.execution_to(node, None),
                });
            }
        }
    }
    Ok(())
}
