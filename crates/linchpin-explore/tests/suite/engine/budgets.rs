//! A limit makes a property unknown, never holds. Findings do not depend on when or how often the budget is
//! polled.

use crate::engine::support::{Size, Text, findings, request, unlimited};
use linchpin_engine::stop::{Cause, Stop};
use linchpin_engine::verdict::{Annotation, Finding, Limit, Verdict};
use linchpin_engine::{Budget, Listener, Progress};
use linchpin_explore::{Request, check};
use linchpin_ir::property::Property;
use linchpin_judge::trace::Trace;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PROPERTIES: [Property; 3] = [Property::Linearizable, Property::MemorySafe, Property::Assertions];

fn all(size: Size) -> Request {
    Request { properties: PROPERTIES.to_vec(), ..request(Property::Linearizable, size) }
}

fn assert_limit(budget: &Budget, expected: &Limit) {
    let found = findings(&Text::of("treiber_stack"), &all((2, 2, 2)), budget);
    assert_eq!(found.len(), PROPERTIES.len());
    for finding in found {
        let Verdict::Unknown(limit) = finding.verdict() else {
            panic!("{}: {:?}", finding.property(), finding.verdict())
        };
        assert_eq!(limit, expected);
    }
}

#[test]
fn each_limit_is_named() {
    let no_time = Budget { time: Some(Duration::ZERO), ..unlimited() };
    assert_limit(&no_time, &Limit::Time(Duration::ZERO));
    let own_memory = Budget { memory: Some(1), ..unlimited() };
    assert_limit(&own_memory, &Limit::Memory(1));
    let all_memory = Budget { memory: Some(1 << 40), memory_in_use: || Some(1 << 41), ..unlimited() };
    assert_limit(&all_memory, &Limit::Memory(1 << 40));
    let stop = Arc::new(Stop::default());
    stop.ask(Cause::Interrupted);
    assert_limit(&Budget { stop, ..unlimited() }, &Limit::Interrupted);
}

#[test]
fn ample_limits_change_nothing() {
    let budget = Budget {
        time: Some(Duration::from_secs(3600)),
        memory: Some(1 << 40),
        memory_in_use: || Some(1 << 20),
        ..unlimited()
    };
    for finding in findings(&Text::of("treiber_stack"), &all((2, 2, 1)), &budget) {
        assert!(matches!(finding.verdict(), Verdict::Holds), "{:?}", finding.verdict());
    }
}

/// A property that no search judges is unknown, whatever other properties are requested.
#[test]
fn what_is_not_judged_is_unknown() {
    let model = Text::of("treiber_stack");
    let consistent = Property::SequentiallyConsistent;
    for properties in [vec![consistent], vec![consistent, Property::MemorySafe]] {
        let request = Request { properties: properties.clone(), ..all((2, 1, 1)) };
        let found = findings(&model, &request, &unlimited());
        assert_eq!(found.iter().map(Finding::property).collect::<Vec<_>>(), properties);
        assert!(matches!(found[0].verdict(), Verdict::Unknown(Limit::NotSupported(_))));
    }
    let properties = vec![Property::LockFree];
    let request = Request { preemptions: Some(1), properties, ..all((2, 1, 1)) };
    for finding in findings(&model, &request, &unlimited()) {
        assert!(matches!(finding.verdict(), Verdict::Unknown(Limit::NotSupported(_))));
    }
}

/// Stops the search at its first report.
struct Impatient {
    stop: Arc<Stop>,
    heard: Vec<Progress>,
}

impl Listener for Impatient {
    fn progress(&mut self, progress: &Progress) {
        self.heard.push(*progress);
        self.stop.ask(Cause::Interrupted);
    }
}

#[test]
fn a_search_stops_in_the_middle() {
    let stop = Arc::new(Stop::default());
    let mut listener = Impatient { stop: stop.clone(), heard: Vec::new() };
    let budget = Budget { stop, ..unlimited() };
    let started = Instant::now();
    let model = Text::of("treiber_stack");
    let found = check(&model, &all((4, 6, 3)), &budget, &mut listener).expect("it can be checked");
    assert!(started.elapsed() < Duration::from_secs(20), "it stops soon");
    assert_eq!(listener.heard.len(), 1);
    assert!(listener.heard[0].states > 0 && listener.heard[0].frontier > 0);
    for finding in found {
        assert!(matches!(finding.verdict(), Verdict::Unknown(Limit::Interrupted)));
        assert!(finding.effort.states >= listener.heard[0].states as u64);
    }
}

