//! Puts the typed program together, after the rules that concern the program as a whole.

use crate::syntax::ast;
use crate::typing::check::{CheckedParts, functions::Bodies};
use crate::typing::declare::context::Checker;
use crate::typing::hir::{self, FunctionId, Program};
use linchpin_ir::index::IndexVec;

impl<'a> Checker<'a> {
    /// The typed program; `None` if the model has an error, which is reported.
    pub(super) fn program(&mut self, mut parts: CheckedParts<'a>) -> Option<Program> {
        self.check_calls(&parts.inits, &mut parts.bodies);
        let roles = parts.spec.as_ref().map(|spec| self.roles(spec)).unwrap_or_default();
        let checks = self.checks(parts.spec.as_ref().map(|spec| &spec.spec), &roles);
        let proofs = self.proofs();
        let constants = self.constants_of_program();
        if self.has_errors() {
            return None;
        }
        let (object, spec) = (parts.object?, parts.spec?);
        let (functions, init) = self.functions(&parts.inits, parts.bodies)?;
        let tree: &ast::File = &self.units.all[self.units.root].tree;
        Some(Program {
            name: object.name.text.clone(),
            header: tree.header.clone(),
            memory: self.memory,
            threads: self.setting.threads,
            threads_used_at: self.threads_used_at,
            types: std::mem::take(&mut self.types),
            constants,
            shared: std::mem::take(&mut self.shared),
            thread_vars: std::mem::take(&mut self.thread_vars),
            init,
            functions,
            ops: parts.ops,
            hashes: std::mem::take(&mut self.hashes),
            roles,
            spec: spec.spec,
            checks,
            proofs,
            object_span: object.span,
        })
    }

    /// All functions with their bodies, and the one that initialises; several `init`s are called by one more
    /// function.
    fn functions(
        &mut self,
        inits: &[FunctionId],
        mut bodies: Bodies,
    ) -> Option<(IndexVec<FunctionId, hir::TypedFunction>, Option<FunctionId>)> {
        let mut functions = IndexVec::new();
        for id in self.heads.ids() {
            functions.push(bodies.remove(&id)?.0);
        }
        let (last, several) = (inits.last().copied(), inits.len() > 1);
        let Some(last) = last.filter(|_| several) else { return Some((functions, last)) };
        let span = functions[last].span;
        let ty = self.unit();
        let call = |function: &FunctionId| {
            let kind = hir::TypedExprKind::Call { function: *function, self_place: None, args: Vec::new() };
            hir::TypedStmt { kind: hir::TypedStmtKind::Expr(hir::TypedExpr { kind, ty, span }), span }
        };
        let body = hir::TypedBlock { stmts: inits.iter().map(call).collect(), span };
        let function = hir::TypedFunction {
            name: "init".into(),
            self_type: None,
            params: Vec::new(),
            result: None,
            vars: IndexVec::new(),
            body,
            recursive: false,
            span,
        };
        let all = functions.push(function);
        Some((functions, Some(all)))
    }
}
