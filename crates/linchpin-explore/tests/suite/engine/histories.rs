//! The verdict of a search is what its histories say, when each of them is judged by itself.

use crate::engine::naive::{Histories, histories};
use crate::engine::support::{Instance, Size, Text};
use linchpin_explore::{MonitorKind, ViolationKind, schedules};
use linchpin_semantics::Client;

/// Compares every schedule of so many calls; what was seen in all.
fn compare(model: &str, size: Size, steps: usize, preadds: usize) -> Histories {
    compare_text(model, &Text::of(model), size, steps, preadds)
}

fn compare_text(model: &str, text: &Text, size: Size, steps: usize, preadds: usize) -> Histories {
    let instance = Instance::new(text, size);
    let Client::General(general) = instance.general() else { panic!("the general client") };
    let threads = size.0 as usize;
    let mut sum = Histories::default();
    for schedule in schedules(instance.machine.program(), &general, threads, steps, preadds, &[]) {
        let client = schedule.client();
        let told = histories(&instance.machine, &instance.spec, &client);
        let (_, summary) =
            instance.search(&client, Some(MonitorKind::Refinement), &[ViolationKind::Inconsistent]);
        let found = summary.found.values().min().copied();
        assert_eq!(found, told.shortest_violation, "{model}, {schedule:?}: {:?} and {told:?}", summary.found);
        sum.legal += told.legal;
        sum.illegal += told.illegal;
        sum.stuck += told.stuck;
        sum.shortest_violation = sum.shortest_violation.into_iter().chain(told.shortest_violation).min();
    }
    assert!(sum.legal > 30, "{model}: only {} histories", sum.legal);
    sum
}

#[test]
fn right_objects() {
    for (model, size, steps) in [
        ("treiber_stack", (2, 3, 2), 3),
        ("treiber_stack_tagged", (2, 2, 1), 3),
        ("ms_queue", (2, 3, 1), 3),
        ("coarse_list", (2, 3, 1), 3),
        ("lazy_list", (2, 3, 1), 3),
        ("rdcss", (2, 3, 1), 2),
        ("treiber_stack", (3, 3, 1), 3),
    ] {
        let told = compare(model, size, steps, 0);
        assert_eq!(told.illegal, 0, "{model}");
        assert_eq!(told.shortest_violation, None, "{model}");
    }
}

#[test]
fn right_objects_that_wait() {
    for (model, size, steps, preadds) in [
        ("bounded_queue", (2, 4, 2), 3, 0),
        ("bounded_queue", (2, 4, 2), 2, 2),
        ("herlihy_wing_queue", (2, 1, 2), 3, 0),
        ("herlihy_wing_queue", (2, 1, 2), 2, 1),
        ("two_lock_queue", (2, 3, 1), 3, 0),
        ("synchronous_dual_queue", (2, 4, 2), 3, 0),
    ] {
        let told = compare(model, size, steps, preadds);
        assert_eq!(told.shortest_violation, None, "{model}");
        assert!(model != "bounded_queue" || told.stuck > 0, "a queue that waits for ever, rightly");
    }
}

#[test]
fn wrong_objects() {
    for (model, size, steps, preadds) in [
        ("lock_free_list_original", (2, 3, 1), 2, 1),
        ("simple_linear", (2, 1, 2), 3, 0),
        ("synchronous_dual_queue", (3, 4, 1), 3, 0),
        ("treiber_stack_reuse", (2, 1, 2), 4, 1),
    ] {
        let told = compare(model, size, steps, preadds);
        assert!(told.illegal > 0 && told.shortest_violation.is_some(), "{model}: {told:?}");
    }
}

/// A lock that is never released: later calls are stuck, and a stack never waits.
#[test]
fn a_wrong_object_that_is_stuck() {
    let text = Text::new(
        "object Forgetful: Stack;
        shared guard: lock;
        shared item: data?;
        op push(v: data) { guard.lock(); item = v; guard.unlock(); }
        op pop() -> data? {
            guard.lock();
            let x = item;
            if x == none { return none; }
            item = none;
            guard.unlock();
            return x;
        }",
    );
    let told = compare_text("forgetful", &text, (2, 1, 1), 3, 0);
    assert!(told.stuck > 0 && told.shortest_violation.is_some(), "{told:?}");
    let told = compare("fine_grained_heap", (2, 1, 2), 2, 1);
    assert!(told.stuck > 0 && told.shortest_violation.is_some(), "{told:?}");
}
