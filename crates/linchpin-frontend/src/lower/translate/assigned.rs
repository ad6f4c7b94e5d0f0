//! Which variables a piece of text assigns, as a whole or in part: by a statement, or within an expression, by a method
//! that works on the variable itself (of a collection, or of an `impl`). A `let`, a `for` and a `choose` bind; they do
//! not assign.

use crate::typing::hir::{
    Block, Expr, ExprKind, Place, PlaceKind, Primitive, Sequence, Stmt, StmtKind, VarId,
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

pub(super) fn in_block(block: &Block) -> Assigned {
    let mut assigned = Assigned::default();
    visit_block(block, &mut assigned);
    assigned
}

fn visit_block(block: &Block, out: &mut Assigned) {
    for stmt in &block.stmts {
        visit_stmt(stmt, out);
    }
}

fn visit_stmt(stmt: &Stmt, out: &mut Assigned) {
    match &stmt.kind {
        StmtKind::Let(_, value) => visit_all(value, out),
        StmtKind::Assign(place, value) | StmtKind::Update(place, _, value) => {
            out.by_statements.extend(root(place));
            visit_place(place, out);
            visit_expr(value, out);
        }
        StmtKind::Expr(e) | StmtKind::Await(e) | StmtKind::Assert(e) | StmtKind::Assume(e) => {
            visit_expr(e, out)
        }
        StmtKind::Block(block) | StmtKind::Loop(_, block) | StmtKind::Atomic(block) => {
            visit_block(block, out)
        }
        StmtKind::If(cond, then, otherwise) => {
            visit_expr(cond, out);
            visit_block(then, out);
            if let Some(otherwise) = otherwise {
                visit_block(otherwise, out);
            }
        }
        StmtKind::Match(value, arms) => {
            visit_expr(value, out);
            for (_, block) in arms {
                visit_block(block, out);
            }
        }
        StmtKind::While(_, cond, block) => {
            visit_expr(cond, out);
            visit_block(block, out);
        }
        StmtKind::For { over, body, .. } => {
            visit_sequence(over, out);
            visit_block(body, out);
        }
        StmtKind::Break(_) | StmtKind::Continue(_) => {}
        StmtKind::Return(values) => visit_all(values, out),
        StmtKind::Defer(stmt) => visit_stmt(stmt, out),
        StmtKind::Lin { of, cond, .. } => {
            visit_all(of, out);
            visit_all(cond, out);
        }
    }
}

fn visit_all<'e>(exprs: impl IntoIterator<Item = &'e Expr>, out: &mut Assigned) {
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

fn visit_expr(expr: &Expr, out: &mut Assigned) {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Me => {}
        ExprKind::Read(place) => visit_place(place, out),
        ExprKind::Unary(_, e)
        | ExprKind::Some(e)
        | ExprKind::ToRange { value: e, .. }
        | ExprKind::Unwrap(e)
        | ExprKind::Repeat(e, _)
        | ExprKind::ArrayLen(e)
        | ExprKind::Hash(_, e)
        | ExprKind::Ord(e) => visit_expr(e, out),
        ExprKind::Binary(_, a, b) | ExprKind::NewArray { value: a, len: b } => visit_all([&**a, &**b], out),
        ExprKind::Quantifier { collection, body, .. } => visit_all([&**collection, &**body], out),
        ExprKind::Word { fields: parts, .. } | ExprKind::Array(parts) | ExprKind::Collection(parts) => {
            visit_all(parts, out);
        }
        ExprKind::New { fields, .. } => visit_all(fields.iter().map(|(_, value)| value), out),
        ExprKind::Call { self_place, args, .. } => {
            if let Some(place) = self_place {
                out.within_expressions.extend(root(place));
                visit_place(place, out);
            }
            visit_all(args, out);
        }
        ExprKind::Choose { from, cond, .. } => {
            visit_sequence(from, out);
            visit_all(cond.as_deref(), out);
        }
        ExprKind::Primitive(primitive) => visit_primitive(primitive, out),
        ExprKind::Method { receiver, method, args } => {
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

fn visit_place(place: &Place, out: &mut Assigned) {
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
fn root(place: &Place) -> Option<VarId> {
    match &place.kind {
        PlaceKind::Var(var) => Some(*var),
        PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => root(base),
        _ => None,
    }
}
