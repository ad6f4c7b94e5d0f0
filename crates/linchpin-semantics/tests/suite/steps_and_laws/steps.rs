//! The extent of a step, what a call includes, and what other threads see.

use crate::steps_and_laws::support::*;
use linchpin_ir::index::Index;
use linchpin_semantics::*;

const STACK: &str = "
object TreiberStack: Stack;
struct Node { val: data, next: *Node }
shared head: *Node = null;
op push(v: data) {
    let n = new Node { val: v, next: null };
    loop {
        let top = head;
        n.next = top;
        if cas(head, top, n) { lin; return; }
    }
}
op pop() -> data? {
    loop {
        let top = head;
        lin if top == null;
        if top == null { return none; }
        let next = top.next;
        let v = top.val;
        if cas(head, top, next) { lin; return v; }
    }
}";

#[test]
fn a_call_takes_its_first_access_along() {
    let mut run = Runner::new(STACK, &Bounds::default());
    assert_eq!(run.call(0, "push", &[1]), Outcome::Done);
    assert_eq!(run.log, ["t0 push(1)"]);
    assert_eq!(run.shared(), "head = null");
    assert_eq!(run.step(0), Outcome::Done);
    assert_eq!(run.log, ["t0 push(1)", "t0 takes effect", "t0 returns"]);
    assert_eq!(run.shared(), "head = n1");
    assert_eq!(run.whole(1, "pop", &[]), "1");
    assert_eq!(run.whole(1, "pop", &[]), "none");
}

#[test]
fn a_failed_cas_begins_again() {
    let mut run = Runner::new(STACK, &Bounds::default());
    assert_eq!(run.call(0, "push", &[1]), Outcome::Done);
    run.whole(1, "push", &[2]);
    assert_eq!(run.step(0), Outcome::Done);
    assert!(!run.machine.is_idle(&run.state, ThreadId::new(0)), "the cas saw the other push");
    assert_eq!(run.finish(0), 2);
    assert_eq!(run.whole(0, "pop", &[]), "1");
    assert_eq!(run.whole(0, "pop", &[]), "2");
}

#[test]
fn dead_locals_are_forgotten_and_live_ones_are_shown() {
    let mut run = Runner::new(STACK, &Bounds::default());
    run.whole(0, "push", &[1]);
    let shown = |run: &Runner| -> Vec<String> {
        let frames = run.machine.frames(&run.state, ThreadId::new(1));
        let locals = &run.machine.program().methods[frames[0].method].locals;
        frames[0].locals.iter().map(|(id, value)| format!("{} = {value}", locals[*id].name)).collect()
    };
    assert_eq!(run.call(1, "pop", &[]), Outcome::Done);
    assert_eq!(shown(&run), ["top = n1"]);
    assert_eq!(run.step(1), Outcome::Done);
    assert_eq!(shown(&run), ["top = n1", "next = null", "v = 1"], "`val` never changes: reading it is local");
    run.finish(1);
    assert_eq!(run.machine.status(&run.state, ThreadId::new(1)), Status::Idle);
}

#[test]
fn each_shared_read_is_a_step_of_its_own() {
    let text = "
    object O: S;
    spec S { op set(v: 0..9) {} op sum() -> 0..99 { return choose 0..99; } }
    shared a: 0..9;
    shared b: 0..9;
    op set(v: 0..9) { a = v; b = v; }
    op sum() -> 0..99 { return a + 10 * b; }";
    let mut run = Runner::new(text, &Bounds::default());
    run.whole(0, "set", &[1]);
    assert_eq!(run.call(0, "sum", &[]), Outcome::Done);
    run.whole(1, "set", &[2]);
    assert_eq!(run.finish(0), 1);
    assert_eq!(run.log.last().map(String::as_str), Some("t0 returns 21"), "a before, b after");
}

#[test]
fn atomic_is_one_step() {
    let text = "
    object O: S;
    spec S { op turn() {} op get() -> bool { return choose bool; } }
    shared a: bool = true;
    shared b: bool;
    op turn() { atomic { let x = a; a = b; b = x; } }
    op get() -> bool { atomic { return a != b; } }";
    let mut run = Runner::new(text, &Bounds::default());
    assert_eq!(run.call(0, "turn", &[]), Outcome::Done);
    assert!(run.machine.is_idle(&run.state, ThreadId::new(0)), "one access, which cannot block");
    assert_eq!(run.shared(), "a = false, b = true");
    assert_eq!(run.whole(1, "get", &[]), "true");
}

