//! Expectations about the object: roles of the client, `check` and `prove`.

use super::super::ast::{Bound, Calls, Check, Expect, ItemKind, Name};
use super::super::token::Token;
use super::{Parsed, Parser, Reported};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;

impl Parser<'_> {
    /// At `check`.
    pub(super) fn check(&mut self) -> Parsed<Check> {
        self.bump();
        let open = self.expect(Token::OpenBrace)?;
        let bounds = if self.at_bound() { self.bounds()? } else { Vec::new() };
        let expects = self.expectations(open)?;
        Ok(Check { bounds, expects })
    }

    /// At `prove`.
    pub(super) fn prove(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let method = self.name("the name of a method")?;
        let open = self.expect(Token::OpenBrace)?;
        let expects = self.expectations(open)?;
        Ok(ItemKind::Prove { method, expects })
    }

    /// At a bound, `name: value`. An expectation, `name: violated`, looks alike.
    fn at_bound(&self) -> bool {
        let verdict = self.peek_word(2, "violated")
            || self.peek_word(2, "holds")
            || matches!(self.peek(2), Token::True | Token::False);
        self.at(Token::Name) && self.peek(1) == Token::Colon && !verdict
    }

    /// `(name: bound),* ;`
    fn bounds(&mut self) -> Parsed<Vec<(Name, Bound)>> {
        let mut bounds = Vec::new();
        loop {
            let name = self.name("the name of a bound")?;
            self.expect(Token::Colon)?;
            match self.bound_value() {
                Ok(bound) => bounds.push((name, bound)),
                Err(Reported) => {
                    if !self.skip_to(&[Token::Comma]) {
                        break;
                    }
                }
            }
            let comma = self.eat(Token::Comma);
            if !self.at_bound() {
                break;
            }
            if !comma && self.lexeme().begins_line {
                self.missing(Token::Comma);
            } else if !comma {
                break;
            }
        }
        if self.at(Token::Name) {
            // A property: what comes next is read as one.
            self.unexpected("`,` or `;`");
            return Ok(bounds);
        }
        if !self.at(Token::Semicolon) && !self.at(Token::CloseBrace) {
            self.unexpected("`,` or `;`");
            self.skip_to(&[Token::Semicolon]);
        }
        self.expect_semicolon()?;
        Ok(bounds)
    }

    fn bound_value(&mut self) -> Parsed<Bound> {
        let start = self.span();
        match self.current() {
            Token::Int => {
                let low = self.count();
                let high = match self.current() {
                    Token::DotDot => {
                        self.bump();
                        self.upper_count()?
                    }
                    Token::DotDotEqual => {
                        let diagnostic =
                            Diagnostic::error("expected `..`, found `..=`", self.span(), "expected `..`");
                        self.report_here(
                            diagnostic.help("write `1..3`: a range of a bound includes its end"),
                        );
                        self.bump();
                        self.upper_count()?
                    }
                    _ => low,
                };
                Ok(Bound::Range(low, high, self.since(start)))
            }
            Token::OpenBracket => {
                let open = self.bump();
                let names = self.comma_list(open, Token::CloseBracket, |p| p.name("a name"))?;
                Ok(Bound::Names(names, self.since(start)))
            }
            _ => self.name("a number, a range, a name or `[`").map(Bound::Name),
        }
    }

    fn upper_count(&mut self) -> Parsed<i64> {
        if self.at(Token::Int) { Ok(self.count()) } else { Err(self.unexpected("a number")) }
    }

    /// At a number; a number that cannot be read is reported and read as 0.
    fn count(&mut self) -> i64 {
        let lexeme = self.lexeme();
        let parsed = self.text_of(lexeme).replace('_', "").parse().ok();
        if parsed.is_none() {
            self.bad_integer(lexeme);
        }
        self.bump();
        parsed.unwrap_or(0)
    }

    /// `expect* }`
    fn expectations(&mut self, open: Span) -> Parsed<Vec<Expect>> {
        let mut expects = Vec::new();
        while !self.at(Token::CloseBrace) {
            if self.at_end() || self.begins_item() {
                return Err(self.unclosed_brace(open));
            }
            let first = self.position;
            match self.expectation() {
                Ok(expect) => expects.push(expect),
                Err(Reported) => self.recover_statement(),
            }
            if self.position == first {
                self.bump();
            }
        }
        self.bump();
        Ok(expects)
    }

    fn expectation(&mut self) -> Parsed<Expect> {
        let start = self.span();
        if self.at_bound() {
            let diagnostic = Diagnostic::error("bounds must come before the properties", start, "a bound");
            return Err(
                self.report_here(diagnostic.help("write `check { threads: 2, nodes: 3; linearizable; }`"))
            );
        }
        let property = self.name("a property")?;
        if self.at(Token::Minus) {
            let diagnostic = self.unexpected_diagnostic("`:` or `;`");
            return Err(self.report_here(diagnostic.help("write properties with `_`: `lock_free`")));
        }
        if self.at(Token::Assign) {
            return Err(self.equals_in_check(&property));
        }
        let violated = self.eat(Token::Colon);
        if violated && !self.eat_word("violated") {
            let diagnostic = self.unexpected_diagnostic("`violated`");
            let help = match self.at(Token::False) {
                true => format!("write `{}: violated;` to expect a violation", property.text),
                false => format!("write `{};` to expect that the property holds", property.text),
            };
            self.report_here(diagnostic.help(help));
            self.bump();
        }
        if self.at(Token::Comma) {
            let diagnostic = Diagnostic::error("expected `;`, found `,`", self.span(), "expected `;`");
            self.report_here(diagnostic.help("end each property with `;`"));
            self.bump();
        } else {
            self.expect_semicolon()?;
        }
        Ok(Expect { property, violated, span: self.since(start) })
    }

    /// At `role`.
    pub(super) fn role(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let name = self.name("the name of a role")?;
        let count =
            if self.eat(Token::Colon) { Some(self.expression_before(&[Token::Assign])?) } else { None };
        self.expect(Token::Assign)?;
        let calls = self.calls()?;
        if self.at(Token::OrOr) {
            let diagnostic = self.unexpected_diagnostic("`|` or `;`");
            return Err(self.report_here(diagnostic.help("separate alternatives with `|`")));
        }
        self.expect_semicolon()?;
        Ok(ItemKind::Role { name, count, calls })
    }

    /// `sequence | sequence …`
    fn calls(&mut self) -> Parsed<Calls> {
        self.nested(|p| {
            let mut choices = vec![p.call_sequence()?];
            while p.eat(Token::Bar) {
                choices.push(p.call_sequence()?);
            }
            Ok(only_or(choices, Calls::Choice))
        })
    }

    fn call_sequence(&mut self) -> Parsed<Calls> {
        let mut sequence = Vec::new();
        while matches!(self.current(), Token::Name | Token::OpenParen) || sequence.is_empty() {
            let call = if self.at(Token::OpenParen) {
                let open = self.bump();
                let calls = self.calls()?;
                self.expect_close(open, Token::CloseParen)?;
                calls
            } else {
                Calls::Op(self.name("the name of an operation")?)
            };
            sequence.push(match self.current() {
                Token::Star => {
                    self.bump();
                    Calls::Star(Box::new(call))
                }
                Token::Question => {
                    self.bump();
                    Calls::Optional(Box::new(call))
                }
                _ => call,
            });
        }
        Ok(only_or(sequence, Calls::Sequence))
    }
}

fn only_or(mut calls: Vec<Calls>, many: impl FnOnce(Vec<Calls>) -> Calls) -> Calls {
    match calls.pop() {
        Some(only) if calls.is_empty() => only,
        Some(last) => {
            calls.push(last);
            many(calls)
        }
        None => many(calls),
    }
}
