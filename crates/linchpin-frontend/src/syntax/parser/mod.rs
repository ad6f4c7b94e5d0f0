//! Tokens to tree, by recursive descent.
//!
//! **Errors.** A function that cannot continue reports the error and returns [`Reported`]. The nearest list,
//! statement or item skips to its end and continues. So all independent errors are found, and each error is
//! reported once. A slip (wrong, but with a clear meaning) is reported and read as it was meant.
//!
//! **Termination.** Every loop takes a token or leaves. [`NESTING_LIMIT`] bounds the recursion here and the
//! depth of the tree, so no later pass needs more stack than this one.

mod checks;
mod expressions;
mod foreign;
mod functions;
mod items;
mod lists;
mod recovery;
mod slips;
mod specs;
mod statements;
mod types;

use super::ast::{File, Name, Object};
use super::lexer::{Lexed, Lexeme, lex};
use super::token::{Token, is_capitalised};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::{FileId, Span};

/// How deep blocks, expressions and types may nest.
const NESTING_LIMIT: usize = 128;

/// After so many errors a file is not read further.
const ERROR_LIMIT: usize = 50;

/// The message for a missing name after `const`.
const CONSTANT: &str = "the name of a constant";

/// The tree of what could be read, and every error, in the order of the text. Without errors the tree holds
/// no `Error` node and every comment of the text.
pub fn parse(file: FileId, text: &str) -> (File, Vec<Diagnostic>) {
    let Lexed { lexemes, header, comments, diagnostics } = lex(file, text, ERROR_LIMIT);
    let mut parser = Parser::new(file, text, lexemes, diagnostics);
    let (object, items) = parser.file();
    let diagnostics = parser.into_diagnostics();
    let span = Span::new(file, 0, text.len());
    (File { header, object, items, comments, span }, diagnostics)
}

/// Reads a specification with its arguments, as after `object O:`. The name of the result is that of the
/// specification. `None` if there is an error.
pub fn parse_applied(file: FileId, text: &str) -> (Option<Object>, Vec<Diagnostic>) {
    let Lexed { lexemes, diagnostics, .. } = lex(file, text, ERROR_LIMIT);
    let mut parser = Parser::new(file, text, lexemes, diagnostics);
    let applied = parser.applied();
    let diagnostics = parser.into_diagnostics();
    (applied.ok().filter(|_| diagnostics.is_empty()), diagnostics)
}

fn cut_at_limit(diagnostics: &mut Vec<Diagnostic>) {
    if let Some(first_cut) = diagnostics.get(ERROR_LIMIT).and_then(|d| d.labels.first()).map(|l| l.span) {
        diagnostics.truncate(ERROR_LIMIT);
        diagnostics.push(
            Diagnostic::error("too many errors", first_cut, "the rest of the file is not checked")
                .help("is this a `.lin` file?"),
        );
    }
}

