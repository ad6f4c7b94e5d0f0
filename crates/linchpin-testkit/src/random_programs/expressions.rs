//! Random expressions of a wanted type. Those that touch shared memory take fuel.

use super::{Generator, MemoryKind, SMALL, Ty};

impl Generator {
    /// An expression that may stand wherever a value of the type is wanted.
    pub(super) fn value(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Number => self.small(),
            Ty::Bool => self.truth(),
            Ty::Pointer => self.pointer(),
            Ty::Link => self.link(),
            Ty::Option => self.option(),
            Ty::Hue => self.hue(),
            Ty::Data => self.datum(),
            Ty::Row => self.row(),
        }
    }

    /// A number of any size, in parentheses where it needs them.
    pub(super) fn number(&mut self) -> String {
        if self.once_in(3) {
            let left = self.number();
            let right = self.number();
            return match self.rng.u32(0..6) {
                0 => format!("({left} * {right})"),
                1 => format!("({left} - {right})"),
                2 => format!("({left} / ({right} + 1))"),
                _ => format!("({left} + {right})"),
            };
        }
        if let Some(call) = self.helper_call(Ty::Number, 4) {
            return call;
        }
        if self.fuel > 0 && !self.once_in(3) {
            return self.shared_number();
        }
        if self.context.threads && self.once_in(6) {
            return "mine".into();
        }
        let names = self.locals(Ty::Number);
        match self.pick(&names) {
            Some(name) if !self.once_in(3) => name.clone(),
            _ => self.rng.i64(0..4).to_string(),
        }
    }

    /// A number that is nearly always a `Small`.
    pub(super) fn small(&mut self) -> String {
        let number = self.number();
        let plain = !number.contains(['(', '-', '*', '+', '/']);
        match self.rng.u32(0..20) {
            0 => number,
            1..4 => format!("spread({} % {SMALL})", nonnegative(&number)),
            _ if plain => number,
            _ => format!("{} % {SMALL}", nonnegative(&number)),
        }
    }

    fn shared_number(&mut self) -> String {
        match self.rng.u32(0..31) {
            0..3 if self.spend(1) => "x".into(),
            3..6 if self.spend(1) => "y".into(),
            22..30 if self.spend(1) => self.hot.into(),
            30 if self.spend(3) => format!("link.shift({})", self.small()),
            6 if self.spend(1) => format!("row[{}]", self.index()),
            7 if self.spend(1) => format!("pairs[{}].{}", self.index(), self.half()),
            8 if self.spend(1) => "link.tag".into(),
            9 if self.spend(1) => "items.len()".into(),
            10 if self.spend(1) => format!("fetch_add({}, {})", self.counted(), self.rng.i64(0..2)),
            11 if self.spend(1) => {
                let (old, new) = (self.small(), self.small());
                format!("cmpxchg({}, {old}, {new})", self.counted())
            }
            12 if self.spend(1) => {
                let new = self.small();
                format!("swap({}, {new})", self.counted())
            }
            13 if self.spend(1) => format!("slots[{}]", if self.once_in(2) { "me" } else { "0" }),
            14 if self.spend(1) => "fixed".into(),
            15 if self.memory == MemoryKind::Gc && self.spend(2) => format!("table[{}]", self.index()),
            16 if self.memory == MemoryKind::Gc && self.spend(2) => "table.len()".into(),
            17 if self.spend(1) => "ord(hue)".into(),
            18 if self.spend(1) => format!("crowd.count({})", self.small()),
            19 if self.spend(2) => format!("pairs[{}].total()", self.index()),
            // The argument is part of the place that the method changes.
            21 if !self.locals(Ty::Link).is_empty() => {
                let names = self.locals(Ty::Link);
                let name = self.pick(&names).cloned().unwrap_or_default();
                format!("{name}.shift({name}.tag)")
            }
            20 if self.spend(2) => "top.val".into(),
            _ => {
                let cells = self.leading();
                match self.pick(&cells).cloned() {
                    Some(cell) if self.spend(2) => match self.rng.u32(0..5) {
                        0 => format!("{cell}.link.tag"),
                        1 => format!("{cell}.pair.{}", self.half()),
                        2 => format!("{cell}.pair.total()"),
                        3 => format!("{cell}.bump()"),
                        _ => format!("{cell}.val"),
                    },
                    _ => self.rng.i64(0..4).to_string(),
                }
            }
        }
    }

    pub(super) fn truth(&mut self) -> String {
        if self.once_in(3) {
            let left = self.truth();
            return match self.rng.u32(0..5) {
                0 => format!("!{left}"),
                1 | 2 => format!("({left} && {})", self.truth()),
                _ => format!("({left} || {})", self.truth()),
            };
        }
        if let Some(call) = self.helper_call(Ty::Bool, 8) {
            return call;
        }
        if self.fuel > 0 && !self.once_in(3) {
            return self.shared_truth();
        }
        match self.rng.u32(0..12) {
            0 => "choose bool".into(),
            1 => "((choose c in 0..3 where c != 1) == 2)".into(),
            2..7 => {
                let comparison = ["==", "!=", "<", "<=", ">", ">="][self.rng.usize(0..6)];
                format!("({} {comparison} {})", self.number(), self.number())
            }
            7 if self.context.threads => "(kept == null)".into(),
            8 => format!("({} != none)", self.option_place()),
            _ => {
                let names = self.locals(Ty::Bool);
                self.pick(&names).cloned().unwrap_or_else(|| self.rng.bool().to_string())
            }
        }
    }

    fn shared_truth(&mut self) -> String {
        match self.rng.u32(0..16) {
            0 | 1 if self.spend(1) => "flag".into(),
            2 if self.spend(1) => "link.mark".into(),
            3 if self.spend(1) => format!("(top == {})", self.pointer()),
            4 if self.spend(1) => format!("(link != {})", self.link()),
            5 | 6 if self.spend(1) => {
                let (old, new) = (self.small(), self.small());
                format!("cas({}, {old}, {new})", self.counted())
            }
            7 if self.spend(2) => {
                let (old, new) = (self.link(), self.link());
                format!("cas(link, {old}, {new})")
            }
            8 if self.spend(1) => "guard.is_locked()".into(),
            9 if self.spend(1) => "items.is_empty()".into(),
            10 if self.spend(1) => {
                format!("members.{}({})", ["add", "remove", "contains"][self.rng.usize(0..3)], self.small())
            }
            11 if self.spend(1) => format!("(hue == {})", self.hue()),
            12 if self.spend(1) => "(owner == me)".into(),
            13 if self.spend(1) => "cas(owner, none, me)".into(),
            14 if !self.locals(Ty::Data).is_empty() && self.spend(1) => {
                format!("(datum == {})", self.datum())
            }
            _ if self.spend(1) => "link.toggle()".into(),
            _ => "true".into(),
        }
    }

    pub(super) fn pointer(&mut self) -> String {
        if self.fuel > 0 && self.once_in(2) {
            match self.rng.u32(0..5) {
                0 | 1 if self.spend(1) => return "top".into(),
                2 if self.spend(1) => return "link.ptr".into(),
                3 if self.spend(2) => return "top.next".into(),
                _ => {
                    let cells = self.leading();
                    if let Some(cell) = self.pick(&cells).cloned()
                        && self.spend(1)
                    {
                        return format!("{cell}.next");
                    }
                }
            }
        }
        if self.context.threads && self.once_in(6) {
            return "kept".into();
        }
        let names = self.locals(Ty::Pointer);
        self.pick(&names).cloned().unwrap_or_else(|| "null".into())
    }

    pub(super) fn link(&mut self) -> String {
        let names = self.locals(Ty::Link);
        match self.rng.u32(0..5) {
            0 if self.spend(1) => "link".into(),
            1 | 2 if !names.is_empty() => self.pick(&names).cloned().unwrap_or_default(),
            3 => format!("(Link {{ tag: {}, mark: {} }})", self.small(), self.truth()),
            // The text's order is not the word's.
            _ => {
                format!("(Link {{ mark: {}, ptr: {}, tag: {} }})", self.truth(), self.pointer(), self.small())
            }
        }
    }

    fn option(&mut self) -> String {
        match self.rng.u32(0..4) {
            0 => self.option_place(),
            1 => "none".into(),
            2 if self.spend(1) => {
                format!("known.{}({})", ["get", "remove"][self.rng.usize(0..2)], self.small())
            }
            _ => self.small(),
        }
    }

    fn option_place(&mut self) -> String {
        let names = self.locals(Ty::Option);
        match self.pick(&names).cloned() {
            Some(name) if self.once_in(2) => name,
            _ if self.spend(1) => "slot".into(),
            Some(name) => name,
            None => "none_at_all()".into(),
        }
    }

    fn hue(&mut self) -> String {
        let names = self.locals(Ty::Hue);
        match self.rng.u32(0..4) {
            0 if self.spend(1) => "hue".into(),
            1 if !names.is_empty() => self.pick(&names).cloned().unwrap_or_default(),
            _ => ["Hue::Red", "Hue::Green", "Hue::Blue"][self.rng.usize(0..3)].into(),
        }
    }

    fn datum(&mut self) -> String {
        let names = self.locals(Ty::Data);
        match self.pick(&names).cloned() {
            Some(name) if !self.once_in(4) => name,
            Some(name) => {
                if self.spend(1) {
                    "datum".into()
                } else {
                    name
                }
            }
            None => "some_datum()".into(),
        }
    }

    fn row(&mut self) -> String {
        let names = self.locals(Ty::Row);
        match self.pick(&names).cloned() {
            Some(name) if self.once_in(2) => name,
            _ => format!("[{}, {}]", self.small(), self.small()),
        }
    }

    /// A shared place that holds a `Small`, for primitives and updates.
    pub(super) fn counted(&mut self) -> String {
        let cells = self.leading();
        match (self.rng.u32(0..10), self.pick(&cells).cloned()) {
            (0, Some(cell)) => format!("{cell}.val"),
            (1, Some(cell)) => format!("{cell}.pair.{}", self.half()),
            (2, _) => format!("row[{}]", self.index()),
            (3, _) => format!("pairs[{}].{}", self.index(), self.half()),
            (4, _) => "y".into(),
            (5, _) => "x".into(),
            _ => self.hot.into(),
        }
    }

    /// 0 or 1, once in a while something that may lie outside.
    pub(super) fn index(&mut self) -> String {
        let number = self.number();
        // A literal outside would be found before anything runs.
        if self.once_in(12) && number.contains(char::is_alphabetic) {
            return number;
        }
        format!("{} % 2", nonnegative(&number))
    }

    /// Local pointers that are known to lead somewhere.
    pub(super) fn leading(&self) -> Vec<String> {
        let names = self.locals(Ty::Pointer);
        let leads = |name: &String| {
            self.scope.iter().rev().find(|local| local.name == *name).is_some_and(|l| l.leads)
        };
        names.into_iter().filter(leads).collect()
    }

    fn half(&mut self) -> &'static str {
        if self.once_in(2) { "first" } else { "second" }
    }

    /// A call of a helper with the wanted result, once in `of`.
    fn helper_call(&mut self, result: Ty, of: u32) -> Option<String> {
        if !self.once_in(of) {
            return None;
        }
        let fitting: Vec<_> =
            self.helpers.iter().filter(|helper| helper.result == Some(result)).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let helper = fitting[self.rng.usize(0..fitting.len())].clone();
        self.call(&helper)
    }

    pub(super) fn call(&mut self, helper: &super::Helper) -> Option<String> {
        if !self.spend(helper.cost) {
            return None;
        }
        let from_mine = self.context.threads && self.once_in(3);
        let argument = |ty| if from_mine && ty == Ty::Number { "mine".into() } else { self.value(ty) };
        let args: Vec<String> = helper.params.iter().copied().map(argument).collect();
        Some(format!("{}({})", helper.name, args.join(", ")))
    }
}

/// Made so that `%` gives something from 0 on.
fn nonnegative(number: &str) -> String {
    if number.contains('-') { format!("({number} + 64)") } else { number.to_string() }
}
