//! Judges histories by every order of their calls. An order is compared with the definitions when it is
//! complete.
//!
//! A history is legal iff some order keeps the precedence of the property, is a run of the specification, and
//! explains the results. A stuck history is legal iff that holds for each pending call alone: there is an
//! order of the completed calls after which the pending call cannot take effect, by itself or with another
//! pending call. Nothing here is shared with the engine's monitor or with the search of `history`.

use linchpin_judge::history::{Call, CallId, Consistency, Ending, History, as_returned};
use linchpin_semantics::{Participant, SpecError, SpecMachine, SpecState};
use linchpin_testkit::precedence::{Precedence, groups, subsets};

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
    let orders = |present: Vec<CallId>| Orders {
        spec,
        precedence: Precedence { history, consistency, barrier, present },
    };
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
    precedence: Precedence<'a>,
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
            return Ok(self.precedence.is_kept(order) && accept(state)?);
        }
        let history = self.precedence.history;
        for together in groups(history, rest) {
            for (after, results) in self.effects(state, &together)? {
                let mut returned = together.iter().map(|id| history.call(*id)).zip(&results);
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
        let calls: Vec<&Call> = calls.iter().map(|id| self.precedence.history.call(*id)).collect();
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
}
