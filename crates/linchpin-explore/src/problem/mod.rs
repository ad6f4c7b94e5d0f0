//! The problem that a search solves: an instance, a client, the violations to find, and the options of the
//! search.
//!
//! | file | contents |
//! |---|---|
//! | [`request`] | a request: bounds, client and properties; one request may cover several instances |
//! | [`mod@schedules`] | the schedules of a scope, listed and counted |

pub mod request;
pub mod schedules;

pub use request::{ALWAYS, ClientRequest, Request, Size};
pub use schedules::{Counted, Schedule, ScheduleLists, schedules};

use linchpin_semantics::{Client, FaultProperty, Machine, SpecMachine};

/// One search: the instance, and the violations to find in it.
#[derive(Clone)]
pub struct SearchProblem<'p> {
    pub machine: &'p Machine,
    pub client: &'p Client,
    pub spec: &'p SpecMachine,
    /// The monitor that judges consistency; `None` if no property needs a monitor. Stuck executions need the
    /// monitor where the specification can block.
    pub monitor: Option<MonitorKind>,
    pub wanted: Vec<ViolationKind>,
    pub reductions: Reductions,
    /// The number of worker threads.
    pub jobs: usize,
    /// The limit on BFS depth; `None` means unlimited.
    pub most_levels: Option<usize>,
    /// The limit on the number of nodes; `None` means unlimited.
    pub most_nodes: Option<usize>,
    /// The pass in which a worker panics. Tests only.
    #[doc(hidden)]
    pub planted: Option<Pass>,
}

/// The reductions that the user asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    pub symmetry: bool,
    pub partial_order: bool,
}

impl Reductions {
    pub const ALL: Reductions = Reductions { symmetry: true, partial_order: true };
    pub const NONE: Reductions = Reductions { symmetry: false, partial_order: false };
}

/// The consistency criterion of a monitor, and how the monitor judges it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MonitorKind {
    /// Linearizability by refinement. All calls float: the monitor ignores annotated points.
    Refinement,
    /// Linearizability by annotated points. `floats` has a bit for each operation: operations without `lin`
    /// float.
    Points { floats: Vec<bool> },
    /// Observers at the annotated points. `floats` is as in [`MonitorKind::Points`].
    Observers { floats: Vec<bool> },
    /// Sequential consistency.
    ProgramOrder,
    /// Quiescent consistency.
    Quiescence,
    /// Quiescent consistency for each quiescent moment by itself.
    Barrier,
}

/// The kinds of violation that a search over states finds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ViolationKind {
    /// The monitor rejects the history.
    Inconsistent,
    MemoryUnsafe,
    AssertionFails,
    /// No thread can move, and the specification does not let the pending calls wait.
    Deadlocked,
    /// An end with an illegal history, as a violation of consistency. A search for
    /// [`ViolationKind::Inconsistent`] finds it.
    Stuck,
    /// Calls nest deeper than the bound. Endless recursion has no cycle that a search could find.
    TooDeep,
}

impl ViolationKind {
    /// Returns the violation that a fault of this property is.
    pub fn of_fault(property: FaultProperty) -> ViolationKind {
        match property {
            FaultProperty::MemorySafe => ViolationKind::MemoryUnsafe,
            FaultProperty::Assertions => ViolationKind::AssertionFails,
        }
    }

    /// Checks whether the violation is a state in which an execution ends, not a step.
    pub fn is_at_rest(self) -> bool {
        matches!(self, ViolationKind::Deadlocked | ViolationKind::Stuck)
    }
}

/// A piece of work that workers share.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    Search,
    Progress,
}

impl Pass {
    /// Panics if a test planted a panic in this pass.
    pub fn reach(self, planted: Option<Pass>) {
        assert!(planted != Some(self), "a planted panic in this pass: {self:?}");
    }
}
