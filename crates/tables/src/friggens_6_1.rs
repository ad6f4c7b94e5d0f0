//! Friggens, table 6.1: the smallest instances (threads, nodes, values) that show a violation of
//! linearizability.

use crate::minimal::{self, Published};
use linchpin_ir::property::Property;

const fn row(
    algorithm: &'static str,
    what: &'static str,
    triple: [u32; 3],
    model: &'static str,
) -> Published {
    Published { algorithm, what, property: Property::Linearizable, triple, model }
}

const TABLE: [Published; 8] = [
    row("Treiber stack", "ABA¹", [2, 1, 2], "treiber_stack_reuse"),
    row("Treiber stack", "ABA¹", [2, 2, 1], "treiber_stack_reuse"),
    row("MS queue", "ABA¹", [2, 2, 1], "ms_queue_reuse"),
    row("MS queue", "ABA²", [2, 3, 1], "ms_queue_next_reset"),
    row("Shann et al. queue", "skip", [2, 2, 2], "shann_queue"),
    row("LMS queue", "ABA¹", [2, 2, 1], "lms_queue_reuse"),
    row("Snark deque", "empty", [2, 3, 1], "snark_deque"),
    row("Snark deque", "ABA³", [3, 4, 1], "snark_deque_aba"),
];

pub fn print() -> Result<String, String> {
    let title =
        "Friggens, table 6.1: minimum (threads, nodes, values) for counterexamples to linearizability";
    let table = minimal::print(title, "bug", &TABLE)?;
    Ok(format!("{table}{SPINNING}"))
}

/// Why a smaller instance of one row is violated.
const SPINNING: &str = "\nShann et al. queue: the published triple is the smallest in which calls return wrong results. In smaller\n\
                        ones the item that is skipped is lost, and both threads spin for ever: calls that spin and that the\n\
                        specification does not let wait are judged here.\n";
