//! Proofs against small instances: whatever is proved of an object holds in every small instance of it, and something happens there.
//!
//! [`traps`] are objects written by hand, each with one thing wrong that a prover may overlook, and the same object with that put right.
//! [`objects`] are drawn at random, by seed; [`comparison`] proves and searches them, [`inductive`] steps states inside
//! their views. [`judging`] says what is proved, what a search
//! finds, and when the two do not fit together.

mod comparison;
mod inductive;
mod judging;
mod objects;
mod traps;
