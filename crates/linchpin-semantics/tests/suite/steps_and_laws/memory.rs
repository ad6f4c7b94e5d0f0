//! Cells: garbage collection, free lists, manual memory, leaks.

use crate::steps_and_laws::support::*;
use linchpin_ir::index::Index;
use linchpin_semantics::*;

#[test]
fn the_bound_counts_what_lives() {
    let text = "
    object O: S;
    spec S { op push() {} op pop() {} }
    struct Node { next: *Node }
    shared head: *Node;
    op push() { let n = new Node { next: head }; head = n; }
    op pop() { head = head.next; }";
    let mut run = Runner::new(text, &Bounds { nodes: 1, ..Bounds::default() });
    for _ in 0..5 {
        run.whole(0, "push", &[]);
        assert_eq!(run.call(1, "push", &[]), Outcome::Disabled(Blocked::NoCell));
        run.whole(0, "pop", &[]);
    }
    let mut collected = run.state.clone();
    run.machine.collect_keeping_names(&mut collected);
    assert_eq!(run.machine.cells(&collected).count(), 0);
}

#[test]
fn dead_variables_keep_nothing() {
    let text = "
    object O: S;
    spec S { op f() {} }
    struct Node { n: int }
    shared x: int;
    op f() {
        let a = new Node {};
        x = a.n;
        let b = new Node {};
        x = b.n;
        x = a.n;
    }";
    let two = Bounds { nodes: 2, ..Bounds::default() };
    assert_eq!(Runner::new(text, &two).whole(0, "f", &[]), "");
    let one = Bounds { nodes: 1, ..Bounds::default() };
    let mut run = Runner::new(text, &one);
    assert_eq!(run.call(0, "f", &[]), Outcome::Disabled(Blocked::NoCell), "`a` is used again");
    let text = text.replace("        x = a.n;\n    }", "    }");
    assert_eq!(Runner::new(&text, &one).whole(0, "f", &[]), "", "`a` is dead");
}

const POOL: &str = "
    object O: S;
    memory pool;
    spec S { op take() {} op give() {} op stamp(v: 0..9) {} op peek() -> 0..9 { return choose 0..9; } }
    struct Node { n: 0..9, m: 0..9 }
    shared a: *Node;
    shared last: *Node;
    op take() { a = new Node { m: 0 }; last = a; }
    op give() { free(a); a = null; }
    op stamp(v: 0..9) { a.n = v; }
    op peek() -> 0..9 { return last.n; }";

#[test]
fn a_pool_gives_any_free_cell_as_it_was() {
    let mut run = Runner::new(POOL, &Bounds { nodes: 2, ..Bounds::default() });
    run.whole(0, "take", &[]);
    run.whole(0, "stamp", &[7]);
    run.whole(0, "give", &[]);
    assert_eq!(run.whole(1, "peek", &[]), "7", "a freed cell may be read");
    assert_eq!(run.call(0, "take", &[]), Outcome::Done, "`new` waits for its step");
    let all = outcomes(&run.machine, &run.state, &Action::Step(ThreadId::new(0)));
    assert_eq!(all.len(), 2, "the freed cell, or one that was never used");
    assert_eq!(run.step_picking(0, &[0]), Outcome::Done);
    run.finish(0);
    assert_eq!(run.whole(1, "peek", &[]), "7", "fields that `new` does not name keep what they held");
}

#[test]
fn unreachable_cells_are_leaks() {
    let mut run = Runner::new(POOL, &Bounds { nodes: 2, ..Bounds::default() });
    run.whole(0, "take", &[]);
    assert!(run.machine.leaks(&run.state).is_empty());
    run.whole(0, "take", &[]);
    assert_eq!(run.machine.leaks(&run.state), [CellId::new(0)]);
    let mut normal = run.state.clone();
    run.machine.normalise(&mut normal);
    assert_eq!(run.machine.leaks(&normal).len(), 1, "a lost cell stays lost");
    assert_eq!(run.call(0, "take", &[]), Outcome::Done);
    assert_eq!(run.step(0), Outcome::Disabled(Blocked::NoCell), "and is not given out again");
}

#[test]
fn normal_forms_forget_cells_like_those_never_used() {
    let text = POOL.replace("memory pool;", "memory manual;");
    for (text, kept) in [(POOL, 2), (&text, 1)] {
        let mut run = Runner::new(text, &Bounds { nodes: 2, ..Bounds::default() });
        run.whole(0, "take", &[]);
        run.whole(0, "stamp", &[7]);
        run.whole(0, "give", &[]);
        assert_eq!(run.call(0, "take", &[]), Outcome::Done);
        assert_eq!(run.step_picking(0, &[1]), Outcome::Done, "one that was never used");
        run.finish(0);
        run.machine.normalise(&mut run.state);
        assert_eq!(run.machine.cells(&run.state).count(), kept, "{text}");
    }
}

#[test]
fn manual_memory_gives_defaults() {
    let text = POOL.replace("memory pool;", "memory manual;");
    let mut run = Runner::new(&text, &Bounds { nodes: 1, ..Bounds::default() });
    run.whole(0, "take", &[]);
    run.whole(0, "stamp", &[7]);
    run.whole(0, "give", &[]);
    assert_eq!(run.call(1, "peek", &[]), Outcome::Done, "reads `last`");
    assert_eq!(message(run.step(1)), "MemorySafe: `last` points to n1, which was freed");
    let mut run = Runner::new(&text, &Bounds { nodes: 1, ..Bounds::default() });
    run.whole(0, "take", &[]);
    run.whole(0, "stamp", &[7]);
    run.whole(0, "give", &[]);
    run.whole(0, "take", &[]);
    assert_eq!(run.whole(1, "peek", &[]), "0");
}

#[test]
fn arrays_on_the_heap() {
    let text = "
    object O: S;
    spec S { op grow() {} op sum() -> 0..99 { return choose 0..99; } }
    shared rows: *[int];
    init { rows = new [1; 1]; }
    op grow() { let old = rows; rows = new [2; 2 * old.len()]; }
    op sum() -> 0..99 { let r = rows; let s = 0; for i in 0..r.len() { s += r[i]; } return s; }";
    let mut run = Runner::new(text, &Bounds { nodes: 2, ..Bounds::default() });
    assert_eq!(run.whole(0, "sum", &[]), "1");
    run.whole(0, "grow", &[]);
    run.whole(0, "grow", &[]);
    run.whole(0, "grow", &[]);
    assert_eq!(run.whole(0, "sum", &[]), "16");
    run.machine.normalise(&mut run.state);
    assert_eq!(run.machine.cells(&run.state).map(|cell| cell.len).collect::<Vec<_>>(), [8]);
}

#[test]
fn a_cell_that_is_gone_takes_its_links_along() {
    let text = "
    object O: S;
    spec S { op f() -> bool { return choose bool; } }
    struct Node { n: int }
    shared head: *Node;
    op f() -> bool {
        let a = new Node {};
        head = a;
        ll(head.n);
        head = null;
        let b = new Node {};
        head = b;
        return sc(head.n, 1);
    }";
    let mut run = Runner::new(text, &Bounds { nodes: 1, ..Bounds::default() });
    assert_eq!(run.whole(0, "f", &[]), "false", "another cell, though it has the number of the first");
}
