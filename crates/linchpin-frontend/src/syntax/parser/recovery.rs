//! The ways back after an error: to the end of the element, the statement, the item.
//!
//! Skipping minds brackets, but never runs over an item that begins at the left margin.

use super::super::token::Token;
use super::{Parsed, Parser, Reported};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;

impl Parser<'_> {
    /// Whether an item begins here. A reserved word decides alone. Another word decides together with the
    /// token after it, which cannot follow it in a statement.
    pub(super) fn begins_item(&self) -> bool {
        let lexeme = self.lexeme();
        if !lexeme.begins_line {
            return false;
        }
        match lexeme.token {
            Token::Name => self.begins_item_by_name(),
            Token::Hash => self.peek(1) == Token::OpenBracket,
            token => token.begins_item(),
        }
    }

    /// The items whose first word is not reserved.
    pub(super) fn begins_item_by_name(&self) -> bool {
        let next = self.peek(1);
        match self.text_of(self.lexeme()) {
            "object" | "memory" | "word" | "hash" | "role" | "prove" | "local" => {
                next == Token::Name || next.is_reserved_word()
            }
            "init" | "check" => next == Token::OpenBrace,
            _ => false,
        }
    }

    /// The text ended, or an item begins no further right than the line of the brace that is open. Where `op`
    /// and `fn` may stand inside as well, they tell only if some brace is missing.
    pub(super) fn braces_were_left(&self, open_indent: usize) -> bool {
        let member = matches!(self.current(), Token::Op | Token::Fn | Token::Hash);
        let item = self.begins_item() && !(member && self.braces_match);
        self.at_end() || item && self.lexeme().indent <= open_indent
    }

    /// To the next item.
    pub(super) fn recover_item(&mut self) {
        let mut open = 0usize;
        loop {
            let margin = self.lexeme().indent == 0;
            match self.current() {
                Token::EndOfFile => return,
                _ if self.begins_item() && (open == 0 || margin) => return,
                Token::OpenBrace => open += 1,
                Token::CloseBrace if open <= 1 => {
                    self.bump();
                    return;
                }
                Token::CloseBrace => open -= 1,
                Token::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips the `;` or the block that ends the statement, or stops at the `}` of the enclosing block.
    pub(super) fn recover_statement(&mut self) {
        let mut open = 0usize;
        let first = self.position;
        loop {
            let next = self.lexeme();
            let fresh = next.begins_line && self.position > first;
            match next.token {
                Token::EndOfFile => return,
                _ if self.begins_item() && (open == 0 || next.indent == 0) => return,
                token if open == 0 && fresh && token.begins_statement() => return,
                Token::OpenBrace => open += 1,
                Token::CloseBrace if open == 0 => return,
                Token::CloseBrace => {
                    open -= 1;
                    if open == 0 {
                        self.bump();
                        // The end of `let x = … { … };`.
                        if !self.lexeme().begins_line {
                            self.eat(Token::Semicolon);
                        }
                        return;
                    }
                }
                Token::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the first of `stops` outside of brackets, or to an item or a closing bracket.
    /// Returns whether it found a stop.
    pub(super) fn skip_to(&mut self, stops: &[Token]) -> bool {
        let mut open = 0usize;
        loop {
            let next = self.lexeme();
            if open == 0 && stops.contains(&next.token) {
                return true;
            }
            match next.token {
                Token::EndOfFile => return false,
                _ if self.begins_item() => return false,
                Token::OpenParen | Token::OpenBracket | Token::OpenBrace => open += 1,
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace if open == 0 => return false,
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace => open -= 1,
                Token::Semicolon if open == 0 => return false,
                _ => {}
            }
            self.bump();
        }
    }

    /// What was read, or `error` after a skip to one of `stops`; fails if there is none.
    pub(super) fn or_skip_to<T>(
        &mut self,
        parsed: Parsed<T>,
        stops: &[Token],
        error: impl FnOnce(Span) -> T,
    ) -> Parsed<T> {
        match parsed {
            Ok(value) => Ok(value),
            Err(reported) => {
                let at = self.gap();
                if self.skip_to(stops) { Ok(error(at)) } else { Err(reported) }
            }
        }
    }

    /// Notes a `}` that stands further left than the line of its `{`: a `}` is likely to be missing before
    /// it.
    pub(super) fn watch_indentation(&mut self, open: Span, open_indent: usize) {
        let close = self.lexeme();
        let moved_left = close.begins_line && close.indent < open_indent;
        if moved_left && self.suspect.is_none() {
            self.suspect = Some((open, self.span_of(close)));
        }
    }

    /// Reports that the text ends, or an item begins, before the `}` of `open`.
    pub(super) fn unclosed_brace(&mut self, open: Span) -> Reported {
        let (here, why) = if self.at_end() {
            (self.gap(), "the file ends before its `}`")
        } else {
            (self.span(), "an item begins before its `}`")
        };
        let title = "a `{` is not closed";
        let diagnostic = match self.suspect.take() {
            Some((suspect, close)) if suspect != open => {
                Diagnostic::error(title, suspect, "probably this one")
                    .label(close, "this `}` is indented like an outer block")
                    .label(here, "noticed here")
            }
            _ => Diagnostic::error(title, open, "this one").label(here, why),
        };
        self.report_here(diagnostic)
    }
}
