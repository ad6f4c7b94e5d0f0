//! Facts from the literature, at the sizes for which they are known.

use crate::engine::support::{Size, Text, finding, holds, request, scheduled, violated};
use linchpin_engine::verdict::{Annotation, Finding, Verdict};
use linchpin_ir::property::Property;
use linchpin_judge::history::{Budget, linearizable};
use linchpin_judge::replay::Evidence;

const LINEARIZABLE: Property = Property::Linearizable;

fn at(model: &str, size: Size) -> Finding {
    finding(&Text::of(model), &request(LINEARIZABLE, size))
}

fn assert_holds(model: &str, size: Size) {
    let finding = at(model, size);
    assert!(holds(&finding), "{model} {size:?}: {:?}", finding.verdict());
    assert!(finding.annotation.is_none(), "points were not asked for");
}

/// Violated, by a history that the judge of histories refuses.
fn assert_refuted(model: &str, size: Size) {
    let finding = at(model, size);
    let Verdict::Violated(counterexample) = finding.verdict() else {
        panic!("{model} {size:?}: {:?}", finding.verdict())
    };
    assert!(matches!(counterexample.evidence(), Evidence::Inconsistent(_)));
    let judged = linearizable(counterexample.spec(), counterexample.history(), Budget::default());
    assert!(judged.expect("the specification is in order").is_illegal());
}

#[test]
fn treibers_stack_is_linearizable_by_both_methods() {
    assert_holds("treiber_stack", (2, 2, 2));
    let with_points = linchpin_explore::Request { lin_points: true, ..request(LINEARIZABLE, (2, 2, 2)) };
    let finding = finding(&Text::of("treiber_stack"), &with_points);
    assert!(holds(&finding));
    assert!(matches!(finding.annotation, Some(Annotation::Confirmed)));
}

/// Friggens 6.1.2: none of the parameters can be decreased.
#[test]
fn treibers_stack_with_reuse_fails_as_soon_as_it_can() {
    assert_refuted("treiber_stack_reuse", (2, 1, 2));
    assert_refuted("treiber_stack_reuse", (2, 2, 1));
    assert_holds("treiber_stack_reuse", (2, 1, 1));
    assert_holds("treiber_stack_reuse", (1, 2, 2));
}

#[test]
fn versions_mend_treibers_stack() {
    assert_holds("treiber_stack_tagged", (2, 2, 1));
    assert_holds("treiber_stack_tagged", (2, 1, 2));
    assert_holds("treiber_stack_tagged", (2, 2, 2));
}

#[test]
fn the_queue_needs_versions_that_survive_reuse() {
    assert_refuted("ms_queue_reuse", (2, 2, 1));
    assert_holds("ms_queue_tagged", (2, 2, 1));
    assert_holds("ms_queue_tagged", (2, 2, 2));
    assert_holds("ms_queue_next_reset", (2, 2, 2));
    assert_refuted("ms_queue_next_reset", (2, 3, 1));
}

/// Two removes take one element: COLLECT 5.4, item 1.
#[test]
fn the_original_lock_free_list_is_wrong() {
    assert_refuted("lock_free_list_original", (2, 3, 1));
    assert_holds("lock_free_list", (2, 3, 1));
}

#[test]
fn the_snark_deque_is_wrong() {
    assert_refuted("snark_deque", (2, 3, 1));
}

/// Objects whose points no text can name: they need refinement.
#[test]
fn objects_without_fixed_points_hold() {
    for (model, nodes) in [("herlihy_wing_queue", 1), ("elimination_stack", 4)] {
        for (threads, steps) in [(1, 2), (2, 2), (2, 3)] {
            let finding = finding(&Text::of(model), &scheduled(LINEARIZABLE, (threads, nodes, 2), steps));
            assert!(holds(&finding), "{model}, {threads} threads, {steps} calls: {:?}", finding.verdict());
            assert!(finding.effort.schedules.is_some_and(|schedules| schedules > 1));
        }
    }
}

/// `lin` one access too late: between `cas` and it, others see an effect that has not happened.
#[test]
fn a_late_point_is_the_annotations_fault() {
    let late = Text::of("treiber_stack").with(
        "if cas(head, top, n) { lin; return; }",
        "if cas(head, top, n) { let again = head; lin; return; }",
    );
    let request = linchpin_explore::Request { lin_points: true, ..request(LINEARIZABLE, (2, 2, 2)) };
    let finding = finding(&late, &request);
    assert!(holds(&finding), "the object is as right as before: {:?}", finding.verdict());
    let Some(Annotation::Refuted(counterexample)) = &finding.annotation else {
        panic!("the annotation is wrong: {:?}", finding.annotation)
    };
    assert!(matches!(counterexample.evidence(), Evidence::PointsRefuted(_)));
    let history = linearizable(counterexample.spec(), counterexample.history(), Budget::default());
    assert!(history.expect("the specification is in order").is_legal(), "the history itself is right");
    assert!(!violated(&finding));
}
