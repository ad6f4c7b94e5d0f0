//! Friggens, table 6.1: the smallest instances (threads, nodes, values) that show a violation of linearizability.
//!
//! A triple is *minimal* if the violation is there and gone whenever one of the three is less. Both are measured: the
//! instance itself and its smaller neighbours.

use crate::measure::{Instance, Measured, measure, triple_text};
use linchpin::report::table::{Cell, Table};
use std::time::Duration;

/// A row of the published table, and our model of it.
struct Published {
    algorithm: &'static str,
    bug: &'static str,
    triple: [u32; 3],
    model: &'static str,
}

const TABLE: [Published; 8] = [
    Published { algorithm: "Treiber stack", bug: "ABA¹", triple: [2, 1, 2], model: "treiber_stack_reuse" },
    Published { algorithm: "Treiber stack", bug: "ABA¹", triple: [2, 2, 1], model: "treiber_stack_reuse" },
    Published { algorithm: "MS queue", bug: "ABA¹", triple: [2, 2, 1], model: "ms_queue_reuse" },
    Published { algorithm: "MS queue", bug: "ABA²", triple: [2, 3, 1], model: "ms_queue_next_reset" },
    Published { algorithm: "Shann et al. queue", bug: "skip", triple: [2, 2, 2], model: "shann_queue" },
    Published { algorithm: "LMS queue", bug: "ABA¹", triple: [2, 2, 1], model: "lms_queue_reuse" },
    Published { algorithm: "Snark deque", bug: "empty", triple: [2, 3, 1], model: "snark_deque" },
    Published { algorithm: "Snark deque", bug: "ABA³", triple: [3, 4, 1], model: "snark_deque_aba" },
];

/// A queue in an array has as many slots as there are nodes: the model, and its constant.
const SLOTS: (&str, &str) = ("shann_queue", "SIZE");

/// The longest that one instance may take.
const TIME: Duration = Duration::from_secs(120);

pub fn print() -> Result<String, String> {
    let mut table = Table::new([
        "algorithm",
        "bug",
        "published",
        "ours",
        "steps",
        "states",
        "seconds",
        "smaller neighbours",
    ]);
    for row in &TABLE {
        let published = triple_text(row.triple);
        let ours = instance(row.model, row.triple)?;
        let mut neighbours = Vec::new();
        for neighbour in smaller(row.triple) {
            let measured = instance(row.model, neighbour)?;
            neighbours.push(format!("{} {}", triple_text(neighbour), measured.verdict));
        }
        let steps = ours.steps.map_or(String::new(), |steps| steps.to_string());
        let seconds = ours.seconds_text();
        let cells = [
            row.algorithm,
            row.bug,
            &published,
            ours.verdict,
            &steps,
            &ours.states_text(),
            &seconds,
            &neighbours.join(", "),
        ];
        table.row(cells.map(Cell::plain));
    }
    let title =
        "Friggens, table 6.1: minimum (threads, nodes, values) for counterexamples to linearizability\n\n";
    let note = "\nNodes count every cell, dummies included, and the slots of an array. \"too small\": there are not\n\
                enough cells for every operation to complete.\n";
    Ok(format!("{title}{table}{note}"))
}

fn instance(model: &'static str, triple: [u32; 3]) -> Result<Measured, String> {
    let (with_slots, slots) = SLOTS;
    let constants = if model == with_slots { vec![(slots, i64::from(triple[1]))] } else { Vec::new() };
    measure(&Instance { constants, ..Instance::new(model, triple) }, TIME)
}

/// The triples with one of the three one less; none below 1.
fn smaller(triple: [u32; 3]) -> Vec<[u32; 3]> {
    let less = |at: usize| {
        let mut smaller = triple;
        smaller[at] -= 1;
        smaller
    };
    (0..3).filter(|at| triple[*at] > 1).map(less).collect()
}
