//! Histories by hand: which sequences of events are histories, and why an illegal history is illegal.

use crate::history_and_replay::support::sequential::Sequential;
use crate::history_and_replay::support::{op, program, spec_machine};
use linchpin_ir::index::Index;
use linchpin_ir::types::{NONE, UNDEFINED, Word};
use linchpin_judge::history::{
    Broken, Budget, CallId, DeadEnd, Event, Explanation, History, Judgement, Reason, Way, Witness,
    linearizable, quiescently_consistent, sequentially_consistent, stuck,
};
use linchpin_semantics::{SpecMachine, ThreadId, Value};

/// A history by its events: `(0, "enq", [1])` is a call of thread 0, `(0, "", [1])` a return.
fn history(spec: &SpecMachine, events: &[(usize, &str, &[Word])]) -> History {
    History::new(spec.program(), list(spec, events)).expect("a history")
}

fn list(spec: &SpecMachine, events: &[(usize, &str, &[Word])]) -> Vec<Event> {
    let event = |&(thread, name, words): &(usize, &str, &[Word])| {
        let thread = ThreadId::new(thread);
        match name {
            "" => Event::Return { thread, result: words.to_vec() },
            name => Event::Call { thread, op: op(spec.program(), name), args: words.to_vec() },
        }
    };
    events.iter().map(event).collect()
}

fn explanation(judgement: Judgement) -> Explanation {
    match judgement {
        Judgement::Illegal(explanation) => explanation,
        other => panic!("{other:?}"),
    }
}

fn only_dead_end(judgement: Judgement) -> DeadEnd {
    match explanation(judgement) {
        Explanation::NoOrder { mut dead_ends, omitted: 0, .. } if dead_ends.len() == 1 => dead_ends.remove(0),
        other => panic!("{other:?}"),
    }
}

fn calls(ids: &[usize]) -> Vec<CallId> {
    ids.iter().map(|&id| CallId::new(id)).collect()
}

#[test]
fn malformed_events_are_refused() {
    let spec = spec_machine(&Sequential::Queue.text());
    for (events, event, text) in [
        (&[(0, "", &[][..])][..], 0, "event 1: t0 returns, but it has no pending call"),
        (
            &[(1, "enq", &[1]), (1, "deq", &[])],
            1,
            "event 2: t1 makes a call while its call of `enq` is pending",
        ),
        (
            &[(1, "enq", &[1]), (1, "", &[]), (1, "", &[])],
            2,
            "event 3: t1 returns, but it has no pending call",
        ),
        (&[(0, "enq", &[])], 0, "event 1: t0 calls `enq` with invalid arguments"),
        (&[(0, "enq", &[UNDEFINED])], 0, "event 1: t0 calls `enq` with invalid arguments"),
        (&[(0, "deq", &[]), (0, "", &[])], 1, "event 2: t0 returns from `deq` with an invalid result"),
        (&[(0, "enq", &[1]), (0, "", &[1])], 1, "event 2: t0 returns from `enq` with an invalid result"),
    ] {
        let refused = History::new(spec.program(), list(&spec, events)).expect_err(text);
        assert_eq!((refused.event, refused.to_string()), (event, text.into()));
    }
    let beyond = Event::Call { thread: ThreadId::new(0), op: Index::new(7), args: Vec::new() };
    let refused = History::new(spec.program(), vec![beyond]).expect_err("there are two operations");
    assert_eq!(refused.reason, Reason::UnknownOperation);
    assert_eq!(refused.to_string(), "event 1: t0 calls an unknown operation");
}

#[test]
fn the_longest_prefix_and_what_breaks_it() {
    let spec = spec_machine(&Sequential::Queue.text());
    let wrong_order = history(
        &spec,
        &[(0, "enq", &[1]), (0, "", &[]), (1, "enq", &[2]), (1, "", &[]), (0, "deq", &[]), (0, "", &[2])],
    );
    let end = only_dead_end(linearizable(&spec, &wrong_order, Budget::default()).expect("no fault"));
    let order: Vec<_> = end.order.effects.iter().map(|effect| effect.calls.clone()).collect();
    assert_eq!(order, [calls(&[0]), calls(&[1])]);
    assert_eq!(end.ways, [Way { calls: calls(&[2]), broken: Broken::Results(vec![vec![vec![1]]]) }]);
    let items = Value::List(vec![Value::Number(1), Value::Number(2)]);
    assert_eq!(spec.values(&end.order.state), [("items".into(), items)]);
}

