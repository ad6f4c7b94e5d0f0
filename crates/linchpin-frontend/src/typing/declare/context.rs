//! The state of the check of one program: names, types, constants, declared functions, and errors.
//!
//! **Poison.** An erroneous expression gets the type [`Checker::poison`], which fits everywhere. So one
//! mistake is reported once. The poison type is a range that no text can write, made only after an error is
//! reported. A program with an error is dropped, so the poison type never leaves the checker.

use super::consts::ConstState;
use super::functions::Head;
use super::spec_scope::SpecScope;
use crate::syntax::ast::Name;
use crate::typing::Setting;
use crate::typing::collect::load::{UnitId, Units};
use crate::typing::collect::names::{Def, DefId, NameTable};
use crate::typing::hir;
use crate::typing::names_used::{NameKind, NameUse};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind, TypeTable};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

pub(in crate::typing) struct Checker<'a> {
    pub setting: &'a Setting,
    pub units: &'a Units,
    pub names: &'a NameTable<'a>,
    pub memory: hir::MemoryKind,
    pub threads_used_at: Option<Span>,
    pub types: TypeTable,

    pub constants: FxHashMap<DefId, ConstState>,
    pub const_depth: usize,

    pub aliases: FxHashMap<DefId, Option<TypeId>>,
    pub alias_depth: usize,
    /// The struct, word or enum that a definition became for given type arguments, and back.
    pub instances: FxHashMap<(DefId, Vec<TypeId>), TypeId>,
    pub origins: FxHashMap<TypeId, (DefId, Vec<TypeId>)>,
    pub generic_instances: usize,
    /// Structs and words whose fields are not resolved yet.
    pub unfilled: VecDeque<TypeId>,
    /// Those whose size is not known yet.
    pub unmeasured: VecDeque<TypeId>,
    pub widths: FxHashMap<TypeId, u64>,

    pub shared: IndexVec<hir::SharedId, hir::TypedVariable>,
    pub shared_ids: FxHashMap<DefId, hir::SharedId>,
    pub thread_vars: IndexVec<hir::ThreadVarId, hir::TypedVariable>,
    pub thread_var_ids: FxHashMap<DefId, hir::ThreadVarId>,
    pub hashes: IndexVec<hir::HashId, hir::Hash>,
    pub hash_ids: FxHashMap<DefId, hir::HashId>,
    pub hash_calls: Vec<(hir::HashId, hir::HashId, Span)>,

    pub function_ids: FxHashMap<(DefId, Vec<TypeId>), hir::FunctionId>,
    pub heads: IndexVec<hir::FunctionId, Head<'a>>,
    pub queue: VecDeque<hir::FunctionId>,

    /// The names that were resolved. `None`: not wanted.
    pub names_used: Option<Vec<NameUse>>,
    /// The specification of the object.
    pub specification_used: Option<DefId>,

    diagnostics: Vec<Diagnostic>,
    reported: FxHashSet<(Span, String)>,
    reported_places: FxHashSet<Span>,
}

/// The meaning of names of types and constants at a place, besides the names of its file.
#[derive(Clone)]
pub(in crate::typing) struct Env {
    pub unit: UnitId,
    /// The type parameters and their types.
    pub types: Rc<[(Arc<str>, TypeId)]>,
    /// The specification's parameters and state, inside one.
    pub spec: Option<Rc<SpecScope>>,
    /// Which expansion of a generic text this is: `ArrayList<data>`.
    pub instance: Option<Arc<str>>,
}

impl Env {
    pub fn of_unit(unit: UnitId) -> Env {
        Env { unit, types: Rc::from([]), spec: None, instance: None }
    }
}

