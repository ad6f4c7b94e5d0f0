//! Random objects that juggle with ages: copies older and newer, stepped once, twice or not at all, compared
//! and put back.
//!
//! Whether an object keeps the rules is left to chance; how often an operand is the right one is the object's
//! own, so many do. What a comparison says is written to a flag of its own, one of them is an assertion: a
//! comparison that comes out otherwise gives other states.

use fastrand::Rng;
use std::fmt::Write;

pub struct Object {
    pub text: String,
    pub threads: u32,
    /// Calls of each thread, by the number of the operation.
    pub calls: Vec<Vec<usize>>,
}

/// One operation steps ages and nothing else; these are drawn.
const DRAWN: usize = 2;
const FLAGS: usize = 12;
const COPIES: [&str; 3] = ["x", "y", "z"];

impl Object {
    pub fn drawn(seed: u64) -> Object {
        let rng = &mut Rng::with_seed(seed);
        let threads = rng.u32(1..=2);
        let memory = ["gc", "pool", "pool", "manual"][rng.usize(0..4)];
        let slips = if rng.bool() { rng.u32(0..5) } else { rng.u32(20..60) };
        let mut writer = Writer { slips, flags: 0, memory, rng, text: String::new(), depth: 1 };
        writer.object();
        let text = writer.text;
        let length = if threads == 1 { 3..=6 } else { 1..=2 };
        let calls = |_| (0..rng.usize(length.clone())).map(|_| rng.usize(0..=DRAWN)).collect();
        let calls = (0..threads).map(calls).collect();
        Object { text, threads, calls }
    }
}

struct Writer<'r> {
    rng: &'r mut Rng,
    /// Of a hundred operands, so many are the wrong ones.
    slips: u32,
    flags: usize,
    memory: &'static str,
    text: String,
    depth: usize,
}

