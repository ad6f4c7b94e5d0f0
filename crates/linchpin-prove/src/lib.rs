//! The unbounded engines: proofs for any number of threads, nodes and values. They find certificates; whether one is a
//! proof is not theirs to say.

pub mod pairs;
