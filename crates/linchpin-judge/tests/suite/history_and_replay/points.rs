//! The reference monitor for linearization points: by hand, and against the judgement of histories.

use crate::history_and_replay::support::random;
use crate::history_and_replay::support::sequential::Sequential;
use crate::history_and_replay::support::{op, spec_machine};
use linchpin_ir::index::Index;
use linchpin_ir::types::{NONE, Word};
use linchpin_judge::history::{
    Budget, Event, History, NoPoints, PointError, PointEvent, PointMonitor, Refutation, linearizable, stuck,
};
use linchpin_semantics::{SpecMachine, ThreadId};

/// A queue with points in both operations.
const ANNOTATED: &str = "object O: Queue; shared x: bool;
    op enq(v: data) { x = true; lin; } op deq() -> data? { x = false; lin; return none; }";

/// A queue whose `deq` is free.
const HALF: &str = "object O: Queue; shared x: bool;
    op enq(v: data) { x = true; lin; } op deq() -> data? { x = false; return none; }";

const BOUNDED: &str = "object O: BoundedQueue(1); shared x: bool;
    op enq(v: data) { x = true; lin; } op deq() -> data? { x = false; lin; return none; }";

#[derive(Clone, Copy)]
enum Do<'a> {
    Call(usize, &'a str, &'a [Word]),
    Lin(usize),
    Maybe(usize),
    Return(usize, &'a [Word]),
}
use Do::*;

fn event(spec: &SpecMachine, what: Do) -> PointEvent {
    match what {
        Call(thread, name, args) => PointEvent::Client(Event::Call {
            thread: ThreadId::new(thread),
            op: op(spec.program(), name),
            args: args.to_vec(),
        }),
        Lin(thread) => PointEvent::Lin { thread: ThreadId::new(thread), maybe: false },
        Maybe(thread) => PointEvent::Lin { thread: ThreadId::new(thread), maybe: true },
        Return(thread, result) => {
            PointEvent::Client(Event::Return { thread: ThreadId::new(thread), result: result.to_vec() })
        }
    }
}

/// The refutation, if the events refute the points.
fn refutation(text: &str, events: &[Do]) -> Option<Refutation> {
    let spec = spec_machine(text);
    let mut monitor = PointMonitor::new(&spec).expect("points");
    events.iter().find_map(|&what| monitor.feed(&event(&spec, what)).expect("no fault"))
}

/// The number of the event and the reason.
fn reason(text: &str, events: &[Do]) -> Option<(usize, PointError)> {
    refutation(text, events).map(|refutation| (refutation.event, refutation.reason))
}

#[test]
fn points_in_order() {
    let fine = [
        Call(0, "enq", &[1]),
        Call(1, "enq", &[2]),
        Lin(1),
        Call(2, "deq", &[]),
        Lin(2),
        Lin(0),
        Return(0, &[]),
        Return(2, &[2]),
        Return(1, &[]),
    ];
    assert_eq!(reason(ANNOTATED, &fine), None);
}

#[test]
fn no_point_before_the_return() {
    let events = [Call(0, "enq", &[1]), Return(0, &[])];
    assert_eq!(reason(ANNOTATED, &events), Some((1, PointError::NoPoint)));
}

#[test]
fn two_points() {
    let events = [Call(0, "enq", &[1]), Lin(0), Lin(0)];
    assert_eq!(reason(ANNOTATED, &events), Some((2, PointError::SecondPoint)));
}

#[test]
fn another_result() {
    let events = [Call(0, "enq", &[1]), Lin(0), Call(1, "deq", &[]), Lin(1), Return(1, &[NONE])];
    let expected = PointError::ResultDiffers { given: vec![vec![1]], returned: vec![NONE] };
    let refutation = refutation(ANNOTATED, &events).expect("1 was there");
    assert_eq!((refutation.event, refutation.reason), (4, expected));
    assert_eq!(refutation.thread, ThreadId::new(1));
    assert_eq!(refutation.before.len(), 1);
    assert!(refutation.call.is_some());
}

#[test]
fn not_enabled() {
    let events = [Call(0, "enq", &[1]), Lin(0), Call(1, "enq", &[2]), Lin(1)];
    assert_eq!(reason(BOUNDED, &events), Some((3, PointError::NotEnabled)));
}

#[test]
fn a_point_without_a_call() {
    assert_eq!(reason(ANNOTATED, &[Lin(1)]), Some((0, PointError::NoCall)));
    assert_eq!(reason(ANNOTATED, &[Maybe(1)]), None);
}

#[test]
fn maybe_keeps_both_possibilities() {
    let begin = [Call(0, "enq", &[1]), Maybe(0), Call(1, "deq", &[]), Lin(1)];
    for result in [&[1][..], &[NONE]] {
        assert_eq!(reason(ANNOTATED, &[&begin[..], &[Return(1, result)]].concat()), None);
    }
    // What was seen decides: once the value was taken, the point has been passed.
    let taken = [&begin[..], &[Return(1, &[1]), Lin(0)]].concat();
    assert_eq!(reason(ANNOTATED, &taken), Some((5, PointError::SecondPoint)));
    let not_taken = [&begin[..], &[Return(1, &[NONE]), Return(0, &[])]].concat();
    assert_eq!(reason(ANNOTATED, &not_taken), Some((5, PointError::NoPoint)));
    // A second `maybe` is not a second effect.
    let again = [Call(0, "enq", &[1]), Maybe(0), Maybe(0), Return(0, &[])];
    assert_eq!(reason(ANNOTATED, &again), None);
}

