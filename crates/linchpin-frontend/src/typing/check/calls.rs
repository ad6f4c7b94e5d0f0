//! Calls of functions, operations, hash functions and methods.

use super::body::Body;
use super::convert::Why;
use super::place::Root;
use crate::syntax::ast::{self, Name};
use crate::typing::collect::names::{DefKind, Lookup, Namespace, PRIMITIVES, count, is_primitive};
use crate::typing::hir::{FunctionId, PlaceExpr, TypedExpr, TypedExprKind};
use crate::typing::{foreign, suggest};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::{Pointee, TypeId, TypeKind};

impl<'a> Body<'_, 'a> {
    pub fn call(&mut self, name: &'a Name, args: &'a [ast::Expr], span: Span) -> TypedExpr {
        if is_primitive(&name.text) {
            return self.primitive(name, args, span);
        }
        match self.cx.names.lookup(self.env.unit, Namespace::Function, &name.text) {
            Lookup::Found(def) => match self.cx.def(def).kind {
                DefKind::Hash { param, .. } => {
                    let (id, domain, result) = self.cx.hash(def);
                    self.cx.note_def(name, def, Some(result));
                    self.effects.hashes.push((id, span));
                    let wanted = [(domain, param.span)];
                    match self.arguments(&name.text, &wanted, args, name.span).and_then(|mut args| args.pop())
                    {
                        Some(arg) if !self.is_poison(result) => {
                            TypedExpr { kind: TypedExprKind::Hash(id, Box::new(arg)), ty: result, span }
                        }
                        _ => self.poison_expr(span),
                    }
                }
                _ => {
                    self.cx.note_def(name, def, None);
                    if !self.only_in_code("a call of a function", name.span) {
                        self.look_at_arguments(args);
                        return self.poison_expr(span);
                    }
                    match self.cx.function(def, Vec::new(), name.span) {
                        Some(function) => self.call_function(function, None, name, args, span),
                        None => {
                            self.look_at_arguments(args);
                            self.poison_expr(span)
                        }
                    }
                }
            },
            Lookup::Lost => {
                self.look_at_arguments(args);
                self.poison_expr(span)
            }
            Lookup::Unknown => {
                self.unknown_function(name);
                // The arguments of a function of another language have names of that language.
                if foreign::function_help(&name.text).is_none() {
                    self.look_at_arguments(args);
                }
                self.poison_expr(span)
            }
        }
    }

    pub fn method_call(
        &mut self,
        receiver: &'a ast::Expr,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
    ) -> TypedExpr {
        if is_range(receiver) {
            self.report(Diagnostic::error("a range is not a value", receiver.span, "not here").help(
                "use a range in `for i in 0..n` and `choose 0..n`; `for i in (0..n).rev()` goes backwards",
            ));
            return self.poison_expr(span);
        }
        let place = self.place(receiver);
        if self.is_poison(place.ty) {
            self.look_at_arguments(args);
            return self.poison_expr(span);
        }
        match self.cx.types.kind(place.ty) {
            TypeKind::Lock => self.lock_method(place, name, args, span),
            TypeKind::Condvar => self.condvar_method(place, name, args, span),
            TypeKind::Seq(_) | TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Map(..) => {
                self.collection_method(place, name, args, span)
            }
            TypeKind::Option(of) if &*name.text == "unwrap" => {
                self.no_arguments(name, args);
                let value = self.read(place);
                if self.is_poison(value.ty) {
                    return value;
                }
                TypedExpr { kind: TypedExprKind::Unwrap(Box::new(value)), ty: of, span }
            }
            TypeKind::Array(_, length) if &*name.text == "len" => {
                self.no_arguments(name, args);
                self.number(i64::from(length), span)
            }
            TypeKind::Pointer(Pointee::Array(_)) if &*name.text == "len" => {
                self.no_arguments(name, args);
                let array = self.read(place);
                if self.is_poison(array.ty) || !self.only_in_code("what a pointer leads to", span) {
                    return self.poison_expr(span);
                }
                let int = self.cx.int();
                TypedExpr { kind: TypedExprKind::ArrayLen(Box::new(array)), ty: int, span }
            }
            _ => self.user_method(place, name, args, span),
        }
    }

    fn user_method(
        &mut self,
        place: PlaceExpr,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
    ) -> TypedExpr {
        let place = self.through_pointer(place);
        if self.is_poison(place.ty) {
            self.look_at_arguments(args);
            return self.poison_expr(span);
        }
        let origin = self.cx.origins.get(&place.ty).cloned();
        let method = origin
            .as_ref()
            .and_then(|(def, args)| Some((self.cx.names.method(*def, &name.text)?, args.clone())));
        let Some((method, type_args)) = method else {
            let diagnostic = self.no_method(place.ty, name);
            self.report(diagnostic);
            // The arguments of a method of another language have names of that language.
            if foreign::method_help(&name.text).is_none() {
                self.look_at_arguments(args);
            }
            return self.poison_expr(span);
        };
        self.cx.note_def(name, method, None);
        if !self.only_in_code("a call of a method", name.span) {
            return self.poison_expr(span);
        }
        if place.root() == Root::Value {
            self.report(
                Diagnostic::error("a method needs a place", place.span, "this is a temporary value")
                    .help("store it in a variable first: `let x = …; x.f();`"),
            );
            self.look_at_arguments(args);
            return self.poison_expr(span);
        }
        match self.cx.function(method, type_args, name.span) {
            Some(function) => self.call_function(function, Some(place), name, args, span),
            None => self.poison_expr(span),
        }
    }

    fn call_function(
        &mut self,
        function: FunctionId,
        self_place: Option<PlaceExpr>,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
    ) -> TypedExpr {
        let head = &self.cx.heads[function];
        let wanted: Vec<(TypeId, Span)> = head.params.iter().map(|(name, ty)| (*ty, name.span)).collect();
        let result = head.result;
        self.effects.calls.push((function, span));
        if let Some(place) = &self_place {
            self.effects.self_roots.push((function, place.root(), place.span));
        }
        let Some(args) = self.arguments(&name.text, &wanted, args, name.span) else {
            // The result is right even if the arguments are not.
            let ty = result.unwrap_or_else(|| self.cx.unit());
            return TypedExpr { kind: TypedExprKind::Constant(Vec::new()), ty, span };
        };
        let ty = result.unwrap_or_else(|| self.cx.unit());
        TypedExpr { kind: TypedExprKind::Call { function, self_place, args }, ty, span }
    }

    /// The arguments of a call; `None` if they are wrong, which was reported.
    pub fn arguments(
        &mut self,
        callee: &str,
        wanted: &[(TypeId, Span)],
        args: &'a [ast::Expr],
        at: Span,
    ) -> Option<Vec<TypedExpr>> {
        if !self.right_number(callee, wanted.len(), args, at) {
            return None;
        }
        let mut values = Vec::new();
        let mut right = true;
        for ((ty, declared), arg) in wanted.iter().zip(args) {
            let value = self.expr_as(arg, *ty, Why::At(*declared, "the parameter is declared here"));
            right &= !self.is_poison(value.ty);
            values.push(value);
        }
        right.then_some(values)
    }

    /// Whether a call has as many arguments as it needs; if not, they are still looked at.
    pub fn right_number(&mut self, callee: &str, wanted: usize, args: &'a [ast::Expr], at: Span) -> bool {
        if wanted == args.len() {
            return true;
        }
        let mut diagnostic = Diagnostic::error(
            format!("`{callee}` takes {}, not {}", count(wanted, "argument"), args.len()),
            at,
            "the wrong number of arguments here",
        );
        diagnostic.help = super::primitives::usage(callee);
        self.report(diagnostic);
        self.look_at_arguments(args);
        false
    }

    pub fn no_arguments(&mut self, name: &Name, args: &'a [ast::Expr]) -> bool {
        self.right_number(&name.text, 0, args, name.span)
    }

    /// Checks arguments of a call that is wrong, for their own mistakes.
    pub fn look_at_arguments(&mut self, args: &'a [ast::Expr]) {
        for arg in args {
            if !super::operators::needs_hint(arg) && !matches!(arg.kind, ast::ExprKind::Lambda { .. }) {
                let place = self.place(arg);
                if self.cx.is_value(place.ty) {
                    self.read(place);
                }
            }
        }
    }

    fn unknown_function(&mut self, name: &Name) {
        let names = self.cx.names;
        let unit = self.env.unit;
        let mut diagnostic =
            Diagnostic::error(format!("there is no function `{}`", name.text), name.span, "not found");
        let is_variable = self.variable(&name.text).is_some()
            || matches!(names.lookup(unit, Namespace::Value, &name.text), Lookup::Found(_));
        if is_variable {
            diagnostic = Diagnostic::error(
                format!("`{}` is not a function", name.text),
                name.span,
                "this is a variable",
            );
        } else {
            let known = names.known(unit, Namespace::Function).map(|(known, _)| known);
            let near = || suggest::nearest(&name.text, known.chain(PRIMITIVES));
            diagnostic.help = foreign::function_help(&name.text)
                .map(str::to_string)
                .or_else(|| near().map(|near| format!("did you mean `{near}`?")));
        }
        self.report(diagnostic);
    }

    fn no_method(&self, ty: TypeId, name: &Name) -> Diagnostic {
        let type_name = self.name_of(ty);
        let mut diagnostic = Diagnostic::error(
            format!("`{type_name}` has no method `{}`", name.text),
            name.span,
            "there is no such method",
        );
        let methods =
            self.cx.origins.get(&ty).map(|(def, _)| self.cx.names.methods_of(*def)).unwrap_or_default();
        let foreign = foreign::method_help(&name.text);
        diagnostic.help = match self.cx.types.kind(ty) {
            _ if foreign.is_some() && !methods.contains(&&*name.text) => foreign.map(str::to_string),
            TypeKind::Option(_) if matches!(&*name.text, "is_none" | "is_some") => {
                Some("compare it: `x == none`, `x != none`".into())
            }
            TypeKind::Option(_) => Some("an optional has `unwrap()`".into()),
            TypeKind::Struct(_) if matches!(&*name.text, "unwrap" | "expect" | "is_none" | "is_some") => {
                Some("a pointer is not optional: compare it with `null`, and write `p.field`".into())
            }
            TypeKind::Array(..) | TypeKind::Pointer(Pointee::Array(_)) => Some("an array has `len()`".into()),
            TypeKind::Struct(_) | TypeKind::Word(_) | TypeKind::Enum(_) if methods.is_empty() => {
                let bare = type_name.split('<').next().unwrap_or(&type_name);
                Some(format!("methods are written in `impl {bare} {{ fn {}(self) {{ … }} }}`", name.text))
            }
            _ if &*name.text == "unwrap" => {
                Some(format!("it is not optional: it is a `{type_name}` as it stands"))
            }
            _ => suggest::help(&name.text, methods),
        };
        diagnostic
    }
}

/// `0..n`, also in parentheses.
pub(in crate::typing) fn is_range(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ast::ExprKind::Range { .. } => true,
        ast::ExprKind::Paren(inner) => is_range(inner),
        _ => false,
    }
}