/// A pending call may have taken effect: both possibilities are dead ends, the shorter one first.
#[test]
fn pending_calls_give_more_ways() {
    let spec = spec_machine(&Sequential::Stack.text());
    let history = history(&spec, &[(0, "push", &[1]), (1, "pop", &[]), (1, "", &[2])]);
    let Explanation::NoOrder { dead_ends, omitted: 0, .. } =
        explanation(linearizable(&spec, &history, Budget::default()).expect("no fault"))
    else {
        panic!("no order is legal")
    };
    let shown: Vec<_> = dead_ends.iter().map(|end| (end.order.effects.len(), end.ways.clone())).collect();
    let pop =
        |result: Word| vec![Way { calls: calls(&[1]), broken: Broken::Results(vec![vec![vec![result]]]) }];
    assert_eq!(shown, [(0, pop(NONE)), (1, pop(1))]);
}

#[test]
fn a_call_that_is_not_enabled() {
    let spec = spec_machine(&Sequential::Bounded(1).text());
    let history = history(
        &spec,
        &[(0, "enq", &[1]), (0, "", &[]), (0, "enq", &[2]), (0, "", &[]), (0, "deq", &[]), (0, "", &[1])],
    );
    let end = only_dead_end(linearizable(&spec, &history, Budget::default()).expect("no fault"));
    assert_eq!(end.ways, [Way { calls: calls(&[1]), broken: Broken::NotEnabled }]);
}

#[test]
fn a_rendezvous_needs_a_partner_in_time() {
    let spec = spec_machine(&Sequential::Synchronous.text());
    let met = history(&spec, &[(0, "enq", &[1]), (1, "deq", &[]), (0, "", &[]), (1, "", &[1])]);
    let Judgement::Legal(Witness::Order(order)) =
        linearizable(&spec, &met, Budget::default()).expect("no fault")
    else {
        panic!("they meet")
    };
    assert_eq!(order.effects[0].calls, calls(&[0, 1]));
    assert_eq!(order.effects[0].results, [vec![], vec![1]]);

    let missed = history(&spec, &[(0, "enq", &[1]), (0, "", &[]), (1, "deq", &[]), (1, "", &[1])]);
    let end = only_dead_end(linearizable(&spec, &missed, Budget::default()).expect("no fault"));
    assert_eq!(end.ways, [Way { calls: calls(&[0]), broken: Broken::NoPartner }]);
    // In another order they could have met.
    assert!(sequentially_consistent(&spec, &missed, Budget::default()).expect("no fault").is_legal());

    let other = history(&spec, &[(0, "enq", &[1]), (1, "deq", &[]), (0, "", &[]), (1, "", &[2])]);
    let end = only_dead_end(linearizable(&spec, &other, Budget::default()).expect("no fault"));
    let given = Broken::Results(vec![vec![vec![], vec![1]]]);
    assert_eq!(end.ways, [Way { calls: calls(&[0, 1]), broken: given }]);
}

/// A thread does not meet itself, whatever the order of its calls.
#[test]
fn a_rendezvous_is_one_of_two_threads() {
    let spec = spec_machine(&Sequential::Synchronous.text());
    let alone = history(&spec, &[(0, "enq", &[1]), (0, "", &[]), (0, "deq", &[]), (0, "", &[1])]);
    assert!(quiescently_consistent(&spec, &alone, Budget::default()).expect("no fault").is_illegal());
    assert!(sequentially_consistent(&spec, &alone, Budget::default()).expect("no fault").is_illegal());
}

