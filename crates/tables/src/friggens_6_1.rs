//! Friggens, table 6.1: the smallest instances (threads, nodes, values) that show a violation of linearizability.
//!
//! A triple is *minimal* if the violation is there and gone whenever one of the three is less. Both are measured: the
//! instance itself and its smaller neighbours.

use linchpin::catalogue;
use linchpin::engine::{Budget, Silent};
use linchpin::explore::{Request, Uncheckable, check};
use linchpin::report::table::{Cell, Table};
use linchpin_core::verdict::{Limit, Property, Verdict};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

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
        let ours = measure(row.model, row.triple)?;
        let mut neighbours = Vec::new();
        for neighbour in smaller(row.triple) {
            let measured = measure(row.model, neighbour)?;
            neighbours.push(format!("{} {}", triple_text(neighbour), measured.verdict));
        }
        let steps = ours.steps.map_or(String::new(), |steps| steps.to_string());
        let seconds = format!("{:.2}", ours.seconds);
        let cells = [
            row.algorithm,
            row.bug,
            &published,
            ours.verdict,
            &steps,
            &ours.states.to_string(),
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

/// What we measured of one instance.
struct Measured {
    verdict: &'static str,
    steps: Option<usize>,
    states: u64,
    seconds: f64,
}

fn measure(model: &str, [threads, nodes, values]: [u32; 3]) -> Result<Measured, String> {
    let entry = catalogue::find(model).ok_or_else(|| format!("the catalogue has no `{model}`"))?;
    let (with_slots, slots) = SLOTS;
    let constants = if model == with_slots {
        BTreeMap::from([(slots.to_string(), i64::from(nodes)..=i64::from(nodes))])
    } else {
        BTreeMap::new()
    };
    let request = Request {
        threads: threads..=threads,
        nodes: Some(nodes..=nodes),
        values: values..=values,
        constants,
        properties: vec![Property::Linearizable],
        ..Request::default()
    };
    let budget = Budget { time: Some(TIME), memory: None, stop: Default::default(), memory_in_use: || None };
    let started = Instant::now();
    let findings = match check(entry, &request, &budget, &mut Silent) {
        Ok(findings) => findings,
        Err(Uncheckable::Message { .. }) => {
            return Ok(Measured { verdict: "too small", steps: None, states: 0, seconds: 0.0 });
        }
        Err(Uncheckable::Model { .. }) => return Err(format!("`{model}` has errors")),
    };
    let finding = findings.first().ok_or("nothing was judged")?;
    let steps = match finding.verdict() {
        Verdict::Violated(counterexample) => Some(counterexample.trace().choices.len()),
        Verdict::Holds | Verdict::Unknown(_) => None,
    };
    Ok(Measured {
        verdict: match finding.verdict() {
            Verdict::Unknown(Limit::Vacuous(_)) => "too small",
            verdict => verdict.as_str(),
        },
        steps,
        states: finding.effort.states,
        seconds: started.elapsed().as_secs_f64(),
    })
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

fn triple_text([threads, nodes, values]: [u32; 3]) -> String {
    format!("({threads},{nodes},{values})")
}
