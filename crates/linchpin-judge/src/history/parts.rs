//! A history of an object that is a product, key by key.
//!
//! Where the specification is [keyed](super::structure), an order of all calls is legal iff its restriction to each key is.
//! So the keys can be judged apart, if their orders can be put together again without breaking the precedence. For
//! interval orders they can (locality; Herlihy and Wing 1990, theorem 1): give the i-th call of a key's order the *point*
//! max { start of j | j ≤ i in that order }. It lies within the call's interval, since a call that ends before j starts
//! cannot follow j; so calls of any keys in the order of their points keep the precedence, and each key's order is kept.
//! The intervals are those of the whole history, also where they are periods between quiescent moments.
//!
//! The order of each thread is no interval order: sequential consistency is not local, and never judged so.

use super::ask::{Ask, Calls};
use super::decide::{Decided, decide};
use super::judgement::{Budget, Effect, Explanation, LegalOrder, Limit, OutOfBudget};
use super::precedence::{Edges, Interval};
use super::record::{Call, CallId};
use super::roster::Roster;
use super::search::OrderProblem;
use linchpin_ir::index::IndexVec;
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::{SpecError, SpecState};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Which words of an operation's arguments are its key.
pub(super) type Keys = IndexVec<OpId, Range<usize>>;

/// Decides key by key, if that is possible here; also says how many configurations were visited.
pub(super) fn decide_by_key(
    keys: &Keys,
    question: OrderProblem,
    waiting: Option<CallId>,
    budget: Budget,
) -> Result<Option<(Decided, usize)>, SpecError> {
    let OrderProblem { ask, precedence, roster, .. } = question;
    let Some(intervals) = precedence.intervals() else { return Ok(None) };
    // With several initial states the keys would have to agree on one.
    let Ok([initial]) = <[SpecState; 1]>::try_from(ask.initial()?) else { return Ok(None) };
    let mut visited = 0;
    let mut unknown = None;
    let mut orders = Vec::new();
    for part in parts(keys, ask, roster, waiting) {
        let roster = Roster::new(ask.history(), part.calls.iter().copied());
        let question = OrderProblem { ask, precedence, edges: &Edges::default(), roster: &roster };
        let left = budget.configurations.saturating_sub(visited);
        let (decided, more) = decide(question, part.waiting, Budget { configurations: left, ..budget })?;
        visited += more;
        match decided {
            Decided::Order(order) => orders.push(order.effects),
            // One key is enough, also where another one is not known.
            Decided::None(explanation) => {
                return Ok(Some((Decided::None(among(explanation, part.calls)), visited)));
            }
            Decided::Unknown(limit) => unknown = Some(OutOfBudget { configurations: visited, ..limit }),
        }
        if unknown.is_some_and(|limit| limit.limit == Limit::Stopped) {
            break;
        }
    }
    if let Some(limit) = unknown {
        return Ok(Some((Decided::Unknown(limit), visited)));
    }
    let effects = merge(intervals, orders);
    let order = follow(ask, initial, effects, waiting, budget)?;
    Ok(order.map(|order| (Decided::Order(order), visited)))
}

/// Says among which calls there is no order.
pub(super) fn among(explanation: Explanation, calls: Vec<CallId>) -> Explanation {
    match explanation {
        Explanation::NoOrder { dead_ends, omitted, .. } => {
            Explanation::NoOrder { among: Some(calls), dead_ends, omitted }
        }
        other => other,
    }
}

/// The calls with one key.
struct Part {
    calls: Vec<CallId>,
    waiting: Option<CallId>,
}

/// In the order of their first calls.
fn parts(keys: &Keys, ask: &Ask, roster: &Roster, waiting: Option<CallId>) -> Vec<Part> {
    let history = ask.history();
    let mut numbers: FxHashMap<&[Word], usize> = FxHashMap::default();
    let mut parts: Vec<Part> = Vec::new();
    let mut part_of = |parts: &mut Vec<Part>, call: CallId| {
        *numbers.entry(key(keys, history.call(call))).or_insert_with(|| {
            parts.push(Part { calls: Vec::new(), waiting: None });
            parts.len() - 1
        })
    };
    let mut calls: Vec<CallId> = roster.calls().collect();
    calls.sort();
    for call in calls {
        let at = part_of(&mut parts, call);
        parts[at].calls.push(call);
    }
    if let Some(call) = waiting {
        let at = part_of(&mut parts, call);
        parts[at].waiting = Some(call);
    }
    parts
}

fn key<'c>(keys: &Keys, call: &'c Call) -> &'c [Word] {
    call.args.get(keys[call.op].clone()).unwrap_or(&[])
}

/// All orders in one, by their points.
fn merge(intervals: &IndexVec<CallId, Interval>, orders: Vec<Vec<Effect>>) -> Vec<Effect> {
    let mut points = Vec::new();
    for effects in orders {
        let mut point = 0;
        for effect in effects {
            // Keyed operations take effect one by one.
            point = effect.calls.iter().map(|&call| intervals[call].start).fold(point, usize::max);
            points.push((point, effect));
        }
    }
    // Stable: equal points are of one key, or of one period.
    points.sort_by_key(|(point, _)| *point);
    points.into_iter().map(|(_, effect)| effect).collect()
}

/// Runs an order through the specification. `None` if it was stopped, or if the order is not legal after all, which the law above
/// excludes: whoever asked searches the whole then, and finds out which.
fn follow(
    ask: &Ask,
    initial: SpecState,
    effects: Vec<Effect>,
    waiting: Option<CallId>,
    budget: Budget,
) -> Result<Option<LegalOrder>, SpecError> {
    let mut states = vec![initial];
    for effect in &effects {
        if budget.is_stopped() {
            return Ok(None);
        }
        let calls: Calls = effect.calls.iter().copied().collect();
        let mut after = Vec::new();
        for state in &states {
            let outcomes = ask.outcomes(state, &calls)?.into_iter();
            after.extend(outcomes.filter(|o| o.results == effect.results).map(|outcome| outcome.state));
        }
        after.sort();
        after.dedup();
        states = after;
    }
    for state in states {
        let can_wait = match waiting {
            Some(call) => ask.results_now(&state, call)?.is_empty(),
            None => true,
        };
        if can_wait {
            return Ok(Some(LegalOrder { effects, state }));
        }
    }
    Ok(None)
}
