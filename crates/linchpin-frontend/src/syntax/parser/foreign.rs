//! Statements, attributes and modifiers of other languages, each reported at its first word.
//!
//! The block of such a statement is read where its meaning is clear, so that its own errors are found too.

use super::super::ast::{BinaryOp, Expr, ExprKind, StmtKind, UnaryOp};
use super::super::token::Token;
use super::statements::empty_block;
use super::{Parsed, Parser, Reported};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;

/// What begins a statement elsewhere. Each word may be the name of a variable or a function here, so the
/// tokens after it decide.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    /// `try {`
    Try,
    /// `unsafe {`
    Unsafe,
    /// `throw x`
    Throw,
    /// `switch x {`
    Switch,
    /// `unless c {`
    Unless,
    /// `repeat … until c`
    Repeat,
    /// `until c`
    Until,
    /// `foreach x in s {`
    ForEach,
    /// `synchronized (m) {`
    Guarded,
    /// `begin` or `end` alone
    Bracket,
}

impl Parser<'_> {
    /// The statement of another language that begins here.
    pub(super) fn foreign_statement(&self) -> Option<Foreign> {
        let next = self.lexeme_at(1);
        let block = next.token == Token::OpenBrace;
        let operand = match next.token {
            Token::OpenParen => self.block_follows_parentheses(),
            Token::OpenBracket | Token::Minus => false,
            token => token.begins_expression() && !next.begins_line,
        };
        let alone = next.begins_line || matches!(next.token, Token::Semicolon | Token::CloseBrace);
        Some(match self.text_of(self.lexeme()) {
            "try" if block => Foreign::Try,
            "unsafe" if block => Foreign::Unsafe,
            "throw" | "raise" if operand => Foreign::Throw,
            "switch" if operand => Foreign::Switch,
            "unless" if operand => Foreign::Unless,
            "repeat" if block || next.begins_line && next.token != Token::Semicolon => Foreign::Repeat,
            "until" if operand => Foreign::Until,
            "foreach" if operand => Foreign::ForEach,
            "synchronized" | "with" | "using" | "lock" if operand => Foreign::Guarded,
            "begin" | "end" | "endif" | "endwhile" | "endfor" | "endloop" | "fi" | "od" if alone => {
                Foreign::Bracket
            }
            _ => return None,
        })
    }

    /// Reports a statement of another language, and reads its block.
    pub(super) fn report_foreign_statement(&mut self, kind: Foreign) -> Parsed<StmtKind> {
        let help = match kind {
            Foreign::Try => "`return` ends an operation; `defer` runs a statement on every way out",
            Foreign::Unsafe => "remove it: a wrong access is reported as a fault",
            Foreign::Throw => "write `return none;` for a failure, `await c;` to wait",
            Foreign::Switch => "write `match x { A => { … } _ => { … } }`",
            Foreign::Unless => "write `if !(c) { … }`",
            Foreign::Repeat | Foreign::Until => "write `loop { …; if c { break; } }`",
            Foreign::ForEach => "write `for x in …`",
            Foreign::Guarded => "declare `shared m: lock;`, and write `m.lock();` and `defer m.unlock();`",
            Foreign::Bracket => "a block is written `{ … }`",
        };
        let title = format!("there is no `{}`", self.text_of(self.lexeme()));
        let diagnostic = Diagnostic::error(title, self.span(), "not a statement").help(help);
        let reported = self.report_here(diagnostic);
        let start = self.bump();
        match kind {
            Foreign::Try => {
                let body = self.block()?;
                while self.at_word("catch") || self.at_word("except") || self.at_word("finally") {
                    self.body_for_errors();
                }
                Ok(StmtKind::Block(body))
            }
            Foreign::Unsafe => self.block().map(StmtKind::Block),
            Foreign::Repeat => {
                if self.at(Token::OpenBrace) {
                    let body = self.block()?;
                    self.until();
                    return Ok(StmtKind::Block(body));
                }
                while !self.at_word("until") && !self.at(Token::CloseBrace) && !self.at_end() {
                    let first = self.position;
                    if let Err(Reported) = self.nested(Self::statement) {
                        self.recover_statement();
                    }
                    if self.position == first {
                        break;
                    }
                }
                self.until();
                Ok(StmtKind::Block(empty_block(start)))
            }
            Foreign::Bracket => {
                self.eat(Token::Semicolon);
                Ok(StmtKind::Block(empty_block(start)))
            }
            Foreign::Guarded | Foreign::ForEach if self.skip_to(&[Token::OpenBrace]) => {
                self.block().map(StmtKind::Block)
            }
            _ => Err(reported),
        }
    }

    /// The condition that ends a `repeat`.
    fn until(&mut self) {
        if self.eat_word("until") {
            self.skip_to(&[Token::Semicolon]);
            self.eat(Token::Semicolon);
        }
    }

    /// `then` and `do` between a condition and its block.
    pub(super) fn skip_word_before_body(&mut self) {
        if self.at_word("then") || self.at_word("do") {
            self.bump();
        }
    }

    /// After the name that is next come parentheses, and a block after them.
    fn block_follows_parentheses(&self) -> bool {
        let mut open = 0usize;
        for ahead in 1.. {
            match self.peek(ahead) {
                Token::OpenParen => open += 1,
                Token::CloseParen if open == 1 => return self.peek(ahead + 1) == Token::OpenBrace,
                Token::CloseParen => open -= 1,
                Token::Semicolon | Token::OpenBrace | Token::CloseBrace | Token::EndOfFile => return false,
                _ => {}
            }
        }
        false
    }

    /// `x <- e;`, which reads as `x < -e`: taken as a declaration.
    pub(super) fn arrow_of_assignment(&mut self, expr: Expr) -> Result<StmtKind, Expr> {
        let ExprKind::Binary(BinaryOp::Lt, place, value) = &expr.kind else {
            return Err(expr);
        };
        let (ExprKind::Name(name), ExprKind::Unary(UnaryOp::Neg, _)) = (&place.kind, &value.kind) else {
            return Err(expr);
        };
        let arrow = name.span.end as usize..value.span.start as usize + 1;
        if self.text.get(arrow).map(str::trim) != Some("<-") {
            return Err(expr);
        }
        let operator = Span::new(
            self.file,
            (value.span.start as usize).saturating_sub(1),
            value.span.start as usize + 1,
        );
        self.report(
            Diagnostic::error("there is no assignment `<-`", operator, "expected `=`")
                .help("write `let x = value;` to declare a variable, `x = value;` to assign it"),
        );
        let value = super::types::error_expression(value.span);
        Ok(StmtKind::Let { name: name.clone(), ty: None, value: Some(value) })
    }

    /// `#[…]` in front of an item: reported and left out.
    pub(super) fn foreign_attribute(&mut self) {
        let diagnostic = Diagnostic::error("an item has no attributes", self.span(), "not needed")
            .help("remove `#[…]`; only an `op` of a `spec` has an attribute, `#[adds]` or `#[removes]`");
        self.report_here(diagnostic);
        self.bump();
        self.bump();
        self.skip_to(&[Token::CloseBracket]);
        self.eat(Token::CloseBracket);
    }

    /// `impl Trait for`: reported, and read up to the type.
    pub(super) fn implementation_of_trait(&mut self) {
        let diagnostic = Diagnostic::error("there are no traits", self.span(), "expected `{`");
        self.report_here(diagnostic.help("write `impl Node { … }`"));
        self.bump();
    }

    /// `op f<T>(…)`: reported, and the parameters are left out.
    pub(super) fn type_parameters_of_function(&mut self) -> Parsed<()> {
        let diagnostic = Diagnostic::error("a function has no type parameters", self.span(), "expected `(`");
        self.report_here(diagnostic.help("write `data` for a value of any type"));
        self.type_params().map(drop)
    }

    /// `Push(data)` and `EMPTY = 0` in an `enum`: reported, and read as the name alone.
    pub(super) fn more_than_a_name(&mut self) {
        let help = match self.current() {
            Token::OpenParen | Token::OpenBrace => "a value of an `enum` is a name; a `word` has fields",
            Token::Assign => "remove the number: `ord(x)` counts the values from 0",
            _ => return,
        };
        let diagnostic = self.unexpected_diagnostic("`,` or `}`").help(help);
        self.report_here(diagnostic);
        self.skip_to(&[Token::Comma, Token::CloseBrace]);
    }
}
