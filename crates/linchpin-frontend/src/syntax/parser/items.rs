//! A file and its items.

use super::super::ast::{Expr, Item, ItemKind, MemoryKind, Name, Object, Record, Type, UseNames, Variable};
use super::super::token::Token;
use super::functions::Body;
use super::{CONSTANT, Parsed, Parser, Reported};
use linchpin_ir::diagnostic::Diagnostic;

impl Parser<'_> {
    pub(super) fn file(&mut self) -> (Option<Object>, Vec<Item>) {
        let mut object: Option<Object> = None;
        let mut items = Vec::new();
        while !self.at_end() {
            let first = self.position;
            self.suspect = None;
            if self.at_word("object") && self.begins_item_by_name() {
                let before = object.as_ref().map(|o| o.span).or(items.first().map(|i: &Item| i.span));
                match self.object() {
                    Ok(found) => {
                        self.object_comes_first(&found, before, object.is_some());
                        object.get_or_insert(found);
                    }
                    Err(Reported) => self.recover_item(),
                }
            } else if self.at(Token::CloseBrace) {
                self.stray_brace();
            } else {
                match self.item() {
                    Ok(item) => items.push(item),
                    Err(Reported) => self.recover_item(),
                }
            }
            if self.position == first {
                self.bump();
            }
        }
        (object, items)
    }

    fn object(&mut self) -> Parsed<Object> {
        let start = self.bump();
        let name = self.capitalised_name("the name of the object")?;
        if self.at(Token::Semicolon) {
            return Err(self.object_without_specification(&name));
        }
        self.expect(Token::Colon)?;
        let (spec, type_args, args) = self.specification_with_arguments()?;
        self.expect_semicolon()?;
        Ok(Object { name, spec, type_args, args, span: self.since(start) })
    }

    /// The whole text is a specification with its arguments.
    pub(super) fn applied(&mut self) -> Parsed<Object> {
        let start = self.span();
        let (spec, type_args, args) = self.specification_with_arguments()?;
        if !self.at_end() {
            return Err(self.unexpected("the end of the name"));
        }
        Ok(Object { name: spec.clone(), spec, type_args, args, span: self.since(start) })
    }

    fn specification_with_arguments(&mut self) -> Parsed<(Name, Vec<Type>, Vec<Expr>)> {
        let spec = self.capitalised_name("the name of a specification")?;
        let type_args = self.type_args()?;
        let args = if self.at(Token::OpenParen) {
            let open = self.bump();
            self.comma_list(open, Token::CloseParen, Self::expression)?
        } else {
            Vec::new()
        };
        Ok((spec, type_args, args))
    }

    fn object_comes_first(
        &mut self,
        object: &Object,
        before: Option<linchpin_ir::source::Span>,
        second: bool,
    ) {
        let Some(before) = before else { return };
        let (title, label, help) = if second {
            ("a file has one object", "the first one", "write each object in a file of its own")
        } else {
            ("`object` must come before all items", "an item", "move the line to the top of the file")
        };
        self.report(Diagnostic::error(title, object.span, "not here").label(before, label).help(help));
    }

    /// Reports and skips a `}` that closes nothing.
    fn stray_brace(&mut self) {
        let diagnostic = Diagnostic::error("unmatched `}`", self.span(), "no `{` is open here");
        self.report_here(diagnostic);
        self.bump();
    }

    fn item(&mut self) -> Parsed<Item> {
        if self.at(Token::Hash) && self.peek(1) == Token::OpenBracket {
            self.foreign_attribute();
        }
        self.foreign_modifier();
        let start = self.span();
        let kind = match self.current() {
            Token::Use => self.import()?,
            Token::Const => self.constant()?,
            Token::Type => self.type_alias()?,
            Token::Enum => self.enumeration()?,
            Token::Struct => ItemKind::Struct(self.record()?),
            Token::Shared => ItemKind::Shared(self.variable_item()?),
            Token::Op => ItemKind::Op(self.function(Body::Required)?),
            Token::Fn => ItemKind::Fn(self.function(Body::Optional)?),
            Token::Impl => self.implementation()?,
            Token::Spec => ItemKind::Spec(self.spec()?),
            Token::Name if self.begins_item_by_name() => match self.text_of(self.lexeme()) {
                "memory" => self.memory()?,
                "word" => ItemKind::Word(self.record()?),
                "local" => ItemKind::Local(self.variable_item()?),
                "init" => {
                    self.bump();
                    ItemKind::Init(self.block()?)
                }
                "hash" => self.hash()?,
                "role" => self.role()?,
                "check" => ItemKind::Check(self.check()?),
                _ => self.prove()?,
            },
            _ => return Err(self.not_an_item()),
        };
        Ok(Item { kind, span: self.since(start) })
    }

    fn memory(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let kind = match self.text_of(self.lexeme()) {
            "gc" => MemoryKind::Gc,
            "pool" => MemoryKind::Pool,
            "manual" => MemoryKind::Manual,
            _ => return Err(self.unexpected("`gc`, `pool` or `manual`")),
        };
        self.bump();
        self.expect_semicolon()?;
        Ok(ItemKind::Memory(kind))
    }

    fn import(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let module = self.name("the name of a module")?;
        self.expect(Token::PathSeparator)?;
        let names = match self.current() {
            Token::Star => {
                self.bump();
                UseNames::All
            }
            Token::OpenBrace => {
                let open = self.bump();
                UseNames::Some(self.declaration_list(open, Token::CloseBrace, |p| p.name("a name"))?)
            }
            _ => UseNames::Some(vec![self.name("a name, `{` or `*`")?]),
        };
        self.expect_semicolon()?;
        Ok(ItemKind::Use { module, names })
    }

    fn constant(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let name = self.capitalised_name(CONSTANT)?;
        if self.at(Token::Colon) {
            self.type_of_constant();
        }
        self.expect(Token::Assign)?;
        let value = self.expression_before(&[Token::Semicolon])?;
        self.expect_semicolon()?;
        Ok(ItemKind::Const { name, value })
    }

    fn type_alias(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let name = self.capitalised_name("the name of a type")?;
        self.expect(Token::Assign)?;
        let ty = self.ty_before(&[Token::Semicolon])?;
        self.expect_semicolon()?;
        Ok(ItemKind::TypeAlias { name, ty })
    }

    fn enumeration(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let name = self.capitalised_name("the name of an enum")?;
        let open = self.expect(Token::OpenBrace)?;
        let variants = self.declaration_list(open, Token::CloseBrace, |p| {
            let name = p.capitalised_name("the name of a value")?;
            p.more_than_a_name();
            Ok(name)
        })?;
        self.semicolon_after_declaration();
        Ok(ItemKind::Enum { name, variants })
    }

    fn record(&mut self) -> Parsed<Record> {
        self.bump();
        let name = self.capitalised_name("the name of a type")?;
        let type_params = self.type_params()?;
        let open = self.expect(Token::OpenBrace)?;
        let fields = self.declaration_list(open, Token::CloseBrace, Self::param)?;
        self.semicolon_after_declaration();
        Ok(Record { name, type_params, fields })
    }

    fn semicolon_after_declaration(&mut self) {
        if self.at(Token::Semicolon) {
            let diagnostic =
                Diagnostic::error("unexpected `;` after a declaration in braces", self.span(), "this one");
            self.report_here(diagnostic.help("remove it"));
            self.bump();
        }
    }

    /// At `shared`, `local` or `state`.
    pub(super) fn variable_item(&mut self) -> Parsed<Variable> {
        self.bump();
        if self.at_word("mut") && self.peek(1) == Token::Name {
            self.mutable();
        }
        let name = self.name("the name of a variable")?;
        self.expect(Token::Colon)?;
        let ty = self.ty_before(&[Token::Assign, Token::Semicolon])?;
        let init =
            if self.eat(Token::Assign) { Some(self.expression_before(&[Token::Semicolon])?) } else { None };
        self.expect_semicolon()?;
        Ok(Variable { name, ty, init })
    }

    fn implementation(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let type_params = self.type_params()?;
        let mut target = self.capitalised_name("the name of a struct or a word")?;
        let mut target_params = self.type_params()?;
        if self.at(Token::For) {
            self.implementation_of_trait();
            target = self.capitalised_name("the name of a struct or a word")?;
            target_params = self.type_params()?;
        }
        let open_indent = self.lexeme().indent;
        let open = self.expect(Token::OpenBrace)?;
        let mut functions = Vec::new();
        while !self.at(Token::CloseBrace) {
            if self.braces_were_left(open_indent) {
                return Err(self.unclosed_brace(open));
            }
            let first = self.position;
            self.foreign_modifier();
            let parsed = match self.current() {
                Token::Fn => self.function(Body::Required),
                Token::Op => {
                    let diagnostic =
                        Diagnostic::error("a method begins with `fn`", self.span(), "expected `fn`");
                    self.report_here(diagnostic.help("write operations outside of `impl`"));
                    self.function(Body::Required)
                }
                _ => Err(self.unexpected("`fn`")),
            };
            match parsed {
                Ok(function) => functions.push(function),
                Err(Reported) => self.recover_item(),
            }
            if self.position == first {
                self.bump();
            }
        }
        self.bump();
        Ok(ItemKind::Impl { type_params, target, target_params, functions })
    }

    fn hash(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let name = self.name("the name of a hash function")?;
        let open = self.expect(Token::OpenParen)?;
        let param: Name = self.name("a name")?;
        self.expect(Token::Colon)?;
        let param_type = self.ty()?;
        self.expect_close(open, Token::CloseParen)?;
        self.expect(Token::Arrow)?;
        let result = self.ty_before(&[Token::Assign, Token::Semicolon])?;
        let body =
            if self.eat(Token::Assign) { Some(self.expression_before(&[Token::Semicolon])?) } else { None };
        self.expect_semicolon()?;
        Ok(ItemKind::Hash { name, param, param_type, result, body })
    }
}
