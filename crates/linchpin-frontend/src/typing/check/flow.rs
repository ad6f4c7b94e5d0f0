//! Whether control can come to the end of a block.
//!
//! `return`, `break` and `continue` leave it; a loop without an exit of its own never ends; `assert false`, `await
//! false` and `assume false` go no further. Everything else may go on: conditions are not evaluated.

use crate::typing::hir::{Block, Expr, ExprKind, LoopId, Stmt, StmtKind};
use linchpin_ir::types::Word;

/// Whether control can reach the end of the block.
pub(in crate::typing) fn falls_through(block: &Block) -> bool {
    block.stmts.iter().all(goes_on)
}

fn goes_on(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_) => false,
        StmtKind::Block(block) | StmtKind::Atomic(block) => falls_through(block),
        StmtKind::If(_, then, otherwise) => {
            falls_through(then) || otherwise.as_ref().is_none_or(falls_through)
        }
        StmtKind::Match(_, arms) => arms.is_empty() || arms.iter().any(|(_, body)| falls_through(body)),
        StmtKind::Loop(id, body) => breaks(body, *id),
        StmtKind::While(id, cond, body) => !is(cond, 1) || breaks(body, *id),
        StmtKind::Assert(cond) | StmtKind::Assume(cond) | StmtKind::Await(cond) => !is(cond, 0),
        StmtKind::Let(..)
        | StmtKind::Assign(..)
        | StmtKind::Update(..)
        | StmtKind::Expr(_)
        | StmtKind::For { .. }
        | StmtKind::Defer(_)
        | StmtKind::Lin { .. } => true,
    }
}

/// Whether some `break` in a block leaves this loop.
fn breaks(block: &Block, id: LoopId) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break(left) => *left == id,
        StmtKind::Block(block)
        | StmtKind::Atomic(block)
        | StmtKind::Loop(_, block)
        | StmtKind::While(_, _, block)
        | StmtKind::For { body: block, .. } => breaks(block, id),
        StmtKind::If(_, then, otherwise) => {
            breaks(then, id) || otherwise.as_ref().is_some_and(|block| breaks(block, id))
        }
        StmtKind::Match(_, arms) => arms.iter().any(|(_, body)| breaks(body, id)),
        _ => false,
    })
}

fn is(cond: &Expr, word: Word) -> bool {
    matches!(&cond.kind, ExprKind::Constant(words) if words[..] == [word])
}
