//! Random statements.

use super::{Generator, Local, Ty};

impl Generator {
    /// Some statements of the block that is open.
    pub(super) fn statements(&mut self, count: usize) {
        for _ in 0..count {
            self.statement();
        }
    }

    pub(super) fn statement(&mut self) {
        match self.rng.u32(0..72) {
            0..4 => self.declare(),
            4..8 => self.assign_local(),
            8..24 => self.assign_shared(),
            24..30 => self.branch(),
            30..33 => self.counted_loop(),
            33..36 => self.for_loop(),
            36..42 => self.make_node(),
            42..46 => self.guarded(),
            46..49 => self.look_twice(),
            49..52 => self.atomic(),
            52..54 => self.critical_section(),
            54..57 => self.deferred(),
            57..60 => self.collection(),
            60..62 => self.linked_store(),
            62 => self.wait_or_notify(),
            63 | 64 => self.choose_arm(),
            65 | 66 => self.leave(),
            67 => self.say(),
            68 => self.await_something(),
            69 => self.give_back(),
            _ => self.call_statement(),
        }
    }

    pub(super) fn declare(&mut self) {
        let ty = Ty::ALL[self.rng.usize(0..Ty::ALL.len())];
        if ty != Ty::Data && self.once_in(8) {
            let name = self.name_for(ty);
            self.line(&format!("let {name}: {};", ty.text()));
            self.bind(name, ty, false);
            return;
        }
        let value = self.value(ty);
        let name = self.name_for(ty);
        // What stands alone does not tell that it is optional, that its numbers are small, or what `null`
        // points to.
        let needed = matches!(ty, Ty::Option | Ty::Row) || value == "null";
        let annotation = if needed || self.once_in(3) { format!(": {}", ty.text()) } else { String::new() };
        self.line(&format!("let {name}{annotation} = {value};"));
        self.bind(name, ty, false);
    }

    /// A new name, or one that hides an older variable.
    fn name_for(&mut self, ty: Ty) -> String {
        let hidden: Vec<String> = self
            .scope
            .iter()
            .filter(|local| local.ty == ty && !local.counter)
            .map(|local| local.name.clone())
            .collect();
        match self.pick(&hidden).cloned() {
            Some(name) if self.once_in(6) => name,
            _ => self.fresh(),
        }
    }

    pub(super) fn bind(&mut self, name: String, ty: Ty, leads: bool) {
        self.scope.push(Local { name, ty, leads, counter: false });
    }

    fn assign_local(&mut self) {
        let visible: Vec<Local> = Ty::ALL
            .iter()
            .flat_map(|&ty| self.locals(ty))
            .filter_map(|name| self.scope.iter().rev().find(|local| local.name == name).cloned())
            .filter(|local| !local.counter && !local.leads)
            .collect();
        if visible.is_empty() || self.once_in(6) {
            if self.context.threads && self.once_in(2) {
                let value = self.small();
                return self.line(&format!("mine = {value};"));
            }
            return self.declare();
        }
        let local = visible[self.rng.usize(0..visible.len())].clone();
        let name = local.name;
        match (local.ty, self.rng.u32(0..3)) {
            (Ty::Number, 0) => self.line(&format!("{name} += 1;")),
            (Ty::Link, 0) => {
                let tag = self.small();
                self.line(&format!("{name}.tag = {tag};"));
            }
            (Ty::Link, 1) => self.line(&format!("{name}.toggle();")),
            (Ty::Row, 0 | 1) => {
                let (value, index) = (self.small(), self.index());
                self.line(&format!("{name}[{index}] = {value};"));
            }
            (ty, _) => {
                let value = self.value(ty);
                self.line(&format!("{name} = {value};"));
            }
        }
    }

