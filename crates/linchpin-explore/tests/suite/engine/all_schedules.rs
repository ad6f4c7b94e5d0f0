//! All schedules of a scope in one search, against each schedule searched by itself: the same kinds of
//! violation, after the same numbers of moves.

use crate::engine::support::{Instance, Size, Text};
use linchpin_explore::{MonitorKind, Reductions, Restriction, ViolationKind, schedules};
use linchpin_semantics::{Client, ScheduleScope};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

const KINDS: [ViolationKind; 4] = [
    ViolationKind::Inconsistent,
    ViolationKind::MemoryUnsafe,
    ViolationKind::AssertionFails,
    ViolationKind::Deadlocked,
];

type Found = BTreeMap<ViolationKind, usize>;

/// The shortest violation of each kind. A search ends where all is found; so each kind is asked for by
/// itself.
fn found(instance: &Instance, client: &Client, method: &MonitorKind, reductions: Reductions) -> Found {
    let mut found = Found::new();
    for kind in KINDS {
        let (_, summary) = instance.reduced_search(client, Some(method.clone()), &[kind], reductions, 1);
        found.extend(summary.found);
    }
    found
}

fn compare(
    text: &Text,
    size: Size,
    (steps, preadds): (RangeInclusive<u32>, u32),
    restrictions: &[Restriction],
    method: &MonitorKind,
) -> Found {
    let instance = Instance::new(text, size);
    let program = instance.machine.program();
    let Client::General(general) = instance.general() else { panic!("the general client") };
    let scope = ScheduleScope { steps: steps.clone(), preadds, restrictions: restrictions.to_vec() };
    let all = Client::schedules(program, &general, &scope).expect("there are such schedules");
    let mut expected = Found::new();
    let mut number = 0;
    for steps in steps {
        let (threads, steps) = (size.0 as usize, steps as usize);
        for schedule in schedules(program, &general, threads, steps, preadds as usize, restrictions) {
            number += 1;
            for (kind, moves) in found(&instance, &schedule.client(), method, Reductions::NONE) {
                let known = expected.entry(kind).or_insert(moves);
                *known = (*known).min(moves);
            }
        }
    }
    assert!(number > 0);
    let symmetric = Reductions { symmetry: true, ..Reductions::NONE };
    for reductions in [Reductions::NONE, symmetric] {
        assert_eq!(found(&instance, &all, method, reductions), expected, "{reductions:?}, {method:?}");
    }
    // With partial order reduction the first violation may be another one, of the same property.
    let kinds = |found: &Found| -> BTreeSet<ViolationKind> {
        found
            .keys()
            .map(|kind| if *kind == ViolationKind::Stuck { ViolationKind::Inconsistent } else { *kind })
            .collect()
    };
    let reduced = found(&instance, &all, method, Reductions::ALL);
    assert_eq!(kinds(&reduced), kinds(&expected), "{method:?}");
    expected
}

const METHODS: [MonitorKind; 4] =
    [MonitorKind::Refinement, MonitorKind::ProgramOrder, MonitorKind::Quiescence, MonitorKind::Barrier];

#[test]
fn sets() {
    for (model, steps, preadds) in [
        ("lock_free_list_original", 1..=2, 1),
        ("lock_free_list", 2..=2, 0),
        ("coarse_list", 1..=3, 1),
        ("lazy_list", 1..=2, 1),
    ] {
        for method in &METHODS {
            let found = compare(&Text::of(model), (2, 4, 2), (steps.clone(), preadds), &[], method);
            assert_eq!(found.is_empty(), model != "lock_free_list_original", "{model} {method:?}: {found:?}");
        }
    }
}

#[test]
fn queues_that_wait() {
    for (model, threads, steps, preadds) in [
        ("bounded_queue", 2, 1..=3, 1),
        ("synchronous_queue", 3, 3..=3, 0),
        ("synchronous_dual_queue", 3, 3..=3, 0),
        ("herlihy_wing_queue", 2, 2..=3, 0),
    ] {
        for method in &METHODS {
            let size = (threads, 4, 3);
            let generic = [Restriction::GenericValues];
            let found = compare(&Text::of(model), size, (steps.clone(), preadds), &generic, method);
            assert_eq!(found.is_empty(), model != "synchronous_dual_queue", "{model} {method:?}: {found:?}");
        }
    }
}

#[test]
fn priority_queues() {
    let all = Restriction::ALL;
    for method in &METHODS {
        let found = compare(&Text::of("simple_linear"), (2, 1, 3), (1..=3, 0), &all, method);
        let is_weak = matches!(method, MonitorKind::Quiescence | MonitorKind::Barrier);
        assert_eq!(found.is_empty(), is_weak, "{method:?}: {found:?}");
        let found = compare(&Text::of("simple_tree"), (2, 7, 4), (3..=3, 1), &all, method);
        assert!(!found.is_empty(), "{method:?}");
        for restrictions in [&all[..2], &[]] {
            compare(&Text::of("simple_linear"), (2, 1, 2), (1..=2, 1), restrictions, method);
        }
    }
}

/// Threads that may call different things, and a lock that is forgotten.
#[test]
fn roles_and_deadlocks() {
    let text = Text::new(
        "object Forgetful: Stack;
        role filler: 1 = push;
        role taker = pop push*;
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
    for method in &METHODS {
        for (threads, steps, preadds) in [(2, 2..=3, 0), (3, 3..=4, 1)] {
            let found = compare(&text, (threads, 1, 2), (steps, preadds), &[], method);
            assert!(found.contains_key(&ViolationKind::Deadlocked), "{method:?}: {found:?}");
        }
    }
}
