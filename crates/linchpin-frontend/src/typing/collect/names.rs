//! Everything that has a name in a file, and what each name means there.
//!
//! Each file has four name spaces: types, variables with constants, functions, and specifications. In each, a
//! name written in the file hides a name from `use m::*`. A name from `use m::name` has the same rank as the
//! file's own names, so it may not repeat one. A module passes on the names that it took from other modules.
//! A specification that a file does not define is looked up in the library.

use super::load::{UnitId, Units, uses};
use crate::syntax::ast::{self, ItemKind, Name};
use crate::typing::suggest;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

linchpin_ir::index_types! {
    /// Something that the text defines.
    pub struct DefId;
}

#[derive(Clone, Copy)]
pub(in crate::typing) struct Def<'a> {
    pub unit: UnitId,
    pub name: &'a Name,
    pub kind: DefKind<'a>,
    pub span: Span,
}

#[derive(Clone, Copy)]
pub(in crate::typing) enum DefKind<'a> {
    Const(&'a ast::Expr),
    Alias(&'a ast::Type),
    Enum(&'a [Name]),
    Struct(&'a ast::Record),
    Word(&'a ast::Record),
    Shared(&'a ast::Variable),
    Local(&'a ast::Variable),
    Op(&'a ast::Function),
    Fn(&'a ast::Function),
    /// A function of an `impl`; `params` are the names it gives to the type's parameters.
    Method {
        function: &'a ast::Function,
        params: &'a [Name],
    },
    Hash {
        param: &'a Name,
        param_type: &'a ast::Type,
        result: &'a ast::Type,
        body: Option<&'a ast::Expr>,
    },
    Spec(&'a ast::Spec),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::typing) enum Namespace {
    Type,
    Value,
    Function,
    Spec,
}

/// What a name means in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::typing) enum Lookup {
    Found(DefId),
    Unknown,
    /// A part of the file could not be read, and may define it. The error is reported.
    Lost,
}

pub(in crate::typing) struct NameTable<'a> {
    pub defs: IndexVec<DefId, Def<'a>>,
    scopes: IndexVec<UnitId, Scope>,
    specifications: UnitId,
    methods: BTreeMap<DefId, BTreeMap<Arc<str>, DefId>>,
    /// The methods in the order of the text.
    pub methods_in_order: Vec<(DefId, DefId)>,
}

impl<'a> NameTable<'a> {
    pub fn def(&self, id: DefId) -> Def<'a> {
        self.defs[id]
    }

    pub fn lookup(&self, unit: UnitId, space: Namespace, name: &str) -> Lookup {
        let scope = &self.scopes[unit];
        if let Some(entry) = scope.space(space).get(name) {
            return Lookup::Found(entry.def);
        }
        if scope.lost.contains(name) {
            return Lookup::Lost;
        }
        if space == Namespace::Spec && unit != self.specifications {
            let library = self.lookup(self.specifications, space, name);
            if let Lookup::Found(_) = library {
                return library;
            }
        }
        if scope.open { Lookup::Lost } else { Lookup::Unknown }
    }

    /// The names of one space that a file can use, in alphabetical order.
    pub fn known(&self, unit: UnitId, space: Namespace) -> impl Iterator<Item = (&str, DefId)> {
        self.scopes[unit].space(space).iter().map(|(name, entry)| (&**name, entry.def))
    }

    pub fn known_specifications(&self, unit: UnitId) -> Vec<&str> {
        let own = self.known(unit, Namespace::Spec);
        let library = self.known(self.specifications, Namespace::Spec);
        own.chain(library).map(|(name, _)| name).collect()
    }

    pub fn method(&self, of: DefId, name: &str) -> Option<DefId> {
        self.methods.get(&of)?.get(name).copied()
    }

    pub fn methods_of(&self, of: DefId) -> Vec<&str> {
        self.methods.get(&of).into_iter().flat_map(|methods| methods.keys()).map(|name| &**name).collect()
    }
}

impl DefKind<'_> {
    /// "a struct"
    pub fn noun(&self) -> &'static str {
        match self {
            DefKind::Const(_) => "a constant",
            DefKind::Alias(_) => "a type",
            DefKind::Enum(_) => "an enum",
            DefKind::Struct(_) => "a struct",
            DefKind::Word(_) => "a word",
            DefKind::Shared(_) => "a shared variable",
            DefKind::Local(_) => "a local variable",
            DefKind::Op(_) => "an operation",
            DefKind::Fn(_) => "a function",
            DefKind::Method { .. } => "a method",
            DefKind::Hash { .. } => "a hash function",
            DefKind::Spec(_) => "a specification",
        }
    }

    /// The names of its type parameters.
    pub fn type_params(&self) -> &[Name] {
        match self {
            DefKind::Struct(record) | DefKind::Word(record) => &record.type_params,
            DefKind::Spec(spec) => &spec.type_params,
            _ => &[],
        }
    }

    fn space(&self) -> Namespace {
        match self {
            DefKind::Alias(_) | DefKind::Enum(_) | DefKind::Struct(_) | DefKind::Word(_) => Namespace::Type,
            DefKind::Const(_) | DefKind::Shared(_) | DefKind::Local(_) => Namespace::Value,
            DefKind::Op(_) | DefKind::Fn(_) | DefKind::Method { .. } | DefKind::Hash { .. } => {
                Namespace::Function
            }
            DefKind::Spec(_) => Namespace::Spec,
        }
    }
}

/// Collects the names of all units.
pub(in crate::typing) fn collect<'a>(units: &'a Units, diagnostics: &mut Vec<Diagnostic>) -> NameTable<'a> {
    let mut names = NameTable {
        defs: IndexVec::new(),
        scopes: IndexVec::new(),
        specifications: units.specifications,
        methods: BTreeMap::new(),
        methods_in_order: Vec::new(),
    };
    for unit in units.all.ids() {
        let mut scope =
            Scope { spaces: Default::default(), lost: BTreeSet::new(), open: units.all[unit].broken };
        own_names(&mut names, units, unit, &mut scope, diagnostics);
        names_taken_by_name(&names, units, unit, &mut scope, diagnostics);
        names_taken_as_a_whole(&names, units, unit, &mut scope, diagnostics);
        names.scopes.push(scope);
        methods(&mut names, units, unit, diagnostics);
    }
    names
}

struct Scope {
    /// One for each [`Namespace`].
    spaces: [BTreeMap<Arc<str>, Entry>; 4],
    /// Names of a `use` that failed.
    lost: BTreeSet<Arc<str>>,
    /// Any unknown name may be lost: a module is missing, or the file has syntax errors.
    open: bool,
}

impl Scope {
    fn space(&self, space: Namespace) -> &BTreeMap<Arc<str>, Entry> {
        &self.spaces[space as usize]
    }

    fn space_mut(&mut self, space: Namespace) -> &mut BTreeMap<Arc<str>, Entry> {
        &mut self.spaces[space as usize]
    }
}

struct Entry {
    def: DefId,
    span: Span,
    origin: EntryOrigin,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryOrigin {
    Own,
    Named,
    Whole,
}

fn own_names<'a>(
    names: &mut NameTable<'a>,
    units: &'a Units,
    unit: UnitId,
    scope: &mut Scope,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for item in &units.all[unit].tree.items {
        let Some((name, kind)) = definition(item) else { continue };
        let def = names.defs.push(Def { unit, name, kind, span: item.span });
        // Code does not call operations, so `cas(…)` is the primitive even where an operation has this name.
        let is_operation = matches!(kind, DefKind::Op(_));
        if kind.space() == Namespace::Function && !is_operation && is_primitive(&name.text) {
            diagnostics.push(
                Diagnostic::error(
                    format!("`{}` is a primitive of the language", name.text),
                    name.span,
                    "this name is taken",
                )
                .help("give the function another name"),
            );
            continue;
        }
        let space = scope.space_mut(kind.space());
        if let Some(first) = space.get(&name.text) {
            diagnostics.push(twice(name, first.span));
            continue;
        }
        space.insert(name.text.clone(), Entry { def, span: name.span, origin: EntryOrigin::Own });
    }
}

fn definition(item: &ast::Item) -> Option<(&Name, DefKind<'_>)> {
    Some(match &item.kind {
        ItemKind::Const { name, value } => (name, DefKind::Const(value)),
        ItemKind::TypeAlias { name, ty } => (name, DefKind::Alias(ty)),
        ItemKind::Enum { name, variants } => (name, DefKind::Enum(variants)),
        ItemKind::Struct(record) => (&record.name, DefKind::Struct(record)),
        ItemKind::Word(record) => (&record.name, DefKind::Word(record)),
        ItemKind::Shared(variable) => (&variable.name, DefKind::Shared(variable)),
        ItemKind::Local(variable) => (&variable.name, DefKind::Local(variable)),
        ItemKind::Op(function) => (&function.signature.name, DefKind::Op(function)),
        ItemKind::Fn(function) => (&function.signature.name, DefKind::Fn(function)),
        ItemKind::Hash { name, param, param_type, result, body } => {
            (name, DefKind::Hash { param, param_type, result, body: body.as_ref() })
        }
        ItemKind::Spec(spec) => (&spec.name, DefKind::Spec(spec)),
        ItemKind::Memory(_)
        | ItemKind::Use { .. }
        | ItemKind::Init(_)
        | ItemKind::Impl { .. }
        | ItemKind::Role { .. }
        | ItemKind::Check(_)
        | ItemKind::Prove { .. } => return None,
    })
}

fn names_taken_by_name(
    names: &NameTable<'_>,
    units: &Units,
    unit: UnitId,
    scope: &mut Scope,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let this = &units.all[unit];
    for ((module, taken), used) in uses(&this.tree).zip(&this.uses) {
        let ast::UseNames::Some(taken) = taken else { continue };
        for name in taken {
            let Some(used) = *used else {
                scope.lost.insert(name.text.clone());
                continue;
            };
            let source = &names.scopes[used];
            let mut found = false;
            for (own, theirs) in scope.spaces.iter_mut().zip(&source.spaces) {
                let Some(entry) = theirs.get(&name.text) else { continue };
                found = true;
                match own.get(&name.text) {
                    Some(first) if first.def == entry.def => {}
                    Some(first) => diagnostics.push(twice(name, first.span)),
                    None => {
                        let entry = Entry { def: entry.def, span: name.span, origin: EntryOrigin::Named };
                        own.insert(name.text.clone(), entry);
                    }
                }
            }
            if !found {
                scope.lost.insert(name.text.clone());
                if !source.open && !source.lost.contains(&name.text) {
                    diagnostics.push(unknown_item(module, name, source));
                }
            }
        }
    }
}

fn unknown_item(module: &Name, name: &Name, source: &Scope) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        format!("module `{}` has no `{}`", module.text, name.text),
        name.span,
        "not found in this module",
    );
    let known: BTreeSet<&str> = source.spaces.iter().flat_map(BTreeMap::keys).map(|name| &**name).collect();
    diagnostic.help = suggest::help(&name.text, known);
    diagnostic
}

