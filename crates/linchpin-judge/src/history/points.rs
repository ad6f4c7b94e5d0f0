//! The reference monitor for annotated linearization points.
//!
//! The monitor holds a set S of *configurations*. A configuration is a state of the specification and, for
//! each pending call, whether it waits or is done with a result. S begins as the specification's initial
//! states. Events change S:
//!
//! - call of t: t waits in each configuration.
//! - lin of t: the call of t takes effect, with all outcomes, in each configuration where it waits.
//!   Configurations where it is done or not enabled are dropped. `maybe` keeps the old configurations too.
//! - return of t with r: only configurations where t is done with r are kept, without the call of t.
//!
//! A call of an operation without `lin` in its text is *free*: it may take effect at any moment of its
//! interval. So after each event S is closed under "a free call that waits takes effect". An empty S refutes
//! the points. The implementation is the plainest one. Faster implementations in engines are tested against
//! it.

use super::order_history::as_returned;
use super::record::Event;
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_semantics::{Participant, SpecError, SpecMachine, SpecState, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// An event of the monitor: a call or return as in a [history](super::History), or a point.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PointEvent {
    Client(Event),
    /// The pending call of this thread takes effect; with `maybe` it may or may not.
    Lin {
        thread: ThreadId,
        maybe: bool,
    },
}

/// Why points cannot be judged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoPoints {
    /// Operations that take effect together have no point in the text of one operation.
    Rendezvous,
    Spec(SpecError),
}

/// Keeps every configuration that explains the calls, points and returns so far. If none is left, the points
/// are wrong.
#[derive(Clone, Debug)]
pub struct PointMonitor<'a> {
    spec: &'a SpecMachine,
    pending: BTreeMap<ThreadId, PendingCall>,
    configurations: BTreeSet<Configuration>,
    events: usize,
}

/// A pending call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingCall {
    pub op: OpId,
    pub args: Vec<Word>,
}

/// One possible past: the specification's state, and the results of the pending calls that have taken effect.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Configuration {
    pub state: SpecState,
    /// The results, in the words of the object's operation. A pending call without a result waits.
    pub done: BTreeMap<ThreadId, Vec<Word>>,
}

/// Why the points are wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The number of the event that refutes the points, from 0.
    pub event: usize,
    /// The thread of the event.
    pub thread: ThreadId,
    /// The pending call of the thread; `None` if it has none.
    pub call: Option<PendingCall>,
    pub reason: PointError,
    /// The configurations before the event; not empty.
    pub before: Vec<Configuration>,
}

/// Why an event refutes the points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PointError {
    /// The call returns without having passed a point.
    NoPoint,
    /// The call takes effect a second time.
    SecondPoint,
    /// The call takes effect in a state in which the specification has no outcome.
    NotEnabled,
    /// The call returns another result than it got at its point.
    ResultDiffers { given: Vec<Vec<Word>>, returned: Vec<Word> },
    /// A point of a thread that has no pending call.
    NoCall,
}

/// A pending call of a stuck execution that can take effect, or has taken effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CannotWait {
    pub thread: ThreadId,
    pub call: PendingCall,
    /// All configurations. In each of them a pending call has taken effect, or this call is enabled.
    pub configurations: Vec<Configuration>,
}

