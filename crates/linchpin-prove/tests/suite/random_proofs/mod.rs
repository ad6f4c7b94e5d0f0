//! Proofs against small instances: whatever is proved of an object holds in every small instance, and each
//! operation completes there.
//!
//! [`traps`] are hand-written objects, each with one error that a prover may overlook, and the same object
//! without the error. [`objects`] are drawn at random, by seed. [`comparison`] proves and searches them;
//! [`inductive`] steps states inside their views. [`judging`] compares proofs with searches.

mod comparison;
mod inductive;
mod judging;
mod objects;
mod traps;
