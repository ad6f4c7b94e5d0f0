//! The names of a text with their meaning, for editors: definitions, uses, types.
//!
//! The checker notes each name where it resolves it. The definitions themselves, `use`, `impl`, roles and
//! observers are added from the trees. A text with errors has the names that were resolved.

use super::collect::load::{UnitId, Units, uses};
use super::collect::names::{Def, DefId, DefKind, Lookup, NameTable, Namespace};
use crate::syntax::ast::{self, ItemKind, Name, SpecMember};
use linchpin_ir::source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A name in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameUse {
    pub at: Span,
    /// The name in the definition; of a definition, `at` itself. Of a module, the begin of its file.
    pub definition: Span,
    pub kind: NameKind,
    /// The type of a value, as a model writes it. `None`: not a value, or not known.
    pub ty: Option<String>,
}

/// What a name means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NameKind {
    /// A parameter or a variable of a function, a clause or a quantifier.
    Variable,
    Shared,
    /// A `local` variable of each thread.
    ThreadVariable,
    Constant,
    Alias,
    Struct,
    Word,
    Enum,
    Variant,
    Field,
    Operation,
    Function,
    Method,
    Hash,
    Specification,
    /// A parameter or a state variable of a specification.
    SpecVariable,
    Observer,
    Role,
    Module,
}

impl NameKind {
    pub(super) fn of(kind: &DefKind<'_>) -> NameKind {
        match kind {
            DefKind::Const(_) => NameKind::Constant,
            DefKind::Alias(_) => NameKind::Alias,
            DefKind::Enum(_) => NameKind::Enum,
            DefKind::Struct(_) => NameKind::Struct,
            DefKind::Word(_) => NameKind::Word,
            DefKind::Shared(_) => NameKind::Shared,
            DefKind::Local(_) => NameKind::ThreadVariable,
            DefKind::Op(_) => NameKind::Operation,
            DefKind::Fn(_) => NameKind::Function,
            DefKind::Method { .. } => NameKind::Method,
            DefKind::Hash { .. } => NameKind::Hash,
            DefKind::Spec(_) => NameKind::Specification,
        }
    }
}

/// Adds the names that the checker does not resolve, and returns all in the order of the text.
pub(super) fn completed(
    mut noted: Vec<NameUse>,
    units: &Units,
    names: &NameTable<'_>,
    spec: Option<DefId>,
) -> Vec<NameUse> {
    let mut found = Found { units, names, spec, all: Vec::new() };
    for def in names.defs.iter() {
        found.definition(def);
    }
    for unit in units.all.ids() {
        found.unit(unit);
    }
    let Found { all, .. } = found;
    // What the definitions say of a place comes first; the checker may know the type.
    noted.retain(|name| name.at != name.definition || !all.iter().any(|known| known.at == name.at));
    let mut joined = [all, noted].concat();
    joined.sort_by_key(|name| (name.at, name.definition != name.at, name.ty.is_none()));
    // A generic text is checked once for each instance.
    joined.dedup_by(|later, first| later.at == first.at && later.definition == first.definition);
    joined
}

struct Found<'u, 'a> {
    units: &'u Units,
    names: &'u NameTable<'a>,
    /// The specification of the object.
    spec: Option<DefId>,
    all: Vec<NameUse>,
}