impl<'a> PointMonitor<'a> {
    pub fn new(spec: &'a SpecMachine) -> Result<PointMonitor<'a>, NoPoints> {
        if spec.program().spec.has_rendezvous {
            return Err(NoPoints::Rendezvous);
        }
        let begin = |state| Configuration { state, done: BTreeMap::new() };
        let configurations = spec.initial().map_err(NoPoints::Spec)?.into_iter().map(begin).collect();
        Ok(PointMonitor { spec, pending: BTreeMap::new(), configurations, events: 0 })
    }

    /// Processes the next event. After a refutation the monitor must not be used.
    pub fn feed(&mut self, event: &PointEvent) -> Result<Option<Refutation>, SpecError> {
        let (thread, error) = match event {
            PointEvent::Client(Event::Call { thread, op, args }) => {
                self.pending.insert(*thread, PendingCall { op: *op, args: args.clone() });
                (*thread, None)
            }
            PointEvent::Lin { thread, maybe } => (*thread, self.lin(*thread, *maybe)?),
            PointEvent::Client(Event::Return { thread, result }) => (*thread, self.returned(*thread, result)),
        };
        if let Some((reason, before)) = error {
            let before = before.into_iter().collect();
            let call = self.pending.get(&thread).cloned();
            return Ok(Some(Refutation { event: self.events, thread, call, reason, before }));
        }
        self.close()?;
        self.events += 1;
        Ok(None)
    }

    pub fn configurations(&self) -> impl Iterator<Item = &Configuration> {
        self.configurations.iter()
    }

    /// Returns the first call of a stuck execution that may not wait for ever. A call may wait if, in some
    /// configuration, no pending call has taken effect and this call is not enabled.
    pub fn cannot_wait(&self) -> Result<Option<CannotWait>, SpecError> {
        for (&thread, call) in &self.pending {
            let mut may_wait = false;
            for configuration in self.configurations.iter().filter(|c| c.done.is_empty()) {
                may_wait |= self.effects(configuration, thread)?.is_empty();
            }
            if !may_wait {
                let configurations = self.configurations.iter().cloned().collect();
                return Ok(Some(CannotWait { thread, call: call.clone(), configurations }));
            }
        }
        Ok(None)
    }

    fn lin(&mut self, thread: ThreadId, maybe: bool) -> Result<Broken, SpecError> {
        let before = self.configurations.clone();
        let mut after = if maybe { before.clone() } else { BTreeSet::new() };
        for configuration in &before {
            after.extend(self.effects(configuration, thread)?);
        }
        if !after.is_empty() {
            self.configurations = after;
            return Ok(None);
        }
        let waits = |c: &Configuration| !c.done.contains_key(&thread);
        let reason = match self.pending.contains_key(&thread) {
            false => PointError::NoCall,
            true if before.iter().any(waits) => PointError::NotEnabled,
            true => PointError::SecondPoint,
        };
        Ok(Some((reason, before)))
    }

    fn returned(&mut self, thread: ThreadId, result: &[Word]) -> Broken {
        let before = std::mem::take(&mut self.configurations);
        let is_done = |c: &&Configuration| c.done.get(&thread).is_some_and(|given| given == result);
        let forget = |c: &Configuration| {
            let mut done = c.done.clone();
            done.remove(&thread);
            Configuration { state: c.state.clone(), done }
        };
        self.configurations = before.iter().filter(is_done).map(forget).collect();
        if !self.configurations.is_empty() {
            self.pending.remove(&thread);
            return None;
        }
        let given: BTreeSet<Vec<Word>> = before.iter().filter_map(|c| c.done.get(&thread).cloned()).collect();
        let reason = match (self.pending.contains_key(&thread), given.is_empty()) {
            (false, _) => PointError::NoCall,
            (true, true) => PointError::NoPoint,
            (true, false) => {
                PointError::ResultDiffers { given: given.into_iter().collect(), returned: result.to_vec() }
            }
        };
        Some((reason, before))
    }

    /// Adds the configurations in which free calls take effect.
    fn close(&mut self) -> Result<(), SpecError> {
        let program = self.spec.program();
        let free: Vec<ThreadId> = self
            .pending
            .iter()
            .filter(|(_, call)| program.ops[call.op].free_point)
            .map(|(&t, _)| t)
            .collect();
        let mut open: Vec<Configuration> = self.configurations.iter().cloned().collect();
        while let Some(configuration) = open.pop() {
            for &thread in &free {
                for after in self.effects(&configuration, thread)? {
                    if self.configurations.insert(after.clone()) {
                        open.push(after);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the configurations after the thread's call takes effect. None if there is no call, or it is
    /// done or not enabled.
    fn effects(&self, from: &Configuration, thread: ThreadId) -> Result<Vec<Configuration>, SpecError> {
        let Some(call) = self.pending.get(&thread).filter(|_| !from.done.contains_key(&thread)) else {
            return Ok(Vec::new());
        };
        let participant = Participant { op: call.op, args: &call.args, thread };
        let mut after = Vec::new();
        for outcome in self.spec.outcomes(&from.state, &[participant])? {
            let result = outcome.results.into_iter().next().flatten();
            let mut done = from.done.clone();
            done.insert(thread, as_returned(self.spec.program(), call.op, result));
            after.push(Configuration { state: outcome.state, done });
        }
        Ok(after)
    }
}

/// The reason and the configurations before the event, if none is left.
type Broken = Option<(PointError, BTreeSet<Configuration>)>;
