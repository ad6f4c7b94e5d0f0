//! Objects without a plan: a few shared variables, and operations that are short random texts over them.
//!
//! The specification is the object's own text, run atomically, without locks. A compare-and-swap is a
//! comparison and an assignment, and a pointer to a cell is the value in the cell. So `linearizable` asks
//! whether the operations are atomic.

use fastrand::Rng;
use std::fmt::Write;

/// An object whose operations are drawn statement by statement: the fewer, the more threads are to use it.
pub fn object(rng: &mut Rng, threads: u32) -> String {
    let mut author = Author::new(rng, threads);
    let operations = author.operations();
    let memory = if author.manual { "manual" } else { "gc" };
    let mut text = format!("object Drawn: Atomic;\nmemory {memory};\nstruct Node {{ val: data }}\n");
    let mut states = String::new();
    for variable in &author.variables {
        let (shared, state) = variable.declarations();
        let _ = writeln!(text, "{shared}");
        let _ = writeln!(states, "    {state}");
    }
    text.push_str("shared guard: lock;\nshared inner: lock;\nshared spin: bool;\n");
    for operation in &operations {
        let Operation { head, code, .. } = operation;
        let _ = write!(text, "\nop {head} {{\n{code}}}\n");
    }
    let _ = write!(text, "\nspec Atomic {{\n{states}");
    for Operation { head, when, meaning, .. } in &operations {
        let _ = write!(text, "    op {head} {when} {{\n{meaning}    }}\n");
    }
    text.push_str("}\n");
    text
}

struct Operation {
    head: String,
    code: String,
    /// `when …`, where the code begins by waiting.
    when: String,
    meaning: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variable {
    /// `data?`
    X,
    Y,
    /// A pointer to a cell; in the specification the value in it.
    Cell,
    /// `0..3`
    Number,
    /// `thread?`
    Owner,
    /// One `data?` a thread, which others can see.
    Row,
    /// One `data?` a thread, which they cannot.
    Mine,
}

impl Variable {
    const ALL: [Variable; 7] = [
        Variable::X,
        Variable::Y,
        Variable::Cell,
        Variable::Number,
        Variable::Owner,
        Variable::Row,
        Variable::Mine,
    ];

    /// In the object, in the specification.
    fn declarations(self) -> (&'static str, &'static str) {
        match self {
            Variable::X => ("shared x: data?;", "state x: data?;"),
            Variable::Y => ("shared y: data?;", "state y: data?;"),
            Variable::Cell => ("shared cell: *Node;", "state cell: data?;"),
            Variable::Number => ("shared n: 0..3;", "state n: 0..3;"),
            Variable::Owner => ("shared owner: thread?;", "state owner: thread?;"),
            Variable::Row => ("shared row: [data?; threads];", "state row: [data?; threads];"),
            Variable::Mine => ("local mine: data?;", "state mine: [data?; threads];"),
        }
    }
}

/// How the statements of an operation are kept together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protection {
    Lock,
    TwoLocks,
    Spin,
    Atomic,
    Nothing,
}

struct Author<'r> {
    rng: &'r mut Rng,
    manual: bool,
    variables: Vec<Variable>,
    /// Most operations are kept together like this.
    habit: Protection,
    /// Operations and statements are to be few.
    few: bool,
    /// A value is a parameter of the operation that is being written.
    has_value: bool,
    /// Variables of type `data?`, of the operation.
    locals: Vec<String>,
    code: String,
    meaning: String,
    indent: usize,
    fuel: u32,
    names: usize,
}

/// An expression in the object, and in the specification.
type Both = (String, String);

