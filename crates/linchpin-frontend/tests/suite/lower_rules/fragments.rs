//! Which programs the provers accept, and the reasons for refusing the others.

use crate::lower_rules::support::{catalogue, from_catalogue, lowered};
use linchpin_ir::heap::{HeapOp, HeapProgram, ProofMethod, SpecShape};
use std::fmt::Write;

#[test]
fn what_the_provers_take_of_the_catalogue() {
    let mut table = String::new();
    for (name, path) in catalogue() {
        let (sources, program) = from_catalogue(&path);
        for method in ProofMethod::ALL {
            let verdict = match HeapProgram::of(&program, method) {
                Ok(view) => format!("taken: {:?}", view.spec()),
                Err(refusals) => {
                    let first = &refusals[0];
                    let line = sources.line_of(first.span);
                    let file = &sources.file(first.span.file).name;
                    format!("{} ({file} line {line})", first.construct)
                }
            };
            writeln!(table, "{name:26} {:10} {verdict}", method.name()).expect("a string takes all");
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn every_construct_that_is_not_taken_is_named_with_its_place() {
    let text = "object Test: Any;
word Pair { a: bool, n: int }
struct Node { row: [bool; 2], next: *Node, back: *Node }
shared head: *Node;
shared p: Pair;
shared wide: 0..100;
local mine: bool;
hash h(x: bool) -> 0..2;
op f(v: data, w: data) -> bool {
    let n = choose 0..2;
    let s: seq<bool> = [];
    ll(wide);
    mine = v == w;
    if sc(wide, 1) { head = new Node {}; }
    if fetch_add(wide, 1) == h(mine) { return s.is_empty(); }
    return dcas(head, wide, null, 0, null, 0);
}
spec Any { op f(v: data, w: data) -> bool { return choose bool; } }
";
    let (sources, program) = lowered(text);
    let refusals = HeapProgram::of(&program, ProofMethod::Pairs).expect_err("it has arrays and much more");
    let told: Vec<String> =
        refusals.iter().map(|r| format!("line {:2}: {}", sources.line_of(r.span), r.construct)).collect();
    insta::assert_snapshot!(told.join("\n"), @"
        line  2: `int` inside a word
        line  3: an array
        line  3: a second pointer field
        line  6: `0..=99`, of more than 8 values,
        line  7: a `local` variable
        line  8: a `hash`
        line  9: `f`, which has no linearization point,
        line 10: `choose` of anything but `bool`
        line 11: a collection
        line 11: a collection
        line 12: `ll`
        line 13: a `local` variable
        line 14: `sc`
        line 15: `0..=99`, of more than 8 values,
        line 15: `fetch_add`
        line 15: a `hash`
        line 15: a collection
        line 16: `dcas`
        line 18: the specification `Any`
        ");
}

#[test]
fn a_specification_is_known_by_what_it_does() {
    let object = |spec: &str| {
        format!(
            "object Test: Stack;
struct Node {{ val: data, next: *Node }}
shared head: *Node;
op push(v: data) {{ head = new Node {{ val: v }}; lin; }}
op pop() -> data? {{ let top = head; lin; if top == null {{ return none; }} return top.val; }}
spec Stack {{ state items: seq<data>; {spec} }}"
        )
    };
    let shape = |spec: &str| {
        let (_, program) = lowered(&object(spec));
        HeapProgram::of(&program, ProofMethod::Pairs).map(|view| view.spec()).ok()
    };
    let pop = "op pop() -> data? { if items.is_empty() { return none; } return items.pop_front(); }";
    let front = "op push(v: data) { items.push_front(v); }";
    let back = "op push(v: data) { items.push_back(v); }";
    let twice = "op push(v: data) { items.push_front(v); items.push_front(v); }";
    assert_eq!(shape(&format!("{front} {pop}")), Some(SpecShape::Stack));
    assert_eq!(shape(&format!("{back} {pop}")), Some(SpecShape::Queue));
    assert_eq!(shape(&format!("{twice} {pop}")), None);
    assert_eq!(shape(&format!("{front} {back} {pop}")), None);
}

#[test]
fn loops_inside_atomic_are_refused_and_others_taken() {
    let object = |body: &str| {
        format!(
            "object Test: Queue;
struct Node {{ val: data, next: *Node }}
shared head: *Node;
op enq(v: data) {{ {body} lin; }}
op deq() -> data? {{ let top = head; lin; if top == null {{ return none; }} return top.val; }}"
        )
    };
    let refused = |body: &str| {
        let (_, program) = lowered(&object(body));
        HeapProgram::of(&program, ProofMethod::Pairs).err().map(|refusals| refusals[0].construct.clone())
    };
    assert_eq!(refused("atomic { head = new Node { val: v, next: head }; }"), None);
    assert_eq!(refused("while head != null { head = head.next; }"), None);
    assert_eq!(
        refused("atomic { while head != null { head = head.next; } }"),
        Some("a loop inside `atomic`".to_string())
    );
}

#[test]
fn the_view_keeps_the_numbers_of_the_program() {
    let (_, path) = catalogue().into_iter().find(|(name, _)| name == "treiber_stack").expect("it is there");
    let (_, program) = from_catalogue(&path);
    let view = HeapProgram::of(&program, ProofMethod::Pairs).expect("it is taken");
    for (id, op) in program.ops.entries() {
        let (seen, real) = (&view.ops()[id].method, &program.methods[op.method]);
        assert_eq!(seen.entry, real.entry);
        assert_eq!(seen.code.len(), real.code.len());
        for (pc, instr) in real.code.entries() {
            assert_eq!((seen.code[pc].next, seen.code[pc].span), (instr.next, instr.span));
            assert_eq!(
                matches!(seen.code[pc].op, HeapOp::Cas { .. }),
                matches!(instr.op, linchpin_ir::program::Op::Cas { .. })
            );
        }
    }
}