fn braces_match(lexemes: &[Lexeme]) -> bool {
    let mut open = 0usize;
    for lexeme in lexemes {
        match lexeme.token {
            Token::OpenBrace => open += 1,
            Token::CloseBrace if open == 0 => return false,
            Token::CloseBrace => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// The error is reported; the caller only has to recover.
struct Reported;

type Parsed<T> = Result<T, Reported>;

struct Parser<'t> {
    file: FileId,
    text: &'t str,
    lexemes: Vec<Lexeme>,
    /// Every `{` of the file has its `}`; only if not is indentation looked at.
    braces_match: bool,
    position: usize,
    diagnostics: Vec<Diagnostic>,
    /// The position of the last error: no further error is reported at the same token.
    last_error: Option<usize>,
    /// `NAME {` begins a word literal; not so in a condition, where `{` begins the block.
    word_literals: bool,
    /// Of the recursion.
    depth: usize,
    /// Of the expression or type read last.
    height: usize,
    /// A `{` whose `}` has a smaller indentation than its line, and that `}`.
    suspect: Option<(Span, Span)>,
}

impl<'t> Parser<'t> {
    fn new(file: FileId, text: &'t str, lexemes: Vec<Lexeme>, diagnostics: Vec<Diagnostic>) -> Parser<'t> {
        Parser {
            file,
            text,
            braces_match: braces_match(&lexemes),
            lexemes,
            position: 0,
            diagnostics,
            last_error: None,
            word_literals: true,
            depth: 0,
            height: 0,
            suspect: None,
        }
    }

    /// Returns the errors in the order of the text, cut at the limit.
    fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|d| d.labels.first().map_or(0, |l| l.span.start));
        cut_at_limit(&mut diagnostics);
        diagnostics
    }
}

// The cursor.
impl<'t> Parser<'t> {
    fn lexeme(&self) -> Lexeme {
        self.lexeme_at(0)
    }

    /// The lexeme `ahead` places further on; at the end the last one again.
    fn lexeme_at(&self, ahead: usize) -> Lexeme {
        let last = self.lexemes.len() - 1;
        self.lexemes[(self.position + ahead).min(last)]
    }

    fn current(&self) -> Token {
        self.lexeme().token
    }

    fn peek(&self, ahead: usize) -> Token {
        self.lexeme_at(ahead).token
    }

    fn at(&self, token: Token) -> bool {
        self.current() == token
    }

    fn at_end(&self) -> bool {
        self.at(Token::EndOfFile)
    }

    fn text_of(&self, lexeme: Lexeme) -> &'t str {
        self.text.get(lexeme.start..lexeme.end).unwrap_or("")
    }

    /// Whether the token `ahead` is a name spelled `word`.
    fn peek_word(&self, ahead: usize, word: &str) -> bool {
        let lexeme = self.lexeme_at(ahead);
        lexeme.token == Token::Name && self.text_of(lexeme) == word
    }

    fn at_word(&self, word: &str) -> bool {
        self.peek_word(0, word)
    }

    fn span_of(&self, lexeme: Lexeme) -> Span {
        Span::new(self.file, lexeme.start, lexeme.end)
    }

    fn span(&self) -> Span {
        self.span_of(self.lexeme())
    }

    fn previous(&self) -> Span {
        let lexeme = self.lexemes[self.position.saturating_sub(1)];
        if self.position == 0 { Span::new(self.file, 0, 0) } else { self.span_of(lexeme) }
    }

    /// The empty place after the previous token.
    fn gap(&self) -> Span {
        let end = self.previous().end as usize;
        Span::new(self.file, end, end)
    }

    /// From `start` to the previous token.
    fn since(&self, start: Span) -> Span {
        start.to(self.previous())
    }

    /// Takes the token; at the end of the file it stays.
    fn bump(&mut self) -> Span {
        let span = self.span();
        if !self.at_end() {
            self.position += 1;
        }
        span
    }

    fn eat(&mut self, token: Token) -> bool {
        let found = self.at(token);
        if found {
            self.bump();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }
}

// Questions about the next tokens, and expectations.
impl Parser<'_> {
    fn expect(&mut self, token: Token) -> Parsed<Span> {
        if self.at(token) { Ok(self.bump()) } else { Err(self.unexpected(token.spelling())) }
    }

    /// The end of what `open` began.
    fn expect_close(&mut self, open: Span, token: Token) -> Parsed<Span> {
        if self.at(token) {
            return Ok(self.bump());
        }
        let diagnostic = self.unexpected_diagnostic(token.spelling()).label(open, "opened here");
        Err(self.report_here(diagnostic))
    }

    fn expect_semicolon(&mut self) -> Parsed<()> {
        if self.eat(Token::Semicolon) {
            return Ok(());
        }
        let next = self.lexeme();
        if next.begins_line || next.token == Token::CloseBrace || next.token.begins_statement() {
            self.missing(Token::Semicolon);
            return Ok(());
        }
        Err(self.unexpected(Token::Semicolon.spelling()))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let lexeme = self.lexeme();
        if lexeme.token == Token::Name {
            self.bump();
            return Ok(self.make_name(lexeme));
        }
        if lexeme.token.is_reserved_word() && !lexeme.begins_line {
            let word = self.text_of(lexeme);
            self.report_here(
                Diagnostic::error(
                    format!("`{word}` is a reserved word"),
                    self.span_of(lexeme),
                    format!("expected {what}"),
                )
                .help(format!("choose another name, such as `{word}_`")),
            );
            self.bump();
            return Ok(self.make_name(lexeme));
        }
        Err(self.unexpected(what))
    }

    /// The name of a type, a word, a constant or a specification.
    fn capitalised_name(&mut self, what: &str) -> Parsed<Name> {
        let name = self.name(what)?;
        if !is_capitalised(&name.text) && !self.spoke_of(name.span) {
            let capitalised = capitalise(&name.text, what == CONSTANT);
            self.report(
                Diagnostic::error(
                    format!("`{}` begins with a small letter", name.text),
                    name.span,
                    format!("expected {what}"),
                )
                .note("types, words, constants and specifications begin with a capital letter")
                .help(format!("write `{capitalised}`, here and where it is used")),
            );
        }
        Ok(name)
    }

    fn make_name(&self, lexeme: Lexeme) -> Name {
        Name { text: self.text_of(lexeme).into(), span: self.span_of(lexeme) }
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= NESTING_LIMIT {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// As [`Parser::grow`], for one more operator of a chain such as `a + b + c`.
    fn grow_chain(&mut self, span: Span, children: usize) -> Parsed<()> {
        self.height = children + 1;
        if self.height <= NESTING_LIMIT {
            return Ok(());
        }
        Err(self.report_here(
            Diagnostic::error(
                "this expression is too long",
                span,
                format!("more than {NESTING_LIMIT} operators, one after the other"),
            )
            .help("give parts of it names with `let`"),
        ))
    }

    /// Records that a node of the tree is above children of height `children`.
    fn grow(&mut self, span: Span, children: usize) -> Parsed<()> {
        self.height = children + 1;
        if self.height > NESTING_LIMIT { Err(self.too_deep(span)) } else { Ok(()) }
    }
}

// Reports.
impl Parser<'_> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.diagnostics.len() > ERROR_LIMIT {
            self.position = self.lexemes.len() - 1;
        } else {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    /// Reports an error about the current token, unless one is reported already.
    fn report_here(&mut self, diagnostic: Diagnostic) -> Reported {
        let told = self.last_error == Some(self.position) || self.lexeme().after_unknown;
        self.last_error = Some(self.position);
        if told { Reported } else { self.report(diagnostic) }
    }

    fn unexpected(&mut self, expected: &str) -> Reported {
        let diagnostic = self.unexpected_diagnostic(expected);
        self.report_here(diagnostic)
    }

    fn unexpected_diagnostic(&self, expected: &str) -> Diagnostic {
        let at = if self.at_end() { self.gap() } else { self.span() };
        let title = format!("expected {expected}, found {}", self.describe_current());
        let diagnostic = Diagnostic::error(title, at, format!("expected {expected}"));
        match self.help_for_unexpected(expected) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn describe_current(&self) -> String {
        let lexeme = self.lexeme();
        let text = self.text_of(lexeme);
        match lexeme.token {
            Token::EndOfFile => lexeme.token.spelling().to_owned(),
            token if token.is_reserved_word() => format!("the word `{text}`"),
            _ => format!("`{text}`"),
        }
    }

    /// Reports a token that only has to be inserted, at the end of the line it belongs to.
    fn missing(&mut self, token: Token) {
        let spelling = token.spelling();
        self.report_here(Diagnostic::error(
            format!("{spelling} is missing"),
            self.gap(),
            format!("expected {spelling}"),
        ));
    }

    fn too_deep(&mut self, span: Span) -> Reported {
        self.report_here(
            Diagnostic::error(
                "nested too deeply",
                span,
                format!("more than {NESTING_LIMIT} levels of blocks, operators or brackets"),
            )
            .help("name parts with `let`, or make a function of the inner block"),
        )
    }

    /// Whether the last error is about this place.
    fn spoke_of(&self, span: Span) -> bool {
        self.diagnostics.last().and_then(|d| d.labels.first()).is_some_and(|l| l.span == span)
    }
}

fn capitalise(name: &str, wholly: bool) -> String {
    let mut text = name.trim_start_matches('_').to_owned();
    let length = if wholly { text.len() } else { 1 };
    if let Some(part) = text.get_mut(..length) {
        part.make_ascii_uppercase();
    }
    text
}
