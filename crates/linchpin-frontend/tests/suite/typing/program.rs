//! What the checker makes of right programs: conversions, defaults, orders, expansions.

use super::support::Case;
use linchpin_frontend::typing::hir::{
    PlaceKind, Primitive, Program, Sequence, TypedExpr, TypedExprKind, TypedFunction, TypedStmt,
    TypedStmtKind,
};
use linchpin_ir::index::Index;

fn program(case: &Case, text: &str) -> Program {
    let (_, checked) = case.check(text);
    let said: Vec<&str> = checked.diagnostics.iter().map(|d| &*d.title).collect();
    checked.program.unwrap_or_else(|| panic!("refused: {said:?}"))
}

/// Items in a file with an object that has no operations.
fn of_items(items: &str) -> Program {
    program(&Case::default(), &format!("object O: S; spec S {{}} {items}"))
}

fn function<'p>(program: &'p Program, name: &str) -> &'p TypedFunction {
    program.functions.iter().find(|f| &*f.name == name).unwrap_or_else(|| panic!("no {name}"))
}

fn stmts<'p>(program: &'p Program, name: &str) -> Vec<&'p TypedStmtKind> {
    function(program, name).body.stmts.iter().map(|stmt| &stmt.kind).collect()
}

/// The value that the n-th statement of `f` assigns or keeps.
fn value(program: &Program, n: usize) -> &TypedExpr {
    match stmts(program, "f")[n] {
        TypedStmtKind::Assign(_, value) | TypedStmtKind::Let(_, Some(value)) | TypedStmtKind::Expr(value) => {
            value
        }
        other => panic!("{other:?}"),
    }
}

