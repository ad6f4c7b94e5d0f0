//! Conditions of branches.
//!
//! `&&` and `||` evaluate their right side only where it is needed. Where that side is pure they stay
//! expressions; where it takes instructions they are branches, and no value is made if only the way matters.

use super::{Destination, Returns, Translator};
use crate::lower::draft::Label;
use crate::lower::fold;
use crate::typing::hir::{TypedExpr, TypedExprKind};
use linchpin_ir::interface::{BinaryOp, UnaryOp};

impl<'a> Translator<'_, 'a> {
    /// Whether the operator must be a branch.
    pub(super) fn branches(&self, op: BinaryOp, right: &TypedExpr) -> bool {
        matches!(op, BinaryOp::And | BinaryOp::Or) && self.bound.is_empty() && !self.is_pure(right)
    }

    /// Goes to one label or the other.
    pub(super) fn branch_on(&mut self, cond: &'a TypedExpr, then: Label, otherwise: Label) {
        if !self.descend(cond.span) {
            return;
        }
        match &cond.kind {
            TypedExprKind::Unary(UnaryOp::Not, operand) => self.branch_on(operand, otherwise, then),
            TypedExprKind::Binary(op, left, right) if self.branches(*op, right) => {
                let evaluate_right = self.builder.label();
                match op {
                    BinaryOp::And => self.branch_on(left, evaluate_right, otherwise),
                    _ => self.branch_on(left, then, evaluate_right),
                }
                self.builder.bind(evaluate_right);
                self.branch_on(right, then, otherwise);
            }
            TypedExprKind::Call { function, self_place, args } => match self.returns_expression(*function) {
                Some(body) => {
                    self.enter_call(*function, self_place.as_ref(), args, cond.span, Returns::FromMethod);
                    self.branch_on(body, then, otherwise);
                    self.frames.pop();
                }
                None => self.branch_on_value(cond, then, otherwise),
            },
            _ => self.branch_on_value(cond, then, otherwise),
        }
        self.ascend();
    }

    fn branch_on_value(&mut self, cond: &'a TypedExpr, then: Label, otherwise: Label) {
        let value = self.value(cond);
        match fold::truth(&value) {
            Some(true) => self.goto(then, cond.span),
            Some(false) => self.goto(otherwise, cond.span),
            None => self.jump_if(value, then, otherwise, cond.span),
        }
    }

    /// The value of `left op right` where the right side takes instructions.
    pub(super) fn short_circuit(
        &mut self,
        expr: &'a TypedExpr,
        op: BinaryOp,
        left: &'a TypedExpr,
        right: &'a TypedExpr,
        to: Destination,
    ) {
        let local = match to {
            Destination::Fresh(local) => local,
            _ => self.temporary(expr.ty, expr.span),
        };
        self.compute(left, Destination::Fresh(local));
        let evaluate_right = self.builder.label();
        let done = self.builder.label();
        let decided = self.read(local);
        match op {
            BinaryOp::And => self.jump_if(decided, evaluate_right, done, left.span),
            _ => self.jump_if(decided, done, evaluate_right, left.span),
        }
        self.builder.bind(evaluate_right);
        self.compute(right, Destination::Fresh(local));
        self.builder.bind(done);
        if let Destination::Place(place) = to {
            let value = self.read(local);
            self.assign(place, value, expr.span);
        }
    }
}
