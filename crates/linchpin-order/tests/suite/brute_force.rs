//! The reference: every permutation of the calls, checked against the definitions.

use crate::objects::{Object, Op};
use linchpin_order::{CallId, Consistency, Ending, History, Sequential};

pub type ObjectHistory = History<Op, Option<u8>>;

pub fn is_legal(object: Object, history: &ObjectHistory, consistency: Consistency, ending: Ending) -> bool {
    let pending: Vec<CallId> = history.pending().collect();
    let completed: Vec<CallId> = history.calls().ids().filter(|id| !pending.contains(id)).collect();
    let all: Vec<CallId> = history.calls().ids().collect();
    match ending {
        Ending::Stuck if !pending.is_empty() => pending.iter().all(|&call| {
            let present = [completed.clone(), vec![call]].concat();
            orders(object, history, consistency, present).all(|orders| {
                orders.any(&completed, |state| {
                    let with = |other: &CallId| {
                        effects(object, history, state, &[call, *other]).is_empty()
                            && effects(object, history, state, &[*other, call]).is_empty()
                    };
                    effects(object, history, state, &[call]).is_empty() && pending.iter().all(with)
                })
            })
        }),
        _ => orders(object, history, consistency, all).all(|orders| {
            let mut some = subsets(&pending).into_iter();
            some.any(|some| orders.any(&[completed.clone(), some].concat(), |_| true))
        }),
    }
}

/// Checks that effects are a legal order of all completed and some pending calls.
pub fn is_order(
    object: Object,
    history: &ObjectHistory,
    consistency: Consistency,
    effects: &[Vec<CallId>],
) -> bool {
    let taken: Vec<CallId> = effects.concat();
    let all = history.calls().ids().collect();
    let Some(orders) = orders(object, history, consistency, all).next() else { return false };
    let is_kept =
        (0..taken.len()).all(|at| taken[at..].iter().all(|&later| !orders.precedes(later, taken[at])));
    let mut states = object.initial();
    for calls in effects {
        states = states.iter().flat_map(|state| self::effects(object, history, state, calls)).collect();
    }
    let is_complete = history.calls().entries().all(|(id, call)| call.is_pending() || taken.contains(&id));
    is_kept && is_complete && !states.is_empty()
}

/// The orders of some calls that keep a precedence among the calls that are present.
struct Orders<'a> {
    object: Object,
    history: &'a ObjectHistory,
    consistency: Consistency,
    /// The moments between events without pending calls.
    moments: Vec<usize>,
}

/// One for each barrier; one for the other properties.
fn orders(
    object: Object,
    history: &ObjectHistory,
    consistency: Consistency,
    present: Vec<CallId>,
) -> impl Iterator<Item = Orders<'_>> {
    let is_quiescent = |at: &usize| {
        present.iter().map(|&id| history.call(id)).all(|call| {
            call.called >= *at || call.returned.as_ref().is_some_and(|returned| returned.event < *at)
        })
    };
    let moments: Vec<usize> = (0..=history.events()).filter(is_quiescent).collect();
    let chosen = match consistency {
        Consistency::Barrier => moments.into_iter().map(|moment| vec![moment]).collect(),
        _ => vec![moments],
    };
    chosen.into_iter().map(move |moments| Orders { object, history, consistency, moments })
}

impl Orders<'_> {
    fn precedes(&self, first: CallId, second: CallId) -> bool {
        let (a, b) = (self.history.call(first), self.history.call(second));
        let end = a.returned.as_ref().map(|returned| returned.event);
        match self.consistency {
            Consistency::Linearizable => end.is_some_and(|end| end < b.called),
            Consistency::Sequential => a.thread == b.thread && a.called < b.called,
            Consistency::Quiescent | Consistency::Barrier => {
                let is_between = |at: &usize| end.is_some_and(|end| end < *at) && *at <= b.called;
                self.moments.iter().any(is_between)
            }
        }
    }

    /// Checks whether some legal order of the calls ends in an accepted state.
    fn any(&self, calls: &[CallId], accept: impl Fn(&Vec<u8>) -> bool) -> bool {
        self.object.initial().iter().any(|state| self.extend(calls, state, &accept))
    }

    fn extend(&self, rest: &[CallId], state: &Vec<u8>, accept: &dyn Fn(&Vec<u8>) -> bool) -> bool {
        if rest.is_empty() {
            return accept(state);
        }
        let is_first = |call: CallId| rest.iter().all(|&other| !self.precedes(other, call));
        let first: Vec<CallId> = rest.iter().copied().filter(|&call| is_first(call)).collect();
        let alone = first.iter().map(|&call| vec![call]);
        let pairs = first.iter().flat_map(|&one| first.iter().map(move |&other| vec![one, other]));
        alone.chain(pairs).any(|calls| {
            let left: Vec<CallId> = rest.iter().copied().filter(|call| !calls.contains(call)).collect();
            let after = effects(self.object, self.history, state, &calls);
            after.iter().any(|state| self.extend(&left, state, accept))
        })
    }
}

/// Returns the states after the calls take effect together, with the results that completed calls returned.
fn effects(object: Object, history: &ObjectHistory, state: &Vec<u8>, calls: &[CallId]) -> Vec<Vec<u8>> {
    let has_returned = |results: &[Option<u8>]| {
        calls.iter().zip(results).all(|(&call, result)| {
            history.call(call).returned.as_ref().is_none_or(|returned| returned.result == *result)
        })
    };
    let outcomes: Vec<(Vec<u8>, Vec<Option<u8>>)> = match calls {
        [call] => {
            let outcomes = object.outcomes(state, &history.call(*call).op).into_iter();
            outcomes.map(|(state, result)| (state, vec![result])).collect()
        }
        [one, other] if history.call(*one).thread != history.call(*other).thread => {
            object.outcomes_together(state, &[&history.call(*one).op, &history.call(*other).op])
        }
        _ => vec![],
    };
    outcomes.into_iter().filter(|(_, results)| has_returned(results)).map(|(state, _)| state).collect()
}

fn subsets(calls: &[CallId]) -> Vec<Vec<CallId>> {
    calls.iter().fold(vec![vec![]], |all, &call| {
        all.iter().flat_map(|some| [some.clone(), [&some[..], &[call]].concat()]).collect()
    })
}