fn words(expr: &TypedExpr) -> &[i32] {
    match &expr.kind {
        TypedExprKind::Constant(words) => words,
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_are_checked_where_they_may_leave_a_range_and_only_there() {
    let p = of_items(
        "const N = 3; shared r: 0..4; shared narrow: 1..3; shared i: int; shared o: 0..4?;
         fn f() { r = 2; r = N; r = narrow; r = i; i = r; o = i; o = none; narrow = r; }",
    );
    assert_eq!(words(value(&p, 0)), [2]);
    assert_eq!(words(value(&p, 1)), [3]);
    assert!(matches!(value(&p, 2).kind, TypedExprKind::Read(_)));
    assert!(matches!(value(&p, 3).kind, TypedExprKind::ToRange { low: 0, high: 3, .. }));
    assert!(matches!(value(&p, 4).kind, TypedExprKind::Read(_)));
    let TypedExprKind::Some(inner) = &value(&p, 5).kind else { panic!() };
    assert!(matches!(inner.kind, TypedExprKind::ToRange { low: 0, high: 3, .. }));
    assert_eq!(words(value(&p, 6)), p.types.defaults(value(&p, 6).ty));
    assert!(matches!(value(&p, 7).kind, TypedExprKind::ToRange { low: 1, high: 2, .. }));
}

#[test]
fn both_sides_of_a_comparison_have_the_same_type() {
    let p = of_items(
        "shared owner: thread?; fn f() { let a = owner == me; let b = me != owner; let c = none == owner; }",
    );
    for n in 0..3 {
        let TypedExprKind::Binary(_, left, right) = &value(&p, n).kind else { panic!() };
        assert_eq!(left.ty, right.ty);
    }
}

#[test]
fn a_word_literal_has_every_field_and_says_in_which_order_they_are_evaluated() {
    let p = of_items(
        "enum E { A, B } struct N { x: int } word W { p: *N, e: E, d: data?, n: 2..5, s: seq<data> }
         shared w: W; fn f(n: 2..5) { w = W { n, e: E::B }; w = W { }; }",
    );
    let TypedExprKind::Word { fields, order, .. } = &value(&p, 0).kind else { panic!() };
    assert_eq!(order[..], [3, 1, 0, 2, 4]);
    assert_eq!(words(&fields[1]), [1]);
    assert!(matches!(fields[3].kind, TypedExprKind::Read(_)));
    assert!(matches!(&fields[4].kind, TypedExprKind::Collection(elements) if elements.is_empty()));
    let TypedExprKind::Word { fields, order, .. } = &value(&p, 1).kind else { panic!() };
    assert_eq!(order[..], [0, 1, 2, 3, 4]);
    assert_eq!(words(&fields[3]), [2]);
}

#[test]
fn type_arguments_of_words_come_from_the_context_or_the_fields() {
    let p = of_items(
        "use std::Marked; struct N { next: Marked<*N> } shared n: *N; shared t: Marked<thread?>;
         fn f() { n.next = Marked { val: null, mark: true }; t = Marked { val: me }; let m = Marked { val: n, mark: true };
                  let c = t.compare_and_set(none, me, false, true); }",
    );
    assert_eq!(p.types.name(value(&p, 0).ty), "Marked<*N>");
    assert_eq!(p.types.name(value(&p, 1).ty), "Marked<thread?>");
    assert_eq!(p.types.name(value(&p, 2).ty), "Marked<*N>");
    let TypedExprKind::Call { function, self_place: Some(place), args } = &value(&p, 3).kind else {
        panic!()
    };
    assert_eq!(&*p.functions[*function].name, "Marked<thread?>::compare_and_set");
    assert!(matches!(place.kind, PlaceKind::Shared(_)));
    assert_eq!(p.types.name(args[0].ty), "thread?");
    assert!(matches!(args[1].kind, TypedExprKind::Some(_)));
}

#[test]
fn a_dot_goes_through_pointers_and_a_method_gets_the_cell() {
    let p = of_items(
        "use std::{ArrayList, ReentrantLock}; struct T { row: [*[*ArrayList<data>]; 2] } shared t: *T; shared l: *ReentrantLock;
         fn f(x: data) { let b = t.row[0][1].contains(x); l.lock(); let n = t.row[1].len(); }",
    );
    let TypedExprKind::Call { self_place: Some(place), .. } = &value(&p, 0).kind else { panic!() };
    let PlaceKind::Deref(pointer) = &place.kind else { panic!() };
    let TypedExprKind::Read(element) = &pointer.kind else { panic!() };
    let PlaceKind::Index(array, _) = &element.kind else { panic!() };
    assert_eq!(p.types.name(array.ty), "[*ArrayList<data>; 0]");
    assert!(matches!(value(&p, 2).kind, TypedExprKind::ArrayLen(_)));
}

#[test]
fn elements_of_a_seq_are_methods() {
    let p = of_items(
        "shared s: seq<int>; fn f() { let x = s[0]; s[1] = x; for y in s { } let n = s.pop_back(); }",
    );
    assert!(matches!(value(&p, 0).kind, TypedExprKind::Method { .. }));
    let TypedExprKind::Method { args, .. } = &value(&p, 1).kind else { panic!() };
    assert_eq!(args.len(), 2);
    assert!(matches!(stmts(&p, "f")[2], TypedStmtKind::For { over: Sequence::Collection(_), .. }));
}

#[test]
fn ranges_run_backwards_and_threads_in_order() {
    let p = of_items(
        "shared a: [int; threads]; fn f() { for i in (0..=3).rev() { } for t in threads { a[t] = 1; } }",
    );
    let all = stmts(&p, "f");
    assert!(matches!(
        all[0],
        TypedStmtKind::For { over: Sequence::Range { inclusive: true, reversed: true, .. }, .. }
    ));
    assert!(matches!(all[1], TypedStmtKind::For { over: Sequence::Threads, .. }));
    assert!(p.threads_used_at.is_some());
}

#[test]
fn labels_find_their_loops() {
    let p = of_items("fn f() { 'a: loop { loop { continue 'a; } } }");
    let TypedStmtKind::Loop(outer, body) = stmts(&p, "f")[0] else { panic!() };
    let TypedStmtKind::Loop(inner, body) = &body.stmts[0].kind else { panic!() };
    let TypedStmtKind::Continue(target) = body.stmts[0].kind else { panic!() };
    assert!(target == *outer && target != *inner);
}

#[test]
fn recursion_is_what_can_call_itself() {
    let p = of_items("fn f() { g(); } fn g() { h(); } fn h() { g(); k(); } fn k() { }  fn l() { l(); }");
    let recursive = |name| function(&p, name).recursive;
    assert_eq!(["f", "g", "h", "k", "l"].map(recursive), [false, true, true, false, true]);
}

#[test]
fn operations_follow_the_order_of_the_specification() {
    let p =
        program(&Case::default(), "object Q: Queue; op deq() -> data? { return none; } op enq(v: data) { }");
    let names: Vec<&str> = p.ops.iter().map(|op| &*op.name).collect();
    assert_eq!(names, ["enq", "deq"]);
    assert_eq!(p.spec.clauses[1].heads[0].op.index(), 1);
    assert_eq!((p.spec.adds.len(), p.spec.removes.len()), (1, 1));
}

#[test]
fn a_result_may_be_optional_where_the_specification_has_a_value() {
    let p = program(
        &Case::default(),
        "object Q: SynchronousQueue; op enq(v: data) { } op deq() -> data? { return none; }",
    );
    let deq = p.ops.iter().find(|op| &*op.name == "deq").unwrap();
    assert_eq!(p.types.name(deq.result.unwrap()), "data");
    assert_eq!(p.types.name(p.functions[deq.function].result.unwrap()), "data?");
    assert_eq!(p.spec.clauses.len(), 1);
    assert_eq!(p.spec.clauses[0].heads.len(), 2);
}

#[test]
fn arguments_of_a_specification_are_substituted() {
    let text =
        "object R: Register<0..K>(K - 1); const K = 4; op read() -> 0..K { return 0; } op write(v: 0..K) { }";
    for (k, expected) in [(4, 3), (2, 1)] {
        let p = program(&Case::default().set("K", k), text);
        let state = p.spec.state.iter().next().unwrap();
        assert_eq!(words(state.init.as_ref().unwrap()), [expected]);
        assert_eq!(p.constants[0].value, k);
    }
}

#[test]
fn a_module_taken_as_a_whole_brings_its_variables_operations_and_init() {
    let case = Case::default().module(
        "base",
        "memory pool; use std::Marked; shared m: Marked<int>; init { m = Marked { val: 1 }; }
         op enq(v: data) { acquire(v); } fn acquire(v: data); role r = enq; check { threads: 2; wait_free; }",
    );
    let p = program(
        &case,
        "object Q: Queue; use base::*; shared n: int; init { n = 1; } fn acquire(v: data) { n = 2; }
         op deq() -> data? { return none; }",
    );
    let shared: Vec<&str> = p.shared.iter().map(|v| &*v.name).collect();
    assert_eq!(shared, ["m", "n"]);
    assert_eq!(p.memory, linchpin_ir::interface::MemoryKind::Pool);
    assert_eq!((p.roles.len(), p.checks.len()), (1, 0));
    let init = &p.functions[p.init.unwrap()];
    let calls = |stmt: &TypedStmt| match &stmt.kind {
        TypedStmtKind::Expr(TypedExpr { kind: TypedExprKind::Call { function, .. }, .. }) => {
            p.functions[*function].body.stmts.len()
        }
        _ => 0,
    };
    assert_eq!(init.body.stmts.iter().map(calls).collect::<Vec<_>>(), [1, 1]);
    let acquire = function(&p, "acquire");
    assert_eq!(acquire.body.stmts.len(), 1);
}

#[test]
fn only_constants_that_the_root_names_are_set() {
    let case = Case::default().module("m", "const N = 1; word W { a: [bool; N] }").set("N", 5);
    let p = program(&case, "object O: S; spec S {} use m::W; const N = 2; shared w: W; shared a: [bool; N];");
    assert_eq!(p.types.width(p.shared.iter().next().unwrap().ty), 1);
    assert_eq!(p.types.width(p.shared.iter().nth(1).unwrap().ty), 5);
}

#[test]
fn primitives_give_what_they_should() {
    let p = of_items(
        "shared x: 0..4; shared b: bool; memory manual; struct N { v: int } fn f(p: *N) {
         let a = cas(x, 1, 2); let c = cmpxchg(x, 1, 2); let d = swap(b, true); let e = fetch_add(x, -1);
         let g = ll(b); let h = sc(b, false); let i = dcas(x, b, 1, true, 2, false); free(p); }",
    );
    let types: Vec<String> = (0..7).map(|n| p.types.name(value(&p, n).ty)).collect();
    assert_eq!(types, ["bool", "0..=3", "bool", "0..=3", "bool", "bool", "bool"]);
    assert!(matches!(value(&p, 7).kind, TypedExprKind::Primitive(Primitive::Free(_))));
}

#[test]
fn the_same_program_twice_is_the_same() {
    let text = "object Q: Queue; use std::*; shared a: Marked<int>; shared l: FairLock; op enq(v: data) { l.lock(); l.unlock(); }
                op deq() -> data? { return none; }";
    let print = || format!("{:?}", program(&Case::default(), text).functions);
    assert_eq!(print(), print());
}
