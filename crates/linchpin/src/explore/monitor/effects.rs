//! What may take effect next: the relation → on configurations, its closure, and what generates a closure.

use super::configuration::Configuration;
use super::sequential::CallId;
use super::{Monitor, pending_call};
use linchpin_core::semantics::SpecError;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Elements up to which a set is gone through pair by pair.
const LARGE: usize = 12;

impl Monitor<'_> {
    /// Everything reachable by → from a set, up to configurations in which that thread's call is done: what may happen after
    /// it can happen later.
    pub(super) fn closure(
        &mut self,
        pending: &[u32],
        set: Vec<Configuration>,
        until: Option<usize>,
    ) -> Result<FxHashSet<Configuration>, SpecError> {
        let mut seen: FxHashSet<Configuration> = set.iter().cloned().collect();
        let mut work = set;
        let mut found = Vec::new();
        while let Some(configuration) = work.pop() {
            if until.is_some_and(|t| configuration.is_done(t)) {
                continue;
            }
            self.effects(pending, &configuration, None, &mut found)?;
            // Where no effect changes the specification's state, all commute: only the one that is waited for is needed now. (One
            // at an annotated point is not among them, and may change it.)
            if let Some(thread) = until
                && pending_call(pending, thread).is_some_and(|call| self.floats(call))
                && found.iter().all(|next| next.spec == configuration.spec)
            {
                found.retain(|next| next.is_done(thread));
            }
            for next in found.drain(..) {
                if !seen.contains(&next) {
                    seen.insert(next.clone());
                    work.push(next);
                }
            }
        }
        Ok(seen)
    }

    /// Whether start →* goal. Only calls that are done in the goal, with the results that they have there, need to be tried.
    pub(super) fn reaches(
        &mut self,
        pending: &[u32],
        start: &Configuration,
        goal: &Configuration,
    ) -> Result<bool, SpecError> {
        if start == goal {
            return Ok(true);
        }
        if !start.agrees_with(goal) || start.is_as_done_as(goal) {
            return Ok(false);
        }
        let mut work: SmallVec<[Configuration; 4]> = SmallVec::from_elem(start.clone(), 1);
        let mut found = Vec::new();
        while let Some(configuration) = work.pop() {
            self.effects(pending, &configuration, Some(goal), &mut found)?;
            for next in found.drain(..) {
                if next == *goal {
                    return Ok(true);
                }
                if !next.is_as_done_as(goal) && !work.contains(&next) {
                    work.push(next);
                }
            }
        }
        Ok(false)
    }

    /// The elements of a set that no other element reaches: the unique least generators of its closure.
    pub(super) fn minimal(
        &mut self,
        pending: &[u32],
        mut set: Vec<Configuration>,
    ) -> Result<Vec<Configuration>, SpecError> {
        if set.len() < 2 {
            return Ok(set);
        }
        // Whoever reaches another has less done: going up, what is reached is reached from what was kept before.
        set.sort_unstable_by_key(Configuration::number_done);
        let is_large = set.len() > LARGE;
        let mut reached: FxHashSet<Configuration> = FxHashSet::default();
        let mut kept: Vec<Configuration> = Vec::with_capacity(set.len());
        for goal in set {
            let mut is_reached = reached.contains(&goal);
            if !is_large {
                for start in &kept {
                    is_reached = is_reached || self.reaches(pending, start, &goal)?;
                }
            }
            if is_reached {
                continue;
            }
            if is_large {
                self.spread(pending, goal.clone(), &mut reached)?;
            }
            kept.push(goal);
        }
        Ok(kept)
    }

    /// Whether each of the goals is reached from some start.
    pub(super) fn reach_all(
        &mut self,
        pending: &[u32],
        starts: &[Configuration],
        goals: &[Configuration],
    ) -> Result<bool, SpecError> {
        if starts.len() * goals.len() > LARGE * LARGE {
            let mut reached = FxHashSet::default();
            for start in starts {
                self.spread(pending, start.clone(), &mut reached)?;
            }
            return Ok(goals.iter().all(|goal| reached.contains(goal)));
        }
        for goal in goals {
            let mut is_reached = false;
            for start in starts {
                is_reached = is_reached || self.reaches(pending, start, goal)?;
            }
            if !is_reached {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds what a configuration reaches, and itself.
    fn spread(
        &mut self,
        pending: &[u32],
        start: Configuration,
        reached: &mut FxHashSet<Configuration>,
    ) -> Result<(), SpecError> {
        let mut work = vec![start];
        while let Some(configuration) = work.pop() {
            if reached.contains(&configuration) {
                continue;
            }
            self.effects(pending, &configuration, None, &mut work)?;
            reached.insert(configuration);
        }
        Ok(())
    }

    /// The configurations c′ with c → c′; with a goal, those that may still lead there.
    fn effects(
        &mut self,
        pending: &[u32],
        configuration: &Configuration,
        goal: Option<&Configuration>,
        out: &mut Vec<Configuration>,
    ) -> Result<(), SpecError> {
        let mut waiting: SmallVec<[(CallId, usize); 16]> = SmallVec::new();
        for thread in 0..self.threads {
            if configuration.is_done(thread) || goal.is_some_and(|goal| !goal.is_done(thread)) {
                continue;
            }
            let Some(call) = pending_call(pending, thread).filter(|call| self.floats(*call)) else {
                continue;
            };
            waiting.push((call, thread));
            for &(spec, result) in self.sequential.alone(configuration.spec, call, thread)?.iter() {
                if goal.is_none_or(|goal| goal.result(thread) == Some(result)) {
                    out.push(configuration.with_done(spec, thread, result));
                }
            }
        }
        for group in self.sequential.rendezvous(&waiting) {
            for (spec, results) in self.sequential.outcomes(configuration.spec, &group)?.iter() {
                let mut next = configuration.clone();
                for (&(_, thread), &result) in group.iter().zip(results.iter()) {
                    next = next.with_done(*spec, thread, result);
                }
                if goal.is_none_or(|goal| next.agrees_with(goal)) {
                    out.push(next);
                }
            }
        }
        Ok(())
    }
}
