//! Expressions of the text: what needs an instruction is written in order of evaluation, the rest stays an
//! expression.

use super::place::Resolved;
use super::{Destination, Returns, Translator};
use crate::lower::fold;
use crate::typing::hir;
use linchpin_ir::program::{Expr, ExprKind, LocalPlace, Op};
use linchpin_ir::source::Span;
use linchpin_ir::types::TypeId;

impl<'a> Translator<'_, 'a> {
    /// The value of an expression, after the instructions that it needs.
    pub(super) fn value(&mut self, expr: &'a hir::TypedExpr) -> Expr {
        if !self.descend(expr.span) {
            return self.default_of(expr.ty);
        }
        let value = self.value_here(expr);
        self.ascend();
        value
    }

    fn value_here(&mut self, expr: &'a hir::TypedExpr) -> Expr {
        use hir::TypedExprKind as Hir;
        let ty = expr.ty;
        let unary =
            |kind: fn(Box<Expr>) -> ExprKind, operand: Expr| Expr { kind: kind(Box::new(operand)), ty };
        match &expr.kind {
            Hir::Constant(words) => fold::constant(ty, words.clone()),
            Hir::Me => Expr { kind: ExprKind::Me, ty },
            Hir::Read(place) => match self.resolve(place) {
                Resolved::Local(place) => self.read_local(&place),
                Resolved::Value(value) => value,
                Resolved::Shared(place) if !self.bound.is_empty() => {
                    self.load_before_candidates(place, expr.span)
                }
                Resolved::Shared(place) => {
                    let temporary = self.temporary(ty, expr.span);
                    self.load(place, Destination::Fresh(temporary), expr.span);
                    self.read(temporary)
                }
            },
            Hir::Unary(op, operand) => {
                let operand = self.value(operand);
                fold::unary(ty, *op, operand)
            }
            Hir::Binary(op, left, right) if !self.branches(*op, right) => {
                let [left, right] = self.two_operands(left, right);
                fold::binary(&self.lowering.types, ty, *op, left, right)
            }
            Hir::Some(operand) => {
                let operand = self.value(operand);
                fold::some(&self.lowering.types, ty, operand)
            }
            Hir::ToRange { value, low, high } => {
                let value = self.value(value);
                fold::to_range(ty, value, *low, *high)
            }
            Hir::Unwrap(operand) => unary(ExprKind::Unwrap, self.value(operand)),
            Hir::Ord(operand) => unary(ExprKind::Ord, self.value(operand)),
            Hir::Hash(hash, operand) => {
                let operand = self.value(operand);
                Expr { kind: ExprKind::Hash(*hash, Box::new(operand)), ty }
            }
            Hir::Word { fields, order, .. } => self.word(ty, fields, order),
            Hir::Array(elements) => {
                let elements = self.operands(elements.iter());
                fold::array(ty, elements)
            }
            Hir::Repeat(value, len) => {
                let value = self.value(value);
                Expr { kind: ExprKind::Repeat(Box::new(value), *len), ty }
            }
            Hir::Collection(elements) => {
                let elements = self.operands(elements.iter());
                if elements.is_empty() {
                    return self.default_of(ty);
                }
                Expr { kind: ExprKind::Collection(elements), ty }
            }
            Hir::Quantifier { all, collection, var, body } => {
                self.quantifier(ty, *all, collection, *var, body)
            }
            Hir::Method { receiver, method, args } if method.is_pure() => {
                self.pure_method(expr, receiver, *method, args)
            }
            Hir::Call { function, self_place, args } => match self.returns_expression(*function) {
                Some(body) => {
                    self.enter_call(*function, self_place.as_ref(), args, expr.span, Returns::FromMethod);
                    let value = self.value(body);
                    self.frames.pop();
                    value
                }
                None => self.through_temporary(expr),
            },
            _ => self.through_temporary(expr),
        }
    }

    fn through_temporary(&mut self, expr: &'a hir::TypedExpr) -> Expr {
        let temporary = self.temporary(expr.ty, expr.span);
        self.compute(expr, Destination::Fresh(temporary));
        self.read(temporary)
    }

    /// Brings the value of an expression to a place; nothing is copied where an instruction can put it there.
    pub(super) fn compute(&mut self, expr: &'a hir::TypedExpr, to: Destination) {
        use hir::TypedExprKind as Hir;
        if !self.descend(expr.span) {
            return;
        }
        match &expr.kind {
            Hir::Read(place) => match self.resolve(place) {
                Resolved::Local(place) => {
                    let value = self.read_local(&place);
                    self.deliver(value, to, expr.span);
                }
                Resolved::Value(value) => self.deliver(value, to, expr.span),
                Resolved::Shared(place) => self.load(place, to, expr.span),
            },
            Hir::Binary(op, left, right) if self.branches(*op, right) => {
                self.short_circuit(expr, *op, left, right, to);
            }
            Hir::New { of, fields } => self.new_struct(expr, *of, fields, to),
            Hir::NewArray { value, len } => self.new_array(expr, value, len, to),
            Hir::ArrayLen(array) => {
                let array = self.value(array);
                let into = self.needed(to, expr.ty, expr.span);
                self.emit(Op::ArrayLen { into, array }, expr.span);
            }
            Hir::Call { function, self_place, args } => {
                self.call(expr, *function, self_place.as_ref(), args, to);
            }
            Hir::Choose { var, from, cond } => self.choose(expr, *var, from, cond.as_deref(), to),
            Hir::Primitive(primitive) => self.primitive(expr, primitive, to),
            Hir::Method { receiver, method, args } => self.method(expr, receiver, *method, args, to),
            _ => {
                let value = self.value(expr);
                self.deliver(value, to, expr.span);
            }
        }
        self.ascend();
    }

    /// The values of operands, evaluated from the left.
    pub(super) fn operands<I>(&mut self, exprs: I) -> Vec<Expr>
    where
        I: IntoIterator<Item = &'a hir::TypedExpr>,
        I::IntoIter: Clone,
    {
        let mut rest = exprs.into_iter();
        let mut values = Vec::new();
        while let Some(expr) = rest.next() {
            let value = self.value(expr);
            let last_written = rest.clone().all(|later| self.is_pure(later));
            values.push(if last_written { value } else { self.spill_to_temporary(value, expr.span) });
        }
        values
    }

    pub(super) fn two_operands(&mut self, left: &'a hir::TypedExpr, right: &'a hir::TypedExpr) -> [Expr; 2] {
        let first = self.value(left);
        let first = if self.is_pure(right) { first } else { self.spill_to_temporary(first, left.span) };
        [first, self.value(right)]
    }

    pub(super) fn deliver(&mut self, value: Expr, to: Destination, span: Span) {
        match to {
            Destination::Fresh(local) => {
                self.assign(self.whole(local), value, span);
            }
            Destination::Place(place) => {
                self.assign(place, value, span);
            }
            Destination::Nowhere if fold::is_total(&self.lowering.types, &value) => {}
            Destination::Nowhere => {
                let temporary = self.temporary(value.ty, span);
                self.assign(self.whole(temporary), value, span);
            }
        }
    }

    /// Where an instruction that always has a result puts it.
    pub(super) fn needed(&mut self, to: Destination, ty: TypeId, span: Span) -> LocalPlace {
        match self.wanted(to) {
            Some(place) => place,
            None => {
                let temporary = self.temporary(ty, span);
                self.whole(temporary)
            }
        }
    }

    /// Where an instruction puts its result, if it is used.
    pub(super) fn wanted(&mut self, to: Destination) -> Option<LocalPlace> {
        match to {
            Destination::Fresh(local) => Some(self.whole(local)),
            Destination::Place(place) => Some(place),
            Destination::Nowhere => None,
        }
    }

    fn word(&mut self, ty: TypeId, fields: &'a [hir::TypedExpr], order: &[usize]) -> Expr {
        let mut sequence: Vec<usize> = order.iter().copied().filter(|&field| field < fields.len()).collect();
        sequence.extend((0..fields.len()).filter(|field| !order.contains(field)));
        let evaluated = self.operands(sequence.iter().map(|&field| &fields[field]));
        let mut parts: Vec<(usize, Expr)> = sequence.into_iter().zip(evaluated).collect();
        parts.sort_by_key(|(field, _)| *field);
        fold::word(ty, parts.into_iter().map(|(_, part)| part).collect())
    }
}
