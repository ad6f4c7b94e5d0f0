//! Removes jumps that decide nothing, and unreachable instructions.
//!
//! **Law.** The sequences of instructions other than branches that the method can make, with their values,
//! stay the same. A branch is skipped in three cases. Its condition is constant. Both targets are the same
//! and the condition cannot fail. Or the branch before it has the same condition and nothing lies between.

use super::draft::Draft;
use super::fold;
use linchpin_ir::index::{Index, IndexVec};
use linchpin_ir::interface::UnaryOp;
use linchpin_ir::program::{Expr, ExprKind, Op, Pc, successors};
use linchpin_ir::types::TypeTable;

pub(super) fn simplify(types: &TypeTable, draft: &mut Draft) {
    loop {
        let before = draft.code.len();
        let threaded = thread_jumps(types, draft);
        drop_unreachable(draft);
        if !threaded && draft.code.len() == before {
            return;
        }
    }
}

/// Sends every edge to where it ends up. Whether anything changed.
fn thread_jumps(types: &TypeTable, draft: &mut Draft) -> bool {
    let mut changed = false;
    let mut redirect = |from: &mut Pc, to: Pc| {
        changed |= *from != to;
        *from = to;
    };
    for pc in draft.code.ids() {
        let next = destination(types, draft, draft.code[pc].next, None);
        let ends = match &draft.code[pc].op {
            Op::Branch { cond, then, otherwise } => Some((
                destination(types, draft, *then, Some((cond, true))),
                destination(types, draft, *otherwise, Some((cond, false))),
            )),
            _ => None,
        };
        let instr = &mut draft.code[pc];
        match (&mut instr.op, ends) {
            (Op::Branch { then, otherwise, .. }, Some((to, else_to))) => {
                redirect(then, to);
                redirect(otherwise, else_to);
            }
            (Op::Return(_), _) => {}
            _ => redirect(&mut instr.next, next),
        }
    }
    let entry = destination(types, draft, draft.entry, None);
    redirect(&mut draft.entry, entry);
    changed
}

/// Where control that comes to `pc` goes on, past branches that are decided; `known` is a condition and its
/// outcome.
fn destination(types: &TypeTable, draft: &Draft, mut pc: Pc, known: Option<(&Expr, bool)>) -> Pc {
    // A loop without work is a cycle of jumps; any jump of the cycle represents it.
    for _ in 0..draft.code.len() {
        let Some(Op::Branch { cond, then, otherwise }) = draft.code.get(pc).map(|instr| &instr.op) else {
            break;
        };
        let outcome =
            fold::truth(cond).or_else(|| known.and_then(|(known, value)| implied(known, value, cond)));
        pc = match outcome {
            Some(true) => *then,
            Some(false) => *otherwise,
            None if then == otherwise && fold::is_total(types, cond) => *then,
            None => break,
        };
    }
    pc
}

/// The value of `cond`, given that of an expression evaluated in the same state.
fn implied(known: &Expr, value: bool, cond: &Expr) -> Option<bool> {
    if known == cond {
        return Some(value);
    }
    match (&known.kind, &cond.kind) {
        (ExprKind::Unary(UnaryOp::Not, inner), _) => implied(inner, !value, cond),
        (_, ExprKind::Unary(UnaryOp::Not, inner)) => implied(known, value, inner).map(|value| !value),
        _ => None,
    }
}

fn drop_unreachable(draft: &mut Draft) {
    let mut reachable: IndexVec<Pc, bool> = draft.code.iter().map(|_| false).collect();
    let mut open = vec![draft.entry];
    while let Some(pc) = open.pop() {
        if let Some(instr) = draft.code.get(pc)
            && !std::mem::replace(&mut reachable[pc], true)
        {
            open.extend(successors(&instr.op, instr.next));
        }
    }
    let mut position = 0;
    let moved: IndexVec<Pc, Option<Pc>> = reachable
        .iter()
        .map(|reachable| {
            reachable.then(|| {
                position += 1;
                Pc::new(position - 1)
            })
        })
        .collect();
    let place = |pc: Pc| moved.get(pc).copied().flatten();
    let code = std::mem::take(&mut draft.code);
    for (old, mut instr) in code.entries().map(|(pc, instr)| (pc, instr.clone())) {
        let Some(new) = place(old) else { continue };
        instr.op.targets_mut(&mut |target| *target = place(*target).unwrap_or(new));
        instr.next = match &instr.op {
            Op::Branch { then, .. } => *then,
            Op::Return(_) => new,
            _ => place(instr.next).unwrap_or(new),
        };
        draft.code.push(instr);
    }
    draft.entry = place(draft.entry).unwrap_or(Pc::new(0));
}
