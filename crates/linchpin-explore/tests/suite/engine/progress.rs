//! Progress: verdicts of particular objects, lengths of their loops, and independence of jobs and budgets.

use crate::engine::support::{
    Text, finding, findings, holds, request, scheduled, seconds, unlimited, violated,
};
use linchpin_engine::Budget;
use linchpin_engine::verdict::{Annotation, Finding, Limit, Verdict};
use linchpin_explore::{Reductions, Request};
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_judge::replay::Counterexample;
use linchpin_judge::trace::Trace;
use linchpin_report::plain;
use std::time::Duration;

fn counterexample(finding: &Finding) -> &Counterexample {
    match finding.verdict() {
        Verdict::Violated(counterexample) => counterexample,
        other => panic!("{} is not violated: {other:?}", finding.property()),
    }
}

/// The stem and the loop of a violation.
fn lengths(finding: &Finding) -> (usize, usize) {
    let Trace { choices, cycle, .. } = counterexample(finding).trace();
    let start = cycle.expect("a loop");
    (start, choices.len() - start)
}

fn drawn(model: &Text, threads: u32, finding: &Finding) -> String {
    let sources = model.compiled(&Setting { threads, ..Setting::default() }).sources;
    plain::counterexample(&sources, counterexample(finding), 100)
}

fn fair(property: Property, size: (u32, u32, u32)) -> Request {
    Request { fair: true, ..request(property, size) }
}

#[test]
fn stems_and_then_loops_are_shortest() {
    let length = |model: &str, property, size| lengths(&finding(&Text::of(model), &request(property, size)));
    assert_eq!(length("treiber_stack", Property::WaitFree, (2, 1, 1)), (3, 8));
    assert_eq!(length("coarse_list", Property::ObstructionFree, (2, 3, 1)), (3, 1));
    assert_eq!(length("test_and_set_lock", Property::LockFree, (2, 1, 1)), (2, 1));
    assert_eq!(length("test_and_set_lock", Property::StarvationFree, (2, 1, 1)), (2, 3));
}

/// Partial order reduction keeps verdicts. The counterexample comes from a search without it.
#[test]
fn reductions_do_not_show_in_lengths() {
    for (model, property, size) in [
        ("treiber_stack", Property::WaitFree, (2, 2, 1)),
        ("hlm_deque", Property::LockFree, (2, 4, 1)),
        ("test_and_set_lock", Property::LockFree, (3, 1, 1)),
    ] {
        let with = |reductions| {
            lengths(&finding(&Text::of(model), &Request { reductions, ..request(property, size) }))
        };
        let plain = with(Reductions::NONE);
        assert_eq!(with(Reductions::ALL).0, plain.0, "{model}: the stem");
        assert_eq!(with(Reductions { symmetry: true, partial_order: false }).0, plain.0, "{model}: the stem");
    }
}

#[test]
fn jobs_show_in_nothing() {
    for (model, property) in [("mailbox", Property::LockFree), ("treiber_stack", Property::WaitFree)] {
        let size = if model == "mailbox" { (2, 1, 1) } else { (3, 3, 2) };
        let with = |jobs| {
            let finding = finding(&Text::of(model), &Request { jobs, ..request(property, size) });
            (counterexample(&finding).trace().clone(), finding.effort.states)
        };
        assert_eq!(with(1), with(3), "{model}");
    }
}

#[test]
fn own_steps_are_counted_where_calls_always_return() {
    let most = |model: &str, size| finding(&Text::of(model), &request(Property::WaitFree, size)).own_steps;
    // A scan reads both registers three times at most, and an update scans, then writes.
    assert_eq!(most("wait_free_snapshot", (2, 5, 1)), [("update".into(), 7), ("scan".into(), 6)]);
    // Alone: read the head and swing it; a pop reads the next node, too.
    assert_eq!(most("treiber_stack", (1, 2, 1)), [("push".into(), 2), ("pop".into(), 3)]);
    for reductions in [Reductions::NONE, Reductions::ALL] {
        let request = Request { reductions, ..request(Property::WaitFree, (2, 5, 1)) };
        assert_eq!(finding(&Text::of("wait_free_snapshot"), &request).own_steps[0].1, 7);
    }
}

#[test]
fn waiting_and_trying_again_are_different_words() {
    let model = Text::of("coarse_list");
    let text = drawn(&model, 2, &finding(&model, &request(Property::ObstructionFree, (2, 3, 1))));
    assert!(text.contains("waits for list_lock, which t0 holds"), "{text}");
    assert!(text.contains("it waits for `list_lock`, which t0 holds; t0 makes no step (line 21)"), "{text}");
    assert!(!text.contains("retries"), "{text}");

    let model = Text::of("test_and_set_lock");
    let text = drawn(&model, 2, &finding(&model, &request(Property::ObstructionFree, (2, 1, 1))));
    assert!(text.contains("it waits: it reads the same values again and again (line 12)"), "{text}");

    let model = Text::of("hlm_deque");
    let text = drawn(&model, 2, &finding(&model, &request(Property::LockFree, (2, 4, 1))));
    assert!(text.contains("t0's pop_right() never returns: it retries for ever"), "{text}");
    assert!(text.contains("t1 changes B.cell at step 15, between t0's steps 12 and 18"), "{text}");
    assert!(text.contains("t0 changes C.cell at step 14, between t1's steps 10 and 16"), "{text}");
}

