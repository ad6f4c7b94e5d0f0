//! Friggens, table 6.7: the smallest instances (threads, nodes, values) that show a violation of a
//! nonblocking property.

use crate::minimal::{self, Published};
use linchpin_ir::property::Property;

const fn row(
    algorithm: &'static str,
    what: &'static str,
    property: Property,
    triple: [u32; 3],
    model: &'static str,
) -> Published {
    Published { algorithm, what, property, triple, model }
}

const TABLE: [Published; 7] = [
    row("Treiber stack", "wait-free", Property::WaitFree, [2, 1, 1], "treiber_stack"),
    row("MS queue", "wait-free", Property::WaitFree, [2, 2, 1], "ms_queue"),
    row("LMS queue", "wait-free", Property::WaitFree, [2, 3, 1], "lms_queue"),
    row("Snark deque", "wait-free", Property::WaitFree, [2, 3, 1], "snark_deque"),
    row("Shann et al. queue", "wait-free", Property::WaitFree, [1, 1, 1], "shann_queue"),
    row("Shann et al. queue", "lock-free", Property::LockFree, [1, 1, 1], "shann_queue"),
    row("Shann et al. queue", "obstruction-free", Property::ObstructionFree, [1, 1, 1], "shann_queue"),
];

pub fn print() -> Result<String, String> {
    let title =
        "Friggens, table 6.7: minimum (threads, nodes, values) for counterexamples to nonblocking properties";
    minimal::print(title, "property", &TABLE)
}
