//! Removes temporaries that only pass a value to the next instruction.
//!
//! | before | after, if `t` is a temporary that is dead behind the second |
//! |---|---|
//! | `t = e; I[t]` | `I[e]` |
//! | `t = load p; x = t` | `x = load p` (and every instruction with a result) |
//! | `t = e` with `t` dead and `e` total | nothing |
//!
//! The first instruction becomes the second one, so other paths may still reach the second one. In this way
//! the results of an inlined function, assigned at each of its returns, reach the variable or the branch that
//! uses them.
//!
//! **Law.** Values and accesses stay, in their order. An expression that can fail is only moved to where
//! nothing else is evaluated before it. Only temporaries are touched: a copy in the text stays a copy, since
//! ownership ends there.

use super::draft::{Draft, DraftInstr};
use super::liveness::{live_in, live_out};
use super::{fold, simplify};
use linchpin_ir::index::IndexVec;
use linchpin_ir::interface::UnaryOp;
use linchpin_ir::program::{Expr, ExprKind, LocalId, LocalSet, Op, Pc, Projection, Target};
use linchpin_ir::types::{TypeId, TypeTable};

pub(super) fn fuse(types: &TypeTable, bool_type: TypeId, draft: &mut Draft) {
    loop {
        simplify::simplify(types, draft);
        // Rewriting only ever shrinks live sets, so those of the beginning of a round stay safe.
        let live = live_in(&draft.code);
        let mut changed = false;
        for pc in draft.code.ids() {
            if let Some(fused) = fused(types, bool_type, draft, &live, pc) {
                draft.code[pc] = fused;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

fn fused(
    types: &TypeTable,
    bool_type: TypeId,
    draft: &Draft,
    live: &IndexVec<Pc, LocalSet>,
    pc: Pc,
) -> Option<DraftInstr> {
    let first = &draft.code[pc];
    let local = first.op.defines().filter(|local| draft.locals[*local].temporary)?;
    let second = draft.code.get(first.next).filter(|_| first.next != pc)?;
    let dead_after =
        second.op.defines() == Some(local) || !live_out(&draft.code, live, first.next).contains(local);
    if let Op::Assign { value, .. } = &first.op {
        if !live[first.next].contains(local) {
            return fold::is_total(types, value).then(|| first.skipped(bool_type));
        }
        return (dead_after && accepts(types, &second.op, local, value)).then(|| {
            let mut op = second.op.clone();
            op.operands_mut(&mut |operand| substitute(types, operand, local, value));
            let hands_over = first.hands_over || second.hands_over;
            DraftInstr { op, hands_over, ..second.clone() }
        });
    }
    let Op::Assign { to, value: Expr { kind: ExprKind::Local(copied), .. } } = &second.op else {
        return None;
    };
    let no_index = to.path.iter().all(|projection| matches!(projection, Projection::Field { .. }));
    if *copied != local || !dead_after || !no_index {
        return None;
    }
    let mut op = first.op.clone();
    match &mut op {
        Op::Choose { into, cond, .. } => {
            let whole = to.whole_local()?;
            let candidate = fold::local(draft.locals[whole].ty, whole);
            if let Some(cond) = cond {
                if cond.reads_local(whole) {
                    return None;
                }
                substitute(types, cond, local, &candidate);
            }
            *into = whole;
        }
        Op::Call { into, .. } => {
            to.whole_local()?;
            *into = Some(to.clone());
        }
        _ => *op.result_place_mut()? = to.clone(),
    }
    Some(DraftInstr { op, next: second.next, ..first.clone() })
}

/// Returns whether the value may replace the local in the instruction.
fn accepts(types: &TypeTable, op: &Op, local: LocalId, value: &Expr) -> bool {
    if op.updates().any(|updated| updated == local) {
        return false;
    }
    if let Op::Collection { on: Target::Local(place), .. } = op
        && place.local() == Some(local)
    {
        return false;
    }
    let mut uses = 0;
    op.operands(&mut |operand| operand.free_locals(&mut |used| uses += usize::from(used == local)));
    if fold::is_total(types, value) {
        return fold::is_cheap(value) || uses == 1;
    }
    let mut operands = 0;
    let mut evaluated_first = true;
    op.operands(&mut |operand| {
        operands += 1;
        evaluated_first &= is_or_negates(operand, local);
    });
    operands == 1 && evaluated_first
}

fn is_or_negates(expr: &Expr, local: LocalId) -> bool {
    match &expr.kind {
        ExprKind::Local(used) => *used == local,
        ExprKind::Unary(UnaryOp::Not, inner) => is_or_negates(inner, local),
        _ => false,
    }
}

fn substitute(types: &TypeTable, expr: &mut Expr, local: LocalId, value: &Expr) {
    if let ExprKind::Local(used) = expr.kind {
        if used == local {
            *expr = Expr { kind: value.kind.clone(), ty: expr.ty };
        }
        return;
    }
    if !expr.reads_local(local) {
        return;
    }
    expr.for_each_part_mut(&mut |part| substitute(types, part, local, value));
    let blank = Expr { kind: ExprKind::Me, ty: expr.ty };
    let ty = expr.ty;
    *expr = match std::mem::replace(expr, blank).kind {
        ExprKind::Unary(op, a) => fold::unary(ty, op, *a),
        ExprKind::Binary(op, a, b) => fold::binary(types, ty, op, *a, *b),
        ExprKind::Field(a, field) => fold::field(types, ty, *a, field),
        ExprKind::Index(a, b) => fold::index(types, ty, *a, *b),
        ExprKind::Some(a) => fold::some(types, ty, *a),
        ExprKind::Word(parts) => fold::word(ty, parts),
        ExprKind::Array(parts) => fold::array(ty, parts),
        kind => Expr { kind, ty },
    };
}
