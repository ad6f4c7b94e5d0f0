//! Expansion of type parameters. Every struct, word and enum that the program uses becomes a type of its own,
//! once for each list of type arguments.
//!
//! An expansion need not end (`struct S<T> { next: *S<S<T>> }`), so the number of expansions and the length
//! of their names are limited.

use super::context::{Checker, Env};
use crate::syntax::ast::{self, Name};
use crate::typing::collect::names::{DefId, DefKind};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::{Enum, Field, Pointee, Record, TypeId, TypeKind};
use std::collections::BTreeMap;
use std::sync::Arc;

const MOST_INSTANCES: usize = 1000;
const LONGEST_NAME: usize = 300;

impl<'a> Checker<'a> {
    /// The type that a struct, word or enum is for these type arguments. Its fields are resolved by
    /// [`Self::resolve_pending`].
    pub fn instantiate(&mut self, env: &Env, def: DefId, args: Vec<TypeId>, asked: Span) -> TypeId {
        let key = (def, args);
        if let Some(&id) = self.instances.get(&key) {
            return id;
        }
        let definition = self.def(def);
        let name = self.instance_name(definition.name, &key.1);
        if !key.1.is_empty() {
            self.generic_instances += 1;
            if self.generic_instances > MOST_INSTANCES || name.len() > LONGEST_NAME {
                return self.endless_expansion(env, definition.name, asked);
            }
        }
        let span = definition.span;
        let kind = match definition.kind {
            DefKind::Struct(_) => {
                TypeKind::Struct(self.types.structs.push(Record { name, fields: Vec::new(), span }))
            }
            DefKind::Word(_) => {
                TypeKind::Word(self.types.words.push(Record { name, fields: Vec::new(), span }))
            }
            DefKind::Enum(variants) => {
                if variants.is_empty() {
                    self.report_plain(Diagnostic::error(
                        format!("enum `{}` has no variants", definition.name.text),
                        definition.name.span,
                        "an enum needs at least one variant",
                    ));
                }
                let variants = self.variants(variants);
                TypeKind::Enum(self.types.enums.push(Enum { name, variants, span }))
            }
            _ => return self.poison(),
        };
        let id = self.types.intern(kind);
        self.instances.insert(key.clone(), id);
        self.origins.insert(id, key);
        if !matches!(kind, TypeKind::Enum(_)) {
            self.unfilled.push_back(id);
        }
        id
    }

    /// Resolves the fields of all pending structs and words, and of those that the fields use.
    pub fn resolve_pending(&mut self) {
        while let Some(id) = self.unfilled.pop_front() {
            self.fill(id);
            self.unmeasured.push_back(id);
        }
        while let Some(id) = self.unmeasured.pop_front() {
            self.measure_record(id);
        }
    }

    /// Returns the type parameters with their types.
    pub fn bind(&self, params: &[Name], args: &[TypeId]) -> std::rc::Rc<[(Arc<str>, TypeId)]> {
        params.iter().map(|param| param.text.clone()).zip(args.iter().copied()).collect()
    }

