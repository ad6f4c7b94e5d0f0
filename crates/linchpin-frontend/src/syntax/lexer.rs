//! Text to tokens. Every text lexes: what no token begins with is reported, one run at a time, and left out.
//!
//! Comments are not tokens: they go to a table of their own, from which the formatter puts them back.

use super::ast::Comment;
use super::token::Token;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::{FileId, Span};
use logos::Logos;

/// A token, its place, and what error recovery needs of its surroundings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) start: usize,
    pub(super) end: usize,
    /// It is the first token of its line.
    pub(super) begins_line: bool,
    /// The column, from 0, of the first token of its line.
    pub(super) indent: usize,
    /// Something before it was left out, and reported.
    pub(super) after_unknown: bool,
}

pub(super) struct Lexed {
    /// Ends with one [`Token::EndOfFile`].
    pub(super) lexemes: Vec<Lexeme>,
    pub(super) header: Vec<String>,
    pub(super) comments: Vec<Comment>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Reports at most `limit` errors, and counts one more if there are more.
pub(super) fn lex(file: FileId, text: &str, limit: usize) -> Lexed {
    let mut lexer = Token::lexer(text);
    let mut line = Line::default();
    let mut unknown = Unknown { file, text, limit, run: None, diagnostics: Vec::new() };
    let mut lexemes: Vec<Lexeme> = Vec::new();
    let mut comments = Vec::new();
    let mut after_unknown = false;
    while let Some(found) = lexer.next() {
        let (start, end) = (lexer.span().start, lexer.span().end);
        line.advance(text, start);
        match found {
            Ok(Token::Comment) => comments.push(Comment {
                text: lexer.slice().trim_end().to_owned(),
                span: Span::new(file, start, start + lexer.slice().trim_end().len()),
                own_line: line.is_fresh,
            }),
            Ok(token @ (Token::BlockComment | Token::QuotedText)) => {
                unknown.report_foreign(token, start, end);
                after_unknown = true;
            }
            Err(()) => {
                unknown.extend(start, end);
                after_unknown = true;
            }
            Ok(token) => {
                let (begins_line, indent) = line.take_token(start);
                lexemes.push(Lexeme { token, start, end, begins_line, indent, after_unknown });
                after_unknown = false;
            }
        }
    }
    unknown.flush();
    let end = text.len();
    lexemes.push(Lexeme {
        token: Token::EndOfFile,
        start: end,
        end,
        begins_line: true,
        indent: 0,
        after_unknown,
    });
    let header = take_header(&mut comments, lexemes[0].start);
    Lexed { lexemes, header, comments, diagnostics: unknown.diagnostics }
}

/// Moves the first run of `//!` lines before the first token out of the comments.
fn take_header(comments: &mut Vec<Comment>, first_token: usize) -> Vec<String> {
    let is_header = |c: &Comment| c.text.starts_with("//!") && (c.span.start as usize) < first_token;
    let Some(begin) = comments.iter().position(is_header) else { return Vec::new() };
    let length = comments[begin..].iter().take_while(|c| is_header(c)).count();
    let marker_off = |c: Comment| {
        let line = &c.text["//!".len()..];
        line.strip_prefix(' ').unwrap_or(line).to_owned()
    };
    comments.drain(begin..begin + length).map(marker_off).collect()
}

/// Follows the lines of the text as the tokens pass.
struct Line {
    seen: usize,
    start: usize,
    /// No token has been seen on this line.
    is_fresh: bool,
    indent: usize,
}

impl Default for Line {
    fn default() -> Line {
        Line { seen: 0, start: 0, is_fresh: true, indent: 0 }
    }
}

impl Line {
    fn advance(&mut self, text: &str, to: usize) {
        if let Some(newline) = text[self.seen..to].rfind('\n') {
            self.start = self.seen + newline + 1;
            self.is_fresh = true;
        }
        self.seen = to;
    }

    fn take_token(&mut self, start: usize) -> (bool, usize) {
        let begins_line = self.is_fresh;
        if begins_line {
            self.indent = start - self.start;
            self.is_fresh = false;
        }
        (begins_line, self.indent)
    }
}

/// Collects characters and words that are not in the language.
struct Unknown<'t> {
    file: FileId,
    text: &'t str,
    limit: usize,
    run: Option<(usize, usize)>,
    diagnostics: Vec<Diagnostic>,
}

