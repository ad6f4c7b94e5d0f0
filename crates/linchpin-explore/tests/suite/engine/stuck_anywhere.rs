//! Stuck executions: before a schedule is complete, under restrictions, roles and pre-adds, spinning with any
//! client, and with spurious wake-ups.

use crate::engine::support::{Text, finding, request, violated};
use linchpin_engine::verdict::{Limit, Verdict};
use linchpin_explore::{ClientRequest, Request, Restriction};
use linchpin_ir::property::Property;
use linchpin_judge::replay::Evidence;
use std::ops::RangeInclusive;

fn scheduled(
    property: Property,
    steps: RangeInclusive<u32>,
    preadds: u32,
    restrictions: &[Restriction],
) -> Request {
    let restrictions = restrictions.to_vec();
    let client = ClientRequest::Schedules { steps, preadds: preadds..=preadds, restrictions };
    Request { client, ..request(property, (2, 1, 3)) }
}

/// Judges both properties that a stuck execution violates. Returns whether the counterexample has a loop.
fn is_stuck(text: &str, request: &Request) -> bool {
    let mut loops = Vec::new();
    for property in [Property::DeadlockFree, Property::Linearizable] {
        let found = finding(&Text::new(text), &Request { properties: vec![property], ..request.clone() });
        let Verdict::Violated(counterexample) = found.verdict() else {
            panic!("{property}: {:?} of {text}", found.verdict())
        };
        let is_deadlock = matches!(counterexample.evidence(), Evidence::Deadlock(_));
        assert_eq!(is_deadlock, property == Property::DeadlockFree);
        loops.push(counterexample.trace().cycle.is_some());
    }
    assert_eq!(loops[0], loops[1]);
    loops[0]
}

/// No thread can make the fourth call.
#[test]
fn before_the_last_call() {
    let kept = "object Kept: Spec; spec Spec { op go() { } } shared l: lock; op go() { l.lock(); }";
    for steps in [3..=3, 4..=4, 6..=6] {
        assert!(!is_stuck(kept, &scheduled(Property::DeadlockFree, steps, 0, &[])));
    }
}

/// A remove that hangs before the add that would let it complete.
#[test]
fn under_restrictions() {
    let kept = "object Kept: Spec; spec Spec { #[adds] op put(p: 0..3) { } #[removes] op take() { } } \
                shared l: lock; op put(p: 0..3) { let unused = p; } op take() { l.lock(); l.lock(); }";
    let request = scheduled(Property::DeadlockFree, 4..=4, 0, &[Restriction::AddsDominate]);
    assert!(!is_stuck(kept, &request));
    // The priorities 0 and 2 are taken, and the thread that would add with 1 hangs.
    let adds = "object Adds: Spec; spec Spec { #[adds] op put(p: 0..3) { } } shared l: lock; \
                op put(p: 0..3) { if p == 2 { l.lock(); l.lock(); } }";
    let request = scheduled(Property::DeadlockFree, 3..=3, 0, &[Restriction::DistinctPriorities]);
    assert!(!is_stuck(adds, &request));
}

/// A round of a role that is never ended, and pre-adds that block although nothing is there.
#[test]
fn in_a_round_and_before_the_threads_begin() {
    let role = "object Role: Spec; role user = take give; spec Spec { op take() { } op give() { } } \
                shared l: lock; op take() { l.lock(); } op give() { let unused = l.is_locked(); }";
    assert!(!is_stuck(role, &scheduled(Property::DeadlockFree, 5..=5, 0, &[])));
    let preadds =
        "object Full: Spec; spec Spec { #[adds] op put() { } } shared l: lock; op put() { l.lock(); }";
    assert!(!is_stuck(preadds, &scheduled(Property::DeadlockFree, 2..=2, 2, &[])));
    let spinning = preadds.replace("l.lock();", "while !l.try_lock() {}");
    assert!(is_stuck(&spinning, &scheduled(Property::DeadlockFree, 2..=2, 2, &[])));
}

const SPIN_LOCK: &str = "object Lock: Spec; role user = acquire release; \
    spec Spec { op acquire() { } op release() { } } shared held: bool; \
    op acquire() { while !cas(held, false, true) {} } op release() { let unused = held; }";

