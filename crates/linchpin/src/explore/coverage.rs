//! What a search saw happen, so that `holds` is never empty praise: calls completed for each operation, executions cut.

use linchpin_core::semantics::Cut;
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Transitions in which a call of the operation completed, by operation.
    pub completed: Vec<u64>,
    /// Transitions that could not happen because no cell was left.
    pub cut_by_nodes: u64,
    /// Transitions that left another bound.
    pub cut: BTreeMap<Cut, u64>,
    /// Executions that an `assume` discarded.
    pub discarded: u64,
}

impl Coverage {
    pub fn new(operations: usize) -> Coverage {
        Coverage { completed: vec![0; operations], ..Coverage::default() }
    }

    pub fn cuts(&self) -> u64 {
        self.cut_by_nodes + self.cut.values().sum::<u64>()
    }
}
