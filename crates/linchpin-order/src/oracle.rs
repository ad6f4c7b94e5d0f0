//! Answers of a specification about the calls of one history: which of them may take effect together, with
//! which results.

use crate::call::CallId;
use crate::history::History;
use crate::spec::{OutcomesOf, Specification};
use smallvec::SmallVec;

/// A specification and a history of its operations.
pub(crate) struct Oracle<'a, S: Specification> {
    spec: &'a S,
    history: &'a History<S::Op, S::Ret>,
}

/// Calls that take effect together: one, or the calls of a rendezvous.
pub(crate) type Calls = SmallVec<[CallId; 2]>;

impl<'a, S: Specification> Oracle<'a, S> {
    pub fn new(spec: &'a S, history: &'a History<S::Op, S::Ret>) -> Oracle<'a, S> {
        Oracle { spec, history }
    }

    pub fn spec(&self) -> &'a S {
        self.spec
    }

    pub fn history(&self) -> &'a History<S::Op, S::Ret> {
        self.history
    }

    /// Returns the calls of the list that can take effect alone, then the groups of calls that can take
    /// effect together.
    pub fn moves(&self, calls: &[CallId]) -> Vec<Calls> {
        let alone = calls.iter().filter(|call| self.spec.takes_effect_alone(&self.history.call(**call).op));
        let mut moves: Vec<Calls> = alone.map(|&call| [call].into_iter().collect()).collect();
        for kinds in self.spec.rendezvous() {
            self.groups(kinds, calls, &mut Calls::new(), &mut moves);
        }
        moves
    }

    /// Returns every way in which the calls take effect together, in an order that is always the same.
    pub fn outcomes(&self, state: &S::State, calls: &[CallId]) -> OutcomesOf<S> {
        let ops: SmallVec<[&S::Op; 2]> = calls.iter().map(|&call| &self.history.call(call).op).collect();
        self.spec.outcomes(state, &ops)
    }

    /// Returns every way in which the calls take effect together and return what they returned, in an order
    /// that is always the same.
    pub fn outcomes_as_returned(&self, state: &S::State, calls: &[CallId]) -> OutcomesOf<S> {
        let ops: SmallVec<[&S::Op; 2]> = calls.iter().map(|&call| &self.history.call(call).op).collect();
        let returned =
            |call: &CallId| self.history.call(*call).returned.as_ref().map(|returned| &returned.result);
        let returned: SmallVec<[Option<&S::Ret>; 2]> = calls.iter().map(returned).collect();
        self.spec.outcomes_returning(state, &ops, &returned)
    }

    /// Returns what a pending call can return if it takes effect now, alone or together with other pending
    /// calls. No result means that the call must wait.
    pub fn results_now(&self, state: &S::State, call: CallId) -> Result<Vec<S::Ret>, S::Error> {
        let pending: Vec<CallId> = self.history.pending().collect();
        let mut results = Vec::new();
        for calls in self.moves(&pending) {
            let Some(at) = calls.iter().position(|member| *member == call) else { continue };
            let outcomes = self.outcomes(state, &calls)?.into_iter();
            results.extend(outcomes.filter_map(|outcome| outcome.results.into_iter().nth(at)));
        }
        results.sort();
        results.dedup();
        Ok(results)
    }

    /// Checks that the completed ones of the calls returned these results.
    pub fn is_returned(&self, calls: &[CallId], results: &[S::Ret]) -> bool {
        calls.iter().zip(results).all(|(&call, given)| {
            let call = self.history.call(call);
            call.returned.as_ref().is_none_or(|returned| self.spec.fits(&call.op, given, &returned.result))
        })
    }

    /// Checks that the call, with the result that it returned, leaves every state as it is.
    ///
    /// Claim: if such a call may come next and gives its result now, some legal order begins with it, or
    /// there is none. Proof: in a legal order in which the call comes later, it can be moved to the front. No
    /// call between sees a difference. Guarding test: `the_search_agrees_with_brute_force`.
    pub fn is_idle(&self, call: CallId) -> bool {
        let call = self.history.call(call);
        call.returned.as_ref().is_some_and(|returned| self.spec.is_idle(&call.op, &returned.result))
    }

    /// Leaves out each call that acts like an earlier one of the list: the operations are alike, and the
    /// results are equal or both calls are pending. Completed calls are given by the end of their intervals.
    ///
    /// Claim: if some legal order continues with a call that is left out, another one continues with the call
    /// that is kept. Proof. Let *a* be kept and *b* left out, and let *b* come first. Both may come next, and
    /// *a* ends no later than *b*. If *a* comes later in the order, exchange the two; otherwise put *a* in
    /// the place of *b*. Each state is as before. No call that must come after *b* stands before the new
    /// place of *b*: it would have to come after *a*, too. Assumptions: an interval order, no edges. A
    /// pending call may be left out of an order, and only completed calls must be in it. Guarding test:
    /// `the_search_agrees_with_brute_force`.
    pub fn leave_out_alike(&self, next: &mut Vec<CallId>) {
        if !self.spec.rendezvous().is_empty() {
            return;
        }
        let mut kept = 0;
        for at in 0..next.len() {
            let call = self.history.call(next[at]);
            let is_known = next[..kept].iter().any(|&other| {
                let other = self.history.call(other);
                let results = (
                    call.returned.as_ref().map(|returned| &returned.result),
                    other.returned.as_ref().map(|returned| &returned.result),
                );
                results.0 == results.1 && self.spec.are_alike(&call.op, &other.op)
            });
            if !is_known {
                next.swap(kept, at);
                kept += 1;
            }
        }
        next.truncate(kept);
    }

    /// Collects every set of calls of different threads that have these kinds. Equal kinds stand together in
    /// `kinds`.
    fn groups(&self, kinds: &[u32], from: &[CallId], chosen: &mut Calls, out: &mut Vec<Calls>) {
        let Some(&kind) = kinds.get(chosen.len()) else {
            out.push(chosen.clone());
            return;
        };
        // Calls of one kind are interchangeable here, so they are chosen in the order of the list.
        let again = chosen.len().checked_sub(1).filter(|&last| kinds[last] == kind).map(|last| chosen[last]);
        let after = again.and_then(|last| from.iter().position(|&call| call == last)).map_or(0, |at| at + 1);
        for &candidate in &from[after..] {
            let call = self.history.call(candidate);
            let is_new_thread = chosen.iter().all(|&other| self.history.call(other).thread != call.thread);
            if self.spec.kind(&call.op) == kind && is_new_thread {
                chosen.push(candidate);
                self.groups(kinds, from, chosen, out);
                chosen.pop();
            }
        }
    }
}
