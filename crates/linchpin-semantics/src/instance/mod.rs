//! The instance: its bounds, its values, and the names of its cells and threads.

pub mod bounds;
pub mod domain;
pub mod names;

use linchpin_ir::types::Word;
use smallvec::SmallVec;

/// The words of a value; long values are rare.
pub type Words = SmallVec<[Word; 16]>;
