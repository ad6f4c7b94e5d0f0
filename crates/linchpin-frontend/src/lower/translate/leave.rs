//! Blocks, and every exit from them.
//!
//! `defer s` runs `s` on every exit of its block that passes it: the end, `break`, `continue`, `return`. The
//! last `defer` runs first, after the value of a `return` is evaluated, with the current values of the
//! variables. Each exit gets its own copy. While a deferred statement runs, only the blocks outside it and
//! earlier `defer`s are still open. The statement rests where the text of its own block would.

use super::{Destination, Returns, Scope, Translator};
use crate::lower::fold;
use crate::typing::hir::{LoopId, TypedBlock, TypedExpr, TypedStmt};
use linchpin_ir::program::Op;
use linchpin_ir::source::Span;

impl<'a> Translator<'_, 'a> {
    pub(super) fn block(&mut self, block: &'a TypedBlock) {
        let outer = self.scopes.len();
        self.scopes.push(Scope { deferred: Vec::new(), rest: self.rest });
        for stmt in &block.stmts {
            self.statement(stmt);
        }
        if self.builder.is_open() {
            self.run_deferred(outer);
        }
        self.scopes.truncate(outer);
    }

    pub(super) fn defer(&mut self, stmt: &'a TypedStmt) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.deferred.push(stmt);
        }
    }

    /// `break`, or `continue` if `again`.
    pub(super) fn leave_loop(&mut self, id: LoopId, again: bool, span: Span) {
        let Some((_, labels)) = self.frame().loops.iter().rev().find(|(loop_id, _)| *loop_id == id) else {
            return;
        };
        let labels = *labels;
        self.run_deferred(labels.outer_scopes);
        self.goto(if again { labels.again } else { labels.leave }, span);
    }

    pub(super) fn leave_function(&mut self, values: &'a [TypedExpr], span: Span) {
        let outer = self.frame().outer_scopes;
        match self.frame().returns {
            Returns::FromCall { into, exit } => {
                if let [value] = values {
                    let to = into.map_or(Destination::Nowhere, Destination::Fresh);
                    let start = self.builder.len();
                    self.compute(value, to);
                    self.mark_handing_over(start, into);
                }
                self.run_deferred(outer);
                self.goto(exit, span);
            }
            Returns::FromMethod => {
                let mut results = self.operands(values);
                if self.scopes[outer..].iter().any(|scope| !scope.deferred.is_empty()) {
                    for (result, value) in results.iter_mut().zip(values) {
                        if !matches!(result.kind, linchpin_ir::program::ExprKind::Constant(_)) {
                            let kept = self.temporary(result.ty, value.span);
                            self.assign(self.whole(kept), result.clone(), value.span);
                            *result = fold::local(result.ty, kept);
                        }
                    }
                    self.run_deferred(outer);
                }
                self.emit(Op::Return(results), span);
            }
        }
    }

    /// Runs what all blocks but the `outer` first ones deferred. The blocks stay open: the text goes on
    /// behind this way out.
    fn run_deferred(&mut self, outer: usize) {
        if self.scopes[outer..].iter().all(|scope| scope.deferred.is_empty()) {
            return;
        }
        let left = self.scopes.split_off(outer);
        let rest = self.rest;
        for (depth, scope) in left.iter().enumerate().rev() {
            for (position, stmt) in scope.deferred.iter().enumerate().rev() {
                self.scopes.truncate(outer);
                self.scopes.extend_from_slice(&left[..depth]);
                self.scopes.push(Scope { deferred: scope.deferred[..position].to_vec(), rest: scope.rest });
                self.rest = scope.rest;
                self.statement(stmt);
            }
        }
        self.scopes.truncate(outer);
        self.scopes.extend(left);
        self.rest = rest;
    }

    /// The copy of a callee's variable into the result of its call is not a copy of the text.
    fn mark_handing_over(&mut self, start: usize, into: Option<linchpin_ir::program::LocalId>) {
        let Some(result) = into else { return };
        for instr in self.builder.draft.code.iter_mut().skip(start) {
            if matches!(&instr.op, Op::Assign { to, .. } if to.whole_local() == Some(result)) {
                instr.hands_over = true;
            }
        }
    }
}
