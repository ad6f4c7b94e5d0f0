//! How one error does not become many, and many are all found.

use linchpin_frontend::syntax::{parse, shape};
use linchpin_ir::source::SourceMap;
use linchpin_report::render::render;

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
      |     - this `}` is indented like an outer block
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
fn a_brace_too_many() {
    let text = "op f() { x = 1; } }";
    insta::assert_snapshot!(messages(text), @"
    error: unmatched `}`
     --> stack.lin:1:19
      |
    1 | op f() { x = 1; } }
      |                   ^ no `{` is open here
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
        "spec S { fn f() {} }",
        "spec S { #[adds] fn f() {} }",
        "spec S { op f() & fn g() {} }",
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
