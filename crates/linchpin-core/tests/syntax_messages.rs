//! What is told of the mistakes people make. A dozen and more, in full; then how one error does not become many.

use linchpin_core::diagnostic::render;
use linchpin_core::source::SourceMap;
use linchpin_core::syntax::{parse, shape};

fn messages(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("stack.lin", text);
    let (_, errors) = parse(file, text);
    errors.iter().map(|error| render(&sources, error, false)).collect::<Vec<_>>().join("\n\n")
}

fn titles(text: &str) -> Vec<String> {
    let file = SourceMap::default().add("stack.lin", text);
    parse(file, text).1.into_iter().map(|error| error.title).collect()
}

#[test]
fn a_forgotten_semicolon_is_told_where_it_belongs() {
    let text = "op push(v: data) {
    let x = head
    x = y
}";
    insta::assert_snapshot!(messages(text), @"
    error: `;` is missing
     --> stack.lin:2:17
      |
    2 |     let x = head
      |                 ^ expected `;`

    error: `;` is missing
     --> stack.lin:3:10
      |
    3 |     x = y
      |          ^ expected `;`
    ");
}

#[test]
fn mut_is_not_needed() {
    let text = "op f() {
    let mut x = 3;
}";
    insta::assert_snapshot!(messages(text), @"
    error: there is no `mut`
     --> stack.lin:2:9
      |
    2 |     let mut x = 3;
      |         ^^^ not needed
      |
      = help: every local may be assigned: `let x = 0;`
    ");
}