#[test]
fn spinning_with_any_client() {
    assert!(is_stuck(SPIN_LOCK, &request(Property::DeadlockFree, (2, 1, 1))));
    assert!(is_stuck(SPIN_LOCK, &scheduled(Property::DeadlockFree, 4..=4, 0, &[])));
    // One thread for ever, the other goes on: no pending call can complete.
    let one = "object One: Spec; role first: 1 = hang; role others = look; spec Spec { op hang() { } op look() { } } \
               shared up: bool; op hang() { while !up {} } op look() { up = false; }";
    assert!(is_stuck(one, &request(Property::DeadlockFree, (2, 1, 1))));
    let given_back = SPIN_LOCK.replace("let unused = held;", "held = false;");
    for property in [Property::DeadlockFree, Property::Linearizable] {
        let found = finding(&Text::new(given_back.as_str()), &request(property, (2, 1, 1)));
        assert!(matches!(found.verdict(), Verdict::Holds), "{property}");
        assert!(found.notes.is_empty());
    }
}

/// The next call of the other thread would help. A schedule that gives this call to the spinning thread has
/// no such call.
#[test]
fn no_thread_is_left_to_help() {
    let gate = "object Gate: Spec; role one: 1 = pass; role others = look raise; \
                spec Spec { op pass() { } op look() { } op raise() { } } shared up: bool; \
                op pass() { while !up {} } op look() { let unused = up; } op raise() { up = true; }";
    assert!(is_stuck(gate, &scheduled(Property::DeadlockFree, 3..=3, 0, &[])));
}

/// A note beside the verdict names what was not judged.
#[test]
fn not_judged_is_said() {
    let bounded = Request { preemptions: Some(1), ..request(Property::DeadlockFree, (2, 1, 1)) };
    let found = finding(&Text::new(SPIN_LOCK), &bounded);
    assert!(matches!(found.verdict(), Verdict::Holds));
    let note = "calls that spin for ever were not judged: under a bound on preemptions";
    assert_eq!(found.notes, [note]);
}

/// A waiting thread that no thread notifies is stuck, even if it could wake up spuriously.
#[test]
fn a_lost_wake_up() {
    let lost = "object Slot: Spec; spec Spec { state full: bool; op put() { full = true; } op take() when full { full = false; } } \
                shared full: bool; shared l: lock; shared c: condvar; \
                op put() { l.lock(); full = true; l.unlock(); } \
                op take() { l.lock(); while !full { c.wait(l); } full = false; l.unlock(); }";
    for spurious in [false, true] {
        let request = Request { spurious, ..scheduled(Property::DeadlockFree, 2..=2, 0, &[]) };
        assert!(!is_stuck(lost, &request), "spurious: {spurious}");
    }
    let only = "object Only: Spec; spec Spec { op pause() { } } shared l: lock; shared c: condvar; \
                op pause() { l.lock(); c.wait(l); l.unlock(); }";
    for property in [Property::WaitFree, Property::LockFree, Property::StarvationFree, Property::DeadlockFree]
    {
        let request = Request { spurious: true, ..request(property, (1, 1, 1)) };
        assert!(violated(&finding(&Text::new(only), &request)), "{property}");
    }
}

/// Endless recursion: under fairness it counts where a fair scheduler need not run the other threads.
#[test]
fn recursion_beyond_the_bound() {
    let deep = "object Deep: Spec; spec Spec { op go() { } } shared x: bool; \
                fn dig() { let y = x; dig(); } op go() { dig(); }";
    let said = |property: Property, fair: bool| {
        let request = Request { fair, ..request(property, (2, 1, 1)) };
        finding(&Text::new(deep), &request).verdict().clone()
    };
    for fair in [false, true] {
        assert!(matches!(said(Property::Terminating, fair), Verdict::Violated(_)), "one thread alone");
        for property in [Property::WaitFree, Property::LockFree, Property::StarvationFree] {
            let said = said(property, fair);
            assert!(matches!(said, Verdict::Unknown(Limit::Depth(16))), "{property}: {said:?}");
        }
    }
    // It digs while a gate is open that the other thread, in its round, must close.
    let gate = "object Gate: Spec; role digger: 1 = go; role keeper: 1 = open close; \
                spec Spec { op go() { } op open() { } op close() { } } shared up: bool; \
                fn dig() { if up { dig(); } } op go() { dig(); } op open() { up = true; } op close() { up = false; }";
    let said = |fair: bool| {
        let request = Request { fair, ..request(Property::Terminating, (2, 1, 1)) };
        finding(&Text::new(gate), &request).verdict().clone()
    };
    assert!(matches!(said(false), Verdict::Violated(_)));
    assert!(matches!(said(true), Verdict::Unknown(Limit::Depth(16))), "{:?}", said(true));
}
