//! Statements, primitives, control flow, initial values.

use super::support::items;
use insta::assert_snapshot;

#[test]
fn ends_without_a_result() {
    let said = items(
        r"
            fn f(b: bool) -> int {
                if b { return 1; }
            }
            fn g() -> int { loop { } }
            fn h() -> int { while true { return 1; } }
            fn i() -> int { loop { break; } }
            fn j() -> int { assert false; }
            fn k(b: bool) -> int { match b { true => { return 1; } false => { return 2; } } }
            fn l() -> int { 'a: loop { loop { break 'a; } } }
        ",
    );
    assert_snapshot!(said, @r"
    error: function `f` can end without a result
      3 |}|: the end is reached without `return`
      1 |int|: the result is declared here
      help: add a `return` at the end of every path
    error: function `i` can end without a result
      6 |}|: the end is reached without `return`
      6 |int|: the result is declared here
      help: add a `return` at the end of every path
    error: function `l` can end without a result
      9 |}|: the end is reached without `return`
      9 |int|: the result is declared here
      help: add a `return` at the end of every path
    ");
}

#[test]
fn primitives_work_on_shared_places() {
    let said = items(
        r"
            const N = 2;
            local mine: int;
            shared nodes: [int; 2];
            shared b: bool;
            shared s: seq<int>;
            fn f() {
                let x = 1;
                cas(x, 1, 2);
                cas(N, 1, 2);
                swap(mine, 2);
                cas(nodes, 1, 2);
                fetch_add(b, 1);
                cas(s, s, s);
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `cas` needs a shared place
      8 |x|: this is a variable of this thread
      help: a shared place is a `shared` variable, or a field or element reached through a pointer
    error: `cas` needs a shared place
      9 |N|: this is a value
      help: a shared place is a `shared` variable, or a field or element reached through a pointer
    error: `swap` needs a shared place
      10 |mine|: this is a variable of this thread
      help: a shared place is a `shared` variable, or a field or element reached through a pointer
    error: a shared array cannot be read or written in one access
      11 |nodes|: this array has 2 locations
      help: use one element, or a `for` loop; an array in a `word` is one value
    error: `fetch_add` needs a number
      12 |b|: this is `bool`
    error: `cas` needs a single value
      13 |s|: this is `seq<int>`
      help: call methods of the collection; `atomic { … }` joins several accesses
    ");
}

#[test]
fn method_with_a_primitive_on_a_local_place() {
    let said = items(
        r"
            use std::Marked;
            shared m: Marked<int>;
            fn f() {
                let w: Marked<int> = m;
                w.compare_and_set(1, 2, false, false);
                m.compare_and_set(1, 2, false, false);
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `Marked<int>::compare_and_set` needs a shared place
      5 |w|: this is a variable of this thread
      std.lin 12 |compare_and_set|: it uses a primitive on `self`
      help: a shared place is a `shared` variable, or a field or element reached through a pointer
    ");
}

#[test]
fn method_on_a_value() {
    let said = items(
        r"
            word W { x: int }
            impl W { fn f(self) {} }
            fn g() -> W { return W {}; }
            fn h() { g().f(); }
        ",
    );
    assert_snapshot!(said, @r"
    error: a method needs a place
      4 |g()|: this is a temporary value
      help: store it in a variable first: `let x = …; x.f();`
    ");
}

#[test]
fn recursive_method() {
    let said = items(
        r"
            struct T { left: *T }
            impl T {
                fn height(self) -> int { if self.left == null { return 0; } return self.left.height(); }
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: method `T::height` calls itself
      3 |height|: recursive functions take values and pointers only, not `self`
      3 |self.left.height()|: this call leads back to it
      help: make it a function with a pointer as its parameter
    ");
}

#[test]
fn recursive_function_is_fine() {
    let said = items(
        r"
            struct T { left: *T }
            fn height(t: *T) -> int { if t == null { return 0; } return height(t.left) + 1; }
        ",
    );
    assert_eq!(said, "fine");
}

#[test]
fn free_under_garbage_collection() {
    let said = items(
        r"
            struct N { x: int }
            shared p: *N;
            fn f() {
                free(p);
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `free` cannot be used under garbage collection
      4 |p|: unreachable cells are freed automatically
      help: declare `memory pool;` (freed cells stay readable) or `memory manual;` (access to a freed cell is an error)
    ");
}

#[test]
fn free_of_what_is_no_pointer() {
    let said = items(
        r"
            memory pool;
            shared p: int;
            fn f() {
                free(p);
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `free` takes a pointer
      4 |p|: this is `int`
    ");
}

#[test]
fn init_has_no_thread() {
    let said = items(
        r"
            local mine: int;
            shared t: thread;
            fn touch() { mine = 1; }
            init { t = me; touch(); lin; }
        ",
    );
    assert_snapshot!(said, @r"
    error: `local` variables have no meaning in `init`
      3 |mine|: each thread has its own, and `init` runs before there are threads
      4 |init { t = me; touch(); lin; }|: `touch` is reached from here
    error: `me` has no meaning in `init`
      4 |me|: `init` runs alone, before there are threads
    error: `lin` has no meaning in `init`
      4 |lin;|: no operation is running
    ");
}

#[test]
fn two_inits_and_two_memories() {
    let said = items(
        r"
            memory gc;
            memory pool;
            init { }
            init { }
        ",
    );
    assert_snapshot!(said, @r"
    error: memory is declared twice
      2 |memory pool;|: the second time here
      1 |memory gc;|: the first time here
    error: there are two `init` blocks
      4 |init { }|: the second one
      3 |init { }|: the first one
      help: join them into one
    ");
}

#[test]
fn defer_cannot_leave() {
    let said = items(
        r"
            fn f() {
                loop { defer break; defer return; defer loop { break; } }
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `break` cannot leave a `defer`
      2 |break;|: a `defer` runs while its block is left
      help: let the `defer` run to its end
    error: `return` cannot leave a `defer`
      2 |return;|: a `defer` runs while its block is left
      help: let the `defer` run to its end
    ");
}

#[test]
fn match_covers() {
    let said = items(
        r"
            enum State { A, B }
            shared s: State;
            shared b: bool;
            shared x: int;
            shared r: 0..4;
            shared o: data?;
            fn f() {
                match s { State::A => {} }
                match b { true => {} }
                match x { 1 => {} }
                match r { 0 => {} 2 => {} }
                match o { none => {} _ => {} }
                match s { State::A => {} State::B => {} State::A => {} }
                match s { x => {} _ => {} }
                match s { 1 => {} _ => {} }
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: this `match` does not cover all values
      8 |s|: `State::B` not covered
      help: add the missing arms, or `_ => { … }` for the others
    error: this `match` does not cover all values
      9 |b|: `false` not covered
      help: add the missing arms, or `_ => { … }` for the others
    error: this `match` does not cover all values
      10 |x|: `int` has more values than arms can list
      help: add `_ => { … }` for the others
    error: this `match` does not cover all values
      11 |r|: `1` and `3` not covered
      help: add the missing arms, or `_ => { … }` for the others
    warning: this arm is never reached
      13 |State::A|: this pattern occurs before
      13 |State::A|: the first time here
    error: expected `State`, found `int`
      14 |x|: this is `int`
    error: expected `State`, found `int`
      15 |1|: this is `int`
    ");
}

#[test]
fn what_for_runs_over() {
    let said = items(
        r"
            shared m: set<data>;
            shared a: [int; 2];
            shared s: seq<data>;
            fn f() {
                for x in m { }
                for x in a { }
                for x in 3 { }
                for x in s { }
                for t in threads { t = me; }
                for i in (0..3).rev() { }
                for i in (0..3).skip() { }
                for i in q { }
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: cannot iterate over `set<data>`
      5 |m|: this is `set<data>`
      help: it has no order; use `choose x in c where e`
    error: cannot iterate over `[int; 2]`
      6 |a|: this is `[int; 2]`
      help: iterate over its indices: `0..2`
    error: cannot iterate over `int`
      7 |3|: this is `int`
      help: a range is written `0..n`
    error: a range has no `skip`
      11 |skip|: not found
      help: `(0..n).rev()` goes backwards
    error: there is no `q`
      12 |q|: not found here
      help: declare it: `let q = …;` here, or `shared q: …;` for all threads
    ");
}

#[test]
fn choices() {
    let said = items(
        r"
            shared s: set<data>;
            shared d: data;
            fn f() {
                let a = choose 0..3;
                let b = choose bool;
                let c = choose x in s where x == d;
                let e = choose d;
                let f = choose t in threads where t != me;
                let g = choose x in s where x;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: cannot choose from `data`
      7 |d|: this is `data`
      help: use a range `0..n`, `threads` or a collection
    error: expected `bool`, found `data`
      9 |x|: this is `data`
    ");
}

#[test]
fn ranges_and_lambdas_are_no_values() {
    let said = items(
        r"
            shared s: set<data>;
            fn f() {
                let a = 0..3;
                let b = (0..3).rev();
                let c = |x| x;
                let d = s.all(true);
                let e = s.any(|x| x == 1);
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: a range is not a value
      3 |0..3|: not here
      help: use a range in `for i in 0..n`, in `choose 0..n`, and as types
    error: a range is not a value
      4 |(0..3)|: not here
      help: use a range in `for i in 0..n` and `choose 0..n`; `for i in (0..n).rev()` goes backwards
    error: `|x| e` is not a value
      5 ||x| x|: not here
      help: use it as an argument of `c.all(…)` or `c.any(…)`
    error: `all` takes a condition on an element
      6 |true|: expected `|x| condition`
      help: write `.all(|x| x == v)`
    error: cannot compare `data` with `int`
      7 |x == 1|: the two sides have different types
      7 |x|: this is `data`
      7 |1|: this is `int`
    ");
}

#[test]
fn methods_of_conditions() {
    let said = items(
        r"
            use std::ReentrantLock;
            shared c: condvar;
            shared m: ReentrantLock;
            shared l: lock;
            fn f() {
                c.wait(m);
                c.wait();
                c.signal();
                c.wait(l);
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `wait` takes the lock to release
      6 |m|: this is `ReentrantLock`
      help: a condition works with a built-in `lock`
    error: `wait` takes 1 argument, not 0
      7 |wait|: the wrong number of arguments here
    error: `condvar` has no method `signal`
      8 |signal|: there is no such method
      help: its methods are `wait`, `notify_one` and `notify_all`
    ");
}

#[test]
fn collections_that_are_lost() {
    let said = items(
        r"
            shared d: data;
            fn g() -> seq<data> { return []; }
            fn f() {
                g().push_back(d);
                let n = g().len();
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `push_back` would change a temporary value
      4 |g()|: this collection is not stored in a variable
      help: store it in a variable first
    ");
}

#[test]
fn lin_of_a_thread() {
    let said = items(
        r"
            shared d: data;
            fn f() {
                lin maybe of d if d;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: expected `thread`, found `data`
      3 |d|: this is `data`
    error: expected `bool`, found `data`
      3 |d|: this is `data`
    ");
}

#[test]
fn initial_values() {
    let said = items(
        r"
            struct N { x: int }
            shared a: int = 1;
            shared b: int = a;
            shared c: *N = new N { x: 1 };
            local d: *N = new N {};
            shared e: int = f();
            local g: thread = me;
            shared h: thread = me;
            shared i: N = 1;
            shared j: 0..4 = 7;
            fn f() -> int { return 1; }
        ",
    );
    assert_snapshot!(said, @r"
    error: a shared variable cannot be used in an initial value
      3 |a|: not allowed here
      help: use a constant here, and do the rest in `init { … }`
    error: `new` cannot be used in an initial value
      5 |new N {}|: not allowed here
      help: use a constant here, and do the rest in `init { … }`
    error: a call of a function cannot be used in an initial value
      6 |f|: not allowed here
      help: use a constant here, and do the rest in `init { … }`
    error: `me` cannot be used in an initial value
      8 |me|: not allowed here
      help: use a constant here, and do the rest in `init { … }`
    error: `N` cannot have an initial value
      9 |1|: a part of memory, not a value
      help: remove the value: all parts begin with their defaults
    error: out-of-range literal
      10 |7|: 7 is not in `0..=3`
      10 |0..4|: the type is given here
      help: values go from 0 to 3
    ");
}
