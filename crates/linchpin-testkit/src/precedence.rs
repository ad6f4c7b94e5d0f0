//! Which call comes before which, by definition, for the oracles that try every order.

use linchpin_judge::history::{Call, CallId, Consistency, History};

/// What an order of some calls must keep.
pub struct Precedence<'a> {
    pub history: &'a History,
    pub consistency: Consistency,
    /// The one moment that counts, for `barrier-consistent`.
    pub barrier: usize,
    /// The calls that count as made.
    pub present: Vec<CallId>,
}

impl Precedence<'_> {
    /// Whether an order, those that take effect together in one list, keeps it.
    pub fn is_kept(&self, order: &[Vec<CallId>]) -> bool {
        let place = |call: CallId| order.iter().position(|together| together.contains(&call));
        self.present.iter().all(|&a| {
            self.present.iter().all(|&b| match (place(a), place(b)) {
                (Some(x), Some(y)) => !self.precedes(a, b) || x < y,
                // A call that has not taken effect must not be before one that has, unless it may still be
                // pending.
                (None, Some(_)) => !self.precedes(a, b) || self.history.call(a).is_pending(),
                _ => true,
            })
        })
    }

    fn precedes(&self, a: CallId, b: CallId) -> bool {
        let (first, second) = (self.history.call(a), self.history.call(b));
        match self.consistency {
            Consistency::Linearizable => self.history.precedes(a, b),
            Consistency::Sequential => first.thread == second.thread && first.called < second.called,
            Consistency::Quiescent => {
                (0..self.history.events().len()).any(|moment| self.lies_between(moment, first, second))
            }
            Consistency::Barrier => self.lies_between(self.barrier, first, second),
        }
    }

    /// A moment without pending calls lies between two calls.
    fn lies_between(&self, moment: usize, first: &Call, second: &Call) -> bool {
        let is_over = |call: CallId| {
            self.history.call(call).returned.as_ref().is_some_and(|returned| returned.event < moment)
        };
        let is_quiet =
            self.present.iter().all(|&call| self.history.call(call).called >= moment || is_over(call));
        is_quiet && first.called < moment && second.called >= moment
    }
}

/// What may take effect next of the calls that are left: one, or two of different threads together.
pub fn groups(history: &History, rest: &[CallId]) -> Vec<Vec<CallId>> {
    let alone = rest.iter().map(|&call| vec![call]);
    let pairs = rest.iter().flat_map(|&a| rest.iter().map(move |&b| vec![a, b]));
    let meets = |pair: &Vec<CallId>| {
        pair[0] < pair[1] && history.call(pair[0]).thread != history.call(pair[1]).thread
    };
    alone.chain(pairs.filter(meets)).collect()
}

pub fn subsets(calls: &[CallId]) -> Vec<Vec<CallId>> {
    let mut all = vec![Vec::new()];
    for &call in calls {
        let with: Vec<Vec<CallId>> = all.iter().map(|some| [some.clone(), vec![call]].concat()).collect();
        all.extend(with);
    }
    all
}