#[test]
fn there_are_no_references() {
    let text = "fn f(p: &Node) {
    g(&p);
    *p = 3;
}";
    insta::assert_snapshot!(messages(text), @"
    error: there are no references
     --> stack.lin:1:9
      |
    1 | fn f(p: &Node) {
      |         ^ expected a type
      |
      = help: `*T` points to a struct made by `new`; functions pass values

    error: expected an expression, found `&`
     --> stack.lin:2:7
      |
    2 |     g(&p);
      |       ^ expected an expression
      |
      = help: there are no addresses; a function gets values, a method the place before its dot

    error: expected an expression, found `*`
     --> stack.lin:3:5
      |
    3 |     *p = 3;
      |     ^ expected an expression
      |
      = help: a pointer is followed by a dot: `p.field`
    ");
}

#[test]
fn increments_and_other_assignments() {
    let text = "op f() {
    x++;
    x *= 2;
}";
    insta::assert_snapshot!(messages(text), @"
    error: expected an expression, found `+`
     --> stack.lin:2:7
      |
    2 |     x++;
      |       ^ expected an expression
      |
      = help: write `x += 1` or `x -= 1`

    error: there is no assignment `*=`
     --> stack.lin:3:7
      |
    3 |     x *= 2;
      |       ^^ expected `=`, `+=` or `-=`
      |
      = help: write `x = x * y;`
    ");
}

#[test]
fn three_equals_signs() {
    let text = "op f() {
    assert a === b;
}";
    insta::assert_snapshot!(messages(text), @"
    error: there is no operator `===`
     --> stack.lin:2:14
      |
    2 |     assert a === b;
      |              ^^^ expected `==`
      |
      = help: write `==`; it compares values of one type only
    ");
}

#[test]
fn the_brace_that_is_not_closed_is_found_by_indentation() {
    let text = "op push(v: data) {
    loop {
        if x == y {
            return;
    }
}

op pop() -> data? {
    return none;
}";
    insta::assert_snapshot!(messages(text), @"
    error: a `{` is not closed
     --> stack.lin:3:19
      |
    3 |         if x == y {
      |                   ^ probably this one
    4 |             return;
    5 |     }
      |     - this `}` stands further left, under an outer block
    ...
    8 | op pop() -> data? {
      | -- noticed here
    ");
}

#[test]
fn a_brace_open_at_the_end_of_the_file() {
    let text = "struct Node { val: data }
op f() {
    x = 1;
";
    insta::assert_snapshot!(messages(text), @"
    error: a `{` is not closed
     --> stack.lin:2:8
      |
    2 | op f() {
      |        ^ this one
    3 |     x = 1;
      |           - the file ends before its `}`
    ");
}

#[test]
fn a_word_literal_in_a_condition() {
    let text = "op f() {
    if pred.next != Link { ptr: curr } { return; }
}";
    insta::assert_snapshot!(messages(text), @"
    error: a word literal in a condition stands in parentheses
     --> stack.lin:2:21
      |
    2 |     if pred.next != Link { ptr: curr } { return; }
      |                     ^^^^^^ `{` would begin the block
      |
      = help: write `(Link { … })`
    ");
}

#[test]
fn an_assignment_as_a_condition() {
    let text = "op f() {
    while x = 3 { y = 2; }
}";
    insta::assert_snapshot!(messages(text), @"
    error: expected a condition, found an assignment
     --> stack.lin:2:13
      |
    2 |     while x = 3 { y = 2; }
      |             ^ this assigns
      |
      = help: `==` compares, `=` assigns
    ");
}

#[test]
fn numbers_too_large_or_not_decimal() {
    let text = "op f() {
    x = 9223372036854775808;
    y = 0x1f;
    z = 1.5;
}";
    insta::assert_snapshot!(messages(text), @"
    error: this number is too large
     --> stack.lin:2:9
      |
    2 |     x = 9223372036854775808;
      |         ^^^^^^^^^^^^^^^^^^^ the largest is 9223372036854775807

    error: `0x1f` is not a number
     --> stack.lin:3:9
      |
    3 |     y = 0x1f;
      |         ^^^^ expected decimal digits
      |
      = help: numbers are written in decimal, without a type: `16`

    error: expected the name of a field or method, found `5`
     --> stack.lin:4:11
      |
    4 |     z = 1.5;
      |           ^ expected the name of a field or method
      |
      = help: there are neither fractions nor tuples; `x[0]` is the first element of an array
    ");
}

#[test]
fn a_missing_arrow() {
    let text = "op pop() data? { return none; }";
    insta::assert_snapshot!(messages(text), @"
    error: `->` is missing before the result type
     --> stack.lin:1:9
      |
    1 | op pop() data? { return none; }
      |         ^ expected `->`
      |
      = help: write `op name(x: type) -> type`
    ");
}

#[test]
fn an_operation_without_op() {
    let text = "push(v: data) {
    x = 1;
}";
    insta::assert_snapshot!(messages(text), @"
    error: expected an item, found `push`
     --> stack.lin:1:1
      |
    1 | push(v: data) {
      | ^^^^ expected an item
      |
      = help: an operation begins with `op`, a function with `fn`
    ");
}

#[test]
fn pub_is_not_needed() {
    let text = "pub fn f() {}";
    insta::assert_snapshot!(messages(text), @"
    error: expected an item, found `pub`
     --> stack.lin:1:1
      |
    1 | pub fn f() {}
      | ^^^ expected an item
      |
      = help: everything is visible; leave `pub` out
    ");
}

#[test]
fn an_arm_without_a_block() {
    let text = "op f() {
    match s {
        State::Empty => return none,
        State::Busy => { x = 1; }
    }
}";
    insta::assert_snapshot!(messages(text), @"
    error: expected `{`, found the word `return`
     --> stack.lin:3:25
      |
    3 |         State::Empty => return none,
      |                         ^^^^^^ expected `{`
      |
      = help: the body of an arm is a block: `pattern => { … }`
    ");
}

#[test]
fn a_label_without_its_quote() {
    let text = "op f() {
    retry: loop { break retry; }
}";
    insta::assert_snapshot!(messages(text), @"
    error: a label begins with a quote
     --> stack.lin:2:5
      |
    2 |     retry: loop { break retry; }
      |     ^^^^^ expected a label
      |
      = help: write `'retry`

    error: a label begins with a quote
     --> stack.lin:2:25
      |
    2 |     retry: loop { break retry; }
      |                         ^^^^^ expected a label
      |
      = help: write `'retry`
    ");
}

#[test]
fn a_reserved_word_as_a_name() {
    let text = "shared new: *Node;";
    insta::assert_snapshot!(messages(text), @"
    error: `new` is a reserved word
     --> stack.lin:1:8
      |
    1 | shared new: *Node;
      |        ^^^ expected the name of a variable
      |
      = help: choose another name, such as `new_`
    ");
}

#[test]
fn a_small_letter_and_c_like_fields() {
    let text = "struct node { val: data; next: *Node; }";
    insta::assert_snapshot!(messages(text), @"
    error: `node` begins with a small letter
     --> stack.lin:1:8
      |
    1 | struct node { val: data; next: *Node; }
      |        ^^^^ expected the name of a type
      |
      = note: types, words, constants and specifications begin with a capital letter
      = help: write `Node`, here and where it is used

    error: expected `,`, found `;`
     --> stack.lin:1:24
      |
    1 | struct node { val: data; next: *Node; }
      |                        ^ expected `,`
      |
      = help: the parts of a declaration are separated by commas
    ");
}

#[test]
fn a_constant_with_a_type() {
    let text = "const cap: int = 2;";
    insta::assert_snapshot!(messages(text), @"
    error: `cap` begins with a small letter
     --> stack.lin:1:7
      |
    1 | const cap: int = 2;
      |       ^^^ expected the name of a constant
      |
      = note: types, words, constants and specifications begin with a capital letter
      = help: write `CAP`, here and where it is used

    error: a constant has no type
     --> stack.lin:1:10
      |
    1 | const cap: int = 2;
      |          ^ expected `=`
      |
      = help: write `const N = 2;`
    ");
}

#[test]
fn a_statement_without_braces() {
    let text = "op f() {
    if x return;
}";
    insta::assert_snapshot!(messages(text), @"
    error: expected `{`, found the word `return`
     --> stack.lin:2:10
      |
    2 |     if x return;
      |          ^^^^^^ expected `{`
      |
      = help: what belongs to `if` stands in braces, even a single statement
    ");
}

#[test]
fn a_loop_as_in_c() {
    let text = "op f() {
    for (int i = 0; i < n; i++) { x = 1; }
}";
    insta::assert_snapshot!(messages(text), @"
    error: expected the name of the loop's variable, found `(`
     --> stack.lin:2:9
      |
    2 |     for (int i = 0; i < n; i++) { x = 1; }
      |         ^ expected the name of the loop's variable
      |
      = help: write `for i in 0..n { … }`, or a `while`
    ");
}

#[test]
fn a_declaration_as_in_c() {
    let text = "op f() {
    int x = 3;
}";
    insta::assert_snapshot!(messages(text), @"
    error: expected `;`, found `x`
     --> stack.lin:2:9
      |
    2 |     int x = 3;
      |         ^ expected `;`
      |
      = help: a variable is declared `let name: type = value;`
    ");
}

#[test]
fn a_statement_as_an_expression() {
    let text = "op f() {
    let x = if a { 1 } else { 2 };
}";
    insta::assert_snapshot!(messages(text), @"
    error: expected an expression, found the word `if`
     --> stack.lin:2:13
      |
    2 |     let x = if a { 1 } else { 2 };
      |             ^^ expected an expression
      |
      = help: these are statements: declare a variable with `let`, assign it in each branch
    ");
}

#[test]
fn a_macro_would_mean_not() {
    let text = "op f() {
    assert!(x == 1);
}";
    insta::assert_snapshot!(messages(text), @"
    error: there are no macros
     --> stack.lin:2:11
      |
    2 |     assert!(x == 1);
      |           ^ would mean `not`
      |
      = help: write `assert c;`, and for the negation `assert !c;`
    ");
}

#[test]
fn chained_comparisons() {
    let text = "op f() {
    assert 0 < x < 3;
}";
    insta::assert_snapshot!(messages(text), @"
    error: comparisons cannot be chained
     --> stack.lin:2:18
      |
    2 |     assert 0 < x < 3;
      |              -   ^ a second comparison
      |              |
      |              the first one
      |
      = help: write `a < b && b < c`, or put one of them in parentheses
    ");
}

#[test]
fn a_value_where_a_type_is_expected() {
    let text = "shared x: 4;";
    insta::assert_snapshot!(messages(text), @"
    error: a value stands where a type is expected
     --> stack.lin:1:11
      |
    1 | shared x: 4;
      |           ^ expected a type
      |
      = help: a range of numbers is written `low..high` or `low..=high`
    ");
}

#[test]
fn an_open_parenthesis() {
    let text = "op f() {
    g(a, b;
}";
    insta::assert_snapshot!(messages(text), @"
    error: expected `,` or `)`, found `;`
     --> stack.lin:2:11
      |
    2 |     g(a, b;
      |      -    ^ expected `,` or `)`
      |      |
      |      opened here
    ");
}

#[test]
fn a_range_of_a_bound() {
    let text = "check { threads: 1..=3; lock-free; }";
    insta::assert_snapshot!(messages(text), @"
    error: expected `..`, found `..=`
     --> stack.lin:1:19
      |
    1 | check { threads: 1..=3; lock-free; }
      |                   ^^^ expected `..`
      |
      = help: a range of a bound includes its end: `1..3`

    error: expected `:` or `;`, found `-`
     --> stack.lin:1:29
      |
    1 | check { threads: 1..=3; lock-free; }
      |                             ^ expected `:` or `;`
      |
      = help: properties are written with `_`: `lock_free`
    ");
}

#[test]
fn bounds_after_properties() {
    let text = "check { linearizable; threads: 2; }";
    insta::assert_snapshot!(messages(text), @"
    error: bounds stand before the properties
     --> stack.lin:1:23
      |
    1 | check { linearizable; threads: 2; }
      |                       ^^^^^^^ a bound
      |
      = help: write `check { threads: 2, nodes: 3; linearizable; }`
    ");
}

#[test]
fn a_function_inside_an_operation() {
    let text = "op f() {
    fn g() { x = 1; }
    y = 2;
}";
    insta::assert_snapshot!(messages(text), @"
    error: the word `fn` begins an item, and items do not stand in blocks
     --> stack.lin:2:5
      |
    2 |     fn g() { x = 1; }
      |     ^^ not a statement
      |
      = help: move it out of the block; variables are made by `let`
    ");
}

#[test]
fn strings_block_comments_and_unknown_characters() {
    let text = r#"/* old */
op f() {
    x = "text";
    y = $;
}"#;
    insta::assert_snapshot!(messages(text), @r#"
    error: there are no block comments
     --> stack.lin:1:1
      |
    1 | /* old */
      | ^^ begins here
      |
      = help: write `//` before each line

    error: there are no strings
     --> stack.lin:3:9
      |
    3 |     x = "text";
      |         ^^^^^^ not a value of the language
      |
      = help: an `enum` names values; a comment `//` explains

    error: unknown character `$`
     --> stack.lin:4:9
      |
    4 |     y = $;
      |         ^ no token begins with this
    "#);
}

#[test]
fn a_brace_too_many() {
    let text = "op f() { x = 1; } }";
    insta::assert_snapshot!(messages(text), @"
    error: a `}` without its `{`
     --> stack.lin:1:19
      |
    1 | op f() { x = 1; } }
      |                   ^ nothing is open here
    ");
}

#[test]
fn else_if_in_one_word() {
    let text = "op f() {
    if a { x = 1; } elif b { x = 2; }
}";
    insta::assert_snapshot!(messages(text), @"
    error: expected `;`, found `b`
     --> stack.lin:2:26
      |
    2 |     if a { x = 1; } elif b { x = 2; }
      |                          ^ expected `;`
      |
      = help: write `else if`
    ");
}

#[test]
fn independent_errors_are_all_found() {
    let text = "const N = ;
struct A { x: , y: }
op f(a: , b: int) { let x = ; y = 1 +; z = 2; return }
op g() { if { x = ; } while a b { y = ; } match a { => {} _ => { z = ; } } }
check { threads: ; linearizable }
spec S { state x; op f() { x = ; } }
";
    let lines: Vec<usize> = {
        let mut sources = SourceMap::default();
        let file = sources.add("stack.lin", text);
        parse(file, text).1.iter().map(|error| sources.line_of(error.labels[0].span)).collect()
    };
    assert_eq!(lines, [1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5, 6, 6], "{:#?}", titles(text));
}

#[test]
fn one_error_is_told_once() {
    for text in [
        "op f() { x = (1 + ; }",
        "op f() { x = f(1, [2, 3); y = 1; }",
        "op f(x: data { y = 1; }",
        "op f( { y = 1; }",
        "op { x = 1; }",
        "op f() { let = 3; y = 1; }",
        "op f() { if x == { y = 1; } z = 1; }",
        "op f() { x = £; }",
        "op f() { for i in { x = 1; } y = 1; }",
        "struct { x: int }",
        "struct A x: int }",
        "struct A { x int }",
        "enum E { A B }",
        "use std;",
        "use std::{A, B;",
        "impl { fn f(self) {} }",
        "spec { op f() {} }",
        "spec S { op f( {} }",
        "spec S { op f() when {} }",
        "check { threads: 2 linearizable; }",
        "check { threads: 1..; linearizable; }",
        "prove { linearizable; }",
        "role r = ;",
        "role r = (a;",
        "hash h(x) -> 0..4;",
        "object A;",
        "memory;",
        "shared x;",
        "class A { int x; void f() { return; } }",
        "op f() { return none; } )",
        "op f() { x = a b c d; y = 1; }",
        "op f() { lin maybe of; }",
        "op f() { x. = 1; }",
        "op f() { x[ = 1; }",
        "op f() { 3 = x; }",
        "op f() { else { x = 1; } }",
        "op f() { ; }",
        "op f() { atomic x = 1; }",
    ] {
        assert_eq!(titles(text).len(), 1, "{text}: {:?}", titles(text));
    }
}

#[test]
fn what_follows_an_error_is_read() {
    let text = "op f() { x = ; y = 1; }\nop g( { }\nop h() { z = 1; }";
    let (tree, errors) = parse(SourceMap::default().add("stack.lin", text), text);
    assert_eq!(errors.len(), 2);
    let shape = shape(&tree);
    assert!(shape.contains("(= x <error>) (= y 1)") && shape.contains("(= z 1)"), "{shape}");
}

#[test]
fn too_many_errors_are_cut() {
    let text = "op f() { x = ; }\n".repeat(80);
    let titles = titles(&text);
    assert_eq!(titles.len(), 51);
    assert_eq!(titles[50], "too many errors");
}