impl<'a> Checker<'a> {
    pub fn new(
        setting: &'a Setting,
        units: &'a Units,
        names: &'a NameTable<'a>,
        memory: hir::MemoryKind,
    ) -> Self {
        Checker {
            setting,
            units,
            names,
            memory,
            threads_used_at: None,
            types: TypeTable::new(),
            constants: FxHashMap::default(),
            const_depth: 0,
            aliases: FxHashMap::default(),
            alias_depth: 0,
            instances: FxHashMap::default(),
            origins: FxHashMap::default(),
            generic_instances: 0,
            unfilled: VecDeque::new(),
            unmeasured: VecDeque::new(),
            widths: FxHashMap::default(),
            shared: IndexVec::new(),
            shared_ids: FxHashMap::default(),
            thread_vars: IndexVec::new(),
            thread_var_ids: FxHashMap::default(),
            hashes: IndexVec::new(),
            hash_ids: FxHashMap::default(),
            hash_calls: Vec::new(),
            function_ids: FxHashMap::default(),
            heads: IndexVec::new(),
            queue: VecDeque::new(),
            names_used: None,
            specification_used: None,
            diagnostics: Vec::new(),
            reported: FxHashSet::default(),
            reported_places: FxHashSet::default(),
        }
    }

    pub fn def(&self, id: DefId) -> Def<'a> {
        self.names.def(id)
    }

    /// Reports a finding. In the expansion of a generic text it says which one, and a place that was reported
    /// for one expansion is not reported again for another.
    pub fn report(&mut self, env: &Env, mut diagnostic: Diagnostic) {
        let Some(place) = diagnostic.labels.first().map(|label| label.span) else { return };
        if let Some(instance) = &env.instance {
            if self.reported_places.contains(&place) {
                return;
            }
            diagnostic = diagnostic.note(format!("in `{instance}`"));
        }
        if self.reported.insert((place, diagnostic.title.clone())) {
            self.reported_places.insert(place);
            self.diagnostics.push(diagnostic);
        }
    }

    /// Notes the meaning of a name, if names are wanted. `ty` is the type of a value.
    pub fn note(&mut self, at: Span, definition: Span, kind: NameKind, ty: Option<TypeId>) {
        if self.names_used.is_none() {
            return;
        }
        let ty = ty.filter(|ty| !self.is_poison(*ty)).map(|ty| self.types.name(ty));
        if let Some(names) = &mut self.names_used {
            names.push(NameUse { at, definition, kind, ty });
        }
    }

    /// Notes the name of something that an item defines.
    pub fn note_def(&mut self, at: &Name, def: DefId, ty: Option<TypeId>) {
        let definition = self.def(def);
        self.note(at.span, definition.name.span, NameKind::of(&definition.kind), ty);
    }

    /// Reports a finding of the program as a whole.
    pub fn report_plain(&mut self, diagnostic: Diagnostic) {
        self.report(&Env::of_unit(self.units.root), diagnostic);
    }

    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Returns the type of an erroneous expression. Call it only after the error was reported.
    pub fn poison(&mut self) -> TypeId {
        self.types.intern(POISON)
    }

    pub fn is_poison(&self, ty: TypeId) -> bool {
        self.types.kind(ty) == POISON
    }

    /// The number of threads, for `threads` at this place.
    pub fn threads(&mut self, at: Span) -> i64 {
        self.threads_used_at.get_or_insert(at);
        i64::from(self.setting.threads)
    }

    pub fn bool(&mut self) -> TypeId {
        self.types.intern(TypeKind::Bool)
    }

    pub fn int(&mut self) -> TypeId {
        self.types.intern(TypeKind::Int)
    }

    pub fn unit(&mut self) -> TypeId {
        self.types.intern(TypeKind::Unit)
    }

    pub fn option(&mut self, of: TypeId) -> TypeId {
        if self.is_poison(of) { of } else { self.types.intern(TypeKind::Option(of)) }
    }

    pub fn type_name(&self, ty: TypeId) -> String {
        self.types.name(ty)
    }

    /// It can be copied, stored at once and compared. Structs, locks and conditions, and arrays of them,
    /// cannot.
    pub fn is_value(&self, ty: TypeId) -> bool {
        match self.types.kind(ty) {
            TypeKind::Struct(_) | TypeKind::Lock | TypeKind::Condvar | TypeKind::Unit => false,
            TypeKind::Array(element, _) => self.is_value(element),
            _ => true,
        }
    }
}

const POISON: TypeKind = TypeKind::Range { low: i64::MAX, high: i64::MIN };
