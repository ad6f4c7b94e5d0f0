//! What each construct of the grammar becomes, and how operators bind.

use linchpin_frontend::syntax::{parse, shape};
use linchpin_ir::source::SourceMap;

/// The shape of a file without errors, without the line of its header.
fn shape_of(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("test.lin", text);
    let (tree, errors) = parse(file, text);
    assert!(errors.is_empty(), "{text}: {:?}", errors[0]);
    shape(&tree).split_once('\n').map_or(String::new(), |(_, items)| items.to_owned())
}

#[track_caller]
fn item(text: &str, expected: &str) {
    assert_eq!(shape_of(text), expected);
}

#[track_caller]
fn stmt(text: &str, expected: &str) {
    item(&format!("op f() {{ {text} }}"), &format!("(op (f - (params) -) (block {expected}))"));
}

#[track_caller]
fn expr(text: &str, expected: &str) {
    stmt(&format!("{text};"), &format!("(do {expected})"));
}

#[track_caller]
fn ty(text: &str, expected: &str) {
    item(&format!("type A = {text};"), &format!("(type A {expected})"));
    item(&format!("spec S {{ op f(x: {text}) -> {text} when x {{ }} }}"), &{
        let signature = format!("(f - (params (x {expected})) {expected})");
        format!("(spec S (tparams) (params) (members (clause (heads (op (#) {signature})) x (block))))")
    });
}

#[test]
fn operators_bind_as_in_rust() {
    expr("a || b && c == d + e * -f", "(|| a (&& b (== c (+ d (* e (- f))))))");
    expr("a * b + c < d && e || g", "(|| (&& (< (+ (* a b) c) d) e) g)");
    expr("a - b - c", "(- (- a b) c)");
    expr("a / b % c * d", "(* (% (/ a b) c) d)");
    expr("a || b || c", "(|| (|| a b) c)");
    expr("!a.b && -c[0] == 1", "(&& (! (. a b)) (== (- ([] c 0)) 1))");
    expr("(a + b) * c", "(* (paren (+ a b)) c)");
    expr("- - !a", "(- (- (! a)))");
    expr("a <= b", "(<= a b)");
    expr("(a != b) == (c >= d)", "(== (paren (!= a b)) (paren (>= c d)))");
}

#[test]
fn ranges_bind_weakest() {
    expr("0..n + 1", "(.. 0 (+ n 1))");
    expr("a || b..=c", "(..= (|| a b) c)");
    expr("(0..v).rev()", "(method (paren (.. 0 v)) rev (args))");
}

#[test]
fn places_and_calls_chain() {
    expr("a.b[c].d(e, f).g", "(. (method ([] (. a b) c) d (args e f)) g)");
    expr("self.next[0]", "([] (. self next) 0)");
    expr("cas(p.q, none, null)", "(call cas (args (. p q) none null))");
    expr("f(a, b,)", "(call f (args a b))");
    expr("State::Empty", "State::Empty");
    expr("key::MAX", "key::MAX");
    expr("me", "me");
}

#[test]
fn literals() {
    expr("Link { ptr: n, age: 1 + 2, mark }", "(word Link (fields (ptr n) (age (+ 1 2)) (mark)))");
    expr("Link {}", "(word Link (fields))");
    expr("[1, true, false]", "(array 1 true false)");
    expr("[]", "(array)");
    expr("[0; N]", "(repeat 0 N)");
    expr("new Node { next: null }", "(new (Node) (fields (next null)))");
    expr("new ArrayList<data> {}", "(new (ArrayList data) (fields))");
    expr("new [new [0; 2]; n]", "(new-array (new-array 0 2) n)");
    expr("9223372036854775807 + 1_000", "(+ 9223372036854775807 1000)");
}

#[test]
fn choices_and_functions_reach_far() {
    expr("choose bool || x", "(|| choose-bool x)");
    expr("choose 0..n + 1", "(choose - (.. 0 (+ n 1)) -)");
    expr("1 + choose a + b", "(+ 1 (choose - (+ a b) -))");
    expr("choose e in items where e > 0 && true", "(choose e items (&& (> e 0) true))");
    expr("items.all(|f| e <= f)", "(method items all (args (lambda f (<= e f))))");
    expr("a[choose 0..n]", "([] a (choose - (.. 0 n) -))");
}

