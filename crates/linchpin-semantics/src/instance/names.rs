//! The names of cells and threads in reports.

use crate::instance::bounds::{CellId, ThreadId};
use linchpin_ir::index::Index;

/// Returns the name of a cell in reports.
pub fn cell_name(cell: CellId) -> String {
    format!("n{}", cell.pointer())
}

/// Returns the name of a thread in reports.
pub fn thread_name(thread: ThreadId) -> String {
    format!("t{}", thread.index())
}
