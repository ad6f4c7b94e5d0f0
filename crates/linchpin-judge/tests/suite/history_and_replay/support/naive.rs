//! The reference: every order of the calls, checked against the definitions after it is complete.

use super::sequential::Sequential;
use linchpin_ir::index::Index;
use linchpin_ir::types::Word;
use linchpin_judge::history::{CallId, Consistency, Ending, History};
use linchpin_testkit::precedence::{Precedence, groups, subsets};

pub fn is_legal(spec: Sequential, history: &History, consistency: Consistency, ending: Ending) -> bool {
    let barriers = match consistency {
        Consistency::Barrier => 0..history.events().len() + 1,
        _ => 0..1,
    };
    barriers.into_iter().all(|barrier| is_legal_with(spec, history, (consistency, barrier), ending))
}

/// Checks legality with one moment that can be a barrier.
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
            let orders =
                Orders { spec, precedence: Precedence { history, consistency, barrier, present: all } };
            orders.any([completed.clone(), some].concat(), &mut |_| true)
        }),
        Ending::Stuck if pending.is_empty() => {
            let orders = Orders {
                spec,
                precedence: Precedence { history, consistency, barrier, present: completed.clone() },
            };
            orders.any(completed, &mut |_| true)
        }
        // Each pending call by itself, without the others; but it must not be able to meet one of them.
        Ending::Stuck => pending.iter().all(|&call| {
            let present = [completed.clone(), vec![call]].concat();
            let orders = Orders { spec, precedence: Precedence { history, consistency, barrier, present } };
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

/// Checks that an order of some calls keeps the precedence of all calls. Calls that take effect together are
/// one list.
pub fn keeps_precedence(history: &History, consistency: Consistency, order: &[Vec<CallId>]) -> bool {
    let present = history.calls().ids().collect();
    Precedence { history, consistency, barrier: 0, present }.is_kept(order)
}

struct Orders<'a> {
    spec: Sequential,
    precedence: Precedence<'a>,
}

impl Orders<'_> {
    /// Checks whether some legal order of the calls ends in an accepted state.
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
            return self.precedence.is_kept(order) && accept(state);
        }
        let history = self.precedence.history;
        for together in groups(history, rest) {
            let calls: Vec<_> = together.iter().map(|&id| history.call(id)).collect();
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
}