#[test]
fn time_runs_out_in_the_middle() {
    let limit = Duration::from_millis(150);
    let budget = Budget { time: Some(limit), ..unlimited() };
    for finding in findings(&Text::of("treiber_stack"), &all((4, 6, 3)), &budget) {
        assert!(matches!(finding.verdict(), Verdict::Unknown(Limit::Time(said)) if *said == limit));
        assert!(finding.effort.states > 100, "it has begun");
        assert!(finding.effort.time >= limit);
    }
}

/// Returns a finding without its time and memory.
fn essence(finding: &Finding) -> (String, Option<Trace>, Option<Trace>, String) {
    let trace = |verdict: &Verdict| match verdict {
        Verdict::Violated(counterexample) => Some(counterexample.trace().clone()),
        _ => None,
    };
    let of_points = match &finding.annotation {
        Some(Annotation::Refuted(counterexample)) => Some(counterexample.trace().clone()),
        _ => None,
    };
    let effort = &finding.effort;
    let counts = format!("{} {} {:?} {:?}", effort.states, effort.transitions, effort.cuts, finding.coverage);
    (finding.verdict().as_str().to_string(), trace(finding.verdict()), of_points, counts)
}

#[test]
fn two_runs_find_the_same() {
    let late = Text::of("treiber_stack").with(
        "if cas(head, top, n) { lin; return; }",
        "if cas(head, top, n) { let again = head; lin; return; }",
    );
    let cases = [
        (Text::of("treiber_stack_reuse"), (2, 2, 1)),
        (Text::of("lock_free_list_original"), (2, 3, 1)),
        (Text::of("ms_queue"), (2, 2, 1)),
        (late, (2, 2, 1)),
    ];
    let mut traces = 0;
    for (model, size) in cases {
        let request = Request { lin_points: true, ..all(size) };
        let run = || -> Vec<_> { findings(&model, &request, &unlimited()).iter().map(essence).collect() };
        let (first, second) = (run(), run());
        assert_eq!(first, second);
        traces += first.iter().flat_map(|(_, violated, refuted, _)| [violated, refuted]).flatten().count();
    }
    assert!(traces >= 4, "there were traces to compare: {traces}");
}

/// The guard of the budget may stop a search at any moment, also in the middle of a level. Then no property
/// holds.
#[test]
fn a_stop_from_another_thread_is_never_a_holds() {
    for after in [5, 20, 45, 80, 120] {
        for jobs in [1, 2] {
            let stop = Arc::new(Stop::default());
            let budget = Budget { stop: stop.clone(), ..unlimited() };
            let asking = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(after));
                stop.ask(Cause::Memory);
            });
            let request = Request { jobs, ..all((4, 6, 3)) };
            for finding in findings(&Text::of("treiber_stack"), &request, &budget) {
                assert!(
                    matches!(finding.verdict(), Verdict::Unknown(Limit::Memory(_))),
                    "{:?}",
                    finding.verdict()
                );
            }
            asking.join().expect("it ends");
        }
    }
}

/// Schedules are counted in a part of the time, and searched in the rest of it.
#[test]
fn counting_leaves_time_to_search() {
    let mut request = Request { properties: vec![Property::Linearizable], ..Request::default() };
    *request.schedules().0 = 200..=200;
    let budget = Budget { time: Some(Duration::from_millis(800)), ..unlimited() };
    let started = Instant::now();
    for finding in findings(&Text::of("treiber_stack"), &request, &budget) {
        assert!(matches!(finding.verdict(), Verdict::Unknown(Limit::Time(_))), "{:?}", finding.verdict());
        assert!(finding.effort.states > 100, "it has begun");
        assert!(
            finding
                .effort
                .search
                .remarks
                .iter()
                .any(|remark| remark.contains("more schedules than were counted"))
        );
    }
    assert!(started.elapsed() < Duration::from_secs(20), "it stops soon");
}

/// A range of bounds that is too large to list is searched from its beginning.
#[test]
fn a_long_range_is_walked_lazily() {
    let request = Request { nodes: Some(1..=u32::MAX), keys: 1..=u32::MAX, ..all((1, 1, 1)) };
    let first: Vec<(u32, u32)> =
        request.sizes().take(3).map(|size| (size.bounds.nodes, size.bounds.keys)).collect();
    assert_eq!(first, [(1, 1), (1, 2), (1, 3)]);
    assert!(request.has_ranges());
    assert_eq!(request.largest().map(|size| size.bounds.nodes), Some(u32::MAX));
    let small = Request { nodes: Some(1..=3), threads: 1..=2, values: 2..=3, ..Request::default() };
    assert_eq!(small.largest(), small.sizes().last());
    assert_eq!(small.sizes().count(), 12);
}
