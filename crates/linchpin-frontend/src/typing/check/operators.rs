//! Operators: which types they take.
//!
//! | operator | operands | result |
//! |---|---|---|
//! | `&&` `\|\|` `!` | `bool` | `bool` |
//! | `==` `!=` | two values of one type, numbers of any, a `T?` and a `T` | `bool` |
//! | `<` `<=` `>` `>=` | numbers; keys | `bool` |
//! | `+` `-` `*` `/` `%` | numbers | `int` |
//! | `+ 1` | `age` | `age` |

use super::body::Body;
use super::convert::{Why, literal};
use crate::syntax::ast;
use crate::typing::hir::{BinaryOp, TypedExpr, TypedExprKind, UnaryOp};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind};

impl<'a> Body<'_, 'a> {
    pub fn unary(&mut self, op: UnaryOp, inner: &'a ast::Expr, span: Span) -> TypedExpr {
        match op {
            UnaryOp::Not => {
                let inner = self.condition(inner);
                let ty = if self.is_poison(inner.ty) { inner.ty } else { self.cx.bool() };
                TypedExpr { kind: TypedExprKind::Unary(op, Box::new(inner)), ty, span }
            }
            UnaryOp::Neg => {
                if let Some(value) = literal(inner).and_then(i64::checked_neg) {
                    return self.number(value, span);
                }
                let int = self.cx.int();
                let inner = self.expr_as(inner, int, Why::Plain);
                let ty = if self.is_poison(inner.ty) { inner.ty } else { int };
                TypedExpr { kind: TypedExprKind::Unary(op, Box::new(inner)), ty, span }
            }
        }
    }

    pub fn binary(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> TypedExpr {
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let (left, right) = (self.condition(left), self.condition(right));
                let bool = self.cx.bool();
                self.joined(op, left, right, bool, span)
            }
            BinaryOp::Eq | BinaryOp::Ne => self.equality(op, left, right, span),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => self.ordering(op, left, right, span),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                self.arithmetic(op, left, right, span)
            }
        }
    }

    /// Both sides of a comparison, in the order of the text; the one that has no type of its own gets the
    /// other's.
    fn both(&mut self, left: &'a ast::Expr, right: &'a ast::Expr) -> (TypedExpr, TypedExpr) {
        if needs_hint(left) && !needs_hint(right) {
            let right = self.value(right);
            let left = self.expr(left, Some(right.ty));
            return (left, right);
        }
        let left = self.value(left);
        let right = if needs_hint(right) { self.expr(right, Some(left.ty)) } else { self.value(right) };
        (left, right)
    }

    fn equality(&mut self, op: BinaryOp, left: &'a ast::Expr, right: &'a ast::Expr, span: Span) -> TypedExpr {
        let (mut left, mut right) = self.both(left, right);
        if self.is_poison(left.ty) || self.is_poison(right.ty) {
            return self.poison_expr(span);
        }
        if !self.comparable(left.ty, right.ty) {
            let diagnostic = self.cannot_compare(&left, &right, span);
            self.report(diagnostic);
            return self.poison_expr(span);
        }
        let depth = |body: &Self, ty| body.option_depth(ty);
        while depth(self, left.ty) < depth(self, right.ty) {
            left = self.wrap(left);
        }
        while depth(self, right.ty) < depth(self, left.ty) {
            right = self.wrap(right);
        }
        let bool = self.cx.bool();
        self.joined(op, left, right, bool, span)
    }

    fn comparable(&self, left: TypeId, right: TypeId) -> bool {
        let types = &self.cx.types;
        match (types.kind(left), types.kind(right)) {
            (TypeKind::Option(left), TypeKind::Option(right)) => self.comparable(left, right),
            (TypeKind::Option(left), _) => self.comparable(left, right),
            (_, TypeKind::Option(right)) => self.comparable(left, right),
            _ => left == right || types.is_number(left) && types.is_number(right),
        }
    }

    fn option_depth(&self, ty: TypeId) -> usize {
        match self.cx.types.kind(ty) {
            TypeKind::Option(of) => 1 + self.option_depth(of),
            _ => 0,
        }
    }

    fn wrap(&mut self, inner: TypedExpr) -> TypedExpr {
        let (ty, span) = (self.cx.option(inner.ty), inner.span);
        TypedExpr { kind: TypedExprKind::Some(Box::new(inner)), ty, span }
    }

    fn cannot_compare(&self, left: &TypedExpr, right: &TypedExpr, span: Span) -> Diagnostic {
        let (l, r) = (self.name_of(left.ty), self.name_of(right.ty));
        let diagnostic = Diagnostic::error(
            format!("cannot compare `{l}` with `{r}`"),
            span,
            "the two sides have different types",
        )
        .label(left.span, format!("this is `{l}`"))
        .label(right.span, format!("this is `{r}`"));
        let types = &self.cx.types;
        let age = |ty| types.kind(ty) == TypeKind::Age;
        if age(left.ty) || age(right.ty) {
            return diagnostic.help("an `age` is compared with another `age` only");
        }
        let pointer = |ty| matches!(types.kind(ty), TypeKind::Pointer(_));
        if pointer(left.ty) || pointer(right.ty) {
            return diagnostic.help("write `p == null` to test for a pointer to nothing");
        }
        diagnostic
    }

    fn ordering(&mut self, op: BinaryOp, left: &'a ast::Expr, right: &'a ast::Expr, span: Span) -> TypedExpr {
        let (left, right) = self.both(left, right);
        if self.is_poison(left.ty) || self.is_poison(right.ty) {
            return self.poison_expr(span);
        }
        let types = &self.cx.types;
        let numbers = types.is_number(left.ty) && types.is_number(right.ty);
        let keys = types.kind(left.ty) == TypeKind::Key && types.kind(right.ty) == TypeKind::Key;
        if numbers || keys {
            let bool = self.cx.bool();
            return self.joined(op, left, right, bool, span);
        }
        let ordered = |ty| types.is_number(ty) || types.kind(ty) == TypeKind::Key;
        let culprit = if ordered(left.ty) { &right } else { &left };
        let name = self.name_of(culprit.ty);
        let mut diagnostic = if ordered(culprit.ty) {
            self.cannot_compare(&left, &right, span)
        } else {
            Diagnostic::error(
                format!("`{name}` has no order"),
                culprit.span,
                format!("`{name}` is compared with `==` and `!=` only"),
            )
        };
        diagnostic.help = diagnostic.help.or_else(|| match types.kind(culprit.ty) {
            TypeKind::Data => Some("use type `key` for ordered values".into()),
            TypeKind::Option(_) => Some("write `x.unwrap()` for the value".into()),
            TypeKind::Enum(_) | TypeKind::Thread | TypeKind::Bool => {
                Some("use `ord(x)` for the number of a value".into())
            }
            _ => None,
        });
        self.report(diagnostic);
        self.poison_expr(span)
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> TypedExpr {
        let int = self.cx.int();
        let steps = op == BinaryOp::Add && literal(right) == Some(1);
        let first = self.expr(left, None);
        let second = self.expr(right, None);
        if self.is_poison(first.ty) || self.is_poison(second.ty) {
            return self.poison_expr(span);
        }
        let is_age = |ty| self.cx.types.kind(ty) == TypeKind::Age;
        if is_age(first.ty) || is_age(second.ty) {
            if is_age(first.ty) && steps {
                let age = first.ty;
                return self.joined(op, first, second, age, span);
            }
            self.report(age_arithmetic(span));
            return self.poison_expr(span);
        }
        let first = self.convert(first, int, Why::Plain);
        let second = self.convert(second, int, Why::Plain);
        self.joined(op, first, second, int, span)
    }

    fn joined(
        &mut self,
        op: BinaryOp,
        left: TypedExpr,
        right: TypedExpr,
        ty: TypeId,
        span: Span,
    ) -> TypedExpr {
        if self.is_poison(left.ty) || self.is_poison(right.ty) {
            return self.poison_expr(span);
        }
        TypedExpr { kind: TypedExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
    }
}

/// Whether an expression takes its type from the text around it.
pub(in crate::typing) fn needs_hint(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ast::ExprKind::Null | ast::ExprKind::None => true,
        ast::ExprKind::Word { .. } | ast::ExprKind::Array(_) | ast::ExprKind::Repeat { .. } => true,
        ast::ExprKind::NewArray { value, .. } => needs_hint(value),
        ast::ExprKind::Paren(inner) => needs_hint(inner),
        _ => false,
    }
}

pub(in crate::typing) fn age_arithmetic(span: Span) -> Diagnostic {
    Diagnostic::error("an `age` is stepped by `+ 1` only", span, "no other arithmetic on an `age`")
        .help("a count that is added to and compared is an `int` or a range")
}
