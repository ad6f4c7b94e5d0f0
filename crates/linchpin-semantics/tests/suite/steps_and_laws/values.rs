//! Values: collections are values, hash functions are chosen once, ages count.

use crate::steps_and_laws::support::*;
use linchpin_ir::index::Index;
use linchpin_semantics::*;
use std::collections::BTreeSet;

#[test]
fn a_copied_collection_sees_no_later_change() {
    let text = "
    object O: S;
    spec S { op f() {} }
    word Box { items: seq<0..9>, tag: bool }
    shared a: seq<0..9>;
    shared b: Box;
    shared same: bool;
    shared nested: set<seq<0..9>>;
    op f() {
        a.push_back(1);
        let copy = a;
        b = Box { items: copy, tag: true };
        a.push_back(2);
        copy.push_back(3);
        nested.add(copy);
        nested.add(a);
        copy.remove_at(1);
        copy.push_back(2);
        same = copy == a;
        nested.add(copy);
    }";
    let mut run = Runner::new(text, &Bounds::default());
    assert_eq!(run.call(0, "f", &[]), Outcome::Done);
    while !run.machine.is_idle(&run.state, ThreadId::new(0)) {
        run.machine.normalise(&mut run.state);
        assert_eq!(run.step(0), Outcome::Done);
    }
    run.machine.normalise(&mut run.state);
    assert_eq!(
        run.shared(),
        "a = [1, 2], b = Box { items: [1], tag: true }, same = true, nested = {[1, 2], [1, 3]}"
    );
}

#[test]
fn results_are_self_contained() {
    let text = "
    object O: S;
    spec S { state all: seq<data>; op add(v: data) { all.push_back(v); } op scan() -> seq<data> { return all; } }
    shared all: seq<data>;
    op add(v: data) { all.push_back(v); }
    op scan() -> seq<data> { return all; }";
    let mut run = Runner::new(text, &Bounds::default());
    run.whole(0, "add", &[2]);
    run.whole(0, "add", &[1]);
    assert_eq!(run.whole(0, "scan", &[]), "[2, 1]");
}

#[test]
fn hash_functions_given_and_arbitrary() {
    let text = "
    object O: S;
    spec S { op f(v: data) -> 0..2 { return choose 0..2; } op g(v: data) -> 0..9 { return choose 0..9; } }
    hash any(x: data) -> 0..2;
    hash given(x: data) -> 0..9 = ord(x) * 2;
    shared n: int;
    op f(v: data) -> 0..2 { n = 0; return any(v); }
    op g(v: data) -> 0..9 { n = 0; return given(v); }";
    let bounds = Bounds { values: 3, ..Bounds::default() };
    let subject = machine(text, &bounds);
    let mut picks = Picks::new();
    let mut seen = BTreeSet::new();
    loop {
        picks.restart();
        let state = subject.initial(&mut picks).expect("a state");
        let mut run = Runner { machine: subject.clone(), state, log: Vec::new() };
        seen.insert((1..=3).map(|v| run.whole(0, "f", &[v])).collect::<Vec<_>>());
        assert_eq!((1..=3).map(|v| run.whole(0, "g", &[v])).collect::<Vec<_>>(), ["2", "4", "6"]);
        if !picks.advance() {
            break;
        }
    }
    assert_eq!(seen.len(), 8, "every function, once and for all");
    let any = machine(text, &Bounds { any_hashes: true, values: 1, ..Bounds::default() });
    let mut count = 0;
    picks.clear();
    loop {
        picks.restart();
        any.initial(&mut picks).expect("a state");
        count += 1;
        if !picks.advance() {
            break;
        }
    }
    assert_eq!(count, 2 * 9);
}

#[test]
fn ages_grow_or_count_modulo() {
    let text = "
    object O: S;
    spec S { op f() {} }
    word Link { x: 0..3, age: age }
    shared l: Link;
    op f() { let o = l; cas(l, o, Link { x: o.x, age: o.age + 1 }); }";
    for (ages, expected) in [(None, 3), (Some(2), 1)] {
        let mut run = Runner::new(text, &Bounds { ages, ..Bounds::default() });
        for _ in 0..3 {
            run.whole(0, "f", &[]);
        }
        assert_eq!(run.shared(), format!("l = Link {{ x: 0, age: {expected} }}"));
    }
}