/// A call without `lin` may take effect at any moment between its call and its return, in another's step too.
#[test]
fn free_calls() {
    let around = [Call(1, "deq", &[]), Call(0, "enq", &[1]), Lin(0), Call(2, "enq", &[2]), Lin(2)];
    for result in [&[NONE][..], &[1]] {
        assert_eq!(reason(HALF, &[&around[..], &[Return(1, result)]].concat()), None);
    }
    let expected = PointError::ResultDiffers { given: vec![vec![NONE], vec![1]], returned: vec![2] };
    assert_eq!(reason(HALF, &[&around[..], &[Return(1, &[2])]].concat()), Some((5, expected)));
    // Just before another's point, just after it, and between two.
    let begin = [Call(1, "deq", &[]), Call(0, "enq", &[1]), Call(2, "enq", &[2])];
    for (points, result) in [(&[Lin(0)][..], NONE), (&[Lin(0)], 1), (&[Lin(2), Lin(0)], 2)] {
        assert_eq!(reason(HALF, &[&begin[..], points, &[Return(1, &[result])]].concat()), None);
    }
    let late = [Call(0, "enq", &[1]), Lin(0), Call(1, "deq", &[]), Return(1, &[NONE])];
    assert!(reason(HALF, &late).is_some());
}

#[test]
fn no_points_where_calls_meet() {
    let spec = spec_machine(&Sequential::Synchronous.text());
    assert_eq!(PointMonitor::new(&spec).err(), Some(NoPoints::Rendezvous));
}

/// Where every call is free, right points are linearizability, and what may wait is what a stuck history may
/// leave.
#[test]
fn all_free_is_linearizability() {
    let (mut refuted, mut accepted, mut cannot_wait, mut can_wait) = (0, 0, 0, 0);
    for spec in Sequential::ALL {
        let machine = spec_machine(&spec.text());
        if machine.program().spec.has_rendezvous {
            continue;
        }
        assert!(machine.program().ops.iter().all(|op| op.free_point));
        for seed in 0..300 {
            let mut rng = fastrand::Rng::with_seed(seed + 30_000);
            let (threads, calls) = (rng.usize(2..=4), rng.usize(1..=8));
            let history = random::history(&mut rng, machine.program(), spec, threads, calls, 8);
            let mut monitor = PointMonitor::new(&machine).expect("points");
            let refutes =
                |event: &Event| monitor.feed(&PointEvent::Client(event.clone())).expect("no fault").is_some();
            let is_refuted = history.events().iter().any(refutes);
            let judgement = linearizable(&machine, &history, Budget::default()).expect("no fault");
            assert_eq!(is_refuted, judgement.is_illegal(), "{spec:?} {seed}");
            if is_refuted {
                refuted += 1;
                continue;
            }
            accepted += 1;
            let may_wait = monitor.cannot_wait().expect("no fault").is_none();
            assert_eq!(
                may_wait,
                stuck(&machine, &history, Budget::default()).expect("no fault").is_legal(),
                "{spec:?} {seed}"
            );
            *if may_wait { &mut can_wait } else { &mut cannot_wait } += 1;
        }
    }
    assert!(refuted > 500 && accepted > 500 && cannot_wait > 200 && can_wait > 200);
}

/// Where every call has exactly one point, the points are right iff the results are those of the calls in
/// their order.
#[test]
fn all_annotated_is_a_sequential_execution() {
    let spec = spec_machine(ANNOTATED);
    let mut accepted = 0;
    for seed in 0..600 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut waiting: Vec<Option<(bool, Word, Option<Word>)>> = vec![None; 3];
        let (mut queue, mut events) = (std::collections::VecDeque::new(), Vec::new());
        let mut right = true;
        for _ in 0..24 {
            let thread = rng.usize(..3);
            match waiting[thread] {
                None => {
                    let (is_enq, value) = (rng.bool(), rng.i32(1..=2));
                    let args = if is_enq { vec![value] } else { vec![] };
                    let name = if is_enq { "enq" } else { "deq" };
                    events.push(event(&spec, Call(thread, name, &args)));
                    waiting[thread] = Some((is_enq, value, None));
                }
                Some((is_enq, value, None)) => {
                    let result = if is_enq {
                        queue.push_back(value);
                        0
                    } else {
                        queue.pop_front().unwrap_or(NONE)
                    };
                    events.push(event(&spec, Lin(thread)));
                    waiting[thread] = Some((is_enq, value, Some(result)));
                }
                Some((is_enq, _, Some(result))) => {
                    let said = if rng.u32(..6) == 0 { rng.i32(1..=2) } else { result };
                    right &= is_enq || said == result;
                    let words = if is_enq { vec![] } else { vec![said] };
                    events.push(event(&spec, Return(thread, &words)));
                    waiting[thread] = None;
                }
            }
        }
        let mut monitor = PointMonitor::new(&spec).expect("points");
        let is_refuted = events.iter().any(|event| monitor.feed(event).expect("no fault").is_some());
        assert_eq!(is_refuted, !right, "{seed}");
        accepted += u32::from(right);
        // Right points are a linearization.
        let client = events.into_iter().filter_map(|event| match event {
            PointEvent::Client(event) => Some(event),
            PointEvent::Lin { .. } => None,
        });
        let history = History::new(spec.program(), client.collect()).expect("a history");
        assert!(
            !right || linearizable(&spec, &history, Budget::default()).expect("no fault").is_legal(),
            "{seed}"
        );
    }
    assert!((100..500).contains(&accepted), "{accepted}");
}
