//! Long histories: legal by construction, with two results exchanged, cut off, and the event that breaks
//! them.

use crate::history_and_replay::support::sequential::Sequential;
use crate::history_and_replay::support::{naive, random, restricted, spec_machine};
use fastrand::Rng;
use linchpin_ir::index::Index;
use linchpin_ir::program::OpId;
use linchpin_ir::types::Word;
use linchpin_judge::history::{
    Budget, Consistency, Ending, Event, Explanation, History, Judgement, Limit, Strategy, Witness, examine,
    first_break, judge, linearizable,
};
use linchpin_order::stop::{Cause, Stop};
use linchpin_semantics::{SpecMachine, ThreadId};
use linchpin_testkit::large_histories::{Recipe, events, with_swapped_results};

const SPECS: [Sequential; 7] = [
    Sequential::Queue,
    Sequential::Stack,
    Sequential::Deque,
    Sequential::Set,
    Sequential::Map,
    Sequential::Register,
    Sequential::PriorityQueue,
];

fn recipe(spec: Sequential, threads: usize, calls: usize) -> Recipe {
    let args = match spec {
        Sequential::Set => |_: &mut Rng, _: usize, value: Word| vec![value],
        Sequential::Map => |rng: &mut Rng, op: usize, value: Word| {
            if op == 0 { vec![value, rng.i32(1..100)] } else { vec![value] }
        },
        Sequential::PriorityQueue => |rng: &mut Rng, op: usize, value: Word| {
            if op == 0 { vec![value, rng.i32(0..2)] } else { vec![] }
        },
        Sequential::Deque => |_: &mut Rng, op: usize, value: Word| if op < 2 { vec![value] } else { vec![] },
        Sequential::Register => {
            |_: &mut Rng, op: usize, value: Word| if op == 0 { vec![value % 3] } else { vec![] }
        }
        _ => |_: &mut Rng, op: usize, value: Word| if op == 0 { vec![value] } else { vec![] },
    };
    let values = matches!(spec, Sequential::Set | Sequential::Map).then_some(60);
    Recipe { threads, calls, pause: 3, elements: 30, values, args }
}

fn long(spec: Sequential, machine: &SpecMachine, seed: u64) -> Vec<Event> {
    events(&mut Rng::with_seed(seed), machine, &recipe(spec, 4, 3000))
}

fn history(machine: &SpecMachine, events: &[Event]) -> History {
    History::new(machine.program(), events.to_vec()).expect("well-formed by construction")
}

#[test]
fn what_is_legal_by_construction_is_legal() {
    for spec in SPECS {
        let machine = spec_machine(&spec.text());
        let whole = history(&machine, &long(spec, &machine, 1));
        for consistency in [Consistency::Linearizable, Consistency::Sequential, Consistency::Quiescent] {
            for ending in [Ending::Open, Ending::Stuck] {
                let judgement = judge(&machine, &whole, consistency, ending, Budget::default());
                let Judgement::Legal(Witness::Order(order)) = judgement.expect("no fault") else {
                    panic!("{spec:?} {consistency:?}")
                };
                assert_eq!(order.effects.len(), whole.calls().len());
            }
        }
    }
}

/// Cut off anywhere, with calls that are pending: legal still.
#[test]
fn prefixes_of_long_histories_are_legal() {
    for spec in SPECS {
        let machine = spec_machine(&spec.text());
        let events = long(spec, &machine, 2);
        for length in [1001, 2002, 4003] {
            let cut = history(&machine, &events[..length]);
            let judgement = linearizable(&machine, &cut, Budget::default()).expect("no fault");
            assert!(judgement.is_legal(), "{spec:?} {length}");
        }
    }
}

