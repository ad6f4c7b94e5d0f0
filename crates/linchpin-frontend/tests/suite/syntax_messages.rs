//! The messages about common mistakes in statements and expressions, in full.

use linchpin_frontend::syntax::parse;
use linchpin_ir::source::SourceMap;
use linchpin_report::render::render;

fn messages(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("stack.lin", text);
    let (_, errors) = parse(file, text);
    errors.iter().map(|error| render(&sources, error, false)).collect::<Vec<_>>().join("\n\n")
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
      = help: write `let x = 0;`: every local may be assigned
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
fn a_word_literal_in_a_condition() {
    let text = "op f() {
    if pred.next != Link { ptr: curr } { return; }
}";
    insta::assert_snapshot!(messages(text), @"
    error: a word literal in a condition needs parentheses
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
      = help: write a decimal number without a type: `16`

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
      = help: write a block: `pattern => { … }`
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
      = help: write `'retry`, and label the loop with `'retry: loop { … }`

    error: a label begins with a quote
     --> stack.lin:2:25
      |
    2 |     retry: loop { break retry; }
      |                         ^^^^^ expected a label
      |
      = help: write `'retry`, and label the loop with `'retry: loop { … }`
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
      = help: put the body of `if` in braces, even a single statement
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
      = help: declare a variable with `let name: type = value;`
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
      = help: declare a variable with `let`, and assign it in each branch
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
fn a_function_inside_an_operation() {
    let text = "op f() {
    fn g() { x = 1; }
    y = 2;
}";
    insta::assert_snapshot!(messages(text), @"
    error: the word `fn` begins an item; a block cannot contain items
     --> stack.lin:2:5
      |
    2 |     fn g() { x = 1; }
      |     ^^ not a statement
      |
      = help: move it out of the block; declare variables with `let`
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
