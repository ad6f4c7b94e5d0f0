//! Histories: the calls and returns that the clients of an object observe, in the order of time.
//!
//! A history is *well-formed* if the events of each thread alternate between a call and its return, beginning
//! with a call. A call without a return is *pending*: its operation may or may not have taken effect. One
//! call *precedes* another if it returns before the other call begins.

use crate::call::{CallId, CallMap};
use std::fmt;

/// A call, or the return of the pending call of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Event<Op, Ret> {
    Call { thread: usize, op: Op },
    Return { thread: usize, result: Ret },
}

/// A call and its return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call<Op, Ret> {
    pub thread: usize,
    /// The operation and its arguments.
    pub op: Op,
    /// The number of the event at which the call begins, from 0.
    pub called: usize,
    /// `None` if the call is pending.
    pub returned: Option<Returned<Ret>>,
}

impl<Op, Ret> Call<Op, Ret> {
    pub fn is_pending(&self) -> bool {
        self.returned.is_none()
    }
}

/// The return of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Returned<Ret> {
    /// The number of the event, from 0.
    pub event: usize,
    pub result: Ret,
}

/// A well-formed history. `Op` is an operation with its arguments, `Ret` the result of an operation.
///
/// ```
/// use linchpin_order::History;
///
/// // Thread 1 reads while thread 0 writes; the write does not return.
/// let history = History::builder()
///     .call(0, "write 1")
///     .call(1, "read")
///     .ret(1, Some(1))
///     .build()
///     .expect("the history is well-formed");
/// assert_eq!((history.calls().len(), history.pending().count()), (2, 1));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct History<Op, Ret> {
    calls: CallMap<Call<Op, Ret>>,
    /// The call of each event. Its first event is the call, its second the return.
    events: Vec<CallId>,
}

impl<Op, Ret> History<Op, Ret> {
    /// Returns a builder for an empty history.
    pub fn builder() -> HistoryBuilder<Op, Ret> {
        HistoryBuilder { history: History::empty(), open: Vec::new(), malformed: None }
    }

    /// Builds the history of these events, in this order.
    pub fn from_events(events: impl IntoIterator<Item = Event<Op, Ret>>) -> Result<Self, Malformed> {
        let builder = events.into_iter().fold(History::builder(), |builder, event| match event {
            Event::Call { thread, op } => builder.call(thread, op),
            Event::Return { thread, result } => builder.ret(thread, result),
        });
        builder.build()
    }

    /// Returns all calls in the order in which they begin.
    pub fn calls(&self) -> &CallMap<Call<Op, Ret>> {
        &self.calls
    }

    pub fn call(&self, id: CallId) -> &Call<Op, Ret> {
        &self.calls[id]
    }

    /// Returns the number of calls and returns.
    pub fn events(&self) -> usize {
        self.events.len()
    }

    pub fn pending(&self) -> impl Iterator<Item = CallId> {
        self.calls.entries().filter(|(_, call)| call.is_pending()).map(|(id, _)| id)
    }

    /// Checks that no call is pending.
    pub fn is_complete(&self) -> bool {
        self.pending().next().is_none()
    }

    /// Checks that `first` returns before `second` begins.
    pub fn precedes(&self, first: CallId, second: CallId) -> bool {
        self.calls[first].returned.as_ref().is_some_and(|r| r.event < self.calls[second].called)
    }

    /// Returns the history of these events alone. The events are sorted, and the call of each return is among
    /// them.
    pub(crate) fn restricted(&self, events: impl IntoIterator<Item = usize>) -> History<Op, Ret>
    where
        Op: Clone,
        Ret: Clone,
    {
        let mut some = History::empty();
        let mut number: Vec<Option<CallId>> = vec![None; self.calls.len()];
        for at in events {
            let id = self.events[at];
            let call = &self.calls[id];
            if call.called == at {
                number[id.index()] = Some(some.begin(call.thread, call.op.clone()));
            } else if let (Some(id), Some(returned)) = (number[id.index()], &call.returned) {
                some.end(id, returned.result.clone());
            }
        }
        some
    }

    fn empty() -> History<Op, Ret> {
        History { calls: CallMap::default(), events: Vec::new() }
    }

