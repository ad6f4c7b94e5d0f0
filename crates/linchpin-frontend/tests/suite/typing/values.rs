//! Values of a wrong type: conversions, operators, arguments.

use super::support::items;
use insta::assert_snapshot;

#[test]
fn wrong_type_of_a_condition() {
    let said = items(
        r"
            struct N { n: int }
            shared x: int;
            shared p: *N;
            shared o: data?;
            fn f() {
                if x { }
                while p { }
                assert o;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: expected `bool`, found `int`
      6 |x|: this is `int`
      help: compare it: `x != 0`
    error: expected `bool`, found `*N`
      7 |p|: this is `*N`
      help: compare it: `p != null`
    error: expected `bool`, found `data?`
      8 |o|: this is `data?`
      help: compare it: `x != none`
    ");
}

#[test]
fn wrong_type_of_an_argument() {
    let said = items(
        r"
            shared x: data;
            fn g(k: key, b: bool) {}
            fn f() {
                g(x, true);
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: expected `key`, found `data`
      4 |x|: this is `data`
      2 |k|: the parameter is declared here
    ");
}

#[test]
fn wrong_number_of_arguments() {
    let said = items(
        r"
            shared x: int;
            fn g() {}
            fn f() {
                g(1);
                cas(x, 1);
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `g` takes no arguments, not 1
      4 |g|: the wrong number of arguments here
    error: `cas` takes 3 arguments, not 2
      5 |cas|: the wrong number of arguments here
      help: write `cas(place, old, new)`
    ");
}

#[test]
fn wrong_type_of_an_assignment() {
    let said = items(
        r"
            shared x: int;
            shared d: data;
            shared a: age;
            shared t: thread;
            fn f() {
                x = true;
                d = 3;
                a = 0;
                t = 1;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: expected `int`, found `bool`
      6 |true|: this is `bool`
      6 |x|: the place holds this type
      help: use `ord(x)` for the number of a value
    error: expected `data`, found `int`
      7 |3|: this is `int`
      7 |d|: the place holds this type
      help: values of `data` and `key` come from the client: they are parameters of operations
    error: expected `age`, found `int`
      8 |0|: this is `int`
      8 |a|: the place holds this type
      help: an `age` begins at 0 and is stepped by `+ 1`
    error: expected `thread`, found `int`
      9 |1|: this is `int`
      9 |t|: the place holds this type
      help: `me` is the running thread; `for t in threads` visits all of them
    ");
}

#[test]
fn wrong_type_of_a_result() {
    let said = items(
        r"
            fn f() -> bool {
                return 1;
            }
            fn g() {
                return 1;
            }
            fn h() -> int {
                return;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: expected `bool`, found `int`
      2 |1|: this is `int`
      1 |bool|: the result is declared here
      help: compare it: `x != 0`
    error: this `return` has a value, but no result is declared
      5 |return 1;|: unexpected value
      4 |g|: no result is declared here
      help: declare the result with `-> type`, or write `return;`
    error: this `return` has no result
      8 |return;|: expected `int`
      7 |int|: the result is declared here
    ");
}

#[test]
fn optional_where_a_value_is_wanted() {
    let said = items(
        r"
            fn f(x: data?) -> data { return x; }
        ",
    );
    assert_snapshot!(said, @r"
    error: expected `data`, found `data?`
      1 |x|: this is `data?`
      1 |data|: the result is declared here
      help: write `x.unwrap()`; the call fails on `none`
    ");
}

#[test]
fn comparison_of_different_types() {
    let said = items(
        r"
            shared x: int;
            shared d: data;
            shared a: age;
            fn f() {
                let b = x == d;
                let c = a == 1;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: cannot compare `int` with `data`
      5 |x == d|: the two sides have different types
      5 |x|: this is `int`
      5 |d|: this is `data`
    error: cannot compare `age` with `int`
      6 |a == 1|: the two sides have different types
      6 |a|: this is `age`
      6 |1|: this is `int`
      help: an `age` is compared with another `age` only
    ");
}

#[test]
fn no_order() {
    let said = items(
        r"
            shared d: data;
            shared k: key;
            fn f() {
                let a = d < d;
                let b = me < me;
                let c = k < 1;
                let e = k < key::MAX;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `data` has no order
      4 |d|: `data` is compared with `==` and `!=` only
      help: use type `key` for ordered values
    error: `thread` has no order
      5 |me|: `thread` is compared with `==` and `!=` only
      help: use `ord(x)` for the number of a value
    error: cannot compare `key` with `int`
      6 |k < 1|: the two sides have different types
      6 |k|: this is `key`
      6 |1|: this is `int`
    ");
}

#[test]
fn arithmetic_of_what_is_no_number() {
    let said = items(
        r"
            shared d: data;
            shared g: age;
            fn f() {
                let a = d + 1;
                let b = -true;
                let c = g + 2;
                g += 2;
                g += 1;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: expected `int`, found `data`
      4 |d|: this is `data`
      help: use `ord(x)` for the number of a value
    error: expected `int`, found `bool`
      5 |true|: this is `bool`
      help: use `ord(x)` for the number of a value
    error: an `age` is stepped by `+ 1` only
      6 |g + 2|: no other arithmetic on an `age`
      help: a count that is added to and compared is an `int` or a range
    error: an `age` is stepped by `+ 1` only
      7 |g += 2;|: no other arithmetic on an `age`
      help: a count that is added to and compared is an `int` or a range
    ");
}

#[test]
fn unwrap_of_what_is_not_optional() {
    let said = items(
        r"
            shared d: data;
            shared o: data?;
            fn f() {
                let a = d.unwrap();
                let b = o.unwrap();
                let c = o.is_none();
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `data` has no method `unwrap`
      4 |unwrap|: there is no such method
      help: it is not optional: it is a `data` as it stands
    error: `data?` has no method `is_none`
      6 |is_none|: there is no such method
      help: compare it: `x == none`, `x != none`
    ");
}

#[test]
fn index_of_what_is_no_array() {
    let said = items(
        r"
            shared x: int;
            shared d: data;
            shared m: map<data, data>;
            shared a2: [int; 2];
            fn f() {
                let a = x[0];
                let b = m[d];
                let c = a2[true];
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `int` cannot be indexed
      6 |x|: only arrays and `seq` have elements with a number
    error: `map<data, data>` cannot be indexed
      7 |m|: only arrays and `seq` have elements with a number
      help: `m.get(k)` is the value of a key, `none` if it has none
    error: expected `int`, found `bool`
      8 |true|: this is `bool`
      help: use `ord(x)` for the number of a value
    ");
}

#[test]
fn index_by_thread() {
    let said = items(
        r"
            shared a: [int; threads];
            shared b: [int; 5];
            fn f() {
                a[me] = 1;
                b[me] = 1;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: a thread indexes `[T; threads]` only
      5 |me|: this array has 5 elements, there are 2 threads
      help: declare the array with the length `threads`
    ");
}

#[test]
fn ord_and_hash() {
    let said = items(
        r"
            struct N { x: int }
            shared p: *N;
            shared x: int;
            hash h(x: data) -> 0..4;
            hash bad(x: int) -> data;
            hash r(x: data) -> 0..4 = q(x);
            hash q(x: data) -> 0..4 = r(x);
            fn f() {
                let a = ord(p);
                let b = h(x);
                let c = h();
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: a hash function cannot take `int`
      5 |int|: wrong kind of value
      help: use `data`, `key`, `thread`, `bool`, an enum or a range
    error: a hash function cannot return `data`
      5 |data|: wrong kind of value
      help: use a range, `bool` or an enum
    error: hash function `q` depends on itself
      7 |r(x)|: this call leads back to it
    error: this value has no number
      9 |p|: this is `*N`
      help: `ord` takes `data`, `key`, `thread`, enums, `bool` and numbers
    error: expected `data`, found `int`
      10 |x|: this is `int`
      4 |x|: the parameter is declared here
      help: values of `data` and `key` come from the client: they are parameters of operations
    error: `h` takes 1 argument, not 0
      11 |h|: the wrong number of arguments here
    ");
}

#[test]
fn a_comparison_as_statement() {
    let said = items(
        r"
            shared x: int;
            fn f() {
                x == 1;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: this comparison does nothing
      3 |x == 1|: its result is not used
      help: to assign, write one `=`
    ");
}

#[test]
fn no_result_to_keep() {
    let said = items(
        r"
            fn g() {}
            fn f() {
                let x = g();
                let y = g() == 1;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: expected a value
      3 |g()|: this has no result
    error: expected a value
      4 |g()|: this has no result
    ");
}

#[test]
fn numbers_and_optionals_mix() {
    let said = items(
        r"
            shared x: 0..4;
            shared y: int;
            shared o: 0..4?;
            fn f() {
                x = y;
                y = x + 1;
                o = x;
                o = none;
                let b = o == 3 && x < y && 2 == o;
                let z = o.unwrap() - ord(me) * -x % 2;
                x = z;
            }
        ",
    );
    assert_eq!(said, "fine");
}
