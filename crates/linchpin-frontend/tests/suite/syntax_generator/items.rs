//! Items.

use super::Choices;

impl Choices<'_> {
    pub(super) fn item(&mut self) {
        match self.pick(17) {
            0 => {
                self.one_of(&["memory gc ;", "memory pool ;", "memory manual ;"]);
            }
            1 => self.import(),
            2 => {
                self.put("const");
                self.capital();
                self.put("=");
                self.expr();
                self.put(";");
            }
            3 => {
                self.put("type");
                self.capital();
                self.put("=");
                self.ty();
                self.put(";");
            }
            4 => {
                self.put("enum");
                self.capital();
                self.put("{");
                self.list(",", 0, Self::capital);
                self.put("}");
            }
            5 => self.record("struct"),
            6 => self.record("word"),
            7 => self.variable("shared"),
            8 => self.variable("local"),
            9 => {
                self.put("init");
                self.block();
            }
            10 => self.function("op", false),
            11 => self.function("fn", true),
            12 => self.implementation(),
            13 => self.hash(),
            14 => self.role(),
            15 => self.spec(),
            _ => self.check(),
        }
    }

    fn import(&mut self) {
        self.put("use");
        self.name();
        self.put("::");
        match self.pick(3) {
            0 => self.name(),
            1 => self.put("*"),
            _ => {
                self.put("{");
                self.list(",", 0, Self::capital);
                self.put("}");
            }
        }
        self.put(";");
    }

    fn type_params(&mut self) {
        if self.chance() {
            self.put("<");
            self.list(",", 1, Self::capital);
            self.put(">");
        }
    }

    fn param(&mut self) {
        self.name();
        self.put(":");
        self.ty();
    }

    fn record(&mut self, word: &str) {
        self.put(word);
        self.capital();
        self.type_params();
        self.put("{");
        self.list(",", 0, Self::param);
        self.put("}");
    }

    fn variable(&mut self, word: &str) {
        self.put(word);
        self.param();
        if self.chance() {
            self.put("=");
            self.expr();
        }
        self.put(";");
    }

    fn signature(&mut self, method: bool) {
        self.name();
        self.put("(");
        if method && self.chance() {
            self.put("self");
            if self.chance() {
                self.put(",");
                self.list(",", 0, Self::param);
            }
        } else {
            self.list(",", 0, Self::param);
        }
        self.put(")");
        if self.chance() {
            self.put("->");
            self.ty();
        }
    }

    fn function(&mut self, word: &str, may_be_left: bool) {
        self.put(word);
        self.signature(false);
        if may_be_left && self.chance() { self.put(";") } else { self.block() }
    }

    fn implementation(&mut self) {
        self.put("impl");
        self.type_params();
        self.capital();
        self.type_params();
        self.put("{");
        for _ in 0..self.pick(3) {
            self.put("fn");
            self.signature(true);
            self.block();
        }
        self.put("}");
    }

    fn hash(&mut self) {
        self.put("hash");
        self.name();
        self.put("(");
        self.param();
        self.put(") ->");
        self.ty();
        if self.chance() {
            self.put("=");
            self.expr();
        }
        self.put(";");
    }

    fn role(&mut self) {
        self.put("role");
        self.name();
        if self.chance() {
            self.put(":");
            self.expr();
        }
        self.put("=");
        self.calls();
        self.put(";");
    }

    fn calls(&mut self) {
        self.nested(|c| {
            c.call_sequence();
            while c.depth < 12 && c.chance() {
                c.put("|");
                c.call_sequence();
            }
        });
    }

    fn call_sequence(&mut self) {
        loop {
            if self.branch(3) == 1 {
                self.put("(");
                self.calls();
                self.put(")");
            } else {
                self.name();
            }
            match self.pick(4) {
                1 => self.put("*"),
                2 => self.put("?"),
                _ => {}
            }
            if !self.chance() {
                return;
            }
        }
    }

    fn spec(&mut self) {
        self.put("spec");
        self.capital();
        self.type_params();
        if self.chance() {
            self.put("(");
            self.list(",", 0, Self::param);
            self.put(")");
        }
        self.put("{");
        for _ in 0..self.pick(4) {
            match self.pick(3) {
                0 => self.variable("state"),
                1 => self.clause(),
                _ => self.observer(),
            }
        }
        self.put("}");
    }

    fn observer(&mut self) {
        self.put("observer");
        self.name();
        self.put("(");
        self.list(",", 0, Self::param);
        self.put(")");
        if self.chance() {
            self.put("when");
            self.condition();
        }
        self.put("{");
        for _ in 0..self.pick(4) {
            self.name();
            self.put(":");
            self.name();
            self.put("(");
            self.list(",", 0, Self::pattern);
            self.put(")");
            if self.chance() {
                self.put("->");
                self.pattern();
            }
            self.put("=>");
            self.name();
            self.put(";");
        }
        self.put("}");
    }

    fn pattern(&mut self) {
        if self.chance() {
            self.put("_");
        } else {
            self.expr();
        }
    }

    fn clause(&mut self) {
        for index in 0..1 + self.pick(3) {
            if index > 0 {
                self.put("&");
            }
            if self.chance() {
                self.put("# [ adds ]");
            }
            self.put("op");
            self.signature(false);
        }
        if self.chance() {
            self.put("when");
            self.condition();
        }
        self.block();
    }

    fn check(&mut self) {
        if self.chance() {
            self.put("prove");
            self.name();
            self.put("{");
        } else {
            self.put("check {");
            if self.chance() {
                self.list(",", 1, Self::bound);
                self.put(";");
            }
        }
        for _ in 0..self.pick(4) {
            self.one_of(&["linearizable", "lock_free"]);
            if self.chance() {
                self.put(": violated");
            }
            self.put(";");
        }
        self.put("}");
    }

    fn bound(&mut self) {
        self.name();
        self.put(":");
        match self.pick(4) {
            0 => self.number(),
            1 => {
                self.number();
                self.put("..");
                self.number();
            }
            2 => self.name(),
            _ => {
                self.put("[");
                self.list(",", 0, Self::name);
                self.put("]");
            }
        }
    }
}
