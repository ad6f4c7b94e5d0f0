//! Literals of words and arrays, and `new`.
//!
//! The type arguments of a generic word or struct come from the expected type, if it is an instance of it.
//! Otherwise they come from the types of the fields' values.

use super::body::{Body, Stage};
use super::convert::Why;
use super::operators::needs_hint;
use crate::syntax::ast::{self, FieldInit, Name};
use crate::typing::collect::names::{DefId, DefKind, Lookup, Namespace, count};
use crate::typing::hir::{TypedExpr, TypedExprKind};
use crate::typing::names_used::NameKind;
use crate::typing::suggest;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::number_of;
use linchpin_ir::source::Span;
use linchpin_ir::types::{Field, Pointee, TypeId, TypeKind};
use std::collections::BTreeMap;

/// What a literal is of.
enum Target {
    Known(TypeId),
    /// A generic definition whose arguments are to be found.
    Generic(DefId),
    Wrong,
}

/// A field with its value: checked already, or to be checked when the type is known.
enum Given<'a> {
    Checked(TypedExpr),
    Written(&'a ast::Expr),
    /// `name` alone.
    Short(TypedExpr),
}

impl<'a> Body<'_, 'a> {
    pub fn word_literal(
        &mut self,
        name: &'a Name,
        inits: &'a [FieldInit],
        span: Span,
        hint: Option<TypeId>,
    ) -> TypedExpr {
        let target = self.named_target(name);
        let hint = hint.map(|hint| self.without_option(hint));
        let Some((ty, given)) = self.instance(target, name, inits, hint) else {
            return self.poison_expr(span);
        };
        let TypeKind::Word(word) = self.cx.types.kind(ty) else {
            let diagnostic = self.not_a_word(ty, name);
            self.report(diagnostic);
            return self.poison_expr(span);
        };
        let record = self.cx.types.words[word].fields.clone();
        let Some(named) = self.fields(ty, &record, given) else { return self.poison_expr(span) };
        let mut order: Vec<usize> = named.iter().map(|(number, _)| *number).collect();
        let mut named: BTreeMap<usize, TypedExpr> = named.into_iter().collect();
        let mut fields = Vec::new();
        for (number, field) in record.iter().enumerate() {
            fields.push(match named.remove(&number) {
                Some(value) => value,
                None => {
                    order.push(number);
                    self.default_value(field.ty, span)
                }
            });
        }
        TypedExpr { kind: TypedExprKind::Word { word, fields, order }, ty, span }
    }

    pub fn new_struct(
        &mut self,
        written: &'a ast::Type,
        inits: &'a [FieldInit],
        span: Span,
        hint: Option<TypeId>,
    ) -> TypedExpr {
        if self.stage != Stage::SharedInitial && !self.only_in_code("`new`", span) {
            return self.poison_expr(span);
        }
        let (target, name) = match &written.kind {
            ast::TypeKind::Named { name, args } if args.is_empty() => (self.named_target(name), Some(name)),
            _ => {
                let ty = self.cx.type_of(&self.env, written);
                (if self.is_poison(ty) { Target::Wrong } else { Target::Known(ty) }, None)
            }
        };
        let hint = hint.map(|hint| self.without_option(hint)).and_then(|hint| self.pointee(hint));
        let shown = Name { text: self.source_name(name), span: written.span };
        let Some((ty, given)) = self.instance(target, &shown, inits, hint) else {
            return self.poison_expr(span);
        };
        let TypeKind::Struct(of) = self.cx.types.kind(ty) else {
            let diagnostic = self.not_a_struct(ty, written.span);
            self.report(diagnostic);
            return self.poison_expr(span);
        };
        let record = self.cx.types.structs[of].fields.clone();
        let Some(fields) = self.fields(ty, &record, given) else { return self.poison_expr(span) };
        let ty = self.cx.types.intern(TypeKind::Pointer(Pointee::Struct(of)));
        TypedExpr { kind: TypedExprKind::New { of, fields }, ty, span }
    }

    pub fn new_array(
        &mut self,
        value: &'a ast::Expr,
        len: &'a ast::Expr,
        span: Span,
        hint: Option<TypeId>,
    ) -> TypedExpr {
        if self.stage != Stage::SharedInitial && !self.only_in_code("`new`", span) {
            return self.poison_expr(span);
        }
        let wanted = hint.map(|hint| self.cx.types.kind(self.without_option(hint)));
        let value = match wanted {
            Some(TypeKind::Pointer(Pointee::Array(element))) => self.expr_as(value, element, Why::Plain),
            _ => self.value(value),
        };
        let int = self.cx.int();
        let len = self.expr_as(len, int, Why::Plain);
        let element = match wanted {
            Some(TypeKind::Pointer(Pointee::Array(element))) => element,
            _ => value.ty,
        };
        let element =
            self.cx.must_be_value(&self.env, element, value.span, "an element of an array on the heap");
        if self.is_poison(element) || self.is_poison(value.ty) || self.is_poison(len.ty) {
            return self.poison_expr(span);
        }
        let ty = self.cx.types.intern(TypeKind::Pointer(Pointee::Array(element)));
        TypedExpr { kind: TypedExprKind::NewArray { value: Box::new(value), len: Box::new(len) }, ty, span }
    }

    pub fn array_literal(
        &mut self,
        elements: &'a [ast::Expr],
        span: Span,
        hint: Option<TypeId>,
    ) -> TypedExpr {
        let hint = hint.map(|hint| self.without_option(hint));
        let wanted = hint.map(|hint| self.cx.types.kind(hint));
        match (wanted, hint) {
            (Some(TypeKind::Seq(of) | TypeKind::Set(of) | TypeKind::Bag(of)), Some(ty)) => {
                let elements = self.elements(elements, of);
                match elements {
                    Some(elements) => TypedExpr { kind: TypedExprKind::Collection(elements), ty, span },
                    None => self.poison_expr(span),
                }
            }
            (Some(TypeKind::Map(..)), Some(ty)) if elements.is_empty() => {
                TypedExpr { kind: TypedExprKind::Collection(Vec::new()), ty, span }
            }
            (Some(TypeKind::Array(of, length)), Some(ty)) => {
                let given = elements.len();
                let Some(elements) = self.elements(elements, of) else { return self.poison_expr(span) };
                if given != length as usize {
                    self.report(Diagnostic::error(
                        format!("expected {}, found {given}", count(length as usize, "element")),
                        span,
                        format!("`{}` is expected here", self.name_of(ty)),
                    ));
                    return self.poison_expr(span);
                }
                TypedExpr { kind: TypedExprKind::Array(elements), ty, span }
            }
            _ => self.array_of_own_type(elements, span, hint),
        }
    }

    fn array_of_own_type(
        &mut self,
        elements: &'a [ast::Expr],
        span: Span,
        hint: Option<TypeId>,
    ) -> TypedExpr {
        if hint.is_some_and(|hint| self.is_poison(hint)) {
            for element in elements {
                self.expr(element, hint);
            }
            return self.poison_expr(span);
        }
        let Some((first, rest)) = elements.split_first() else {
            let mut diagnostic = Diagnostic::error(
                "cannot infer the element type of this `[]`",
                span,
                "its type is not known here",
            )
            .help("write the type: `let s: seq<data> = [];`");
            if let Some(want) = hint {
                let want = self.name_of(want);
                diagnostic =
                    Diagnostic::error(format!("expected `{want}`, found `[]`"), span, "an empty collection");
            }
            self.report(diagnostic);
            return self.poison_expr(span);
        };
        let first = self.value(first);
        let mut ty = first.ty;
        if self.cx.types.is_number(ty) && !self.is_poison(ty) {
            ty = self.cx.int();
        }
        let mut values = vec![first];
        for element in rest {
            values.push(self.expr_as(element, ty, Why::Plain));
        }
        if values.iter().any(|value| self.is_poison(value.ty)) {
            return self.poison_expr(span);
        }
        let Some(length) = self.cx.array_length(&self.env, i64::from(number_of(values.len())), span) else {
            return self.poison_expr(span);
        };
        let ty = self.cx.types.intern(TypeKind::Array(ty, length));
        TypedExpr { kind: TypedExprKind::Array(values), ty, span }
    }

    /// `[value; length]`, a value.
    pub fn repeat(
        &mut self,
        value: &'a ast::Expr,
        len: &'a ast::Expr,
        span: Span,
        hint: Option<TypeId>,
    ) -> TypedExpr {
        let wanted = hint.map(|hint| self.without_option(hint));
        let element = match wanted.map(|wanted| self.cx.types.kind(wanted)) {
            Some(TypeKind::Array(of, _)) => Some(of),
            _ => None,
        };
        let value = match element {
            Some(of) => self.expr_as(value, of, Why::Plain),
            None => self.value(value),
        };
        let length = self.cx.const_expr(&self.env, len);
        let length = length.and_then(|length| self.cx.array_length(&self.env, length, len.span));
        let (Some(length), false) = (length, self.is_poison(value.ty)) else { return self.poison_expr(span) };
        let of = element.unwrap_or(value.ty);
        let ty = self.cx.types.intern(TypeKind::Array(of, length));
        let ty = self.cx.within_size(&self.env, ty, span);
        if self.is_poison(ty) {
            return self.poison_expr(span);
        }
        TypedExpr { kind: TypedExprKind::Repeat(Box::new(value), length), ty, span }
    }

    fn elements(&mut self, elements: &'a [ast::Expr], of: TypeId) -> Option<Vec<TypedExpr>> {
        let values: Vec<TypedExpr> =
            elements.iter().map(|element| self.expr_as(element, of, Why::Plain)).collect();
        (!values.iter().any(|value| self.is_poison(value.ty))).then_some(values)
    }

    /// The value of a field that is left out.
    fn default_value(&mut self, ty: TypeId, span: Span) -> TypedExpr {
        if self.is_poison(ty) {
            return self.poison_expr(span);
        }
        if self.cx.types.is_collection(ty) {
            return TypedExpr { kind: TypedExprKind::Collection(Vec::new()), ty, span };
        }
        let words = self.cx.types.defaults(ty);
        self.constant(words, ty, span)
    }

    fn source_name(&self, name: Option<&Name>) -> std::sync::Arc<str> {
        name.map_or_else(|| "new".into(), |name| name.text.clone())
    }

    fn pointee(&mut self, ty: TypeId) -> Option<TypeId> {
        match self.cx.types.kind(ty) {
            TypeKind::Pointer(Pointee::Struct(id)) => Some(self.cx.types.intern(TypeKind::Struct(id))),
            _ => None,
        }
    }

    /// Notes the name of a type, and returns its definition.
    fn noted(&mut self, name: &Name, def: DefId) -> DefKind<'a> {
        self.cx.note_def(name, def, None);
        self.cx.def(def).kind
    }

    fn named_target(&mut self, name: &'a Name) -> Target {
        if let Some((_, ty)) = self.env.types.iter().find(|(param, _)| *param == name.text) {
            return Target::Known(*ty);
        }
        match self.cx.names.lookup(self.env.unit, Namespace::Type, &name.text) {
            Lookup::Found(def) => match self.noted(name, def) {
                DefKind::Alias(ty) => {
                    let ty = self.cx.alias(def, ty);
                    self.cx.resolve_pending();
                    if self.is_poison(ty) { Target::Wrong } else { Target::Known(ty) }
                }
                kind if kind.type_params().is_empty() => {
                    let ty = self.cx.instantiate(&self.env, def, Vec::new(), name.span);
                    self.cx.resolve_pending();
                    Target::Known(ty)
                }
                _ => Target::Generic(def),
            },
            Lookup::Lost => Target::Wrong,
            Lookup::Unknown => {
                self.cx.unknown_type(&self.env, name);
                Target::Wrong
            }
        }
    }

    /// The type of a literal and the values of its fields. The values are looked at even if the type is
    /// wrong.
    fn instance(
        &mut self,
        target: Target,
        name: &Name,
        inits: &'a [FieldInit],
        hint: Option<TypeId>,
    ) -> Option<(TypeId, Vec<(&'a Name, Given<'a>)>)> {
        match target {
            Target::Known(ty) => Some((ty, self.written(inits))),
            Target::Wrong => {
                self.look_at(inits);
                None
            }
            Target::Generic(def) => {
                if hint.is_some_and(|hint| self.is_poison(hint)) {
                    self.look_at(inits);
                    return None;
                }
                let wanted = hint.filter(|hint| self.cx.origins.get(hint).is_some_and(|(of, _)| *of == def));
                match wanted {
                    Some(ty) => Some((ty, self.written(inits))),
                    None => self.inferred(def, name, inits),
                }
            }
        }
    }

    fn written(&mut self, inits: &'a [FieldInit]) -> Vec<(&'a Name, Given<'a>)> {
        inits.iter().map(|init| (&init.name, self.given(init))).collect()
    }

    fn given(&mut self, init: &'a FieldInit) -> Given<'a> {
        match &init.value {
            Some(value) => Given::Written(value),
            None => Given::Short(self.shorthand(&init.name)),
        }
    }

    /// Checks the values of a literal whose type is not known, for their own mistakes.
    fn look_at(&mut self, inits: &'a [FieldInit]) {
        for init in inits {
            if let Some(value) = &init.value
                && !needs_hint(value)
            {
                self.expr(value, None);
            }
        }
    }

    /// `name` alone: the variable of that name.
    fn shorthand(&mut self, name: &'a Name) -> TypedExpr {
        let place = self.named(name);
        self.read(place)
    }

    fn inferred(
        &mut self,
        def: DefId,
        name: &Name,
        inits: &'a [FieldInit],
    ) -> Option<(TypeId, Vec<(&'a Name, Given<'a>)>)> {
        let definition = self.cx.def(def);
        let (DefKind::Struct(record) | DefKind::Word(record)) = definition.kind else { return None };
        let mut bindings = BTreeMap::new();
        let mut given = Vec::new();
        let mut poisoned = false;
        for init in inits {
            let value = match self.given(init) {
                Given::Written(value) if !needs_hint(value) => Given::Checked(self.value(value)),
                other => other,
            };
            if let Given::Checked(value) | Given::Short(value) = &value {
                poisoned |= self.is_poison(value.ty);
                if let Some(field) = record.fields.iter().find(|field| field.name.text == init.name.text) {
                    self.cx.unify(&record.type_params, &field.ty, value.ty, &mut bindings);
                }
            }
            given.push((&init.name, value));
        }
        let args: Option<Vec<TypeId>> =
            record.type_params.iter().map(|param| bindings.get(&param.text).copied()).collect();
        let Some(args) = args else {
            if !poisoned {
                let open = record.type_params.iter().filter(|param| !bindings.contains_key(&param.text));
                let open: Vec<&str> = open.map(|param| &*param.text).collect();
                let diagnostic = Diagnostic::error(
                    format!("cannot infer the type argument {} of `{}`", suggest::list(&open), name.text),
                    name.span,
                    "its type arguments are not known here",
                )
                .label(definition.name.span, "defined here");
                let help = match definition.kind {
                    DefKind::Struct(_) => format!("write them: `new {}<data> {{ … }}`", name.text),
                    _ => format!("write the type: `let w: {}<data> = {} {{ … }};`", name.text, name.text),
                };
                self.report(diagnostic.help(help));
            }
            return None;
        };
        let ty = self.cx.instantiate(&self.env, def, args, name.span);
        self.cx.resolve_pending();
        (!self.is_poison(ty)).then_some((ty, given))
    }

    /// The named fields, in the order of the text, by their numbers; `None` if something is wrong, which was
    /// reported.
    fn fields(
        &mut self,
        ty: TypeId,
        record: &[Field],
        given: Vec<(&'a Name, Given<'a>)>,
    ) -> Option<Vec<(usize, TypedExpr)>> {
        let mut fields: Vec<(usize, TypedExpr)> = Vec::new();
        let mut right = true;
        for (name, value) in given {
            let Some(number) = record.iter().position(|field| field.name == name.text) else {
                let type_name = self.name_of(ty);
                let mut diagnostic = Diagnostic::error(
                    format!("`{type_name}` has no field `{}`", name.text),
                    name.span,
                    "there is no such field",
                );
                diagnostic.help = suggest::help(&name.text, record.iter().map(|field| &*field.name));
                self.report(diagnostic);
                right = false;
                continue;
            };
            if fields.iter().any(|(known, _)| *known == number) {
                self.report(Diagnostic::error(
                    format!("field `{}` is given twice", name.text),
                    name.span,
                    "the second time here",
                ));
                right = false;
                continue;
            }
            let field = &record[number];
            self.cx.note(name.span, field.span, NameKind::Field, Some(field.ty));
            if !self.is_poison(field.ty) && !self.cx.is_value(field.ty) {
                self.report(
                    Diagnostic::error(
                        format!("field `{}` cannot be given a value", name.text),
                        name.span,
                        format!("`{}` is a part of memory, not a value", self.name_of(field.ty)),
                    )
                    .help("remove the value: all parts begin with their defaults"),
                );
                right = false;
                continue;
            }
            let why = Why::At(field.span, "the field is declared here");
            let value = match value {
                Given::Written(value) => self.expr_as(value, field.ty, why),
                Given::Checked(value) | Given::Short(value) => self.convert(value, field.ty, why),
            };
            right &= !self.is_poison(value.ty);
            fields.push((number, value));
        }
        right.then_some(fields)
    }

    fn not_a_word(&self, ty: TypeId, name: &Name) -> Diagnostic {
        match self.cx.types.kind(ty) {
            TypeKind::Struct(_) => Diagnostic::error(
                "a struct is not a value",
                name.span,
                format!("`{}` is a struct", self.name_of(ty)),
            )
            .help(format!("`new {} {{ … }}` allocates one and returns a pointer to it", name.text)),
            _ => Diagnostic::error(
                format!("`{}` has no fields", name.text),
                name.span,
                format!("this is `{}`", self.name_of(ty)),
            )
            .help("only words are written with their fields"),
        }
    }

    fn not_a_struct(&self, ty: TypeId, span: Span) -> Diagnostic {
        let name = self.name_of(ty);
        let diagnostic = Diagnostic::error(
            "`new` allocates structs and arrays only",
            span,
            format!("`{name}` is neither"),
        );
        match self.cx.types.kind(ty) {
            TypeKind::Word(_) => diagnostic.help(format!("write a word without `new`: `{name} {{ … }}`")),
            TypeKind::Pointer(Pointee::Struct(_)) => diagnostic
                .help(format!("write it without the `*`: `new {} {{ … }}`", name.trim_start_matches('*'))),
            _ => diagnostic.help("to allocate an array, write `new [value; length]`"),
        }
    }
}
