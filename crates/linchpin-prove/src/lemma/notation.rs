//! The notation of lemmas: the expressions of the language, and a few words for what only a proof knows.
//!
//! ```text
//! lemma add at 36: pred.next == curr;
//! lemma remove at 58#2: !pred.marked && held(pred.lock) -> reachable(pred);
//! lemma cell: cell.next != null -> cell.key < cell.next.key;
//! ```
//!
//! ```ebnf
//! file  = { "lemma" place ":" [ lit { "&&" lit } "->" ] lit ";" }      place = NAME "at" LINE [ "#" N ] | "cell"
//! lit   = operand ("=="|"!="|"<"|">=") operand | [ "!" ] atom
//! atom  = term | ("held"|"reachable"|"private"|"behind") "(" term ")"
//!       | "on_key" | "took_effect" | "seen_in" | "seen_out" | "is_in"
//! operand = term | "null" | "key" "::" ("MIN"|"MAX")
//! term  = NAME [ "#" (N | "shared") ] { "." NAME }
//! ```
//!
//! A rest is the line of its access. `#2` is the second rest of the operation on that line. A name is a live
//! local of the rest, else a shared variable. Where a name is not unique, `#N` is the number of the local;
//! `tmp#N` is a value without a name, and `#shared` is the shared variable. Comments are `//` to the end of
//! the line.
//!
//! **Law.** `parse(print(lemma)) = lemma` for each lemma of the program's vocabulary.

use super::syntax::{Atom, Lemma, Literal, MOST_PREMISES, Operand, Place, Root, Term};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::Index;
use linchpin_ir::program::{GlobalId, LocalId, OpId, Pc, Program};
use linchpin_ir::source::{FileId, SourceMap, Span};
use std::fmt::Write;

/// Words that a bare variable name cannot be.
const RESERVED: [&str; 15] = [
    "lemma",
    "at",
    "cell",
    "tmp",
    "null",
    "key",
    "held",
    "reachable",
    "private",
    "behind",
    "on_key",
    "took_effect",
    "seen_in",
    "seen_out",
    "is_in",
];

/// Prints lemmas of a program.
#[derive(Clone, Copy)]
pub struct Printer<'p> {
    pub program: &'p Program,
    pub sources: &'p SourceMap,
}

impl Printer<'_> {
    /// Formats a lemma on one line.
    pub fn lemma(&self, lemma: &Lemma) -> String {
        let mut text = format!("lemma {}: ", self.place(lemma.place));
        let premises: Vec<String> =
            lemma.premises().iter().map(|literal| self.literal(lemma.place, literal)).collect();
        if !premises.is_empty() {
            let _ = write!(text, "{} -> ", premises.join(" && "));
        }
        text + &self.literal(lemma.place, &lemma.conclusion) + ";"
    }

    /// Formats a place: an operation and a line, or `cell`.
    pub fn place(&self, place: Place) -> String {
        let Place::Rest(op, rest) = place else { return "cell".into() };
        let name = &self.program.ops[op].name;
        let rests = rests(self.program, self.sources, op);
        let line = rests.iter().find(|(_, pc)| *pc == rest).map_or(0, |(line, _)| *line);
        let alike: Vec<Pc> = rests.iter().filter(|(other, _)| *other == line).map(|(_, pc)| *pc).collect();
        match alike.iter().position(|pc| *pc == rest) {
            Some(position) if position > 0 => format!("{name} at {line}#{}", position + 1),
            _ => format!("{name} at {line}"),
        }
    }

    /// Formats a literal.
    pub fn literal(&self, place: Place, literal: &Literal) -> String {
        let operand = |operand: &Operand| match operand {
            Operand::Null => "null".into(),
            Operand::KeyMin => "key::MIN".into(),
            Operand::KeyMax => "key::MAX".into(),
            Operand::Term(term) => self.term(place, term),
        };
        let sign = if literal.is_positive { "" } else { "!" };
        match &literal.atom {
            Atom::Equal(left, right) => {
                let sign = if literal.is_positive { "==" } else { "!=" };
                format!("{} {sign} {}", operand(left), operand(right))
            }
            Atom::Less(left, right) => {
                let sign = if literal.is_positive { "<" } else { ">=" };
                format!("{} {sign} {}", operand(left), operand(right))
            }
            Atom::Flag(term) => format!("{sign}{}", self.term(place, term)),
            Atom::Held(term) => format!("{sign}held({})", self.term(place, term)),
            Atom::Reachable(term) => format!("{sign}reachable({})", self.term(place, term)),
            Atom::Private(term) => format!("{sign}private({})", self.term(place, term)),
            Atom::Behind(term) => format!("{sign}behind({})", self.term(place, term)),
            Atom::OnKey => format!("{sign}on_key"),
            Atom::TookEffect => format!("{sign}took_effect"),
            Atom::SeenIn => format!("{sign}seen_in"),
            Atom::SeenOut => format!("{sign}seen_out"),
            Atom::IsIn => format!("{sign}is_in"),
        }
    }

    fn term(&self, place: Place, term: &Term) -> String {
        let locals = live_locals(self.program, place);
        let mut text = match term.root {
            Root::Cell => "cell".into(),
            Root::Local(local) => {
                let name = locals.iter().find(|(id, _)| *id == local).map_or("tmp", |(_, name)| *name);
                let alike = locals.iter().filter(|(_, other)| *other == name).count();
                match (is_name(name), alike) {
                    (true, 1) if !is_reserved(name) => name.to_string(),
                    (true, _) => format!("{name}#{}", local.index()),
                    (false, _) => format!("tmp#{}", local.index()),
                }
            }
            Root::Shared(global) => {
                let name = &*self.program.globals.variables[global].name;
                let is_hidden = is_reserved(name) || locals.iter().any(|(_, local)| *local == name);
                if is_hidden { format!("{name}#shared") } else { name.to_string() }
            }
        };
        for field in &term.fields {
            let _ = write!(text, ".{field}");
        }
        text
    }
}

