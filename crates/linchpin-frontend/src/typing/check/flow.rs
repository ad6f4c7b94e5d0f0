//! Whether control can reach the end of a block.
//!
//! `return`, `break` and `continue` leave the block. A loop without an exit of its own never ends. `assert
//! false`, `await false` and `assume false` never continue. Every other statement may continue: conditions
//! are not evaluated.

use crate::typing::hir::{LoopId, TypedBlock, TypedExpr, TypedExprKind, TypedStmt, TypedStmtKind};
use linchpin_ir::types::Word;

/// Whether control can reach the end of the block.
pub(in crate::typing) fn falls_through(block: &TypedBlock) -> bool {
    block.stmts.iter().all(goes_on)
}

fn goes_on(stmt: &TypedStmt) -> bool {
    match &stmt.kind {
        TypedStmtKind::Return(_) | TypedStmtKind::Break(_) | TypedStmtKind::Continue(_) => false,
        TypedStmtKind::Block(block) | TypedStmtKind::Atomic(block) => falls_through(block),
        TypedStmtKind::If(_, then, otherwise) => {
            falls_through(then) || otherwise.as_ref().is_none_or(falls_through)
        }
        TypedStmtKind::Match(_, arms) => arms.is_empty() || arms.iter().any(|(_, body)| falls_through(body)),
        TypedStmtKind::Loop(id, body) => breaks(body, *id),
        TypedStmtKind::While(id, cond, body) => !is(cond, 1) || breaks(body, *id),
        TypedStmtKind::Assert(cond) | TypedStmtKind::Assume(cond) | TypedStmtKind::Await(cond) => {
            !is(cond, 0)
        }
        TypedStmtKind::Let(..)
        | TypedStmtKind::Assign(..)
        | TypedStmtKind::Update(..)
        | TypedStmtKind::Expr(_)
        | TypedStmtKind::For { .. }
        | TypedStmtKind::Defer(_)
        | TypedStmtKind::Lin { .. } => true,
    }
}

/// Whether some `break` in a block leaves this loop.
fn breaks(block: &TypedBlock, id: LoopId) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        TypedStmtKind::Break(left) => *left == id,
        TypedStmtKind::Block(block)
        | TypedStmtKind::Atomic(block)
        | TypedStmtKind::Loop(_, block)
        | TypedStmtKind::While(_, _, block)
        | TypedStmtKind::For { body: block, .. } => breaks(block, id),
        TypedStmtKind::If(_, then, otherwise) => {
            breaks(then, id) || otherwise.as_ref().is_some_and(|block| breaks(block, id))
        }
        TypedStmtKind::Match(_, arms) => arms.iter().any(|(_, body)| breaks(body, id)),
        _ => false,
    })
}

fn is(cond: &TypedExpr, word: Word) -> bool {
    matches!(&cond.kind, TypedExprKind::Constant(words) if words[..] == [word])
}