impl Unknown<'_> {
    fn extend(&mut self, start: usize, end: usize) {
        match &mut self.run {
            Some((_, last)) if *last == start => *last = end,
            _ => {
                self.flush();
                self.run = Some((start, end));
            }
        }
    }

    fn flush(&mut self) {
        const SHOWN: usize = 10;
        let Some((start, end)) = self.run.take() else { return };
        if self.diagnostics.len() > self.limit {
            return;
        }
        let run = self.text.get(start..end).unwrap_or_default();
        let shown: String = run.chars().take(SHOWN).flat_map(char::escape_debug).collect();
        let title = match run.chars().count() {
            0 | 1 => format!("unknown character `{shown}`"),
            2..=SHOWN => format!("unknown characters `{shown}`"),
            _ => format!("unknown characters `{shown}…`"),
        };
        let diagnostic =
            Diagnostic::error(title, Span::new(self.file, start, end), "no token begins with this");
        self.report(match run {
            "^" | "~" => diagnostic.help("there are no operators on bits; `!` negates a `bool`"),
            _ => diagnostic,
        });
    }

    fn report_foreign(&mut self, token: Token, start: usize, end: usize) {
        self.flush();
        let span = Span::new(self.file, start, end);
        self.report(if token == Token::BlockComment {
            Diagnostic::error(
                "there are no block comments",
                Span::new(self.file, start, start + 2),
                "begins here",
            )
            .help("write `//` before each line")
        } else {
            let is_character = self.text.get(start..end).is_some_and(|text| text.starts_with('\''));
            let title = if is_character { "there are no characters" } else { "there are no strings" };
            Diagnostic::error(title, span, "not a value of the language")
                .help("an `enum` names values; a comment `//` explains")
        });
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() <= self.limit {
            self.diagnostics.push(diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_ir::source::SourceMap;

    fn lexed(text: &str) -> Lexed {
        lex(SourceMap::default().add("test.lin", text), text, 50)
    }

    #[test]
    fn longest_token_wins() {
        let tokens: Vec<Token> =
            lexed("0..=N .. ... ->=> ===== 'a _x _").lexemes.iter().map(|l| l.token).collect();
        use Token::*;
        assert_eq!(
            tokens,
            [
                Int,
                DotDotEqual,
                Name,
                DotDot,
                DotDot,
                Dot,
                Arrow,
                FatArrow,
                StrictEqual,
                EqualEqual,
                Label,
                Name,
                Underscore,
                EndOfFile
            ]
        );
    }

    #[test]
    fn a_run_of_unknown_bytes_is_one_error() {
        let lexed = lexed("let £€ x = 3 @ 4;");
        let titles: Vec<&str> = lexed.diagnostics.iter().map(|d| d.title.as_str()).collect();
        assert_eq!(titles, ["unknown characters `£€`", "unknown character `@`"]);
        assert!(lexed.lexemes[1].after_unknown && !lexed.lexemes[2].after_unknown);
    }

    #[test]
    fn errors_are_bounded() {
        assert_eq!(lexed(&"£ x ".repeat(1000)).diagnostics.len(), 51);
    }

    #[test]
    fn the_header_is_the_first_run_of_marked_lines_before_any_token() {
        let lexed = lexed("// licence\n//! One.\n//!\n//!   Two.  \n// three\nobject //! four\n");
        assert_eq!(lexed.header, ["One.", "", "  Two."]);
        let comments: Vec<(&str, bool)> =
            lexed.comments.iter().map(|c| (c.text.as_str(), c.own_line)).collect();
        assert_eq!(comments, [("// licence", true), ("// three", true), ("//! four", false)]);
    }

    #[test]
    fn a_block_comment_hides_its_text_even_unclosed() {
        let lexed = lexed("a /* b */ c /* d");
        assert_eq!(lexed.lexemes.len(), 3);
        assert_eq!(lexed.diagnostics.len(), 2);
    }
}
