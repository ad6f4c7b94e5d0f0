//! The reference of lowering and semantics: it runs the typed program directly, one access at a time.
//!
//! **Law.** For every schedule of calls, the steps of [`linchpin_semantics`] and this interpreter reach the
//! same ends. An end is the final memory up to the names of cells, the results, and the stuck threads.
//!
//! The interpreter shares no idea with the code that it checks. Values are trees, the heap is a map, nothing
//! is inlined, fused, owned or constant. *Every* use of a shared place is a point where other threads may
//! run. A thread inside an operation is not a program counter but the log of the results of its accesses and
//! choices. To continue, the operation runs again from its beginning, fed from the log, up to the next
//! access. That is correct because code is deterministic except for what the log holds.

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
pub use memory::{Cell, CellId, CellMemory};
pub use schedules::{Call, Explored, Limits, explore};
pub use thread::Fault;
pub use value::Value;
