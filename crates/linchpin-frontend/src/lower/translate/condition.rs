//! Expressions over candidates and elements: `choose … where`, `all`, `any`.

use super::{Destination, Translator};
use crate::lower::fold;
use crate::typing::hir::{self, Sequence, VarId};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::BinaryOp;
use linchpin_ir::program::{Candidates, Expr, ExprKind, LocalId, Op};
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind};

impl<'a> Translator<'_, 'a> {
    pub(super) fn choose(
        &mut self,
        expr: &'a hir::TypedExpr,
        var: VarId,
        from: &'a Sequence,
        cond: Option<&'a hir::TypedExpr>,
        to: Destination,
    ) {
        let from = match from {
            Sequence::Bool => Candidates::Bool,
            Sequence::Threads => Candidates::Threads,
            Sequence::Collection(collection) => Candidates::Elements(self.value(collection)),
            Sequence::Range { low, high, inclusive, .. } => {
                let [low, high] = self.two_operands(low, high);
                let high = if *inclusive { high } else { self.one_less(high) };
                Candidates::Range(low, high)
            }
        };
        let into = match to {
            Destination::Fresh(local) => local,
            _ => self.temporary(expr.ty, expr.span),
        };
        let cond = cond.map(|cond| self.over(var, into, cond)).filter(|cond| fold::truth(cond) != Some(true));
        self.emit(Op::Choose { into, from, cond }, expr.span);
        if let Destination::Place(place) = to {
            let value = self.read(into);
            self.assign(place, value, expr.span);
        }
    }

    pub(super) fn quantifier(
        &mut self,
        ty: TypeId,
        all: bool,
        collection: &'a hir::TypedExpr,
        var: VarId,
        body: &'a hir::TypedExpr,
    ) -> Expr {
        let collection = Box::new(self.value(collection));
        let element = self.variable(var);
        let body = Box::new(self.over(var, element, body));
        Expr { kind: ExprKind::Quantifier { all, collection, var: element, body }, ty }
    }

    /// What cannot be done for each candidate: everything that takes an instruction.
    pub(super) fn refuse_if_bound(&mut self, span: Span) {
        if !self.bound.is_empty() {
            self.report(
                Diagnostic::error(
                    "a condition on candidates cannot have effects",
                    span,
                    "this would run once for each candidate",
                )
                .help("do this before the `choose`, and store the result in a variable"),
            );
        }
    }

    pub(super) fn one_less(&mut self, number: Expr) -> Expr {
        let one = self.int(1);
        let int = self.lowering.types.intern(TypeKind::Int);
        fold::binary(&self.lowering.types, int, BinaryOp::Sub, number, one)
    }

    /// A pure expression in which `var` stands for the local that runs over the candidates.
    fn over(&mut self, var: VarId, local: LocalId, expr: &'a hir::TypedExpr) -> Expr {
        let candidate = self.read(local);
        let outer = self.frame_mut().aliases.insert(var, candidate);
        self.bound.push(local);
        let value = self.value(expr);
        self.bound.pop();
        match outer {
            Some(outer) => self.frame_mut().aliases.insert(var, outer),
            None => self.frame_mut().aliases.remove(&var),
        };
        value
    }
}
