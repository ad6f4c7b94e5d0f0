//! Faults of the gate.

use super::Fault;

pub const FAULTS: &[Fault] = &[];
