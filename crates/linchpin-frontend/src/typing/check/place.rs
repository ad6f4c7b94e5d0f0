//! Places: what can be read and written, and what a dot or an index selects. A dot follows a pointer
//! automatically.

use super::body::Body;
use super::convert::{Why, literal, word};
use crate::syntax::ast::{self, Name};
use crate::typing::collect::names::{DefId, DefKind, Lookup, Namespace};
use crate::typing::declare::consts::THREADS;
use crate::typing::hir::{CollectionMethod, PlaceExpr, PlaceKind, TypedExpr, TypedExprKind};
use crate::typing::names_used::{NameKind, of_specification};
use crate::typing::{foreign, suggest};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::{Pointee, TypeId, TypeKind};

/// What a place begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::typing) enum Root {
    /// A shared variable, or what a pointer leads to.
    Shared,
    /// The place before the dot, which may be either.
    SelfPlace,
    Local,
    /// A value: it cannot be written.
    Value,
}

impl PlaceExpr {
    pub(in crate::typing) fn root(&self) -> Root {
        match &self.kind {
            PlaceKind::Shared(_) | PlaceKind::Deref(_) => Root::Shared,
            PlaceKind::SelfPlace => Root::SelfPlace,
            PlaceKind::Var(_) | PlaceKind::ThreadVar(_) | PlaceKind::State(_) => Root::Local,
            PlaceKind::Value(_) => Root::Value,
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => base.root(),
        }
    }

    /// The value that it begins with, if it begins with one.
    pub(in crate::typing) fn root_value(&self) -> Option<&TypedExpr> {
        match &self.kind {
            PlaceKind::Value(value) => Some(value),
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => base.root_value(),
            _ => None,
        }
    }
}

