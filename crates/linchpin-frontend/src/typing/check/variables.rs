//! The values of `shared` and `local` variables, and the bodies of hash functions. A variable is checked when
//! it is first used, or because it stands in the root file.

use super::body::{Body, Stage};
use super::convert::Why;
use crate::syntax::ast;
use crate::typing::collect::names::{DefId, DefKind};
use crate::typing::declare::context::{Checker, Env};
use crate::typing::hir::{HashId, SharedId, ThreadVarId, TypedExpr};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::types::TypeId;

impl<'a> Checker<'a> {
    pub(super) fn shared_variable(&mut self, def: DefId) -> (SharedId, TypeId) {
        let (id, is_new) = self.declare_shared(def);
        let ty = self.shared[id].ty;
        let definition = self.def(def);
        if is_new
            && let DefKind::Shared(ast::Variable { init: Some(init), ty: written, .. }) = definition.kind
        {
            let env = Env::of_unit(definition.unit);
            self.shared[id].init = self.initial(&env, ty, written, init, Stage::SharedInitial);
        }
        (id, ty)
    }

    pub(super) fn thread_variable(&mut self, def: DefId) -> (ThreadVarId, TypeId) {
        let (id, is_new) = self.declare_thread_variable(def);
        let ty = self.thread_vars[id].ty;
        let definition = self.def(def);
        if is_new && let DefKind::Local(ast::Variable { init: Some(init), ty: written, .. }) = definition.kind
        {
            let env = Env::of_unit(definition.unit);
            self.thread_vars[id].init = self.initial(&env, ty, written, init, Stage::LocalInitial);
        }
        (id, ty)
    }

    /// A hash function with the types of its parameter and its result.
    pub(super) fn hash(&mut self, def: DefId) -> (HashId, TypeId, TypeId) {
        let (id, is_new) = self.declare_hash(def);
        let (domain, result) = (self.hashes[id].domain, self.hashes[id].result);
        let definition = self.def(def);
        if is_new && let DefKind::Hash { param, result: written, body, .. } = definition.kind {
            let mut inside = Body::new(self, Env::of_unit(definition.unit), Stage::Hash, written.span);
            let param = inside.declare(param, domain);
            let why = Why::At(written.span, "the result is declared here");
            let body = body.map(|body| inside.expr_as(body, result, why));
            let (vars, effects) = (inside.vars, inside.effects);
            for (callee, span) in effects.hashes {
                self.hash_calls.push((id, callee, span));
            }
            let hash = &mut self.hashes[id];
            (hash.param, hash.vars, hash.body) = (param, vars, body);
        }
        (id, domain, result)
    }

    /// An initial value; `None` if it is wrong, which was reported.
    pub(super) fn initial(
        &mut self,
        env: &Env,
        ty: TypeId,
        written: &'a ast::Type,
        init: &'a ast::Expr,
        stage: Stage,
    ) -> Option<TypedExpr> {
        if self.is_poison(ty) {
            return None;
        }
        if !self.is_value(ty) {
            let help = match init.kind {
                ast::ExprKind::Null => format!("declare a pointer: `*{}`", self.type_name(ty)),
                _ => "remove the value: all parts begin with their defaults".to_string(),
            };
            self.report(
                env,
                Diagnostic::error(
                    format!("`{}` cannot have an initial value", self.type_name(ty)),
                    init.span,
                    "a part of memory, not a value",
                )
                .help(help),
            );
            return None;
        }
        let mut inside = Body::new(self, env.clone(), stage, init.span);
        let value = inside.expr_as(init, ty, Why::At(written.span, "the type is given here"));
        (!self.is_poison(value.ty)).then_some(value)
    }

    /// Reports hash functions that need their own value.
    pub(super) fn check_hash_circles(&mut self) {
        let calls = std::mem::take(&mut self.hash_calls);
        let mut reported: Vec<HashId> = Vec::new();
        for (caller, callee, span) in &calls {
            let mut reached = vec![*callee];
            let mut next = 0;
            while let Some(&at) = reached.get(next) {
                next += 1;
                for (from, to, _) in &calls {
                    if *from == at && !reached.contains(to) {
                        reached.push(*to);
                    }
                }
            }
            if reached.contains(caller) && !reached.iter().any(|id| reported.contains(id)) {
                reported.push(*caller);
                let name = self.hashes[*caller].name.clone();
                self.report_plain(Diagnostic::error(
                    format!("hash function `{name}` depends on itself"),
                    *span,
                    "this call leads back to it",
                ));
            }
        }
    }
}
