//! Infinite executions: a stem that leads to a state, and a cycle that leads back to it.
//!
//! The state after the cycle equals the state before it up to the names of cells. Steps do not depend on
//! names, so the cycle can be repeated for ever. A thread is *active* if it steps or waits in the cycle. It
//! is *starved* if its call is pending all the time. A cycle violates a property as follows:
//!
//! | property | the cycle |
//! |---|---|
//! | `terminating` | steps, and no call begins or returns |
//! | `lock-free` | some thread is active, and no call returns |
//! | `obstruction-free` | one thread alone is active, and its call does not return |
//! | `wait-free` | some starved thread is active |
//! | `starvation-free` | some thread is starved, and the cycle is weakly fair |
//!
//! Waiting for a lock or a condition counts as activity, except for `terminating`. A cycle is *weakly fair*
//! if each thread with a pending call steps in it, or cannot move in some state of it. An idle thread need
//! not call, unless its client owes the call ([`Client::owes`]): a schedule continues, and a role ends a
//! round that has begun.

use super::execution::{Mobility, mobility};
use super::refused::ClaimNotShown;
use super::stuck::normal_form;
use crate::replay::{Endless, Observation, TraceStep};
use crate::trace::Action;
use linchpin_ir::property::Property;
use linchpin_semantics::{Client, Machine, State, ThreadId};
use std::collections::BTreeSet;

/// The cycle of an execution, with the state before each of its steps.
pub(super) struct Lasso<'a> {
    machine: &'a Machine,
    client: &'a Client,
    start: usize,
    cycle: &'a [TraceStep],
    states: Vec<&'a State>,
}

impl<'a> Lasso<'a> {
    /// Checks that the steps from `start` on are a cycle. `states[i]` is the state before step `i`; the last
    /// one is after all steps.
    pub fn new(
        machine: &'a Machine,
        client: &'a Client,
        moments: &'a [TraceStep],
        states: &[&'a State],
        start: usize,
    ) -> Result<Lasso<'a>, ClaimNotShown> {
        let (Some(cycle), Some(states)) = (moments.get(start..), states.get(start..)) else {
            return Err(ClaimNotShown::NoCycle);
        };
        let (Some(&first), Some(&last)) = (states.first(), states.last()) else {
            return Err(ClaimNotShown::NoCycle);
        };
        if cycle.is_empty() {
            return Err(ClaimNotShown::NoCycle);
        }
        if normal_form(machine, &mut first.clone()) != normal_form(machine, &mut last.clone()) {
            return Err(ClaimNotShown::CycleIsOpen);
        }
        Ok(Lasso { machine, client, start, cycle, states: states.to_vec() })
    }

    pub fn violates(&self, property: Property, fair: bool) -> Result<Endless, ClaimNotShown> {
        let returned = self.threads_that(|moment| {
            moment.observations.iter().any(|seen| matches!(seen, Observation::Return { .. }))
        });
        let called = self.threads_that(|moment| matches!(moment.choice.action, Action::Call(_)));
        let stepping = self.threads_that(|moment| moment.choice.action == Action::Step);
        let active = self.threads_that(|moment| matches!(moment.choice.action, Action::Step | Action::Wait));
        let starved: Vec<ThreadId> = (self.machine.bounds().thread_ids())
            .filter(|thread| !self.machine.is_idle(self.states[0], *thread) && !returned.contains(thread))
            .collect();
        let starves_actively = starved.iter().any(|thread| active.contains(thread));
        let shown = match property {
            Property::Terminating => !stepping.is_empty() && called.is_empty() && returned.is_empty(),
            Property::LockFree => !active.is_empty() && returned.is_empty(),
            Property::ObstructionFree => {
                self.threads_that(|_| true).len() == 1 && starves_actively && returned.is_empty()
            }
            Property::WaitFree => starves_actively,
            Property::StarvationFree => !starved.is_empty(),
            _ => false,
        };
        if !shown {
            return Err(ClaimNotShown::CycleMakesProgress);
        }
        if (fair || property == Property::StarvationFree) && !self.is_fair() {
            return Err(ClaimNotShown::CycleIsUnfair);
        }
        Ok(Endless { property, start: self.start, starved })
    }

    /// Checks that threads spin: some thread steps, and no call begins or returns.
    pub fn circles(&self) -> Result<(), ClaimNotShown> {
        let is_still =
            |seen: &Observation| !matches!(seen, Observation::Call { .. } | Observation::Return { .. });
        let mut seen = self.cycle.iter().flat_map(|moment| &moment.observations);
        let steps = self.cycle.iter().any(|moment| moment.choice.action == Action::Step);
        if steps && seen.all(is_still) { Ok(()) } else { Err(ClaimNotShown::CycleMakesProgress) }
    }

    /// Checks lock-freedom by annotated points (Friggens 5.3.2, LF-2). The cycle refutes it if a starved
    /// thread is active and has passed its point, or if no thread passes a point in the cycle. `moments` are
    /// the steps of the whole execution.
    pub fn refutes_progress_by_points(&self, moments: &[TraceStep]) -> Result<Endless, ClaimNotShown> {
        let returned = self.threads_that(|moment| {
            moment.observations.iter().any(|seen| matches!(seen, Observation::Return { .. }))
        });
        let active = self.threads_that(|moment| matches!(moment.choice.action, Action::Step | Action::Wait));
        let is_point = |seen: &Observation| matches!(seen, Observation::Lin { .. });
        let is_pointless = !self.cycle.iter().flat_map(|moment| &moment.observations).any(is_point);
        let is_shown = |thread: &ThreadId| is_pointless || has_passed(moments, *thread);
        let starved: Vec<ThreadId> = (self.machine.bounds().thread_ids())
            .filter(|thread| !self.machine.is_idle(self.states[0], *thread) && !returned.contains(thread))
            .filter(|thread| active.contains(thread) && is_shown(thread))
            .collect();
        if starved.is_empty() {
            return Err(ClaimNotShown::CycleMakesProgress);
        }
        Ok(Endless { property: Property::LockFree, start: self.start, starved })
    }

    fn threads_that(&self, what: impl Fn(&TraceStep) -> bool) -> BTreeSet<ThreadId> {
        self.cycle.iter().filter(|moment| what(moment)).map(|moment| moment.choice.thread).collect()
    }

    fn is_fair(&self) -> bool {
        // A thread that waits in the cycle cannot move in that state.
        let takes_part = self.threads_that(|_| true);
        let need_not = |state: &&State, thread| fairness_exempt(self.machine, self.client, state, thread);
        (self.machine.bounds().thread_ids()).all(|thread| {
            takes_part.contains(&thread) || self.states.iter().any(|state| need_not(state, thread))
        })
    }
}

/// Checks that a fair scheduler need not run a thread in a state: it waits, or is idle and its client owes no
/// call.
pub(super) fn fairness_exempt(machine: &Machine, client: &Client, state: &State, thread: ThreadId) -> bool {
    if machine.is_idle(state, thread) {
        !client.owes(machine, state, thread)
    } else {
        matches!(mobility(machine, state, thread), Mobility::Waits(_))
    }
}

/// Checks whether the last call of a thread has passed its point.
fn has_passed(moments: &[TraceStep], thread: ThreadId) -> bool {
    let mut has_passed = false;
    for moment in moments {
        for seen in &moment.observations {
            match seen {
                Observation::Call { .. } if moment.choice.thread == thread => has_passed = false,
                Observation::Lin { thread: whose, maybe: false } => has_passed |= *whose == thread,
                _ => {}
            }
        }
    }
    has_passed
}
