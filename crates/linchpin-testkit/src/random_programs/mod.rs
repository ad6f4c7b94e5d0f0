//! Small random models, well typed by construction: operations that interfere through a few shared variables.
//!
//! The text is a function of the seed. Every operation ends: loops count, and waiting is for what another
//! call may bring. The number of accesses is kept small by *fuel*, so that all schedules of two threads can
//! be tried. The specification says nothing: each operation may give any result.

mod cells;
mod expressions;
mod functions;
mod statements;

use fastrand::Rng;
use std::fmt::Write;

/// A model for one seed.
pub fn program(seed: u64) -> String {
    Generator::new(seed).program()
}

/// The types that the generator knows; each has a name in the text of every model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    /// `Small`, or a plain number.
    Number,
    Bool,
    /// `*Node`
    Pointer,
    /// The word `Link`.
    Link,
    /// `Small?`
    Option,
    /// The enum `Hue`.
    Hue,
    /// `data`, perhaps undefined.
    Data,
    /// `[Small; 2]`
    Row,
}

impl Ty {
    const ALL: [Ty; 8] =
        [Ty::Number, Ty::Bool, Ty::Pointer, Ty::Link, Ty::Option, Ty::Hue, Ty::Data, Ty::Row];

    fn text(self) -> &'static str {
        match self {
            Ty::Number => "Small",
            Ty::Bool => "bool",
            Ty::Pointer => "*Node",
            Ty::Link => "Link",
            Ty::Option => "Small?",
            Ty::Hue => "Hue",
            Ty::Data => "data",
            Ty::Row => "[Small; 2]",
        }
    }
}

/// Numbers of type `Small` are below this.
const SMALL: i64 = 8;

#[derive(Clone, Debug)]
struct Local {
    name: String,
    ty: Ty,
    /// A pointer that is known to lead somewhere.
    leads: bool,
    /// A counter of a loop, which nothing else assigns.
    counter: bool,
}

#[derive(Clone, Debug)]
struct Helper {
    name: String,
    params: Vec<Ty>,
    result: Option<Ty>,
    cost: i64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MemoryKind {
    Gc,
    Pool,
    Manual,
}

/// Where the text that is being written stands.
#[derive(Clone, Debug, Default)]
struct Context {
    atomic: bool,
    /// Control must not leave: a lock is to be given back, or another statement would be skipped that must
    /// not.
    stays: bool,
    /// Labels of the loops around, innermost last.
    loops: Vec<String>,
    result: Option<Ty>,
    /// Variables of threads, and `me`.
    threads: bool,
}

struct Generator {
    rng: Rng,
    memory: MemoryKind,
    /// The shared place that the program comes back to most.
    hot: &'static str,
    out: String,
    indent: usize,
    scope: Vec<Local>,
    helpers: Vec<Helper>,
    context: Context,
    /// Accesses that may still be written; each counts as often as the loops around it turn.
    fuel: i64,
    weight: i64,
    names: usize,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut rng = Rng::with_seed(seed);
        let memory = match rng.u32(0..10) {
            0..6 => MemoryKind::Gc,
            6..8 => MemoryKind::Pool,
            _ => MemoryKind::Manual,
        };
        let hot = ["x", "y", "row[1]", "pairs[0].first", "link.tag"][rng.usize(0..5)];
        Generator {
            rng,
            memory,
            hot,
            out: String::new(),
            indent: 0,
            scope: Vec::new(),
            helpers: Vec::new(),
            context: Context::default(),
            fuel: 0,
            weight: 1,
            names: 0,
        }
    }

    fn program(mut self) -> String {
        self.line("object Random: Anything;");
        self.line(match self.memory {
            MemoryKind::Gc => "memory gc;",
            MemoryKind::Pool => "memory pool;",
            MemoryKind::Manual => "memory manual;",
        });
        self.declarations();
        self.init();
        self.functions();
        let operations = self.operations();
        self.specification(&operations);
        self.out
    }

    fn declarations(&mut self) {
        let types = [
            "type Small = 0..8;",
            "enum Hue { Red, Green, Blue }",
            "word Link { ptr: *Node, tag: Small, mark: bool, age: age }",
            "struct Pair { first: Small, second: Small }",
            "struct Node { val: Small, next: *Node, link: Link, pair: Pair, guard: lock }",
        ];
        let variables = [
            "shared flag: bool;",
            "shared row: [Small; 2] = [1, 2];",
            "shared pairs: [Pair; 2];",
            "shared top: *Node;",
            "shared link: Link;",
            "shared hue: Hue = Hue::Green;",
            "shared slot: Small?;",
            "shared datum: data;",
            "shared guard: lock;",
            "shared ready: condvar;",
            "shared items: seq<Small> = [1];",
            "shared members: set<Small>;",
            "shared known: map<Small, Small>;",
            "shared crowd: bag<Small>;",
            "shared owner: thread?;",
            "shared slots: [Small; threads];",
            "shared fixed: Small = 5;",
            "local mine: Small = 1;",
            "local kept: *Node;",
            "hash spread(n: Small) -> 0..8 = (n + 3) % 8;",
        ];
        types.iter().for_each(|line| self.line(line));
        let (x, y) = (self.rng.i64(0..4), self.rng.i64(0..4));
        self.line(&format!("shared x: Small = {x};"));
        self.line(&format!("shared y: Small = {y};"));
        variables.iter().for_each(|line| self.line(line));
        if self.memory == MemoryKind::Gc {
            self.line("shared table: *[Small];");
        }
    }

