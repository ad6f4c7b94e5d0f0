//! How fast the search is: states and transitions a second of CPU on one core, for instances of the
//! catalogue.
//!
//! `cargo run --release -p linchpin-explore --example explore_rate`. A measurement, never a test: machines
//! are noisy.

use linchpin_engine::{Budget, Silent};
use linchpin_explore::{Request, check};
use linchpin_ir::property::Property;
use linchpin_portfolio::catalogue;
use std::time::Instant;

/// Model, threads, nodes, values (and keys), by points.
const INSTANCES: [(&str, u32, u32, u32, bool); 6] = [
    ("treiber_stack", 3, 4, 2, true),
    ("treiber_stack", 3, 5, 2, true),
    ("treiber_stack", 3, 4, 2, false),
    ("ms_queue", 2, 5, 2, true),
    ("ms_queue", 2, 5, 2, false),
    ("lazy_list", 2, 6, 3, false),
];

fn main() {
    for (model, threads, nodes, values, lin_points) in INSTANCES {
        let Some(entry) = catalogue::find(model) else { continue };
        let request = Request {
            threads: threads..=threads,
            nodes: Some(nodes..=nodes),
            values: values..=values,
            keys: values..=values,
            lin_points,
            properties: vec![Property::Linearizable],
            ..Request::default()
        };
        let budget = Budget { time: None, memory: None, stop: Default::default(), memory_in_use: || None };
        let started = Instant::now();
        let Ok(findings) = check(entry, &request, &budget, &mut Silent) else { continue };
        let seconds = started.elapsed().as_secs_f64();
        let Some(effort) = findings.first().map(|finding| &finding.effort) else { continue };
        let method = if lin_points { "points" } else { "refinement" };
        println!(
            "{model} ({threads},{nodes},{values}) by {method}: {} states, {:.0} states/s, {:.0} transitions/s",
            effort.states,
            effort.states as f64 / seconds,
            effort.transitions as f64 / seconds
        );
    }
}
