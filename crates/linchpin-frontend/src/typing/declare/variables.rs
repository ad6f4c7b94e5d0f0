//! `shared` and `local` variables and hash functions: their names and types, without their values.

use super::context::{Checker, Env};
use crate::syntax::ast;
use crate::typing::collect::names::{DefId, DefKind};
use crate::typing::hir::{self, HashId, SharedId, ThreadVarId};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::{Index, IndexVec};
use linchpin_ir::types::{TypeId, TypeKind};

impl<'a> Checker<'a> {
    /// The shared variable of a definition, and whether it is declared by this call.
    pub fn declare_shared(&mut self, def: DefId) -> (SharedId, bool) {
        if let Some(&id) = self.shared_ids.get(&def) {
            return (id, false);
        }
        let definition = self.def(def);
        let ty = match definition.kind {
            DefKind::Shared(variable) => self.type_of(&Env::of_unit(definition.unit), &variable.ty),
            _ => self.poison(),
        };
        let name = definition.name;
        let id =
            self.shared.push(hir::TypedVariable { name: name.text.clone(), ty, init: None, span: name.span });
        self.shared_ids.insert(def, id);
        (id, true)
    }

    /// The `local` variable of a definition, and whether it is declared by this call.
    pub fn declare_thread_variable(&mut self, def: DefId) -> (ThreadVarId, bool) {
        if let Some(&id) = self.thread_var_ids.get(&def) {
            return (id, false);
        }
        let definition = self.def(def);
        let ty = match definition.kind {
            DefKind::Local(variable) => {
                let env = Env::of_unit(definition.unit);
                let ty = self.type_of(&env, &variable.ty);
                self.no_locks(&env, ty, &variable.ty)
            }
            _ => self.poison(),
        };
        let name = definition.name;
        let id = self.thread_vars.push(hir::TypedVariable {
            name: name.text.clone(),
            ty,
            init: None,
            span: name.span,
        });
        self.thread_var_ids.insert(def, id);
        (id, true)
    }

    /// The hash function of a definition, and whether it is declared by this call.
    pub fn declare_hash(&mut self, def: DefId) -> (HashId, bool) {
        if let Some(&id) = self.hash_ids.get(&def) {
            return (id, false);
        }
        let definition = self.def(def);
        let env = Env::of_unit(definition.unit);
        let (domain, result) = match definition.kind {
            DefKind::Hash { param_type, result, .. } => {
                let domain = self.value_type(&env, param_type, "the parameter of a hash function");
                let domain = self.finite(&env, domain, param_type, true);
                let range = self.value_type(&env, result, "the result of a hash function");
                (domain, self.finite(&env, range, result, false))
            }
            _ => (self.poison(), self.poison()),
        };
        let id = self.hashes.push(hir::Hash {
            name: definition.name.text.clone(),
            param: hir::VarId::new(0),
            vars: IndexVec::new(),
            domain,
            result,
            body: None,
            span: definition.name.span,
        });
        self.hash_ids.insert(def, id);
        (id, true)
    }

    fn no_locks(&mut self, env: &Env, ty: TypeId, written: &ast::Type) -> TypeId {
        if self.is_poison(ty) || !self.has_lock(ty) {
            return ty;
        }
        self.report(
            env,
            Diagnostic::error(
                "a `local` variable cannot hold a lock",
                written.span,
                "each thread has its own copy",
            )
            .help("put locks and conditions into structs, arrays or `shared` variables"),
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
            ("take", "use `data`, `key`, `thread`, `bool`, an enum or a range")
        } else {
            ("return", "use a range, `bool` or an enum")
        };
        let name = self.type_name(ty);
        self.report(
            env,
            Diagnostic::error(
                format!("a hash function cannot {what} `{name}`"),
                written.span,
                "wrong kind of value",
            )
            .help(help),
        );
        self.poison()
    }
}
