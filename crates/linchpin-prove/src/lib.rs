//! The provers: unbounded engines for any number of threads, cells and values.
//!
//! A prover searches for a certificate. It never decides whether a certificate is a proof: `linchpin-certify`
//! does.

pub mod alarm;
pub mod cmp;
pub mod lemma;
pub mod pairs;
mod prover;
pub mod sets;

pub use prover::{Analysis, Failure, Found, Prover};