/// Two results are exchanged. The calls of the explanation have no legal order by the reference either, and
/// the history is legal up to the event that breaks it.
#[test]
fn exchanged_results_are_found() {
    // Nothing takes a priority queue apart: that it has no legal order can take for ever to see.
    for spec in SPECS.into_iter().filter(|spec| *spec != Sequential::PriorityQueue) {
        let machine = spec_machine(&spec.text());
        let mut illegal = 0;
        for (seed, start) in (0..4).zip((2000..).step_by(100)) {
            let events = long(spec, &machine, seed);
            let op = if spec == Sequential::Deque { 2 } else { 1 };
            let wrong = with_swapped_results(&events, &machine, op, start);
            let wrong = history(&machine, &wrong);
            let judgement = linearizable(&machine, &wrong, Budget::default()).expect("no fault");
            let Judgement::Illegal(why) = &judgement else {
                assert!(judgement.is_legal(), "{spec:?} {seed}");
                continue;
            };
            illegal += 1;
            check_blamed(spec, &machine, &wrong, why);
            let found = first_break(&machine, &wrong, why, Budget::default()).expect("no fault");
            let event = found.expect("within the budget").event;
            let says = |length: usize| {
                let prefix = history(&machine, &wrong.events()[..length]);
                linearizable(&machine, &prefix, Budget::default()).expect("no fault")
            };
            assert!(says(event).is_legal() && says(event + 1).is_illegal(), "{spec:?} {seed}");
        }
        assert!(illegal > 0, "{spec:?}: {illegal}");
    }
}

const LOGS: &str = "object O: Logs;
    spec Logs {
        state items: map<key, seq<data>>;
        op append(k: key, v: data) {
            let s: seq<data> = [];
            if items.contains(k) { s = items.get(k).unwrap(); }
            s.push_back(v);
            items.insert(k, s);
        }
        op get(k: key) -> seq<data> {
            if !items.contains(k) { return []; }
            return items.get(k).unwrap();
        }
        op put(k: key, v: data) { let s: seq<data> = [v]; items.insert(k, s); }
    }
    op append(k: key, v: data) {} op get(k: key) -> seq<data> { return []; } op put(k: key, v: data) {}";

/// A prefix shows calls as pending that return later. What they return later says nothing about the prefix.
#[test]
fn the_event_that_breaks_a_map_of_logs() {
    let machine = spec_machine(LOGS);
    let args = |rng: &mut Rng, op: usize, value: Word| {
        let key = rng.i32(1..4);
        match op {
            0 => vec![key, value],
            1 => vec![key],
            _ => vec![key, rng.i32(100_000..100_000_000)],
        }
    };
    let recipe = Recipe { threads: 5, calls: 900, pause: 2, elements: 40, values: None, args };
    let mut illegal = 0;
    for seed in 0..12 {
        let right = events(&mut Rng::with_seed(seed), &machine, &recipe);
        let says = |events: &[Event], strategy| {
            let (consistency, ending) = (Consistency::Linearizable, Ending::Open);
            let whole = history(&machine, events);
            examine(&machine, &whole, consistency, ending, strategy, Budget::default()).expect("no fault")
        };
        let answer = says(&right, Strategy::Apart);
        assert!(answer.verdict.is_legal() && answer.configurations == 0, "{seed}");
        let wrong = with_swapped_results(&right, &machine, 1, 400);
        let Judgement::Illegal(why) = says(&wrong, Strategy::Apart).verdict else { continue };
        let found = first_break(&machine, &history(&machine, &wrong), &why, Budget::default());
        let event = found.expect("no fault").expect("within the budget").event;
        for strategy in [Strategy::Apart, Strategy::Sweep] {
            assert!(says(&wrong[..event], strategy).verdict.is_legal(), "{seed} {strategy:?}");
            assert!(says(&wrong[..=event], strategy).verdict.is_illegal(), "{seed} {strategy:?}");
        }
        illegal += 1;
    }
    assert!(illegal > 6, "{illegal}");
}

