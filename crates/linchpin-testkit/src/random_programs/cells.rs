//! Random statements on cells, collections and linked places.

use super::{Generator, MemoryKind, Ty};

impl Generator {
    pub(super) fn make_node(&mut self) {
        let cost = if self.memory == MemoryKind::Gc { 1 } else { 3 };
        if !self.spend(cost) {
            return self.declare();
        }
        let (val, next) = (self.small(), self.pointer());
        let name = self.fresh();
        self.line(&format!("let {name} = new Node {{ val: {val}, next: {next} }};"));
        self.bind(name.clone(), Ty::Pointer, true);
        if self.once_in(3) {
            let value = self.small();
            self.line(&format!("{name}.val = {value};"));
        }
        match self.rng.u32(0..8) {
            0 | 6 if self.spend(2) => {
                self.line(&format!("top = {name};"));
                let value = self.small();
                self.line(&format!("{name}.val = {value};"));
            }
            1 | 7 if self.spend(2) => {
                let old = if self.once_in(2) { "null".to_string() } else { format!("{name}.next") };
                self.line(&format!("if cas(top, {old}, {name}) {{"));
                let value = self.small();
                self.line(&format!("    {name}.val = {value};"));
                self.block(1);
                self.line("} else {");
                self.line(&format!("    {name}.val += 1;"));
                self.line(&format!("    top = {name};"));
                self.line("}");
            }
            2 if self.context.threads => self.line(&format!("kept = {name};")),
            3 if self.memory != MemoryKind::Gc && self.spend(1) => self.line(&format!("free({name});")),
            4 if self.spend(1) => self.line(&format!("link.ptr = {name};")),
            _ => {}
        }
    }

    /// A pointer is read, and used where it leads somewhere.
    pub(super) fn guarded(&mut self) {
        if !self.spend(2) {
            return self.declare();
        }
        let pointer = self.pointer();
        let name = self.fresh();
        self.line(&format!("let {name}: *Node = {pointer};"));
        self.line(&format!("if {name} != null {{"));
        let before = self.scope.len();
        self.bind(name.clone(), Ty::Pointer, true);
        let value = self.small();
        let text = match self.rng.u32(0..5) {
            0 => format!("{name}.val = {value};"),
            1 => format!("{name}.link.toggle();"),
            2 => format!("{name}.link.tag = {value};"),
            3 => format!("cas({name}.next, null, {name});"),
            _ => format!("{name}.pair.exchange();"),
        };
        self.line(&format!("    {text}"));
        let count = self.rng.usize(0..=2);
        self.block(count);
        self.scope.truncate(before);
        self.line("}");
    }

    /// The same field of the same cell, twice: another thread may run in between.
    pub(super) fn look_twice(&mut self) {
        if !self.spend(3) {
            return self.assign_shared();
        }
        let (name, first) = (self.fresh(), self.fresh());
        self.line(&format!("let {name} = top;"));
        self.line(&format!("if {name} != null {{"));
        self.line(&format!("    let {first} = {name}.val;"));
        self.line(&format!("    mine = ({first} * 2 + {name}.val) % 8;"));
        self.line("}");
    }

    pub(super) fn collection(&mut self) {
        if !self.spend(1) {
            return self.declare();
        }
        let value = self.small();
        let text = match self.rng.u32(0..9) {
            0 | 1 => format!("items.push_back({value});"),
            2 => format!("items.push_front({value});"),
            3 => {
                let name = self.fresh();
                self.line(&format!("if !items.is_empty() {{ x = items.pop_front(); let {name} = items.len(); mine = {name}; }}"));
                return;
            }
            4 => format!("known.insert({value}, {});", self.small()),
            5 => format!("crowd.add({value});"),
            6 => format!("crowd.remove({value});"),
            7 => {
                let name = self.fresh();
                self.line(&format!("let {name} = items;"));
                format!("if {name}.len() == 1 {{ x = {name}[0]; }}")
            }
            _ => "items.clear();".to_string(),
        };
        self.line(&text);
    }

    pub(super) fn linked_store(&mut self) {
        if !self.spend(2) {
            return self.declare();
        }
        let place = if self.once_in(2) { "x" } else { "link.tag" };
        let name = self.fresh();
        self.line(&format!("let {name} = ll({place});"));
        self.bind(name.clone(), Ty::Number, false);
        if self.once_in(2) {
            self.statement();
        }
        let value = self.small();
        self.line(&format!("if sc({place}, {value}) {{"));
        self.block(1);
        self.line("}");
    }

    pub(super) fn give_back(&mut self) {
        if self.memory == MemoryKind::Gc || !self.spend(2) {
            return self.declare();
        }
        let name = self.fresh();
        self.line(&format!("let {name} = swap(top, null);"));
        self.line(&format!("if {name} != null {{ free({name}); }}"));
    }
}
