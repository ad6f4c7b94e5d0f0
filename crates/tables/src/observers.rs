//! Observers, tables 1 and 2: proofs for all sizes, and what becomes of programs, observers and points that
//! are wrong.
//!
//! Times are those of the processor, for one thread: the search for the proof, and beside it the check of its
//! certificate.

use crate::edited::Edited;
use linchpin_engine::verdict::{Annotation, Limit, Verdict};
use linchpin_engine::{Budget, Silent};
use linchpin_explore::{Request, check};
use linchpin_ir::property::Property;
use linchpin_judge::history::{Found, Observed};
use linchpin_judge::replay::Evidence;
use linchpin_portfolio::{SearchedInstance, prove};
use linchpin_report::calls::planned_text;
use linchpin_report::table::{Table, TableCell};
use std::time::{Duration, Instant};

/// A row of table 1: seconds and constraints of conformance and of safety alone.
struct Published {
    structure: &'static str,
    model: &'static str,
    conformance: (f64, u32),
    safety: (f64, u32),
}

const fn row(
    structure: &'static str,
    model: &'static str,
    conformance: (f64, u32),
    safety: (f64, u32),
) -> Published {
    Published { structure, model, conformance, safety }
}

const TABLE_1: [Published; 13] = [
    row("coarse stack", "coarse_stack", (0.02, 436), (0.01, 102)),
    row("coarse stack, no GC", "coarse_stack_manual", (0.07, 569), (0.01, 130)),
    row("coarse queue", "coarse_queue", (0.04, 673), (0.01, 196)),
    row("coarse queue, no GC", "coarse_queue_manual", (0.48, 1819), (0.10, 440)),
    row("two-lock queue", "two_lock_queue_gc", (0.08, 1830), (0.02, 488)),
    row("two-lock queue, no GC", "two_lock_queue", (0.73, 3460), (0.13, 784)),
    row("coarse priority queue (buckets)", "coarse_pqueue_buckets", (0.24, 1242), (0.07, 526)),
    row("coarse priority queue (list)", "coarse_pqueue_list", (0.04, 499), (0.01, 211)),
    row("bucket-lock priority queue", "bucket_lock_pqueue", (0.22, 1116), (0.05, 372)),
    row("Treiber's stack", "treiber_stack", (0.23, 714), (0.01, 78)),
    row("Treiber's stack, no GC", "treiber_stack_tagged", (2.28, 1535), (0.10, 190)),
    row("M&S queue", "ms_queue", (3.31, 3476), (0.44, 594)),
    row("M&S queue, no GC", "ms_queue_tagged", (550.0, 53320), (25.0, 6410)),
];

/// A row of table 2: a model of the catalogue with one thing wrong.
struct Wrong {
    structure: &'static str,
    modification: &'static str,
    published: &'static str,
    model: &'static str,
    property: Property,
}

const TABLE_2: [Wrong; 11] = [
    Wrong {
        structure: "Treiber's stack",
        modification: "observer: fifo",
        published: "bad trace, 0.07 s",
        model: "treiber_stack_as_fifo",
        property: Property::Linearizable,
    },
    Wrong {
        structure: "Treiber's stack, no GC",
        modification: "observer: fifo",
        published: "bad trace, 6.19 s",
        model: "treiber_stack_tagged_as_fifo",
        property: Property::Linearizable,
    },
    Wrong {
        structure: "M&S queue",
        modification: "observer: lifo",
        published: "bad trace, 1.26 s",
        model: "ms_queue_as_lifo",
        property: Property::Linearizable,
    },
    Wrong {
        structure: "two-lock queue",
        modification: "bad commit point",
        published: "bad trace, 0.02 s",
        model: "two_lock_queue_early_point",
        property: Property::Linearizable,
    },
    Wrong {
        structure: "M&S queue",
        modification: "bad commit point",
        published: "bad trace, 0.51 s",
        model: "ms_queue_early_empty",
        property: Property::Linearizable,
    },
    Wrong {
        structure: "Treiber's stack",
        modification: "omitting data",
        published: "bad trace, 0.02 s",
        model: "treiber_stack_omits_data",
        property: Property::MemorySafe,
    },
    Wrong {
        structure: "Treiber's stack, no GC",
        modification: "ages discarded",
        published: "bad trace, 0.42 s",
        model: "treiber_stack_reuse",
        property: Property::Linearizable,
    },
    Wrong {
        structure: "Treiber's stack, no GC",
        modification: "ages discarded",
        published: "cycle, 0.01 s",
        model: "treiber_stack_reuse",
        property: Property::MemorySafe,
    },
    Wrong {
        structure: "M&S queue, no GC",
        modification: "ages discarded",
        published: "bad trace, 272 s",
        model: "ms_queue_reuse",
        property: Property::Linearizable,
    },
    Wrong {
        structure: "M&S queue, no GC",
        modification: "ages discarded",
        published: "dereferencing null, 0.01 s",
        model: "ms_queue_reuse",
        property: Property::MemorySafe,
    },
    Wrong {
        structure: "M&S queue",
        modification: "swapped assignments",
        published: "dereferencing null, 0.01 s",
        model: "ms_queue_swapped",
        property: Property::MemorySafe,
    },
];

/// The longest that one proof may take, and one search for an execution.
const TIME: Duration = Duration::from_secs(600);
const SETTLING: Duration = Duration::from_secs(60);

/// Prints each of the two tables as soon as it is measured.
pub fn print(tell: &mut dyn FnMut(&str)) -> Result<(), String> {
    tell(&format!("{}\n", table_1()?));
    tell(&table_2()?);
    Ok(())
}

