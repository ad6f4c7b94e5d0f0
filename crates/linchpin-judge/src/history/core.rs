//! Few calls of a container that have no legal order, out of many.
//!
//! A [projection](super::structure) of a legal order is legal. So if some particles have no legal order, the whole history
//! has none, and they are all that a person needs to see. They are found by leaving out as many as possible, in halves, then
//! quarters, and so on (Zeller and Hildebrandt 2002): what remains has no legal order, and no single particle of it can
//! be left out.

use super::decide::run;
use super::judgement::Budget;
use super::pairs::{Pairs, ParticleId};
use super::roster::Roster;
use super::search::{Ended, OrderProblem, Search};
use linchpin_semantics::SpecError;

/// Configurations for one attempt to do without some particles.
const ATTEMPT: usize = 50_000;

/// Particles that have no legal order; all of them together have none.
pub(super) fn shrink(
    question: OrderProblem,
    pairs: &Pairs,
    budget: Budget,
) -> Result<Vec<ParticleId>, SpecError> {
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
            let (is_impossible, visited) = is_impossible(question, pairs, &rest, attempt)?;
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

fn is_impossible(
    question: OrderProblem,
    pairs: &Pairs,
    some: &[ParticleId],
    budget: Budget,
) -> Result<(bool, usize), SpecError> {
    let roster = Roster::new(question.ask.history(), pairs.particles().calls(some));
    let edges = pairs.edges_within(some);
    let mut search = Search::new(OrderProblem { roster: &roster, edges: &edges, ..question }, budget);
    let ended = run(&mut search, None)?;
    Ok((matches!(ended, Ended::Exhausted), search.visited()))
}
