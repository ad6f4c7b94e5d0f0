//! The scope of a verdict: the set of executions that the verdict covers.

use linchpin_ir::program::MemoryKind;
use linchpin_judge::trace::PlannedCall;
use linchpin_semantics::Bounds;
use std::sync::Arc;

/// The executions that a verdict covers, all on sequentially consistent memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Every execution within these bounds.
    Bounded(Box<BoundedScope>),
    /// Every execution of every instance, by the named proof method.
    Unbounded { method: Arc<str> },
}

/// A scope with bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedScope {
    pub bounds: Bounds,
    /// Every `const` of the model and its value.
    pub constants: Vec<(Arc<str>, i64)>,
    pub memory: MemoryKind,
    pub client: ClientScope,
    /// Only weakly fair executions: a thread that is enabled from some point on makes a step.
    pub fair: bool,
    /// The preemption bound. `None`: unlimited.
    pub preemptions: Option<u32>,
}

/// The calls that the client makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientScope {
    /// Any calls by any thread, for ever, as the roles allow.
    General,
    /// Every distribution of the calls over the threads. Ranges include both ends.
    Schedules { calls: (u32, u32), preadds: (u32, u32), restrictions: Vec<Arc<str>> },
    /// Exactly these calls, in order, for each thread.
    Calls { threads: Vec<Vec<PlannedCall>> },
}
