//! Confirms the answers of deciders: runs orders through the specification, and makes cores minimal.

use super::{Answered, Problem};
use crate::call::{CallId, CallMap};
use crate::decide::Decided;
use crate::precedence::Interval;
use crate::spec::{About, ContainerCall, Specification};
use crate::verdict::{Effect, ExplanationOf, LegalOrder, OrderOf};
use rustc_hash::FxHashMap;

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
