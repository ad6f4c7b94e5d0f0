//! The object beside its specification; roles and checks.

use super::support::{items, messages};
use insta::assert_snapshot;

#[test]
fn missing_operation() {
    let said = messages(
        r"
            object Q: Queue;
            op enq(v: data) {}
        ",
    );
    assert_snapshot!(said, @r"
    error: `deq` of `Queue` is missing
      1 |Queue|: the object has exactly the operations of its specification
      specs.lin 58 |deq|: specified here
      help: add `op deq() -> data?`
    ");
}

#[test]
fn missing_operations() {
    let said = messages(
        r"
            object Q: Queue;

        ",
    );
    assert_snapshot!(said, @r"
    error: `enq` and `deq` of `Queue` are missing
      1 |Queue|: the object has exactly the operations of its specification
      specs.lin 57 |enq|: specified here
      specs.lin 58 |deq|: specified here
      help: add `op enq(v: data)` and `op deq() -> data?`
    ");
}

#[test]
fn operation_that_is_not_specified() {
    let said = messages(
        r"
            object Q: Queue;
            op enq(v: data) {}
            op deq() -> data? { return none; }
            op dequeue() {}
            op size() {}
        ",
    );
    assert_snapshot!(said, @r"
    error: `Queue` has no operation `dequeue`
      4 |dequeue|: not in the specification
      1 |Queue|: the specification is named here
      help: the operations are `enq` and `deq`; a helper is a `fn`
    error: `Queue` has no operation `size`
      5 |size|: not in the specification
      1 |Queue|: the specification is named here
      help: the operations are `enq` and `deq`; a helper is a `fn`
    ");
}

#[test]
fn wrong_parameters() {
    let said = messages(
        r"
            object Q: Queue;
            op enq(v: key) {}
            op deq(v: data) -> data? { return none; }
        ",
    );
    assert_snapshot!(said, @r"
    error: parameter `v` of `enq` does not fit its specification
      2 |key|: this is `key`; the specification has `data`
      specs.lin 57 |enq|: specified here
      help: write `op enq(v: data)`
    error: operation `deq` takes no parameters, not 1
      3 |deq|: does not fit its specification
      specs.lin 58 |deq|: specified here
      help: write `op deq() -> data?`
    ");
}

#[test]
fn wrong_results() {
    let said = messages(
        r"
            object Q: Queue;
            op enq(v: data) -> bool { return true; }
            op deq() -> bool { return true; }
        ",
    );
    assert_snapshot!(said, @r"
    error: operation `enq` returns a value
      2 |bool|: the specification returns no value
      specs.lin 57 |enq|: specified here
      help: write `op enq(v: data)`
    error: the result of `deq` does not fit its specification
      3 |bool|: this is `bool`; the specification has `data?`
      specs.lin 58 |deq|: specified here
      help: write `op deq() -> data?`
    ");
}

#[test]
fn missing_result() {
    let said = messages(
        r"
            object Q: Queue;
            op enq(v: data) {}
            op deq() {}
        ",
    );
    assert_snapshot!(said, @r"
    error: operation `deq` returns no value
      3 |deq|: the specification returns `data?`
      specs.lin 58 |deq|: specified here
      help: write `op deq() -> data?`
    ");
}

#[test]
fn optional_result_where_a_value_is_specified() {
    let said = messages(
        r"
            object Q: SynchronousQueue;
            op enq(v: data) {}
            op deq() -> data? { return none; }
        ",
    );
    assert_eq!(said, "fine");
}

#[test]
fn what_a_client_cannot_choose() {
    let said = messages(
        r"
            object O: S;
            struct N { x: int }
            word W { p: *N }
            spec S { op a(x: int) {} op b(w: W) {} op c(s: seq<data>) {} op d() -> thread { return me; } op e() -> seq<data> { return []; } }
            op a(x: int) {}
            op b(w: W) {}
            op c(s: seq<data>) {}
            op d() -> thread { return me; }
            op e() -> seq<data> { return []; }
        ",
    );
    assert_snapshot!(said, @r"
    error: a parameter of an operation cannot be `int`
      5 |int|: not allowed here
      help: use a range such as `0..4`
    error: a parameter of an operation cannot be `*N`
      6 |W|: this contains `*N`
      help: a client sees values only, not the memory of the object
    error: a parameter of an operation cannot be `seq<data>`
      7 |seq<data>|: not allowed here
      help: a client chooses among finitely many arguments
    error: a result of an operation cannot be `thread`
      8 |thread|: not allowed here
      help: the running thread is `me`
    ");
}

#[test]
fn unknown_specification() {
    let said = messages(
        r"
            object O: Stak;
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no specification `Stak`
      1 |Stak|: neither in this file nor in the library
      help: did you mean `Stack`?
    ");
}

#[test]
fn arguments_of_specifications() {
    let said = messages(
        r"
            object O: Set;
        ",
    );
    assert_snapshot!(said, @r"
    error: `Set` takes 1 type argument, not 0
      1 |Set|: wrong number of type arguments
      specs.lin 125 |Set|: defined here
      help: write `Set<…>` with a type for `T`
    ");
}

#[test]
fn arguments_of_specifications_by_value() {
    let said = messages(
        r"
            object O: BoundedQueue;
        ",
    );
    assert_snapshot!(said, @r"
    error: `BoundedQueue` takes 1 argument, not 0
      1 |BoundedQueue|: the wrong number of arguments here
      specs.lin 98 |BoundedQueue|: defined here
      help: give arguments for `capacity`
    ");
}

#[test]
fn argument_out_of_its_range() {
    let said = messages(
        r"
            object R: Register<0..4>(4);
            op read() -> 0..4 { return 0; }
            op write(v: 0..4) {}
        ",
    );
    assert_snapshot!(said, @r"
    error: out-of-range literal
      1 |4|: 4 is not in `0..=3`
      specs.lin 194 |initial|: the parameter is declared here
      help: values go from 0 to 3
    ");
}

#[test]
fn no_object() {
    let said = messages(
        r"
            shared x: int;
        ",
    );
    assert_snapshot!(said, @r"
    error: this file has no object
      1 ||: expected `object Name: Spec;`
      help: add `object Name: Spec;`, or `use` this file from another one
    ");
}

#[test]
fn a_specification_in_the_file_wins() {
    let said = messages(
        r"
            object O: Queue;
            spec Queue { op peek() {} }
            op peek() {}
        ",
    );
    assert_eq!(said, "fine");
}

#[test]
fn what_a_specification_may_not_do() {
    let said = messages(
        r"
            object O: S;
            shared x: int;
            local y: int;
            shared l: lock;
            fn f() {}
            spec S {
                state s: seq<data>;
                op a() when s.pop_front() == s[0] { x = 1; y = 2; l.lock(); f(); lin; await true; atomic { } assert true; defer s.clear(); let n = cas(x, 1, 2); }
                op b() when choose bool { }
            }
            op a() {}
            op b() {}
        ",
    );
    assert_snapshot!(said, @r"
    error: `pop_front`, which changes a collection, cannot be used in a `when`
      8 |pop_front|: not allowed here
      help: a `when` reads the state and the parameters, and changes nothing
    error: a shared variable cannot be used in a specification
      8 |x|: not allowed here
      help: a specification uses its own state, parameters and variables, in one step
    error: a local variable cannot be used in a specification
      8 |y|: not allowed here
      help: a specification uses its own state, parameters and variables, in one step
    error: a shared variable cannot be used in a specification
      8 |l|: not allowed here
      help: a specification uses its own state, parameters and variables, in one step
    error: a call of a function cannot be used in a specification
      8 |f|: not allowed here
      help: a specification uses its own state, parameters and variables, in one step
    error: `lin` cannot be used in a specification
      8 |lin;|: not allowed here
      help: a specification uses its own state, parameters and variables, in one step
    error: `await` cannot be used in a specification
      8 |await true;|: not allowed here
      help: a specification uses its own state, parameters and variables, in one step
    error: `atomic` cannot be used in a specification
      8 |atomic { }|: not allowed here
      help: a specification uses its own state, parameters and variables, in one step
    error: `assert` cannot be used in a specification
      8 |assert true;|: not allowed here
      help: a specification uses its own state, parameters and variables, in one step
    error: `defer` cannot be used in a specification
      8 |defer s.clear();|: not allowed here
      help: a specification uses its own state, parameters and variables, in one step
    error: `cas` cannot be used in a specification
      8 |cas(x, 1, 2)|: not allowed here
      help: a specification uses its own state, parameters and variables, in one step
    error: `choose` cannot be used in a `when`
      9 |choose bool|: not allowed here
      help: a `when` reads the state and the parameters, and changes nothing
    ");
}

#[test]
fn clauses_and_attributes() {
    let said = messages(
        r"
            object O: S;
            spec S {
                state n: int;
                state n: bool;
                #[add] op a(v: data) {}
                op a(v: key) {}
                op b() -> int { }
                op c(v: data) -> data & op d(v: data) -> data { return v; }
            }
            op a(v: data) {}
            op b() -> int { return 1; }
            op c(v: data) -> data { return v; }
            op d(v: data) -> data { return v; }
        ",
    );
    assert_snapshot!(said, @r"
    error: `n` is defined twice
      4 |n|: the second time here
      3 |n|: the first time here
    error: there is no attribute `add`
      5 |add|: not known
      help: did you mean `adds`?
    error: the clauses of `a` have different signatures
      6 |a|: this one differs
      5 |a|: from this one
      help: all clauses of an operation have the same parameters and the same result
    error: operation `b` can end without a result
      7 |}|: the end is reached without `return`
      7 |int|: the result is declared here
      help: add a `return` at the end of every path
    error: parameter `v` is declared twice
      8 |v|: the second time here
      8 |v|: the first time here
    error: expected 2 results, found 1
      8 |return v;|: the wrong number of results
      8 |data|: the results are declared here
    error: a result of an operation cannot be `int`
      11 |int|: not allowed here
      help: use a range such as `0..4`
    ");
}

#[test]
fn generic_specification_with_a_type_that_does_not_fit() {
    let said = messages(
        r"
            object O: PQueue<data>;
            op add(item: data, priority: data) {}
            op remove_min() -> data? { return none; }
        ",
    );
    assert_snapshot!(said, @r"
    error: `data` has no order
      specs.lin 148 |e.priority|: `data` is compared with `==` and `!=` only
      note: in `PQueue<data>`
      help: use type `key` for ordered values
    ");
}

#[test]
fn roles() {
    let said = messages(
        r"
            object O: Queue;
            op enq(v: data) {}
            op deq() -> data? { return none; }
            role a: 0 = enq;
            role b = deq;
            role c = dequ*;
            role b: 1 = enq;
            role d: x = enq;
        ",
    );
    assert_snapshot!(said, @r"
    error: a role has at least one thread
      4 |0|: here it is 0
    error: two roles take all other threads
      6 |c|: this role has no number
      5 |b|: this role has no number either
      help: give one of them a number of threads: `role c: 1 = …;`
    error: there is no operation `dequ`
      6 |dequ|: not found
      help: did you mean `deq`?
    error: role `b` is defined twice
      7 |b|: the second time here
      5 |b|: the first time here
    error: there is no constant `x`
      8 |x|: a constant is needed here
      help: there is `threads`
    ");
}

#[test]
fn fewer_threads_than_roles() {
    let said = messages(
        r"
            object O: Queue;
            op enq(v: data) {}
            op deq() -> data? { return none; }
            role a: 2 = enq;
            role b: 1 = deq;
            check { threads: 2; linearizable; }
            check { threads: 3; linearizable; }
            check { threads: 3..4; linearizable; }
        ",
    );
    assert_snapshot!(said, @r"
    error: there are fewer threads than the roles take
      6 |threads|: 2 here
      4 |a|: takes 2
      5 |b|: takes 1
    error: some threads would have no role
      8 |threads|: 4 here
      4 |a|: takes 2
      5 |b|: takes 1
      help: add a role without a number: it takes the other threads
    ");
}

#[test]
fn checks() {
    let said = items(
        r"
            const CAP = 1;
            check { thread: 2, CAP: 2, cap: 3; linearisable; }
            check { threads: 0, nodes: 3..2, client: random, fair: 1, threads: 1; lock_free; lock_free: violated; }
            check { steps: 2, restrict: [generic_value]; waitfree; }
            check { client: schedules, steps: 1..2, preadds: 1, restrict: distinct_priorities; sequentially_consistent; }
            prove pair { linearizable; }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no bound `thread`
      2 |thread|: neither a bound nor a constant
      help: did you mean `threads`?
    error: there is no bound `cap`
      2 |cap|: neither a bound nor a constant
      help: did you mean `CAP`?
    error: there is no property `linearisable`
      2 |linearisable|: not known
      help: did you mean `linearizable`?
    error: `threads` must be at least 1
      3 |0|: out of bounds
    error: this range has no values
      3 |3..2|: the end is below the start
      help: write `nodes: 2..3`; both ends are included
    error: `client` cannot be `random`
      3 |random|: not known
      help: there are `general` and `schedules`
    error: `fair` takes a name
      3 |1|: wrong kind of value
      help: for example `fair: on`
    error: `lock_free` is expected twice
      3 |lock_free|: the second time here
      3 |lock_free;|: the first time here
    error: `steps` applies to schedules only
      4 |steps|: this check has the general client
      help: add `client: schedules`
    error: `restrict` cannot be `generic_value`
      4 |generic_value|: not known
      help: did you mean `generic_values`?
    error: there is no property `waitfree`
      4 |waitfree|: not known
      help: did you mean `wait_free`?
    error: there is no operation that adds
      5 |preadds|: `preadds` calls the operation marked `#[adds]`
      1 |spec S {}|: no operation of this specification is marked
      help: write `#[adds] op …` in the specification
    error: there is no method of proof `pair`
      6 |pair|: not known
      help: did you mean `pairs`?
    ");
}

#[test]
fn points_in_checks() {
    let said = items(
        r"
            check { points: on; linearizable; }
            check { linearizable; points; points: violated; }
            check { lin_points: off; points: violated; }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no bound `points`
      1 |points|: neither a bound nor a constant
      help: write properties after the bounds: `points;` or `points: violated;`
    error: `points` is expected twice
      2 |points|: the second time here
      2 |points;|: the first time here
    error: `points` is expected, but points are not checked
      3 |points: violated;|: this needs `lin_points: on`
      3 |lin_points|: switched off here
      help: remove `lin_points: off`
    ");
}
