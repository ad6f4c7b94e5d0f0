//! Conversions between types.
//!
//! `T` fits where `T?` is expected ([`TypedExprKind::Some`]). A number fits where a range is expected if it
//! lies in the range ([`TypedExprKind::ToRange`]). A range fits where `int` is expected. Nothing else is
//! converted.

use super::body::Body;
use crate::syntax::ast;
use crate::typing::hir::{TypedExpr, TypedExprKind};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::UnaryOp;
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind, Word, word_of};

/// The reason why a type is expected, with its place.
#[derive(Clone, Copy)]
pub(in crate::typing) enum Why {
    /// The text around it makes it clear.
    Plain,
    At(Span, &'static str),
}

impl<'a> Body<'_, 'a> {
    /// An expression that must have a type.
    pub fn expr_as(&mut self, expr: &'a ast::Expr, want: TypeId, why: Why) -> TypedExpr {
        let found = self.expr(expr, Some(want));
        if let (Some(value), Some((low, high))) = (literal(expr), self.range_in(want))
            && !(low..=high).contains(&value)
        {
            let range = self.name_of(want);
            let mut diagnostic =
                Diagnostic::error("out-of-range literal", expr.span, format!("{value} is not in `{range}`"));
            if let Why::At(span, text) = why {
                diagnostic = diagnostic.label(span, text);
            }
            self.report(diagnostic.help(format!("values go from {low} to {high}")));
            return self.poison_expr(expr.span);
        }
        self.convert(found, want, why)
    }

    /// A condition.
    pub fn condition(&mut self, expr: &'a ast::Expr) -> TypedExpr {
        let bool = self.cx.bool();
        self.expr_as(expr, bool, Why::Plain)
    }

    /// Makes a value of one type one of another, or reports that it is none.
    pub fn convert(&mut self, found: TypedExpr, want: TypeId, why: Why) -> TypedExpr {
        let TypedExpr { ty, span, .. } = found;
        if self.is_poison(ty) || self.is_poison(want) {
            return found;
        }
        match self.converted(found, want) {
            Ok(expr) => expr,
            Err(()) => {
                let diagnostic = self.mismatch(ty, want, span, why);
                self.report(diagnostic);
                self.poison_expr(span)
            }
        }
    }

    /// Whether a value of the one type fits where the other is wanted.
    pub fn fits(&self, found: TypeId, want: TypeId) -> bool {
        if found == want || self.is_poison(found) || self.is_poison(want) {
            return true;
        }
        match (self.cx.types.kind(found), self.cx.types.kind(want)) {
            (TypeKind::Option(found), TypeKind::Option(want)) => self.without_check(found, want),
            (_, TypeKind::Option(want)) => self.fits(found, want),
            _ => self.cx.types.is_number(found) && self.cx.types.is_number(want),
        }
    }

    fn converted(&mut self, found: TypedExpr, want: TypeId) -> Result<TypedExpr, ()> {
        if found.ty == want {
            return Ok(found);
        }
        if !self.fits(found.ty, want) {
            return Err(());
        }
        let types = &self.cx.types;
        match (types.kind(found.ty), types.kind(want)) {
            (TypeKind::Option(_), TypeKind::Option(_)) => Ok(found),
            (_, TypeKind::Option(of)) => {
                let span = found.span;
                let inner = self.converted(found, of)?;
                Ok(TypedExpr { kind: TypedExprKind::Some(Box::new(inner)), ty: want, span })
            }
            (_, TypeKind::Range { low, high }) => Ok(self.in_range(found, want, low, high)),
            _ => Ok(found),
        }
    }

    fn in_range(&mut self, found: TypedExpr, want: TypeId, low: i64, high: i64) -> TypedExpr {
        if self.without_check(found.ty, want) {
            return found;
        }
        if let TypedExprKind::Constant(words) = &found.kind
            && let [word] = words[..]
            && (low..=high).contains(&i64::from(word))
        {
            return TypedExpr { ty: want, ..found };
        }
        let span = found.span;
        TypedExpr { kind: TypedExprKind::ToRange { value: Box::new(found), low, high }, ty: want, span }
    }

