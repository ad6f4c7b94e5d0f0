//! The functions of the program: operations, functions, methods and `init`, each with its resolved signature.
//!
//! A function is declared when a call needs it, or because it stands in the root file. Its body is checked
//! later, so functions may call each other in any order. A method exists once for each type that it is used
//! with.

use super::context::{Checker, Env};
use crate::syntax::ast::{self, Name};
use crate::typing::collect::load::UnitId;
use crate::typing::collect::names::{DefId, DefKind};
use crate::typing::hir::FunctionId;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::TypeId;
use std::sync::Arc;

/// A function before its body is checked.
pub(in crate::typing) struct Head<'a> {
    pub name: Arc<str>,
    pub env: Env,
    pub self_type: Option<TypeId>,
    pub params: Vec<(&'a Name, TypeId)>,
    pub result: Option<TypeId>,
    /// `None`: an operation of a specification that no object implements. It never returns.
    pub body: Option<&'a ast::Block>,
    /// The place of the result type; without one, the place of the name.
    pub result_at: Span,
    pub name_at: Span,
    pub noun: &'static str,
    pub span: Span,
}

impl<'a> Checker<'a> {
    /// The function that a definition is for these type arguments; `None` if it has no body anywhere, which
    /// was reported.
    pub fn function(&mut self, def: DefId, args: Vec<TypeId>, asked: Span) -> Option<FunctionId> {
        let def = self.with_body(def, asked)?;
        let key = (def, args);
        if let Some(id) = self.function_ids.get(&key) {
            return Some(*id);
        }
        let head = self.head(def, &key.1)?;
        let id = self.heads.push(head);
        self.function_ids.insert(key, id);
        self.queue.push_back(id);
        Some(id)
    }

    /// A function of the program that no text calls: `init`.
    pub fn declare_init(&mut self, unit: UnitId, name: &str, body: &'a ast::Block, span: Span) -> FunctionId {
        let head = Head {
            name: name.into(),
            env: Env::of_unit(unit),
            self_type: None,
            params: Vec::new(),
            result: None,
            body: Some(body),
            result_at: span,
            name_at: span,
            noun: "`init`",
            span,
        };
        let id = self.heads.push(head);
        self.queue.push_back(id);
        id
    }

    fn head(&mut self, def: DefId, args: &[TypeId]) -> Option<Head<'a>> {
        let definition = self.def(def);
        let (function, noun) = match definition.kind {
            DefKind::Op(function) => (function, "operation"),
            DefKind::Fn(function) => (function, "function"),
            DefKind::Method { function, .. } => (function, "method"),
            _ => return None,
        };
        let signature = &function.signature;
        let mut env = Env::of_unit(definition.unit);
        let mut name = signature.name.text.clone();
        let mut self_type = None;
        if let DefKind::Method { params, .. } = definition.kind {
            let of = self.names.methods_in_order.iter().find(|(_, method)| *method == def)?.0;
            let ty = self.instantiate(&env, of, args.to_vec(), signature.name.span);
            self.resolve_pending();
            self_type = Some(ty);
            let type_name = self.type_name(ty);
            name = format!("{type_name}::{name}").into();
            env.types = self.bind(params, args);
            env.instance = (!args.is_empty()).then(|| type_name.into());
        }
        self.check_self(&env, signature, definition.kind);
        let params = signature.params.iter();
        let params = params
            .map(|param| (&param.name, self.value_type(&env, &param.ty, "a parameter")))
            .collect::<Vec<_>>();
        let result = signature.result.as_ref().map(|ty| self.value_type(&env, ty, "a result"));
        let body = Some(function.body.as_ref()?);
        let result_at = signature.result.as_ref().map_or(signature.name.span, |ty| ty.span);
        let (name_at, span) = (signature.name.span, function.span);
        Some(Head { name, env, self_type, params, result, body, result_at, name_at, noun, span })
    }

    fn check_self(&mut self, env: &Env, signature: &ast::Signature, kind: DefKind<'_>) {
        let is_method = matches!(kind, DefKind::Method { .. });
        match signature.self_param {
            Some(span) if !is_method => self.report(
                env,
                Diagnostic::error(
                    "`self` outside of an `impl`",
                    span,
                    "there is no place before the dot here",
                )
                .help("methods are written in `impl Type { fn f(self) { … } }`"),
            ),
            None if is_method => self.report(
                env,
                Diagnostic::error(
                    format!("method `{}` has no `self`", signature.name.text),
                    signature.name.span,
                    "no call could reach this method",
                )
                .help(format!(
                    "write `fn {}(self, …)`, or put the function outside of the `impl`",
                    signature.name.text
                )),
            ),
            _ => {}
        }
    }

    /// The definition with the body: the one asked for, or the one that a file that uses its module supplies.
    fn with_body(&mut self, def: DefId, asked: Span) -> Option<DefId> {
        let declared = self.def(def);
        let DefKind::Fn(function) = declared.kind else { return Some(def) };
        if function.body.is_some() {
            return Some(def);
        }
        let users = self.units.users_of(declared.unit);
        let mut suppliers = Vec::new();
        for (id, other) in self.names.defs.entries() {
            let DefKind::Fn(supplied) = other.kind else { continue };
            if users.contains(&other.unit) && other.name.text == declared.name.text && supplied.body.is_some()
            {
                suppliers.push(id);
            }
        }
        match suppliers[..] {
            [supplier] => self.same_signature(def, supplier).then_some(supplier),
            [] => {
                if !users.iter().any(|user| self.units.all[*user].broken) {
                    let diagnostic =
                        self.without_body(declared.name, declared.unit == self.units.root, asked);
                    self.report_plain(diagnostic);
                }
                None
            }
            [first, second, ..] => {
                let (first, second) = (self.def(first).name.span, self.def(second).name.span);
                self.report_plain(
                    Diagnostic::error(
                        format!("`{}` has two bodies", declared.name.text),
                        second,
                        "the second body",
                    )
                    .label(first, "the first body")
                    .label(declared.name.span, "declared without a body here"),
                );
                None
            }
        }
    }

    /// The report of a function that has no body.
    pub fn without_body(&self, name: &Name, in_root: bool, asked: Span) -> Diagnostic {
        let diagnostic = Diagnostic::error(
            format!("function `{}` has no body", name.text),
            name.span,
            "declared without a body here",
        );
        if in_root {
            return diagnostic.help("only a module may leave a body to the file that uses it");
        }
        let diagnostic = if asked == name.span { diagnostic } else { diagnostic.label(asked, "needed here") };
        diagnostic.help(format!("write `fn {}(…) {{ … }}` in the file that uses the module", name.text))
    }

    fn same_signature(&mut self, declared: DefId, supplied: DefId) -> bool {
        let (declared, supplied) = (self.def(declared), self.def(supplied));
        let (DefKind::Fn(one), DefKind::Fn(other)) = (declared.kind, supplied.kind) else { return false };
        let types = |cx: &mut Self, unit, signature: &'a ast::Signature| {
            let env = Env::of_unit(unit);
            let params: Vec<TypeId> =
                signature.params.iter().map(|param| cx.type_of(&env, &param.ty)).collect();
            (params, signature.result.as_ref().map(|ty| cx.type_of(&env, ty)))
        };
        if types(self, declared.unit, &one.signature) == types(self, supplied.unit, &other.signature) {
            return true;
        }
        self.report_plain(
            Diagnostic::error(
                format!("the body of `{}` has another signature", declared.name.text),
                supplied.name.span,
                "the types differ",
            )
            .label(declared.name.span, "the module declares this")
            .help("use the same parameters and result as in the module"),
        );
        false
    }
}
