//! What `for` runs over and `choose` chooses from: ranges, threads, collections.

use super::body::{Body, Stage};
use super::calls::is_range;
use super::convert::Why;
use crate::syntax::ast::{self, Name};
use crate::typing::collect::names::{Lookup, Namespace};
use crate::typing::declare::consts::THREADS;
use crate::typing::hir::{Sequence, TypedExpr, TypedExprKind};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind};

impl<'a> Body<'_, 'a> {
    pub fn choose_bool(&mut self, span: Span) -> TypedExpr {
        // A specification may begin in more than one way.
        if self.stage != Stage::SpecState && !self.may_choose(span) {
            return self.poison_expr(span);
        }
        let bool = self.cx.bool();
        let var = self.anonymous(bool, span);
        TypedExpr {
            kind: TypedExprKind::Choose { var, from: Box::new(Sequence::Bool), cond: None },
            ty: bool,
            span,
        }
    }

    pub fn choose(
        &mut self,
        var: Option<&'a Name>,
        from: &'a ast::Expr,
        cond: Option<&'a ast::Expr>,
        span: Span,
    ) -> TypedExpr {
        let chosen = self.sequence(from, true);
        let may = self.may_choose(span);
        let ty = match &chosen {
            Some((_, ty)) => *ty,
            None => self.cx.poison(),
        };
        let (var, cond) = self.scoped(|inside| {
            let var = match var {
                Some(name) => inside.declare(name, ty),
                None => inside.anonymous(ty, span),
            };
            (var, cond.map(|cond| inside.condition(cond)))
        });
        let wrong_condition = cond.as_ref().is_some_and(|cond| self.is_poison(cond.ty));
        match chosen {
            Some((from, ty)) if may && !wrong_condition => TypedExpr {
                kind: TypedExprKind::Choose { var, from: Box::new(from), cond: cond.map(Box::new) },
                ty,
                span,
            },
            _ => self.poison_expr(span),
        }
    }

    /// What a `for` runs over, with the type of its variable; `None` if it is wrong, which was reported.
    pub fn for_sequence(&mut self, over: &'a ast::Expr) -> Option<(Sequence, TypeId)> {
        if let ast::ExprKind::Call { receiver: Some(receiver), name, args } = &over.kind
            && is_range(receiver)
        {
            if &*name.text != "rev" {
                self.report(
                    Diagnostic::error(format!("a range has no `{}`", name.text), name.span, "not found")
                        .help("`(0..n).rev()` goes backwards"),
                );
                return None;
            }
            self.no_arguments(name, args);
            return self.range(receiver, true);
        }
        self.sequence(over, false)
    }

    fn may_choose(&mut self, span: Span) -> bool {
        matches!(self.stage, Stage::Code | Stage::Clause) || self.only_in_code("`choose`", span)
    }

    fn sequence(&mut self, from: &'a ast::Expr, any_order: bool) -> Option<(Sequence, TypeId)> {
        if is_range(from) {
            return self.range(from, false);
        }
        if self.means_all_threads(from) {
            self.cx.threads(from.span);
            let thread = self.cx.types.intern(TypeKind::Thread);
            return Some((Sequence::Threads, thread));
        }
        let place = self.place(from);
        if self.is_poison(place.ty) {
            return None;
        }
        let of = match self.cx.types.kind(place.ty) {
            TypeKind::Seq(of) => of,
            TypeKind::Set(of) | TypeKind::Bag(of) | TypeKind::Map(of, _) if any_order => of,
            kind => {
                let diagnostic = self.not_a_sequence(place.ty, kind, from.span, any_order);
                self.report(diagnostic);
                return None;
            }
        };
        let collection = self.read(place);
        (!self.is_poison(collection.ty)).then_some((Sequence::Collection(collection), of))
    }

    fn not_a_sequence(&self, ty: TypeId, kind: TypeKind, span: Span, any_order: bool) -> Diagnostic {
        let verb = if any_order { "choose from" } else { "iterate over" };
        let name = self.name_of(ty);
        let diagnostic =
            Diagnostic::error(format!("cannot {verb} `{name}`"), span, format!("this is `{name}`"));
        match kind {
            TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Map(..) => {
                diagnostic.help("it has no order; use `choose x in c where e`")
            }
            TypeKind::Array(_, length) => diagnostic.help(format!("iterate over its indices: `0..{length}`")),
            TypeKind::Pointer(linchpin_ir::types::Pointee::Array(_)) => {
                diagnostic.help("iterate over its indices: `0..a.len()`")
            }
            _ if self.cx.types.is_number(ty) => diagnostic.help("a range is written `0..n`"),
            _ => diagnostic.help("use a range `0..n`, `threads` or a collection"),
        }
    }

    fn range(&mut self, range: &'a ast::Expr, reversed: bool) -> Option<(Sequence, TypeId)> {
        match &range.kind {
            ast::ExprKind::Paren(inner) => self.range(inner, reversed),
            ast::ExprKind::Range { low, high, inclusive } => {
                let int = self.cx.int();
                let low = self.expr_as(low, int, Why::Plain);
                let high = self.expr_as(high, int, Why::Plain);
                if self.is_poison(low.ty) || self.is_poison(high.ty) {
                    return None;
                }
                Some((Sequence::Range { low, high, inclusive: *inclusive, reversed }, int))
            }
            _ => None,
        }
    }

    fn means_all_threads(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ast::ExprKind::Name(name) => {
                &*name.text == THREADS
                    && self.variable(THREADS).is_none()
                    && !matches!(
                        self.cx.names.lookup(self.env.unit, Namespace::Value, THREADS),
                        Lookup::Found(_)
                    )
            }
            ast::ExprKind::Paren(inner) => self.means_all_threads(inner),
            _ => false,
        }
    }
}
