//! List-based sets proved by one thread and lemmas, with the figures of the paper beside ours.
//!
//! D. Sethi, M. Talupur, S. Malik, *Model Checking Unbounded Concurrent Lists*, 2013, section 5. There a user
//! finds the lemmas. Ours are mined. Times are those of the processor, for one thread, without the gate.

use crate::edited::Edited;
use crate::observers::processor_time;
use linchpin_engine::verdict::{Finding, Verdict};
use linchpin_engine::{Budget, Silent};
use linchpin_ir::heap::ProofMethod;
use linchpin_ir::property::Property;
use linchpin_portfolio::{ProofRequest, prove_as, rounds};
use linchpin_report::table::{Table, TableCell};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A model, a property, and the states, the time and the number of lemmas of threads that the paper gives.
struct Published {
    structure: &'static str,
    model: &'static str,
    property: Property,
    published: [&'static str; 3],
}

const fn row(
    structure: &'static str,
    model: &'static str,
    property: Property,
    published: [&'static str; 3],
) -> Published {
    Published { structure, model, property, published }
}

const NONE: [&str; 3] = ["", "", ""];

const ROWS: [Published; 10] = [
    row("fine-grained", "fine_list", Property::Linearizable, ["463,385", "0.97 h", "5"]),
    row("optimistic", "optimistic_list", Property::Linearizable, ["6,851,860", "24 h", "6"]),
    row("fine-grained, ordering", "fine_list", Property::Assertions, ["19,620", "79 s", "6"]),
    row("optimistic, ordering", "optimistic_list", Property::Assertions, ["408,834", "35 min", "7"]),
    row("one lock", "coarse_list", Property::Linearizable, NONE),
    row("lazy", "lazy_list", Property::Linearizable, NONE),
    row("lock-free, as in AMP", "lock_free_list", Property::Linearizable, NONE),
    row("Michael", "michael_list", Property::Linearizable, NONE),
    row("Vechev and Yahav, dcas", "vechev_yahav_set_dcas", Property::Linearizable, NONE),
    row("Harris", "harris_list", Property::Linearizable, NONE),
];

/// The longest that one row may take.
const TIME: Duration = Duration::from_secs(120);

pub fn print() -> Result<String, String> {
    let budget = Budget { time: Some(TIME), memory: None, stop: Default::default(), memory_in_use: || None };
    let mut table = Table::new([
        "", "ours", "views", "mined", "proof", "check", "guessed", "kept", "needed", "states", "time",
        "lemmas",
    ]);
    let mut lemmas = String::new();
    for row in &ROWS {
        let model = Edited::new(row.model, None)?;
        let properties = [row.property];
        let request = ProofRequest {
            method: Some(ProofMethod::Cmp),
            properties: Some(&properties),
            ..ProofRequest::default()
        };
        let started = (Instant::now(), processor_time());
        let result = prove_as(&model, &request, &budget, &mut Silent)
            .map_err(|_| format!("`{}` has errors", row.model))?;
        // The clock measures which parts of the processor's time the check and the gate were.
        let clock = started.0.elapsed().as_secs_f64().max(1e-9);
        let in_all = processor_time() - started.1;
        let part = |seconds: f64| format!("{:.2} s", in_all * seconds / clock);
        let gate = result.compared.as_ref().map_or(0.0, |(_, time)| time.as_secs_f64());
        let check = result.certified_in.as_secs_f64();
        let mined = result.cmp.as_ref().map_or(0.0, |proof| proof.mined_in.as_secs_f64());
        let of_property = result.findings.iter().find(|finding| finding.property() == row.property);
        let ours = match of_property.map(Finding::verdict) {
            Some(Verdict::Holds) => "proved".to_string(),
            Some(Verdict::Unknown(limit)) => format!("unknown: {limit}"),
            Some(Verdict::Violated(_)) | None => "not proved".into(),
        };
        let (mut counts, mut needed) = (["", "", ""].map(String::from), Vec::new());
        if let Some(proof) = &result.cmp {
            let found = rounds(&result.compiled.program, proof, &budget).ok();
            let found = found.filter(|rounds| rounds.is_proved);
            counts = [proof.guessed, proof.lemmas.len(), 0].map(|count| count.to_string());
            counts[2] = found.as_ref().map_or_else(String::new, |rounds| rounds.needed.len().to_string());
            let all = found.iter().flat_map(|rounds| &rounds.needed);
            needed = all.filter_map(|lemma| proof.printed(&result.compiled, lemma)).collect();
        }
        let [guessed, kept, number_needed] = counts;
        let [states, time, published] = row.published.map(String::from);
        let cells = [
            row.structure.to_string(),
            ours,
            result.certificate_size().to_string(),
            part(mined),
            part((clock - check - gate - mined).max(0.0)),
            part(check),
            guessed,
            kept,
            number_needed,
            states,
            time,
            published,
        ];
        table.row(cells.map(TableCell::plain));
        // One search proves all properties, so the lemmas of the ordering are those of the other row.
        if row.property == Property::Linearizable && !needed.is_empty() {
            let _ = writeln!(lemmas, "\n{}, needed:\n  {}", row.structure, needed.join("\n  "));
        }
    }
    Ok(format!("List-based sets by one thread and lemmas, published and ours\n\n{table}{lemmas}"))
}
