//! Specifications: state, clauses, rendezvous, observers.

use super::super::ast::{Clause, ClauseHead, Name, Observer, ObserverStep, Pattern, Spec, SpecMember};
use super::super::token::Token;
use super::{Parsed, Parser, Reported};
use linchpin_ir::diagnostic::Diagnostic;

impl Parser<'_> {
    /// At `spec`.
    pub(super) fn spec(&mut self) -> Parsed<Spec> {
        self.bump();
        let name = self.capitalised_name("the name of a specification")?;
        let type_params = self.type_params()?;
        let params = if self.at(Token::OpenParen) {
            let open = self.bump();
            self.declaration_list(open, Token::CloseParen, Self::param)?
        } else {
            Vec::new()
        };
        let open_indent = self.lexeme().indent;
        let open = self.expect(Token::OpenBrace)?;
        let mut members = Vec::new();
        while !self.at(Token::CloseBrace) {
            if self.braces_were_left(open_indent) {
                return Err(self.unclosed_brace(open));
            }
            let first = self.position;
            match self.spec_member() {
                Ok(member) => members.push(member),
                Err(Reported) => self.recover_member(),
            }
            if self.position == first {
                self.bump();
            }
        }
        self.bump();
        Ok(Spec { name, type_params, params, members })
    }

    fn spec_member(&mut self) -> Parsed<SpecMember> {
        let start = self.span();
        match self.current() {
            Token::Op | Token::Fn | Token::Hash => self.clause().map(SpecMember::Clause),
            Token::Shared | Token::Let => {
                let diagnostic = Diagnostic::error(
                    "a variable of a specification begins with `state`",
                    start,
                    "expected `state`",
                );
                self.report_here(diagnostic.help("write `state name: type;`"));
                self.variable_item().map(|v| SpecMember::State(v, self.since(start)))
            }
            _ if self.at_word("state") => {
                self.variable_item().map(|v| SpecMember::State(v, self.since(start)))
            }
            _ if self.at_word("observer") => self.observer().map(SpecMember::Observer),
            _ => Err(self.unexpected("`state`, `op` or `observer`")),
        }
    }

    /// To the next member of the specification, or its end.
    fn recover_member(&mut self) {
        let first = self.position;
        loop {
            let fresh = self.lexeme().begins_line && self.position > first;
            let next_member =
                fresh && (self.at_word("state") || self.at_word("observer") || self.begins_item());
            if next_member || self.at(Token::CloseBrace) || self.at_end() {
                return;
            }
            if self.at(Token::OpenBrace) {
                self.body_for_errors();
                return;
            }
            if self.eat(Token::Semicolon) {
                return;
            }
            self.bump();
        }
    }

    fn clause(&mut self) -> Parsed<Clause> {
        let start = self.span();
        let mut heads = vec![self.clause_head()?];
        while self.at(Token::Ampersand) || self.at(Token::AndAnd) {
            if self.at(Token::AndAnd) {
                let diagnostic = Diagnostic::error("expected `&`, found `&&`", self.span(), "expected `&`");
                self.report_here(diagnostic.help("join the operations of a rendezvous with `&`"));
            }
            self.bump();
            heads.push(self.clause_head()?);
        }
        let when = if self.eat_word("when") { Some(self.condition()?) } else { None };
        let body = self.block()?;
        Ok(Clause { heads, when, body, span: self.since(start) })
    }

    fn clause_head(&mut self) -> Parsed<ClauseHead> {
        let mut attributes = Vec::new();
        while self.at(Token::Hash) {
            attributes.push(self.attribute()?);
        }
        if self.at(Token::Fn) {
            let title = "an operation of a specification begins with `op`";
            self.report_here(Diagnostic::error(title, self.span(), "expected `op`"));
            self.bump();
        } else {
            self.expect(Token::Op)?;
        }
        let signature = self.signature()?;
        Ok(ClauseHead { attributes, signature })
    }

    /// `#[name]`
    fn attribute(&mut self) -> Parsed<Name> {
        self.bump();
        let open = self.expect(Token::OpenBracket)?;
        let name = self.name("`adds` or `removes`")?;
        self.expect_close(open, Token::CloseBracket)?;
        Ok(name)
    }

    /// At `observer`.
    fn observer(&mut self) -> Parsed<Observer> {
        let start = self.span();
        self.bump();
        let name = self.name("the name of an observer")?;
        let open = self.expect(Token::OpenParen)?;
        let params = self.declaration_list(open, Token::CloseParen, Self::param)?;
        let when = if self.eat_word("when") { Some(self.condition()?) } else { None };
        let open_indent = self.lexeme().indent;
        let open = self.expect(Token::OpenBrace)?;
        let mut steps = Vec::new();
        while !self.at(Token::CloseBrace) {
            if self.braces_were_left(open_indent) {
                return Err(self.unclosed_brace(open));
            }
            let first = self.position;
            match self.observer_step() {
                Ok(step) => steps.push(step),
                Err(Reported) => self.recover_step(),
            }
            if self.position == first {
                self.bump();
            }
        }
        self.bump();
        Ok(Observer { name, params, when, steps, span: self.since(start) })
    }

    /// `from: op(patterns) -> pattern => to;`
    fn observer_step(&mut self) -> Parsed<ObserverStep> {
        let start = self.span();
        let from = self.name("the location where the observer is")?;
        self.expect(Token::Colon)?;
        let op = self.name("the operation that takes effect")?;
        let open = self.expect(Token::OpenParen)?;
        let args = self.comma_list(open, Token::CloseParen, Self::pattern)?;
        let result = if self.eat(Token::Arrow) { Some(self.pattern()?) } else { None };
        self.expect(Token::FatArrow)?;
        let to = self.name("the location where this leads")?;
        self.expect(Token::Semicolon)?;
        Ok(ObserverStep { from, op, args, result, to, span: self.since(start) })
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        let start = self.span();
        let value = if self.eat(Token::Underscore) { None } else { Some(self.expression()?) };
        Ok(Pattern { value, span: self.since(start) })
    }

    /// Behind the next semicolon, or to the end of the observer.
    fn recover_step(&mut self) {
        while !self.at(Token::CloseBrace) && !self.at_end() {
            if self.eat(Token::Semicolon) {
                return;
            }
            self.bump();
        }
    }
}
