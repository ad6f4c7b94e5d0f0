//! Local steps: the steps that a move includes because they commute with everything that other threads can
//! do.
//!
//! The module header of [`crate::expand`] has the soundness argument.

use super::expander::{Expander, MoveSink};
use crate::monitor::{ClientEvent, MonitorId};
use linchpin_ir::index::Index;
use linchpin_semantics::{SpecError, State, ThreadId};

/// The limit on local steps of one move. At the limit the state is kept as it is.
const MOST_LOCAL_STEPS: usize = 64;

impl Expander<'_, '_> {
    /// Makes local steps until none is left. Returns the monitor state after them.
    pub(super) fn run_local_steps(
        &mut self,
        state: &mut State,
        monitor: MonitorId,
        sink: &mut impl MoveSink,
    ) -> Result<MonitorId, SpecError> {
        let machine = self.problem.machine;
        let Some(movers) = &self.plan.movers else { return Ok(monitor) };
        let threads = match (self.plan.preemptions, self.after.last) {
            (Some(_), Some(last)) => usize::from(last)..usize::from(last) + 1,
            _ => 0..machine.bounds().threads as usize,
        };
        let is_alone = self.is_beginning && self.plan.preemptions.is_some_and(|most| self.after.used >= most);
        let watches_points = self.representatives.monitors().watches_points() && !is_alone;
        let mut monitor = monitor;
        let mut fuel = MOST_LOCAL_STEPS;
        let is_running = |state: &State, thread| is_alone && !machine.is_idle(state, thread);
        // Threads whose next step is possibly local, but must be a move of its own.
        let mut skipped = 0u32;
        'steps: while fuel > 0 {
            let is_candidate = |thread: usize| {
                let id = ThreadId::new(thread);
                skipped >> thread & 1 == 0
                    && (is_running(state, id) || movers.may_be_local(machine, state, id))
            };
            if !threads.clone().any(is_candidate) {
                break;
            }
            self.sharing.forget();
            for thread in threads.clone().map(ThreadId::new) {
                if skipped >> thread.index() & 1 == 1
                    || !(is_running(state, thread)
                        || movers.is_local(machine, state, thread, &mut self.sharing))
                {
                    continue;
                }
                let mut local = self.local.take().unwrap_or_default();
                let is_silent =
                    |event: &ClientEvent| !(watches_points && matches!(event, ClientEvent::Lin { .. }));
                let next = match local.only_outcome(machine, state, thread, is_silent) {
                    None => None,
                    // A step that leaves the bounds is a move of its own: the state before it must be kept.
                    Some(events) => match self.representatives.monitors().observe(monitor, events) {
                        Err(SpecError::Cut(_)) => None,
                        Err(error) => return Err(error),
                        Ok(next) => {
                            self.note_events(events);
                            Some(next)
                        }
                    },
                };
                if next.is_none() {
                    local.undo(state);
                }
                self.local = Some(local);
                let Some(next) = next else {
                    skipped |= 1 << thread.index();
                    continue;
                };
                fuel -= 1;
                self.note_local_step(thread, state, (monitor, next), sink);
                monitor = next;
                continue 'steps;
            }
            break;
        }
        Ok(monitor)
    }
}