fn names_taken_as_a_whole(
    names: &NameTable<'_>,
    units: &Units,
    unit: UnitId,
    scope: &mut Scope,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let this = &units.all[unit];
    for ((module, taken), used) in uses(&this.tree).zip(&this.uses) {
        if !matches!(taken, ast::UseNames::All) {
            continue;
        }
        let Some(used) = *used else {
            scope.open = true;
            continue;
        };
        let source = &names.scopes[used];
        scope.open |= source.open;
        for (own, theirs) in scope.spaces.iter_mut().zip(&source.spaces) {
            for (name, entry) in theirs {
                match own.get(name) {
                    Some(first) if first.origin == EntryOrigin::Whole && first.def != entry.def => {
                        diagnostics.push(from_two_modules(name, module, first.span));
                    }
                    Some(_) => {}
                    None => {
                        let entry = Entry { def: entry.def, span: module.span, origin: EntryOrigin::Whole };
                        own.insert(name.clone(), entry);
                    }
                }
            }
        }
    }
}

fn from_two_modules(name: &str, module: &Name, first: Span) -> Diagnostic {
    Diagnostic::error(
        format!("`{name}` comes from two modules"),
        module.span,
        format!("`{}` defines it", module.text),
    )
    .label(first, "this module defines it too")
    .help(format!("choose one: `use {}::{name};`", module.text))
}

