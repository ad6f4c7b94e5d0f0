//! What the formatter makes of badly written text.

use linchpin_frontend::syntax::{format, parse};
use linchpin_ir::source::SourceMap;

fn formatted(text: &str) -> String {
    let file = SourceMap::default().add("test.lin", text);
    let (tree, errors) = parse(file, text);
    assert!(errors.is_empty(), "{text}: {:?}", errors[0]);
    format(&tree, text)
}

#[test]
fn well_written_text_stays() {
    let sample = include_str!("syntax_sample.lin");
    assert_eq!(formatted(sample), sample);
}

#[test]
fn spaces_and_lines_are_put_right() {
    let text = "object  A:B ;
const N=1+2*( 3 );
enum   E{A,B,}
struct Node{val:data,next:*Node}
shared head:*Node=null ;
op push( v:data ){let n=new Node{val:v};
loop{
let top=head;n.next=top;


if cas(head,top,n){lin;return;}
if !x
{
y=1;
}
else { y = 2; }
}}
check{threads:2,nodes:3;linearizable;lock_free:violated;}";
    insta::assert_snapshot!(formatted(text), @"
    object A: B;
    const N = 1 + 2 * (3);
    enum E { A, B }
    struct Node { val: data, next: *Node }
    shared head: *Node = null;
    op push(v: data) {
        let n = new Node { val: v };
        loop {
            let top = head;
            n.next = top;

            if cas(head, top, n) { lin; return; }
            if !x {
                y = 1;
            } else {
                y = 2;
            }
        }
    }
    check { threads: 2, nodes: 3; linearizable; lock_free: violated; }
    ");
}

#[test]
fn short_blocks_stay_or_go_to_one_line() {
    let text = "op f() {
    if a { b = 1; c = 2; }
    if a {
        return none;
    }
    if a {
        b = 1; c = 2;
    }
    if a { if b { c = 1; } }
    if a { b = 1; } else { b = 2; }
    if a { b = 1; }
    else { b = 2; }
    while a
    {}
    loop { x = a_call_with_a_long_name(and_an_argument, and_another_argument_that_is_longer, and_one_more_here); }
    match a { A => { b = 1; } B => {
        b = 2; } }
}
op g() { return a; }
op h() {
    return a;
}";
    insta::assert_snapshot!(formatted(text), @"
    op f() {
        if a { b = 1; c = 2; }
        if a { return none; }
        if a {
            b = 1;
            c = 2;
        }
        if a {
            if b { c = 1; }
        }
        if a { b = 1; } else { b = 2; }
        if a {
            b = 1;
        } else {
            b = 2;
        }
        while a {}
        loop {
            x = a_call_with_a_long_name(and_an_argument, and_another_argument_that_is_longer, and_one_more_here);
        }
        match a {
            A => { b = 1; }
            B => {
                b = 2;
            }
        }
    }
    op g() { return a; }
    op h() {
        return a;
    }
    ");
}

#[test]
fn long_lines_are_broken() {
    let text = "fn f(the_first_parameter: data, the_second_parameter: data, the_third_parameter: data, a: int) -> bool { return true; }
op g() {
    if first_condition_of_many == second_operand && third_condition || fourth_condition_of_many && fifth_condition_of_all { return; }
    let x = first_operand_of_a_sum + second_operand_of_a_sum + third_operand_of_a_sum + fourth_operand_of_a_sum * 2;
    if cas(self.slot_of_the_exchanger, Slot { item: mine, state: State::Waiting, more: 1 }, Slot { item: mine, state: State::Busy }) { return; }
}
spec S { #[adds] op enqueue_with_priority(value: data, priority: key) & #[removes] op dequeue_the_least() -> data when capacity > 0 { return value; } }
check { client: schedules, threads: 1..2, steps: 1..2, preadds: 1, keys: 3, restrict: [distinct_priorities, adds_dominate]; linearizable; }
word W { a_field_with_a_long_name: data, another_field_with_a_long_name: data, and_a_third_field_with_a_name: data }";
    insta::assert_snapshot!(formatted(text), @"
    fn f(the_first_parameter: data, the_second_parameter: data, the_third_parameter: data, a: int) -> bool {
        return true;
    }
    op g() {
        if first_condition_of_many == second_operand && third_condition
            || fourth_condition_of_many && fifth_condition_of_all
        {
            return;
        }
        let x = first_operand_of_a_sum
            + second_operand_of_a_sum
            + third_operand_of_a_sum
            + fourth_operand_of_a_sum * 2;
        if cas(
            self.slot_of_the_exchanger,
            Slot { item: mine, state: State::Waiting, more: 1 },
            Slot { item: mine, state: State::Busy },
        ) {
            return;
        }
    }
    spec S {
        #[adds] op enqueue_with_priority(value: data, priority: key)
            & #[removes] op dequeue_the_least() -> data
            when capacity > 0
        {
            return value;
        }
    }
    check { client: schedules, threads: 1..2, steps: 1..2, preadds: 1, keys: 3,
            restrict: [distinct_priorities, adds_dominate]; linearizable; }
    word W {
        a_field_with_a_long_name: data,
        another_field_with_a_long_name: data,
        and_a_third_field_with_a_name: data,
    }
    ");
}

#[test]
fn comments_stay_with_what_they_speak_of() {
    let text = "// before the header
//! The header.
// before the object
object A: B; // of the object

   // before an item

   // and another
shared x: int; // one
shared much_longer: int;       // two

op f(a: int, // the first
    // the second
    b: int) { // opens
    // before a statement
    x = 1; // after it
    // at the end
}
struct S {
    a: int, // of a
    // before b
    b: int
    // the last
}
op g() {
    // nothing but this
}
op h() {
    if a // why
        && b // and why
    {
        c(x, // first
          y);
    } // after then
    else {
        d();
    }
}
check { threads: 2; // small
    linearizable; }
// the end";
    insta::assert_snapshot!(formatted(text), @"
    // before the header
    //! The header.
    // before the object
    object A: B; // of the object

    // before an item

    // and another
    shared x: int;            // one
    shared much_longer: int;  // two

    op f(
        a: int,  // the first
        // the second
        b: int,
    ) {  // opens
        // before a statement
        x = 1; // after it
        // at the end
    }
    struct S {
        a: int, // of a
        // before b
        b: int,
        // the last
    }
    op g() {
        // nothing but this
    }
    op h() {
        if a      // why
            && b  // and why
        {
            c(
                x,  // first
                y,
            );
        } // after then
        else {
            d();
        }
    }
    check {
        threads: 2;  // small
        linearizable;
    }
    // the end
    ");
}

#[test]
fn comments_at_the_ends_of_lines_form_columns() {
    let text = "shared a: int;          // kept in the
shared bcd: int;        // column chosen

shared a: int; // put into
shared bcd: int; // one column

shared e: int;   // alone, kept";
    insta::assert_snapshot!(formatted(text), @"
    shared a: int;          // kept in the
    shared bcd: int;        // column chosen

    shared a: int;    // put into
    shared bcd: int;  // one column

    shared e: int;   // alone, kept
    ");
}

#[test]
fn an_empty_file_stays_empty_and_a_comment_alone_stays() {
    assert_eq!(formatted(""), "");
    assert_eq!(formatted("\n\n  \n"), "");
    assert_eq!(formatted("//! Only this."), "//! Only this.\n");
    assert_eq!(formatted("\n// a\n\n\n\n// b"), "// a\n\n// b\n");
}

#[test]
fn carriage_returns_and_tabs_vanish() {
    assert_eq!(formatted("op f() {\r\n\tx = 1;  // c\t\r\n\ty = 2;\r\n}\r\n"), {
        "op f() {\n    x = 1;  // c\n    y = 2;\n}\n"
    });
}
