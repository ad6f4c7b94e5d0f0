//! Decides one order problem with one search, and explains the result.

use crate::call::CallId;
use crate::search::{Ended, OrderProblem, Search};
use crate::spec::Specification;
use crate::verdict::{
    Broken, Budget, DeadEnd, Enabled, Explanation, ExplanationOf, OrderOf, OutOfBudget, Way,
};

/// The answer to an order problem.
pub(crate) enum Decided<S: Specification> {
    Order(OrderOf<S>),
    None(ExplanationOf<S>),
    Unknown(OutOfBudget),
}

/// Returns how many ends an explanation shows: several for a few calls, one for a long history.
pub(crate) fn shown<S: Specification>(problem: OrderProblem<S>) -> usize {
    if problem.set.completed().len() <= 500 { 8 } else { 1 }
}

/// Searches for an order after which the waiting call, if there is one, cannot take effect. Also returns the
/// number of configurations visited.
pub(crate) fn decide<S: Specification>(
    problem: OrderProblem<S>,
    waiting: Option<CallId>,
    budget: Budget,
) -> Result<(Decided<S>, usize), S::Error> {
    let mut search = Search::new(problem, budget);
    let decided = match run(&mut search, waiting)? {
        Ended::Accepted(end) => Decided::Order(search.legal_order(end)?),
        Ended::Exhausted => Decided::None(explain(&search, waiting)?),
        Ended::OutOfBudget(limit) => Decided::Unknown(limit),
    };
    Ok((decided, search.visited()))
}

/// Runs a search that accepts each state in which the waiting call, if there is one, cannot take effect.
pub(crate) fn run<S: Specification>(
    search: &mut Search<S>,
    waiting: Option<CallId>,
) -> Result<Ended, S::Error> {
    let oracle = search.problem().oracle;
    search.run(|state: &S::State| match waiting {
        Some(call) => Ok(oracle.results_now(state, call)?.is_empty()),
        None => Ok(true),
    })
}

/// Explains why a search that visited everything found no order.
pub(crate) fn explain<S: Specification>(
    search: &Search<S>,
    waiting: Option<CallId>,
) -> Result<ExplanationOf<S>, S::Error> {
    match waiting.filter(|_| search.has_complete_order()) {
        Some(call) => unjustified(search, call),
        None => no_order(search),
    }
}

/// Records in an explanation that these calls alone have no order.
pub(crate) fn among<State, Ret>(
    explanation: Explanation<State, Ret>,
    calls: Vec<CallId>,
) -> Explanation<State, Ret> {
    match explanation {
        Explanation::NoOrder { dead_ends, omitted, .. } => {
            Explanation::NoOrder { among: Some(calls), dead_ends, omitted }
        }
        other => other,
    }
}

fn unjustified<S: Specification>(search: &Search<S>, call: CallId) -> Result<ExplanationOf<S>, S::Error> {
    let oracle = search.problem().oracle;
    let deepest = search.deepest();
    let mut ends = Vec::new();
    for &end in deepest.iter().take(shown(search.problem())) {
        let order = search.legal_order(end)?;
        ends.push(Enabled { results: oracle.results_now(&order.state, call)?, order });
    }
    Ok(Explanation::Unjustified { call, omitted: deepest.len() - ends.len(), ends })
}

fn no_order<S: Specification>(search: &Search<S>) -> Result<ExplanationOf<S>, S::Error> {
    let deepest = search.deepest();
    let mut dead_ends = Vec::new();
    for &end in deepest.iter().take(shown(search.problem())) {
        let order = search.legal_order(end)?;
        let ways = ways(search, &search.next(&search.taken(end)), &order)?;
        dead_ends.push(DeadEnd { order, ways });
    }
    Ok(Explanation::NoOrder { among: None, omitted: deepest.len() - dead_ends.len(), dead_ends })
}

/// Returns every way to continue an order with a completed call.
fn ways<S: Specification>(
    search: &Search<S>,
    next: &[CallId],
    order: &OrderOf<S>,
) -> Result<Vec<Way<S::Ret>>, S::Error> {
    let OrderProblem { oracle, set, .. } = search.problem();
    let moves = oracle.moves(next);
    let mut ways = Vec::new();
    for calls in &moves {
        if !calls.iter().any(|&call| set.must_take(call)) {
            continue;
        }
        let outcomes = oracle.outcomes(&order.state, calls)?;
        let mut results: Vec<Vec<S::Ret>> = outcomes.into_iter().map(|outcome| outcome.results).collect();
        results.sort();
        results.dedup();
        let broken = if results.is_empty() { Broken::NotEnabled } else { Broken::Results(results) };
        ways.push(Way { calls: calls.to_vec(), broken });
    }
    let is_alone = |call: &CallId| !moves.iter().any(|calls| calls.contains(call));
    for call in next.iter().copied().filter(|&call| set.must_take(call)).filter(is_alone) {
        ways.push(Way { calls: vec![call], broken: Broken::NoPartner });
    }
    Ok(ways)
}