    fn begin(&mut self, thread: usize, op: Op) -> CallId {
        let id = self.calls.push(Call { thread, op, called: self.events.len(), returned: None });
        self.events.push(id);
        id
    }

    fn end(&mut self, id: CallId, result: Ret) {
        self.calls[id].returned = Some(Returned { event: self.events.len(), result });
        self.events.push(id);
    }
}

/// Builds a [`History`] event by event, in the order of time.
#[derive(Clone, Debug)]
pub struct HistoryBuilder<Op, Ret> {
    history: History<Op, Ret>,
    /// The pending call of each thread that has one.
    open: Vec<(usize, CallId)>,
    malformed: Option<Malformed>,
}

impl<Op, Ret> HistoryBuilder<Op, Ret> {
    /// Adds a call of a thread.
    pub fn call(mut self, thread: usize, op: Op) -> Self {
        if self.malformed.is_some() {
            return self;
        }
        if self.open.iter().any(|(other, _)| *other == thread) {
            return self.refuse(thread, Reason::CallWhilePending);
        }
        let id = self.history.begin(thread, op);
        self.open.push((thread, id));
        self
    }

    /// Adds the return of the pending call of a thread.
    pub fn ret(mut self, thread: usize, result: Ret) -> Self {
        if self.malformed.is_some() {
            return self;
        }
        let Some(at) = self.open.iter().position(|(other, _)| *other == thread) else {
            return self.refuse(thread, Reason::ReturnWithoutCall);
        };
        let (_, id) = self.open.swap_remove(at);
        self.history.end(id, result);
        self
    }

    /// Returns the history. Calls without a return are pending. Fails at the first event that is not
    /// well-formed.
    pub fn build(self) -> Result<History<Op, Ret>, Malformed> {
        self.malformed.map_or(Ok(self.history), Err)
    }

    fn refuse(mut self, thread: usize, reason: Reason) -> Self {
        self.malformed = Some(Malformed { event: self.history.events.len(), thread, reason });
        self
    }
}

/// The first event at which a sequence of events is not well-formed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The number of the event, from 0.
    pub event: usize,
    pub thread: usize,
    pub reason: Reason,
}

/// Why an event is not well-formed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    ReturnWithoutCall,
    CallWhilePending,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Malformed { event, thread, reason } = self;
        let what = match reason {
            Reason::ReturnWithoutCall => "returns, but it has no pending call",
            Reason::CallWhilePending => "makes a call while its last call is pending",
        };
        write!(f, "event {}: thread {thread} {what}", event + 1)
    }
}

impl std::error::Error for Malformed {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_are_not_well_formed_are_refused() {
        let twice = History::<_, ()>::builder().call(3, 'a').call(3, 'b').ret(4, ()).build();
        let error = twice.expect_err("thread 3 has a pending call");
        assert_eq!(error, Malformed { event: 1, thread: 3, reason: Reason::CallWhilePending });
        assert_eq!(error.to_string(), "event 2: thread 3 makes a call while its last call is pending");
        let early = History::builder().call(0, 'a').ret(0, ()).ret(0, ()).build();
        let error = early.expect_err("thread 0 has no pending call");
        assert_eq!(error, Malformed { event: 2, thread: 0, reason: Reason::ReturnWithoutCall });
        assert_eq!(error.to_string(), "event 3: thread 0 returns, but it has no pending call");
    }

    #[test]
    fn a_prefix_keeps_numbers_and_a_part_gets_new_ones() {
        let history = History::builder().call(0, 'a').call(1, 'b').ret(0, 1).call(0, 'c').ret(1, 2).ret(0, 3);
        let history = history.build().expect("well-formed");
        let prefix = history.restricted(0..4);
        assert_eq!(prefix.pending().map(CallId::index).collect::<Vec<_>>(), [1, 2]);
        assert!(prefix.precedes(CallId::new(0), CallId::new(2)));
        let part = history.restricted([1, 3, 5]);
        let ops: Vec<char> = part.calls().iter().map(|call| call.op).collect();
        assert_eq!((ops, part.pending().count()), (vec!['b', 'c'], 1));
        assert_eq!(part.call(CallId::new(1)).returned, Some(Returned { event: 2, result: 3 }));
        assert_eq!(history.restricted(0..6), history);
    }
}
