//! Expressions, from weak to strong: range, `||`, `&&`, comparison (not chained), `+ -`, `* / %`, `! -`,
//! postfix.
//!
//! `choose` and `|x|` reach as far to the right as they can.

use super::super::ast::{BinaryOp, Expr, ExprKind, FieldInit, Name, UnaryOp};
use super::super::token::{Token, is_capitalised};
use super::types::error_expression;
use super::{Parsed, Parser};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;

/// The level of `+` and `-`.
const SUM: u8 = 4;
const COMPARISON: u8 = 3;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            let start = p.span();
            let low = p.binary(0)?;
            let height = p.height;
            let inclusive = match p.current() {
                Token::DotDot => false,
                Token::DotDotEqual => true,
                _ => return Ok(low),
            };
            p.bump();
            if !p.current().begins_expression() {
                return Err(p.unexpected("the end of the range"));
            }
            let high = p.binary(0)?;
            let span = p.since(start);
            p.grow(span, height.max(p.height))?;
            let kind = ExprKind::Range { low: Box::new(low), high: Box::new(high), inclusive };
            Ok(Expr { kind, span })
        })
    }

    /// Reads an expression. `Error` if the text is not an expression and one of `stops` follows it.
    pub(super) fn expression_before(&mut self, stops: &[Token]) -> Parsed<Expr> {
        let parsed = self.expression();
        self.or_skip_to(parsed, stops, error_expression)
    }

    /// An expression before a block: there `NAME {` is a name and the block.
    pub(super) fn condition(&mut self) -> Parsed<Expr> {
        let condition = self.without_word_literals(Self::expression);
        if self.at(Token::Assign) {
            let diagnostic =
                Diagnostic::error("expected a condition, found an assignment", self.span(), "this assigns");
            self.report_here(diagnostic.help("`==` compares, `=` assigns"));
            let at = self.gap();
            self.skip_to(&[Token::OpenBrace]);
            // The left side alone has another type than a condition: one slip is one error.
            return Ok(error_expression(at));
        }
        self.or_skip_to(condition, &[Token::OpenBrace], error_expression)
    }

    /// An expression of `+ - * / %` and what binds stronger.
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        self.binary(SUM)
    }

    pub(super) fn without_word_literals<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        self.with_word_literals(false, parse)
    }

    fn with_word_literals<T>(
        &mut self,
        allowed: bool,
        parse: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let before = std::mem::replace(&mut self.word_literals, allowed);
        let result = parse(self);
        self.word_literals = before;
        result
    }

    /// Inside brackets a word literal cannot be taken for a block.
    fn inner(&mut self) -> Parsed<Expr> {
        self.with_word_literals(true, Self::expression)
    }

    fn binary(&mut self, weakest: u8) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.unary()?;
        let mut height = self.height;
        let mut compared: Option<Span> = None;
        while let Some((op, level)) = self.binary_operator().filter(|(_, level)| *level >= weakest) {
            let operator = self.span();
            if level == COMPARISON
                && let Some(first) = compared.replace(operator)
            {
                return Err(self.chained_comparison(first));
            }
            if self.at(Token::StrictEqual) {
                self.strict_equality();
            }
            if self.at(Token::Name) {
                self.operator_as_word(match op {
                    BinaryOp::And => "&&",
                    BinaryOp::Or => "||",
                    _ => "==",
                });
            }
            self.bump();
            let right = self.nested(|p| p.binary(level + 1))?;
            let span = self.since(start);
            height = height.max(self.height);
            self.grow_chain(span, height)?;
            height = self.height;
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        self.height = height;
        Ok(left)
    }

    fn binary_operator(&self) -> Option<(BinaryOp, u8)> {
        let found = match self.current() {
            Token::OrOr => (BinaryOp::Or, 1),
            Token::AndAnd => (BinaryOp::And, 2),
            Token::Name if self.at_word("or") && self.stays_on_line() => (BinaryOp::Or, 1),
            Token::Name if self.at_word("and") && self.stays_on_line() => (BinaryOp::And, 2),
            Token::Name if self.at_word("is") && self.stays_on_line() => (BinaryOp::Eq, COMPARISON),
            Token::EqualEqual => (BinaryOp::Eq, COMPARISON),
            Token::NotEqual => (BinaryOp::Ne, COMPARISON),
            Token::StrictEqual if self.text_of(self.lexeme()).starts_with('!') => (BinaryOp::Ne, COMPARISON),
            Token::StrictEqual => (BinaryOp::Eq, COMPARISON),
            Token::Less => (BinaryOp::Lt, COMPARISON),
            Token::LessEqual => (BinaryOp::Le, COMPARISON),
            Token::Greater => (BinaryOp::Gt, COMPARISON),
            Token::GreaterEqual => (BinaryOp::Ge, COMPARISON),
            Token::Plus => (BinaryOp::Add, SUM),
            Token::Minus => (BinaryOp::Sub, SUM),
            Token::Star => (BinaryOp::Mul, SUM + 1),
            Token::Slash => (BinaryOp::Div, SUM + 1),
            Token::Percent => (BinaryOp::Rem, SUM + 1),
            _ => return None,
        };
        Some(found)
    }

    /// The token here and the next one are on the line of the token before.
    fn stays_on_line(&self) -> bool {
        !self.lexeme().begins_line && self.peek(1).begins_expression()
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if self.at_word("not") && matches!(self.peek(1), Token::Name | Token::Bang) {
            self.operator_as_word("!");
            self.bump();
            let inner = self.nested(Self::unary)?;
            let span = self.since(start);
            return Ok(Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(inner)), span });
        }
        let op = match self.current() {
            Token::Bang => UnaryOp::Not,
            Token::Minus => UnaryOp::Neg,
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.nested(Self::unary)?;
        let span = self.since(start);
        self.grow(span, self.height)?;
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span })
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        self.height = 0;
        let mut expr = self.primary()?;
        loop {
            let height = self.height;
            let kind = match self.current() {
                Token::Dot => {
                    self.bump();
                    let name = self.member_name()?;
                    if self.at(Token::OpenParen) {
                        let args = self.arguments()?;
                        ExprKind::Call { receiver: Some(Box::new(expr)), name, args }
                    } else {
                        self.height = 0;
                        ExprKind::Field(Box::new(expr), name)
                    }
                }
                Token::OpenBracket => {
                    let open = self.bump();
                    let index = self.inner()?;
                    self.expect_close(open, Token::CloseBracket)?;
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                _ => return Ok(expr),
            };
            let span = self.since(start);
            self.grow(span, height.max(self.height))?;
            expr = Expr { kind, span };
        }
    }

    fn member_name(&mut self) -> Parsed<Name> {
        if self.at(Token::Int) {
            let help = "there are neither fractions nor tuples; `x[0]` is the first element of an array";
            let diagnostic = self.unexpected_diagnostic("the name of a field or method").help(help);
            return Err(self.report_here(diagnostic));
        }
        self.name("the name of a field or method")
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.current() {
            Token::Int => self.integer(),
            Token::True => self.word(ExprKind::Bool(true)),
            Token::False => self.word(ExprKind::Bool(false)),
            Token::Null => self.word(ExprKind::Null),
            Token::None => self.word(ExprKind::None),
            Token::Me => self.word(ExprKind::Me),
            Token::SelfPlace => self.word(ExprKind::SelfPlace),
            Token::Name => self.named()?,
            Token::OpenParen => {
                let open = self.bump();
                let inner = self.inner()?;
                self.expect_close(open, Token::CloseParen)?;
                self.grow(open, self.height)?;
                ExprKind::Paren(Box::new(inner))
            }
            Token::OpenBracket => {
                let open = self.bump();
                self.array_literal(open)?
            }
            Token::New => self.allocation()?,
            Token::Choose => self.choice()?,
            Token::Bar => self.lambda()?,
            _ => return Err(self.not_an_expression()),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn word(&mut self, kind: ExprKind) -> ExprKind {
        self.bump();
        kind
    }

    fn integer(&mut self) -> ExprKind {
        let lexeme = self.lexeme();
        let text = self.text_of(lexeme).replace('_', "");
        if let Ok(value) = text.parse::<i64>() {
            self.bump();
            return ExprKind::Int(value);
        }
        self.bad_integer(lexeme);
        self.bump();
        ExprKind::Error
    }

    /// What a name begins: `State::Empty`, `f(…)`, `Link { … }`, or the name alone.
    fn named(&mut self) -> Parsed<ExprKind> {
        let name = self.name("a name")?;
        match self.current() {
            Token::PathSeparator => {
                self.bump();
                if self.at(Token::New) {
                    return Err(self.qualified_new(&name));
                }
                let member = self.name("a name")?;
                if self.at(Token::OpenParen) {
                    return Err(self.qualified_call(&name));
                }
                Ok(ExprKind::Path(name, member))
            }
            Token::OpenParen => {
                let args = self.arguments()?;
                self.grow(name.span, self.height)?;
                Ok(ExprKind::Call { receiver: None, name, args })
            }
            Token::OpenBrace if is_capitalised(&name.text) && self.word_literal_begins(&name) => {
                let fields = self.field_inits()?;
                self.grow(name.span, self.height)?;
                Ok(ExprKind::Word { name, fields })
            }
            Token::Bang if self.macro_call_begins() => Err(self.macro_call(&name)),
            _ => Ok(ExprKind::Name(name)),
        }
    }

    /// At `{` after a name: a literal where literals are allowed, or where only a literal makes sense.
    fn word_literal_begins(&mut self, name: &Name) -> bool {
        if self.word_literals {
            return true;
        }
        let surely = self.peek(1) == Token::Name && matches!(self.peek(2), Token::Colon | Token::Comma);
        if surely {
            self.literal_in_condition(name);
        }
        surely
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let open = self.expect(Token::OpenParen)?;
        self.expressions(open, Token::CloseParen)
    }

    /// `expr,*` up to `close`; the height is that of the highest.
    fn expressions(&mut self, open: Span, close: Token) -> Parsed<Vec<Expr>> {
        let mut height = 0;
        let list = self.comma_list(open, close, |p| {
            let expr = p.inner()?;
            height = height.max(p.height);
            Ok(expr)
        })?;
        self.height = height;
        Ok(list)
    }

    /// `{ name [: expr],* }`
    fn field_inits(&mut self) -> Parsed<Vec<FieldInit>> {
        let open = self.expect(Token::OpenBrace)?;
        let mut height = 0;
        let fields = self.comma_list(open, Token::CloseBrace, |p| {
            let name = p.name("the name of a field")?;
            if p.at(Token::Assign) {
                p.equals_in_literal();
            }
            let value = if p.eat(Token::Colon) || p.eat(Token::Assign) { Some(p.inner()?) } else { None };
            if value.is_some() {
                height = height.max(p.height);
            }
            Ok(FieldInit { name, value })
        })?;
        self.height = height;
        Ok(fields)
    }

    /// After `[`: `e,*]` or `e; n]`.
    fn array_literal(&mut self, open: Span) -> Parsed<ExprKind> {
        if self.eat(Token::CloseBracket) {
            return Ok(ExprKind::Array(Vec::new()));
        }
        let first = self.inner()?;
        let height = self.height;
        if self.eat(Token::Semicolon) {
            let len = self.inner()?;
            self.expect_close(open, Token::CloseBracket)?;
            self.grow(open, height.max(self.height))?;
            return Ok(ExprKind::Repeat { value: Box::new(first), len: Box::new(len) });
        }
        let mut elements = vec![first];
        if self.eat(Token::Comma) {
            elements.extend(self.expressions(open, Token::CloseBracket)?);
        } else {
            self.expect_close(open, Token::CloseBracket)?;
        }
        self.grow(open, height.max(self.height))?;
        Ok(ExprKind::Array(elements))
    }

    fn allocation(&mut self) -> Parsed<ExprKind> {
        let start = self.bump();
        if self.at(Token::OpenBracket) {
            let open = self.bump();
            let value = self.inner()?;
            let height = self.height;
            self.expect(Token::Semicolon)?;
            let len = self.inner()?;
            self.expect_close(open, Token::CloseBracket)?;
            self.grow(start, height.max(self.height))?;
            return Ok(ExprKind::NewArray { value: Box::new(value), len: Box::new(len) });
        }
        if self.at(Token::Name) && self.peek(1) == Token::OpenParen {
            let name = self.bump();
            return Err(self.constructor_call(name));
        }
        let ty = self.ty()?;
        let height = self.height;
        if !self.at(Token::OpenBrace) {
            return Err(self.constructor_call(ty.span));
        }
        let fields = self.field_inits()?;
        self.grow(start, height.max(self.height))?;
        Ok(ExprKind::New { ty, fields })
    }

    fn choice(&mut self) -> Parsed<ExprKind> {
        let start = self.bump();
        if self.eat_word("bool") {
            return Ok(ExprKind::ChooseBool);
        }
        let var = if self.at(Token::Name) && self.peek(1) == Token::In {
            let name = self.name("a name")?;
            self.bump();
            Some(name)
        } else {
            None
        };
        let from = self.expression()?;
        let mut height = self.height;
        let cond = if self.eat_word("where") { Some(self.expression()?) } else { None };
        if cond.is_some() {
            height = height.max(self.height);
        }
        self.grow(start, height)?;
        Ok(ExprKind::Choose { var, from: Box::new(from), cond: cond.map(Box::new) })
    }

    fn lambda(&mut self) -> Parsed<ExprKind> {
        let start = self.bump();
        let param = self.name("the parameter")?;
        self.expect(Token::Bar)?;
        let body = self.expression()?;
        self.grow(start, self.height)?;
        Ok(ExprKind::Lambda { param, body: Box::new(body) })
    }
}
