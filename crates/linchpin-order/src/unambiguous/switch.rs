//! Decides histories of a switch, in O(n log n): an object with two states, such as one key of a set. Values
//! may be added as often as one likes.
//!
//! With its result each completed call is one of four: it turns the switch on, it turns it off, it finds it
//! on, or it finds it off. A pending call may be any of those that its operation allows.
//!
//! **Search.** Go through the events in the order of time, and keep the state and the calls that have begun
//! but not taken effect. A call that finds the switch in its present state takes effect at once. A call that
//! changes it takes effect as late as possible: when a call returns that has not taken effect. If this call
//! needs the other state, the open call that ends first among those that change to this state comes before
//! it. A pending call ends last. If there is no such call the history is illegal.
//!
//! **Claim.** The search finds a legal order if there is one. Proof. Call the numbers of calls of each kind
//! that have taken effect a *position*. At each moment the search is in the state of some legal order's
//! position with the fewest changes, by induction over the returns. A legal order must have the returning
//! call by now. So it has been in the state that this call needs, with at least as many changes. The search
//! takes those open calls that end first. An order with other calls can exchange them: the calls do the same,
//! and both are open. Changing earlier than needed uses up calls that are open, and that the search can use
//! too: a call that stops being open has taken effect. Guarding test: `deciders_agree_with_brute_force`.

use super::SwitchCall;
use crate::call::CallId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The order of the effects, or the event at which the search ended. Events are `(moment, number of call)`.
pub(super) fn decide(initial: bool, calls: &[SwitchCall]) -> Result<Vec<CallId>, usize> {
    let mut events: Vec<(usize, bool, usize)> = Vec::with_capacity(2 * calls.len());
    for (at, call) in calls.iter().enumerate() {
        events.push((call.span.start, false, at));
        if !call.is_pending {
            events.push((call.span.end, true, at));
        }
    }
    events.sort_unstable();
    let mut search = Search {
        calls,
        is_on: initial,
        has_taken: vec![false; calls.len()],
        changes: [BinaryHeap::new(), BinaryHeap::new()],
        finds: [Vec::new(), Vec::new()],
        order: Vec::with_capacity(calls.len()),
    };
    for (moment, is_return, at) in events {
        if is_return {
            search.must_take(at).ok_or(moment)?;
        } else {
            search.begin(at);
        }
    }
    Ok(search.order)
}

struct Search<'a> {
    calls: &'a [SwitchCall],
    is_on: bool,
    has_taken: Vec<bool>,
    /// The open calls that turn the switch off, and on; the first end first.
    changes: [BinaryHeap<Reverse<(usize, usize)>>; 2],
    /// The open calls that find the switch off, and on.
    finds: [Vec<usize>; 2],
    order: Vec<CallId>,
}

impl Search<'_> {
    fn begin(&mut self, at: usize) {
        let call = &self.calls[at];
        if let Some(state) = call.finds {
            if state == self.is_on {
                self.take(at);
            } else {
                self.finds[usize::from(state)].push(at);
            }
            return;
        }
        for state in [false, true] {
            if call.changes_to[usize::from(state)] {
                self.changes[usize::from(state)].push(Reverse((call.span.end, at)));
            }
        }
    }

    /// Lets a call take effect that returns now; `None` if it cannot.
    fn must_take(&mut self, at: usize) -> Option<()> {
        if self.has_taken[at] {
            return Some(());
        }
        let call = &self.calls[at];
        match call.finds {
            Some(state) => {
                self.change_to(state)?;
                debug_assert!(
                    self.has_taken[at],
                    "a change lets all calls take effect that find the new state"
                );
            }
            None => {
                let state = call.changes_to[1];
                if state == self.is_on {
                    self.change_to(!state)?;
                }
                // No other open call ends earlier: it would have taken effect at its end.
                self.change(at, state);
            }
        }
        Some(())
    }

    /// Changes the state by the open call that ends first; `None` if there is none.
    fn change_to(&mut self, state: bool) -> Option<()> {
        loop {
            let Reverse((_, at)) = self.changes[usize::from(state)].pop()?;
            if !self.has_taken[at] {
                self.change(at, state);
                return Some(());
            }
        }
    }

    fn change(&mut self, at: usize, state: bool) {
        self.take(at);
        self.is_on = state;
        for at in std::mem::take(&mut self.finds[usize::from(state)]) {
            self.take(at);
        }
    }

    fn take(&mut self, at: usize) {
        self.has_taken[at] = true;
        self.order.push(self.calls[at].call);
    }
}
