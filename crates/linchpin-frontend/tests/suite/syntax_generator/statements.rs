//! Statements.

use super::Choices;

impl Choices<'_> {
    pub(super) fn block(&mut self) {
        self.nested(|c| {
            c.put("{");
            let count = c.branch(5);
            for _ in 0..count {
                c.stmt();
            }
            c.put("}");
        });
    }

    fn label(&mut self) {
        if self.chance() {
            self.put("'retry :");
        }
    }

    pub(super) fn stmt(&mut self) {
        match self.branch(20) {
            0 => self.one_of(&["lin ;", "return ;", "break ;", "continue 'retry ;"]),
            1 => {
                self.put("let");
                self.name();
                if self.chance() {
                    self.put(":");
                    self.ty();
                }
                if self.chance() {
                    self.put("=");
                    self.expr();
                }
                self.put(";");
            }
            2 | 3 => {
                self.place();
                self.one_of(&["=", "+=", "-="]);
                self.expr();
                self.put(";");
            }
            4 | 5 => {
                self.expr();
                self.put(";");
            }
            6 => self.block(),
            7 | 8 => self.conditional(),
            9 => self.matching(),
            10 => {
                self.label();
                self.put("loop");
                self.block();
            }
            11 => {
                self.label();
                self.put("while");
                self.condition();
                self.block();
            }
            12 => {
                self.label();
                self.put("for");
                self.name();
                self.put("in");
                self.condition();
                self.block();
            }
            13 => {
                self.put("return");
                self.list(",", 1, Self::expr);
                self.put(";");
            }
            14 => {
                self.put("defer");
                self.nested(Self::stmt);
            }
            15 => {
                self.put("atomic");
                self.block();
            }
            16 | 17 => {
                self.one_of(&["await", "assert", "assume"]);
                self.expr();
                self.put(";");
            }
            _ => {
                self.put("lin");
                if self.chance() {
                    self.put("maybe");
                }
                if self.chance() {
                    self.put("of");
                    self.expr();
                }
                if self.chance() {
                    self.put("if");
                    self.expr();
                }
                self.put(";");
            }
        }
    }

    fn conditional(&mut self) {
        self.nested(|c| {
            c.put("if");
            c.condition();
            c.block();
            match c.branch(4) {
                1 => {
                    c.put("else");
                    c.block();
                }
                2 => {
                    c.put("else");
                    c.conditional();
                }
                _ => {}
            }
        });
    }

    fn matching(&mut self) {
        self.put("match");
        self.condition();
        self.put("{");
        for _ in 0..self.pick(3) {
            if self.chance() {
                self.put("_")
            } else {
                self.expr()
            }
            self.put("=>");
            self.block();
        }
        self.put("}");
    }

    fn place(&mut self) {
        if self.chance() {
            self.put("self")
        } else {
            self.name()
        }
        match self.branch(3) {
            1 => {
                self.put(".");
                self.name();
            }
            2 => self.index(),
            _ => {}
        }
    }
}