#[test]
fn what_may_wait_for_ever() {
    let spec = spec_machine(&Sequential::Bounded(1).text());
    let full = history(&spec, &[(0, "enq", &[1]), (0, "", &[]), (0, "enq", &[2])]);
    assert!(stuck(&spec, &full, Budget::default()).expect("no fault").is_legal());

    let not_empty = history(&spec, &[(0, "enq", &[1]), (0, "", &[]), (1, "deq", &[])]);
    assert!(linearizable(&spec, &not_empty, Budget::default()).expect("no fault").is_legal());
    let Explanation::Unjustified { call, ends, omitted: 0 } =
        explanation(stuck(&spec, &not_empty, Budget::default()).expect("no fault"))
    else {
        panic!("the completed calls have a legal order")
    };
    assert_eq!(call, CallId::new(1));
    assert_eq!(ends.len(), 1);
    assert_eq!(ends[0].results, [vec![1]]);

    // Each is justified by itself: an `enq` by a full queue, and a `deq` by none that is left for it.
    let both = history(&spec, &[(0, "enq", &[1]), (0, "", &[]), (0, "enq", &[2]), (1, "deq", &[])]);
    let Explanation::Unjustified { call, .. } =
        explanation(stuck(&spec, &both, Budget::default()).expect("no fault"))
    else {
        panic!("`deq` could happen")
    };
    assert_eq!(call, CallId::new(2));
}

/// By themselves both would have to wait; side by side they meet.
#[test]
fn who_could_meet_does_not_wait() {
    let spec = spec_machine(&Sequential::Synchronous.text());
    let alone = history(&spec, &[(0, "enq", &[1]), (1, "enq", &[2])]);
    assert!(stuck(&spec, &alone, Budget::default()).expect("no fault").is_legal());
    let both = history(&spec, &[(0, "enq", &[1]), (1, "deq", &[])]);
    let Explanation::Unjustified { call, ends, .. } =
        explanation(stuck(&spec, &both, Budget::default()).expect("no fault"))
    else {
        panic!("nothing was completed, so that has an order")
    };
    assert_eq!((call, ends[0].results.as_slice()), (CallId::new(0), &[vec![]][..]));
}

/// The two weaker properties differ from linearizability and from each other.
#[test]
fn three_properties() {
    let spec = spec_machine(&Sequential::Queue.text());
    let says = |events: &[(usize, &str, &[Word])]| {
        let history = history(&spec, events);
        let budget = Budget::default();
        [
            linearizable(&spec, &history, budget).expect("no fault").is_legal(),
            sequentially_consistent(&spec, &history, budget).expect("no fault").is_legal(),
            quiescently_consistent(&spec, &history, budget).expect("no fault").is_legal(),
        ]
    };
    // t1's call came second in time, and first in effect.
    let late: &[(usize, &str, &[Word])] =
        &[(0, "enq", &[1]), (0, "", &[]), (1, "enq", &[2]), (1, "", &[]), (0, "deq", &[]), (0, "", &[2])];
    assert_eq!(says(late), [false, true, false]);
    // t0's own calls change places, while t1's call keeps the object busy.
    let busy: &[(usize, &str, &[Word])] = &[
        (1, "enq", &[3]),
        (0, "enq", &[1]),
        (0, "", &[]),
        (0, "enq", &[2]),
        (0, "", &[]),
        (1, "", &[]),
        (0, "deq", &[]),
        (0, "", &[2]),
        (0, "deq", &[]),
        (0, "", &[1]),
        (0, "deq", &[]),
        (0, "", &[3]),
    ];
    assert_eq!(says(busy), [false, false, true]);
}

/// An operation of an object may say `T?` where its specification says `T`; `none` never fits.
#[test]
fn an_optional_result_for_a_plain_one() {
    let spec = spec_machine(&Sequential::Tokens.text());
    let given = history(&spec, &[(0, "give", &[2]), (0, "", &[]), (0, "take", &[]), (0, "", &[1, 2, 0])]);
    assert!(linearizable(&spec, &given, Budget::default()).expect("no fault").is_legal());
    let none = [0, UNDEFINED, 0];
    let absent = list(&spec, &[(0, "give", &[2]), (0, "", &[]), (0, "take", &[]), (0, "", &none)]);
    let absent = History::new(spec.program(), absent).expect("`none` is a value");
    let end = only_dead_end(linearizable(&spec, &absent, Budget::default()).expect("no fault"));
    assert_eq!(end.ways[0].broken, Broken::Results(vec![vec![vec![1, 2, 0]]]));
}

#[test]
fn the_fault_of_a_specification_is_told() {
    let text = "object O: Broken; spec Broken { state items: seq<data>; op take() -> data { return items.pop_front(); } }
        op take() -> data? { return none; }";
    let spec = spec_machine(text);
    let once = history(&spec, &[(0, "take", &[]), (0, "", &[1])]);
    assert!(linearizable(&spec, &once, Budget::default()).is_err());
    assert_eq!(program(text).ops.len(), 1);
}