impl<'r> Author<'r> {
    fn new(rng: &'r mut Rng, threads: u32) -> Author<'r> {
        let mut variables: Vec<Variable> = Variable::ALL.to_vec();
        rng.shuffle(&mut variables);
        variables.truncate(2);
        if !variables.iter().any(|v| matches!(v, Variable::X | Variable::Y | Variable::Cell | Variable::Row))
        {
            variables.push(Variable::X);
        }
        let habits = [
            Protection::Lock,
            Protection::Spin,
            Protection::Atomic,
            Protection::Nothing,
            Protection::Nothing,
        ];
        let habit = habits[rng.usize(0..habits.len())];
        let manual = variables.contains(&Variable::Cell) && rng.bool();
        Author {
            rng,
            manual,
            variables,
            habit,
            few: threads > 2,
            has_value: false,
            locals: Vec::new(),
            code: String::new(),
            meaning: String::new(),
            indent: 1,
            fuel: 0,
            names: 0,
        }
    }

    fn operations(&mut self) -> Vec<Operation> {
        let count = if self.few { 2 } else { self.rng.usize(2..=3) };
        ["first", "second", "third"][..count].iter().map(|name| self.operation(name)).collect()
    }

    fn operation(&mut self, name: &str) -> Operation {
        self.has_value = name == "first" || self.rng.u32(0..3) == 0;
        self.locals.clear();
        self.code.clear();
        self.meaning.clear();
        self.fuel = if self.few { 2 } else { 4 };
        let result = self.rng.u32(0..4);
        let head = match (self.has_value, result) {
            (true, 0) => format!("{name}(v: data)"),
            (true, 1) => format!("{name}(v: data) -> bool"),
            (true, _) => format!("{name}(v: data) -> data?"),
            (false, 1) => format!("{name}() -> bool"),
            (false, _) => format!("{name}() -> data?"),
        };
        let when = if self.rng.u32(0..16) == 0 { self.wait() } else { String::new() };
        self.write("let r: data? = none;");
        self.write("let ok = false;");
        self.locals.push("r".into());
        self.protected();
        if head.ends_with("bool") {
            self.write("return ok;");
        } else if head.ends_with("data?") {
            self.write("return r;");
        }
        Operation { head, code: self.code.clone(), when, meaning: self.meaning.clone() }
    }

    /// Waits in the object; gives the clause's condition.
    fn wait(&mut self) -> String {
        let full = self.rng.bool();
        let (code, meaning) = match self.places().first() {
            Some(place) if full => (format!("{place} != none"), format!("{place} != none")),
            Some(place) => (format!("{place} == none"), format!("{place} == none")),
            None if full => ("cell != null".into(), "cell != none".into()),
            None => ("cell == null".into(), "cell == none".into()),
        };
        self.object(&format!("await {code};"));
        format!("when {meaning}")
    }

    fn protected(&mut self) {
        let slip = [Protection::Nothing, Protection::TwoLocks, Protection::Lock];
        let protection =
            if self.rng.u32(0..5) == 0 { slip[self.rng.usize(0..slip.len())] } else { self.habit };
        let (mut before, mut after) = match protection {
            Protection::Lock => (vec!["guard.lock();"], vec!["guard.unlock();"]),
            Protection::TwoLocks => {
                (vec!["guard.lock();", "inner.lock();"], vec!["inner.unlock();", "guard.unlock();"])
            }
            Protection::Spin => (vec!["while !cas(spin, false, true) {}"], vec!["spin = false;"]),
            Protection::Atomic => (vec!["atomic {"], vec!["}"]),
            Protection::Nothing => (Vec::new(), Vec::new()),
        };
        if protection == Protection::TwoLocks && self.rng.bool() {
            before.reverse();
            after.reverse();
        }
        if self.rng.u32(0..4) == 0 {
            self.statement();
        }
        before.iter().for_each(|line| self.object(line));
        let count = if protection == Protection::Nothing { 1..=2 } else { 1..=3 };
        for _ in 0..self.rng.usize(count) {
            self.statement();
        }
        self.visible();
        after.iter().for_each(|line| self.object(line));
    }

    fn statement(&mut self) {
        if self.fuel == 0 {
            return;
        }
        self.fuel -= 1;
        let has = |author: &Author, variable| author.variables.contains(&variable);
        match self.rng.u32(0..14) {
            0 | 1 => self.read(),
            2 => self.conditional(),
            3 => self.compare_and_swap(),
            4 => self.exchange(),
            5 | 6 if has(self, Variable::Cell) => self.cell(),
            7 | 8 if has(self, Variable::Number) => self.both("n = (n + 1) % 3;", "n = (n + 1) % 3;"),
            9 if has(self, Variable::Owner) => self.claim(),
            10 if has(self, Variable::Owner) => self.assert(),
            11 => self.choice(),
            12 if has(self, Variable::Mine) => {
                let (code, meaning) = self.value();
                self.both(&format!("mine = {code};"), &format!("mine[me] = {meaning};"));
            }
            _ => self.assign(),
        }
    }

    /// Something that others see; an assignment may be the point at which the operation takes effect.
    fn visible(&mut self) {
        if self.places().is_empty() {
            return self.cell();
        }
        self.assign();
        if self.rng.u32(0..5) < 2 {
            self.object("lin;");
        }
    }

    fn assign(&mut self) {
        let places = self.places();
        if places.is_empty() {
            return self.cell();
        }
        let place = places[self.rng.usize(0..places.len())].clone();
        let (code, meaning) = self.value();
        self.both(&format!("{place} = {code};"), &format!("{place} = {meaning};"));
    }

    fn read(&mut self) {
        let (code, meaning) = self.value();
        if self.rng.bool() {
            self.both(&format!("r = {code};"), &format!("r = {meaning};"));
        } else {
            let name = self.fresh();
            self.both(&format!("let {name}: data? = {code};"), &format!("let {name}: data? = {meaning};"));
            self.locals.push(name);
        }
    }

    fn conditional(&mut self) {
        let (code, meaning) = self.condition();
        self.both(&format!("if {code} {{"), &format!("if {meaning} {{"));
        self.inside(|author| {
            author.statement();
            author.write("ok = true;");
        });
        self.write("}");
    }

    fn choice(&mut self) {
        self.write("if choose bool {");
        self.inside(|author| author.statement());
        self.write("}");
    }

    fn compare_and_swap(&mut self) {
        let places = self.places();
        if places.is_empty() {
            return self.cell();
        }
        let place = places[self.rng.usize(0..places.len())].clone();
        let old = self.fresh();
        self.write(&format!("let {old} = {place};"));
        let (code, meaning) = self.value();
        self.both(&format!("if cas({place}, {old}, {code}) {{"), &format!("if {place} == {old} {{"));
        self.indent += 1;
        self.spec(&format!("{place} = {meaning};"));
        self.indent -= 1;
        self.locals.push(old);
        self.inside(|author| author.write("ok = true;"));
        self.write("}");
    }

    fn exchange(&mut self) {
        let places = self.places();
        if places.is_empty() {
            return self.cell();
        }
        let place = places[self.rng.usize(0..places.len())].clone();
        let (code, meaning) = self.value();
        let (new, old) = (self.fresh(), self.fresh());
        self.both(&format!("let {new}: data? = {code};"), &format!("let {new}: data? = {meaning};"));
        self.both(&format!("let {old} = swap({place}, {new});"), &format!("let {old} = {place};"));
        self.spec(&format!("{place} = {new};"));
        self.locals.extend([new, old]);
    }

    /// Something is done with the cell.
    fn cell(&mut self) {
        if !self.variables.contains(&Variable::Cell) {
            return self.choice();
        }
        let p = self.fresh();
        let released = |indent: &str| if self.manual { format!("{indent}free({p});") } else { String::new() };
        let (code, meaning) = match self.rng.u32(0..5) {
            0 | 1 if self.has_value => {
                let release =
                    if self.manual { format!("if {p} != null {{ free({p}); }}") } else { String::new() };
                let made = self.fresh();
                (
                    format!("let {made} = new Node {{ val: v }};\nlet {p} = swap(cell, {made});\n{release}"),
                    "cell = v;".to_string(),
                )
            }
            2 if self.has_value => (
                format!("let {p} = cell;\nif {p} != null {{ {p}.val = v; ok = true; }}"),
                "if cell != none { cell = v; ok = true; }".to_string(),
            ),
            3 => (
                format!("let {p} = swap(cell, null);\nif {p} != null {{ r = {p}.val;{} }}", released(" ")),
                "if cell != none { r = cell; cell = none; }".to_string(),
            ),
            _ => (
                format!("let {p} = cell;\nif {p} != null {{ r = {p}.val; }}"),
                "if cell != none { r = cell; }".to_string(),
            ),
        };
        code.lines().for_each(|line| self.object(line));
        self.spec(&meaning);
    }

    fn claim(&mut self) {
        if self.variables.contains(&Variable::Row) && self.has_value && self.rng.bool() {
            let name = self.fresh();
            self.write(&format!("let {name} = owner;"));
            self.write(&format!("if {name} != none {{ row[{name}.unwrap()] = v; }}"));
            return;
        }
        let text = ["owner = me;", "owner = none;", "if owner == none { owner = me; ok = true; }"];
        let text = self.one_of(&text);
        self.write(text);
    }

    /// Asserted by the object only: the specification never fails.
    fn assert(&mut self) {
        let text = [
            "assert owner == none || owner == me;",
            "let seen = owner; assert seen == none || seen == me;",
            "assert owner != me;",
        ];
        let text = self.one_of(&text);
        self.object(text);
    }

    /// Shared places of type `data?` that are written alike on both sides.
    fn places(&self) -> Vec<String> {
        let place = |variable: &Variable| match variable {
            Variable::X => Some("x"),
            Variable::Y => Some("y"),
            Variable::Row => Some("row[me]"),
            _ => None,
        };
        self.variables.iter().filter_map(place).map(String::from).collect()
    }

    /// A `data?`.
    fn value(&mut self) -> Both {
        let alike = |text: &str| (text.to_string(), text.to_string());
        let mut all: Vec<Both> = vec![alike("none")];
        if self.has_value {
            all.extend([alike("v"), alike("v"), alike("v")]);
        }
        all.extend(self.places().iter().map(|place| alike(place)));
        all.extend(self.locals.iter().map(|local| alike(local)));
        if self.variables.contains(&Variable::Mine) {
            all.push(("mine".into(), "mine[me]".into()));
        }
        all.swap_remove(self.rng.usize(0..all.len()))
    }

    fn condition(&mut self) -> Both {
        let alike = |text: &str| (text.to_string(), text.to_string());
        match self.rng.u32(0..4) {
            0 if self.variables.contains(&Variable::Number) => alike("n > 0"),
            1 if self.variables.contains(&Variable::Owner) => alike("owner == me"),
            2 if self.variables.contains(&Variable::Mine) => {
                ("mine != none".into(), "mine[me] != none".into())
            }
            _ => match self.places().first() {
                Some(place) if self.has_value => alike(&format!("{place} == v")),
                Some(place) => alike(&format!("{place} != none")),
                None => ("cell != null".into(), "cell != none".into()),
            },
        }
    }

    fn inside(&mut self, write: impl FnOnce(&mut Self)) {
        let known = self.locals.len();
        self.indent += 1;
        write(self);
        self.indent -= 1;
        self.locals.truncate(known);
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.rng.usize(0..texts.len())]
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("a{}", self.names)
    }

    /// The same on both sides.
    fn write(&mut self, line: &str) {
        self.both(line, line);
    }

    fn both(&mut self, code: &str, meaning: &str) {
        self.object(code);
        self.spec(meaning);
    }

    fn object(&mut self, line: &str) {
        let _ = writeln!(self.code, "{:width$}{line}", "", width = 4 * self.indent);
    }

    fn spec(&mut self, line: &str) {
        let _ = writeln!(self.meaning, "{:width$}{line}", "", width = 4 * self.indent + 4);
    }
}
