//! The calls of an order problem: all calls of a history, or a part of them.
//!
//! All *completed* calls must be in the order, *pending* calls may be. A [`CallPrefix`] refers to both by
//! their positions here.

use crate::call::CallId;
use crate::call_prefix::CallPrefix;
use crate::history::History;
use smallvec::SmallVec;

/// A set of calls. Each list is in the order in which the calls begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallSet {
    completed: Vec<CallId>,
    pending: Vec<CallId>,
    /// Each thread's last call.
    last: Vec<(usize, CallId)>,
}

impl CallSet {
    /// Returns the set of these calls, given in any order.
    pub fn new<Op, Ret>(history: &History<Op, Ret>, calls: impl Iterator<Item = CallId>) -> CallSet {
        let mut calls: Vec<CallId> = calls.collect();
        calls.sort();
        let mut set = CallSet::default();
        for call in calls {
            let thread = history.call(call).thread;
            match set.last.iter_mut().find(|(known, _)| *known == thread) {
                Some((_, last)) => *last = call,
                None => set.last.push((thread, call)),
            }
            if history.call(call).is_pending() {
                set.pending.push(call);
            } else {
                set.completed.push(call);
            }
        }
        set
    }

    /// Returns the calls that must take effect.
    pub fn completed(&self) -> &[CallId] {
        &self.completed
    }

    /// Returns the calls that may take effect.
    pub fn pending(&self) -> &[CallId] {
        &self.pending
    }

    /// Returns the completed calls, then the pending calls.
    pub fn calls(&self) -> impl Iterator<Item = CallId> + '_ {
        self.completed.iter().chain(&self.pending).copied()
    }

    pub fn missing<'a>(&'a self, taken: &'a CallPrefix) -> impl Iterator<Item = CallId> + 'a {
        taken.missing(self.completed.len()).map(|at| self.completed[at])
    }

    pub fn missing_pending<'a>(&'a self, taken: &'a CallPrefix) -> impl Iterator<Item = CallId> + 'a {
        taken.missing_pending(self.pending.len()).map(|at| self.pending[at])
    }

    pub fn is_complete(&self, taken: &CallPrefix) -> bool {
        taken.completed() == self.completed.len()
    }

    /// Checks whether the call must take effect.
    pub fn must_take(&self, call: CallId) -> bool {
        self.completed.binary_search(&call).is_ok()
    }

    /// Checks whether the call has taken effect. `true` for a call outside the set: no call has to wait for
    /// it.
    pub fn has_taken(&self, taken: &CallPrefix, call: CallId) -> bool {
        match (self.completed.binary_search(&call), self.pending.binary_search(&call)) {
            (Ok(at), _) => taken.contains(at),
            (Err(_), Ok(at)) => taken.contains_pending(at),
            _ => true,
        }
    }

    pub fn take(&self, taken: &mut CallPrefix, call: CallId) {
        match (self.completed.binary_search(&call), self.pending.binary_search(&call)) {
            (Ok(at), _) => taken.take(at),
            (Err(_), Ok(at)) => taken.take_pending(at),
            _ => {}
        }
    }

    /// Returns the threads with calls left.
    pub fn open_threads(&self, taken: &CallPrefix) -> SmallVec<[usize; 8]> {
        let open = self.last.iter().filter(|(_, last)| !self.has_taken(taken, *last));
        open.map(|(thread, _)| *thread).collect()
    }
}
