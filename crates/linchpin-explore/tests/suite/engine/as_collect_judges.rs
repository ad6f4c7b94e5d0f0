//! What COLLECT's own tool asks, beside what is asked here: an oracle of turns against a rendezvous, one
//! barrier against all quiescent moments. Each is weaker, and there are objects that tell them apart.

use crate::engine::support::{Text, finding, holds, violated};
use linchpin_explore::{ClientRequest, Request, Restriction};
use linchpin_ir::property::Property;
use std::ops::RangeInclusive;

fn request(property: Property, threads: u32, steps: RangeInclusive<u32>) -> Request {
    let values = *steps.end();
    let restrictions = vec![Restriction::GenericValues];
    Request {
        threads: threads..=threads,
        values: values..=values,
        client: ClientRequest::Schedules { steps, preadds: 0..=0, restrictions },
        properties: vec![property],
        ..Request::default()
    }
}

/// The classes of the book come out the same by both.
#[test]
fn turns_and_rendezvous_agree_on_synchronous_queues() {
    for (model, object, threads, is_wrong) in [
        ("synchronous_queue", "SynchronousQueue", 3, false),
        ("synchronous_dual_queue", "SynchronousDualQueue", 2, false),
        ("synchronous_dual_queue", "SynchronousDualQueue", 3, true),
        ("synchronous_dual_queue_patched", "SynchronousDualQueuePatched", 3, false),
    ] {
        let meeting = Text::of(model);
        let turns =
            meeting.with(&format!("{object}: SynchronousQueue;"), &format!("{object}: AlternatingQueue;"));
        let request = request(Property::Linearizable, threads, 1..=3);
        for text in [&meeting, &turns] {
            let found = finding(text, &request);
            assert_eq!(
                (violated(&found), holds(&found)),
                (is_wrong, !is_wrong),
                "{model}, {threads} threads"
            );
        }
    }
}

/// With room for one item no calls have to meet.
#[test]
fn a_queue_with_one_place_takes_turns_and_does_not_meet() {
    let turns = Text::new(
        "object OnePlace: AlternatingQueue;
        shared item: data?;
        op enq(v: data) { loop { atomic { if item == none { item = v; return; } } } }
        op deq() -> data {
            loop { atomic { if item != none { let v = item.unwrap(); item = none; return v; } } }
        }",
    );
    let meeting = turns.with("OnePlace: AlternatingQueue", "OnePlace: SynchronousQueue");
    let request = request(Property::Linearizable, 2, 2..=3);
    assert!(holds(&finding(&turns, &request)));
    assert!(violated(&finding(&meeting, &request)));
}

/// Who waits by himself is excused by the oracle of turns, though two that wait could meet.
#[test]
fn two_that_wait_side_by_side_excuse_each_other_by_turns() {
    let meeting = Text::new(
        "object Deaf: SynchronousQueue;
        shared bell: bool;
        shared item: data?;
        op enq(v: data) { while !bell {} item = v; }
        op deq() -> data { while item == none {} bell = true; return item.unwrap(); }",
    );
    let turns = meeting.with("Deaf: SynchronousQueue", "Deaf: AlternatingQueue");
    let request = request(Property::DeadlockFree, 2, 2..=2);
    assert!(violated(&finding(&meeting, &request)));
    // Nothing ever completes, so nothing holds either.
    assert!(!violated(&finding(&turns, &request)));
}

/// `add(1) → true`, `contains(1) → false`, `remove(1) → true`: each barrier leaves two neighbours to be
/// exchanged.
#[test]
fn one_barrier_is_weaker_than_all_quiescent_moments() {
    let blind = Text::new(
        "object HeapIndependentSteps: Set<data>;
        role user = add contains remove;
        shared item: data?;
        op add(x: data) -> bool { item = x; return true; }
        op contains(x: data) -> bool { return false; }
        op remove(x: data) -> bool { item = none; return true; }",
    );
    let ask = |property, steps| Request { values: 1..=1, ..request(property, 1, steps) };
    let moments = finding(&blind, &ask(Property::QuiescentlyConsistent, 3..=3));
    assert!(violated(&moments));
    let barrier = finding(&blind, &ask(Property::BarrierConsistent, 3..=3));
    assert!(holds(&barrier), "{:?}", barrier.verdict());
    let two_calls = finding(&blind, &ask(Property::BarrierConsistent, 2..=3));
    assert!(violated(&two_calls), "nothing explains what was not found");
}
