//! Programs that are not lowered, and their messages.

use crate::lower_rules::support::{lowered, model, refusal};
use linchpin_frontend::lower::warnings;
use linchpin_report::render::render;
use std::fmt::Write;

const TWO: &str = "shared x: bool; shared y: bool;";

#[test]
fn an_await_with_two_reads() {
    insta::assert_snapshot!(refusal(TWO, "op f() { await x && y; x = true; y = true; }"), @"
        error: `await` reads shared memory more than once
         --> test.lin:3:21
          |
        3 | op f() { await x && y; x = true; y = true; }
          |                -    ^ the second read
          |                |
          |                the first read
          |
          = note: outside `atomic` each shared read is a step of its own, and an `await` is one step
          = help: put the `await` into an `atomic` block
        ");
}

#[test]
fn an_await_that_writes() {
    insta::assert_snapshot!(refusal(TWO, "op f() { await cas(x, false, true); }"), @"
        error: `await` cannot change memory
         --> test.lin:3:16
          |
        3 | op f() { await cas(x, false, true); }
          |                ^^^^^^^^^^^^^^^^^^^ this changes memory
          |
          = help: put both into an `atomic` block
        ");
}

#[test]
fn a_wait_inside_atomic() {
    insta::assert_snapshot!(
        refusal("shared l: lock; shared c: condvar;", "op f() { atomic { l.lock(); c.wait(l); } }"),
        @"
        error: `wait` inside an atomic block
         --> test.lin:3:29
          |
        3 | op f() { atomic { l.lock(); c.wait(l); } }
          |                             ^^^^^^^^^ a thread cannot rest here
          |
          = note: `wait` is two accesses: it releases the lock, and takes it again once notified
          = help: move it out of the block, or `await` the condition instead
        "
    );
}

#[test]
fn a_point_before_any_access() {
    insta::assert_snapshot!(refusal(TWO, "op f(v: bool) { if v { x = v; } lin; y = v; }"), @"
        error: a `lin` without a shared access before it
         --> test.lin:3:33
          |
        3 | op f(v: bool) { if v { x = v; } lin; y = v; }
          |                                 ^^^^ a path without a shared access leads here
          |
          = note: a linearization point belongs to the access before it
          = help: move it after the access at which the operation takes effect, or remove it
        ");
    insta::assert_snapshot!(
        refusal(
            "struct Node { next: *Node } shared head: *Node;
            fn walk(n: *Node) { if n != null { walk(n.next); return; } lin; }",
            "op f() { walk(null); head = null; }",
        ),
        @"
        error: a `lin` without a shared access before it
         --> test.lin:3:72
          |
        3 |             fn walk(n: *Node) { if n != null { walk(n.next); return; } lin; }
          |                                                                        ^^^^ a path without a shared access leads here
          |
          = note: a linearization point belongs to the access before it
          = help: move it after the access at which the operation takes effect, or remove it
        "
    );
}

#[test]
fn a_condition_that_reads_memory_for_each_candidate() {
    insta::assert_snapshot!(refusal(TWO, "op f() { let s: set<bool> = [true]; x = choose b in s where b == y; }"), @"
        error: a condition on candidates cannot have effects
         --> test.lin:3:66
          |
        3 | op f() { let s: set<bool> = [true]; x = choose b in s where b == y; }
          |                                                                  ^ this would run once for each candidate
          |
          = help: do this before the `choose`, and store the result in a variable
        ");
    insta::assert_snapshot!(
        refusal(
            "struct Node { mark: bool } shared s: set<*Node>;",
            "op f() { atomic { let n = choose n in s where n.mark; n.mark = false; } }",
        ),
        @"
        error: a condition on candidates cannot have effects
         --> test.lin:3:47
          |
        3 | op f() { atomic { let n = choose n in s where n.mark; n.mark = false; } }
          |                                               ^^^^^^ this would run once for each candidate
          |
          = help: do this before the `choose`, and store the result in a variable
        "
    );
}

#[test]
fn functions_that_grow_beyond_any_memory() {
    let mut functions = String::from("shared x: bool; fn f0() { x = true; }");
    for level in 1..40 {
        let below = level - 1;
        write!(functions, " fn f{level}() {{ f{below}(); f{below}(); }}").expect("a string takes all");
    }
    insta::assert_snapshot!(refusal(&functions, "op f() { f39(); }"), @"
        error: `f` is too large
         --> test.lin:2:175
          |
        2 | ...f4(); f4(); } fn f6() { f5(); f5(); } fn f7() { f6(); f6(); } fn f8() { f7(); f7(); } fn f9() { f8(); f8(); } fn f10() { f9(); f9(...
          |                                  ^^^^^ with its calls inlined, it is more than 20000 instructions long
          |
          = help: reduce the calls between functions
        ");
}

#[test]
fn functions_that_are_nested_too_deeply() {
    let mut functions = String::from("shared x: bool; fn f0() -> bool { return x; }");
    for level in 1..300 {
        let below = level - 1;
        write!(functions, " fn f{level}() -> bool {{ return !f{below}(); }}").expect("a string takes all");
    }
    insta::assert_snapshot!(refusal(&functions, "op f() -> bool { return f299(); }"), @"
        error: `f` is too large
         --> test.lin:2:3619
          |
        2 | ... !f98(); } fn f100() -> bool { return !f99(); } fn f101() -> bool { return !f100(); } fn f102() -> bool { return !f101(); } fn f10...
          |                                          ^^^^^^ with its calls inlined, it is nested too deeply
          |
          = help: reduce the calls between functions
        ");
}

#[test]
fn an_operation_that_never_returns_is_only_a_warning() {
    let (sources, program) = lowered(&model(TWO, "op f() { loop { x = y; } }"));
    let told: Vec<String> =
        warnings(&program).iter().map(|warning| render(&sources, warning, false)).collect();
    insta::assert_snapshot!(told.join("\n"), @"
        warning: `f` never returns
         --> test.lin:3:4
          |
        3 | op f() { loop { x = y; } }
          |    ^ no path reaches its end
          |
          = help: leave the loop with `break` or `return`, unless the operation is meant to run for ever
        ");
}
