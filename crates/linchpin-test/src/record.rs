//! The record of one execution: calls and returns in the order of time, panics, and what the end showed.
//!
//! Threads write to a [`Log`] of plain memory. Each event takes its number from one shared counter: before
//! the call begins, and after it returned. So a recorded call may look longer than it was, and a record is
//! never more ordered than the execution.

use crate::ledger::Ledger;
use crate::object::{Client, Interface};
use crate::scenario::Planned;
use crate::value::Datum;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// An event of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Event {
    Call { operation: usize, parts: Vec<Datum> },
    Return(Datum),
}

/// What one execution did.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Record {
    /// The thread of each event, from 0, in the order of time.
    pub events: Vec<(usize, Event)>,
    /// The number of events before the threads start.
    pub before: usize,
    /// How the execution ended.
    pub end: End,
}

/// How an execution ended.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum End {
    /// All calls returned.
    #[default]
    Complete,
    /// No pending call will ever return.
    Stuck,
    /// The code of the object panicked.
    Panicked { thread: Option<usize>, message: String },
    /// The invariant does not hold after the last call.
    Invariant(String),
    /// These tokens were dropped or given back more than once.
    Twice(Vec<u32>),
    /// These tokens were neither dropped nor given back. Only a test that asks for it reports them.
    Lost(Vec<u32>),
}

/// The events of an execution while it runs.
pub(crate) struct Log {
    clock: AtomicU32,
    /// The events of each thread; the last slot is the thread that makes and drops the object.
    slots: Vec<Mutex<Slot>>,
}

#[derive(Default)]
struct Slot {
    events: Vec<(u32, Event)>,
    panic: Option<String>,
}

impl Log {
    pub fn new(threads: usize) -> Log {
        Log { clock: AtomicU32::new(0), slots: (0..=threads).map(|_| Mutex::default()).collect() }
    }

    /// Makes one call and records it. `false`: the call panicked.
    pub fn call(
        &self,
        thread: usize,
        client: &mut dyn Client,
        planned: &Planned,
        ledger: &'static Ledger,
    ) -> bool {
        let event = Event::Call { operation: planned.operation, parts: planned.parts.clone() };
        let before = self.clock.fetch_add(1, Ordering::SeqCst);
        self.with(thread, |slot| slot.events.push((before, event)));
        let result =
            catch_unwind(AssertUnwindSafe(|| client.call(planned.operation, &planned.parts, ledger)));
        let after = self.clock.fetch_add(1, Ordering::SeqCst);
        match result {
            Ok(datum) => self.with(thread, |slot| slot.events.push((after, Event::Return(datum)))),
            Err(payload) => self.panicked(Some(thread), &*payload),
        }
        !self.with(thread, |slot| slot.panic.is_some())
    }

    /// Records a panic; `None` stands for the thread that makes and drops the object.
    pub fn panicked(&self, thread: Option<usize>, payload: &(dyn Any + Send)) {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "a panic without a message".into());
        let slot = thread.unwrap_or(self.slots.len() - 1);
        self.with(slot, |slot| _ = slot.panic.get_or_insert(text));
    }

    /// Returns the number of events so far.
    pub fn events(&self) -> usize {
        self.slots.iter().map(|slot| slot.lock().unwrap_or_else(PoisonError::into_inner).events.len()).sum()
    }

    /// Returns the record. `end` counts if no thread panicked.
    pub fn record(&self, before: usize, end: End) -> Record {
        let mut events: Vec<(u32, usize, Event)> = Vec::new();
        let mut panic = None;
        for (thread, slot) in self.slots.iter().enumerate() {
            let slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            events.extend(slot.events.iter().map(|(time, event)| (*time, thread, event.clone())));
            let who = Some(thread).filter(|_| thread + 1 < self.slots.len());
            panic = panic.or(slot.panic.clone().map(|message| End::Panicked { thread: who, message }));
        }
        events.sort_by_key(|(time, _, _)| *time);
        let events = events.into_iter().map(|(_, thread, event)| (thread, event)).collect();
        Record { events, before, end: panic.unwrap_or(end) }
    }

    fn with<R>(&self, thread: usize, act: impl FnOnce(&mut Slot) -> R) -> R {
        act(&mut self.slots[thread].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A call of a record, with the numbers of its events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RecordedCall {
    pub thread: usize,
    pub operation: usize,
    pub parts: Vec<Datum>,
    pub called: usize,
    /// The number of the event, and the result; `None` if the call is pending.
    pub returned: Option<(usize, Datum)>,
}

impl Record {
    /// Returns the calls in the order in which they begin.
    pub fn calls(&self) -> Vec<RecordedCall> {
        let mut calls: Vec<RecordedCall> = Vec::new();
        for (at, (thread, event)) in self.events.iter().enumerate() {
            match event {
                Event::Call { operation, parts } => calls.push(RecordedCall {
                    thread: *thread,
                    operation: *operation,
                    parts: parts.clone(),
                    called: at,
                    returned: None,
                }),
                Event::Return(datum) => {
                    let own = calls.iter_mut().rev().find(|call| call.thread == *thread);
                    if let Some(call) = own {
                        call.returned = Some((at, datum.clone()));
                    }
                }
            }
        }
        calls
    }

    /// Returns the text of a call: `enq(1)`, or `deq() → 1`.
    pub fn text(&self, interface: &Interface, call: &RecordedCall) -> String {
        let bare = bare_text(interface, call.operation, &call.parts);
        match &call.returned {
            Some((_, Datum::Nothing)) => bare,
            Some((_, result)) => format!("{bare} → {result}"),
            None => format!("{bare} …"),
        }
    }
}

/// Returns the text of a call without its result.
pub(crate) fn bare_text(interface: &Interface, operation: usize, parts: &[Datum]) -> String {
    let parts: Vec<String> = parts.iter().map(Datum::to_string).collect();
    format!("{}({})", interface.operations[operation].name, parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Panics;

    impl Client for Panics {
        fn call(&mut self, operation: usize, _: &[Datum], _: &'static Ledger) -> Datum {
            assert_ne!(operation, 1, "the object is broken");
            Datum::Bool(true)
        }
    }

    #[test]
    fn a_panic_is_part_of_the_record() {
        let log = Log::new(1);
        let planned = |operation| Planned { variant: 0, operation, parts: vec![] };
        let ledger = Ledger::leaked();
        assert!(log.call(0, &mut Panics, &planned(0), ledger));
        assert!(!log.call(0, &mut Panics, &planned(1), ledger));
        let record = log.record(0, End::Complete);
        assert!(
            matches!(&record.end, End::Panicked { thread: Some(0), message } if message.contains("broken"))
        );
        let calls = record.calls();
        assert_eq!(calls[0].returned, Some((1, Datum::Bool(true))));
        assert_eq!((calls[1].called, &calls[1].returned), (2, &None));
    }
}
