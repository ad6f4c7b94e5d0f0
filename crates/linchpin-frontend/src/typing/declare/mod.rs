//! Phase 2: constants, types, variables and signatures of functions. No expression of a body is checked here.
//!
//! Generic definitions and definitions of modules are declared on demand: phase 3 calls the methods of
//! [`context::Checker`] for what it meets.

pub(super) mod consts;
pub(super) mod context;
mod definitions;
pub(super) mod functions;
mod generics;
pub(super) mod resolve;
mod size;
pub(super) mod spec_scope;
mod variables;
