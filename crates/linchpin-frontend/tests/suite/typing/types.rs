//! Invalid types, and types that are not values.

use super::support::items;
use insta::assert_snapshot;

#[test]
fn a_struct_as_parameter_result_and_variable() {
    let said = items(
        r"
            struct Node { val: int }
            fn f(n: Node) -> Node { let x: Node; }
            word W { n: Node }
            shared s: seq<Node>;
            shared o: Node?;
        ",
    );
    assert_snapshot!(said, @r"
    error: `Node` is not a value
      2 |Node|: a parameter must be a value: something that can be copied
      help: a pointer is a value: `*Node`; or make it a `word`
    error: `Node` is not a value
      2 |Node|: a result must be a value: something that can be copied
      help: a pointer is a value: `*Node`; or make it a `word`
    error: `Node` is not a value
      2 |Node|: a variable of a function must be a value: something that can be copied
      help: a pointer is a value: `*Node`; or make it a `word`
    error: `Node` is not a value
      3 |Node|: a field of a word must be a value: something that can be copied
      help: a pointer is a value: `*Node`; or make it a `word`
    error: `Node` is not a value
      4 |Node|: an element of a `seq` must be a value: something that can be copied
      help: a pointer is a value: `*Node`; or make it a `word`
    error: `Node` is not a value
      5 |Node|: an optional must be a value: something that can be copied
      help: a pointer is a value: `*Node`; or make it a `word`
    ");
}

#[test]
fn a_lock_is_no_value() {
    let said = items(
        r"
            shared l: lock;
            word W { l: lock }
            local mine: lock;
            fn f() {
                let x = l;
                let y: lock;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `lock` is not a value
      2 |lock|: a field of a word must be a value: something that can be copied
      help: put locks and conditions into structs, arrays or `shared` variables
    error: a `local` variable cannot hold a lock
      3 |lock|: each thread has its own copy
      help: put locks and conditions into structs, arrays or `shared` variables
    error: a lock is not a value
      5 |l|: it cannot be copied
      help: its methods are `lock()`, `unlock()`, `try_lock()` and `is_locked()`
    error: `lock` is not a value
      6 |lock|: a variable of a function must be a value: something that can be copied
      help: put locks and conditions into structs, arrays or `shared` variables
    ");
}

#[test]
fn an_array_in_memory_is_no_value() {
    let said = items(
        r"
            word W { a: [int; 2] }
            shared a: [int; 2];
            shared w: W;
            fn f() {
                let x = a;
                a = [1, 2];
                let y = w.a;
                w.a = [1, 2];
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: a shared array cannot be read or written in one access
      5 |a|: this array has 2 locations
      help: use one element, or a `for` loop; an array in a `word` is one value
    error: a shared array cannot be read or written in one access
      6 |a|: this array has 2 locations
      help: use one element, or a `for` loop; an array in a `word` is one value
    ");
}

#[test]
fn pointers_to_what_is_not_on_the_heap() {
    let said = items(
        r"
            word W { x: int }
            shared a: *int;
            shared b: *W;
            shared c: *[int; 2];
            shared d: *[W];
        ",
    );
    assert_snapshot!(said, @r"
    error: a pointer must point to a struct or an array
      2 |int|: `int` is not on the heap
      help: put it into a struct: `struct Cell { value: int }`
    error: a pointer must point to a struct or an array
      3 |W|: `W` is not on the heap
      help: make it a `struct`, or put the word into one
    error: a pointer must point to a struct or an array
      4 |[int; 2]|: `[int; 2]` is not on the heap
      help: an array on the heap is `*[int]`
    ");
}

#[test]
fn recursive_struct_by_value() {
    let said = items(
        r"
            struct A { b: [B; 2] }
            struct B { x: int, a: A }
            word W { w: W? }
        ",
    );
    assert_snapshot!(said, @r"
    error: `A` contains itself
      2 |a|: through this field, by value
      help: use a pointer: `*A`
    error: `W` contains itself
      3 |w|: through this field, by value
      help: use a pointer to a struct
    ");
}

#[test]
fn wrong_number_of_type_arguments() {
    let said = items(
        r"
            use std::Marked;
            shared a: Marked;
            shared b: Marked<int, int>;
            struct C { x: int }
            shared c: C<int>;
        ",
    );
    assert_snapshot!(said, @r"
    error: `Marked` takes 1 type argument, not 0
      2 |Marked|: wrong number of type arguments
      std.lin 9 |Marked|: defined here
      help: write `Marked<…>` with a type for `T`
    error: `Marked` takes 1 type argument, not 2
      3 |Marked|: wrong number of type arguments
      std.lin 9 |Marked|: defined here
      help: write `Marked<…>` with a type for `T`
    error: `C` takes no type arguments, not 1
      5 |C|: it is not generic
      4 |C|: defined here
    ");
}

#[test]
fn expansion_without_end() {
    let said = items(
        r"
            struct S<T> { next: *S<S<T>> }
            shared s: *S<int>;
        ",
    );
    assert_snapshot!(said, @r"
    error: the type parameters of `S` expand without end
      1 |S|: each expansion asks for a larger one
      1 |S|: defined here
      help: a struct may use itself with the same type arguments only
    ");
}

#[test]
fn expansion_that_doubles() {
    let said = items(
        r"
            word P<A, B> { a: A, b: B }
            struct S<T> { next: *S<P<T, T>> }
            shared s: *S<int>;
        ",
    );
    assert_snapshot!(said, @r"
    error: the type parameters of `P` expand without end
      2 |P|: each expansion asks for a larger one
      1 |P|: defined here
      help: a struct may use itself with the same type arguments only
    ");
}

#[test]
fn alias_of_itself() {
    let said = items(
        r"
            type A = *B;
            type B = A;
        ",
    );
    assert_snapshot!(said, @r"
    error: type alias `A` refers to itself
      1 |A|: this alias is needed to resolve itself
      help: use a `struct`: it may contain pointers to itself
    ");
}

#[test]
fn ranges_without_values() {
    let said = items(
        r"
            shared a: 4..2;
            shared b: 3..3;
            shared c: 0..9999999999;
        ",
    );
    assert_snapshot!(said, @r"
    error: this range has no values
      1 |4..2|: here it is 4..2
      help: `a..b` ends before `b`, `a..=b` includes it
    error: this range has no values
      2 |3..3|: here it is 3..3
      help: `a..b` ends before `b`, `a..=b` includes it
    error: this number is too large
      3 |9999999999|: numbers go from -2147483646 to 2147483647
    ");
}

#[test]
fn lengths_of_arrays() {
    let said = items(
        r"
            shared a: [bool; 1000000000];
            shared b: [bool; 0];
            shared c: [[bool; 60000]; 60000];
            shared d: [bool; x];
            shared x: int;
        ",
    );
    assert_snapshot!(said, @r"
    error: this array is too long
      1 |1000000000|: here the length is 1000000000
      help: the length of an array is between 1 and 65536
    error: an array needs at least one element
      2 |0|: here the length is 0
      help: the length of an array is between 1 and 65536
    error: this type is too large
      3 |[[bool; 60000]; 60000]|: `[[bool; 60000]; 60000]` exceeds the limit of 65536 slots
      help: a slot holds one number, pointer or flag; make the arrays shorter
    error: `x` is not a constant
      4 |x|: this is a shared variable
      5 |x|: defined here
      help: for a length known at run time, use `*[T]` and `new [e; n]`
    ");
}

#[test]
fn assignment_to_what_is_no_place() {
    let said = items(
        r"
            const N = 2;
            word W { x: int }
            shared s: seq<W>;
            fn g() -> W { return W {}; }
            fn f() {
                N = 3;
                g().x = 3;
                s[0].x = 1;
                s[0] += 1;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: a constant cannot be assigned
      6 |N|: this never changes
    error: this cannot be assigned
      7 |g().x|: a value, not a place
      help: variables, fields and elements of arrays can be assigned
    error: an element of a `seq` is replaced as a whole
      8 |s[0].x|: this is a part of an element
      help: read the element, change it, and write it back: `s[i] = x;`
    error: `+=` and `-=` do not work on an element of a `seq`
      9 |s[0] += 1;|: not supported here
      help: write `s[i] = s[i] + 1;`
    ");
}
