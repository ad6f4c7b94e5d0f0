//! Which orders of the calls a consistency property allows: those that keep a partial order `<`.
//!
//! | property | `a < b` |
//! |---|---|
//! | linearizable | `a` returned before `b` was made |
//! | sequentially consistent | same thread, and `a` was made before `b` |
//! | quiescently consistent | a moment without pending calls lies between `a` and `b` |
//!
//! The first and the last are *interval orders*: each call gets an interval of numbers, and `a < b` iff `a`'s lies wholly
//! before `b`'s. For real time these are the events of the call and of its return, for quiescence the number of the period
//! between two quiescent moments. A pending call never ends.

use super::record::{CallId, History};
use crate::index::IndexVec;
use crate::semantics::ThreadId;

/// The consistency properties of a single history.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Consistency {
    Linearizable,
    Sequential,
    Quiescent,
}

/// The partial order of a [`Consistency`] on some of the calls of a history.
#[derive(Debug)]
pub(super) enum Precedence {
    Intervals(IndexVec<CallId, Interval>),
    Threads(IndexVec<CallId, ThreadId>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    start: usize,
    end: usize,
}

const NEVER: usize = usize::MAX;

impl Precedence {
    /// Calls for which `counts` is false are treated as if they had never been made.
    pub fn new(history: &History, consistency: Consistency, counts: impl Fn(CallId) -> bool) -> Precedence {
        match consistency {
            Consistency::Linearizable => {
                let real_time = |call: &super::record::Call| Interval {
                    start: call.called,
                    end: call.returned.as_ref().map_or(NEVER, |r| r.event),
                };
                Precedence::Intervals(history.calls().iter().map(real_time).collect())
            }
            Consistency::Sequential => {
                Precedence::Threads(history.calls().iter().map(|call| call.thread).collect())
            }
            Consistency::Quiescent => Precedence::Intervals(quiescent_periods(history, counts)),
        }
    }

    /// The calls that may come next: no call among `rest` is before them. `rest` are the completed calls that have not come
    /// yet and `pending` the pending ones, each in the order in which they were made; a pending call never has to come.
    pub fn minimal(
        &self,
        rest: impl Iterator<Item = CallId>,
        pending: impl Iterator<Item = CallId>,
        out: &mut Vec<CallId>,
    ) {
        out.clear();
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
                // The one that must be over first, first: it is the likeliest to come next.
                out.sort_by_key(|&call| intervals[call].end);
                out.extend(pending.filter(|&call| intervals[call].start <= first_end));
            }
            Precedence::Threads(threads) => {
                let mut seen: Vec<ThreadId> = Vec::new();
                for call in rest.chain(pending) {
                    if !seen.contains(&threads[call]) {
                        seen.push(threads[call]);
                        out.push(call);
                    }
                }
            }
        }
    }
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
