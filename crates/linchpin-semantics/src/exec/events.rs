//! What an observer may see of a step. Every method does nothing unless it is given, so that an engine pays
//! only for what it looks at.

use crate::code::outcome::{Location, Site};
use crate::instance::bounds::{CellId, ThreadId};
use crate::state::State;
use linchpin_ir::program::{OpId, Pc};
use linchpin_ir::types::{TypeId, Word};

pub trait Events {
    /// Whether [`Events::instruction`] and [`Events::access`] are wanted: finding out what was read and
    /// written costs.
    const ACCESSES: bool = false;

    /// Whether [`Events::reached`] is wanted.
    const ADDRESSES: bool = false;

    /// The instruction at this address ([`super::Machine::instruction_at`]) is about to run.
    fn reached(&mut self, _address: usize) {}

    /// An instruction is about to run.
    fn instruction(&mut self, _site: Site, _pc: Pc) {}

    /// A call begins. The arguments are self-contained ([`crate::state::portable`]).
    fn call(&mut self, _thread: ThreadId, _op: OpId, _args: &[Word]) {}

    /// A call ends. The result is self-contained; empty where there is none.
    fn returned(&mut self, _thread: ThreadId, _op: OpId, _result: &[Word]) {}

    /// The pending call of `target` takes effect here; `maybe`: or not.
    fn lin(&mut self, _target: ThreadId, _maybe: bool) {}

    /// Memory that others may see was touched; the state is the one just after.
    fn access(&mut self, _state: &State, _access: &AccessEvent) {}

    /// The thread waits on this condition, is not notified, and wakes up all the same: it may, and need not.
    fn woken_spuriously(&mut self, _condvar: Location) {}

    fn allocated(&mut self, _cell: CellId) {}

    fn freed(&mut self, _cell: CellId) {}
}

/// One read or write. A primitive that reads and writes is one event.
#[derive(Clone, Debug)]
pub struct AccessEvent<'a> {
    pub location: Location,
    pub ty: TypeId,
    /// What was there.
    pub before: &'a [Word],
    /// What is there now; `None` where nothing was written.
    pub after: Option<&'a [Word]>,
}

/// Looks at nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoEvents;

impl Events for NoEvents {}
