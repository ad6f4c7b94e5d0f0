//! Signatures and functions.

use super::super::ast::{Function, Param, Signature, Type};
use super::super::token::Token;
use super::{Parsed, Parser};
use linchpin_ir::diagnostic::Diagnostic;

/// Whether a function may be left to the file that uses the module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Required,
    Optional,
}

impl Parser<'_> {
    /// At `op` or `fn`.
    pub(super) fn function(&mut self, body: Body) -> Parsed<Function> {
        let start = self.bump();
        let signature = match self.signature() {
            Ok(signature) => signature,
            Err(reported) => {
                self.body_for_errors();
                return Err(reported);
            }
        };
        if self.at(Token::Semicolon) {
            if body == Body::Required {
                let diagnostic =
                    Diagnostic::error("expected `{`, found `;`", self.span(), "the body is missing");
                self.report_here(diagnostic.help("only a module may declare a `fn` without a body"));
            }
            self.bump();
            return Ok(Function { signature, body: None, span: self.since(start) });
        }
        let body = match self.block() {
            Ok(block) => block,
            Err(reported) => {
                self.body_for_errors();
                return Err(reported);
            }
        };
        Ok(Function { signature, body: Some(body), span: self.since(start) })
    }

    /// `name(self, name: type,*) -> type`
    pub(super) fn signature(&mut self) -> Parsed<Signature> {
        // `op` in an `impl` is reported already, and read as a method.
        let reported = self.position > 0 && self.last_error == Some(self.position - 1);
        let of_operation = self.comes_after_token(Token::Op) && !reported;
        let name = self.name("a name")?;
        if self.at(Token::Less) {
            self.type_parameters_of_function()?;
        }
        let open = self.expect(Token::OpenParen)?;
        let mut self_param = None;
        if of_operation && (self.at(Token::SelfPlace) || self.at(Token::Ampersand)) {
            self.self_of_operation();
        }
        if self.at(Token::Ampersand) && (self.peek(1) == Token::SelfPlace || self.peek(2) == Token::SelfPlace)
        {
            self.reference_to_self();
        }
        if self.at(Token::SelfPlace) {
            self_param = Some(self.bump());
            if !self.eat(Token::Comma) && !self.at(Token::CloseParen) {
                let diagnostic = self.unexpected_diagnostic("`,` or `)`").label(open, "opened here");
                return Err(self.report_here(diagnostic));
            }
        }
        let params = self.declaration_list(open, Token::CloseParen, Self::param)?;
        let result = self.result_type()?;
        Ok(Signature { name, self_param, params, result })
    }

    /// `name: type`
    pub(super) fn param(&mut self) -> Parsed<Param> {
        if self.at_word("mut") && self.peek(1) == Token::Name {
            self.mutable();
        }
        let first = self.position;
        let name = self.name("a name")?;
        if self.at(Token::Name) && !self.lexeme().begins_line {
            // `data v`: reported, and read the other way round.
            self.unexpected(Token::Colon.spelling());
            self.position = first;
            let ty = self.ty()?;
            return Ok(Param { name: self.name("a name")?, ty });
        }
        self.expect(Token::Colon)?;
        let ty = self.ty()?;
        Ok(Param { name, ty })
    }

    fn result_type(&mut self) -> Parsed<Option<Type>> {
        if self.eat(Token::Arrow) {
            return self.ty().map(Some);
        }
        let starts_type =
            matches!(self.current(), Token::Name | Token::Star | Token::OpenBracket | Token::Int);
        let foreign_arrow = matches!(self.current(), Token::Colon | Token::FatArrow);
        if foreign_arrow || starts_type && !self.at_word("when") && !self.lexeme().begins_line {
            self.result_without_arrow();
            return self.ty().map(Some);
        }
        Ok(None)
    }
}
