//! Judges a history of a product of objects key by key.
//!
//! Claim: if the specification is [keyed](crate::Structure::Keyed) and the precedence is an interval order,
//! the keys can be judged one by one.
//!
//! Proof (locality; Herlihy and Wing 1990, theorem 1). An order of all calls is legal iff its restriction to
//! each key is. It remains to merge legal orders of the keys without breaking the precedence. Give the i-th
//! call of the order of a key the *point* max { start of j | j ≤ i in that order }. The point lies within the
//! interval of the call: a call that ends before j starts cannot follow j. So all calls in the order of their
//! points keep the precedence and the order of each key. The intervals are those of the whole history, also
//! where they are periods between quiescent moments.
//!
//! The order of each thread is not an interval order: sequential consistency is not local, and never judged
//! by key.
//!
//! *Dovetailed.* The keys get equal slices of the budget. The next slices are four times as large. So the
//! first key that is illegal decides, even if an earlier key takes long.
//!
//! Guarding tests: `the_search_agrees_with_brute_force`, `keys_apart_agree_with_the_whole`.

use crate::call::{CallId, CallMap};
use crate::call_set::CallSet;
use crate::decide::{Decided, among, decide};
use crate::oracle::Oracle;
use crate::precedence::{Edges, Interval};
use crate::search::OrderProblem;
use crate::spec::{Cells, Specification};
use crate::sweep;
use crate::unambiguous::Problem;
use crate::verdict::{Budget, Effect, Explanation, LegalOrder, Limit, OrderOf, OutOfBudget};
use rustc_hash::FxHashMap;

/// The number of configurations of the first slice of a key, besides two for each call.
const FIRST_SLICE: usize = 1024;

/// What is tried for each key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// The decider for the structure of a key, and nothing else.
    Deciders,
    /// The search, the decider, and one pass over the events.
    First,
    /// The search, and one pass over the events.
    Next,
}

/// Decides key by key; `None` if the keys cannot be judged apart. Also returns the number of configurations
/// visited.
pub(crate) fn decide_by_key<S: Specification>(
    keys: &CallMap<u32>,
    cells: Option<&Cells>,
    problem: OrderProblem<S>,
    waiting: Option<CallId>,
    budget: Budget,
) -> Result<Option<(Decided<S>, usize)>, S::Error> {
    let OrderProblem { oracle, precedence, set, .. } = problem;
    let Some(intervals) = precedence.intervals() else { return Ok(None) };
    // With several initial states the keys would have to agree on one.
    let Ok([initial]) = <[S::State; 1]>::try_from(oracle.spec().initial()?) else { return Ok(None) };
    let mut visited = 0;
    let mut orders = Vec::new();
    let mut open: Vec<KeyPartition> = partitions(keys, set, waiting);
    let mut slice = FIRST_SLICE;
    // The states of a log are large, and a search visits many of them.
    let mut round = if matches!(cells, Some(Cells::Logs(_))) { Round::Deciders } else { Round::First };
    while !open.is_empty() {
        let mut still_open = Vec::new();
        for part in open {
            let set = CallSet::new(oracle.history(), part.calls.iter().copied());
            let problem = OrderProblem { oracle, precedence, edges: &Edges::default(), set: &set };
            let left = budget.configurations.saturating_sub(visited);
            if left == 0 {
                let limit = OutOfBudget { configurations: visited, limit: Limit::Configurations };
                return Ok(Some((Decided::Unknown(limit), visited)));
            }
            let unambiguous = Problem { order: problem, intervals, budget };
            let slice = Budget { configurations: left.min(slice + 2 * part.calls.len()), ..budget };
            let answer = match (round, part.waiting) {
                (Round::Deciders, Some(_)) => None,
                (Round::Deciders, None) => unambiguous.cell(cells)?,
                (Round::First | Round::Next, _) => Some(decide(problem, part.waiting, slice)?),
            };
            let unknown = Decided::Unknown(OutOfBudget { configurations: 0, limit: Limit::Configurations });
            let (mut decided, more) = answer.unwrap_or((unknown, 0));
            visited += more;
            if round == Round::First
                && part.waiting.is_none()
                && matches!(decided, Decided::Unknown(_))
                && let Some((answer, more)) = unambiguous.cell(cells)?
            {
                visited += more;
                decided = answer;
            }
            if round != Round::Deciders && part.waiting.is_none() && matches!(decided, Decided::Unknown(_)) {
                let left = budget.configurations.saturating_sub(visited);
                let slice = Budget { configurations: left.min(slice.configurations), ..budget };
                if let Some((answer, more)) = sweep::decide(problem, intervals, slice)? {
                    visited += more;
                    decided = answer;
                }
            }
            match decided {
                Decided::Order(order) => orders.push(order.effects),
                // One illegal key suffices, even if another key is unknown.
                Decided::None(explanation) => {
                    let explanation = match explanation {
                        Explanation::NoOrder { among: Some(_), .. } => explanation,
                        _ => among(explanation, part.calls),
                    };
                    return Ok(Some((Decided::None(explanation), visited)));
                }
                Decided::Unknown(limit) if limit.limit == Limit::Stopped => {
                    let limit = OutOfBudget { configurations: visited, ..limit };
                    return Ok(Some((Decided::Unknown(limit), visited)));
                }
                Decided::Unknown(_) => still_open.push(part),
            }
        }
        open = still_open;
        if round != Round::Deciders {
            slice = slice.saturating_mul(4);
        }
        round = Round::Next;
    }
    let effects = merge(intervals, orders);
    let order = follow(oracle, initial, effects, waiting, budget)?;
    Ok(order.map(|order| (Decided::Order(order), visited)))
}

