//! Phase 1: the files of the program, the names that they define, how they manage memory.

pub(super) mod load;
pub(super) mod memory;
pub(super) mod names;
