//! The relation → on configurations: the calls that may take effect next, closures under →, and their least
//! generators.

use super::super::configuration::{Configuration, Readers};
use super::super::spec_table::{CallId, ResultId};
use super::{Linearizer, pending_call};
use linchpin_semantics::SpecError;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The event that a closure stops at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::monitor) enum Until {
    /// The call of a thread has taken effect.
    Done(usize),
    /// A reader may return this result.
    Answer(usize, ResultId),
}

/// The limit on elements of a set that is compared pair by pair.
const LARGE: usize = 12;

impl Linearizer<'_, '_> {
    /// Returns all configurations that → reaches from a set, up to the event `until`. Effects after `until`
    /// can happen later.
    pub(in crate::monitor) fn closure(
        &mut self,
        pending: &[u32],
        set: Vec<Configuration>,
        until: Until,
    ) -> Result<FxHashSet<Configuration>, SpecError> {
        let readers = self.readers(pending);
        let mut seen: FxHashSet<Configuration> = set.iter().cloned().collect();
        let mut work = set;
        let mut found = Vec::new();
        while let Some(configuration) = work.pop() {
            let is_reached = match until {
                Until::Done(thread) => configuration.is_done(thread),
                Until::Answer(reader, result) => self.may_return(pending, &configuration, reader, result)?,
            };
            if is_reached {
                continue;
            }
            self.effects(pending, readers, &configuration, None, &mut found)?;
            // Where no effect changes the specification's state, all effects commute, and only the effect of
            // `until` is needed now. (An effect at an annotated point is not among them, and may change the
            // state.)
            if found.iter().all(|next| next.spec == configuration.spec) {
                match until {
                    Until::Done(thread) => {
                        if pending_call(pending, thread).is_some_and(|call| self.floats(call)) {
                            found.retain(|next| next.is_done(thread));
                        }
                    }
                    Until::Answer(..) => found.clear(),
                }
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

    /// Checks start →* goal. Only calls that are done in the goal, with their results there, need to be
    /// tried.
    pub(in crate::monitor) fn reaches(
        &mut self,
        pending: &[u32],
        start: &Configuration,
        goal: &Configuration,
    ) -> Result<bool, SpecError> {
        let readers = self.readers(pending);
        if self.lies_in(goal, start, readers) {
            return Ok(true);
        }
        if !start.agrees_with(goal, readers) || start.is_as_done_as(goal, readers) {
            return Ok(false);
        }
        let mut work: SmallVec<[Configuration; 4]> = SmallVec::from_elem(start.clone(), 1);
        let mut found = Vec::new();
        while let Some(configuration) = work.pop() {
            self.effects(pending, readers, &configuration, Some(goal), &mut found)?;
            for next in found.drain(..) {
                if self.lies_in(goal, &next, readers) {
                    return Ok(true);
                }
                if !next.is_as_done_as(goal, readers) && !work.contains(&next) {
                    work.push(next);
                }
            }
        }
        Ok(false)
    }

    /// Returns the elements of a set that no other element reaches: the unique least generators of its
    /// closure.
    pub(in crate::monitor) fn minimal(
        &mut self,
        pending: &[u32],
        mut set: Vec<Configuration>,
    ) -> Result<Vec<Configuration>, SpecError> {
        if set.len() < 2 {
            return Ok(set);
        }
        let readers = self.readers(pending);
        // A configuration that reaches another has fewer calls done, or equally many and the larger box. So
        // in ascending order, an element that is reached is reached from an element that was kept before.
        set.sort_by_cached_key(|c| (c.number_done(readers), std::cmp::Reverse(self.number_past(c, readers))));
        let is_large = set.len() > LARGE;
        let mut reached = Boxes::default();
        let mut kept: Vec<Configuration> = Vec::with_capacity(set.len());
        for goal in set {
            let mut is_reached = is_large && self.is_among(&reached, &goal, readers);
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

    /// Checks whether each goal is reached from some start.
    pub(in crate::monitor) fn reach_all(
        &mut self,
        pending: &[u32],
        starts: &[Configuration],
        goals: &[Configuration],
    ) -> Result<bool, SpecError> {
        if starts.len() * goals.len() > LARGE * LARGE {
            let readers = self.readers(pending);
            let mut reached = Boxes::default();
            for start in starts {
                self.spread(pending, start.clone(), &mut reached)?;
            }
            return Ok(goals.iter().all(|goal| self.is_among(&reached, goal, readers)));
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

    /// Adds a configuration and all configurations that it reaches.
    fn spread(
        &mut self,
        pending: &[u32],
        start: Configuration,
        reached: &mut Boxes,
    ) -> Result<(), SpecError> {
        let readers = self.readers(pending);
        let mut work = vec![start];
        while let Some(configuration) = work.pop() {
            if self.is_among(reached, &configuration, readers) {
                continue;
            }
            self.effects(pending, readers, &configuration, None, &mut work)?;
            reached.entry(configuration.without(readers)).or_default().push(configuration);
        }
        Ok(())
    }

    /// Checks whether a box lies in one of the boxes.
    fn is_among(&self, boxes: &Boxes, goal: &Configuration, readers: Readers) -> bool {
        let alike = boxes.get(&goal.without(readers));
        alike.is_some_and(|alike| alike.iter().any(|other| self.lies_in(goal, other, readers)))
    }

    /// Appends the configurations c′ with c → c′. With a goal, only those that may still lead to the goal.
    fn effects(
        &mut self,
        pending: &[u32],
        readers: Readers,
        configuration: &Configuration,
        goal: Option<&Configuration>,
        out: &mut Vec<Configuration>,
    ) -> Result<(), SpecError> {
        let mut waiting: SmallVec<[(CallId, usize); 16]> = SmallVec::new();
        for thread in 0..self.tables.threads {
            if readers.contains(thread)
                || configuration.is_done(thread)
                || goal.is_some_and(|goal| !goal.is_done(thread))
            {
                continue;
            }
            let Some(call) = pending_call(pending, thread).filter(|call| self.floats(*call)) else {
                continue;
            };
            waiting.push((call, thread));
            for &(spec, result) in self.tables.spec.alone(configuration.spec, call, thread)?.iter() {
                if goal.is_none_or(|goal| goal.result(thread) == Some(result)) {
                    out.push(self.after(pending, readers, configuration, spec, [(thread, result)])?);
                }
            }
        }
        for group in self.tables.spec.rendezvous(&waiting) {
            for (spec, results) in self.tables.spec.outcomes(configuration.spec, &group)?.iter() {
                let done = group.iter().zip(results.iter()).map(|((_, thread), result)| (*thread, *result));
                let next = self.after(pending, readers, configuration, *spec, done)?;
                if goal.is_none_or(|goal| next.agrees_with(goal, readers)) {
                    out.push(next);
                }
            }
        }
        Ok(())
    }
}

/// Boxes, grouped by their configuration without readers.
type Boxes = FxHashMap<Configuration, Vec<Configuration>>;
