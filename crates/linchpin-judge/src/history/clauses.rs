//! Small questions about the clauses of a specification.

use linchpin_ir::program::{Base, Clause, ClauseHead, Expr, ExprKind, LocalId, Method, Op, Place, Program};

/// Returns the head of a clause that has one.
pub(super) fn only_head(clause: &Clause) -> Option<&ClauseHead> {
    match clause.heads.as_slice() {
        [head] => Some(head),
        _ => None,
    }
}

/// Returns the local that the expression is.
pub(super) fn local(expr: &Expr) -> Option<LocalId> {
    match expr.kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    }
}

/// Checks that the place is a whole state variable.
pub(super) fn is_whole(place: &Place) -> bool {
    matches!(place.base, Base::Global(_)) && place.path.is_empty()
}

/// Checks that the specification begins with the defaults of its variables.
pub(super) fn begins_with_defaults(program: &Program) -> bool {
    let init = &program.spec.init;
    init.code.get(init.entry).is_some_and(|first| matches!(first.op, Op::Return(_)))
}

/// Returns the instructions of a method without branches, up to its return; `None` if it is longer than
/// `most`, or has branches.
pub(super) fn straight(method: &Method, most: usize) -> Option<Vec<&Op>> {
    let mut ops = Vec::new();
    let mut at = method.entry;
    while ops.len() < most {
        let instr = method.code.get(at)?;
        ops.push(&instr.op);
        match instr.op {
            Op::Return(_) => return Some(ops),
            Op::Branch { .. } => return None,
            _ => at = instr.next,
        }
    }
    None
}
