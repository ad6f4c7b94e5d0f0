//! Which variables a piece of text assigns, as a whole or in part: by a statement, or within an expression,
//! by a method that works on the variable itself (of a collection, or of an `impl`). A `let`, a `for` and a
//! `choose` bind; they do not assign.

use crate::typing::hir::{
    PlaceExpr, PlaceKind, Primitive, Sequence, TypedBlock, TypedExpr, TypedExprKind, TypedStmt,
    TypedStmtKind, VarId,
};
use rustc_hash::FxHashSet;

#[derive(Default)]
pub(in crate::lower) struct Assigned {
    by_statements: FxHashSet<VarId>,
    within_expressions: FxHashSet<VarId>,
}

impl Assigned {
    pub fn contains(&self, var: VarId) -> bool {
        self.by_statements.contains(&var) || self.within_expressions.contains(&var)
    }

    pub fn within_expressions(&self, var: VarId) -> bool {
        self.within_expressions.contains(&var)
    }

    pub fn iter(&self) -> impl Iterator<Item = VarId> {
        self.by_statements.iter().chain(&self.within_expressions).copied()
    }
}

pub(super) fn in_block(block: &TypedBlock) -> Assigned {
    let mut assigned = Assigned::default();
    visit_block(block, &mut assigned);
    assigned
}

fn visit_block(block: &TypedBlock, out: &mut Assigned) {
    for stmt in &block.stmts {
        visit_stmt(stmt, out);
    }
}

fn visit_stmt(stmt: &TypedStmt, out: &mut Assigned) {
    match &stmt.kind {
        TypedStmtKind::Let(_, value) => visit_all(value, out),
        TypedStmtKind::Assign(place, value) | TypedStmtKind::Update(place, _, value) => {
            out.by_statements.extend(root(place));
            visit_place(place, out);
            visit_expr(value, out);
        }
        TypedStmtKind::Expr(e)
        | TypedStmtKind::Await(e)
        | TypedStmtKind::Assert(e)
        | TypedStmtKind::Assume(e) => visit_expr(e, out),
        TypedStmtKind::Block(block) | TypedStmtKind::Loop(_, block) | TypedStmtKind::Atomic(block) => {
            visit_block(block, out)
        }
        TypedStmtKind::If(cond, then, otherwise) => {
            visit_expr(cond, out);
            visit_block(then, out);
            if let Some(otherwise) = otherwise {
                visit_block(otherwise, out);
            }
        }
        TypedStmtKind::Match(value, arms) => {
            visit_expr(value, out);
            for (_, block) in arms {
                visit_block(block, out);
            }
        }
        TypedStmtKind::While(_, cond, block) => {
            visit_expr(cond, out);
            visit_block(block, out);
        }
        TypedStmtKind::For { over, body, .. } => {
            visit_sequence(over, out);
            visit_block(body, out);
        }
        TypedStmtKind::Break(_) | TypedStmtKind::Continue(_) => {}
        TypedStmtKind::Return(values) => visit_all(values, out),
        TypedStmtKind::Defer(stmt) => visit_stmt(stmt, out),
        TypedStmtKind::Lin { of, cond, .. } => {
            visit_all(of, out);
            visit_all(cond, out);
        }
    }
}

fn visit_all<'e>(exprs: impl IntoIterator<Item = &'e TypedExpr>, out: &mut Assigned) {
    for expr in exprs {
        visit_expr(expr, out);
    }
}

fn visit_sequence(sequence: &Sequence, out: &mut Assigned) {
    match sequence {
        Sequence::Range { low, high, .. } => visit_all([low, high], out),
        Sequence::Collection(collection) => visit_expr(collection, out),
        Sequence::Threads | Sequence::Bool => {}
    }
}

fn visit_expr(expr: &TypedExpr, out: &mut Assigned) {
    match &expr.kind {
        TypedExprKind::Constant(_) | TypedExprKind::Me => {}
        TypedExprKind::Read(place) => visit_place(place, out),
        TypedExprKind::Unary(_, e)
        | TypedExprKind::Some(e)
        | TypedExprKind::ToRange { value: e, .. }
        | TypedExprKind::Unwrap(e)
        | TypedExprKind::Repeat(e, _)
        | TypedExprKind::ArrayLen(e)
        | TypedExprKind::Hash(_, e)
        | TypedExprKind::Ord(e) => visit_expr(e, out),
        TypedExprKind::Binary(_, a, b) | TypedExprKind::NewArray { value: a, len: b } => {
            visit_all([&**a, &**b], out)
        }
        TypedExprKind::Quantifier { collection, body, .. } => visit_all([&**collection, &**body], out),
        TypedExprKind::Word { fields: parts, .. }
        | TypedExprKind::Array(parts)
        | TypedExprKind::Collection(parts) => {
            visit_all(parts, out);
        }
        TypedExprKind::New { fields, .. } => visit_all(fields.iter().map(|(_, value)| value), out),
        TypedExprKind::Call { self_place, args, .. } => {
            if let Some(place) = self_place {
                out.within_expressions.extend(root(place));
                visit_place(place, out);
            }
            visit_all(args, out);
        }
        TypedExprKind::Choose { from, cond, .. } => {
            visit_sequence(from, out);
            visit_all(cond.as_deref(), out);
        }
        TypedExprKind::Primitive(primitive) => visit_primitive(primitive, out),
        TypedExprKind::Method { receiver, method, args } => {
            if !method.is_pure() {
                out.within_expressions.extend(root(receiver));
            }
            visit_place(receiver, out);
            visit_all(args, out);
        }
    }
}

fn visit_primitive(primitive: &Primitive, out: &mut Assigned) {
    match primitive {
        Primitive::Cas { place, old, new } | Primitive::CmpXchg { place, old, new } => {
            visit_place(place, out);
            visit_all([&**old, &**new], out);
        }
        Primitive::Dcas { places, olds, news } => {
            places.iter().for_each(|place| visit_place(place, out));
            visit_all(olds.iter().chain(news.iter()), out);
        }
        Primitive::Swap { place, value }
        | Primitive::FetchAdd { place, value }
        | Primitive::Sc { place, value } => {
            visit_place(place, out);
            visit_expr(value, out);
        }
        Primitive::Free(pointer) => visit_expr(pointer, out),
        Primitive::Ll(place)
        | Primitive::Lock(place)
        | Primitive::Unlock(place)
        | Primitive::TryLock(place)
        | Primitive::IsLocked(place)
        | Primitive::NotifyOne(place)
        | Primitive::NotifyAll(place) => visit_place(place, out),
        Primitive::Wait { condvar, lock } => {
            visit_place(condvar, out);
            visit_place(lock, out);
        }
    }
}

fn visit_place(place: &PlaceExpr, out: &mut Assigned) {
    match &place.kind {
        PlaceKind::Var(_)
        | PlaceKind::Shared(_)
        | PlaceKind::ThreadVar(_)
        | PlaceKind::State(_)
        | PlaceKind::SelfPlace => {}
        PlaceKind::Deref(e) | PlaceKind::Value(e) => visit_expr(e, out),
        PlaceKind::Field(base, _) => visit_place(base, out),
        PlaceKind::Index(base, index) => {
            visit_place(base, out);
            visit_expr(index, out);
        }
    }
}

/// The variable that the place is, or is part of.
fn root(place: &PlaceExpr) -> Option<VarId> {
    match &place.kind {
        PlaceKind::Var(var) => Some(*var),
        PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => root(base),
        _ => None,
    }
}
