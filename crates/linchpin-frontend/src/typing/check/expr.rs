//! Expressions. A *hint* is the expected type, where one is known. `null`, `none`, `[]` and literals of
//! generic words take their types from the hint. Nothing is converted here ([`super::convert`]).

use super::body::{Body, Stage};
use super::convert::word;
use crate::syntax::ast::{self, Name};
use crate::typing::collect::names::{DefKind, Lookup, Namespace};
use crate::typing::declare::consts::{GREATEST, LEAST, too_large};
use crate::typing::hir::{TypedExpr, TypedExprKind};
use crate::typing::names_used::NameKind;
use crate::typing::suggest;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::{KEY_MAX, KEY_MIN, NULL, TypeId, TypeKind, word_of};

impl<'a> Body<'_, 'a> {
    pub fn expr(&mut self, expr: &'a ast::Expr, hint: Option<TypeId>) -> TypedExpr {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Int(value) => self.number(*value, span),
            ast::ExprKind::Bool(value) => {
                let bool = self.cx.bool();
                self.constant(vec![i32::from(*value)], bool, span)
            }
            ast::ExprKind::Null => self.null(span, hint),
            ast::ExprKind::None => self.none(span, hint),
            ast::ExprKind::Me => self.me(span),
            ast::ExprKind::Name(_)
            | ast::ExprKind::SelfPlace
            | ast::ExprKind::Field(..)
            | ast::ExprKind::Index(..) => {
                let place = self.place(expr);
                self.read(place)
            }
            ast::ExprKind::Path(of, name) => self.path(of, name, span),
            ast::ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            ast::ExprKind::Unary(op, inner) => self.unary(*op, inner, span),
            ast::ExprKind::Paren(inner) => self.expr(inner, hint),
            ast::ExprKind::Word { name, fields } => self.word_literal(name, fields, span, hint),
            ast::ExprKind::Array(elements) => self.array_literal(elements, span, hint),
            ast::ExprKind::Repeat { value, len } => self.repeat(value, len, span, hint),
            ast::ExprKind::New { ty, fields } => self.new_struct(ty, fields, span, hint),
            ast::ExprKind::NewArray { value, len } => self.new_array(value, len, span, hint),
            ast::ExprKind::Call { receiver, name, args } => match receiver {
                Some(receiver) => self.method_call(receiver, name, args, span),
                None => self.call(name, args, span),
            },
            ast::ExprKind::ChooseBool => self.choose_bool(span),
            ast::ExprKind::Choose { var, from, cond } => {
                self.choose(var.as_ref(), from, cond.as_deref(), span)
            }
            ast::ExprKind::Range { .. } => {
                self.report(
                    Diagnostic::error("a range is not a value", span, "not here")
                        .help("use a range in `for i in 0..n`, in `choose 0..n`, and as types"),
                );
                self.poison_expr(span)
            }
            ast::ExprKind::Lambda { .. } => {
                self.report(
                    Diagnostic::error("`|x| e` is not a value", span, "not here")
                        .help("use it as an argument of `c.all(…)` or `c.any(…)`"),
                );
                self.poison_expr(span)
            }
            ast::ExprKind::Error => self.poison_expr(span),
        }
    }

    /// An expression that must have a value, of whatever type.
    pub fn value(&mut self, expr: &'a ast::Expr) -> TypedExpr {
        let value = self.expr(expr, None);
        if self.cx.types.kind(value.ty) != TypeKind::Unit {
            return value;
        }
        self.report(Diagnostic::error("expected a value", value.span, "this has no result"));
        self.poison_expr(value.span)
    }

    pub fn number(&mut self, value: i64, span: Span) -> TypedExpr {
        if !(LEAST..=GREATEST).contains(&value) {
            self.report(too_large(span));
            return self.poison_expr(span);
        }
        let int = self.cx.int();
        self.constant(vec![word(value)], int, span)
    }

    fn null(&mut self, span: Span, hint: Option<TypeId>) -> TypedExpr {
        let Some(want) = hint else {
            self.report(
                Diagnostic::error(
                    "cannot infer what this `null` points to",
                    span,
                    "its type is not known here",
                )
                .help("write the type: `let p: *Node = null;`"),
            );
            return self.poison_expr(span);
        };
        let inner = self.without_option(want);
        if self.is_poison(inner) {
            return self.poison_expr(span);
        }
        if let TypeKind::Pointer(_) = self.cx.types.kind(inner) {
            return self.constant(vec![NULL], inner, span);
        }
        let want = self.name_of(want);
        let mut diagnostic =
            Diagnostic::error(format!("expected `{want}`, found `null`"), span, "`null` is a pointer");
        if want.ends_with('?') {
            diagnostic = diagnostic.help("use `none` for an absent optional");
        }
        self.report(diagnostic);
        self.poison_expr(span)
    }

    fn none(&mut self, span: Span, hint: Option<TypeId>) -> TypedExpr {
        let Some(want) = hint else {
            self.report(
                Diagnostic::error("cannot infer the type of this `none`", span, "its type is not known here")
                    .help("write the type of the variable: `let x: data? = none;`, `let a: *[data?] = new [none; 2];`"),
            );
            return self.poison_expr(span);
        };
        if self.is_poison(want) {
            return self.poison_expr(span);
        }
        if let TypeKind::Option(_) = self.cx.types.kind(want) {
            let words = self.cx.types.defaults(want);
            return self.constant(words, want, span);
        }
        let name = self.name_of(want);
        let mut diagnostic = Diagnostic::error(
            format!("expected `{name}`, found `none`"),
            span,
            "`none` is an absent optional",
        );
        diagnostic.help = Some(match self.cx.types.kind(want) {
            TypeKind::Pointer(_) => "use `null` for a pointer".into(),
            _ => format!("only `{name}?` may be `none`"),
        });
        self.report(diagnostic);
        self.poison_expr(span)
    }

    fn me(&mut self, span: Span) -> TypedExpr {
        if matches!(self.stage, Stage::SharedInitial | Stage::SpecState | Stage::SpecInitial | Stage::Hash) {
            self.only_in_code("`me`", span);
            return self.poison_expr(span);
        }
        self.effects.me.get_or_insert(span);
        let ty = self.cx.types.intern(TypeKind::Thread);
        TypedExpr { kind: TypedExprKind::Me, ty, span }
    }

    /// What is inside all the `?` of a type.
    pub fn without_option(&self, ty: TypeId) -> TypeId {
        match self.cx.types.kind(ty) {
            TypeKind::Option(of) => self.without_option(of),
            _ => ty,
        }
    }

    fn path(&mut self, of: &'a Name, name: &'a Name, span: Span) -> TypedExpr {
        if &*of.text == "key" {
            let word = match &*name.text {
                "MIN" => KEY_MIN,
                "MAX" => KEY_MAX,
                _ => {
                    self.report(
                        Diagnostic::error(format!("`key` has no `{}`", name.text), name.span, "not found")
                            .help("there are `key::MIN` and `key::MAX`"),
                    );
                    return self.poison_expr(span);
                }
            };
            let key = self.cx.types.intern(TypeKind::Key);
            return self.constant(vec![word], key, span);
        }
        let Some(ty) = self.type_by_name(of) else { return self.poison_expr(span) };
        let TypeKind::Enum(id) = self.cx.types.kind(ty) else {
            if !self.is_poison(ty) {
                self.report(
                    Diagnostic::error(
                        format!("`{}` has no variants", of.text),
                        of.span,
                        format!("this is `{}`, not an enum", self.name_of(ty)),
                    )
                    .help("`Name::Variant` is a value of an enum"),
                );
            }
            return self.poison_expr(span);
        };
        let variants = &self.cx.types.enums[id].variants;
        if let Some(number) = variants.iter().position(|variant| *variant == name.text) {
            let origin = self.cx.origins.get(&ty).map(|(def, _)| self.cx.def(*def).kind);
            if let Some(DefKind::Enum(variants)) = origin {
                self.cx.note(name.span, variants[number].span, NameKind::Variant, None);
            }
            return self.constant(vec![word_of(number)], ty, span);
        }
        let mut diagnostic = Diagnostic::error(
            format!("`{}` has no variant `{}`", of.text, name.text),
            name.span,
            "not found",
        );
        diagnostic.help = suggest::help(&name.text, variants.iter().map(|variant| &**variant));
        self.report(diagnostic);
        self.poison_expr(span)
    }

    /// A type that is named without arguments; `None` if there is none, or it is generic, which was reported.
    fn type_by_name(&mut self, name: &'a Name) -> Option<TypeId> {
        if let Some((_, ty)) = self.env.types.iter().find(|(param, _)| *param == name.text) {
            return Some(*ty);
        }
        match self.cx.names.lookup(self.env.unit, Namespace::Type, &name.text) {
            Lookup::Found(def) => {
                self.cx.note_def(name, def, None);
                let definition = self.cx.def(def);
                match definition.kind {
                    DefKind::Alias(ty) => {
                        let ty = self.cx.alias(def, ty);
                        self.cx.resolve_pending();
                        Some(ty)
                    }
                    kind if kind.type_params().is_empty() => {
                        let ty = self.cx.instantiate(&self.env, def, Vec::new(), name.span);
                        self.cx.resolve_pending();
                        Some(ty)
                    }
                    kind => {
                        self.report(Diagnostic::error(
                            format!("`{}` has no variants", name.text),
                            name.span,
                            format!("this is {}", kind.noun()),
                        ));
                        None
                    }
                }
            }
            Lookup::Lost => None,
            Lookup::Unknown => {
                self.cx.unknown_type(&self.env, name);
                None
            }
        }
    }
}
