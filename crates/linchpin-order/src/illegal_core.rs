//! Finds a few calls of a container that have no legal order, among many calls.
//!
//! Claim: if some particles have no legal order, the whole history has none. Proof: a
//! [projection](crate::Structure::Container) of a legal order is legal. So a reader needs to see these
//! particles only.
//!
//! The search leaves out as many particles as possible, in halves, then quarters, and so on (Zeller and
//! Hildebrandt 2002). The rest has no legal order, and no single particle of it can be left out.

use crate::call_set::CallSet;
use crate::decide::run;
use crate::search::{Ended, OrderProblem, Search};
use crate::spec::Specification;
use crate::value_pairs::{ParticleId, ValuePairs};
use crate::verdict::Budget;

/// The number of configurations for one attempt to leave out particles.
const ATTEMPT: usize = 50_000;

/// Returns particles that have no legal order. All particles together have none.
pub(crate) fn shrink<S: Specification>(
    problem: OrderProblem<S>,
    pairs: &ValuePairs<S>,
    budget: Budget,
) -> Result<Vec<ParticleId>, S::Error> {
    let mut kept = pairs.particles().ids();
    let mut chunks = 2;
    let mut left = budget.configurations;
    while kept.len() > 1 && left > 0 && !budget.is_stopped() {
        let size = kept.len().div_ceil(chunks);
        let mut at = 0;
        let mut has_shrunk = false;
        while at < kept.len() {
            let end = (at + size).min(kept.len());
            let rest: Vec<ParticleId> = [&kept[..at], &kept[end..]].concat();
            let attempt = Budget { configurations: ATTEMPT.min(left), ..budget };
            let (is_impossible, visited) = is_impossible(problem, pairs, &rest, attempt)?;
            left = left.saturating_sub(visited.max(1));
            if is_impossible {
                kept = rest;
                has_shrunk = true;
            } else {
                at = end;
            }
        }
        if !has_shrunk && size == 1 {
            break;
        }
        chunks = if has_shrunk { 2.max(chunks / 2) } else { chunks * 2 };
    }
    Ok(kept)
}

fn is_impossible<S: Specification>(
    problem: OrderProblem<S>,
    pairs: &ValuePairs<S>,
    some: &[ParticleId],
    budget: Budget,
) -> Result<(bool, usize), S::Error> {
    let set = CallSet::new(problem.oracle.history(), pairs.particles().calls(some));
    let edges = pairs.edges_within(some);
    let mut search = Search::new(OrderProblem { set: &set, edges: &edges, ..problem }, budget);
    let ended = run(&mut search, None)?;
    Ok((matches!(ended, Ended::Exhausted), search.visited()))
}
