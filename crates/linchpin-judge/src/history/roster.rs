//! The calls that an order is sought for: all of a history, or a part of it.
//!
//! *Completed* calls must all be in the order, *pending* ones may be. A [`Progress`] knows both by their places here.

use super::progress::Progress;
use super::record::{CallId, History};
use linchpin_semantics::ThreadId;
use smallvec::SmallVec;

/// Each list in the order in which the calls were made.
#[derive(Clone, Debug, Default)]
pub(super) struct Roster {
    completed: Vec<CallId>,
    pending: Vec<CallId>,
    /// Each thread's last call.
    last: Vec<(ThreadId, CallId)>,
}

impl Roster {
    /// The calls that are given, in any order.
    pub fn new(history: &History, calls: impl Iterator<Item = CallId>) -> Roster {
        let mut calls: Vec<CallId> = calls.collect();
        calls.sort();
        let mut roster = Roster::default();
        for call in calls {
            let thread = history.call(call).thread;
            match roster.last.iter_mut().find(|(known, _)| *known == thread) {
                Some((_, last)) => *last = call,
                None => roster.last.push((thread, call)),
            }
            if history.call(call).is_pending() {
                roster.pending.push(call);
            } else {
                roster.completed.push(call);
            }
        }
        roster
    }

    /// The calls that must take effect.
    pub fn completed(&self) -> &[CallId] {
        &self.completed
    }

    pub fn calls(&self) -> impl Iterator<Item = CallId> + '_ {
        self.completed.iter().chain(&self.pending).copied()
    }

    pub fn missing<'a>(&'a self, progress: &'a Progress) -> impl Iterator<Item = CallId> + 'a {
        progress.missing(self.completed.len()).map(|at| self.completed[at])
    }

    pub fn missing_pending<'a>(&'a self, progress: &'a Progress) -> impl Iterator<Item = CallId> + 'a {
        progress.missing_pending(self.pending.len()).map(|at| self.pending[at])
    }

    pub fn is_complete(&self, progress: &Progress) -> bool {
        progress.completed() == self.completed.len()
    }

    /// Whether the call must take effect.
    pub fn must_take(&self, call: CallId) -> bool {
        self.completed.binary_search(&call).is_ok()
    }

    /// Nothing needs to wait for a call that is not here.
    pub fn has_taken(&self, progress: &Progress, call: CallId) -> bool {
        match (self.completed.binary_search(&call), self.pending.binary_search(&call)) {
            (Ok(at), _) => progress.contains(at),
            (Err(_), Ok(at)) => progress.contains_pending(at),
            _ => true,
        }
    }

    pub fn take(&self, progress: &mut Progress, call: CallId) {
        match (self.completed.binary_search(&call), self.pending.binary_search(&call)) {
            (Ok(at), _) => progress.take(at),
            (Err(_), Ok(at)) => progress.take_pending(at),
            _ => {}
        }
    }

    /// The threads that have calls left.
    pub fn open_threads(&self, progress: &Progress) -> SmallVec<[ThreadId; 8]> {
        let open = self.last.iter().filter(|(_, last)| !self.has_taken(progress, *last));
        open.map(|(thread, _)| *thread).collect()
    }
}
