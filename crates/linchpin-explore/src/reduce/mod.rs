//! Reductions: the search visits fewer states and steps, and every verdict stays the same.
//!
//! - [`canonical`]: one encoding for each orbit of states, that is, for all states equal up to renaming;
//! - [`symmetry`]: which threads and which values of `data` are interchangeable, and how states are renamed;
//! - [`plan`]: the reductions that one search uses;
//! - [`por`]: which steps are local, so that a thread may make them at once (partial-order reduction).
//!
//! This folder alone uses [`linchpin_semantics::raw`], the layout of states. The replay of a trace uses no
//! reduction.

mod canonical;
mod plan;
mod por;
mod symmetry;

pub use canonical::{Canonicalizer, MAX_SYMMETRIC, Read, Renaming, Scratch, StateSymmetry, TiedThreads};
pub use plan::{ReductionPlan, SpecSymmetry};
pub use por::{HeapSharing, Movers};
pub use symmetry::{
    DataSymmetry, ThreadSymmetry, rename_data, rename_spec_data, rename_spec_threads, rename_threads,
};
