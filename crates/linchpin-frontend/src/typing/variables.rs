//! `shared` and `local` variables and hash functions: asked for by a use, or because they stand in the root file.

use super::body::{Body, Stage};
use super::context::{Checker, Env};
use super::convert::Why;
use super::hir::{self, Expr, HashId, SharedId, ThreadVarId};
use super::names::{DefId, DefKind};
use crate::syntax::ast;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::types::{TypeId, TypeKind};

impl<'a> Checker<'a> {
    pub fn shared_variable(&mut self, def: DefId) -> (SharedId, TypeId) {
        if let Some(&id) = self.shared_ids.get(&def) {
            return (id, self.shared[id].ty);
        }
        let definition = self.def(def);
        let env = Env::of_unit(definition.unit);
        let name = definition.name;
        let (ty, init) = match definition.kind {
            DefKind::Shared(variable) => (self.type_of(&env, &variable.ty), variable.init.as_ref()),
            _ => (self.poison(), None),
        };
        let variable = hir::Variable { name: name.text.clone(), ty, init: None, span: name.span };
        let id = self.shared.push(variable);
        self.shared_ids.insert(def, id);
        if let DefKind::Shared(variable) = definition.kind {
            let init = init.and_then(|init| self.initial(&env, ty, &variable.ty, init, Stage::SharedInitial));
            self.shared[id].init = init;
        }
        (id, ty)
    }

    pub fn thread_variable(&mut self, def: DefId) -> (ThreadVarId, TypeId) {
        if let Some(&id) = self.thread_var_ids.get(&def) {
            return (id, self.thread_vars[id].ty);
        }
        let definition = self.def(def);
        let env = Env::of_unit(definition.unit);
        let name = definition.name;
        let ty = match definition.kind {
            DefKind::Local(variable) => {
                let ty = self.type_of(&env, &variable.ty);
                self.no_locks(&env, ty, &variable.ty)
            }
            _ => self.poison(),
        };
        let variable = hir::Variable { name: name.text.clone(), ty, init: None, span: name.span };
        let id = self.thread_vars.push(variable);
        self.thread_var_ids.insert(def, id);
        if let DefKind::Local(ast::Variable { init: Some(init), ty: written, .. }) = definition.kind {
            let init = self.initial(&env, ty, written, init, Stage::LocalInitial);
            self.thread_vars[id].init = init;
        }
        (id, ty)
    }

    /// A hash function with the types of its parameter and its result.
    pub fn hash(&mut self, def: DefId) -> (HashId, TypeId, TypeId) {
        if let Some(&id) = self.hash_ids.get(&def) {
            return (id, self.hashes[id].domain, self.hashes[id].result);
        }
        let definition = self.def(def);
        let env = Env::of_unit(definition.unit);
        let name = definition.name;
        let DefKind::Hash { param, param_type, result: written, body } = definition.kind else {
            let poison = self.poison();
            return (self.hashes.push(empty_hash(name, poison)), poison, poison);
        };
        let domain = self.value_type(&env, param_type, "the parameter of a hash function");
        let domain = self.finite(&env, domain, param_type, true);
        let result = self.value_type(&env, written, "the result of a hash function");
        let result = self.finite(&env, result, written, false);
        let id = self.hashes.push(hir::Hash { domain, result, ..empty_hash(name, domain) });
        self.hash_ids.insert(def, id);
        let mut inside = Body::new(self, env, Stage::Hash, written.span);
        let param = inside.declare(param, domain);
        let why = Why::At(written.span, "the result is declared here");
        let body = body.map(|body| inside.expr_as(body, result, why));
        let (vars, effects) = (inside.vars, inside.effects);
        for (callee, span) in effects.hashes {
            self.hash_calls.push((id, callee, span));
        }
        let hash = &mut self.hashes[id];
        (hash.param, hash.vars, hash.body) = (param, vars, body);
        (id, domain, result)
    }

    /// An initial value; `None` if it is wrong, which was reported.
    pub fn initial(
        &mut self,
        env: &Env,
        ty: TypeId,
        written: &'a ast::Type,
        init: &'a ast::Expr,
        stage: Stage,
    ) -> Option<Expr> {
        if self.is_poison(ty) {
            return None;
        }
        if !self.is_value(ty) {
            self.report(
                env,
                Diagnostic::error(
                    format!("`{}` has no initial value", self.type_name(ty)),
                    init.span,
                    "a part of memory, not a value",
                )
                .help("leave it out: it begins with its defaults"),
            );
            return None;
        }
        let mut inside = Body::new(self, env.clone(), stage, init.span);
        let value = inside.expr_as(init, ty, Why::At(written.span, "the type is given here"));
        (!self.is_poison(value.ty)).then_some(value)
    }

    /// Reports hash functions that need their own value.
    pub fn check_hash_circles(&mut self) {
        let calls = std::mem::take(&mut self.hash_calls);
        let mut told: Vec<HashId> = Vec::new();
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
            if reached.contains(caller) && !reached.iter().any(|id| told.contains(id)) {
                told.push(*caller);
                let name = self.hashes[*caller].name.clone();
                self.report_plain(Diagnostic::error(
                    format!("hash function `{name}` needs its own value"),
                    *span,
                    "this leads back to it",
                ));
            }
        }
    }

    fn no_locks(&mut self, env: &Env, ty: TypeId, written: &ast::Type) -> TypeId {
        if self.is_poison(ty) || !self.has_lock(ty) {
            return ty;
        }
        self.report(
            env,
            Diagnostic::error("a lock that no other thread can see", written.span, "each thread has its own")
                .help("locks and conditions lie in structs, arrays and `shared` variables"),
        );
        self.poison()
    }

    fn has_lock(&self, ty: TypeId) -> bool {
        match self.types.kind(ty) {
            TypeKind::Lock | TypeKind::Condvar => true,
            TypeKind::Array(of, _) => self.has_lock(of),
            TypeKind::Struct(id) => self.types.structs[id].fields.iter().any(|field| self.has_lock(field.ty)),
            _ => false,
        }
    }

    /// What a hash function may take and give: a scalar without pointers; its results must be finitely many.
    fn finite(&mut self, env: &Env, ty: TypeId, written: &ast::Type, is_parameter: bool) -> TypeId {
        let fits = match self.types.kind(ty) {
            TypeKind::Bool | TypeKind::Enum(_) | TypeKind::Range { .. } => true,
            TypeKind::Data | TypeKind::Key | TypeKind::Thread => is_parameter,
            _ => false,
        };
        if fits || self.is_poison(ty) {
            return ty;
        }
        let (what, help) = if is_parameter {
            ("takes", "its parameter is `data`, `key`, `thread`, `bool`, an enum or a range")
        } else {
            ("gives", "its result is a range, `bool` or an enum")
        };
        let name = self.type_name(ty);
        self.report(
            env,
            Diagnostic::error(format!("a hash function {what} no `{name}`"), written.span, "not this")
                .help(help),
        );
        self.poison()
    }
}

fn empty_hash(name: &ast::Name, ty: TypeId) -> hir::Hash {
    use linchpin_ir::index::Index;
    hir::Hash {
        name: name.text.clone(),
        param: hir::VarId::new(0),
        vars: IndexVec::new(),
        domain: ty,
        result: ty,
        body: None,
        span: name.span,
    }
}
