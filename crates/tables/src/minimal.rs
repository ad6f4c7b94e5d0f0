//! The smallest instances (threads, nodes, values) that show a violation, beside published ones.
//!
//! A triple is *minimal* if it shows the violation, and no triple with one smaller component does. Both are
//! measured: the instance and its smaller neighbours. Where a smaller instance shows the violation too, its
//! counterexample stands below the table.

use crate::measure::{Instance, Measured, measure, triple_text};
use linchpin_ir::property::Property;
use linchpin_report::table::{Table, TableCell};
use std::fmt::Write;
use std::time::Duration;

/// A row of a published table, and our model of it.
pub struct Published {
    pub algorithm: &'static str,
    /// The bug, or what is violated.
    pub what: &'static str,
    pub property: Property,
    pub triple: [u32; 3],
    pub model: &'static str,
}

/// A queue in an array has as many slots as nodes: the model, and the constant for the slots.
const SLOTS: (&str, &str) = ("shann_queue", "SIZE");

/// The time limit of one instance.
const TIME: Duration = Duration::from_secs(120);

/// The table; `column` is what its rows say of [`Published::what`].
pub fn print(title: &str, column: &str, rows: &[Published]) -> Result<String, String> {
    let mut table = Table::new([
        "algorithm",
        column,
        "published",
        "ours",
        "steps",
        "states",
        "seconds",
        "smaller neighbours",
    ]);
    let mut shown = String::new();
    for row in rows {
        let published = triple_text(row.triple);
        let ours = instance(row, row.triple)?;
        let mut neighbours = Vec::new();
        for neighbour in smaller(row.triple) {
            let measured = instance(row, neighbour)?;
            neighbours.push(format!("{} {}", triple_text(neighbour), measured.verdict));
            if let Some(drawing) = &measured.drawing {
                let (what, triple) = (row.property, triple_text(neighbour));
                let _ = writeln!(
                    shown,
                    "\n{}, {triple}, smaller than published: not {what}\n{drawing}",
                    row.algorithm
                );
            }
        }
        let (steps, seconds) = (ours.steps_text(), ours.seconds_text());
        let cells = [
            row.algorithm,
            row.what,
            &published,
            ours.verdict,
            &steps,
            &ours.states_text(),
            &seconds,
            &neighbours.join(", "),
        ];
        table.row(cells.map(TableCell::plain));
    }
    let note = "\nNodes count every cell, dummies included, and the slots of an array. \"too small\": there are not\n\
                enough cells for every operation to complete.\n";
    Ok(format!("{title}\n\n{table}{note}{shown}"))
}

fn instance(row: &Published, triple: [u32; 3]) -> Result<Measured, String> {
    let (with_slots, slots) = SLOTS;
    let constants = if row.model == with_slots { vec![(slots, i64::from(triple[1]))] } else { Vec::new() };
    measure(&Instance { constants, property: row.property, ..Instance::new(row.model, triple) }, TIME)
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