    /// Finds type arguments by laying a written type beside a type that it should be equal to.
    pub fn unify(
        &self,
        params: &[Name],
        written: &ast::Type,
        found: TypeId,
        bindings: &mut BTreeMap<Arc<str>, TypeId>,
    ) {
        if self.is_poison(found) {
            return;
        }
        let kind = self.types.kind(found);
        match (&written.kind, kind) {
            (ast::TypeKind::Named { name, .. }, _) if params.iter().any(|param| param.text == name.text) => {
                bindings.entry(name.text.clone()).or_insert(found);
            }
            (ast::TypeKind::Named { args, .. }, _) => {
                let Some((_, found_args)) = self.origins.get(&found) else { return };
                for (written, found) in args.iter().zip(found_args) {
                    self.unify(params, written, *found, bindings);
                }
            }
            (ast::TypeKind::Pointer(to), TypeKind::Pointer(Pointee::Struct(id))) => {
                if let Some(target) = self.struct_type(id) {
                    self.unify(params, to, target, bindings);
                }
            }
            (ast::TypeKind::Option(inner), TypeKind::Option(of)) => self.unify(params, inner, of, bindings),
            (ast::TypeKind::Option(inner), _) => self.unify(params, inner, found, bindings),
            (ast::TypeKind::PointerToArray(inner), TypeKind::Pointer(Pointee::Array(of)))
            | (ast::TypeKind::Array(inner, _), TypeKind::Array(of, _))
            | (ast::TypeKind::Seq(inner), TypeKind::Seq(of))
            | (ast::TypeKind::Set(inner), TypeKind::Set(of))
            | (ast::TypeKind::Bag(inner), TypeKind::Bag(of)) => self.unify(params, inner, of, bindings),
            (ast::TypeKind::Map(key, value), TypeKind::Map(found_key, found_value)) => {
                self.unify(params, key, found_key, bindings);
                self.unify(params, value, found_value, bindings);
            }
            _ => {}
        }
    }

    fn struct_type(&self, id: linchpin_ir::types::StructId) -> Option<TypeId> {
        self.types.ids().find(|ty| self.types.kind(*ty) == TypeKind::Struct(id))
    }

    fn instance_name(&self, name: &Name, args: &[TypeId]) -> Arc<str> {
        if args.is_empty() {
            return name.text.clone();
        }
        let args: Vec<String> = args.iter().map(|arg| self.type_name(*arg)).collect();
        format!("{}<{}>", name.text, args.join(", ")).into()
    }

    fn endless_expansion(&mut self, env: &Env, name: &Name, asked: Span) -> TypeId {
        // One report is enough: the others would differ in their type arguments only.
        let plain = Env { instance: None, ..env.clone() };
        self.report(
            &plain,
            Diagnostic::error(
                format!("the type parameters of `{}` expand without end", name.text),
                asked,
                "each expansion asks for a larger one",
            )
            .label(name.span, "defined here")
            .help("a struct may use itself with the same type arguments only"),
        );
        self.poison()
    }

    fn variants(&mut self, variants: &'a [Name]) -> Vec<Arc<str>> {
        for (i, variant) in variants.iter().enumerate() {
            if let Some(first) = variants.iter().take(i).find(|first| first.text == variant.text) {
                self.report_plain(
                    Diagnostic::error(
                        format!("variant `{}` is declared twice", variant.text),
                        variant.span,
                        "the second time here",
                    )
                    .label(first.span, "the first time here"),
                );
            }
        }
        variants.iter().map(|variant| variant.text.clone()).collect()
    }

    fn fill(&mut self, id: TypeId) {
        let Some((def, args)) = self.origins.get(&id).cloned() else { return };
        let definition = self.def(def);
        let (DefKind::Struct(record) | DefKind::Word(record)) = definition.kind else { return };
        let is_word = matches!(definition.kind, DefKind::Word(_));
        let instance = (!args.is_empty()).then(|| self.type_name(id).into());
        let env =
            Env { types: self.bind(&record.type_params, &args), instance, ..Env::of_unit(definition.unit) };
        let mut fields: Vec<Field> = Vec::new();
        for field in &record.fields {
            if let Some(first) = fields.iter().find(|first| first.name == field.name.text) {
                let diagnostic = Diagnostic::error(
                    format!("field `{}` is declared twice", field.name.text),
                    field.name.span,
                    "the second time here",
                )
                .label(first.span, "the first time here");
                self.report(&env, diagnostic);
                continue;
            }
            let mut ty = self.resolve(&env, &field.ty);
            if is_word {
                ty = self.must_be_value(&env, ty, field.ty.span, "a field of a word");
            }
            fields.push(Field { name: field.name.text.clone(), ty, span: field.name.span });
        }
        match self.types.kind(id) {
            TypeKind::Struct(s) => self.types.structs[s].fields = fields,
            TypeKind::Word(w) => self.types.words[w].fields = fields,
            _ => {}
        }
    }
}