#[test]
fn a_condition_ends_at_the_brace() {
    stmt("if a == CAP { }", "(if (== a CAP) (block) -)");
    stmt("while a != (Link { p }) { }", "(while - (!= a (paren (word Link (fields (p))))) (block))");
    stmt("if f(Link {}) { }", "(if (call f (args (word Link (fields)))) (block) -)");
    stmt(
        "if a[N {}.x] == new N {} { }",
        "(if (== ([] a (. (word N (fields)) x)) (new (N) (fields))) (block) -)",
    );
    stmt("match S { _ => { } }", "(match S (arms (arm _ (block))))");
}

#[test]
fn types() {
    for simple in ["bool", "int", "data", "key", "age", "thread", "lock", "condvar"] {
        ty(simple, simple);
    }
    ty("0..K", "(.. 0 K)");
    ty("-1..=2 * N + 1", "(..= (- 1) (+ (* 2 N) 1))");
    ty("N..threads", "(.. N threads)");
    ty("N - 1..(N)", "(.. (- N 1) (paren N))");
    ty("key::MIN..key::MAX", "(.. key::MIN key::MAX)");
    ty("PQueue<0..RANGE>", "(PQueue (.. 0 RANGE))");
    ty("Map<key, seq<*Node>>", "(Map key (seq (* (Node))))");
    ty("map<set<data>, bag<int>>", "(map (set data) (bag int))");
    ty("[[*Node; 2]; CAP + 1]", "([] ([] (* (Node)) 2) (+ CAP 1))");
    ty("*[*[Bucket]]", "(*[] (*[] (Bucket)))");
    ty("*[int; 2]", "(* ([] int 2))");
    ty("**Node", "(* (* (Node)))");
    ty("data??", "(? (? data))");
    ty("*Node?", "(? (* (Node)))");
    ty("seq<thread?>?", "(? (seq (? thread)))");
}

#[test]
fn a_closing_angle_may_touch_an_equals_sign() {
    item("shared x: seq<seq<int>>= [];", "(shared x (seq (seq int)) (array))");
    stmt("let x: seq<int>= [];", "(let x (seq int) (array))");
}

#[test]
fn statements() {
    stmt("let x;", "(let x - -)");
    stmt("let x: int = 1;", "(let x int 1)");
    stmt("x = 1; x.y += 1; x[0] -= 1; self = x;", "(= x 1) (+= (. x y) 1) (-= ([] x 0) 1) (= self x)");
    stmt("{ { } }", "(block (block))");
    stmt(
        "if a { } else if b { } else { c(); }",
        "(if a (block) (if b (block) (block (do (call c (args))))))",
    );
    stmt(
        "match a { State::Empty => { } 1 => { } _ => { } }",
        "(match a (arms (arm State::Empty (block)) (arm 1 (block)) (arm _ (block))))",
    );
    stmt("'a: loop { break 'a; continue; }", "(loop 'a (block (break 'a) (continue -)))");
    stmt("'a: while b { break; continue 'a; }", "(while 'a b (block (break -) (continue 'a)))");
    stmt("for t in threads { }", "(for - t threads (block))");
    stmt("'b: for i in (0..=n).rev() { }", "(for 'b i (method (paren (..= 0 n)) rev (args)) (block))");
    stmt("return; return a; return a, b;", "(return) (return a) (return a b)");
    stmt("defer a.unlock(); defer x = Marked {}; defer { }", {
        "(defer (do (method a unlock (args)))) (defer (= x (word Marked (fields)))) (defer (block))"
    });
    stmt("atomic { await a; } assert !a; assume (a);", {
        "(atomic (block (await a))) (assert (! a)) (assume (paren a))"
    });
    stmt("lin; lin maybe; lin if a; lin of t;", "(lin - -) (lin-maybe - -) (lin - a) (lin t -)");
    stmt("lin maybe of d.owner if a == b;", "(lin-maybe (. d owner) (== a b))");
}

