//! What keeps the rules of ages, and what does not.

use crate::ages::search::compiled;
use linchpin_engine::model::Model;
use linchpin_ir::interface::Setting;
use linchpin_ir::program::ages::{age_origins, uses_ages};
use linchpin_portfolio::catalogue;
use linchpin_semantics::{Bounds, Machine};

#[test]
fn a_model_that_breaks_the_rules_counts_modulo_a_bound() {
    let text = catalogue::find("treiber_stack_tagged").expect("in the catalogue").text;
    let broken = text.replace(", age: top.age + 1", "");
    assert_ne!(broken, text, "the age is stepped in the model");
    let program = compiled(&broken).expect("the age has a default").program;
    assert!(age_origins(&program).is_err(), "a constant is not a successor");
    let bounds = Bounds { threads: 2, nodes: 2, values: 1, ages: None, ..Bounds::default() };
    let machine = Machine::new(&program, &bounds).expect("runs");
    assert!(machine.bounds().ages.is_some(), "the bound is named");
}

/// What an operation does with copies of `a`, and whether it keeps the rules.
const CASES: [(bool, &str); 33] = [
    (true, "let x = a; cas(a, x, Tagged { age: x.age + 1 });"),
    (true, "let x = a; cas(a, x, Tagged { bit: true, age: x.age });"),
    (true, "let x = a; let y = next(x); if cas(a, x, y) { cas(a, y, next(y)); }"),
    (true, "let x = a; let y = x; if x.bit { y = next(x); } if cas(a, x, y) { cas(a, y, y); }"),
    (true, "let x = a; loop { let y = cmpxchg(a, x, next(x)); if x == y { return; } x = y; }"),
    (true, "let x = a; let y = a; flag = x.age + 1 == y.age; flag = x == y; flag = next(x) == next(y);"),
    (true, "let x = a; let z = b; dcas(a, b, x, z, next(x), z);"),
    (true, "let p = cell; let x = p.tagged; cas(p.tagged, x, next(x));"),
    (true, "let p = new Cell {}; let x = p.tagged; if cas(p.tagged, x, next(x)) { free(p); }"),
    (true, "let t = two; cas(two, t, Two { first: t.first, second: t.second + 1 });"),
    // Another value than the expected one.
    (false, "let x = a; let y = a; cas(a, x, y);"),
    (false, "let x = a; let y = a; cas(a, y, next(x));"),
    (false, "let x = a; let y = x; x = a; cas(a, x, next(y));"),
    (false, "let x = a; let y = x; for i in 0..2 { y = x; x = a; } cas(a, x, next(y));"),
    (false, "let y = a; let x = a; while x.bit { if flag { y = x; } x = a; } cas(a, x, y);"),
    (false, "let x = a; let y = cmpxchg(a, x, next(x)); cas(a, y, x);"),
    (false, "let x = a; let z = b; dcas(a, b, x, z, next(x), next(x));"),
    (false, "let x = a; let z = b; dcas(a, b, x, z, z, x);"),
    (false, "let t = two; cas(two, t, Two { first: t.second, second: t.second });"),
    (false, "let x = a; if flag { x = next(x); } let y = a; cas(a, next(y), x);"),
    (false, "let x = a; cas(a, next(x), x);"),
    (false, "let x = a; cas(a, x, Tagged {});"),
    // Two steps.
    (false, "let x = a; cas(a, x, Tagged { age: x.age + 1 + 1 });"),
    (false, "let x = a; let y = a; flag = x.age + 1 + 1 == y.age;"),
    (false, "let x = a; let y = a; for i in 0..2 { x = next(x); } flag = x == y;"),
    (false, "let x = a; let y = next(x); let z = next(y); if cas(a, x, y) { cas(a, y, z); }"),
    // Not of one place, or of a place that is unknown by now.
    (false, "let x = a; let y = b; flag = x == y;"),
    (false, "let p = cell; let x = p.tagged; p = cell; cas(p.tagged, x, next(x));"),
    // Other writes.
    (false, "let x = a; a = next(x);"),
    (false, "let x = a; let y = swap(b, x); flag = y.bit;"),
    (false, "let x = ll(a); flag = sc(a, next(x));"),
    (false, "let x = a; let p = new Cell { tagged: x }; free(p);"),
    (false, "let p = new [a; 2]; free(p);"),
];

#[test]
fn each_rule_is_kept_or_broken() {
    for (keeps, body) in CASES {
        assert_eq!(misuse("pool", "", body), !keeps, "{body}");
    }
}

/// What depends on the memory, and on where ages lie.
#[test]
fn ages_that_are_reset_or_hidden_break_the_rules() {
    let makes = "let p = new Cell { tagged: a }; let x = p.tagged; cas(p.tagged, x, next(x));";
    assert!(!misuse("gc", "", makes), "the first making of a cell");
    assert!(misuse("manual", "", "let p = cell; free(p);"), "the age is reset");
    assert!(!misuse("manual", "", "let p = cell; let x = p.tagged; cas(p.tagged, x, next(x));"));
    let nothing = "let x = a; cas(a, x, next(x));";
    assert!(misuse("gc", "shared ages: set<age>;", nothing), "a set compares");
    assert!(misuse("gc", "shared ages: map<int, Tagged>;", nothing));
    assert!(misuse("gc", "shared maybe: age?;", nothing), "`none` is not an age");
    assert!(misuse("gc", "local mine: Tagged;", nothing));
    assert!(!misuse("gc", "shared maybe: Tagged?;", nothing));
}

/// While a call runs, a pointer that it does not give back is gone.
#[test]
fn a_pointer_that_dies_with_a_call_is_no_home() {
    let deep = "fn deep(p: *Cell, n: int) { if n > 0 { let q = p; let x = q.tagged; deep(q, n - 1); \
                let y = x; flag = y == x; } }";
    let Ok(compiled) = compiled(&object("gc", deep, "deep(cell, 2);")) else { panic!("has errors") };
    let bounds = Bounds { ages: None, ..Bounds::default() };
    let machine = Machine::new(&compiled.program, &bounds).expect("runs");
    assert!(machine.bounds().ages.is_some(), "`q` is dead behind the call, so `x` is of no known place");
}

fn misuse(memory: &str, items: &str, body: &str) -> bool {
    let text = object(memory, items, body);
    let compiled = compiled(&text).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    age_origins(&compiled.program).is_err()
}

fn object(memory: &str, items: &str, body: &str) -> String {
    format!(
        "object One: Nothing;\nmemory {memory};\nspec Nothing {{ op only() {{}} }}\n\
         word Tagged {{ bit: bool, age: age }}\nword Two {{ first: age, second: age }}\n\
         struct Cell {{ tagged: Tagged }}\nshared a: Tagged;\nshared b: Tagged;\nshared two: Two;\n\
         shared flag: bool;\nshared cell: *Cell;\n{items}\ninit {{ cell = new Cell {{}}; a = Tagged {{}}; }}\n\
         fn next(t: Tagged) -> Tagged {{ return Tagged {{ bit: t.bit, age: t.age + 1 }}; }}\n\
         op only() {{ {body} }}\n"
    )
}

/// No model of the catalogue needs a bound.
#[test]
fn the_catalogue_keeps_the_rules() {
    let mut kept = 0;
    for entry in catalogue::entries() {
        let Ok(compiled) = entry.compile(&Setting::default()) else { continue };
        if uses_ages(&compiled.program) {
            let misuse = age_origins(&compiled.program).err().map(|misuse| misuse.reason);
            assert_eq!(misuse, None, "{}", entry.name);
            kept += 1;
        }
    }
    assert!(kept >= 7, "only {kept} models have ages");
}