    pub(super) fn assign_shared(&mut self) {
        if !self.spend(1) {
            return self.assign_local();
        }
        let text = match self.rng.u32(0..20) {
            0..5 => {
                let value = self.small();
                format!("{} = {value};", self.counted())
            }
            5..7 => format!("{} += 1;", self.counted()),
            7 => {
                let by = self.small();
                format!("x += {by};")
            }
            8 => format!("{} -= 1;", self.counted()),
            9 => format!("flag = {};", self.truth()),
            10 => format!("link.tag = {};", self.small()),
            11 => format!("link = {};", self.link()),
            12 => format!("top = {};", self.pointer()),
            13 => format!("hue = {};", self.value(Ty::Hue)),
            14 => format!("slot = {};", self.value(Ty::Option)),
            15 if !self.locals(Ty::Data).is_empty() => format!("datum = {};", self.value(Ty::Data)),
            15 => format!("flag = {};", self.truth()),
            16 => format!("slots[me] = {};", self.small()),
            17 => {
                let index = self.index();
                format!("pairs[{index}].exchange();")
            }
            18 => {
                let (a, b, c, d) = (self.small(), self.small(), self.small(), self.small());
                format!("dcas(x, y, {a}, {b}, {c}, {d});")
            }
            _ => {
                let to = self.pointer();
                format!("link.step({to});")
            }
        };
        self.line(&text);
    }

    fn branch(&mut self) {
        let cond = self.truth();
        self.line(&format!("if {cond} {{"));
        let count = self.rng.usize(1..=2);
        self.block(count);
        if self.once_in(2) {
            self.line("} else {");
            self.block(1);
        }
        self.line("}");
    }

    /// A loop that counts first, so that `continue` does no harm.
    fn counted_loop(&mut self) {
        let label = self.fresh();
        let counter = self.fresh();
        let cond = if self.once_in(2) { format!(" && {}", self.truth()) } else { String::new() };
        self.line(&format!("let {counter} = 0;"));
        self.scope.push(Local { name: counter.clone(), ty: Ty::Number, leads: false, counter: true });
        if self.once_in(3) {
            self.line(&format!("'{label}: loop {{"));
            self.line(&format!("    {counter} += 1;"));
            self.line(&format!("    if {counter} > 2 {{ break; }}"));
        } else {
            self.line(&format!("'{label}: while {counter} < 2{cond} {{"));
            self.line(&format!("    {counter} += 1;"));
        }
        self.loop_body(label);
    }

    fn for_loop(&mut self) {
        let label = self.fresh();
        let name = self.fresh();
        let range = match self.rng.u32(0..5) {
            0 => "(0..2).rev()".to_string(),
            1 => "1..=2".to_string(),
            2 if self.spend(1) => "0..x % 3".to_string(),
            3 if self.context.threads => {
                self.line(&format!("'{label}: for {name} in threads {{"));
                self.weight *= 2;
                if self.spend(1) {
                    let value = self.small();
                    self.line(&format!("    slots[{name}] = {value};"));
                }
                self.weight /= 2;
                return self.loop_body(label);
            }
            4 => {
                let numbers = [self.small(), self.small()];
                let list = self.fresh();
                self.line(&format!("let {list}: seq<Small> = [{}];", numbers.join(", ")));
                list
            }
            _ => "0..2".to_string(),
        };
        self.line(&format!("'{label}: for {name} in {range} {{"));
        let before = self.scope.len();
        self.bind(name, Ty::Number, false);
        self.loop_body(label);
        self.scope.truncate(before);
    }

    fn loop_body(&mut self, label: String) {
        self.context.loops.push(label);
        self.weight *= 2;
        self.indent += 1;
        if !self.context.stays && self.once_in(3) && self.spend(1) {
            let text = ["defer x = (x + 1) % 8;", "defer mine = (mine + 3) % 8;"][self.rng.usize(0..2)];
            self.line(text);
            self.leave();
        }
        self.indent -= 1;
        let count = self.rng.usize(1..=3);
        self.block(count);
        self.weight /= 2;
        self.context.loops.pop();
        self.line("}");
    }

    fn atomic(&mut self) {
        if self.context.atomic || self.context.stays || !self.spend(1) {
            return self.assign_shared();
        }
        let before = self.context.clone();
        self.context.atomic = true;
        self.line("atomic {");
        if self.once_in(3) {
            let cond = self.truth();
            self.line(&format!("    await {cond};"));
        }
        let count = self.rng.usize(1..=3);
        self.block(count);
        self.line("}");
        self.context = before;
    }

