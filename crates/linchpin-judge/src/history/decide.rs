//! One question, decided by one search, with its reasons.

use super::judgement::{
    Broken, Budget, DeadEnd, Enabled, Explanation, LegalOrder, OutOfBudget, Results, Way,
};
use super::record::CallId;
use super::search::{Ended, OrderProblem, Search};
use linchpin_semantics::SpecError;

/// What became of a question.
#[derive(Debug)]
pub(super) enum Decided {
    Order(LegalOrder),
    None(Explanation),
    Unknown(OutOfBudget),
}

/// How many dead ends, or ends at which a stuck call could go on, an explanation shows: several of a few calls, one of a
/// long history.
fn shown(search: &Search) -> usize {
    if search.question().roster.completed().len() <= 500 { 8 } else { 1 }
}

/// Searches for an order of the roster after which the waiting call, if there is one, cannot happen. Also says how many
/// configurations were visited.
pub(super) fn decide(
    question: OrderProblem,
    waiting: Option<CallId>,
    budget: Budget,
) -> Result<(Decided, usize), SpecError> {
    let mut search = Search::new(question, budget);
    let decided = match run(&mut search, waiting)? {
        Ended::Accepted(end) => Decided::Order(search.legal_order(end)?),
        Ended::Exhausted => Decided::None(explain(&search, waiting)?),
        Ended::OutOfBudget(limit) => Decided::Unknown(limit),
    };
    Ok((decided, search.visited()))
}

pub(super) fn run(search: &mut Search, waiting: Option<CallId>) -> Result<Ended, SpecError> {
    let ask = search.question().ask;
    search.run(|state| match waiting {
        Some(call) => Ok(ask.results_now(state, call)?.is_empty()),
        None => Ok(true),
    })
}

/// Why a search that visited everything found nothing.
pub(super) fn explain(search: &Search, waiting: Option<CallId>) -> Result<Explanation, SpecError> {
    match waiting.filter(|_| search.has_complete_order()) {
        Some(call) => unjustified(search, call),
        None => no_order(search),
    }
}

fn unjustified(search: &Search, call: CallId) -> Result<Explanation, SpecError> {
    let ask = search.question().ask;
    let deepest = search.deepest();
    let mut ends = Vec::new();
    for &end in deepest.iter().take(shown(search)) {
        let order = search.legal_order(end)?;
        ends.push(Enabled { results: ask.results_now(&order.state, call)?, order });
    }
    Ok(Explanation::Unjustified { call, omitted: deepest.len() - ends.len(), ends })
}

fn no_order(search: &Search) -> Result<Explanation, SpecError> {
    let deepest = search.deepest();
    let mut dead_ends = Vec::new();
    for &end in deepest.iter().take(shown(search)) {
        let order = search.legal_order(end)?;
        let ways = ways(search, &search.next(&search.progress(end)), &order)?;
        dead_ends.push(DeadEnd { order, ways });
    }
    Ok(Explanation::NoOrder { among: None, omitted: deepest.len() - dead_ends.len(), dead_ends })
}

/// Every way to go on with a completed call.
fn ways(search: &Search, next: &[CallId], order: &LegalOrder) -> Result<Vec<Way>, SpecError> {
    let OrderProblem { ask, roster, .. } = search.question();
    let moves = ask.moves(next);
    let mut ways = Vec::new();
    for calls in &moves {
        if !calls.iter().any(|&call| roster.must_take(call)) {
            continue;
        }
        let outcomes = ask.outcomes(&order.state, calls)?;
        let mut results: Vec<Results> = outcomes.into_iter().map(|outcome| outcome.results).collect();
        results.sort();
        results.dedup();
        let broken = if results.is_empty() { Broken::NotEnabled } else { Broken::Results(results) };
        ways.push(Way { calls: calls.to_vec(), broken });
    }
    let is_alone = |call: &CallId| !moves.iter().any(|calls| calls.contains(call));
    for call in next.iter().copied().filter(|&call| roster.must_take(call)).filter(is_alone) {
        ways.push(Way { calls: vec![call], broken: Broken::NoPartner });
    }
    Ok(ways)
}
