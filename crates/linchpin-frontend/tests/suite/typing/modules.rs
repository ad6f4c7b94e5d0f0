//! Modules and constants.

use super::support::{Case, items};
use insta::assert_snapshot;

#[test]
fn unknown_module() {
    let said = items(
        r"
            use stdd::Marked;
            use foo::{A, B};
            shared a: A;
            shared m: Marked<int>;
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no module `stdd`
      1 |stdd|: there is no file of this name next to the model
      help: did you mean `std`?
    error: there is no module `foo`
      2 |foo|: there is no file of this name next to the model
      help: `use foo::…` reads `foo.lin` next to the file, or `std`
    ");
}

#[test]
fn unknown_item_of_a_module() {
    let said = items(
        r"
            use std::{Markd, Bin};
            shared m: Markd<int>;
        ",
    );
    assert_snapshot!(said, @r"
    error: module `std` has no `Markd`
      1 |Markd|: not found in this module
      help: did you mean `Marked`?
    ");
}

#[test]
fn unknown_module_as_a_whole() {
    let said = items(
        r"
            use foo::*;
            shared a: A;
            fn f() { g(); }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no module `foo`
      1 |foo|: there is no file of this name next to the model
      help: `use foo::…` reads `foo.lin` next to the file, or `std`
    ");
}

#[test]
fn import_cycle() {
    let case = Case::default()
        .module(
            "a",
            r"
            use b::B;
            word A { b: B }
        ",
        )
        .module(
            "b",
            r"
            use a::A;
            word B { a: A }
        ",
        );
    let said = case.items(
        r"
            use a::A;
            shared x: A;
        ",
    );
    assert_snapshot!(said, @r"
    error: modules use each other in a circle
      b.lin 1 |a|: a uses b uses a
      help: put what both need into a module of its own
    ");
}

#[test]
fn use_of_itself() {
    let case = Case::default().module("a", "use a::*;");
    let said = case.items(
        r"
            use a::*;
        ",
    );
    assert_snapshot!(said, @r"
    error: modules use each other in a circle
      a.lin 1 |a|: a uses a
      help: put what both need into a module of its own
    ");
}

#[test]
fn function_left_open() {
    let case = Case::default().module(
        "m",
        r"
            fn acquire(x: data);
            fn add(x: data) { acquire(x); }
        ",
    );
    let said = case.items(
        r"
            use m::*;
        ",
    );
    assert_snapshot!(said, @r"
    error: function `acquire` has no body
      m.lin 1 |acquire|: declared without a body here
      m.lin 2 |acquire|: needed here
      help: write `fn acquire(…) { … }` in the file that uses the module
    ");
}

#[test]
fn function_left_open_in_the_root() {
    let said = items(
        r"
            fn acquire(x: data);
        ",
    );
    assert_snapshot!(said, @r"
    error: function `acquire` has no body
      1 |acquire|: declared without a body here
      help: only a module may leave a body to the file that uses it
    ");
}

#[test]
fn function_supplied() {
    let case = Case::default().module(
        "m",
        r"
            fn acquire(x: data);
            fn add(x: data) { acquire(x); }
        ",
    );
    let said = case.items(
        r"
            use m::*;
            fn acquire(x: data) { }
        ",
    );
    assert_eq!(said, "fine");
}

#[test]
fn function_supplied_with_another_signature() {
    let case = Case::default().module(
        "m",
        r"
            fn acquire(x: data);
            fn add(x: data) { acquire(x); }
        ",
    );
    let said = case.items(
        r"
            use m::*;
            fn acquire(x: key) { }
        ",
    );
    assert_snapshot!(said, @r"
    error: the body of `acquire` has another signature
      2 |acquire|: the types differ
      m.lin 1 |acquire|: the module declares this
      help: use the same parameters and result as in the module
    ");
}

#[test]
fn the_same_name_from_two_modules() {
    let case = Case::default()
        .module(
            "m",
            r"
            const A = 1;
            const B = 1;
        ",
        )
        .module("n", "const A = 2;");
    let said = case.items(
        r"
            use m::*;
            use n::*;
        ",
    );
    assert_snapshot!(said, @r"
    error: `A` comes from two modules
      2 |n|: `n` defines it
      1 |m|: this module defines it too
      help: choose one: `use n::A;`
    ");
}

#[test]
fn an_error_in_a_module() {
    let case = Case::default().module(
        "m",
        r"
            fn f() { let x = y; }
            fn unused() { let x = z; }
        ",
    );
    let said = case.items(
        r"
            use m::f;
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no `y`
      m.lin 1 |y|: not found here
      help: declare it: `let y = …;` here, or `shared y: …;` for all threads
    ");
}

#[test]
fn modules_that_disagree_about_memory() {
    let case = Case::default().module("m", "memory pool;").module("n", "memory manual;");
    let said = case.items(
        r"
            use m::*;
            use n::*;
        ",
    );
    assert_snapshot!(said, @r"
    error: two modules declare different kinds of memory
      n.lin 1 |memory manual;|: one declaration
      m.lin 1 |memory pool;|: the other declaration
      help: declare `memory gc;` in the file that uses them
    ");
}

#[test]
fn an_error_in_a_generic_text_is_told_once() {
    let said = items(
        r"
            struct L<T> { x: T }
            impl<T> L<T> { fn less(self, y: T) -> bool { return self.x < y; } }
            shared a: L<data>;
            shared b: L<thread>;
            fn f(d: data) -> bool { return a.less(d) || b.less(me); }
        ",
    );
    assert_snapshot!(said, @r"
    error: `data` has no order
      2 |self.x|: `data` is compared with `==` and `!=` only
      note: in `L<data>`
      help: use type `key` for ordered values
    ");
}

#[test]
fn unknown_constant_set() {
    let case = Case::default().set("CPA", 2).set("XYZ", 1);
    let said = case.items(
        r"
            const CAP = 1;
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no constant `CPA` to set to 2
      1 |object O: S;|: the object has no such constant
      help: did you mean `CAP`?
    error: there is no constant `XYZ` to set to 1
      1 |object O: S;|: the object has no such constant
      help: there is `CAP`
    ");
}

#[test]
fn constant_set() {
    let case = Case::default().set("CAP", 3);
    let said = case.items(
        r"
            const CAP = 1;
            shared a: [bool; CAP];
            fn f() { a[2] = true; }
        ",
    );
    assert_eq!(said, "fine");
}

#[test]
fn constant_set_too_large() {
    let case = Case::default().set("CAP", 9999999999);
    let said = case.items(
        r"
            const CAP = 1;
        ",
    );
    assert_snapshot!(said, @r"
    error: 9999999999 is too large for `CAP`
      1 |object O: S;|: set by the caller
      help: numbers go from -2147483646 to 2147483647
    ");
}

#[test]
fn constants_in_a_circle() {
    let said = items(
        r"
            const A = B + 1;
            const B = A;
            shared x: [int; A];
        ",
    );
    assert_snapshot!(said, @r"
    error: constant `A` depends on itself
      1 |A|: its value is needed to evaluate it
      help: give one of the constants in the circle a number
    ");
}

#[test]
fn overflow_and_division() {
    let said = items(
        r"
            const A = 9223372036854775807 + 1;
            const B = 1 / 0;
            const C = 4000000000;
            const D = 1 % (2 - 2);
            const E = true;
            const F = Z;
            const G = threads * 2 - 7 / 2 % 2;
        ",
    );
    assert_snapshot!(said, @r"
    error: this number is too large
      1 |9223372036854775807 + 1|: numbers go from -2147483646 to 2147483647
    error: division by zero
      2 |1 / 0|: in a constant expression
    error: this number is too large
      3 |4000000000|: numbers go from -2147483646 to 2147483647
    error: division by zero
      4 |1 % (2 - 2)|: in a constant expression
    error: this is not a constant number
      5 |true|: its value is needed before the program runs
      help: numbers, `const`s, `threads`, and `+ - * / %` of them are constants
    error: there is no constant `Z`
      6 |Z|: a constant is needed here
      help: there are `A`, `B`, `C`, `D`, `E`, `F`, `G` and `threads`
    ");
}

#[test]
fn huge_counts() {
    let said = items(
        r"
            fn f() { let a = [0; 100000]; let b = [[0; 60000]; 60000]; }
        ",
    );
    assert_snapshot!(said, @r"
    error: this array is too long
      1 |100000|: here the length is 100000
      help: the length of an array is between 1 and 65536
    error: this type is too large
      1 |[[0; 60000]; 60000]|: `[[int; 60000]; 60000]` exceeds the limit of 65536 slots
      help: a slot holds one number, pointer or flag; make the arrays shorter
    ");
}
