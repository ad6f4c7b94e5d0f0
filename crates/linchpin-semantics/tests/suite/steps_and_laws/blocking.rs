//! Steps that wait: locks, conditions, `await`, `choose` without a candidate, no cell left.

use crate::steps_and_laws::support::*;
use linchpin_ir::index::Index;
use linchpin_semantics::*;

fn blocked(outcome: Outcome) -> Blocked {
    match outcome {
        Outcome::Disabled(blocked) => blocked,
        other => panic!("not blocked: {other:?}"),
    }
}

#[test]
fn a_lock_is_a_plain_mutex() {
    let text = "
    object O: S;
    spec S { op twice() {} op once() {} op try_once() -> bool { return choose bool; } }
    struct Cell { guard: lock }
    shared cells: [Cell; 2];
    op twice() { cells[1].guard.lock(); cells[1].guard.lock(); }
    op once() { cells[1].guard.lock(); cells[1].guard.unlock(); }
    op try_once() -> bool { return cells[1].guard.try_lock(); }";
    let mut run = Runner::new(text, &Bounds::default());
    assert_eq!(run.call(0, "twice", &[]), Outcome::Done);
    assert_eq!(
        run.shared(),
        "cells = [Cell { guard: free }, Cell { guard: free }]",
        "the call waits in front of a lock"
    );
    assert_eq!(run.step(0), Outcome::Done);
    assert_eq!(run.call(1, "once", &[]), Outcome::Done);
    for thread in [0, 1] {
        let why = blocked(run.step(thread));
        assert!(matches!(why, Blocked::Lock { holder: Some(holder), .. } if holder == ThreadId::new(0)));
        assert_eq!(run.machine.blocked_text(&run.state, why), "waits for `cells[1].guard`, which t0 holds");
    }
    let mut other = Runner::new(text, &Bounds::default());
    assert_eq!(other.whole(0, "try_once", &[]), "true");
    assert_eq!(other.whole(1, "try_once", &[]), "false");
}

const CONDITION: &str = "
    object O: S;
    spec S { op wait() {} op wake() {} op wake_all() {} }
    shared guard: lock;
    shared ready: condvar;
    op wait() { guard.lock(); ready.wait(guard); guard.unlock(); }
    op wake() { ready.notify_one(); }
    op wake_all() { ready.notify_all(); }";

#[test]
fn a_condition_wakes_one_or_all() {
    let bounds = Bounds { threads: 3, ..Bounds::default() };
    let mut run = Runner::new(CONDITION, &bounds);
    for thread in [0, 1] {
        assert_eq!(run.call(thread, "wait", &[]), Outcome::Done);
        assert_eq!(run.step(thread), Outcome::Done, "the lock");
        assert_eq!(run.step(thread), Outcome::Done, "releases and waits");
    }
    assert_eq!(run.shared(), "guard = free, ready = t0, t1 wait");
    assert!(matches!(blocked(run.step(0)), Blocked::Condition(_)));
    assert_eq!(run.call_picking(2, "wake", &[], &[1]), Outcome::Done, "either may be woken");
    assert_eq!(run.shared(), "guard = free, ready = t0 wait");
    assert_eq!(run.step(1), Outcome::Done, "takes the lock again");
    assert_eq!(run.call(2, "wake_all", &[]), Outcome::Done);
    assert!(matches!(blocked(run.step(0)), Blocked::Lock { .. }), "notified, but the lock is held");
    run.finish(1);
    run.finish(0);
    assert_eq!(run.call(2, "wake", &[]), Outcome::Done, "no thread waits: nothing happens");
}

#[test]
fn spurious_wake_ups_only_where_asked_for() {
    for spurious in [false, true] {
        let mut run = Runner::new(CONDITION, &Bounds { spurious, ..Bounds::default() });
        assert_eq!(run.call(0, "wait", &[]), Outcome::Done);
        assert_eq!(run.step(0), Outcome::Done);
        assert_eq!(run.step(0), Outcome::Done);
        assert_eq!(run.step(0).is_done(), spurious);
    }
}

#[test]
fn a_false_await_disables_the_whole_block() {
    let text = "
    object O: S;
    spec S { op take() {} op give() {} }
    shared n: 0..=5;
    shared log: seq<0..=5>;
    op take() { atomic { log.push_back(n); await n > 0; n -= 1; } }
    op give() { n += 1; }";
    let mut run = Runner::new(text, &Bounds::default());
    assert_eq!(run.call(0, "take", &[]), Outcome::Done, "the call is made, and waits");
    assert_eq!(blocked(run.step(0)), Blocked::Await);
    assert_eq!(run.shared(), "n = 0, log = []", "without effect");
    run.whole(1, "give", &[]);
    run.finish(0);
    assert_eq!(run.shared(), "n = 0, log = [1]");
}

#[test]
fn await_outside_atomic_reads_and_waits_in_one_step() {
    let text = "
    object O: S;
    spec S { op pass() {} op open() {} }
    shared gate: bool;
    op pass() { await gate; gate = false; }
    op open() { gate = true; }";
    let mut run = Runner::new(text, &Bounds::default());
    assert_eq!(run.call(0, "pass", &[]), Outcome::Done);
    assert_eq!(blocked(run.step(0)), Blocked::Await);
    run.whole(1, "open", &[]);
    assert_eq!(run.finish(0), 2);
    assert_eq!(run.shared(), "gate = false");
}

#[test]
fn choose_without_candidates_waits() {
    let text = "
    object O: S;
    spec S { op add(v: data) {} op take() -> data? { return none; } }
    shared items: bag<data>;
    op add(v: data) { items.add(v); }
    op take() -> data? { atomic { let x = choose items; items.remove(x); return x; } }";
    let mut run = Runner::new(text, &Bounds::default());
    assert_eq!(run.call(0, "take", &[]), Outcome::Done, "the call is made, and waits");
    assert_eq!(blocked(run.step(0)), Blocked::NoCandidate);
    for value in [1, 2, 2] {
        run.whole(1, "add", &[value]);
    }
    let all = outcomes(&run.machine, &run.state, &Action::Step(ThreadId::new(0)));
    assert_eq!(all.len(), 2, "each candidate once");
    assert_eq!(run.step_picking(0, &[1]), Outcome::Done);
    assert_eq!(run.log.last().map(String::as_str), Some("t0 returns 2"));
    assert_eq!(run.shared(), "items = {1, 2}");
}

#[test]
fn no_cell_left_is_the_bound() {
    let text = "
    object O: S;
    spec S { op keep() {} }
    struct Node { next: *Node }
    shared head: *Node;
    op keep() { let n = new Node { next: head }; head = n; }";
    let mut run = Runner::new(text, &Bounds { nodes: 2, ..Bounds::default() });
    run.whole(0, "keep", &[]);
    run.whole(0, "keep", &[]);
    let why = blocked(run.call(0, "keep", &[]));
    assert!(why.by_bound());
}

#[test]
fn a_false_assume_discards() {
    let text = "
    object O: S;
    spec S { op f(v: 0..3) {} }
    shared n: 0..3;
    op f(v: 0..3) { n = v; assume v != 1; }";
    let mut run = Runner::new(text, &Bounds::default());
    run.whole(0, "f", &[0]);
    assert_eq!(run.call(0, "f", &[1]), Outcome::Discarded);
}