impl<'a> Found<'_, 'a> {
    fn add(&mut self, at: &Name, definition: Span, kind: NameKind) {
        self.all.push(NameUse { at: at.span, definition, kind, ty: None });
    }

    fn own(&mut self, name: &Name, kind: NameKind) {
        self.add(name, name.span, kind);
    }

    fn definition(&mut self, def: &Def<'a>) {
        let kind = NameKind::of(&def.kind);
        let specified = match def.kind {
            DefKind::Op(_) => self.specified(&def.name.text),
            _ => None,
        };
        self.add(def.name, specified.unwrap_or(def.name.span), kind);
        match def.kind {
            DefKind::Enum(variants) => {
                variants.iter().for_each(|variant| self.own(variant, NameKind::Variant));
            }
            DefKind::Struct(record) | DefKind::Word(record) => {
                record.fields.iter().for_each(|field| self.own(&field.name, NameKind::Field));
            }
            DefKind::Spec(spec) => self.specification(spec),
            _ => {}
        }
    }

    /// Returns the first clause of an operation in the specification of the object.
    fn specified(&self, op: &str) -> Option<Span> {
        let DefKind::Spec(spec) = self.names.def(self.spec?).kind else { return None };
        operations(spec).get(op).copied()
    }

    fn specification(&mut self, spec: &ast::Spec) {
        let ops = operations(spec);
        spec.params.iter().for_each(|param| self.own(&param.name, NameKind::SpecVariable));
        for member in &spec.members {
            match member {
                SpecMember::State(variable, _) => self.own(&variable.name, NameKind::SpecVariable),
                SpecMember::Clause(clause) => {
                    for head in &clause.heads {
                        let name = &head.signature.name;
                        let first = ops.get(&name.text).copied().unwrap_or(name.span);
                        self.add(name, first, NameKind::Operation);
                    }
                }
                SpecMember::Observer(observer) => {
                    self.own(&observer.name, NameKind::Observer);
                    observer.params.iter().for_each(|param| self.own(&param.name, NameKind::SpecVariable));
                    for step in &observer.steps {
                        if let Some(first) = ops.get(&step.op.text) {
                            self.add(&step.op, *first, NameKind::Operation);
                        }
                    }
                }
            }
        }
    }

    fn unit(&mut self, unit: UnitId) {
        let this = &self.units.all[unit];
        for ((module, taken), used) in uses(&this.tree).zip(&this.uses) {
            let Some(used) = *used else { continue };
            let begin = self.units.all[used].tree.span;
            self.add(module, Span { end: begin.start, ..begin }, NameKind::Module);
            let ast::UseNames::Some(taken) = taken else { continue };
            for name in taken {
                for space in [Namespace::Type, Namespace::Value, Namespace::Function, Namespace::Spec] {
                    self.looked_up(unit, space, name);
                }
            }
        }
        for item in &this.tree.items {
            match &item.kind {
                ItemKind::Impl { target, .. } => self.looked_up(unit, Namespace::Type, target),
                ItemKind::Role { name, calls, .. } => {
                    self.own(name, NameKind::Role);
                    self.calls(unit, calls);
                }
                _ => {}
            }
        }
    }

    fn looked_up(&mut self, unit: UnitId, space: Namespace, name: &Name) {
        if let Lookup::Found(id) = self.names.lookup(unit, space, &name.text) {
            let def = self.names.def(id);
            let specified = match def.kind {
                DefKind::Op(_) => self.specified(&def.name.text),
                _ => None,
            };
            self.add(name, specified.unwrap_or(def.name.span), NameKind::of(&def.kind));
        }
    }

    fn calls(&mut self, unit: UnitId, calls: &ast::Calls) {
        match calls {
            ast::Calls::Op(name) => self.looked_up(unit, Namespace::Function, name),
            ast::Calls::Sequence(parts) | ast::Calls::Choice(parts) => {
                parts.iter().for_each(|part| self.calls(unit, part));
            }
            ast::Calls::Star(inner) | ast::Calls::Optional(inner) => self.calls(unit, inner),
        }
    }
}

/// Returns the operations of a specification, each with its first clause.
fn operations(spec: &ast::Spec) -> BTreeMap<Arc<str>, Span> {
    let mut ops = BTreeMap::new();
    for member in &spec.members {
        let SpecMember::Clause(clause) = member else { continue };
        for head in &clause.heads {
            let name = &head.signature.name;
            ops.entry(name.text.clone()).or_insert(name.span);
        }
    }
    ops
}

/// Returns the definition of a parameter or a state variable in the specification around a place.
pub(super) fn of_specification(names: &NameTable<'_>, unit: UnitId, at: &Name) -> Option<Span> {
    let around =
        |span: Span| span.file == at.span.file && span.start <= at.span.start && at.span.end <= span.end;
    let specs = names.defs.iter().filter(|def| def.unit == unit && around(def.span));
    let mut specs = specs.filter_map(|def| match def.kind {
        DefKind::Spec(spec) => Some(spec),
        _ => None,
    });
    let spec = specs.next_back()?;
    let observers = spec.members.iter().filter_map(|member| match member {
        SpecMember::Observer(observer) if around(observer.span) => Some(&observer.params),
        _ => None,
    });
    let states = spec.members.iter().filter_map(|member| match member {
        SpecMember::State(variable, _) => Some(&variable.name),
        _ => None,
    });
    let params = observers.flatten().chain(&spec.params).map(|param| &param.name);
    params.chain(states).find(|name| name.text == at.text).map(|name| name.span)
}
