//! Statements and blocks.

use super::super::ast::{Arm, AssignOp, Block, Else, Expr, ExprKind, If, Name, Stmt, StmtKind};
use super::super::token::Token;
use super::{Parsed, Parser, Reported};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;

impl Parser<'_> {
    /// Reads `{ stmt* }`, and recovers from errors of single statements.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let open_indent = self.lexeme().indent;
        let open = self.expect(Token::OpenBrace)?;
        self.nested(|p| {
            let mut stmts = Vec::new();
            while !p.at(Token::CloseBrace) {
                if p.block_was_left(open_indent) {
                    p.unclosed_brace(open);
                    return Ok(Block { stmts, span: p.since(open) });
                }
                let first = p.position;
                match p.statement() {
                    Ok(stmt) => stmts.push(stmt),
                    Err(Reported) => p.recover_statement(),
                }
                if p.position == first {
                    p.bump();
                }
            }
            p.watch_indentation(open, open_indent);
            p.bump();
            Ok(Block { stmts, span: p.since(open) })
        })
    }

    /// The text ended, or an item begins no further right than the line of the block's `{`.
    fn block_was_left(&self, open_indent: usize) -> bool {
        self.at_end() || self.begins_item() && self.lexeme().indent <= open_indent
    }

    /// The block after the head of a statement. A single statement without braces is read as the block it
    /// should be.
    fn body(&mut self, of: &str) -> Parsed<Block> {
        if self.at(Token::OpenBrace) {
            return self.block();
        }
        let diagnostic = self.unexpected_diagnostic("`{`");
        let diagnostic = match diagnostic.help {
            Some(_) => diagnostic,
            None => diagnostic.help(format!("put the body of {of} in braces, even a single statement")),
        };
        let reported = self.report_here(diagnostic);
        self.skip_word_before_body();
        if self.at(Token::OpenBrace) {
            return self.block();
        }
        if !self.current().begins_statement() && !self.at(Token::Name) {
            return Err(reported);
        }
        let start = self.span();
        let stmt = self.nested(Self::statement)?;
        Ok(Block { stmts: vec![stmt], span: self.since(start) })
    }

    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        let start = self.span();
        let kind = match self.current() {
            Token::Let => self.variable()?,
            Token::OpenBrace => StmtKind::Block(self.block()?),
            Token::If => StmtKind::If(self.conditional()?),
            Token::Match => self.matching()?,
            Token::Label | Token::Loop | Token::While | Token::For => self.labelled_loop()?,
            Token::Name if self.label_without_quote() => self.labelled_loop()?,
            Token::Name if self.at_word("do") && self.peek(1) == Token::OpenBrace => self.foreign_do()?,
            Token::Break => {
                self.bump();
                self.value_after_break();
                let label = self.optional_label();
                self.expect_semicolon()?;
                StmtKind::Break(label)
            }
            Token::Continue => {
                self.bump();
                let label = self.optional_label();
                self.expect_semicolon()?;
                StmtKind::Continue(label)
            }
            Token::Return => self.result()?,
            Token::Defer => {
                self.bump();
                StmtKind::Defer(Box::new(self.nested(Self::statement)?))
            }
            Token::Atomic => {
                self.bump();
                StmtKind::Atomic(self.body("`atomic`")?)
            }
            Token::Await => StmtKind::Await(self.claim()?),
            Token::Assert => StmtKind::Assert(self.claim()?),
            Token::Assume => StmtKind::Assume(self.claim()?),
            Token::Lin => self.linearization_point()?,
            Token::Semicolon => {
                let diagnostic =
                    Diagnostic::error("empty statement", start, "there is no statement before this `;`");
                return Err(self.report_here(diagnostic.help("remove it; an empty block is `{}`")));
            }
            Token::Else => return Err(self.else_without_if()),
            token if token.begins_item() => return Err(self.item_in_block()),
            Token::Name if self.begins_item() => return Err(self.item_in_block()),
            Token::Name => match self.foreign_statement() {
                Some(foreign) => self.report_foreign_statement(foreign)?,
                None => self.assignment_or_expression()?,
            },
            _ => self.assignment_or_expression()?,
        };
        Ok(Stmt { kind, span: self.since(start) })
    }

    fn variable(&mut self) -> Parsed<StmtKind> {
        self.bump();
        if self.at_word("mut") && self.peek(1) == Token::Name {
            self.mutable();
        }
        let name = self.name("the name of a variable")?;
        let ty = if self.eat(Token::Colon) {
            Some(self.ty_before(&[Token::Assign, Token::Semicolon])?)
        } else {
            None
        };
        let value = if self.eat(Token::Assign) { Some(self.value()?) } else { None };
        self.expect_semicolon()?;
        Ok(StmtKind::Let { name, ty, value })
    }

    /// An expression before `;`.
    fn value(&mut self) -> Parsed<Expr> {
        self.expression_before(&[Token::Semicolon])
    }

    fn assignment_or_expression(&mut self) -> Parsed<StmtKind> {
        let place = self.expression()?;
        let op = match self.current() {
            Token::Assign => AssignOp::Set,
            Token::PlusAssign => AssignOp::Add,
            Token::MinusAssign => AssignOp::Sub,
            Token::ForeignAssign => return Err(self.foreign_assignment()),
            Token::CloseBrace if !matches!(place.kind, ExprKind::Call { .. }) => {
                self.value_of_block();
                return Ok(StmtKind::Expr(place));
            }
            Token::Semicolon => {
                return match self.arrow_of_assignment(place) {
                    Ok(declaration) => {
                        self.bump();
                        Ok(declaration)
                    }
                    Err(expr) => {
                        self.bump();
                        Ok(StmtKind::Expr(expr))
                    }
                };
            }
            _ => {
                self.expect_semicolon()?;
                return Ok(StmtKind::Expr(place));
            }
        };
        if !is_place(&place) {
            self.report(
                Diagnostic::error("this cannot be assigned to", place.span, "not a place")
                    .help("a place is a variable, a field `x.f`, an element `a[i]`, or `self`"),
            );
        }
        self.bump();
        let value = self.value()?;
        self.expect_semicolon()?;
        Ok(StmtKind::Assign { place, op, value })
    }

    fn conditional(&mut self) -> Parsed<If> {
        self.nested(|p| {
            p.bump();
            let cond = p.condition()?;
            let then = p.body("`if`")?;
            let otherwise = if p.eat(Token::Else) {
                Some(match p.current() {
                    Token::If => Else::If(Box::new(p.conditional()?)),
                    _ => Else::Block(p.body("`else`")?),
                })
            } else {
                None
            };
            Ok(If { cond, then, otherwise })
        })
    }

    fn matching(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let value = self.condition()?;
        let open_indent = self.lexeme().indent;
        let open = self.expect(Token::OpenBrace)?;
        let mut arms = Vec::new();
        while !self.at(Token::CloseBrace) {
            if self.block_was_left(open_indent) {
                self.unclosed_brace(open);
                return Ok(StmtKind::Match { value, open_brace: open, arms });
            }
            let first = self.position;
            match self.arm() {
                Ok(arm) => arms.push(arm),
                Err(Reported) => self.recover_statement(),
            }
            if self.at(Token::Comma) {
                self.comma_after_arm();
            }
            if self.position == first {
                self.bump();
            }
        }
        self.watch_indentation(open, open_indent);
        self.bump();
        Ok(StmtKind::Match { value, open_brace: open, arms })
    }

    fn arm(&mut self) -> Parsed<Arm> {
        let start = self.span();
        let pattern = if self.eat(Token::Underscore) { None } else { Some(self.expression()?) };
        if self.at(Token::Arrow) {
            let diagnostic = Diagnostic::error("expected `=>`, found `->`", self.span(), "expected `=>`");
            self.report_here(diagnostic);
            self.bump();
        } else {
            self.expect(Token::FatArrow)?;
        }
        if !self.at(Token::OpenBrace) {
            return self.arm_without_block(start, pattern);
        }
        let body = self.block()?;
        Ok(Arm { pattern, body, span: self.since(start) })
    }

    fn labelled_loop(&mut self) -> Parsed<StmtKind> {
        let label = self.optional_label();
        if label.is_some() {
            self.expect(Token::Colon)?;
        }
        match self.current() {
            Token::Loop => {
                self.bump();
                Ok(StmtKind::Loop { label, body: self.body("`loop`")? })
            }
            Token::While => {
                self.bump();
                let cond = self.condition()?;
                Ok(StmtKind::While { label, cond, body: self.body("`while`")? })
            }
            Token::For => {
                self.bump();
                if self.at(Token::OpenParen) {
                    return self.foreign_for();
                }
                let var = self.name("the name of the loop's variable")?;
                let range = self.expect(Token::In).and_then(|_| self.condition());
                let range = self.or_skip_to(range, &[Token::OpenBrace], super::types::error_expression)?;
                Ok(StmtKind::For { label, var, range, body: self.body("`for`")? })
            }
            _ => Err(self.unexpected("a loop")),
        }
    }

    /// `'name`, also where the quote was forgotten before `:` or after `break` and `continue`.
    fn optional_label(&mut self) -> Option<Name> {
        let lexeme = self.lexeme();
        match lexeme.token {
            Token::Label => {}
            Token::Name if self.label_without_quote() => self.report_label_without_quote(),
            // After `break` and `continue`. Without its label the statement is about the inner loop, so that one
            // slip is one error.
            Token::Name if !lexeme.begins_line => {
                self.report_label_without_quote();
                self.bump();
                return None;
            }
            _ => return None,
        }
        self.bump();
        Some(self.make_name(lexeme))
    }

    fn label_without_quote(&self) -> bool {
        self.peek(1) == Token::Colon && matches!(self.peek(2), Token::Loop | Token::While | Token::For)
    }

    fn result(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let mut values = Vec::new();
        let next = self.lexeme();
        let ends = matches!(next.token, Token::Semicolon | Token::CloseBrace) && !next.after_unknown
            || next.begins_line && next.token.begins_statement();
        if !ends {
            values.push(self.value()?);
            while self.eat(Token::Comma) {
                values.push(self.value()?);
            }
        }
        self.expect_semicolon()?;
        Ok(StmtKind::Return(values))
    }

    /// The condition of `await`, `assert` and `assume`.
    fn claim(&mut self) -> Parsed<Expr> {
        let word = self.bump();
        self.exclamation_after(word);
        let claim = self.value()?;
        self.expect_semicolon()?;
        Ok(claim)
    }

    fn linearization_point(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let maybe = self.eat_word("maybe");
        let of = if self.eat_word("of") { Some(self.expression()?) } else { None };
        let cond = if self.eat(Token::If) { Some(self.value()?) } else { None };
        self.expect_semicolon()?;
        Ok(StmtKind::Lin { maybe, of, cond })
    }

    /// Reads a body for its errors only; the tree does not contain it.
    pub(super) fn body_for_errors(&mut self) {
        if self.skip_to(&[Token::OpenBrace]) {
            let _block: Parsed<Block> = self.block();
        }
    }
}

fn is_place(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Name(_) | ExprKind::SelfPlace | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Error
    )
}

/// An empty block at a place, for what could not be read.
pub(super) fn empty_block(span: Span) -> Block {
    Block { stmts: Vec::new(), span }
}
