//! Histories judged by every order of their calls, checked against the definitions after it is complete.
//!
//! Claim: a history is legal iff some order keeps the precedence of the property, is a run of the specification, and gives each
//! completed call its result; a stuck one iff each pending call alone, the others dropped, has an order of the completed calls
//! after which it cannot happen, by itself or with another pending call. Nothing here is shared with the engine's monitor or
//! with the search of `history`.

use linchpin_core::history::{Call, CallId, Consistency, Ending, History, as_returned};
use linchpin_core::semantics::{Participant, SpecError, SpecMachine, SpecState};

pub fn is_legal(
    spec: &SpecMachine,
    history: &History,
    consistency: Consistency,
    ending: Ending,
) -> Result<bool, SpecError> {
    let barriers = match consistency {
        Consistency::Barrier => 0..history.events().len() + 1,
        _ => 0..1,
    };
    for barrier in barriers {
        if !is_legal_with(spec, history, (consistency, barrier), ending)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_legal_with(
    spec: &SpecMachine,
    history: &History,
    (consistency, barrier): (Consistency, usize),
    ending: Ending,
) -> Result<bool, SpecError> {
    let pending: Vec<CallId> = history.pending().collect();
    let completed: Vec<CallId> = history.calls().ids().filter(|id| !pending.contains(id)).collect();
    let orders = |present: Vec<CallId>| Orders { spec, history, consistency, barrier, present };
    match ending {
        Ending::Open => {
            for some in subsets(&pending) {
                let all = history.calls().ids().collect();
                if orders(all).any(&[completed.clone(), some].concat(), &|_| Ok(true))? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Ending::Stuck if pending.is_empty() => orders(completed.clone()).any(&completed, &|_| Ok(true)),
        Ending::Stuck => {
            for &call in &pending {
                let own = orders([completed.clone(), vec![call]].concat());
                let waits = |state: &SpecState| {
                    let others = pending.iter().filter(|other| **other != call);
                    let groups = others.map(|other| vec![call, *other]).chain([vec![call]]);
                    for group in groups {
                        if !own.effects(state, &group)?.is_empty() {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                };
                if !own.any(&completed, &waits)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

struct Orders<'a> {
    spec: &'a SpecMachine,
    history: &'a History,
    consistency: Consistency,
    /// The one moment that counts, for `barrier-consistent`.
    barrier: usize,
    /// The calls that count as made.
    present: Vec<CallId>,
}

type Accept<'a> = dyn Fn(&SpecState) -> Result<bool, SpecError> + 'a;

impl Orders<'_> {
    /// Whether some legal order of the calls ends in a state that is accepted.
    fn any(&self, calls: &[CallId], accept: &Accept<'_>) -> Result<bool, SpecError> {
        for first in self.spec.initial()? {
            if self.extend(calls, &mut Vec::new(), &first, accept)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn extend(
        &self,
        rest: &[CallId],
        order: &mut Vec<Vec<CallId>>,
        state: &SpecState,
        accept: &Accept<'_>,
    ) -> Result<bool, SpecError> {
        if rest.is_empty() {
            return Ok(self.keeps_precedence(order) && accept(state)?);
        }
        let alone = rest.iter().map(|&call| vec![call]);
        let pairs =
            rest.iter().flat_map(|&a| rest.iter().map(move |&b| vec![a, b])).filter(|pair| pair[0] < pair[1]);
        for together in alone.chain(pairs) {
            let thread = |at: usize| self.history.call(together[at]).thread;
            if together.len() == 2 && thread(0) == thread(1) {
                continue;
            }
            for (after, results) in self.effects(state, &together)? {
                let mut returned = together.iter().map(|id| self.history.call(*id)).zip(&results);
                if !returned.all(|(call, result)| call.returned.as_ref().is_none_or(|r| r.result == *result))
                {
                    continue;
                }
                let left: Vec<CallId> =
                    rest.iter().copied().filter(|call| !together.contains(call)).collect();
                order.push(together.clone());
                let found = self.extend(&left, order, &after, accept)?;
                order.pop();
                if found {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// What calls that happen together lead to.
    fn effects(
        &self,
        state: &SpecState,
        calls: &[CallId],
    ) -> Result<Vec<(SpecState, Vec<Vec<i32>>)>, SpecError> {
        let calls: Vec<&Call> = calls.iter().map(|id| self.history.call(*id)).collect();
        let group: Vec<Participant<'_>> = calls
            .iter()
            .map(|call| Participant { op: call.op, args: &call.args, thread: call.thread })
            .collect();
        let program = self.spec.program();
        let outcomes = self.spec.outcomes(state, &group)?.into_iter().map(|outcome| {
            let results = group.iter().zip(outcome.results);
            (outcome.state, results.map(|(part, result)| as_returned(program, part.op, result)).collect())
        });
        Ok(outcomes.collect())
    }

    fn keeps_precedence(&self, order: &[Vec<CallId>]) -> bool {
        let place = |call: CallId| order.iter().position(|together| together.contains(&call));
        self.present.iter().all(|&a| {
            self.present.iter().all(|&b| match (place(a), place(b)) {
                (Some(x), Some(y)) => !self.precedes(a, b) || x < y,
                // A call that has not taken effect is not before one that has, unless it may still be pending.
                (None, Some(_)) => !self.precedes(a, b) || self.history.call(a).is_pending(),
                _ => true,
            })
        })
    }

    fn precedes(&self, a: CallId, b: CallId) -> bool {
        let (first, second) = (self.history.call(a), self.history.call(b));
        match self.consistency {
            Consistency::Linearizable => self.history.precedes(a, b),
            Consistency::Sequential => first.thread == second.thread && first.called < second.called,
            Consistency::Quiescent => {
                (0..self.history.events().len()).any(|moment| self.lies_between(moment, first, second))
            }
            Consistency::Barrier => self.lies_between(self.barrier, first, second),
        }
    }

    /// A moment without pending calls lies between two calls.
    fn lies_between(&self, moment: usize, first: &Call, second: &Call) -> bool {
        let is_over = |call: CallId| {
            self.history.call(call).returned.as_ref().is_some_and(|returned| returned.event < moment)
        };
        let is_quiet =
            self.present.iter().all(|&call| self.history.call(call).called >= moment || is_over(call));
        is_quiet && first.called < moment && second.called >= moment
    }
}

fn subsets(calls: &[CallId]) -> Vec<Vec<CallId>> {
    let mut all = vec![Vec::new()];
    for &call in calls {
        let with: Vec<Vec<CallId>> = all.iter().map(|some| [some.clone(), vec![call]].concat()).collect();
        all.extend(with);
    }
    all
}