/// Parses a file of lemmas. All errors are returned, in the order of the text.
pub fn parse(program: &Program, sources: &SourceMap, file: FileId) -> Result<Vec<Lemma>, Vec<Diagnostic>> {
    let mut parser = Parser { program, sources, file, tokens: tokens(&sources.file(file).text), at: 0 };
    let (mut lemmas, mut errors) = (Vec::new(), Vec::new());
    while parser.at < parser.tokens.len() {
        match parser.lemma() {
            Ok(lemma) => lemmas.push(lemma),
            Err(error) => {
                errors.push(*error);
                parser.skip_lemma();
            }
        }
    }
    if errors.is_empty() { Ok(lemmas) } else { Err(errors) }
}

/// Returns the rests of an operation with their lines, in the order of the code.
fn rests(program: &Program, sources: &SourceMap, op: OpId) -> Vec<(usize, Pc)> {
    let code = &program.methods[program.ops[op].method].code;
    let rests = code.entries().filter(|(_, instr)| instr.access.is_step());
    rests.map(|(pc, instr)| (sources.line_of(instr.span), pc)).collect()
}

fn live_locals(program: &Program, place: Place) -> Vec<(LocalId, &str)> {
    let Place::Rest(op, rest) = place else { return Vec::new() };
    let method = &program.methods[program.ops[op].method];
    let Some(instr) = method.code.get(rest) else { return Vec::new() };
    instr.live.iter().map(|local| (local, &*method.locals[local].name)).collect()
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// A token: its text, and the byte at which it begins.
struct Token {
    text: String,
    start: usize,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let start = text.len() - rest.len();
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = if is_word(first) {
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            } else if ["==", "!=", ">=", "->", "&&", "::"].iter().any(|sign| rest.starts_with(sign)) {
                2
            } else {
                first.len_utf8()
            };
            tokens.push(Token { text: rest[..length].to_string(), start });
            length
        };
        rest = &rest[length..];
    }
    tokens
}

struct Parser<'p> {
    program: &'p Program,
    sources: &'p SourceMap,
    file: FileId,
    tokens: Vec<Token>,
    at: usize,
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