#[test]
fn links_break_on_any_write() {
    let text = "
    object O: S;
    spec S { op inc() -> bool { return choose bool; } op set(v: 0..9) {} }
    word Pair { x: 0..9, y: 0..9 }
    shared p: Pair;
    op inc() -> bool { let old = ll(p); return sc(p, Pair { x: old.x + 1, y: old.y }); }
    op set(v: 0..9) { p.y = v; }";
    let mut run = Runner::new(text, &Bounds::default());
    assert_eq!(run.whole(0, "inc", &[]), "true");
    assert_eq!(run.call(0, "inc", &[]), Outcome::Done);
    run.whole(1, "set", &[0]);
    run.finish(0);
    assert_eq!(
        run.log.last().map(String::as_str),
        Some("t0 returns false"),
        "a part was written, with the same value"
    );
    assert_eq!(run.call(0, "inc", &[]), Outcome::Done);
    assert_eq!(run.whole(1, "inc", &[]), "true");
    run.finish(0);
    assert_eq!(run.log.last().map(String::as_str), Some("t0 returns false"));
    assert_eq!(run.shared(), "p = Pair { x: 2, y: 0 }");
}

#[test]
fn helping_names_the_thread() {
    let text = "
    object O: S;
    spec S { op put() {} op help() {} }
    shared owner: thread?;
    op put() { owner = me; owner = none; }
    op help() { let o = owner; if o != none { let done = owner; lin maybe of o.unwrap() if done == o; } lin; }";
    let mut run = Runner::new(text, &Bounds::default());
    assert_eq!(run.call(1, "put", &[]), Outcome::Done);
    run.whole(0, "help", &[]);
    assert_eq!(run.log[1..], ["t0 help()", "t1 may take effect", "t0 takes effect", "t0 returns"]);
}

#[test]
fn recursion_keeps_the_frames_of_callers() {
    let text = "
    object O: S;
    spec S { op count() -> 0..=15 { return choose 0..=15; } }
    struct Tree { left: *Tree, right: *Tree, n: 0..=9 }
    shared root: *Tree;
    fn build(depth: int) -> *Tree {
        if depth == 0 { return null; }
        let t = new Tree { n: depth };
        t.left = build(depth - 1);
        t.right = build(depth - 1);
        return t;
    }
    init { root = build(2); }
    fn sum(t: *Tree) -> int {
        if t == null { return 0; }
        let n = t.n;
        t.n = n;
        return n + sum(t.left) + sum(t.right);
    }
    op count() -> 0..=15 { return sum(root); }";
    let mut run = Runner::new(text, &Bounds::default());
    assert_eq!(run.call(0, "count", &[]), Outcome::Done);
    let mut deepest = 0;
    while !run.machine.is_idle(&run.state, ThreadId::new(0)) {
        assert_eq!(run.step(0), Outcome::Done);
        deepest = deepest.max(run.machine.frames(&run.state, ThreadId::new(0)).len());
        let mut normal = run.state.clone();
        run.machine.normalise(&mut normal);
        run.state = normal;
    }
    assert_eq!(run.log.last().map(String::as_str), Some("t0 returns 4"));
    assert_eq!(deepest, 3, "the operation, the root, a child");
    let shallow = Bounds { depth: 1, ..Bounds::default() };
    assert_eq!(machine(text, &shallow).initial(&mut Picks::new()).err(), Some(Outcome::Cut(Cut::Depth)));
}

#[test]
fn accesses_are_told_with_places_and_values() {
    struct Accesses<'a>(&'a Machine, Vec<String>);
    impl Events for Accesses<'_> {
        const ACCESSES: bool = true;
        fn access(&mut self, state: &State, access: &AccessEvent) {
            let value = |words| self.0.value(state, access.ty, words).to_string();
            let name = self.0.location_name(state, access.location);
            let after = access.after.map(|words| format!(" → {}", value(words))).unwrap_or_default();
            self.1.push(format!("{name}: {}{after}", value(access.before)));
        }
    }
    let mut run = Runner::new(STACK, &Bounds::default());
    run.whole(0, "push", &[1]);
    run.whole(0, "push", &[2]);
    let machine = run.machine.clone();
    let mut events = Accesses(&machine, Vec::new());
    let mut picks = Picks::new();
    let thread = ThreadId::new(0);
    let outcome = machine.call(&mut run.state, thread, op(&machine, "pop"), &[], 0, &mut picks, &mut events);
    assert_eq!(outcome, Outcome::Done);
    while !machine.is_idle(&run.state, thread) {
        assert_eq!(machine.step(&mut run.state, thread, &mut picks, &mut events), Outcome::Done);
    }
    assert_eq!(events.1, ["head: n2", "n2.next: n1", "n2.val: 2", "head: n2 → n1"]);
}
