//! The events of a step. Every method does nothing by default, so an engine pays only for the events it uses.

use crate::code::outcome::{Location, Site};
use crate::instance::bounds::{CellId, ThreadId};
use crate::state::State;
use linchpin_ir::program::{OpId, Pc};
use linchpin_ir::types::{TypeId, Word};

pub trait Events {
    /// Whether [`Events::instruction`], [`Events::access`] and [`Events::assigned`] are called. Collecting
    /// the data for them takes time.
    const ACCESSES: bool = false;

    /// Whether [`Events::reached`] is called.
    const ADDRESSES: bool = false;

    /// The instruction at this address ([`crate::Machine::instruction_at`]) is about to run.
    fn reached(&mut self, _address: usize) {}

    /// An instruction is about to run.
    fn instruction(&mut self, _site: Site, _pc: Pc) {}

    /// A call begins. The arguments are self-contained ([`crate::state::portable`]).
    fn call(&mut self, _thread: ThreadId, _op: OpId, _args: &[Word]) {}

    /// A call ends. The result is self-contained, and empty for an operation without one.
    fn returned(&mut self, _thread: ThreadId, _op: OpId, _result: &[Word]) {}

    /// The pending call of `target` takes effect here. `maybe`: or it does not.
    fn lin(&mut self, _target: ThreadId, _maybe: bool) {}

    /// The step accessed shared memory. The state is the one after the access.
    fn access(&mut self, _state: &State, _access: &AccessEvent) {}

    /// The thread wakes up without a notification. It may, and need not.
    fn woken_spuriously(&mut self, _condvar: Location) {}

    /// Local work assigned a variable of the thread. The words are its new contents.
    fn assigned(&mut self, _state: &State, _words: &[Word]) {}

    fn allocated(&mut self, _cell: CellId) {}

    fn freed(&mut self, _cell: CellId) {}
}

/// One read or write. A primitive that reads and writes is one event.
#[derive(Clone, Debug)]
pub struct AccessEvent<'a> {
    pub location: Location,
    pub ty: TypeId,
    /// The words before the access.
    pub before: &'a [Word],
    /// The words after the access. `None`: nothing was written.
    pub after: Option<&'a [Word]>,
}

/// An observer that ignores all events.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoEvents;

impl Events for NoEvents {}