fn methods<'a>(names: &mut NameTable<'a>, units: &'a Units, unit: UnitId, diagnostics: &mut Vec<Diagnostic>) {
    for item in &units.all[unit].tree.items {
        let ItemKind::Impl { type_params, target, target_params, functions } = &item.kind else { continue };
        let Some(of) = impl_target(names, unit, target, diagnostics) else { continue };
        if !parameters_fit(names, of, type_params, target, target_params, diagnostics) {
            continue;
        }
        for function in functions {
            let name = &function.signature.name;
            let kind = DefKind::Method { function, params: target_params };
            let def = names.defs.push(Def { unit, name, kind, span: function.span });
            let known = names.methods.entry(of).or_default();
            if let Some(first) = known.get(&name.text) {
                diagnostics.push(twice(name, names.defs[*first].name.span));
                continue;
            }
            known.insert(name.text.clone(), def);
            names.methods_in_order.push((of, def));
        }
    }
}

fn impl_target(
    names: &NameTable<'_>,
    unit: UnitId,
    target: &Name,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<DefId> {
    match names.lookup(unit, Namespace::Type, &target.text) {
        Lookup::Found(def) => match names.defs[def].kind {
            DefKind::Struct(_) | DefKind::Word(_) | DefKind::Enum(_) => Some(def),
            other => {
                diagnostics.push(
                    Diagnostic::error(
                        "methods belong to a struct, a word or an enum",
                        target.span,
                        format!("this is {}", other.noun()),
                    )
                    .label(names.defs[def].name.span, "defined here"),
                );
                None
            }
        },
        Lookup::Lost => None,
        Lookup::Unknown => {
            let mut diagnostic =
                Diagnostic::error(format!("there is no type `{}`", target.text), target.span, "not found");
            let known = names.known(unit, Namespace::Type).map(|(name, _)| name);
            diagnostic.help = suggest::help(&target.text, known);
            diagnostics.push(diagnostic);
            None
        }
    }
}

fn parameters_fit(
    names: &NameTable<'_>,
    of: DefId,
    type_params: &[Name],
    target: &Name,
    target_params: &[Name],
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let wanted = names.defs[of].kind.type_params();
    let names_of = |params: &[Name]| params.iter().map(|p| p.text.clone()).collect::<Vec<_>>();
    let declared = names_of(type_params);
    let given = names_of(target_params);
    let distinct = given.iter().collect::<BTreeSet<_>>().len() == given.len();
    if wanted.len() == given.len() && declared == given && distinct {
        return true;
    }
    let params = if wanted.is_empty() {
        String::new()
    } else {
        let letters: Vec<&str> = wanted.iter().map(|p| &*p.text).collect();
        format!("<{}>", letters.join(", "))
    };
    diagnostics.push(
        Diagnostic::error(
            "the type parameters of this `impl` are not those of its type",
            target.span,
            format!("`{}` has {}", target.text, count(wanted.len(), "type parameter")),
        )
        .label(names.defs[of].name.span, "defined here")
        .help(format!("write `impl{params} {}{params}`", target.text)),
    );
    false
}

/// The functions that the language itself defines; a model cannot define a function with such a name.
pub(in crate::typing) const PRIMITIVES: [&str; 9] =
    ["cas", "cmpxchg", "dcas", "swap", "fetch_add", "ll", "sc", "free", "ord"];

pub(in crate::typing) fn is_primitive(name: &str) -> bool {
    PRIMITIVES.contains(&name)
}

fn twice(name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error(format!("`{}` is defined twice", name.text), name.span, "the second time here")
        .label(first, "the first time here")
        .help("give one of the two another name")
}

/// "no fields", "1 field", "3 fields"
pub(in crate::typing) fn count(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}