#[test]
fn the_loop_is_marked_in_the_drawing() {
    let model = Text::of("treiber_stack");
    let text = drawn(&model, 2, &finding(&model, &request(Property::WaitFree, (2, 1, 1))));
    let line = |part: &str| text.lines().position(|line| line.contains(part)).expect(part);
    assert!(text.starts_with("not wait-free: 3 steps, then a loop of 8 steps, 4 context switches"), "{text}");
    assert!(line("   3  pop()") < line("↻ for ever") && line("↻ for ever") < line("   4  27"), "{text}");
    assert!(line("  11  24") < line("↻ again from step 4"), "{text}");
    assert!(text.contains("From step 4 on the execution repeats for ever"), "{text}");
}

/// Friggens' LF-2: from its point on a call is wait-free, and only points of others keep it from its own.
#[test]
fn progress_by_points() {
    let annotation = |model: &Text, size| {
        let request = Request { lin_points: true, ..request(Property::LockFree, size) };
        let finding = finding(model, &request);
        (finding.verdict().as_str(), finding.annotation.clone())
    };
    for (model, size) in [("treiber_stack", (2, 2, 1)), ("ms_queue", (2, 3, 1)), ("dglm_queue", (2, 3, 1))] {
        let (verdict, annotation) = annotation(&Text::of(model), size);
        assert!(matches!(annotation, Some(Annotation::Confirmed)), "{model}: {annotation:?}");
        assert_eq!(verdict, "holds");
    }
    let (verdict, refuted) = annotation(&Text::of("test_and_set_lock"), (2, 1, 1));
    assert!(matches!(refuted, Some(Annotation::Refuted(_))), "{refuted:?}");
    assert_eq!(verdict, "violated");
    // Lock-free, but its calls can be overtaken for ever after their points.
    let early = "object Early: Spec; spec Spec { op go() { } } shared x: 0..3; \
                 op go() { let first = x; lin; loop { let v = x; if cas(x, v, (v + 1) % 3) { return; } } }";
    let (verdict, refuted) = annotation(&Text::new(early), (2, 1, 1));
    assert_eq!(verdict, "holds");
    let Some(Annotation::Refuted(counterexample)) = refuted else { panic!("{refuted:?}") };
    assert!(counterexample.trace().cycle.is_some());
}

#[test]
fn first_come_first_served_starves_no_thread() {
    for model in ["ticket_lock", "mcs_lock"] {
        assert!(holds(&finding(&Text::of(model), &fair(Property::StarvationFree, (2, 2, 1)))), "{model}");
    }
    assert!(violated(&finding(&Text::of("test_and_set_lock"), &fair(Property::StarvationFree, (2, 1, 1)))));
}

/// A thread that waits for a call of another thread starves only under an unfair scheduler.
#[test]
fn fairness_ends_schedules() {
    let text = "object Wait: Spec; spec Spec { op wait() { } op tell() { } } \
                role waiter: 1 = wait; role teller: 1 = tell; \
                shared told: bool; op wait() { while !told {} } op tell() { told = true; }";
    let model = Text::new(text);
    let asked = Request { threads: 2..=2, ..scheduled(Property::Terminating, (2, 1, 1), 2) };
    assert_eq!(lengths(&finding(&model, &asked)), (1, 1));
    assert!(holds(&finding(&model, &Request { fair: true, ..asked })));
}

#[test]
fn recursion_without_end_does_not_terminate() {
    let text = "object Deep: Spec; spec Spec { op go() { } } shared x: bool; \
                fn down() { x = !x; down(); } op go() { down(); }";
    let finding = finding(&Text::new(text), &request(Property::Terminating, (1, 1, 1)));
    let shown = drawn(&Text::new(text), 1, &finding);
    assert!(shown.contains("nests calls deeper than 16"), "{shown}");
}

#[test]
fn budgets_end_in_unknown() {
    let model = Text::of("ms_queue");
    for property in [Property::LockFree, Property::WaitFree, Property::ObstructionFree] {
        let asked = request(property, (3, 5, 3));
        let budget = Budget { memory: Some(1 << 20), ..unlimited() };
        let verdict = findings(&model, &asked, &budget)[0].verdict().clone();
        assert!(matches!(verdict, Verdict::Unknown(Limit::Memory(_))), "{property}: {verdict:?}");
        let budget = Budget { time: Some(Duration::from_millis(1)), ..seconds(1) };
        let verdict = findings(&model, &asked, &budget)[0].verdict().clone();
        assert!(matches!(verdict, Verdict::Unknown(Limit::Time(_))), "{property}: {verdict:?}");
    }
}
