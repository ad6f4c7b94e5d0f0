//! Unsupported constructs: the prover names each with its place, and proves nothing.

use crate::prove::{Text, proved, proving};
use linchpin_engine::verdict::{Limit, Verdict};

/// A stack with one thing exchanged.
fn stack(declarations: &str, pop: &str) -> Text {
    stack_of("", declarations, pop)
}

/// A stack of cells with these fields besides.
fn stack_of(fields: &str, declarations: &str, pop: &str) -> Text {
    let text = format!(
        "object S: Stack;
         struct Node {{ val: data, next: *Node, {fields} }}
         shared head: *Node;
         {declarations}
         op push(v: data) {{
             let n = new Node {{ val: v }};
             loop {{ let top = head; n.next = top; if cas(head, top, n) {{ lin; return; }} }}
         }}
         op pop() -> data? {{
             loop {{
                 let top = head;
                 lin if top == null;
                 if top == null {{ return none; }}
                 {pop}
                 if cas(head, top, top.next) {{ lin; return top.val; }}
             }}
         }}"
    );
    Text::new("s.lin", text)
}

#[test]
fn the_stack_itself_is_proved() {
    assert_eq!(proved(&proving(&stack("", ""), None, None)).len(), 4);
}

#[test]
fn what_is_not_taken_is_named() {
    let cases = [
        ("shared all: [*Node; 9];", "", "an array of more than 8 elements"),
        ("shared last: data;", "if last == top.val { return none; }", "`==` of `data`"),
        ("shared last: data;", "cas(last, top.val, top.val);", "`==` of `data`"),
        ("shared count: int;", "count += 1;", "an `int` in memory"),
    ];
    for (declarations, pop, construct) in cases {
        let attempt = proving(&stack(declarations, pop), None, None);
        let named: Vec<&str> = attempt.refusals.iter().map(|refusal| refusal.construct.as_str()).collect();
        assert!(named.contains(&construct), "{construct} is not among {named:?}");
        assert!(attempt.certificate.is_none());
        for finding in &attempt.findings {
            assert!(matches!(finding.verdict(), Verdict::Unknown(Limit::NotSupported(_))));
        }
    }
}

/// Labels are for memory that is collected, and there is one.
#[test]
fn labels_that_are_not_taken() {
    let labelled = |memory: &str, fields: &str| stack_of(fields, memory, "");
    assert_eq!(proved(&proving(&labelled("", "colour: 0..3"), None, None)).len(), 4);
    let cases = [
        (labelled("", "colour: 0..3, size: bool"), "a second field that is neither a pointer nor `data`"),
        (
            labelled("memory pool;", "colour: 0..3"),
            "a field that is neither a pointer nor `data` in memory that is used again",
        ),
    ];
    for (text, construct) in cases {
        let attempt = proving(&text, None, None);
        assert!(attempt.refusals.iter().any(|refusal| refusal.construct == construct), "{construct}");
    }
}
