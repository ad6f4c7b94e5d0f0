//! Specifications: state, clauses, rendezvous.

use super::super::ast::{Clause, ClauseHead, Name, Spec, SpecMember};
use super::super::token::Token;
use super::{Parsed, Parser, Reported};
use crate::diagnostic::Diagnostic;

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
            _ => Err(self.unexpected("`state` or `op`")),
        }
    }

    /// To the next member of the specification, or its end.
    fn recover_member(&mut self) {
        let first = self.position;
        loop {
            let fresh = self.lexeme().begins_line && self.position > first;
            let next_member = fresh && (self.at_word("state") || self.begins_item());
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
                self.report_here(diagnostic.help("operations of a rendezvous are joined by `&`"));
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
}
