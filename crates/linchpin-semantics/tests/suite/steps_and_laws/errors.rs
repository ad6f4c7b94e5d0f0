//! Faults end an execution: each has its property and a description.

use crate::steps_and_laws::support::*;
use linchpin_ir::interface::Setting;
use linchpin_semantics::*;

/// The first fault of running an operation `f` with some declarations.
fn fault(declarations: &str, body: &str) -> String {
    let text = format!("object O: S;\nspec S {{ op f() {{}} }}\n{declarations}\nop f() {{ {body} }}");
    let mut run = Runner::new(&text, &Bounds { ints: 50, ..Bounds::default() });
    let mut outcome = run.call(0, "f", &[]);
    for _ in 0..100 {
        if !outcome.is_done() {
            return message(outcome);
        }
        outcome = run.step(0);
    }
    panic!("no fault");
}

const NODE: &str = "struct Node { val: data, next: *Node, n: int } shared head: *Node;";

#[test]
fn under_memory_safe() {
    assert_eq!(fault(NODE, "let top = head; let n = top.next;"), "MemorySafe: `top` is null here");
    assert_eq!(
        fault(NODE, "head = new Node {}; if head.val == head.val { return; }"),
        "MemorySafe: `head.val` is undefined here"
    );
    assert_eq!(
        fault("shared t: thread; shared flag: [bool; threads];", "let b = flag[t]; assert b;"),
        "MemorySafe: `t` is undefined here"
    );
    let manual = format!("memory manual; {NODE}");
    assert_eq!(
        fault(&manual, "let a = new Node {}; free(a); a.next = null;"),
        "MemorySafe: `a` points to n1, which was freed"
    );
    assert_eq!(
        fault(&manual, "let a = new Node {}; free(a); free(a);"),
        "MemorySafe: `a` points to n1, which was freed already"
    );
    let pool = format!("memory pool; {NODE}");
    assert_eq!(
        fault(&pool, "let a = new Node {}; free(a); a.next = null; free(a);"),
        "MemorySafe: `a` points to n1, which was freed already"
    );
}

#[test]
fn an_undefined_result() {
    let text = "
    object O: S;
    spec S { state y: data; op get() -> data { return y; } }
    shared x: data;
    op get() -> data { return x; }";
    let mut run = Runner::new(text, &Bounds::default());
    assert_eq!(message(run.call(0, "get", &[])), "MemorySafe: `x` is returned but undefined");
}

#[test]
fn under_assertions() {
    let n = "shared n: 0..4; shared a: [int; 3]; shared o: data?; shared items: seq<data>; shared l: lock; shared i: int;";
    assert_eq!(fault(n, "assert n == 1;"), "Assertions: `n == 1` does not hold");
    assert_eq!(fault(n, "n = n + 7;"), "Assertions: `n + 7` is 7, which is not in 0..=3");
    assert_eq!(fault(n, "fetch_add(n, -1);"), "Assertions: `n` is -1, which is not in 0..=3");
    assert_eq!(fault(n, "i = 3; a[i] = 1;"), "Assertions: `i` is 3, and the elements are 0 to 2");
    assert_eq!(fault(n, "let v = o.unwrap();"), "Assertions: `o` is none here");
    assert_eq!(fault(n, "i = 7 / i;"), "Assertions: `i` is 0 here");
    assert_eq!(fault(n, "let v = items.pop_front();"), "Assertions: `items` is empty here");
    assert_eq!(fault(n, "let v = items[0];"), "Assertions: `0` is 0, and there are no elements");
    assert_eq!(fault(n, "l.unlock();"), "Assertions: `l` is held by no thread here");
}

#[test]
fn local_work_that_does_not_end() {
    let never = "Assertions: this work returns to the same state: it never ends";
    assert_eq!(fault("shared n: int;", "let x = n; loop { x = 1 - x; }"), never);
    assert_eq!(fault("shared n: int;", "atomic { while n == 0 {} }"), never);
    assert_eq!(
        fault("shared n: int;", "atomic { loop { let b = choose bool; if b { n = 0; } else { n = 1; } } }"),
        never
    );
}

#[test]
fn local_work_that_is_merely_long() {
    let text = "
    object O: S;
    spec S { op f() {} }
    shared n: int;
    op f() { let x = 0; for i in 0..3000 { x = (x + i) % 7; } n = x; }";
    let mut run = Runner::new(text, &Bounds { ints: 5000, ..Bounds::default() });
    run.whole(0, "f", &[]);
    assert_eq!(run.shared(), format!("n = {}", (0..3000).sum::<i32>() % 7));
}

#[test]
fn ints_are_cut_where_they_are_kept() {
    let text = "
    object O: S;
    spec S { op inc() {} op far() {} }
    shared n: int;
    shared far: 0..=1000;
    op inc() { n += 1; }
    op far() { far = (far + 999) % 1000; }";
    let mut run = Runner::new(text, &Bounds { ints: 3, ..Bounds::default() });
    for _ in 0..3 {
        run.whole(0, "inc", &[]);
    }
    assert_eq!(run.call(0, "inc", &[]), Outcome::Done);
    assert_eq!(run.step(0), Outcome::Cut(Cut::Ints));
    run.whole(1, "far", &[]);
    assert_eq!(run.shared(), "n = 3, far = 999", "what is not kept as an `int` may be larger");
}

#[test]
fn bounds_beyond_what_words_can_number() {
    let program = program("object O: S;\nspec S { op f() {} }\nop f() {}", &Setting::default());
    let told = |bounds: Bounds| Machine::new(&program, &bounds).map(|_| ()).map_err(|list| list.len());
    assert_eq!(told(Bounds { values: 1 << 28, ..Bounds::default() }), Ok(()));
    let large = u32::MAX;
    assert_eq!(told(Bounds { nodes: large, ..Bounds::default() }), Err(1));
    assert_eq!(told(Bounds { values: large, ..Bounds::default() }), Err(1));
    assert_eq!(told(Bounds { keys: large, ..Bounds::default() }), Err(1));
    assert_eq!(told(Bounds { ages: Some(large), ..Bounds::default() }), Err(1));
}
