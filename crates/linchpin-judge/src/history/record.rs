//! Histories: what a client saw of an object, calls and returns in the order of time.
//!
//! A history is *well-formed* if each thread's own events alternate between a call and its return, beginning with a
//! call. A call without a return is *pending*: its operation may or may not have taken effect. One call *precedes*
//! another if it returned before the other was made.

use super::fit::{fits, result_type};
use linchpin_ir::index::IndexVec;
use linchpin_ir::program::{OpId, Program};
use linchpin_ir::types::Word;
use linchpin_semantics::{ThreadId, thread_name};
use std::fmt;
use std::sync::Arc;

linchpin_ir::index_types! {
    /// A call of one history; calls are numbered in the order in which they were made.
    pub struct CallId;
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// The arguments one after the other, self-contained.
    Call { thread: ThreadId, op: OpId, args: Vec<Word> },
    /// The operation's result, self-contained; no words if it has none.
    Return { thread: ThreadId, result: Vec<Word> },
}

impl Event {
    pub fn thread(&self) -> ThreadId {
        match self {
            Event::Call { thread, .. } | Event::Return { thread, .. } => *thread,
        }
    }
}

/// One call and, unless it is pending, its return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub thread: ThreadId,
    pub op: OpId,
    pub args: Vec<Word>,
    /// Its event.
    pub called: usize,
    pub returned: Option<Returned>,
}

impl Call {
    pub fn is_pending(&self) -> bool {
        self.returned.is_none()
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Returned {
    /// Its event.
    pub event: usize,
    pub result: Vec<Word>,
}

/// A well-formed history over the operations of one program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct History {
    events: Vec<Event>,
    calls: IndexVec<CallId, Call>,
}

impl History {
    /// Pairs calls with their returns; refuses what no execution of the program's operations can look like.
    pub fn new(program: &Program, events: Vec<Event>) -> Result<History, Malformed> {
        let mut calls: IndexVec<CallId, Call> = IndexVec::new();
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

    /// In the order in which they were made.
    pub fn calls(&self) -> &IndexVec<CallId, Call> {
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

    /// `first` returned before `second` was made.
    pub fn precedes(&self, first: CallId, second: CallId) -> bool {
        self.calls[first].returned.as_ref().is_some_and(|r| r.event < self.calls[second].called)
    }
}

/// Why a sequence of events is no history, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// From 0.
    pub event: usize,
    pub thread: ThreadId,
    pub reason: Reason,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    ReturnWithoutCall,
    CallWhilePending {
        pending: CallId,
        op: Arc<str>,
    },
    UnknownOperation,
    /// They are no values of the operation's parameters.
    Arguments {
        op: Arc<str>,
    },
    /// It is no value of the operation's result.
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
                write!(f, "event {event}: {thread} calls an operation that the object does not have")
            }
            Reason::Arguments { op } => {
                write!(f, "event {event}: {thread} calls `{op}` with what are not its arguments")
            }
            Reason::Result { op } => {
                write!(f, "event {event}: {thread} returns from `{op}` with what it cannot return")
            }
        }
    }
}

impl std::error::Error for Malformed {}
