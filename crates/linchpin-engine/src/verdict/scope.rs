//! What a verdict is about: which instances. A `holds` without its scope says nothing.

use linchpin_ir::program::MemoryKind;
use linchpin_judge::trace::PlannedCall;
use linchpin_semantics::Bounds;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Every execution within these bounds.
    Bounded(Box<BoundedScope>),
    /// Every execution of every instance.
    Unbounded { method: Arc<str> },
}

/// All of it on sequentially consistent memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedScope {
    pub bounds: Bounds,
    /// Every `const` of the model and its value.
    pub constants: Vec<(Arc<str>, i64)>,
    pub memory: MemoryKind,
    pub client: ClientScope,
    /// Only executions in which a thread that can always move does move.
    pub fair: bool,
    /// Only executions with so many preemptions at most.
    pub preemptions: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientScope {
    /// Any calls by any thread, for ever, as the roles allow.
    General,
    /// Every way to give the calls to the threads. Both ends of a range are included.
    Schedules { calls: (u32, u32), preadds: (u32, u32), restrictions: Vec<Arc<str>> },
    /// These calls of each thread, in their order, and no others.
    Calls { threads: Vec<Vec<PlannedCall>> },
}
