//! The messages about common mistakes in declarations, types and checks, in full.

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
      = help: remove `&`: `cas(head, old, new)` takes the place `head` itself

    error: expected an expression, found `*`
     --> stack.lin:3:5
      |
    3 |     *p = 3;
      |     ^ expected an expression
      |
      = help: write `p.field`: the dot follows a pointer
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
      = help: remove `pub`: everything is visible
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
      = help: separate the parts of a declaration with commas
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
fn a_value_where_a_type_is_expected() {
    let text = "shared x: 4;";
    insta::assert_snapshot!(messages(text), @"
    error: expected a type, found a value
     --> stack.lin:1:11
      |
    1 | shared x: 4;
      |           ^ expected a type
      |
      = help: write a range of numbers as `low..high` or `low..=high`
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
      = help: write `1..3`: a range of a bound includes its end

    error: expected `:` or `;`, found `-`
     --> stack.lin:1:29
      |
    1 | check { threads: 1..=3; lock-free; }
      |                             ^ expected `:` or `;`
      |
      = help: write properties with `_`: `lock_free`
    ");
}

#[test]
fn bounds_after_properties() {
    let text = "check { linearizable; threads: 2; }";
    insta::assert_snapshot!(messages(text), @"
    error: bounds must come before the properties
     --> stack.lin:1:23
      |
    1 | check { linearizable; threads: 2; }
      |                       ^^^^^^^ a bound
      |
      = help: write `check { threads: 2, nodes: 3; linearizable; }`
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
