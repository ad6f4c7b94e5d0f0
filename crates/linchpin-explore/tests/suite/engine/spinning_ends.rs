//! Ends of schedules at which calls spin: what the specification lets wait, and what it does not.

use crate::engine::support::{Text, finding, holds, violated};
use linchpin_engine::verdict::{Limit, Verdict};
use linchpin_explore::{ClientRequest, Request, Restriction};
use linchpin_ir::property::Property;
use linchpin_judge::replay::Evidence;

const PROPERTIES: [Property; 4] = [
    Property::Linearizable,
    Property::SequentiallyConsistent,
    Property::QuiescentlyConsistent,
    Property::DeadlockFree,
];

fn request(property: Property, threads: u32, steps: u32) -> Request {
    let restrictions = vec![Restriction::GenericValues];
    Request {
        threads: threads..=threads,
        values: steps..=steps,
        client: ClientRequest::Schedules { steps: steps..=steps, preadds: 0..=0, restrictions },
        properties: vec![property],
        ..Request::default()
    }
}

/// Each waits for the other to begin: an `enq` and a `deq` spin side by side.
#[test]
fn who_could_meet_and_spins_is_stuck() {
    let deaf = Text::new(
        "object Deaf: SynchronousQueue;
        shared bell: bool;
        shared item: data?;
        op enq(v: data) { while !bell {} item = v; }
        op deq() -> data { while item == none {} bell = true; return item.unwrap(); }",
    );
    for property in PROPERTIES {
        let alone = finding(&deaf, &request(property, 1, 1));
        let is_vacuous = matches!(alone.verdict(), Verdict::Unknown(Limit::Vacuous(_)));
        assert!(is_vacuous, "one by itself may wait: {:?}", alone.verdict());
        let both = finding(&deaf, &request(property, 2, 2));
        let Verdict::Violated(counterexample) = both.verdict() else {
            panic!("{property}: {:?}", both.verdict())
        };
        let trace = counterexample.trace();
        assert_eq!(trace.cycle, Some(2), "two calls are all that happens before both spin");
        assert_eq!(trace.choices.len(), 4, "each goes round once");
        let is_deadlock = matches!(counterexample.evidence(), Evidence::Deadlock(_));
        assert_eq!(is_deadlock, property == Property::DeadlockFree);
    }
}

#[test]
fn a_call_without_partner_may_spin() {
    for property in PROPERTIES {
        for (threads, steps) in [(2, 2), (3, 3)] {
            let patched =
                finding(&Text::of("synchronous_dual_queue_patched"), &request(property, threads, steps));
            assert!(holds(&patched), "{property}: {:?}", patched.verdict());
        }
        let printed = finding(&Text::of("synchronous_dual_queue"), &request(property, 3, 3));
        assert_eq!(violated(&printed), property != Property::DeadlockFree, "{property}");
    }
}