#[test]
fn items() {
    item("object A: B;", "(object A B (targs) (args))");
    item("object A: B<0..K, data>(0, N);", "(object A B (targs (.. 0 K) data) (args 0 N))");
    item("memory gc; memory pool; memory manual;", "(memory Gc)\n(memory Pool)\n(memory Manual)");
    item("use m::a; use m::{a, B,}; use m::*;", "(use m (names a))\n(use m (names a B))\n(use m *)");
    item("const N = 1 + 1;", "(const N (+ 1 1))");
    item("enum E { A, B } enum F {}", "(enum E (values A B))\n(enum F (values))");
    item("struct S<T> { a: T, b: int, }", "(struct S (tparams T) (fields (a (T)) (b int)))");
    item("word W {}", "(word W (tparams) (fields))");
    item("shared a: int; local b: int = 1;", "(shared a int -)\n(local b int 1)");
    item("init { a = 1; }", "(init (block (= a 1)))");
    item("op f(a: int) -> bool { }", "(op (f - (params (a int)) bool) (block))");
    item("fn f(); fn g() { }", "(fn (f - (params) -) -)\n(fn (g - (params) -) (block))");
    item(
        "impl<T> S<T> { fn f(self) { } fn g(self, x: T) -> T { } fn h(x: T) { } }",
        "(impl (tparams T) S (of T) (methods (fn (f self (params) -) (block)) \
         (fn (g self (params (x (T))) (T)) (block)) (fn (h - (params (x (T))) -) (block))))",
    );
    item("hash h(x: data) -> 0..4;", "(hash h x data (.. 0 4) -)");
    item("hash h(x: data) -> 0..4 = ord(x);", "(hash h x data (.. 0 4) (call ord (args x)))");
    item(
        "prove pairs { linearizable; memory_safe; }",
        "(prove pairs (expects (holds linearizable) (holds memory_safe)))",
    );
}

#[test]
fn roles_are_regular_expressions() {
    item("role w: 1 = write;", "(role w 1 write)");
    item("role u = q | a q* d;", "(role u - (or q (then a (star q) d)))");
    item("role u = (a | b c?)* (d);", "(role u - (then (star (or a (then b (optional c)))) d))");
    item("role u = (a | b) | c;", "(role u - (or (or a b) c))");
}

#[test]
fn specifications() {
    item("spec S {}", "(spec S (tparams) (params) (members))");
    item(
        "spec S<T>(n: int) { state a: seq<T>; state b: int = n; }",
        "(spec S (tparams T) (params (n int)) (members (state a (seq (T)) -) (state b int n)))",
    );
    item(
        "spec S { #[adds] op f(v: data) & #[removes] #[x] op g() -> data when a < b { return v; } }",
        "(spec S (tparams) (params) (members (clause (heads (op (# adds) (f - (params (v data)) -)) \
         (op (# removes x) (g - (params) data))) (< a b) (block (return v)))))",
    );
}

#[test]
fn checks() {
    item("check {}", "(check (bounds) (expects))");
    item("check { linearizable; lock_free: violated; }", {
        "(check (bounds) (expects (holds linearizable) (violated lock_free)))"
    });
    item("check { lock_free: violated; }", "(check (bounds) (expects (violated lock_free)))");
    item(
        "check { threads: 2, steps: 1..3, client: schedules, restrict: [a, b], CAP: 1; linearizable; }",
        "(check (bounds (threads 2..2) (steps 1..3) (client schedules) (restrict (names a b)) (CAP 1..1)) \
         (expects (holds linearizable)))",
    );
}

#[test]
fn words_of_the_grammar_are_names_where_it_does_not_ask_for_them() {
    item(
        "struct N { key: key, lock: lock, state: int, word: int, init: int, check: int, of: int, when: int }",
        "(struct N (tparams) (fields (key key) (lock lock) (state int) (word int) (init int) (check int) (of int) \
         (when int)))",
    );
    stmt("hash = local + role;", "(= hash (+ local role))");
    stmt("x.lock.lock();", "(do (method (. x lock) lock (args)))");
    stmt("let key = data;", "(let key - data)");
}

#[test]
fn lines_and_indentation_mean_nothing() {
    let text = include_str!("syntax_sample.lin");
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    let spread = code.flat_map(|line| line.split(' ')).collect::<Vec<_>>().join("\n");
    assert_eq!(shape_of(&spread), shape_of(text));
}

#[test]
fn the_header_is_read_without_its_marker() {
    let text = "//! One.\n//!\n//!  Two.\nmemory gc;\n";
    let (tree, _) = parse(SourceMap::default().add("test.lin", text), text);
    assert_eq!(tree.header, ["One.", "", " Two."]);
}

#[test]
fn spans_are_those_of_the_text() {
    let text = "op f() {\n    x.y = a + (b);\n}\n";
    let mut sources = SourceMap::default();
    let file = sources.add("test.lin", text);
    let (tree, _) = parse(file, text);
    let linchpin_frontend::syntax::ast::ItemKind::Op(function) = &tree.items[0].kind else { panic!() };
    assert_eq!(sources.text(function.span), text.trim_end());
    let statement = &function.body.as_ref().unwrap().stmts[0];
    assert_eq!(sources.text(statement.span), "x.y = a + (b);");
    let linchpin_frontend::syntax::ast::StmtKind::Assign { place, value, .. } = &statement.kind else {
        panic!()
    };
    assert_eq!((sources.text(place.span), sources.text(value.span)), ("x.y", "a + (b)"));
}