impl Parser<'_> {
    fn lemma(&mut self) -> Parsed<Lemma> {
        self.expect("lemma")?;
        let start = self.span();
        let place = self.place()?;
        self.expect(":")?;
        let mut literals = vec![self.literal(place)?];
        while self.take("&&") {
            literals.push(self.literal(place)?);
        }
        let lemma = if self.take("->") {
            let conclusion = self.literal(place)?;
            Lemma::new(place, literals, conclusion).ok_or_else(|| too_many(start))?
        } else {
            match literals.as_slice() {
                [only] => Lemma::always(place, only.clone()),
                _ => return self.error("expected `->`", "a conjunction is a premise", "write two lemmas"),
            }
        };
        self.expect(";")?;
        Ok(lemma)
    }

    fn place(&mut self) -> Parsed<Place> {
        if self.take("cell") {
            return Ok(Place::EveryCell);
        }
        let at = self.span();
        let name = self.word()?;
        let op = self.program.ops.entries().find(|(_, op)| *op.name == *name);
        let Some((op, _)) = op else {
            let names: Vec<&str> = self.program.ops.iter().map(|op| &*op.name).collect();
            let help = format!("name one of: cell, {}", names.join(", "));
            return Err(Box::new(Diagnostic::error("unknown operation", at, "not an operation").help(help)));
        };
        self.expect("at")?;
        let at = self.span();
        let line = self.number()?;
        let number = if self.take("#") { self.number()? } else { 1 };
        let rests = rests(self.program, self.sources, op);
        let mut here = rests.iter().filter(|(other, _)| *other == line).map(|(_, pc)| *pc);
        match number.checked_sub(1).and_then(|skipped| here.nth(skipped)) {
            Some(rest) => Ok(Place::Rest(op, rest)),
            None => {
                let mut lines: Vec<usize> = rests.iter().map(|(line, _)| *line).collect();
                lines.dedup();
                let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
                let title = format!("no thread in `{name}` rests there");
                let help = format!("`{name}` rests at the lines {}", lines.join(", "));
                Err(Box::new(Diagnostic::error(title, at, "not a rest").help(help)))
            }
        }
    }

    fn literal(&mut self, place: Place) -> Parsed<Literal> {
        let negated = self.take("!");
        if !negated && let Some(operand) = self.constant()? {
            return self.comparison(place, operand);
        }
        let sign = !negated;
        let word = self.peek().to_string();
        let plain = match word.as_str() {
            "on_key" => Some(Atom::OnKey),
            "took_effect" => Some(Atom::TookEffect),
            "seen_in" => Some(Atom::SeenIn),
            "seen_out" => Some(Atom::SeenOut),
            "is_in" => Some(Atom::IsIn),
            _ => None,
        };
        if let Some(atom) = plain.filter(|_| self.peek_after() != "#") {
            self.at += 1;
            return Ok(Literal::new(atom, sign));
        }
        let make = match word.as_str() {
            "held" => Some(Atom::Held as fn(Term) -> Atom),
            "reachable" => Some(Atom::Reachable as fn(Term) -> Atom),
            "private" => Some(Atom::Private as fn(Term) -> Atom),
            "behind" => Some(Atom::Behind as fn(Term) -> Atom),
            _ => None,
        };
        if let Some(make) = make.filter(|_| self.peek_after() == "(") {
            self.at += 1;
            self.expect("(")?;
            let term = self.term(place)?;
            self.expect(")")?;
            return Ok(Literal::new(make(term), sign));
        }
        let term = self.term(place)?;
        if !negated && ["==", "!=", "<", ">="].contains(&self.peek()) {
            return self.comparison(place, Operand::Term(term));
        }
        Ok(Literal::new(Atom::Flag(term), sign))
    }

    fn comparison(&mut self, place: Place, left: Operand) -> Parsed<Literal> {
        let sign = self.peek().to_string();
        let (is_order, is_positive) = match sign.as_str() {
            "==" => (false, true),
            "!=" => (false, false),
            "<" => (true, true),
            ">=" => (true, false),
            _ => return self.error("expected a comparison", "not a comparison", "write ==, !=, < or >="),
        };
        self.at += 1;
        let right = match self.constant()? {
            Some(operand) => operand,
            None => Operand::Term(self.term(place)?),
        };
        let atom = if is_order { Atom::Less(left, right) } else { Atom::equal(left, right) };
        Ok(Literal::new(atom, is_positive))
    }

    /// Reads `null`, `key::MIN` or `key::MAX`, if one stands here.
    fn constant(&mut self) -> Parsed<Option<Operand>> {
        if self.peek_after() == "#" {
            return Ok(None);
        }
        if self.take("null") {
            return Ok(Some(Operand::Null));
        }
        if self.peek() == "key" && self.peek_after() == "::" {
            self.at += 2;
            if self.take("MIN") {
                return Ok(Some(Operand::KeyMin));
            }
            self.expect("MAX")?;
            return Ok(Some(Operand::KeyMax));
        }
        Ok(None)
    }

    fn term(&mut self, place: Place) -> Parsed<Term> {
        let mut term = Term::new(self.root(place)?);
        while self.take(".") {
            let field = self.word()?;
            term.fields.push(field.into());
        }
        Ok(term)
    }

    fn root(&mut self, place: Place) -> Parsed<Root> {
        let at = self.span();
        let name = self.word()?;
        let locals = live_locals(self.program, place);
        let unknown = |help: &str| {
            let title = format!("`{name}` is not a variable of this place");
            let known: Vec<&str> =
                locals.iter().map(|(_, name)| *name).filter(|name| is_name(name)).collect();
            let help =
                if known.is_empty() { help.into() } else { format!("live here: {}", known.join(", ")) };
            Err(Box::new(Diagnostic::error(title, at, "unknown here").help(help)))
        };
        if self.take("#") {
            if self.take("shared") {
                return match shared(self.program, &name) {
                    Some(global) => Ok(Root::Shared(global)),
                    None => unknown("name a shared variable"),
                };
            }
            let number = self.number()?;
            return match locals.iter().find(|(local, _)| local.index() == number) {
                Some((local, _)) => Ok(Root::Local(*local)),
                None => unknown("name a shared variable"),
            };
        }
        if name == "cell" && place == Place::EveryCell {
            return Ok(Root::Cell);
        }
        let mut own = locals.iter().filter(|(_, local)| *local == name);
        match (own.next(), own.next(), shared(self.program, &name)) {
            (Some((local, _)), None, _) => Ok(Root::Local(*local)),
            (Some((first, _)), Some((second, _)), _) => {
                let help = format!("write `{name}#{}` or `{name}#{}`", first.index(), second.index());
                let title = format!("several variables are called `{name}`");
                Err(Box::new(Diagnostic::error(title, at, "which one?").help(help)))
            }
            (None, _, Some(global)) => Ok(Root::Shared(global)),
            (None, _, None) => unknown("name a shared variable"),
        }
    }

    fn skip_lemma(&mut self) {
        while self.at < self.tokens.len() && !self.take(";") {
            self.at += 1;
        }
    }

    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", |token| &token.text)
    }

    fn peek_after(&self) -> &str {
        self.tokens.get(self.at + 1).map_or("", |token| &token.text)
    }

    fn take(&mut self, text: &str) -> bool {
        let is_here = self.at < self.tokens.len() && self.peek() == text;
        self.at += usize::from(is_here);
        is_here
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.take(text) {
            return Ok(());
        }
        self.error(&format!("expected `{text}`"), "not this", "see the notation of lemmas in docs/lemmas.md")
    }

    fn word(&mut self) -> Parsed<String> {
        if is_name(self.peek()) {
            let word = self.peek().to_string();
            self.at += 1;
            return Ok(word);
        }
        self.error("expected a name", "not a name", "see the notation of lemmas in docs/lemmas.md")
    }

    fn number(&mut self) -> Parsed<usize> {
        match self.peek().parse() {
            Ok(number) => {
                self.at += 1;
                Ok(number)
            }
            Err(_) => self.error("expected a number", "not a number", "write the number of a line"),
        }
    }

    fn error<T>(&self, title: &str, label: &str, help: &str) -> Parsed<T> {
        Err(Box::new(Diagnostic::error(title, self.span(), label).help(help)))
    }

    /// Returns the place of the next token, or the end of the file.
    fn span(&self) -> Span {
        let end = self.sources.file(self.file).text.len();
        match self.tokens.get(self.at) {
            Some(token) => Span::new(self.file, token.start, token.start + token.text.len()),
            None => Span::new(self.file, end, end),
        }
    }
}

fn too_many(span: Span) -> Box<Diagnostic> {
    let title = format!("a lemma has at most {MOST_PREMISES} premises");
    Box::new(Diagnostic::error(title, span, "too many premises").help("leave out a premise"))
}

fn shared(program: &Program, name: &str) -> Option<GlobalId> {
    program.globals.variables.entries().find(|(_, variable)| *variable.name == *name).map(|(id, _)| id)
}
