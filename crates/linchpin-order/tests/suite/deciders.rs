//! The log-linear deciders against the search: on every small history, and on larger random ones.
//!
//! The search itself is compared with every permutation of the calls in `agreement`. The deciders are asked
//! alone here. A decider that has no answer fails the test, since a confirmed answer is never wrong.

use crate::brute_force::{ObjectHistory, is_legal, is_order};
use crate::objects::{Object, Op, Structured};
use crate::random::{Recipe, history};
use fastrand::Rng;
use linchpin_order::{
    Budget, Consistency, Ending, Event, Explanation, History, Strategy, Verdict, Witness, examine,
};
use std::collections::BTreeSet;

const UNAMBIGUOUS: [Object; 5] =
    [Object::Register, Object::Queue, Object::Stack, Object::Bag, Object::PriorityQueue];

/// Judges a history with a decider alone and with the search alone, and compares.
fn compare(object: Object, history: &ObjectHistory, is_small: bool, counts: &mut [usize; 2]) {
    let judge = |strategy| {
        let (consistency, ending) = (Consistency::Linearizable, Ending::Open);
        let Ok(answer) =
            examine(&Structured(object), history, consistency, ending, strategy, Budget::default());
        answer.verdict
    };
    let decided = judge(Strategy::Deciders);
    let expected = if is_small {
        is_legal(object, history, Consistency::Linearizable, Ending::Open)
    } else {
        judge(Strategy::Whole).is_legal()
    };
    counts[usize::from(expected)] += 1;
    match decided {
        Verdict::Legal(Witness::Order(order)) => {
            assert!(expected, "{object:?}: {history:?}");
            let effects: Vec<_> = order.effects.iter().map(|effect| effect.calls.clone()).collect();
            assert!(
                is_order(object, history, Consistency::Linearizable, &effects),
                "{object:?}: {history:?}"
            );
        }
        Verdict::Illegal(Explanation::NoOrder { .. }) => assert!(!expected, "{object:?}: {history:?}"),
        // The decider of a switch leaves violations to the search.
        Verdict::Unknown(_) if object == Object::Set && !expected => {}
        other => panic!("{object:?}: {other:?} for {history:?}"),
    }
}

/// A call with its result; `None`: pending.
type Kind = (Op, Option<Option<u8>>);

/// Returns the kinds of calls of a history with some values: completed and pending.
fn kinds(object: Object, values: u8) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for value in 1..=values {
        match object {
            Object::Set => {
                kinds.extend([Some(None), Some(Some(value)), None].map(|result| (Op::Put(value), result)));
                kinds.extend([Some(None), Some(Some(value)), None].map(|result| (Op::Take(value), result)));
                kinds.extend([Some(None), Some(Some(value))].map(|result| (Op::Look(value), result)));
            }
            _ => {
                kinds.extend([Some(None), None].map(|result| (Op::Put(value), result)));
                kinds.push((Op::Take(0), Some(Some(value))));
            }
        }
    }
    if object != Object::Set {
        kinds.push((Op::Take(0), Some(None)));
        kinds.push((Op::Take(0), None));
    }
    kinds
}

/// Visits every history of exactly `calls` calls of these kinds in which no value is put twice, except in a
/// set. Values are put in the order of their numbers if only equality matters.
fn every_history(object: Object, kinds: &[Kind], calls: usize, visit: &mut impl FnMut(&ObjectHistory)) {
    fn extend(
        object: Object,
        kinds: &[Kind],
        left: usize,
        events: &mut Vec<Event<Op, Option<u8>>>,
        open: &mut Vec<(usize, Option<u8>)>,
        put: &mut BTreeSet<u8>,
        visit: &mut impl FnMut(&ObjectHistory),
    ) {
        if left == 0 && open.is_empty() {
            visit(&History::from_events(events.iter().cloned()).expect("well-formed"));
            return;
        }
        for at in 0..open.len() {
            let (thread, result) = open.remove(at);
            events.push(Event::Return { thread, result });
            extend(object, kinds, left, events, open, put, visit);
            events.pop();
            open.insert(at, (thread, result));
        }
        if left == 0 {
            return;
        }
        for &(op, result) in kinds {
            let is_new = match op {
                Op::Put(value) if object != Object::Set => {
                    let is_first = object == Object::PriorityQueue || (1..value).all(|v| put.contains(&v));
                    if !is_first || !put.insert(value) {
                        continue;
                    }
                    Some(value)
                }
                _ => None,
            };
            events.push(Event::Call { thread: left, op });
            if let Some(result) = result {
                open.push((left, result));
            }
            extend(object, kinds, left - 1, events, open, put, visit);
            if result.is_some() {
                open.pop();
            }
            events.pop();
            if let Some(value) = is_new {
                put.remove(&value);
            }
        }
    }
    extend(object, kinds, calls, &mut Vec::new(), &mut Vec::new(), &mut BTreeSet::new(), visit);
}

/// Every history of up to four calls, with two values; five calls in a long run. A set has one key.
#[test]
fn deciders_agree_with_brute_force() {
    let most = if is_long() { 5 } else { 4 };
    for object in UNAMBIGUOUS.into_iter().chain([Object::Set]) {
        let kinds = kinds(object, if object == Object::Set { 1 } else { 2 });
        let mut counts = [0, 0];
        for calls in 1..=most {
            every_history(object, &kinds, calls, &mut |history| compare(object, history, true, &mut counts));
        }
        eprintln!("{object:?}: {counts:?}");
        assert!(counts.iter().all(|count| *count > 500), "{object:?}: {counts:?}");
    }
}

/// Random histories, most of them with a changed result. Values differ, except in a set.
#[test]
fn deciders_agree_with_the_search() {
    let mut rng = Rng::with_seed(77);
    let rounds = if is_long() { 60_000 } else { 3_000 };
    for object in UNAMBIGUOUS.into_iter().chain([Object::Set]) {
        let mut counts = [0, 0];
        for _ in 0..rounds {
            let calls = rng.usize(4..16);
            let values = if object == Object::Set { 1 } else { 200 };
            let has_look = matches!(object, Object::Set | Object::Register);
            let threads = rng.usize(2..6);
            let recipe = Recipe { object, threads, calls, values, has_look, is_changed: rng.u8(0..3) > 0 };
            let history = history(&mut rng, &recipe);
            if object == Object::Set || is_unambiguous(object, &history) {
                compare(object, &history, false, &mut counts);
            }
        }
        eprintln!("{object:?}: {counts:?}");
        assert!(counts.iter().all(|count| *count > 100), "{object:?}: {counts:?}");
    }
}

fn is_unambiguous(object: Object, history: &ObjectHistory) -> bool {
    let mut put = BTreeSet::new();
    history.calls().iter().all(|call| match call.op {
        // A put has no result of its own.
        Op::Put(value) => put.insert(value) && call.returned.as_ref().is_none_or(|r| r.result.is_none()),
        Op::Take(_) => true,
        Op::Look(_) => object == Object::Register,
    })
}

fn is_long() -> bool {
    std::env::var_os("LINCHPIN_LONG_TESTS").is_some()
}
