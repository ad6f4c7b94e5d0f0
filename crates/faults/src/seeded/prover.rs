//! Faults of the prover.

use super::Fault;

pub const FAULTS: &[Fault] = &[];