fn table_1() -> Result<String, String> {
    let mut table =
        Table::new(["", "conformance", "published", "times", "safety", "published", "times", "checked"]);
    for row in &TABLE_1 {
        let model = Edited::new(row.model, None)?;
        let conformance = measure(&model, Property::Linearizable)?;
        let safety = measure(&model, Property::MemorySafe)?;
        let published = |(seconds, constraints): (f64, u32)| format!("{seconds} s, {constraints}");
        let faster = |ours: &Measured, (seconds, _): (f64, u32)| match ours.proved {
            true => format!("{:.0}", seconds / ours.seconds.max(0.0001)),
            false => String::new(),
        };
        table.row(
            [
                row.structure.to_string(),
                conformance.text.clone(),
                published(row.conformance),
                faster(&conformance, row.conformance),
                safety.text.clone(),
                published(row.safety),
                faster(&safety, row.safety),
                format!("{:.2} s", conformance.checked + safety.checked),
            ]
            .map(TableCell::plain),
        );
    }
    Ok(format!("Observers, table 1: seconds and constraints, published and ours\n\n{table}"))
}

struct Measured {
    proved: bool,
    text: String,
    seconds: f64,
    checked: f64,
}

fn measure(model: &Edited, property: Property) -> Result<Measured, String> {
    let started = processor_time();
    let proving =
        prove(model, Some(&[property]), None, &budget(), &mut Silent).map_err(|_| model.name.clone())?;
    let in_all = processor_time() - started;
    // The clock measures which part of that was the check.
    let checked = in_all * proving.certified_in.as_secs_f64() / proving.time.as_secs_f64().max(1e-9);
    let seconds = in_all - checked;
    let finding = proving.findings.first().ok_or("nothing was judged")?;
    let text = match finding.verdict() {
        Verdict::Holds => format!("{seconds:.3} s, {}", finding.effort.states),
        Verdict::Unknown(Limit::NotSupported(what)) => {
            format!("not taken: {}", what.split(';').next().unwrap_or_default())
        }
        Verdict::Unknown(limit) => format!("unknown: {limit}"),
        Verdict::Violated(_) => "violated".into(),
    };
    Ok(Measured { proved: matches!(finding.verdict(), Verdict::Holds), text, seconds, checked })
}

fn table_2() -> Result<String, String> {
    let mut table = Table::new(["", "modification", "ours", "seconds", "found in", "observers", "published"]);
    for row in &TABLE_2 {
        let model = Edited::new(row.model, None)?;
        let started = Instant::now();
        let proving = prove(&model, Some(&[row.property]), Some(SETTLING), &budget(), &mut Silent)
            .map_err(|_| format!("`{}` has errors", row.model))?;
        let seconds = format!("{:.2}", started.elapsed().as_secs_f64());
        let finding = proving.findings.first().ok_or("nothing was judged")?;
        let ours = match (finding.verdict(), &finding.annotation) {
            (Verdict::Violated(counterexample), _) => {
                format!("{} violated in {} steps", row.property, counterexample.trace().choices.len())
            }
            (verdict, Some(Annotation::Refuted(counterexample))) => {
                let steps = counterexample.trace().choices.len();
                format!("annotation refuted in {steps} steps, {} {}", row.property, verdict.as_str())
            }
            (Verdict::Unknown(limit), _) => format!("unknown: {limit}"),
            (Verdict::Holds, _) => "HOLDS".into(),
        };
        let found_in = match proving.alarms.first().and_then(|alarmed| alarmed.shown_by.as_ref()) {
            Some(SearchedInstance::Calls(threads)) => planned_text(threads),
            Some(SearchedInstance::Size { threads, nodes, values }) => {
                format!("({threads},{nodes},{values})")
            }
            None => String::new(),
        };
        let watched = watched(&model)?;
        let cells = [row.structure, row.modification, &ours, &seconds, &found_in, &watched, row.published];
        table.row(cells.map(TableCell::plain));
    }
    let title = "Observers, table 2: what is wrong is not proved; executions are replayed";
    let legend = "found in: the calls of the abstract trace, or threads, nodes and values of an instance\n\
                  observers: run by the explorer on the object itself, 2 threads, 3 nodes, 2 values";
    Ok(format!("{title}\n\n{table}\n{legend}\n"))
}

/// What the specification's observers say of the object's own executions.
fn watched(model: &Edited) -> Result<String, String> {
    let request = Request {
        threads: 2..=2,
        nodes: Some(3..=3),
        values: 2..=2,
        properties: vec![Property::Observers],
        ..Request::default()
    };
    let findings = check(model, &request, &Budget { time: Some(SETTLING), ..budget() }, &mut Silent)
        .map_err(|_| format!("the observers of `{}` cannot be run", model.name))?;
    let finding = findings.first().ok_or("nothing was judged")?;
    Ok(match finding.verdict() {
        Verdict::Violated(counterexample) => match counterexample.evidence() {
            Evidence::Observed(Observed { reason: Found::Accepts { observer, .. }, .. }) => {
                format!("`{observer}` in {} steps", counterexample.trace().choices.len())
            }
            _ => format!("points in {} steps", counterexample.trace().choices.len()),
        },
        Verdict::Holds => "none accepts".into(),
        Verdict::Unknown(limit) => format!("unknown: {limit}"),
    })
}

fn budget() -> Budget {
    Budget { time: Some(TIME), memory: None, stop: Default::default(), memory_in_use: || None }
}

/// Seconds that this thread has run; the clock's, where the system does not tell.
pub fn processor_time() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    let since = std::time::UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64());
    nanoseconds.map_or(since, |nanoseconds| nanoseconds / 1e9)
}