    fn critical_section(&mut self) {
        if self.context.stays || !self.spend(2) {
            return self.assign_shared();
        }
        let deferred = self.once_in(2);
        let count = self.rng.usize(1..=2);
        self.line("{");
        self.line("    guard.lock();");
        if deferred {
            self.line("    defer guard.unlock();");
            self.block(count);
        } else {
            self.context.stays = true;
            self.block(count);
            self.context.stays = false;
            self.line("    guard.unlock();");
        }
        self.line("}");
    }

    fn deferred(&mut self) {
        if self.context.stays || !self.spend(1) {
            return self.assign_shared();
        }
        let value = self.small();
        let text = match self.rng.u32(0..4) {
            0 => format!("defer x = {value};"),
            1 => "defer y += 1;".to_string(),
            2 if self.context.threads => format!("defer mine = {value};"),
            _ => {
                let numbers = self.locals(Ty::Number);
                match self.pick(&numbers).cloned() {
                    Some(name) => format!("defer {{ row[0] = {name} % 8; row[1] = {value}; }}"),
                    None => format!("defer row[1] = {value};"),
                }
            }
        };
        self.line(&text);
    }

    fn wait_or_notify(&mut self) {
        if self.context.atomic || self.context.stays || !self.spend(4) {
            return self.assign_shared();
        }
        let lines = match self.rng.u32(0..3) {
            0 => ["guard.lock();", "while !flag { ready.wait(guard); }", "guard.unlock();"],
            1 => ["guard.lock();", "flag = true; ready.notify_one();", "guard.unlock();"],
            _ => ["guard.lock();", "flag = !flag; ready.notify_all();", "guard.unlock();"],
        };
        lines.iter().for_each(|line| self.line(line));
    }

    fn choose_arm(&mut self) {
        if self.once_in(2) {
            let hue = self.value(Ty::Hue);
            self.line(&format!("match {hue} {{"));
            self.arm("Hue::Red");
            self.arm("Hue::Blue");
        } else {
            let number = self.number();
            self.line(&format!("match {number} {{"));
            self.arm("0");
            self.arm("2");
        }
        self.arm("_");
        self.line("}");
    }

    fn arm(&mut self, pattern: &str) {
        self.line(&format!("    {pattern} => {{"));
        self.indent += 1;
        let count = self.rng.usize(0..=1);
        self.block(count);
        self.indent -= 1;
        self.line("    }");
    }

    /// Out of a loop, or out of the function.
    fn leave(&mut self) {
        if self.context.stays {
            return;
        }
        let cond = self.truth();
        let loops = self.context.loops.clone();
        let text = match self.pick(&loops).cloned() {
            Some(label) if !self.once_in(3) => {
                let word = if self.once_in(2) { "break" } else { "continue" };
                format!("{word} '{label};")
            }
            _ => match self.context.result {
                Some(result) => format!("return {};", self.value(result)),
                None => "return;".to_string(),
            },
        };
        self.line(&format!("if {cond} {{ {text} }}"));
    }

    fn say(&mut self) {
        let cond = self.truth();
        match self.rng.u32(0..3) {
            0 => self.line(&format!("assert {cond} || x < 7;")),
            1 => self.line(&format!("assume {cond} || y < 6;")),
            _ => self.line(&format!("{{ let hidden = {cond}; flag = hidden; }}")),
        }
    }

    fn await_something(&mut self) {
        if self.context.stays || !self.spend(1) {
            return self.declare();
        }
        let text = match self.rng.u32(0..4) {
            0 => "await x > 0;",
            1 => "await !flag || mine > 1;",
            2 => "await link.tag < 6;",
            _ => "await items.len() <= 2;",
        };
        self.line(text);
    }

    fn call_statement(&mut self) {
        let helper = self.helpers[self.rng.usize(0..self.helpers.len())].clone();
        match self.call(&helper) {
            Some(call) => self.line(&format!("{call};")),
            None => self.assign_local(),
        }
    }

    /// The inside of a block whose braces are written by the caller.
    pub(super) fn block(&mut self, statements: usize) {
        let before = self.scope.len();
        self.indent += 1;
        self.statements(statements);
        self.indent -= 1;
        self.scope.truncate(before);
    }
}
