//! Execution: what a step does.
//!
//! The interpreter is one unit: [`run`] is its loop, [`execute`] its instructions. Both use [`eval`] and
//! [`memory`].

pub mod alloc;
pub mod eval;
pub mod events;
pub mod execute;
pub mod hash_functions;
pub mod memory;
pub mod op_table;
pub mod picks;
pub mod run;
