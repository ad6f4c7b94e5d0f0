//! The orders of calls that a consistency property allows: those that keep a partial order `<`.
//!
//! | property | `a < b` |
//! |---|---|
//! | linearizable | `a` returns before `b` begins |
//! | sequentially consistent | same thread, and `a` begins before `b` |
//! | quiescently consistent | a moment without pending calls lies between `a` and `b` |
//! | barrier consistent | one chosen such moment lies between `a` and `b`; there is an order for each choice |
//!
//! All but the second are *interval orders*: each call has an interval of numbers. `a < b` iff the interval
//! of `a` lies wholly before the interval of `b`. For real time the interval reaches from the event of the
//! call to the event of its return. For quiescence it is the number of the period between two quiescent
//! moments. A pending call never ends.
//!
//! A search may use *[edges](Edges)* too: pairs of calls that every legal order is known to keep in order.

use crate::call::{CallId, CallMap};
use crate::call_prefix::CallPrefix;
use crate::call_set::CallSet;
use crate::history::{Call, History};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A consistency property of a single history.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Consistency {
    /// Each operation takes effect between its call and its return (Herlihy and Wing 1990).
    Linearizable,
    /// The order keeps the order of each thread (Lamport 1979).
    Sequential,
    /// The order keeps calls apart that a moment without pending calls separates.
    Quiescent,
    /// The single barrier of COLLECT (4.3): each quiescent moment by itself. Weaker than
    /// [`Consistency::Quiescent`].
    Barrier,
}

/// The partial order of a [`Consistency`] on the calls of a history.
#[derive(Debug)]
pub(crate) enum Precedence {
    Intervals(CallMap<Interval>),
    Threads(CallMap<usize>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub start: usize,
    /// [`NEVER`] for a pending call.
    pub end: usize,
}

pub(crate) const NEVER: usize = usize::MAX;

/// Pairs of calls beyond the precedence. `a` before `b` means that `b` does not take effect unless `a` has,
/// even if `a` is pending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    before: FxHashMap<CallId, SmallVec<[CallId; 4]>>,
}

impl FromIterator<(CallId, CallId)> for Edges {
    fn from_iter<I: IntoIterator<Item = (CallId, CallId)>>(pairs: I) -> Edges {
        let mut edges = Edges::default();
        for (first, second) in pairs {
            let before = edges.before.entry(second).or_default();
            if !before.contains(&first) {
                before.push(first);
            }
        }
        edges
    }
}

impl Edges {
    pub fn is_empty(&self) -> bool {
        self.before.is_empty()
    }

    pub fn before(&self, call: CallId) -> &[CallId] {
        self.before.get(&call).map_or(&[], |before| before)
    }
}

impl Precedence {
    /// Returns the partial orders of the property. A history is legal if there is an order of calls for each
    /// of them. Calls for which `counts` is false are ignored.
    pub fn all<Op, Ret>(
        history: &History<Op, Ret>,
        consistency: Consistency,
        counts: impl Fn(CallId) -> bool,
    ) -> Vec<Precedence> {
        let only = match consistency {
            Consistency::Linearizable => {
                let real_time = |call: &Call<Op, Ret>| Interval {
                    start: call.called,
                    end: call.returned.as_ref().map_or(NEVER, |r| r.event),
                };
                Precedence::Intervals(history.calls().iter().map(real_time).collect())
            }
            Consistency::Sequential => {
                Precedence::Threads(history.calls().iter().map(|call| call.thread).collect())
            }
            Consistency::Quiescent => Precedence::Intervals(quiescent_periods(history, counts)),
            Consistency::Barrier => return barriers(&quiescent_periods(history, counts)),
        };
        vec![only]
    }

    /// Returns the intervals; `None` if this is not an interval order.
    pub fn intervals(&self) -> Option<&CallMap<Interval>> {
        match self {
            Precedence::Intervals(intervals) => Some(intervals),
            Precedence::Threads(_) => None,
        }
    }

    /// Collects the calls of the set that may come next: all calls before them have come, by this order and
    /// by the edges. A pending call never has to come, unless an edge requires it.
    ///
    /// Completed calls stand first, by the end of their intervals. The call that ends first is the likeliest
    /// next.
    pub fn minimal(&self, set: &CallSet, edges: &Edges, taken: &CallPrefix, out: &mut Vec<CallId>) {
        out.clear();
        let rest = set.missing(taken);
        let pending = set.missing_pending(taken);
        match self {
            Precedence::Intervals(intervals) => {
                // A call that ends before another one starts also starts before it, so one pass in the order
                // of starts suffices.
                let mut first_end = NEVER;
                for call in rest {
                    if intervals[call].start > first_end {
                        break;
                    }
                    first_end = first_end.min(intervals[call].end);
                    out.push(call);
                }
                out.sort_by_key(|&call| intervals[call].end);
                out.extend(pending.filter(|&call| intervals[call].start <= first_end));
            }
            Precedence::Threads(threads) => {
                let mut open = set.open_threads(taken);
                for call in rest.chain(pending) {
                    if let Some(at) = open.iter().position(|thread| *thread == threads[call]) {
                        open.swap_remove(at);
                        out.push(call);
                        if open.is_empty() {
                            break;
                        }
                    }
                }
            }
        }
        out.retain(|call| edges.before(*call).iter().all(|&first| set.has_taken(taken, first)));
    }
}

/// Returns one order for each moment between two periods. It puts all calls before the moment before all
/// calls after it.
fn barriers(periods: &CallMap<Interval>) -> Vec<Precedence> {
    let last = periods.iter().map(|interval| interval.start).max().unwrap_or(0);
    let at = |barrier: usize| {
        let side = |period: usize| if period == NEVER { NEVER } else { usize::from(period > barrier) };
        let sides = |interval: &Interval| Interval { start: side(interval.start), end: side(interval.end) };
        Precedence::Intervals(periods.iter().map(sides).collect())
    };
    (0..last.max(1)).map(at).collect()
}

/// Returns each call's period. A moment is quiescent if every call that began before it has returned.
fn quiescent_periods<Op, Ret>(
    history: &History<Op, Ret>,
    counts: impl Fn(CallId) -> bool,
) -> CallMap<Interval> {
    let mut period = 0;
    let mut over_at = Some(0);
    let mut intervals = CallMap::default();
    for (id, call) in history.calls().entries() {
        if counts(id) {
            if over_at.is_some_and(|end| end < call.called) {
                period += 1;
            }
            over_at = match (over_at, &call.returned) {
                (Some(end), Some(returned)) => Some(end.max(returned.event)),
                _ => None,
            };
        }
        let end = if call.is_pending() { NEVER } else { period };
        intervals.push(Interval { start: period, end });
    }
    intervals
}