    fn init(&mut self) {
        self.line("init {");
        self.indent += 1;
        self.line("top = new Node { val: 1 };");
        if self.rng.bool() {
            self.line("top.next = new Node { val: 2, link: Link { mark: true } };");
        }
        if self.rng.bool() {
            self.line("link = Link { ptr: top, tag: 3 };");
        }
        if self.memory == MemoryKind::Gc {
            self.line("table = new [2; 2];");
        }
        self.indent -= 1;
        self.line("}");
    }

    /// Two or three operations; their heads, for the specification.
    fn operations(&mut self) -> Vec<(String, Option<Ty>)> {
        let mut heads = Vec::new();
        for name in ["first", "second", "third"].iter().take(self.rng.usize(2..=3)) {
            let result = match self.rng.u32(0..6) {
                0 => None,
                1 => Some(Ty::Bool),
                2 => Some(Ty::Option),
                3 => Some(Ty::Row),
                _ => Some(Ty::Number),
            };
            let mut params = Vec::new();
            for param in ["v", "w"].iter().take(self.rng.usize(0..=2)) {
                let ty = [Ty::Number, Ty::Bool, Ty::Data][self.rng.usize(0..3)];
                params.push((param.to_string(), ty));
            }
            let listed: Vec<String> =
                params.iter().map(|(name, ty)| format!("{name}: {}", ty.text())).collect();
            let mut head = format!("op {name}({})", listed.join(", "));
            if let Some(result) = result {
                let _ = write!(head, " -> {}", result.text());
            }
            let fuel = self.rng.i64(5..=9);
            self.body(&head, &params, result, fuel);
            heads.push((head, result));
        }
        heads
    }

    fn specification(&mut self, operations: &[(String, Option<Ty>)]) {
        self.line("spec Anything {");
        self.indent += 1;
        for (head, result) in operations {
            let any = match result {
                None => "",
                Some(Ty::Bool) => " return choose bool;",
                Some(Ty::Number) => " return choose 0..8;",
                Some(Ty::Option) => " if choose bool { return none; } return choose 0..8;",
                Some(Ty::Row) => " return [choose 0..8, choose 0..8];",
                Some(other) => panic!("no operation gives {other:?}"),
            };
            self.line(&format!("{head} {{{any} }}"));
        }
        self.indent -= 1;
        self.line("}");
    }

    /// A function or operation: its head, parameters, and a random body that returns what it must.
    fn body(&mut self, head: &str, params: &[(String, Ty)], result: Option<Ty>, fuel: i64) {
        let locals = params.iter().map(|(name, ty)| Local {
            name: name.clone(),
            ty: *ty,
            leads: false,
            counter: false,
        });
        self.scope = locals.collect();
        self.context = Context { result, threads: true, ..Context::default() };
        self.fuel = fuel;
        self.weight = 1;
        self.line(&format!("{head} {{"));
        self.indent += 1;
        let statements = self.rng.usize(1..=3);
        self.statements(statements);
        // Something that others see, whatever else there is.
        self.assign_shared();
        self.statements(statements);
        if let Some(result) = result {
            let value = self.value(result);
            self.line(&format!("return {value};"));
        }
        self.indent -= 1;
        self.line("}");
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 4 * self.indent);
    }

    /// Takes fuel for some accesses, if there is enough.
    fn spend(&mut self, accesses: i64) -> bool {
        let cost = accesses * self.weight;
        if self.fuel < cost {
            return false;
        }
        self.fuel -= cost;
        true
    }

    /// True once in `of`.
    fn once_in(&mut self, of: u32) -> bool {
        self.rng.u32(0..of) == 0
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("a{}", self.names)
    }

    fn locals(&self, ty: Ty) -> Vec<String> {
        // A shadowed variable cannot be named any more.
        let visible = |at: usize| self.scope[at + 1..].iter().all(|later| later.name != self.scope[at].name);
        let found = self.scope.iter().enumerate().filter(|(at, local)| local.ty == ty && visible(*at));
        found.map(|(_, local)| local.name.clone()).collect()
    }

    fn pick<'t>(&mut self, from: &'t [String]) -> Option<&'t String> {
        if from.is_empty() { None } else { Some(&from[self.rng.usize(0..from.len())]) }
    }
}
