//! Counts the instructions of the search: `cargo bench -p benchmarks --bench instructions`.
//!
//! Callgrind counts them, so the numbers do not depend on the load of the machine. A change of the hot loop
//! shows at once. A run fails if a count is above its limit, or 3 % above that of the run before. The limits
//! are 10 % above the counts of the time when they were set, and are lowered with the counts. Needs
//! `valgrind` and `gungraun-runner`, see the crate's README.

use gungraun::prelude::*;
use gungraun::{Callgrind, EventKind, LibraryBenchmarkConfig};
use linchpin_engine::{Budget, Silent};
use linchpin_explore::{Request, check};
use linchpin_ir::property::Property;
use linchpin_portfolio::catalogue;
use std::hint::black_box;

#[derive(Clone, Copy)]
enum Method {
    Points,
    Refinement,
}

/// Threads, nodes, values.
type Bounds = [u32; 3];

#[library_benchmark]
#[bench::treiber_2_3_2_points(args = ("treiber_stack", [2, 3, 2], Method::Points), config = at_most(1_000_000_000))]
#[bench::treiber_2_3_2_refinement(args = ("treiber_stack", [2, 3, 2], Method::Refinement), config = at_most(1_000_000_000))]
#[bench::treiber_3_3_2_points(args = ("treiber_stack", [3, 3, 2], Method::Points), config = at_most(1_000_000_000))]
#[bench::treiber_3_3_2_refinement(args = ("treiber_stack", [3, 3, 2], Method::Refinement), config = at_most(1_000_000_000))]
#[bench::ms_queue_2_3_2_points(args = ("ms_queue", [2, 3, 2], Method::Points), config = at_most(1_000_000_000))]
#[bench::ms_queue_2_3_2_refinement(args = ("ms_queue", [2, 3, 2], Method::Refinement), config = at_most(1_000_000_000))]
fn explore(model: &str, bounds: Bounds, method: Method) -> u64 {
    black_box(states(model, bounds, method))
}

library_benchmark_group!(name = search, benchmarks = explore);
main!(library_benchmark_groups = search);

fn at_most(instructions: u64) -> LibraryBenchmarkConfig {
    let mut counted = Callgrind::default();
    counted.soft_limits([(EventKind::Ir, 3.0)]).hard_limits([(EventKind::Ir, instructions)]);
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(counted);
    config
}

/// One worker: Callgrind runs one thread at a time anyway, and the counts of several depend on their
/// interleaving.
fn states(model: &str, [threads, nodes, values]: Bounds, method: Method) -> u64 {
    let entry = catalogue::find(model).expect("the model is in the catalogue");
    let request = Request {
        threads: threads..=threads,
        nodes: Some(nodes..=nodes),
        values: values..=values,
        lin_points: matches!(method, Method::Points),
        properties: vec![Property::Linearizable],
        jobs: 1,
        ..Request::default()
    };
    let budget = Budget { time: None, memory: None, stop: Default::default(), memory_in_use: || None };
    let findings = check(entry, &request, &budget, &mut Silent).expect("the model is valid");
    findings.first().map_or(0, |finding| finding.effort.states)
}
