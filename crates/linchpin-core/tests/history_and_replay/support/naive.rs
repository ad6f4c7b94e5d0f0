//! The oracle: every order of the calls, checked against the definitions after it is complete.

use super::sequential::Sequential;
use linchpin_core::history::{Call, CallId, Consistency, Ending, History};
use linchpin_core::index::Index;
use linchpin_core::types::Word;

pub fn is_legal(spec: Sequential, history: &History, consistency: Consistency, ending: Ending) -> bool {
    let barriers = match consistency {
        Consistency::Barrier => 0..history.events().len() + 1,
        _ => 0..1,
    };
    barriers.into_iter().all(|barrier| is_legal_with(spec, history, (consistency, barrier), ending))
}

/// The same where only one moment can be a barrier.
fn is_legal_with(
    spec: Sequential,
    history: &History,
    (consistency, barrier): (Consistency, usize),
    ending: Ending,
) -> bool {
    let pending: Vec<CallId> = history.pending().collect();
    let completed: Vec<CallId> = history.calls().ids().filter(|id| !pending.contains(id)).collect();
    match ending {
        // Some pending calls took effect, the others did not.
        Ending::Open => subsets(&pending).into_iter().any(|some| {
            let all = history.calls().ids().collect();
            let orders = Orders { spec, history, consistency, barrier, present: all };
            orders.any([completed.clone(), some].concat(), &mut |_| true)
        }),
        Ending::Stuck if pending.is_empty() => {
            let orders = Orders { spec, history, consistency, barrier, present: completed.clone() };
            orders.any(completed, &mut |_| true)
        }
        // Each pending call by itself, as if the others had not been made; but it must not be able to meet one of them.
        Ending::Stuck => pending.iter().all(|&call| {
            let present = [completed.clone(), vec![call]].concat();
            let orders = Orders { spec, history, consistency, barrier, present };
            orders.any(completed.clone(), &mut |state| {
                let happens = |calls: &[CallId]| {
                    let calls = calls.iter().map(|id| history.call(*id));
                    let asked: Vec<_> = calls.map(|call| (call.op.index(), &call.args[..])).collect();
                    !spec.effects(state, &asked).is_empty()
                };
                let others = || pending.iter().filter(|other| **other != call);
                !happens(&[call]) && others().all(|&other| !happens(&[call, other]))
            })
        }),
    }
}

/// Whether an order of some calls, those that take effect together in one list, keeps the precedence of all.
pub fn keeps_precedence(history: &History, consistency: Consistency, order: &[Vec<CallId>]) -> bool {
    let present = history.calls().ids().collect();
    Orders { spec: Sequential::Queue, history, consistency, barrier: 0, present }.keeps_precedence(order)
}

struct Orders<'a> {
    spec: Sequential,
    history: &'a History,
    consistency: Consistency,
    barrier: usize,
    /// The calls that count as made.
    present: Vec<CallId>,
}

impl Orders<'_> {
    /// Whether some legal order of the calls ends in a state that is accepted.
    fn any(&self, calls: Vec<CallId>, accept: &mut dyn FnMut(&[Word]) -> bool) -> bool {
        self.extend(&calls, &mut Vec::new(), &self.spec.initial(), accept)
    }

    fn extend(
        &self,
        rest: &[CallId],
        order: &mut Vec<Vec<CallId>>,
        state: &[Word],
        accept: &mut dyn FnMut(&[Word]) -> bool,
    ) -> bool {
        if rest.is_empty() {
            return self.keeps_precedence(order) && accept(state);
        }
        let alone = rest.iter().map(|&call| vec![call]);
        let pairs =
            rest.iter().flat_map(|&a| rest.iter().map(move |&b| vec![a, b])).filter(|pair| pair[0] < pair[1]);
        for together in alone.chain(pairs) {
            let thread = |at: usize| self.history.call(together[at]).thread;
            if together.len() == 2 && thread(0) == thread(1) {
                continue;
            }
            let calls: Vec<_> = together.iter().map(|&id| self.history.call(id)).collect();
            let asked: Vec<_> = calls.iter().map(|call| (call.op.index(), &call.args[..])).collect();
            for (after, results) in self.spec.effects(state, &asked) {
                let mut returned = calls.iter().zip(&results);
                if !returned.all(|(call, result)| call.returned.as_ref().is_none_or(|r| r.result == *result))
                {
                    continue;
                }
                let left: Vec<CallId> =
                    rest.iter().copied().filter(|call| !together.contains(call)).collect();
                order.push(together.clone());
                let found = self.extend(&left, order, &after, accept);
                order.pop();
                if found {
                    return true;
                }
            }
        }
        false
    }

    fn keeps_precedence(&self, order: &[Vec<CallId>]) -> bool {
        let place = |call: CallId| order.iter().position(|together| together.contains(&call));
        self.present.iter().all(|&a| {
            self.present.iter().all(|&b| match (place(a), place(b)) {
                (Some(x), Some(y)) => !self.precedes(a, b) || x < y,
                // A call that has not taken effect must not be before one that has, unless it may still be pending.
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
