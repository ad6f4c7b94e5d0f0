//! Types.
//!
//! `?` binds weaker than `*`: `*Node?` is an optional pointer, since there are no pointers to optional
//! values. The bounds of a range are sums and products, so that `PQueue<0..N>` ends at its `>`.

use super::super::ast::{Expr, ExprKind, Name, Type, TypeKind};
use super::super::token::Token;
use super::{Parsed, Parser};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.nested(|p| {
            let start = p.span();
            let mut ty = p.type_without_option()?;
            while p.eat(Token::Question) {
                let span = p.since(start);
                p.grow(span, p.height)?;
                ty = Type { kind: TypeKind::Option(Box::new(ty)), span };
            }
            Ok(ty)
        })
    }

    /// Reads a type. `Error` if the text is not a type and one of `stops` follows it.
    pub(super) fn ty_before(&mut self, stops: &[Token]) -> Parsed<Type> {
        let parsed = self.ty();
        self.or_skip_to(parsed, stops, |span| Type { kind: TypeKind::Error, span })
    }

    /// `<type,*>` if there is one.
    pub(super) fn type_args(&mut self) -> Parsed<Vec<Type>> {
        let mut args = Vec::new();
        if !self.at(Token::Less) {
            return Ok(args);
        }
        let open = self.bump();
        let mut height = 0;
        while !self.at_closing_angle() {
            args.push(self.ty()?);
            height = height.max(self.height);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.close_angle(open)?;
        self.height = height;
        Ok(args)
    }

    /// `<NAME,*>` if there is one.
    pub(super) fn type_params(&mut self) -> Parsed<Vec<Name>> {
        let mut params = Vec::new();
        if !self.at(Token::Less) {
            return Ok(params);
        }
        let open = self.bump();
        while !self.at_closing_angle() {
            params.push(self.capitalised_name("the name of a type parameter")?);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.close_angle(open)?;
        Ok(params)
    }

    fn at_closing_angle(&self) -> bool {
        matches!(self.current(), Token::Greater | Token::GreaterEqual)
    }

    /// `>`, also as the first half of `>=`.
    fn close_angle(&mut self, open: Span) -> Parsed<()> {
        if self.at(Token::GreaterEqual) {
            let half = &mut self.lexemes[self.position];
            half.token = Token::Assign;
            half.start += 1;
            return Ok(());
        }
        self.expect_close(open, Token::Greater).map(drop)
    }

    fn type_without_option(&mut self) -> Parsed<Type> {
        let start = self.span();
        self.height = 0;
        let kind = match self.current() {
            Token::Star => self.pointer()?,
            Token::OpenBracket => self.array()?,
            Token::Int | Token::OpenParen | Token::Minus => self.range()?,
            Token::Name if self.name_begins_range() => self.range()?,
            Token::Name => self.named_type()?,
            Token::Ampersand => {
                self.report_here(
                    Diagnostic::error("there are no references", start, "expected a type")
                        .help("`*T` points to a struct made by `new`; functions pass values"),
                );
                self.bump();
                self.eat_word("mut");
                return self.nested(Self::type_without_option);
            }
            _ => return Err(self.unexpected("a type")),
        };
        Ok(Type { kind, span: self.since(start) })
    }

    fn pointer(&mut self) -> Parsed<TypeKind> {
        let start = self.bump();
        if self.at(Token::Const) || self.at_word("mut") {
            self.report_here(
                Diagnostic::error("a pointer is `*T`", self.span(), "not part of a type")
                    .help("write `*T`: every cell can be written"),
            );
            self.bump();
        }
        let target = if self.at(Token::OpenBracket) {
            let open = self.bump();
            let element = self.ty()?;
            if self.eat(Token::CloseBracket) {
                self.grow(start, self.height)?;
                return Ok(TypeKind::PointerToArray(Box::new(element)));
            }
            let kind = self.array_after_element(open, element)?;
            Type { kind, span: self.since(open) }
        } else {
            self.nested(Self::type_without_option)?
        };
        self.grow(start, self.height)?;
        Ok(TypeKind::Pointer(Box::new(target)))
    }

    fn array(&mut self) -> Parsed<TypeKind> {
        let open = self.bump();
        let element = self.ty()?;
        if self.at(Token::CloseBracket) {
            let span = open.to(self.span());
            return Err(self.report_here(
                Diagnostic::error("an array has a length", span, "expected `[T; length]`")
                    .help("`*[T]` is an array whose length is known at run time, `seq<T>` one that grows"),
            ));
        }
        self.array_after_element(open, element)
    }

    fn array_after_element(&mut self, open: Span, element: Type) -> Parsed<TypeKind> {
        let height = self.height;
        self.expect(Token::Semicolon)?;
        let length = self.expression()?;
        self.expect_close(open, Token::CloseBracket)?;
        self.grow(open, height.max(self.height))?;
        Ok(TypeKind::Array(Box::new(element), Box::new(length)))
    }

    /// A name that is the first of a bound, as in `MIN..MAX`, `2 * N..`, `key::MIN..`.
    fn name_begins_range(&self) -> bool {
        use Token::*;
        matches!(
            self.peek(1),
            DotDot | DotDotEqual | PathSeparator | Plus | Minus | Star | Slash | Percent | Dot | OpenParen
        )
    }

    fn range(&mut self) -> Parsed<TypeKind> {
        let start = self.span();
        let low = self.bound()?;
        let height = self.height;
        let inclusive = match self.current() {
            Token::DotDot => false,
            Token::DotDotEqual => true,
            _ => {
                let span = self.since(start);
                return Err(self.report_here(
                    Diagnostic::error("expected a type, found a value", span, "expected a type")
                        .help("write a range of numbers as `low..high` or `low..=high`"),
                ));
            }
        };
        self.bump();
        if !self.current().begins_expression() {
            return Err(self.unexpected("the end of the range"));
        }
        let high = self.bound()?;
        self.grow(start, height.max(self.height))?;
        Ok(TypeKind::Range { low: Box::new(low), high: Box::new(high), inclusive })
    }

    fn bound(&mut self) -> Parsed<Expr> {
        self.without_word_literals(Self::sum)
    }

    fn named_type(&mut self) -> Parsed<TypeKind> {
        let name = self.name("a type")?;
        let has_args = self.at(Token::Less);
        let simple = match &*name.text {
            "bool" => Some(TypeKind::Bool),
            "int" => Some(TypeKind::Int),
            "data" => Some(TypeKind::Data),
            "key" => Some(TypeKind::Key),
            "age" => Some(TypeKind::Age),
            "thread" => Some(TypeKind::Thread),
            "lock" => Some(TypeKind::Lock),
            "condvar" => Some(TypeKind::Condvar),
            _ => None,
        };
        if let Some(kind) = simple {
            if has_args {
                return Err(self.arguments_of(&name, "none"));
            }
            return Ok(kind);
        }
        let args = self.type_args()?;
        self.grow(name.span, self.height)?;
        let mut given = args.into_iter();
        let kind = match &*name.text {
            "seq" | "set" | "bag" => match (given.next(), given.next()) {
                (Some(element), None) => collection(&name.text, Box::new(element)),
                _ => return Err(self.arguments_of(&name, "one")),
            },
            "map" => match (given.next(), given.next(), given.next()) {
                (Some(from), Some(to), None) => TypeKind::Map(Box::new(from), Box::new(to)),
                _ => return Err(self.arguments_of(&name, "two")),
            },
            _ => TypeKind::Named { name, args: given.collect() },
        };
        Ok(kind)
    }

    fn arguments_of(&mut self, name: &Name, takes: &str) -> super::Reported {
        let example = match takes {
            "one" => format!("`{}<data>`", name.text),
            "two" => format!("`{}<key, data>`", name.text),
            _ => format!("`{}` alone", name.text),
        };
        self.report(
            Diagnostic::error(
                format!("the number of type arguments of `{}` is wrong", name.text),
                self.since(name.span),
                format!("it takes {takes}"),
            )
            .help(format!("write {example}")),
        )
    }
}

fn collection(name: &str, element: Box<Type>) -> TypeKind {
    match name {
        "seq" => TypeKind::Seq(element),
        "set" => TypeKind::Set(element),
        _ => TypeKind::Bag(element),
    }
}

/// A place in the tree where an expression could not be read.
pub(super) fn error_expression(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span }
}