impl Writer<'_> {
    fn object(&mut self) {
        let operations: Vec<String> = (0..DRAWN).map(|_| self.operation()).collect();
        let clauses: String = (0..=DRAWN).map(|op| format!("    op op{op}() {{}}\n")).collect();
        let memory = self.memory;
        let _ = write!(
            self.text,
            "object Juggler: Nothing;\nmemory {memory};\n\nspec Nothing {{\n{clauses}}}\n\n\
             word Tagged {{ bit: bool, age: age }}\nword Two {{ first: age, second: age }}\n\
             struct Cell {{ tagged: Tagged, other: Tagged }}\n\n\
             shared a: Tagged;\nshared b: Tagged;\nshared two: Two;\nshared cell: *Cell;\n\
             shared flags: [bool; {FLAGS}];\n\ninit {{ cell = new Cell {{}}; }}\n\n\
             fn next(t: Tagged) -> Tagged {{ return Tagged {{ bit: t.bit, age: t.age + 1 }}; }}\n\n\
             fn deep(p: *Cell, t: Tagged, n: int) -> Tagged {{\n    if n == 0 {{ return t; }}\n    let u = p.tagged;\n    \
             let v = deep(p, u, n - 1);\n    cas(p.tagged, u, Tagged {{ bit: v.bit, age: u.age + 1 }});\n    \
             return u;\n}}\n\n\
             op op0() {{\n    let s = a;\n    cas(a, s, Tagged {{ bit: s.bit, age: s.age + 1 }});\n    let p = cell;\n    \
             let t = p.tagged;\n    cas(p.tagged, t, Tagged {{ bit: t.bit, age: t.age + 1 }});\n}}\n"
        );
        for (at, operation) in operations.iter().enumerate() {
            let _ = write!(self.text, "\nop op{}() {{\n{operation}}}\n", at + 1);
        }
    }

    fn operation(&mut self) -> String {
        let mut text = String::from("    let p = cell;\n");
        // An operation works on one place mostly.
        let home = self.place();
        for copy in COPIES {
            let place = self.near(home);
            let _ = writeln!(text, "    let {copy} = {place};");
        }
        for _ in 0..self.rng.usize(3..=8) {
            text.push_str(&self.statement(home));
        }
        text
    }

    fn statement(&mut self, home: &'static str) -> String {
        let indent = "    ".repeat(self.depth);
        let place = self.near(home);
        let (one, other) = (self.copy(), self.copy());
        let line = match self.rng.u32(0..40) {
            0..=5 => format!("{one} = {place};"),
            6 => format!("{one} = {other};"),
            7..=9 => format!("{one} = Tagged {{ bit: {other}.bit, age: {other}.age + 1 }};"),
            10 => format!("{one} = next({other});"),
            11..=14 => format!("cas({place}, {one}, {});", self.successor(one)),
            15 | 16 => {
                let (new, then) = (self.successor(one), self.block(home));
                format!("if cas({place}, {one}, {new}) {{\n{then}{indent}}}")
            }
            17 => format!("{other} = cmpxchg({place}, {one}, {});", self.successor(one)),
            18..=21 => self.flag(),
            22..=25 => format!("{one} = {place};\n{indent}{}", self.flag_of(other, one)),
            26 => {
                let (then, otherwise) = (self.block(home), self.block(home));
                format!("if choose bool {{\n{then}{indent}}} else {{\n{otherwise}{indent}}}")
            }
            27 | 28 => {
                let body = self.block(home);
                format!("for i in 0..2 {{\n{body}{indent}}}")
            }
            29 => {
                let new = self.successor(one);
                let dcas = "Tagged { bit: w.bit, age: w.age + 1 }";
                format!("{{ let w = b; dcas({place}, b, {one}, w, {new}, {dcas}); }}")
            }
            30 => self.two(),
            31 => self.reuse(),
            32 if self.strays() => format!("p = {};", if self.slips() { "new Cell {}" } else { "cell" }),
            33..=38 => {
                let (times, new) = (self.rng.u32(1..=3), "Tagged { bit: s.bit, age: s.age + 1 }");
                format!("for i in 0..{times} {{ let s = {place}; cas({place}, s, {new}); }}")
            }
            _ => self.rare(one, place),
        };
        format!("{indent}{line}\n")
    }

    fn block(&mut self, home: &'static str) -> String {
        if self.depth > 2 {
            return String::new();
        }
        self.depth += 1;
        let text = (0..self.rng.usize(1..=2)).map(|_| self.statement(home)).collect();
        self.depth -= 1;
        text
    }

    /// The word that a `cas` which expects a copy writes.
    fn successor(&mut self, of: &str) -> String {
        let age = if !self.slips() {
            format!("{of}.age + 1")
        } else {
            let other = self.copy();
            let ages = [
                format!("{of}.age"),
                format!("{of}.age + 1 + 1"),
                format!("{other}.age"),
                format!("{other}.age + 1"),
            ];
            ages[self.rng.usize(0..ages.len())].clone()
        };
        let bit = ["true", "x.bit", "y.bit", "z.bit"][self.rng.usize(0..4)];
        format!("Tagged {{ bit: {bit}, age: {age} }}")
    }

    fn flag(&mut self) -> String {
        let (one, other) = (self.copy(), self.copy());
        self.flag_of(one, other)
    }

    fn flag_of(&mut self, one: &str, other: &str) -> String {
        let comparison = match self.rng.u32(0..5) {
            _ if self.slips() => format!("{one}.age + 1 + 1 == {other}.age"),
            0 => format!("{one}.age == {other}.age"),
            1 | 2 => format!("{one}.age + 1 == {other}.age"),
            _ => format!("{one} == {other}"),
        };
        let flag = self.flags;
        self.flags += 1;
        match flag {
            // One that is false often.
            3 => format!("assert !({comparison});"),
            _ => format!("flags[{}] = {comparison};", flag % FLAGS),
        }
    }

    fn two(&mut self) -> String {
        let wrong = self.strays();
        let (first, second) =
            (if wrong { "t.second" } else { "t.first" }, if wrong { "t.first" } else { "t.second" });
        format!(
            "{{ let t = two; cas(two, t, Two {{ first: {first} + 1, second: {second} }}); flags[0] = two == t; }}"
        )
    }

    /// A new cell replaces the old one, which is allocated again.
    fn reuse(&mut self) -> String {
        let fields = if self.strays() { "tagged: x" } else { "" };
        let free = |what: &str| if self.memory == "gc" { String::new() } else { format!("free({what});") };
        let (old, new) = (free("o"), free("n"));
        format!(
            "{{ let n = new Cell {{ {fields} }}; let o = cell; if cas(cell, o, n) {{ {old} }} else {{ {new} }} }}"
        )
    }

    fn rare(&mut self, one: &str, place: &str) -> String {
        match self.rng.u32(0..5) {
            0 => "x = deep(p, y, 1);".into(),
            1 => "deep(p, x, 2);".into(),
            2 if self.strays() => format!("{one} = swap(a, {one});"),
            3 if self.strays() => format!("b = {one};"),
            _ => format!("{{ let o: Tagged? = {one}; flags[1] = o == {place}; }}"),
        }
    }

    fn place(&mut self) -> &'static str {
        ["a", "b", "p.tagged", "p.tagged", "p.other"][self.rng.usize(0..5)]
    }

    fn near(&mut self, home: &'static str) -> &'static str {
        if self.strays() { self.place() } else { home }
    }

    fn copy(&mut self) -> &'static str {
        COPIES[self.rng.usize(0..COPIES.len())]
    }

    fn slips(&mut self) -> bool {
        self.rng.u32(0..100) < self.slips
    }

    /// What hardly any object can do and keep the rules.
    fn strays(&mut self) -> bool {
        self.rng.u32(0..200) == 0
    }
}