/// The calls with one key.
struct KeyPartition {
    calls: Vec<CallId>,
    waiting: Option<CallId>,
}

/// Returns the calls of each key, in the order of the first calls.
fn partitions(keys: &CallMap<u32>, set: &CallSet, waiting: Option<CallId>) -> Vec<KeyPartition> {
    let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
    let mut partitions: Vec<KeyPartition> = Vec::new();
    let mut partition_of = |partitions: &mut Vec<KeyPartition>, call: CallId| {
        *numbers.entry(keys[call]).or_insert_with(|| {
            partitions.push(KeyPartition { calls: Vec::new(), waiting: None });
            partitions.len() - 1
        })
    };
    let mut calls: Vec<CallId> = set.calls().collect();
    calls.sort();
    for call in calls {
        let at = partition_of(&mut partitions, call);
        partitions[at].calls.push(call);
    }
    if let Some(call) = waiting {
        let at = partition_of(&mut partitions, call);
        partitions[at].waiting = Some(call);
    }
    partitions
}

/// Merges the orders of all keys by their points.
fn merge<Ret>(intervals: &CallMap<Interval>, orders: Vec<Vec<Effect<Ret>>>) -> Vec<Effect<Ret>> {
    let mut points = Vec::new();
    for effects in orders {
        let mut point = 0;
        for effect in effects {
            // Keyed operations take effect one by one.
            point = effect.calls.iter().map(|&call| intervals[call].start).fold(point, usize::max);
            points.push((point, effect));
        }
    }
    // The sort is stable: equal points are of one key, or of one period.
    points.sort_by_key(|(point, _)| *point);
    points.into_iter().map(|(_, effect)| effect).collect()
}

/// Runs an order through the specification. `None` if the search was stopped or the order is not legal.
///
/// The claim above excludes an illegal order. If the specification breaks its promise, the caller searches
/// the whole history.
fn follow<S: Specification>(
    oracle: &Oracle<S>,
    initial: S::State,
    effects: Vec<Effect<S::Ret>>,
    waiting: Option<CallId>,
    budget: Budget,
) -> Result<Option<OrderOf<S>>, S::Error> {
    let mut states = vec![initial];
    for effect in &effects {
        if budget.is_stopped() {
            return Ok(None);
        }
        let mut after: Vec<S::State> = Vec::new();
        for state in &states {
            for outcome in oracle.outcomes(state, &effect.calls)? {
                if outcome.results == effect.results && !after.contains(&outcome.state) {
                    after.push(outcome.state);
                }
            }
        }
        states = after;
    }
    for state in states {
        let can_wait = match waiting {
            Some(call) => oracle.results_now(&state, call)?.is_empty(),
            None => true,
        };
        if can_wait {
            return Ok(Some(LegalOrder { effects, state }));
        }
    }
    Ok(None)
}
