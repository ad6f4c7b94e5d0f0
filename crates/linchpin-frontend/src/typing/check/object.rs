//! The object beside its specification: the same operations, with the same parameters and results. A result
//! may be `T?` where the specification has `T`.

use super::spec::{CheckedSpec, SpecOp};
use crate::syntax::ast;
use crate::typing::collect::names::{DefId, DefKind, Namespace, count};
use crate::typing::declare::context::{Checker, Env};
use crate::typing::declare::functions::Head;
use crate::typing::hir::{self, OpId};
use crate::typing::suggest;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind};

impl<'a> Checker<'a> {
    /// The operations of the object, in the order of its specification.
    pub(super) fn object(
        &mut self,
        object: &'a ast::Object,
        spec: &CheckedSpec<'a>,
    ) -> IndexVec<OpId, hir::Op> {
        let known = self.names.known(self.units.root, Namespace::Function);
        let operations: Vec<(&'a str, DefId)> =
            known.filter(|(_, def)| matches!(self.def(*def).kind, DefKind::Op(_))).collect();
        let mut ops = IndexVec::new();
        let mut missing = Vec::new();
        for wanted in spec.ops.iter() {
            match operations.iter().find(|(name, _)| **name == *wanted.name) {
                Some((_, def)) => {
                    if let Some(op) = self.operation(*def, wanted) {
                        ops.push(op);
                    }
                }
                None => missing.push(wanted),
            }
        }
        if !missing.is_empty() && !self.units.all[self.units.root].broken {
            self.missing(object, &missing);
        }
        for (name, def) in &operations {
            if !spec.ops.iter().any(|wanted| *wanted.name == **name) {
                self.extra(object, *def, spec);
            }
        }
        ops
    }

    /// The operations of a specification that no object implements.
    pub(super) fn operations_without_code(&mut self, spec: &CheckedSpec<'a>) -> IndexVec<OpId, hir::Op> {
        let mut ops = IndexVec::new();
        for op in spec.ops.iter() {
            self.client_types(&spec.env, op.signature, &op.params, op.result);
            let names = op.signature.params.iter().map(|param| &param.name);
            let function = self.heads.push(Head {
                name: op.name.clone(),
                env: spec.env.clone(),
                self_type: None,
                params: names.zip(op.params.iter().copied()).collect(),
                result: op.result,
                body: None,
                result_at: op.span,
                name_at: op.span,
                noun: "operation",
                span: op.span,
            });
            self.queue.push_back(function);
            let (name, params) = (op.name.clone(), op.params.clone());
            ops.push(hir::Op { name, function, params, result: op.result, span: op.span });
        }
        ops
    }

    fn missing(&mut self, object: &ast::Object, missing: &[&SpecOp<'_>]) {
        let signatures: Vec<String> = missing.iter().map(|op| self.signature(op)).collect();
        let shown: Vec<&str> = signatures.iter().map(String::as_str).collect();
        let names: Vec<&str> = missing.iter().map(|op| &*op.name).collect();
        let verb = if missing.len() == 1 { "is" } else { "are" };
        let mut diagnostic = Diagnostic::error(
            format!("{} of `{}` {verb} missing", suggest::list(&names), object.spec.text),
            object.spec.span,
            "the object has exactly the operations of its specification",
        );
        for op in missing {
            diagnostic = diagnostic.label(op.span, "specified here");
        }
        let functions = self.names.known(self.units.root, Namespace::Function);
        let written = functions
            .filter(|(name, def)| names.contains(name) && matches!(self.def(*def).kind, DefKind::Fn(_)))
            .map(|(name, def)| (name.to_string(), self.def(def).name.span))
            .next();
        if let Some((name, span)) = written {
            diagnostic = diagnostic.label(span, "this is a function");
            self.report_plain(diagnostic.help(format!("write `op {name}`: clients call operations")));
            return;
        }
        self.report_plain(diagnostic.help(format!("add {}", suggest::list(&shown))));
    }

    fn extra(&mut self, object: &ast::Object, def: DefId, spec: &CheckedSpec<'a>) {
        let name = self.def(def).name;
        let known: Vec<&str> = spec.ops.iter().map(|op| &*op.name).collect();
        let near = suggest::nearest(&name.text, known.iter().copied());
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the operations are {}; a helper is a `fn`", suggest::list(&known)),
        };
        self.report_plain(
            Diagnostic::error(
                format!("`{}` has no operation `{}`", object.spec.text, name.text),
                name.span,
                "not in the specification",
            )
            .label(object.spec.span, "the specification is named here")
            .help(help),
        );
    }

    fn operation(&mut self, def: DefId, wanted: &SpecOp<'_>) -> Option<hir::Op> {
        let definition = self.def(def);
        let DefKind::Op(written) = definition.kind else { return None };
        let function = self.function(def, Vec::new(), definition.name.span)?;
        let head = &self.heads[function];
        let params: Vec<TypeId> = head.params.iter().map(|(_, ty)| *ty).collect();
        let result = head.result;
        self.client_types(&Env::of_unit(definition.unit), &written.signature, &params, result);
        if params.len() != wanted.params.len() {
            let title = format!(
                "operation `{}` takes {}, not {}",
                wanted.name,
                count(wanted.params.len(), "parameter"),
                params.len()
            );
            let diagnostic = Diagnostic::error(title, definition.name.span, "does not fit its specification");
            self.report_plain(self.beside(diagnostic, wanted));
            return None;
        }
        for ((found, want), param) in params.iter().zip(&wanted.params).zip(&written.signature.params) {
            if found != want && !self.is_poison(*found) && !self.is_poison(*want) {
                let diagnostic = Diagnostic::error(
                    format!(
                        "parameter `{}` of `{}` does not fit its specification",
                        param.name.text, wanted.name
                    ),
                    param.ty.span,
                    format!(
                        "this is `{}`; the specification has `{}`",
                        self.type_name(*found),
                        self.type_name(*want)
                    ),
                );
                self.report_plain(self.beside(diagnostic, wanted));
            }
        }
        self.results_fit(written, wanted, result);
        let name = definition.name;
        Some(hir::Op {
            name: name.text.clone(),
            function,
            params: wanted.params.clone(),
            result: wanted.result,
            span: name.span,
        })
    }

    fn results_fit(&mut self, written: &ast::Function, wanted: &SpecOp<'_>, found: Option<TypeId>) {
        let name = &written.signature.name;
        let at = written.signature.result.as_ref().map_or(name.span, |ty| ty.span);
        let (title, label) = match (found, wanted.result) {
            (None, None) => return,
            (Some(found), Some(want)) => {
                let optional = self.types.kind(found) == TypeKind::Option(want);
                if found == want || optional || self.is_poison(found) || self.is_poison(want) {
                    return;
                }
                let label = format!(
                    "this is `{}`; the specification has `{}`",
                    self.type_name(found),
                    self.type_name(want)
                );
                (format!("the result of `{}` does not fit its specification", wanted.name), label)
            }
            (Some(_), None) => (
                format!("operation `{}` returns a value", wanted.name),
                "the specification returns no value".into(),
            ),
            (None, Some(want)) => (
                format!("operation `{}` returns no value", wanted.name),
                format!("the specification returns `{}`", self.type_name(want)),
            ),
        };
        let diagnostic = Diagnostic::error(title, at, label);
        self.report_plain(self.beside(diagnostic, wanted));
    }

    fn beside(&self, diagnostic: Diagnostic, wanted: &SpecOp<'_>) -> Diagnostic {
        diagnostic.label(wanted.span, "specified here").help(format!("write `{}`", self.signature(wanted)))
    }

    /// `op deq() -> data?`
    fn signature(&self, op: &SpecOp<'_>) -> String {
        let params: Vec<String> = op
            .params
            .iter()
            .zip(&op.signature.params)
            .map(|(ty, param)| format!("{}: {}", param.name.text, self.type_name(*ty)))
            .collect();
        let result = op.result.map(|ty| format!(" -> {}", self.type_name(ty))).unwrap_or_default();
        format!("op {}({}){result}", op.name, params.join(", "))
    }

    /// Parameters and results of operations are values without pointers, threads, ages and plain `int`, since
    /// a client chooses the ones and compares the others.
    fn client_types(
        &mut self,
        env: &Env,
        written: &ast::Signature,
        params: &[TypeId],
        result: Option<TypeId>,
    ) {
        for (ty, param) in params.iter().zip(&written.params) {
            self.client_type(env, *ty, param.ty.span, true);
        }
        if let (Some(ty), Some(at)) = (result, &written.result) {
            self.client_type(env, ty, at.span, false);
        }
    }

    fn client_type(&mut self, env: &Env, ty: TypeId, span: Span, is_parameter: bool) {
        let Some(inner) = self.unfit(ty, is_parameter) else { return };
        let what = if is_parameter { "a parameter" } else { "a result" };
        let name = self.type_name(inner);
        let label =
            if inner == ty { "not allowed here".to_string() } else { format!("this contains `{name}`") };
        let help = match self.types.kind(inner) {
            TypeKind::Int => "use a range such as `0..4`",
            TypeKind::Pointer(_) => "a client sees values only, not the memory of the object",
            TypeKind::Thread => "the running thread is `me`",
            TypeKind::Age => "an age has a meaning inside the object only",
            _ => "a client chooses among finitely many arguments",
        };
        self.report(
            env,
            Diagnostic::error(format!("{what} of an operation cannot be `{name}`"), span, label).help(help),
        );
    }

    fn unfit(&self, ty: TypeId, is_parameter: bool) -> Option<TypeId> {
        if self.is_poison(ty) {
            return None;
        }
        match self.types.kind(ty) {
            TypeKind::Int | TypeKind::Pointer(_) | TypeKind::Thread | TypeKind::Age => Some(ty),
            TypeKind::Option(of) | TypeKind::Array(of, _) => self.unfit(of, is_parameter),
            TypeKind::Word(id) => {
                let fields = &self.types.words[id].fields;
                fields.iter().find_map(|field| self.unfit(field.ty, is_parameter))
            }
            TypeKind::Seq(_) | TypeKind::Set(_) | TypeKind::Bag(_) | TypeKind::Map(..) if is_parameter => {
                Some(ty)
            }
            TypeKind::Seq(of) | TypeKind::Set(of) | TypeKind::Bag(of) => self.unfit(of, is_parameter),
            TypeKind::Map(key, value) => {
                self.unfit(key, is_parameter).or_else(|| self.unfit(value, is_parameter))
            }
            _ => None,
        }
    }
}
