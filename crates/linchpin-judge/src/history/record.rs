//! Histories: the calls and returns that the clients of an object observe, in the order of time.
//!
//! A history is *well-formed* if the events of each thread alternate between a call and its return, beginning
//! with a call. A call without a return is *pending*: its operation may or may not have taken effect. One
//! call *precedes* another if it returns before the other call begins.

use super::value_check::{fits, result_type};
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::Word;
use linchpin_order::{CallId, CallMap};
use linchpin_semantics::{ThreadId, thread_name};
use std::fmt;
use std::sync::Arc;

/// A call, or the return of the pending call of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// A call with the words of its arguments, one after the other, self-contained.
    Call { thread: ThreadId, op: OpId, args: Vec<Word> },
    /// A return with the words of the result, self-contained; no words if there is no result.
    Return { thread: ThreadId, result: Vec<Word> },
}

impl Event {
    pub fn thread(&self) -> ThreadId {
        match self {
            Event::Call { thread, .. } | Event::Return { thread, .. } => *thread,
        }
    }
}

/// A call and its return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub thread: ThreadId,
    pub op: OpId,
    pub args: Vec<Word>,
    /// The number of the event at which the call begins, from 0.
    pub called: usize,
    /// `None` if the call is pending.
    pub returned: Option<Returned>,
}

impl Call {
    pub fn is_pending(&self) -> bool {
        self.returned.is_none()
    }
}

/// The return of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Returned {
    /// The number of the event, from 0.
    pub event: usize,
    pub result: Vec<Word>,
}

/// A call as a history shows it. A prefix shows calls as pending that return in the whole history.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownCall<'h> {
    pub call: &'h Call,
    pub result: Option<&'h [Word]>,
}

/// A well-formed history over the operations of one program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct History {
    events: Vec<Event>,
    calls: CallMap<Call>,
}

impl History {
    /// Pairs calls with their returns. Fails if no execution of the program's operations has these events.
    pub fn new(program: &Program, events: Vec<Event>) -> Result<History, Malformed> {
        let mut calls: CallMap<Call> = CallMap::default();
        let mut pending: Vec<(ThreadId, CallId)> = Vec::new();
        for (at, event) in events.iter().enumerate() {
            let refuse = |reason| Malformed { event: at, thread: event.thread(), reason };
            let open = pending.iter().position(|(thread, _)| *thread == event.thread());
            match event {
                Event::Call { thread, op, args } => {
                    let operation = program.ops.get(*op).ok_or_else(|| refuse(Reason::UnknownOperation))?;
                    if let Some(open) = open {
                        let earlier = pending[open].1;
                        let op = program.ops[calls[earlier].op].name.clone();
                        return Err(refuse(Reason::CallWhilePending { pending: earlier, op }));
                    }
                    if !fits(&program.types, &operation.params, args) {
                        return Err(refuse(Reason::Arguments { op: operation.name.clone() }));
                    }
                    let call =
                        Call { thread: *thread, op: *op, args: args.clone(), called: at, returned: None };
                    pending.push((*thread, calls.push(call)));
                }
                Event::Return { result, .. } => {
                    let Some(open) = open else { return Err(refuse(Reason::ReturnWithoutCall)) };
                    let call = &mut calls[pending.swap_remove(open).1];
                    let operation = &program.ops[call.op];
                    if !fits(&program.types, result_type(program, call.op).as_slice(), result) {
                        return Err(refuse(Reason::Result { op: operation.name.clone() }));
                    }
                    call.returned = Some(Returned { event: at, result: result.clone() });
                }
            }
        }
        Ok(History { events, calls })
    }

    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the calls in the order in which they begin.
    pub fn calls(&self) -> &CallMap<Call> {
        &self.calls
    }

    pub fn call(&self, id: CallId) -> &Call {
        &self.calls[id]
    }

    pub fn pending(&self) -> impl Iterator<Item = CallId> {
        self.calls.entries().filter(|(_, call)| call.is_pending()).map(|(id, _)| id)
    }

    pub fn is_complete(&self) -> bool {
        self.pending().next().is_none()
    }

    /// Checks that `first` returns before `second` begins.
    pub fn precedes(&self, first: CallId, second: CallId) -> bool {
        self.calls[first].returned.as_ref().is_some_and(|r| r.event < self.calls[second].called)
    }
}

/// Why a sequence of events is not a history, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The number of the event, from 0.
    pub event: usize,
    pub thread: ThreadId,
    pub reason: Reason,
}

/// Why an event cannot be part of a history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    ReturnWithoutCall,
    CallWhilePending {
        pending: CallId,
        op: Arc<str>,
    },
    UnknownOperation,
    /// The words are not values of the operation's parameters.
    Arguments {
        op: Arc<str>,
    },
    /// The words are not a value of the operation's result type.
    Result {
        op: Arc<str>,
    },
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (event, thread) = (self.event + 1, thread_name(self.thread));
        match &self.reason {
            Reason::ReturnWithoutCall => {
                write!(f, "event {event}: {thread} returns, but it has no pending call")
            }
            Reason::CallWhilePending { op, .. } => {
                write!(f, "event {event}: {thread} makes a call while its call of `{op}` is pending")
            }
            Reason::UnknownOperation => {
                write!(f, "event {event}: {thread} calls an unknown operation")
            }
            Reason::Arguments { op } => {
                write!(f, "event {event}: {thread} calls `{op}` with invalid arguments")
            }
            Reason::Result { op } => {
                write!(f, "event {event}: {thread} returns from `{op}` with an invalid result")
            }
        }
    }
}

impl std::error::Error for Malformed {}
