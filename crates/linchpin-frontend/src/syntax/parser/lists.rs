//! Comma lists and brackets.

use super::super::token::Token;
use super::{Parsed, Parser, Reported};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;

impl Parser<'_> {
    /// Reads `element,*` and `close`. The first error ends the list. For lists inside statements.
    pub(super) fn comma_list<T>(
        &mut self,
        open: Span,
        close: Token,
        mut element: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut elements = Vec::new();
        while !self.at(close) {
            elements.push(element(self)?);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        if !self.at(close) {
            return Err(self.list_goes_on(open, close));
        }
        self.bump();
        Ok(elements)
    }

    fn list_goes_on(&mut self, open: Span, close: Token) -> Reported {
        let expected = format!("`,` or {}", close.spelling());
        let diagnostic = self.unexpected_diagnostic(&expected).label(open, "opened here");
        self.report_here(diagnostic)
    }

    /// Reads `element,*` and `close`. Leaves out an element with an error. For lists of
    /// declarations, where the other elements may have errors of their own.
    pub(super) fn declaration_list<T>(
        &mut self,
        open: Span,
        close: Token,
        mut element: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut elements = Vec::new();
        let mut semicolon_reported = false;
        loop {
            if self.at(close) {
                self.bump();
                return Ok(elements);
            }
            let first = self.position;
            match element(self) {
                Ok(value) => elements.push(value),
                Err(reported) => {
                    if !self.skip_to(&[Token::Comma, close]) && !self.at(Token::Semicolon) {
                        return Err(reported);
                    }
                }
            }
            match self.current() {
                Token::Comma => {
                    self.bump();
                }
                Token::Semicolon
                    if close == Token::CloseBrace
                        && matches!(self.peek(1), Token::Name | Token::CloseBrace) =>
                {
                    if !semicolon_reported {
                        let diagnostic =
                            Diagnostic::error("expected `,`, found `;`", self.span(), "expected `,`");
                        self.report_here(diagnostic.help("separate the parts of a declaration with commas"));
                        semicolon_reported = true;
                    }
                    self.bump();
                }
                token if token == close => {}
                Token::Name if self.lexeme().begins_line && self.position > first => {
                    self.missing(Token::Comma)
                }
                Token::EndOfFile if close == Token::CloseBrace => return Err(self.unclosed_brace(open)),
                _ if close == Token::CloseBrace && self.begins_item() => {
                    return Err(self.unclosed_brace(open));
                }
                _ => return Err(self.list_goes_on(open, close)),
            }
        }
    }
}