impl<'a> Body<'_, 'a> {
    pub fn place(&mut self, expr: &'a ast::Expr) -> PlaceExpr {
        match &expr.kind {
            ast::ExprKind::Name(name) => self.named(name),
            ast::ExprKind::SelfPlace => self.self_place(expr.span),
            ast::ExprKind::Field(base, name) => self.field(base, name, expr.span),
            ast::ExprKind::Index(base, index) => self.index(base, index, expr.span),
            ast::ExprKind::Paren(inner) => self.place(inner),
            _ => {
                let value = self.expr(expr, None);
                value_place(value)
            }
        }
    }

    /// The value of a place.
    pub fn read(&mut self, place: PlaceExpr) -> TypedExpr {
        let (ty, span) = (place.ty, place.span);
        if self.is_poison(ty) {
            return self.poison_expr(span);
        }
        if let PlaceKind::Value(value) = place.kind {
            return *value;
        }
        if !self.holds_a_value(&place) {
            return self.poison_expr(span);
        }
        TypedExpr { kind: TypedExprKind::Read(place), ty, span }
    }

    /// Whether a place can be read or written at once; reported if not.
    pub fn holds_a_value(&mut self, place: &PlaceExpr) -> bool {
        let (ty, span) = (place.ty, place.span);
        if self.is_poison(ty) {
            return false;
        }
        let name = self.name_of(ty);
        if !self.cx.is_value(ty) {
            let diagnostic = match self.cx.types.kind(ty) {
                TypeKind::Struct(_) => Diagnostic::error(
                    "a struct is not a value",
                    span,
                    format!("`{name}` is a part of memory: it cannot be copied"),
                )
                .help(format!("use one of its fields, or store a pointer `*{name}`; a `word` is a value")),
                TypeKind::Lock => Diagnostic::error("a lock is not a value", span, "it cannot be copied")
                    .help("its methods are `lock()`, `unlock()`, `try_lock()` and `is_locked()`"),
                TypeKind::Condvar => {
                    Diagnostic::error("a condition is not a value", span, "it cannot be copied")
                        .help("its methods are `wait(lock)`, `notify_one()` and `notify_all()`")
                }
                _ => Diagnostic::error(
                    "this array is not a value",
                    span,
                    format!("`{name}` cannot be copied as a whole"),
                )
                .help("use one of its elements"),
            };
            self.report(diagnostic);
            return false;
        }
        if let TypeKind::Array(_, length) = self.cx.types.kind(ty)
            && self.lies_in_memory(place)
        {
            self.report(
                Diagnostic::error(
                    "a shared array cannot be read or written in one access",
                    span,
                    format!("this array has {length} locations"),
                )
                .help("use one element, or a `for` loop; an array in a `word` is one value"),
            );
            return false;
        }
        true
    }

    /// Each element of an array here is a location of its own; inside a word it would be a part of one.
    fn lies_in_memory(&self, place: &PlaceExpr) -> bool {
        match &place.kind {
            PlaceKind::Shared(_) | PlaceKind::Deref(_) => true,
            PlaceKind::SelfPlace => matches!(self.cx.types.kind(place.ty), TypeKind::Struct(_)),
            PlaceKind::Field(base, _) => {
                !matches!(self.cx.types.kind(base.ty), TypeKind::Word(_)) && self.lies_in_memory(base)
            }
            PlaceKind::Index(base, _) => self.lies_in_memory(base),
            PlaceKind::Var(_) | PlaceKind::ThreadVar(_) | PlaceKind::State(_) | PlaceKind::Value(_) => false,
        }
    }

    fn poison_place(&mut self, span: Span) -> PlaceExpr {
        let value = self.poison_expr(span);
        value_place(value)
    }

    fn self_place(&mut self, span: Span) -> PlaceExpr {
        match self.self_type {
            Some(ty) => PlaceExpr { kind: PlaceKind::SelfPlace, ty, span },
            None => {
                self.report(Diagnostic::error("there is no `self` here", span, "not inside a method").help(
                    "write the variable alone: `head`; `self` is the place before the dot in an `impl`",
                ));
                self.poison_place(span)
            }
        }
    }

    /// The meaning of a name.
    pub fn named(&mut self, name: &'a Name) -> PlaceExpr {
        let span = name.span;
        if let Some(var) = self.variable(&name.text) {
            let (ty, definition) = (self.vars[var].ty, self.vars[var].span);
            self.cx.note(span, definition, NameKind::Variable, Some(ty));
            return PlaceExpr { kind: PlaceKind::Var(var), ty, span };
        }
        if let Some(spec) = self.env.spec.clone() {
            let known = spec.parameter(&name.text).map(|argument| argument.ty);
            if let Some(ty) = known.or(spec.state(&name.text).map(|(_, ty)| ty))
                && let Some(definition) = of_specification(self.cx.names, self.env.unit, name)
            {
                self.cx.note(span, definition, NameKind::SpecVariable, Some(ty));
            }
            if let Some(argument) = spec.parameter(&name.text) {
                return value_place(self.constant(argument.words.clone(), argument.ty, span));
            }
            if let Some((state, ty)) = spec.state(&name.text) {
                return PlaceExpr { kind: PlaceKind::State(state), ty, span };
            }
        }
        match self.cx.names.lookup(self.env.unit, Namespace::Value, &name.text) {
            Lookup::Found(def) => self.global(def, name),
            Lookup::Lost => self.poison_place(span),
            Lookup::Unknown if &*name.text == THREADS => {
                let threads = self.cx.threads(span);
                value_place(self.number(threads, span))
            }
            Lookup::Unknown => {
                self.unknown_name(name);
                self.poison_place(span)
            }
        }
    }

    fn global(&mut self, def: DefId, name: &Name) -> PlaceExpr {
        let span = name.span;
        match self.cx.def(def).kind {
            DefKind::Const(_) => match self.cx.const_value(def) {
                Some(value) => {
                    let int = self.cx.int();
                    self.cx.note_def(name, def, Some(int));
                    value_place(self.constant(vec![word(value)], int, span))
                }
                None => self.poison_place(span),
            },
            DefKind::Shared(_) => {
                let (id, ty) = self.cx.shared_variable(def);
                self.cx.note_def(name, def, Some(ty));
                if !self.only_in_code("a shared variable", span) {
                    return self.poison_place(span);
                }
                PlaceExpr { kind: PlaceKind::Shared(id), ty, span }
            }
            DefKind::Local(_) => {
                let (id, ty) = self.cx.thread_variable(def);
                self.cx.note_def(name, def, Some(ty));
                if !self.only_in_code("a local variable", span) {
                    return self.poison_place(span);
                }
                self.effects.thread_variable.get_or_insert(span);
                PlaceExpr { kind: PlaceKind::ThreadVar(id), ty, span }
            }
            _ => self.poison_place(span),
        }
    }

    fn unknown_name(&mut self, name: &Name) {
        let unit = self.env.unit;
        let names = self.cx.names;
        let mut diagnostic =
            Diagnostic::error(format!("there is no `{}`", name.text), name.span, "not found here");
        for space in [Namespace::Function, Namespace::Type] {
            if let Lookup::Found(def) = names.lookup(unit, space, &name.text) {
                let definition = names.def(def);
                diagnostic = Diagnostic::error(
                    format!("`{}` is not a value", name.text),
                    name.span,
                    format!("this is {}", definition.kind.noun()),
                )
                .label(definition.name.span, "defined here");
                if space == Namespace::Function {
                    diagnostic = diagnostic.help(format!("call it: `{}(…)`", name.text));
                }
                self.report(diagnostic);
                return;
            }
        }
        let variables = self.visible_variables();
        let spec = self.env.spec.clone();
        let of_spec = spec.iter().flat_map(|spec| spec.names());
        let globals = names.known(unit, Namespace::Value).map(|(known, _)| known);
        let known = variables.iter().map(|v| &**v).chain(of_spec).chain(globals).chain([THREADS]);
        let near = || suggest::nearest(&name.text, known).map(|near| format!("did you mean `{near}`?"));
        let begins_small = name.text.starts_with(|c: char| c.is_lowercase());
        let declare = || {
            let help =
                format!("declare it: `let {0} = …;` here, or `shared {0}: …;` for all threads", name.text);
            (self.env.spec.is_none() && begins_small).then_some(help)
        };
        diagnostic.help = foreign::value_help(&name.text).map(str::to_string).or_else(near).or_else(declare);
        self.report(diagnostic);
    }

    /// The struct that a pointer leads to; another place as it is.
    pub fn through_pointer(&mut self, place: PlaceExpr) -> PlaceExpr {
        let TypeKind::Pointer(Pointee::Struct(id)) = self.cx.types.kind(place.ty) else { return place };
        let span = place.span;
        let ty = self.cx.types.intern(TypeKind::Struct(id));
        let pointer = self.read(place);
        if self.is_poison(pointer.ty) || !self.only_in_code("what a pointer leads to", span) {
            return self.poison_place(span);
        }
        PlaceExpr { kind: PlaceKind::Deref(Box::new(pointer)), ty, span }
    }

    fn field(&mut self, base: &'a ast::Expr, name: &'a Name, span: Span) -> PlaceExpr {
        let base = self.place(base);
        let base = self.through_pointer(base);
        if self.is_poison(base.ty) {
            return self.poison_place(span);
        }
        let found = self.cx.types.record(base.ty).and_then(|record| {
            record.fields.iter().position(|field| field.name == name.text).map(|i| (i, &record.fields[i]))
        });
        let found = found.map(|(number, field)| (number, field.ty, field.span));
        match found {
            Some((number, ty, definition)) => {
                self.cx.note(name.span, definition, NameKind::Field, Some(ty));
                PlaceExpr { kind: PlaceKind::Field(Box::new(base), number), ty, span }
            }
            None => {
                let diagnostic = self.no_field(&base, name);
                self.report(diagnostic);
                self.poison_place(span)
            }
        }
    }

    fn no_field(&self, base: &PlaceExpr, name: &Name) -> Diagnostic {
        let type_name = self.name_of(base.ty);
        let mut diagnostic = Diagnostic::error(
            format!("`{type_name}` has no field `{}`", name.text),
            name.span,
            "there is no such field",
        );
        let types = &self.cx.types;
        diagnostic.help = match types.kind(base.ty) {
            TypeKind::Struct(_) | TypeKind::Word(_) => {
                let record = types.record(base.ty);
                if let Some(record) = record {
                    diagnostic = diagnostic.label(record.span, format!("`{type_name}` is defined here"));
                }
                let origin = self.cx.origins.get(&base.ty);
                if origin.is_some_and(|(def, _)| self.cx.names.method(*def, &name.text).is_some()) {
                    Some(format!("call the method: `{}(…)`", name.text))
                } else {
                    let fields = record.into_iter().flat_map(|record| record.fields.iter());
                    suggest::help(&name.text, fields.map(|field| &*field.name))
                }
            }
            TypeKind::Option(_) => Some(format!("write `x.unwrap().{}`", name.text)),
            TypeKind::Unit => Some("this has no result".into()),
            TypeKind::Pointer(Pointee::Array(_)) => Some("an array has `a[i]` and `a.len()`".into()),
            _ => Some("only structs and words have fields".into()),
        };
        diagnostic
    }

    fn index(&mut self, base: &'a ast::Expr, index: &'a ast::Expr, span: Span) -> PlaceExpr {
        let base = self.place(base);
        if self.is_poison(base.ty) {
            self.expr(index, None);
            return self.poison_place(span);
        }
        match self.cx.types.kind(base.ty) {
            TypeKind::Array(element, length) => {
                let index = self.array_index(index, Some(length));
                self.element(base, index, element, span)
            }
            TypeKind::Pointer(Pointee::Array(element)) => {
                let ty = self.cx.types.intern(TypeKind::Array(element, 0));
                let at = base.span;
                let pointer = self.read(base);
                let index = self.array_index(index, None);
                if self.is_poison(pointer.ty) || !self.only_in_code("what a pointer leads to", at) {
                    return self.poison_place(span);
                }
                let array = PlaceExpr { kind: PlaceKind::Deref(Box::new(pointer)), ty, span: at };
                self.element(array, index, element, span)
            }
            TypeKind::Seq(element) => {
                let int = self.cx.int();
                let index = self.expr_as(index, int, Why::Plain);
                if self.is_poison(index.ty) {
                    return self.poison_place(span);
                }
                let kind = TypedExprKind::Method {
                    receiver: base,
                    method: CollectionMethod::Get,
                    args: vec![index],
                };
                value_place(TypedExpr { kind, ty: element, span })
            }
            kind => {
                self.expr(index, None);
                let mut diagnostic = Diagnostic::error(
                    format!("`{}` cannot be indexed", self.name_of(base.ty)),
                    base.span,
                    "only arrays and `seq` have elements with a number",
                );
                if let TypeKind::Map(..) = kind {
                    diagnostic = diagnostic.help("`m.get(k)` is the value of a key, `none` if it has none");
                }
                self.report(diagnostic);
                self.poison_place(span)
            }
        }
    }

    fn element(&mut self, array: PlaceExpr, index: TypedExpr, ty: TypeId, span: Span) -> PlaceExpr {
        if self.is_poison(index.ty) {
            return self.poison_place(span);
        }
        PlaceExpr { kind: PlaceKind::Index(Box::new(array), Box::new(index)), ty, span }
    }

    fn array_index(&mut self, written: &'a ast::Expr, length: Option<u32>) -> TypedExpr {
        let index = self.expr(written, None);
        if self.is_poison(index.ty) {
            return index;
        }
        if self.cx.types.kind(index.ty) == TypeKind::Thread {
            let threads = self.cx.setting.threads;
            if length.is_some_and(|length| length != threads) {
                self.report(
                    Diagnostic::error(
                        "a thread indexes `[T; threads]` only",
                        written.span,
                        format!(
                            "this array has {} elements, there are {threads} threads",
                            length.unwrap_or(0)
                        ),
                    )
                    .help("declare the array with the length `threads`"),
                );
                return self.poison_expr(written.span);
            }
            return index;
        }
        if let (Some(value), Some(length)) = (literal(written), length)
            && !(0..i64::from(length)).contains(&value)
        {
            self.report(
                Diagnostic::error(
                    format!("there is no element {value}"),
                    written.span,
                    format!("this array has {length} elements"),
                )
                .help(format!("the elements are numbered from 0 to {}", length - 1)),
            );
            return self.poison_expr(written.span);
        }
        let int = self.cx.int();
        self.convert(index, int, Why::Plain)
    }

    /// Whether a place can be assigned; reported if not.
    pub fn assignable(&mut self, place: &PlaceExpr) -> bool {
        if self.is_poison(place.ty) {
            return false;
        }
        if let Some(value) = place.root_value() {
            if self.is_poison(value.ty) {
                return false;
            }
            let diagnostic = match &value.kind {
                TypedExprKind::Method { method: CollectionMethod::Get, .. } => Diagnostic::error(
                    "an element of a `seq` is replaced as a whole",
                    place.span,
                    "this is a part of an element",
                )
                .help("read the element, change it, and write it back: `s[i] = x;`"),
                TypedExprKind::Constant(_) => {
                    Diagnostic::error("a constant cannot be assigned", place.span, "this never changes")
                }
                _ => Diagnostic::error("this cannot be assigned", place.span, "a value, not a place")
                    .help("variables, fields and elements of arrays can be assigned"),
            };
            self.report(diagnostic);
            return false;
        }
        self.holds_a_value(place)
    }
}

pub(in crate::typing) fn value_place(value: TypedExpr) -> PlaceExpr {
    let (ty, span) = (value.ty, value.span);
    PlaceExpr { kind: PlaceKind::Value(Box::new(value)), ty, span }
}
