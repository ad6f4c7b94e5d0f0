//! Which orders of the calls a consistency property allows: those that keep a partial order `<`.
//!
//! | property | `a < b` |
//! |---|---|
//! | linearizable | `a` returned before `b` was made |
//! | sequentially consistent | same thread, and `a` was made before `b` |
//! | quiescently consistent | a moment without pending calls lies between `a` and `b` |
//! | barrier consistent | one such moment, chosen before, lies between `a` and `b`; for each choice there is an order |
//!
//! All but the second are *interval orders*: each call gets an interval of numbers, and `a < b` iff `a`'s lies wholly
//! before `b`'s. For real time these are the events of the call and of its return, for quiescence the number of the period
//! between two quiescent moments. A pending call never ends.
//!
//! A search may be given more: *[edges](Edges)*, of which it is known that every legal order keeps them.

use super::progress::Progress;
use super::record::{Call, CallId, History};
use super::roster::Roster;
use linchpin_ir::index::IndexVec;
use linchpin_semantics::ThreadId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The consistency properties of a single history.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Consistency {
    Linearizable,
    Sequential,
    Quiescent,
    /// COLLECT's single barrier (4.3): each quiescent moment by itself. Weaker than [`Consistency::Quiescent`].
    Barrier,
}

/// The partial order of a [`Consistency`] on the calls of a history.
#[derive(Debug)]
pub(super) enum Precedence {
    Intervals(IndexVec<CallId, Interval>),
    Threads(IndexVec<CallId, ThreadId>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    pub start: usize,
    /// [`NEVER`] for a pending call.
    pub end: usize,
}

pub(super) const NEVER: usize = usize::MAX;

/// Pairs of calls beyond the precedence: `a` before `b` means that `b` does not take effect unless `a` has, also where `a`
/// is pending.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
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
    pub fn before(&self, call: CallId) -> &[CallId] {
        self.before.get(&call).map_or(&[], |before| before)
    }
}

impl Precedence {
    /// For each of these there has to be an order. Calls for which `counts` is false are treated as if they had never been made.
    pub fn all(
        history: &History,
        consistency: Consistency,
        counts: impl Fn(CallId) -> bool,
    ) -> Vec<Precedence> {
        let only = match consistency {
            Consistency::Linearizable => {
                let real_time = |call: &Call| Interval {
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

    /// The intervals, if it is an interval order.
    pub fn intervals(&self) -> Option<&IndexVec<CallId, Interval>> {
        match self {
            Precedence::Intervals(intervals) => Some(intervals),
            Precedence::Threads(_) => None,
        }
    }

    /// The calls of the roster that may come next: every call before them has come, by this order and by the edges. A
    /// pending call never has to come, unless an edge says so. Completed calls come first, the one that must be over
    /// first before the others: it is the likeliest to be next.
    pub fn minimal(&self, roster: &Roster, edges: &Edges, progress: &Progress, out: &mut Vec<CallId>) {
        out.clear();
        let rest = roster.missing(progress);
        let pending = roster.missing_pending(progress);
        match self {
            Precedence::Intervals(intervals) => {
                // Whatever ends before a call starts was itself made earlier, so one pass in the order of starts sees it.
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
                let mut open = roster.open_threads(progress);
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
        out.retain(|call| edges.before(*call).iter().all(|&first| roster.has_taken(progress, first)));
    }
}

/// One order for each moment between two periods: what lies on one side of it against what lies on the other.
fn barriers(periods: &IndexVec<CallId, Interval>) -> Vec<Precedence> {
    let last = periods.iter().map(|interval| interval.start).max().unwrap_or(0);
    let at = |barrier: usize| {
        let side = |period: usize| if period == NEVER { NEVER } else { usize::from(period > barrier) };
        let sides = |interval: &Interval| Interval { start: side(interval.start), end: side(interval.end) };
        Precedence::Intervals(periods.iter().map(sides).collect())
    };
    (0..last.max(1)).map(at).collect()
}

/// Each call's period; a moment is quiescent if every call made before it has returned.
fn quiescent_periods(history: &History, counts: impl Fn(CallId) -> bool) -> IndexVec<CallId, Interval> {
    let mut period = 0;
    let mut over_at = Some(0);
    let mut intervals = IndexVec::new();
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
