//! The values of a container, each with its put and its take, as intervals of moments.
//!
//! Moments are numbers. Starts are even, ends are odd, so no start equals an end. Moment *m* stands for the
//! time just after event *m*.
//!
//! *Normal intervals.* A value is put before it is taken. So its put may be ended where its take ends, and
//! its take may be started where its put starts. No legal order is lost.
//!
//! *Presence.* A value is present from the effect of its put to the effect of its take. So it is present at
//! each moment *m* with `put.end <= m < take.start`, in every order. A value that is never taken has a take
//! that starts after all other calls.
//!
//! *Pending calls.* A pending put whose value is taken ends after all completed calls. A pending put whose
//! value is not taken is dropped: a value that no call takes explains no result. A pending take is dropped,
//! or takes the value that the caller of [`Values::new`] assigns.

use crate::call::{CallId, CallMap};
use crate::call_set::CallSet;
use crate::precedence::{Interval, NEVER};
use crate::spec::{About, ContainerCall};
use rustc_hash::FxHashMap;

/// A moment of a history.
pub(super) type Moment = usize;

/// The end of a pending call: after the end of all completed calls.
pub(super) const PENDING_END: Moment = usize::MAX - 6;
/// The interval of the take of a value that is never taken: after all calls.
const UNTAKEN: Span = Span { start: usize::MAX - 3, end: usize::MAX - 2 };

/// The moments at which a call may take effect: from `start` to just before `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub start: Moment,
    pub end: Moment,
}

impl From<Interval> for Span {
    fn from(interval: Interval) -> Span {
        let end = if interval.end == NEVER { PENDING_END } else { 2 * interval.end + 3 };
        Span { start: 2 * interval.start + 2, end }
    }
}

/// A value with normal intervals.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub put: CallId,
    /// `None` if the value is never taken.
    pub take: Option<CallId>,
    pub put_span: Span,
    pub take_span: Span,
}

impl Value {
    /// Returns the calls about the value.
    pub fn calls(&self) -> impl Iterator<Item = CallId> {
        [Some(self.put), self.take].into_iter().flatten()
    }

    /// Returns the moments at which the value is present in every order; `None` if there are none.
    pub fn presence(&self) -> Option<Span> {
        let span = Span { start: self.put_span.end, end: self.take_span.start };
        (span.start < span.end).then_some(span)
    }
}

/// A call that found the container empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Empty {
    pub call: CallId,
    pub span: Span,
}

/// All calls of a container whose values are put once.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub values: Vec<Value>,
    pub empties: Vec<Empty>,
    /// Pending takes.
    pub loose: Vec<CallId>,
}

/// The pending takes that take a value, and the number of the value.
pub(super) type Assignment = [(CallId, u32)];

/// The reason why there are no values.
pub(super) enum NoValues {
    /// A value is put twice.
    Ambiguous,
    /// These calls have no legal order.
    Core(Vec<CallId>),
}

impl Values {
    /// Collects the values of some calls.
    pub fn new(
        roles: &CallMap<ContainerCall>,
        intervals: &CallMap<Interval>,
        set: &CallSet,
        assigned: &Assignment,
    ) -> Result<Values, NoValues> {
        let mut puts: FxHashMap<u32, CallId> = FxHashMap::default();
        let mut takes: FxHashMap<u32, CallId> = FxHashMap::default();
        let mut order = Vec::new();
        let mut all = Values::default();
        let mut twice = None;
        for call in set.calls() {
            let ContainerCall { is_put, about, .. } = roles[call];
            match about {
                About::Value(value) if is_put => {
                    if puts.insert(value, call).is_some() {
                        return Err(NoValues::Ambiguous);
                    }
                    order.push(value);
                }
                About::Value(value) => {
                    if let Some(first) = takes.insert(value, call) {
                        twice.get_or_insert((value, [first, call]));
                    }
                }
                About::Nothing => all.empties.push(Empty { call, span: intervals[call].into() }),
                About::Anything => all.loose.push(call),
            }
        }
        if let Some((value, calls)) = twice {
            return Err(NoValues::Core(puts.get(&value).into_iter().chain(&calls).copied().collect()));
        }
        for &(call, value) in assigned {
            if takes.insert(value, call).is_some() {
                return Err(NoValues::Ambiguous);
            }
        }
        let lost = takes.iter().filter(|(value, _)| !puts.contains_key(value)).map(|(_, call)| *call).min();
        if let Some(call) = lost {
            return Err(NoValues::Core(vec![call]));
        }
        for value in order {
            let put = puts[&value];
            let take = takes.get(&value).copied();
            let is_dropped = take.is_none() && intervals[put].end == NEVER;
            if !is_dropped {
                all.values.push(normal(intervals, put, take)?);
            }
        }
        Ok(all)
    }
}

fn normal(intervals: &CallMap<Interval>, put: CallId, take: Option<CallId>) -> Result<Value, NoValues> {
    let mut put_span = Span::from(intervals[put]);
    let mut take_span = take.map_or(UNTAKEN, |take| intervals[take].into());
    if take_span.end < put_span.start {
        return Err(NoValues::Core([Some(put), take].into_iter().flatten().collect()));
    }
    put_span.end = put_span.end.min(take_span.end);
    take_span.start = take_span.start.max(put_span.start);
    Ok(Value { put, take, put_span, take_span })
}
