//! Statements.

use super::place::Resolved;
use super::{Destination, Translator};
use crate::lower::draft::Rest;
use crate::lower::fold;
use crate::typing::hir::{self, TypedStmt, TypedStmtKind};
use linchpin_ir::interface::BinaryOp;
use linchpin_ir::program::{Expr, LocalPlace, Op, Projection};
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind};

impl<'a> Translator<'_, 'a> {
    pub(super) fn statement(&mut self, stmt: &'a TypedStmt) {
        if self.descend(stmt.span) {
            self.statement_here(stmt);
            self.ascend();
        }
    }

    fn statement_here(&mut self, stmt: &'a TypedStmt) {
        let span = stmt.span;
        match &stmt.kind {
            TypedStmtKind::Let(var, value) => {
                let local = self.variable(*var);
                match value {
                    Some(value) => self.compute(value, Destination::Fresh(local)),
                    None => {
                        let value = self.default_of(self.type_of(local));
                        self.assign(self.whole(local), value, span);
                    }
                }
            }
            TypedStmtKind::Assign(place, value) => self.assignment(place, value, span),
            TypedStmtKind::Update(place, op, value) => self.update(place, *op, value, span),
            TypedStmtKind::Expr(value) => self.compute(value, Destination::Nowhere),
            TypedStmtKind::Block(block) => self.block(block),
            TypedStmtKind::If(cond, then, otherwise) => {
                let [yes, no, done] = [self.builder.label(), self.builder.label(), self.builder.label()];
                self.branch_on(cond, yes, no);
                self.builder.bind(yes);
                self.block(then);
                self.goto(done, span);
                self.builder.bind(no);
                if let Some(otherwise) = otherwise {
                    self.block(otherwise);
                }
                self.builder.bind(done);
            }
            TypedStmtKind::Match(value, arms) => self.match_arms(value, arms, span),
            TypedStmtKind::Loop(id, body) => self.repeat(*id, None, body, span),
            TypedStmtKind::While(id, cond, body) => self.repeat(*id, Some(cond), body, span),
            TypedStmtKind::For { id, var, over, body } => self.for_each(*id, *var, over, body, span),
            TypedStmtKind::Break(id) => self.leave_loop(*id, false, span),
            TypedStmtKind::Continue(id) => self.leave_loop(*id, true, span),
            TypedStmtKind::Return(values) => self.leave_function(values, span),
            TypedStmtKind::Defer(deferred) => self.defer(deferred),
            TypedStmtKind::Atomic(block) => self.atomic(block, span),
            TypedStmtKind::Await(cond) => self.await_condition(cond, span),
            TypedStmtKind::Assert(cond) => self.demand(cond, Op::Assert, span),
            TypedStmtKind::Assume(cond) => self.demand(cond, Op::Assume, span),
            TypedStmtKind::Lin { maybe, of, cond } => {
                self.builder.draft.has_point = true;
                let mut operands = self.operands(of.iter().chain(cond)).into_iter();
                let of = of.as_ref().and_then(|_| operands.next());
                let cond = operands.next();
                self.emit(Op::Lin { maybe: *maybe, of, cond }, span);
            }
        }
    }

    /// The right side, then the pointers and indices of the place, then the write.
    fn assignment(&mut self, place: &'a hir::PlaceExpr, value: &'a hir::TypedExpr, span: Span) {
        if let Some(to) = self.plain_local(place) {
            self.compute(value, Destination::Place(to));
            return;
        }
        let mut written = self.value(value);
        if !self.is_found_purely(place) {
            written = self.spill_to_temporary(written, value.span);
        }
        match self.resolve(place) {
            Resolved::Shared(to) => self.store(to, written, span),
            Resolved::Local(to) => {
                self.assign(to, written, span);
            }
            Resolved::Value(_) => self.refuse_unchecked(place.span),
        }
    }

    /// A read and a write of the same place, its pointers and indices evaluated once.
    fn update(&mut self, place: &'a hir::PlaceExpr, op: BinaryOp, value: &'a hir::TypedExpr, span: Span) {
        let mut operand = self.value(value);
        if !self.is_found_purely(place) {
            operand = self.spill_to_temporary(operand, value.span);
        }
        let resolved = self.resolve(place);
        match self.spill_place(resolved, place.span) {
            Resolved::Shared(at) => {
                let operand = self.spill_to_temporary(operand, value.span);
                let old = self.temporary(at.ty, place.span);
                self.load(at.clone(), Destination::Fresh(old), place.span);
                let new = self.updated(place.ty, op, self.read(old), operand);
                self.store(at, new, span);
            }
            Resolved::Local(at) => {
                let old = self.read_local(&at);
                let new = self.updated(place.ty, op, old, operand);
                self.assign(at, new, span);
            }
            Resolved::Value(_) => self.refuse_unchecked(place.span),
        }
    }

    fn updated(&mut self, ty: TypeId, op: BinaryOp, old: Expr, operand: Expr) -> Expr {
        match self.lowering.types.kind(ty) {
            TypeKind::Range { low, high } => {
                let int = self.lowering.types.intern(TypeKind::Int);
                let new = fold::binary(&self.lowering.types, int, op, old, operand);
                fold::to_range(ty, new, low, high)
            }
            _ => fold::binary(&self.lowering.types, ty, op, old, operand),
        }
    }

    /// The place, if it belongs to the thread and has no index that would have to be evaluated after the
    /// right side.
    fn plain_local(&mut self, place: &'a hir::PlaceExpr) -> Option<LocalPlace> {
        if !self.is_found_purely(place) {
            return None;
        }
        match self.resolve(place) {
            Resolved::Local(to) if to.path.iter().all(|p| matches!(p, Projection::Field { .. })) => Some(to),
            _ => None,
        }
    }

    fn match_arms(
        &mut self,
        value: &'a hir::TypedExpr,
        arms: &'a [(Option<hir::TypedExpr>, hir::TypedBlock)],
        span: Span,
    ) {
        let scrutinee = self.value(value);
        let scrutinee =
            if arms.len() > 1 { self.spill_to_temporary(scrutinee, value.span) } else { scrutinee };
        let bool_type = self.bool_type();
        let done = self.builder.label();
        let mut patterns = Vec::new();
        for (pattern, block) in arms {
            let skipped = self.builder.label();
            if let Some(pattern) = pattern {
                let pattern_value = self.value(pattern);
                patterns.push(pattern_value.clone());
                let matched = self.builder.label();
                if self.covers(scrutinee.ty, &patterns) {
                    self.goto(matched, pattern.span);
                } else {
                    let types = &self.lowering.types;
                    let equal =
                        fold::binary(types, bool_type, BinaryOp::Eq, scrutinee.clone(), pattern_value);
                    self.jump_if(equal, matched, skipped, pattern.span);
                }
                self.builder.bind(matched);
            }
            self.block(block);
            self.goto(done, span);
            self.builder.bind(skipped);
        }
        self.builder.bind(done);
    }

    /// The patterns are all values of the type: the last of them needs no test.
    fn covers(&self, ty: TypeId, patterns: &[Expr]) -> bool {
        let values = match self.lowering.types.kind(ty) {
            TypeKind::Bool => 2,
            TypeKind::Enum(id) => self.lowering.types.enums[id].variants.len(),
            _ => return false,
        };
        let distinct = (0..patterns.len()).filter(|&i| !patterns[..i].contains(&patterns[i])).count();
        distinct == values
    }

    /// Translates to one access, unless it is inside another access.
    fn atomic(&mut self, block: &'a hir::TypedBlock, span: Span) {
        if self.rest == Rest::Never {
            self.block(block);
            return;
        }
        let end = self.builder.label();
        let context = self.frame().context;
        self.builder.atomic(end, span, context, self.rest);
        let outer = std::mem::replace(&mut self.rest, Rest::Never);
        self.block(block);
        self.rest = outer;
        self.builder.bind(end);
    }

    /// Outside atomic blocks the code of the condition is kept together by an [`Op::Atomic`]; once it is
    /// known which of its reads are accesses, [`crate::lower::access`] removes that where a plain read will
    /// do.
    fn await_condition(&mut self, cond: &'a hir::TypedExpr, span: Span) {
        if self.rest != Rest::Allowed {
            self.demand(cond, Op::Await, span);
            return;
        }
        let id = self.builder.draft.awaits.push(span);
        self.rest = Rest::Await(id);
        let end = self.builder.label();
        let context = self.frame().context;
        self.builder.atomic(end, span, context, self.rest);
        let cond = self.value(cond);
        self.emit(Op::Await(cond), span);
        self.rest = Rest::Allowed;
        self.builder.bind(end);
    }

    /// `await`, `assert` and `assume`: both sides of an `&&` are demanded one after the other, the right side
    /// of an `||` only where the left one is false.
    fn demand(&mut self, cond: &'a hir::TypedExpr, op: fn(Expr) -> Op, span: Span) {
        match &cond.kind {
            hir::TypedExprKind::Binary(BinaryOp::And, left, right) if self.branches(BinaryOp::And, right) => {
                self.demand(left, op, span);
                self.demand(right, op, span);
            }
            hir::TypedExprKind::Binary(BinaryOp::Or, left, right) if self.branches(BinaryOp::Or, right) => {
                let [given, open] = [self.builder.label(), self.builder.label()];
                self.branch_on(left, given, open);
                self.builder.bind(open);
                self.demand(right, op, span);
                self.builder.bind(given);
            }
            _ => {
                let cond = self.value(cond);
                self.emit(op(cond), span);
            }
        }
    }
}
