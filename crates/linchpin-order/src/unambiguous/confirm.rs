//! Confirms the answers of deciders: runs orders through the specification, and makes cores minimal.

use super::{Answered, Problem};
use crate::call::{CallId, CallMap};
use crate::decide::Decided;
use crate::precedence::Interval;
use crate::spec::{About, ContainerCall, Specification};
use crate::verdict::{Effect, ExplanationOf, LegalOrder, OrderOf};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

impl<S: Specification> Problem<'_, S> {
    /// Returns the legal order with these effects; `None` if it is not one.
    pub fn confirm(&self, order: Vec<CallId>) -> Result<Option<OrderOf<S>>, S::Error> {
        if !keeps_precedence(self.intervals, &order) || !self.has_all_completed(&order) {
            return Ok(None);
        }
        let oracle = self.order.oracle;
        let mut states = oracle.spec().initial()?;
        let (Some(mut state), true) = (states.pop(), states.is_empty()) else { return Ok(None) };
        let mut effects = Vec::with_capacity(order.len());
        for call in order {
            if self.budget.is_stopped() {
                return Ok(None);
            }
            let returned = oracle.history().call(call).returned.as_ref().map(|returned| &returned.result);
            let Some((after, result)) =
                oracle.spec().advance(state, &oracle.history().call(call).op, returned)?
            else {
                return Ok(None);
            };
            state = after;
            effects.push(Effect { calls: vec![call], results: vec![result] });
        }
        Ok(Some(LegalOrder { effects, state }))
    }

    /// As [`confirm`](Problem::confirm), for an unordered container. A specification tries all elements in
    /// every state, so it is not asked in every state. The order is followed with ranks instead. The calls
    /// about a value have the results that they have alone, and the last state is that after the puts of the
    /// values that stay. Both follow from projection.
    pub fn confirm_unordered(
        &self,
        order: Vec<CallId>,
        roles: &CallMap<ContainerCall>,
        ranks: &CallMap<i64>,
        assigned: &[(CallId, u32)],
    ) -> Result<Option<OrderOf<S>>, S::Error> {
        if !keeps_precedence(self.intervals, &order) || !self.has_all_completed(&order) {
            return Ok(None);
        }
        let (spec, history) = (self.order.oracle.spec(), self.order.oracle.history());
        let mut present: BTreeSet<(i64, CallId)> = BTreeSet::new();
        let mut put_of: FxHashMap<u32, CallId> = FxHashMap::default();
        let mut effects = Vec::with_capacity(order.len());
        let assigned: FxHashMap<CallId, u32> = assigned.iter().copied().collect();
        for call in order {
            if self.budget.is_stopped() {
                return Ok(None);
            }
            let about = match roles[call].about {
                About::Anything => assigned.get(&call).map_or(About::Nothing, |value| About::Value(*value)),
                about => about,
            };
            // The calls that show the result of a pending call.
            let mut alone: Vec<CallId> = vec![call];
            match about {
                About::Value(value) if roles[call].is_put => {
                    if put_of.insert(value, call).is_some() {
                        return Ok(None);
                    }
                    present.insert((ranks[call], call));
                }
                About::Value(value) => {
                    let Some(&put) = put_of.get(&value) else { return Ok(None) };
                    let is_least = present.first().is_some_and(|(least, _)| *least == ranks[put]);
                    if !is_least || !present.remove(&(ranks[put], put)) {
                        return Ok(None);
                    }
                    alone.insert(0, put);
                }
                About::Nothing | About::Anything if !present.is_empty() => return Ok(None),
                About::Nothing | About::Anything => {}
            }
            let result = match &history.call(call).returned {
                Some(returned) => returned.result.clone(),
                None => {
                    let Some((_, result)) = self.follow(&alone)? else { return Ok(None) };
                    result
                }
            };
            effects.push(Effect { calls: vec![call], results: vec![result] });
        }
        let mut left: Vec<CallId> = present.into_iter().map(|(_, call)| call).collect();
        left.sort();
        let state = match self.follow(&left)? {
            Some((state, _)) => state,
            None if left.is_empty() => match <[S::State; 1]>::try_from(spec.initial()?) {
                Ok([state]) => state,
                Err(_) => return Ok(None),
            },
            None => return Ok(None),
        };
        Ok(Some(LegalOrder { effects, state }))
    }

    /// Runs some calls from the initial state. Returns the last state and the last result; `None` if this is
    /// impossible, or if there are no calls.
    fn follow(&self, calls: &[CallId]) -> Result<Option<(S::State, S::Ret)>, S::Error> {
        let (spec, history) = (self.order.oracle.spec(), self.order.oracle.history());
        let Ok([mut state]) = <[S::State; 1]>::try_from(spec.initial()?) else { return Ok(None) };
        let mut last = None;
        for &call in calls {
            let call = history.call(call);
            let returned = call.returned.as_ref().map(|returned| &returned.result);
            let Some((after, result)) = spec.advance(state, &call.op, returned)? else { return Ok(None) };
            state = after;
            last = Some(result);
        }
        Ok(last.map(|last| (state, last)))
    }

    fn has_all_completed(&self, order: &[CallId]) -> bool {
        let mut order: Vec<CallId> = order.to_vec();
        order.sort_unstable();
        let is_once = order.windows(2).all(|two| two[0] != two[1]);
        let completed = order.iter().filter(|&&call| self.order.set.must_take(call)).count();
        is_once && completed == self.order.set.completed().len()
    }

    /// Leaves out as many values of a core as possible. Returns the rest and why it has no legal order.
    pub(super) fn minimal(
        &self,
        core: Vec<CallId>,
        roles: &CallMap<ContainerCall>,
        decided: Decided<S>,
    ) -> Result<(Vec<CallId>, ExplanationOf<S>, usize), S::Error> {
        let Decided::None(mut explanation) = decided else { unreachable!("the core has no legal order") };
        let mut groups: Vec<Vec<CallId>> = Vec::new();
        let mut group_of: FxHashMap<u32, usize> = FxHashMap::default();
        for &call in &core {
            let at = match roles[call].about {
                About::Value(value) => *group_of.entry(value).or_insert(groups.len()),
                About::Nothing => groups.len(),
                About::Anything => continue,
            };
            if at == groups.len() {
                groups.push(Vec::new());
            }
            groups[at].push(call);
        }
        let mut visited = 0;
        let mut at = 0;
        while at < groups.len() && groups.len() > 1 && !self.budget.is_stopped() {
            let rest: Vec<CallId> = groups
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .flat_map(|(_, g)| g.clone())
                .collect();
            let (decided, more): Answered<S> = self.judge_core(&rest, roles)?;
            visited += more;
            match decided {
                Decided::None(smaller) => {
                    explanation = smaller;
                    groups.remove(at);
                }
                _ => at += 1,
            }
        }
        Ok((self.with_loose(&groups.concat(), roles), explanation, visited))
    }
}

/// Checks that no call stands before a call that ends before it starts.
fn keeps_precedence(intervals: &CallMap<Interval>, order: &[CallId]) -> bool {
    let mut last_start = 0;
    order.iter().all(|&call| {
        last_start = last_start.max(intervals[call].start);
        last_start <= intervals[call].end
    })
}
