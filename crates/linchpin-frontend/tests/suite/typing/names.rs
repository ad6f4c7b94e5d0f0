//! Names: unknown ones, those defined twice, labels, methods.

use super::support::items;
use insta::assert_snapshot;

#[test]
fn unknown_variable_with_suggestion() {
    let said = items(
        r"
            struct Node { next: *Node }
            shared head: *Node;
            fn f() {
                haed = null;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no `haed`
      4 |haed|: not found here
      help: did you mean `head`?
    ");
}

#[test]
fn unknown_variable_without_suggestion() {
    let said = items(
        r"
            fn f() {
                let x = zzz;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no `zzz`
      2 |zzz|: not found here
      help: declare it: `let zzz = …;` here, or `shared zzz: …;` for all threads
    ");
}

#[test]
fn unknown_function_with_suggestion() {
    let said = items(
        r"
            fn validate() {}
            fn f() {
                validat();
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no function `validat`
      3 |validat|: not found
      help: did you mean `validate`?
    ");
}

#[test]
fn unknown_primitive_with_suggestion() {
    let said = items(
        r"
            shared x: int;
            fn f() {
                cass(x, 0, 1);
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no function `cass`
      3 |cass|: not found
      help: did you mean `cas`?
    ");
}

#[test]
fn unknown_type_with_suggestion() {
    let said = items(
        r"
            struct Node { next: *Nod }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no type `Nod`
      1 |Nod|: not found
      help: did you mean `Node`?
    ");
}

#[test]
fn type_of_the_standard_library_without_use() {
    let said = items(
        r"
            shared l: ReentrantLock;
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no type `ReentrantLock`
      1 |ReentrantLock|: not found
      help: the type is in the standard library: add `use std::ReentrantLock;`
    ");
}

#[test]
fn unknown_field_with_suggestion() {
    let said = items(
        r"
            struct Node { val: data, next: *Node }
            shared head: *Node;
            fn f() {
                head.nxt = null;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `Node` has no field `nxt`
      4 |nxt|: there is no such field
      1 |struct Node { val: data, next: *Node }|: `Node` is defined here
      help: did you mean `next`?
    ");
}

#[test]
fn unknown_variant_with_suggestion() {
    let said = items(
        r"
            enum State { Empty, Full }
            shared state: State;
            fn f() {
                state = State::Emty;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `State` has no variant `Emty`
      4 |Emty|: not found
      help: did you mean `Empty`?
    ");
}

#[test]
fn unknown_method_of_a_collection() {
    let said = items(
        r"
            shared items: seq<data>;
            fn f() {
                items.push(v);
                items.popfront();
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `seq<data>` has no method `push`
      3 |push|: there is no such method
      help: its methods are `push_back`, `push_front`, `pop_back`, `pop_front`, `remove_at`, `insert_at`, `len`, `is_empty`, `clear`, `contains`, `all` and `any`
    error: there is no `v`
      3 |v|: not found here
      help: declare it: `let v = …;` here, or `shared v: …;` for all threads
    error: `seq<data>` has no method `popfront`
      4 |popfront|: there is no such method
      help: did you mean `pop_front`?
    ");
}

#[test]
fn unknown_method_of_a_lock() {
    let said = items(
        r"
            shared l: lock;
            fn f() {
                l.acquire();
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `lock` has no method `acquire`
      3 |acquire|: there is no such method
      help: its methods are `lock`, `unlock`, `try_lock` and `is_locked`
    ");
}

#[test]
fn unknown_method_of_a_struct() {
    let said = items(
        r"
            struct C { n: int }
            impl C { fn increment(self) {} }
            shared c: C;
            fn f() {
                c.increase();
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `C` has no method `increase`
      5 |increase|: there is no such method
      help: there is `increment`
    ");
}

#[test]
fn method_used_as_field() {
    let said = items(
        r"
            struct C { n: int }
            impl C { fn get(self) -> int { return self.n; } }
            shared c: C;
            fn f() {
                let n = c.get;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `C` has no field `get`
      5 |get|: there is no such field
      1 |struct C { n: int }|: `C` is defined here
      help: call the method: `get(…)`
    ");
}

#[test]
fn function_used_as_value() {
    let said = items(
        r"
            fn g() {}
            fn f() {
                let n = g;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `g` is not a value
      3 |g|: this is a function
      1 |g|: defined here
      help: call it: `g(…)`
    ");
}

#[test]
fn variable_called() {
    let said = items(
        r"
            shared x: int;
            fn f() {
                x();
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `x` is not a function
      3 |x|: this is a variable
    ");
}

#[test]
fn defined_twice() {
    let said = items(
        r"
            shared x: int;
            local x: int;
            struct A { x: int }
            word A { y: int }
            fn a() {}
            hash a(x: data) -> 0..4;
        ",
    );
    assert_snapshot!(said, @r"
    error: `x` is defined twice
      2 |x|: the second time here
      1 |x|: the first time here
      help: give one of the two another name
    error: `A` is defined twice
      4 |A|: the second time here
      3 |A|: the first time here
      help: give one of the two another name
    error: `a` is defined twice
      6 |a|: the second time here
      5 |a|: the first time here
      help: give one of the two another name
    ");
}

#[test]
fn field_and_parameter_and_variant_twice() {
    let said = items(
        r"
            struct A { x: int, x: bool }
            enum E { A, A }
            fn f(x: int, x: int) {}
        ",
    );
    assert_snapshot!(said, @r"
    error: field `x` is declared twice
      1 |x|: the second time here
      1 |x|: the first time here
    error: variant `A` is declared twice
      2 |A|: the second time here
      2 |A|: the first time here
    error: parameter `x` is declared twice
      3 |x|: the second time here
      3 |x|: the first time here
    ");
}

#[test]
fn primitive_defined() {
    let said = items(
        r"
            fn swap(a: int) {}
        ",
    );
    assert_snapshot!(said, @r"
    error: `swap` is a primitive of the language
      1 |swap|: this name is taken
      help: give the function another name
    ");
}

#[test]
fn method_defined_twice() {
    let said = items(
        r"
            struct A { x: int }
            impl A { fn f(self) {} fn f(self) {} }
        ",
    );
    assert_snapshot!(said, @r"
    error: `f` is defined twice
      2 |f|: the second time here
      2 |f|: the first time here
      help: give one of the two another name
    ");
}

#[test]
fn shadowing_is_allowed() {
    let said = items(
        r"
            fn f() {
                let x = 1;
                let x = true;
                if x { let x = 2; x = 3; }
            }
        ",
    );
    assert_eq!(said, "fine");
}

#[test]
fn self_outside_of_a_method() {
    let said = items(
        r"
            fn f() {
                self.x = 1;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no `self` here
      2 |self|: not inside a method
      help: write the variable alone: `head`; `self` is the place before the dot in an `impl`
    ");
}

#[test]
fn unknown_label() {
    let said = items(
        r"
            fn f() {
                'retry: loop { break 'rety; }
                loop { continue 'outer; }
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no loop `'rety` here
      2 |'rety|: no enclosing loop has this label
      help: did you mean `'retry`?
    error: there is no loop `'outer` here
      3 |'outer|: no enclosing loop has this label
      help: label a loop with `'outer: loop { … }`
    ");
}

#[test]
fn break_outside_of_a_loop() {
    let said = items(
        r"
            fn f() {
                break;
            }
        ",
    );
    assert_snapshot!(said, @r"
    error: `break` outside of a loop
      2 |break;|: no loop here
    ");
}

#[test]
fn impl_with_other_type_parameters() {
    let said = items(
        r"
            word Pair<A, B> { a: A, b: B }
            impl<T> Pair<T> { fn f(self) {} }
        ",
    );
    assert_snapshot!(said, @r"
    error: the type parameters of this `impl` are not those of its type
      2 |Pair|: `Pair` has 2 type parameters
      1 |Pair|: defined here
      help: write `impl<A, B> Pair<A, B>`
    ");
}

#[test]
fn impl_of_nothing() {
    let said = items(
        r"
            impl Nod { fn f(self) {} }
            struct Node { x: int }
        ",
    );
    assert_snapshot!(said, @r"
    error: there is no type `Nod`
      1 |Nod|: not found
      help: did you mean `Node`?
    ");
}

#[test]
fn method_without_self() {
    let said = items(
        r"
            struct A { x: int }
            impl A { fn f() {} }
            fn g(self) {}
        ",
    );
    assert_snapshot!(said, @r"
    error: method `f` has no `self`
      2 |f|: no call could reach this method
      help: write `fn f(self, …)`, or put the function outside of the `impl`
    error: `self` outside of an `impl`
      3 |self|: there is no place before the dot here
      help: methods are written in `impl Type { fn f(self) { … } }`
    ");
}

#[test]
fn a_syntax_error_hides_no_type_error_and_makes_none() {
    let said = items(
        r"
            struct Node { next *Node }
            shared head: *Node;
            op push( {
            }
            fn f() { let x: Missing = 1; if 1 { } push(); }
            fn g() -> int { 
        ",
    );
    assert_snapshot!(said, @r"
    error: expected `:`, found `*`
      1 |*|: expected `:`
      help: write the name first, then the type: `name: type`
    error: expected a name, found `{`
      3 |{|: expected a name
    error: expected `bool`, found `int`
      5 |1|: this is `int`
      help: compare it: `x != 0`
    error: a `{` is not closed
      6 |{|: this one
      6 ||: the file ends before its `}`
    ");
}
