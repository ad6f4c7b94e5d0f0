//! Types and expressions.

use super::Choices;

impl Choices<'_> {
    pub(super) fn ty(&mut self) {
        self.nested(|c| match c.branch(13) {
            0 => {
                c.one_of(&["bool", "int", "data", "key", "age", "thread", "lock", "condvar"]);
            }
            1 => c.capital(),
            2 => {
                c.capital();
                c.put("<");
                c.list(",", 1, Self::ty);
                c.put(">");
            }
            3 => {
                c.put("*");
                c.ty();
            }
            4 => {
                c.put("* [");
                c.ty();
                c.put("]");
            }
            5 => {
                c.put("[");
                c.ty();
                c.put(";");
                c.expr();
                c.put("]");
            }
            6 => c.one_of(&["seq < data >", "set < key >", "bag < seq < int > >"]),
            7 => {
                c.put("map <");
                c.ty();
                c.put(",");
                c.ty();
                c.put(">");
            }
            8 => {
                c.one_of(&["0 .. N", "- 1 ..= N + 1", "key :: MIN .. key :: MAX", "threads * 2 .. ( N ) - 1"])
            }
            _ => {
                c.one_of(&["data", "thread", "* Node"]);
                c.put("?");
            }
        });
    }

    pub(super) fn index(&mut self) {
        self.put("[");
        self.inside();
        self.put("]");
    }

    fn with_literals(&mut self, literals: bool, build: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.literals, literals);
        build(self);
        self.literals = before;
    }

    fn inside(&mut self) {
        self.with_literals(true, Self::expr);
    }

    pub(super) fn condition(&mut self) {
        self.with_literals(false, Self::expr);
    }

    pub(super) fn expr(&mut self) {
        self.nested(|c| match c.branch(12) {
            1 => {
                c.binary(0);
                c.one_of(&["..", "..="]);
                c.binary(0);
            }
            2 => {
                c.put("choose");
                c.expr();
            }
            3 => {
                c.put("choose");
                c.name();
                c.put("in");
                c.expr();
                c.put("where");
                c.expr();
            }
            4 => {
                c.put("|");
                c.name();
                c.put("|");
                c.expr();
            }
            _ => c.binary(0),
        });
    }

    fn binary(&mut self, level: usize) {
        const OPERATORS: [&[&str]; 5] =
            [&["||"], &["&&"], &["==", "!=", "<", "<=", ">", ">="], &["+", "-"], &["*", "/", "%"]];
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        self.binary(level + 1);
        let most = if level == 2 { 1 } else { 3 };
        for _ in 0..most {
            if self.branch(6) != 1 {
                return;
            }
            self.one_of(operators);
            self.nested(|c| c.binary(level + 1));
        }
    }

    fn unary(&mut self) {
        match self.branch(8) {
            1 => {
                self.one_of(&["!", "-"]);
                self.nested(Self::unary);
            }
            _ => self.postfix(),
        }
    }

    fn postfix(&mut self) {
        self.primary();
        while self.branch(4) == 1 {
            match self.pick(3) {
                0 => {
                    self.put(".");
                    self.name();
                }
                1 => self.index(),
                _ => {
                    self.put(".");
                    self.call();
                }
            }
        }
    }

    fn call(&mut self) {
        self.name();
        self.put("(");
        self.with_literals(true, |c| c.list(",", 0, Self::expr));
        self.put(")");
    }

    fn fields(&mut self) {
        self.put("{");
        self.with_literals(true, |c| {
            c.list(",", 0, |c| {
                c.name();
                if c.chance() {
                    c.put(":");
                    c.expr();
                }
            });
        });
        self.put("}");
    }

    fn primary(&mut self) {
        match self.branch(13) {
            0 => self.name(),
            1 => self.number(),
            2 => self.one_of(&["true", "false", "null", "none", "me", "self"]),
            3 => self.one_of(&["State :: Empty", "key :: MAX"]),
            4 => {
                self.put("(");
                self.inside();
                self.put(")");
            }
            5 => {
                self.put("[");
                self.with_literals(true, |c| c.list(",", 0, Self::expr));
                self.put("]");
            }
            6 => {
                self.put("[");
                self.inside();
                self.put(";");
                self.inside();
                self.put("]");
            }
            7 => {
                self.one_of(&["new Node", "new ArrayList < data >"]);
                self.fields();
            }
            8 => {
                self.put("new [");
                self.inside();
                self.put(";");
                self.inside();
                self.put("]");
            }
            9 | 10 => self.call(),
            11 if self.literals => {
                self.capital();
                self.fields();
            }
            _ => self.put("choose bool"),
        }
    }
}
