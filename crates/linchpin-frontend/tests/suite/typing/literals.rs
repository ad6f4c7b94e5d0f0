//! Literals: numbers, `null`, `none`, arrays, words, and what `new` makes.

use super::support::items;
use insta::assert_snapshot;

#[test]
fn none_and_null_where_they_do_not_fit() {
    let said = items(
        r"
            struct N { n: int }
            fn f() -> data { return none; }
            fn g() -> *N { return none; }
            fn h() -> data? { return null; }
        ",
    );
    assert_snapshot!(said, @r"
    error: expected `data`, found `none`
      2 |none|: `none` is an absent optional
      help: only `data?` may be `none`
    error: expected `*N`, found `none`
      3 |none|: `none` is an absent optional
      help: use `null` for a pointer
    error: expected `data?`, found `null`
      4 |null|: `null` is a pointer
      help: use `none` for an absent optional
    ");
}

#[test]
fn nothing_says_what_null_is() {
    let said = items(
        r"
            fn f() {
                let p = null;
                let n = none;
                let s = [];
                let x;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: cannot infer what this `null` points to
      2 |null|: its type is not known here
      help: write the type: `let p: *Node = null;`
    error: cannot infer the type of this `none`
      3 |none|: its type is not known here
      help: write the type of the variable: `let x: data? = none;`, `let a: *[data?] = new [none; 2];`
    error: cannot infer the element type of this `[]`
      4 |[]|: its type is not known here
      help: write the type: `let s: seq<data> = [];`
    error: cannot infer the type of `x`
      5 |x|: it has neither a type nor a value
      help: write `let x: bool;` or `let x = …;`
    ");
}

#[test]
fn out_of_range_literal() {
    let said = items(
        r"
            shared x: 0..4;
            shared o: 0..4?;
            shared y: int;
            fn f() {
                x = 4;
                x = -1;
                o = 9;
                x = y + 9;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: out-of-range literal
      5 |4|: 4 is not in `0..=3`
      5 |x|: the place holds this type
      help: values go from 0 to 3
    error: out-of-range literal
      6 |-1|: -1 is not in `0..=3`
      6 |x|: the place holds this type
      help: values go from 0 to 3
    error: out-of-range literal
      7 |9|: 9 is not in `0..=3?`
      7 |o|: the place holds this type
      help: values go from 0 to 3
    ");
}

#[test]
fn literal_index_out_of_the_array() {
    let said = items(
        r"
            shared a: [int; 3];
            fn f() {
                a[3] = 1;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no element 3
      3 |3|: this array has 3 elements
      help: the elements are numbered from 0 to 2
    ");
}

#[test]
fn number_too_large() {
    let said = items(
        r"
            fn f() {
                let x = 3000000000;
                let y = -2147483648;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: this number is too large
      2 |3000000000|: numbers go from -2147483646 to 2147483647
    error: this number is too large
      3 |-2147483648|: numbers go from -2147483646 to 2147483647
    ");
}

#[test]
fn a_struct_is_no_value() {
    let said = items(
        r"
            struct Node { val: int }
            shared nodes: [Node; 2];
            fn g(x: int) {}
            fn f() {
                let n = nodes[0];
                nodes[0] = nodes[1];
                let m = Node { val: 1 };
                g(nodes[0]);
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: a struct is not a value
      5 |nodes[0]|: `Node` is a part of memory: it cannot be copied
      help: use one of its fields, or store a pointer `*Node`; a `word` is a value
    error: a struct is not a value
      6 |nodes[0]|: `Node` is a part of memory: it cannot be copied
      help: use one of its fields, or store a pointer `*Node`; a `word` is a value
    error: a struct is not a value
      7 |Node|: `Node` is a struct
      help: `new Node { … }` allocates one and returns a pointer to it
    error: a struct is not a value
      8 |nodes[0]|: `Node` is a part of memory: it cannot be copied
      help: use one of its fields, or store a pointer `*Node`; a `word` is a value
    ");
}

#[test]
fn an_undetermined_type_argument() {
    let said = items(
        r"
            use std::{Marked, ArrayList};
            fn f() {
                let m = Marked { mark: true };
                let n = Marked { val: null, mark: true };
                let o = Marked { val: 1, mark: true };
                let l = new ArrayList {};
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: cannot infer the type argument `T` of `Marked`
      3 |Marked|: its type arguments are not known here
      std.lin 9 |Marked|: defined here
      help: write the type: `let w: Marked<data> = Marked { … };`
    error: cannot infer the type argument `T` of `Marked`
      4 |Marked|: its type arguments are not known here
      std.lin 9 |Marked|: defined here
      help: write the type: `let w: Marked<data> = Marked { … };`
    error: cannot infer the type argument `T` of `ArrayList`
      6 |ArrayList|: its type arguments are not known here
      std.lin 80 |ArrayList|: defined here
      help: write them: `new ArrayList<data> { … }`
    ");
}

#[test]
fn fields_of_literals() {
    let said = items(
        r"
            word L { ptr: int, age: int }
            struct N { link: L, l: lock }
            fn f() {
                let l = L { pt: 1, age: 2, age: 3 };
                let n = new N { link: L {}, l: true };
                let m = new L {};
                let o = new *N {};
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `L` has no field `pt`
      4 |pt|: there is no such field
      help: did you mean `ptr`?
    error: field `age` is given twice
      4 |age|: the second time here
    error: field `l` cannot be given a value
      5 |l|: `lock` is a part of memory, not a value
      help: remove the value: all parts begin with their defaults
    error: `new` allocates structs and arrays only
      6 |L|: `L` is neither
      help: write a word without `new`: `L { … }`
    error: `new` allocates structs and arrays only
      7 |*N|: `*N` is neither
      help: write it without the `*`: `new N { … }`
    ");
}

#[test]
fn array_literals() {
    let said = items(
        r"
            fn f() {
                let a: [int; 2] = [1];
                let b = [1, true];
                let c: seq<data> = [1];
                let d: [0..2; 2] = [0, 5];
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: expected 2 elements, found 1
      2 |[1]|: `[int; 2]` is expected here
    error: expected `int`, found `bool`
      3 |true|: this is `bool`
      help: use `ord(x)` for the number of a value
    error: expected `data`, found `int`
      4 |1|: this is `int`
      help: values of `data` and `key` come from the client: they are parameters of operations
    error: out-of-range literal
      5 |5|: 5 is not in `0..=1`
      help: values go from 0 to 1
    ");
}