    /// Every value of the one type is one of the other, in the same encoding.
    fn without_check(&self, found: TypeId, want: TypeId) -> bool {
        found == want
            || match (self.cx.types.kind(found), self.cx.types.kind(want)) {
                (TypeKind::Range { low, high }, TypeKind::Range { low: least, high: most }) => {
                    least <= low && high <= most
                }
                (TypeKind::Range { .. }, TypeKind::Int) => true,
                _ => false,
            }
    }

    /// The range that is wanted, also inside an optional.
    fn range_in(&self, want: TypeId) -> Option<(i64, i64)> {
        match self.cx.types.kind(want) {
            TypeKind::Range { low, high } if !self.is_poison(want) => Some((low, high)),
            TypeKind::Option(of) => self.range_in(of),
            _ => None,
        }
    }

    /// The report of one type where another is wanted.
    pub fn mismatch(&self, found: TypeId, want: TypeId, span: Span, why: Why) -> Diagnostic {
        let (found_name, want_name) = (self.name_of(found), self.name_of(want));
        let mut diagnostic = Diagnostic::error(
            format!("expected `{want_name}`, found `{found_name}`"),
            span,
            format!("this is `{found_name}`"),
        );
        if self.cx.types.kind(found) == TypeKind::Unit {
            diagnostic.title = format!("expected `{want_name}`, found nothing");
            diagnostic.labels[0].text = "this has no result".into();
        }
        if let Why::At(span, text) = why {
            diagnostic = diagnostic.label(span, text);
        }
        diagnostic.help = self.way_out(found, want);
        diagnostic
    }

    fn way_out(&self, found: TypeId, want: TypeId) -> Option<String> {
        let types = &self.cx.types;
        let number = types.is_number(found);
        Some(match (types.kind(found), types.kind(want)) {
            (TypeKind::Option(of), _) if self.fits(of, want) => {
                "write `x.unwrap()`; the call fails on `none`".into()
            }
            (_, TypeKind::Data | TypeKind::Key) if number => {
                "values of `data` and `key` come from the client: they are parameters of operations".into()
            }
            (_, TypeKind::Age) if number => "an `age` begins at 0 and is stepped by `+ 1`".into(),
            (TypeKind::Age, _) if types.is_number(want) => {
                "an `age` is only copied, compared with `==` and stepped by `+ 1`".into()
            }
            (_, TypeKind::Thread) if number => {
                "`me` is the running thread; `for t in threads` visits all of them".into()
            }
            (TypeKind::Data | TypeKind::Key | TypeKind::Thread | TypeKind::Enum(_) | TypeKind::Bool, _)
                if types.is_number(want) =>
            {
                "use `ord(x)` for the number of a value".into()
            }
            (_, TypeKind::Option(_)) if number => "write `none` for an absent value".into(),
            (_, TypeKind::Bool) if number => "compare it: `x != 0`".into(),
            (TypeKind::Pointer(_), TypeKind::Bool) => "compare it: `p != null`".into(),
            (TypeKind::Option(_), TypeKind::Bool) => "compare it: `x != none`".into(),
            _ => return None,
        })
    }
}

/// The value of a number that is written out.
pub(in crate::typing) fn literal(expr: &ast::Expr) -> Option<i64> {
    match &expr.kind {
        ast::ExprKind::Int(value) => Some(*value),
        ast::ExprKind::Paren(inner) => literal(inner),
        ast::ExprKind::Unary(UnaryOp::Neg, inner) => literal(inner).and_then(i64::checked_neg),
        _ => None,
    }
}

/// The word of a number that is known to fit.
pub(in crate::typing) fn word(value: i64) -> Word {
    word_of(value.clamp(crate::typing::declare::consts::LEAST, crate::typing::declare::consts::GREATEST))
}