/// A value comes out before its time: ten values that were put in before it are in its way. One pending call
/// cannot have taken them all. No pair of values shows that. The values that stay in overlap in pairs, so the
/// plain search would try every order.
#[test]
fn many_values_in_the_way_of_one() {
    let machine = spec_machine(&Sequential::Queue.text());
    let (enq, deq) = (OpId::new(0), OpId::new(1));
    let mut calls: Vec<(OpId, Word)> = (1..=40).map(|value| (enq, value)).collect();
    for value in (1..1400).step_by(2) {
        calls.extend([(enq, value + 40), (enq, value + 41), (deq, value), (deq, value + 1)]);
    }
    let mut events = Vec::new();
    let exchanged = |value: Word| if value == 701 || value == 711 { 1412 - value } else { value };
    for (at, &(op, value)) in calls.iter().enumerate() {
        let thread = |at: usize| ThreadId::new(at % 3);
        let args = if op == enq { vec![value] } else { Vec::new() };
        events.push(Event::Call { thread: thread(at), op, args });
        // Each call returns after the next one was made.
        if let Some(before) = at.checked_sub(1) {
            let (op, value) = calls[before];
            let result = if op == deq { vec![exchanged(value)] } else { Vec::new() };
            events.push(Event::Return { thread: thread(before), result });
        }
    }
    let whole = history(&machine, &events);
    let budget = Budget { configurations: 100_000, ..Budget::default() };
    let Judgement::Illegal(why) = linearizable(&machine, &whole, budget).expect("no fault") else {
        panic!("711 comes out ten places too early")
    };
    let found = first_break(&machine, &whole, &why, budget).expect("no fault").expect("within the budget");
    let Event::Return { result, .. } = &whole.events()[found.event] else { panic!("a return breaks it") };
    assert_eq!(result[..], [711]);
    check_blamed(Sequential::Queue, &machine, &whole, &found.explanation);
}

fn check_blamed(spec: Sequential, machine: &SpecMachine, whole: &History, why: &Explanation) {
    let Explanation::NoOrder { among: Some(calls), .. } = why else { return };
    if calls.len() > 7 {
        return;
    }
    let blamed = restricted(machine.program(), whole, calls);
    let is_legal = naive::is_legal(spec, &blamed, Consistency::Linearizable, Ending::Open);
    assert!(!is_legal, "{spec:?} {:#?}", blamed.events());
}

/// The first prefix that no permutation explains, for small histories.
#[test]
fn the_event_that_breaks_a_history() {
    let mut found = 0;
    for spec in [Sequential::Queue, Sequential::Stack, Sequential::Set, Sequential::Register] {
        let machine = spec_machine(&spec.text());
        for seed in 0..150 {
            let mut rng = Rng::with_seed(seed + 30_000);
            let whole = random::history(&mut rng, machine.program(), spec, 3, 6, 4);
            let naive_says = |length: usize| {
                let prefix = history(&machine, &whole.events()[..length]);
                naive::is_legal(spec, &prefix, Consistency::Linearizable, Ending::Open)
            };
            let length = whole.events().len();
            let Some(expected) = (1..=length).find(|&length| !naive_says(length)) else { continue };
            for strategy in [Strategy::Whole, Strategy::ApartAlways] {
                let (consistency, ending) = (Consistency::Linearizable, Ending::Open);
                let answer = examine(&machine, &whole, consistency, ending, strategy, Budget::default());
                let Judgement::Illegal(why) = answer.expect("no fault").verdict else {
                    panic!("{spec:?} {seed}")
                };
                let broken = first_break(&machine, &whole, &why, Budget::default()).expect("no fault");
                assert_eq!(broken.map(|found| found.event + 1), Some(expected), "{spec:?} {seed}");
            }
            found += 1;
        }
    }
    assert!(found > 100, "only {found} were illegal: the test says little");
}

/// A request to stop ends the judgement of a long history.
#[test]
fn a_judgement_can_be_stopped() {
    let machine = spec_machine(&Sequential::Register.text());
    let whole = history(&machine, &long(Sequential::Register, &machine, 1));
    let stop = Stop::default();
    stop.ask(Cause::Interrupted);
    let budget = Budget { stop: Some(&stop), ..Budget::default() };
    let judgement = linearizable(&machine, &whole, budget).expect("no fault");
    assert!(matches!(judgement, Judgement::Unknown(out) if out.limit == Limit::Stopped), "{judgement:?}");
}
