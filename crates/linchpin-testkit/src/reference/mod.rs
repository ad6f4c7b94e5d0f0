//! A naive twin of lowering and semantics: it runs the typed program as it stands, one access at a time.
//!
//! **Law.** For every schedule of calls, the ends that the steps of [`linchpin_semantics`] reach (final memory up to the
//! names of cells, results, who is stuck) are exactly those that this interpreter reaches.
//!
//! It shares no idea with what it checks. Values are trees, the heap is a map, nothing is inlined, fused, owned or
//! constant: *every* touch of a shared place is a point where others may run. A thread in the middle of an operation is not a
//! program counter but the log of what its accesses and choices gave so far: to go on, the operation is run again from its
//! beginning, fed from the log, up to the next access. That is right because code is deterministic but for what the log holds.

mod canonical;
mod collections;
mod expressions;
mod memory;
mod places;
mod primitives;
mod schedules;
mod statements;
mod thread;
mod value;

pub use canonical::{Ending, Snapshot, ThreadEnd};
pub use memory::{Cell, CellId, Kind};
pub use schedules::{Call, Explored, Limits, explore};
pub use thread::Fault;
pub use value::Value;
