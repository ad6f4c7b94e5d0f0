//! The specification of the object: type parameters expanded, parameters replaced by the object's arguments,
//! clauses checked.

use super::body::{Body, Stage};
use super::convert::Why;
use super::flow::falls_through;
use super::functions::ends_without_result;
use crate::syntax::ast::{self, Name, SpecMember};
use crate::typing::collect::names::{DefId, DefKind, Lookup, Namespace, count};
use crate::typing::declare::context::{Checker, Env};
use crate::typing::declare::spec_scope::{Argument, SpecScope};
use crate::typing::hir::{self, OpId, StateId, VarId};
use crate::typing::suggest;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::source::Span;
use linchpin_ir::types::TypeId;
use std::rc::Rc;
use std::sync::Arc;

/// A checked specification with the signatures of its operations, in the order of their first clauses.
pub(in crate::typing) struct CheckedSpec<'a> {
    pub spec: hir::TypedSpec,
    pub ops: IndexVec<OpId, SpecOp<'a>>,
    /// What names mean inside the specification.
    pub env: Env,
}

pub(in crate::typing) struct SpecOp<'a> {
    pub name: Arc<str>,
    pub params: Vec<TypeId>,
    pub result: Option<TypeId>,
    /// The signature in the first clause, and its name's place.
    pub signature: &'a ast::Signature,
    pub span: Span,
}

impl<'a> Checker<'a> {
    /// The specification that the object names; `None` if there is none, which was reported.
    pub(super) fn specification(&mut self, object: &'a ast::Object) -> Option<CheckedSpec<'a>> {
        let def = self.find_specification(object)?;
        let definition = self.def(def);
        let DefKind::Spec(written) = definition.kind else { return None };
        let root = Env::of_unit(self.units.root);
        let args: Vec<TypeId> =
            object.type_args.iter().map(|arg| self.value_type(&root, arg, "a type argument")).collect();
        let wanted = written.type_params.len();
        if !self.right_number_of_arguments(&root, def, &object.spec, wanted, args.len()) {
            return None;
        }
        let instance = (!args.is_empty()).then(|| {
            let names: Vec<String> = args.iter().map(|arg| self.type_name(*arg)).collect();
            format!("{}<{}>", written.name.text, names.join(", ")).into()
        });
        if args.iter().any(|arg| self.is_poison(*arg)) {
            return None;
        }
        let types = self.bind(&written.type_params, &args);
        let mut env = Env { types, instance, ..Env::of_unit(definition.unit) };
        let params = self.spec_arguments(&env, object, written)?;
        env.spec = Some(Rc::new(SpecScope::new(params.clone(), Vec::new())));
        let state = self.spec_state(&env, written);
        let names = state.entries().map(|(id, variable)| (variable.name.clone(), id, variable.ty)).collect();
        let scope = SpecScope::new(params, names);
        env.spec = Some(Rc::new(scope.clone()));
        let mut checked = self.clauses(&env, written, state, definition.span);
        // Types that do not fit the clauses do not fit the observers either; one report is enough.
        let does_not_fit = !written.type_params.is_empty() && self.has_errors();
        for member in &written.members {
            if let (SpecMember::Observer(observer), false) = (member, does_not_fit) {
                let observers = self.observers(&env, &scope, observer, &checked.ops);
                checked.spec.observers.extend(observers);
            }
        }
        Some(checked)
    }

    fn find_specification(&mut self, object: &ast::Object) -> Option<DefId> {
        let root = self.units.root;
        match self.names.lookup(root, Namespace::Spec, &object.spec.text) {
            Lookup::Found(def) => {
                self.note_def(&object.spec, def, None);
                self.specification_used = Some(def);
                Some(def)
            }
            Lookup::Lost => None,
            Lookup::Unknown => {
                let mut diagnostic = Diagnostic::error(
                    format!("there is no specification `{}`", object.spec.text),
                    object.spec.span,
                    "neither in this file nor in the library",
                );
                diagnostic.help = suggest::help(&object.spec.text, self.names.known_specifications(root));
                self.report_plain(diagnostic);
                None
            }
        }
    }

    fn spec_arguments(
        &mut self,
        env: &Env,
        object: &'a ast::Object,
        written: &'a ast::Spec,
    ) -> Option<Vec<(Arc<str>, Argument)>> {
        if written.params.len() != object.args.len() {
            let names: Vec<&str> = written.params.iter().map(|param| &*param.name.text).collect();
            let mut diagnostic = Diagnostic::error(
                format!(
                    "`{}` takes {}, not {}",
                    written.name.text,
                    count(written.params.len(), "argument"),
                    object.args.len()
                ),
                object.spec.span,
                "the wrong number of arguments here",
            )
            .label(written.name.span, "defined here");
            if !names.is_empty() {
                diagnostic = diagnostic.help(format!("give arguments for {}", suggest::list(&names)));
            }
            self.report_plain(diagnostic);
            return None;
        }
        let root = Env::of_unit(self.units.root);
        let mut arguments = Vec::new();
        let mut right = true;
        for (param, arg) in written.params.iter().zip(&object.args) {
            let ty = self.value_type(env, &param.ty, "a parameter of a specification");
            let mut inside = Body::new(self, root.clone(), Stage::SpecInitial, arg.span);
            let why = Why::At(param.name.span, "the parameter is declared here");
            let value = inside.expr_as(arg, ty, why);
            let words = if inside.is_poison(value.ty) { None } else { inside.fold(&value) };
            match words {
                Some(words) => arguments.push((param.name.text.clone(), Argument { ty, words })),
                None => {
                    right = false;
                    if !self.is_poison(value.ty) {
                        self.report_plain(
                            Diagnostic::error(
                                "an argument of a specification must be a constant",
                                arg.span,
                                format!("this is not a constant of type `{}`", self.type_name(ty)),
                            )
                            .label(param.name.span, "the parameter is declared here"),
                        );
                    }
                }
            }
        }
        right.then_some(arguments)
    }

    fn spec_state(&mut self, env: &Env, written: &'a ast::Spec) -> IndexVec<StateId, hir::TypedVariable> {
        let mut state: IndexVec<StateId, hir::TypedVariable> = IndexVec::new();
        for member in &written.members {
            let SpecMember::State(variable, _) = member else { continue };
            let name = &variable.name;
            if let Some(first) = state.iter().find(|first| first.name == name.text) {
                let diagnostic = Diagnostic::error(
                    format!("`{}` is defined twice", name.text),
                    name.span,
                    "the second time here",
                )
                .label(first.span, "the first time here");
                self.report(env, diagnostic);
                continue;
            }
            let ty = self.value_type(env, &variable.ty, "the state of a specification");
            let init = variable.init.as_ref();
            let init = init.and_then(|init| self.initial(env, ty, &variable.ty, init, Stage::SpecState));
            state.push(hir::TypedVariable { name: name.text.clone(), ty, init, span: name.span });
        }
        state
    }

    fn clauses(
        &mut self,
        env: &Env,
        written: &'a ast::Spec,
        state: IndexVec<StateId, hir::TypedVariable>,
        span: Span,
    ) -> CheckedSpec<'a> {
        let mut ops = IndexVec::new();
        let mut spec = hir::TypedSpec {
            name: written.name.text.clone(),
            state,
            clauses: Vec::new(),
            adds: Vec::new(),
            removes: Vec::new(),
            observers: Vec::new(),
            span,
        };
        for member in &written.members {
            let SpecMember::Clause(clause) = member else { continue };
            let clause = self.clause(env, clause, &mut ops, &mut spec);
            spec.clauses.push(clause);
        }
        CheckedSpec { spec, ops, env: env.clone() }
    }

    fn clause(
        &mut self,
        env: &Env,
        clause: &'a ast::Clause,
        ops: &mut IndexVec<OpId, SpecOp<'a>>,
        spec: &mut hir::TypedSpec,
    ) -> hir::TypedClause {
        let broken = self.units.all[env.unit].broken;
        let mut heads = Vec::new();
        let mut results_at = clause.span;
        let mut signatures = Vec::new();
        for head in &clause.heads {
            let signature = &head.signature;
            let params: Vec<(&'a Name, TypeId)> = signature
                .params
                .iter()
                .map(|param| (&param.name, self.value_type(env, &param.ty, "a parameter")))
                .collect();
            let result = signature.result.as_ref().map(|ty| self.value_type(env, ty, "a result"));
            if let Some(written) = &signature.result {
                results_at = written.span;
            }
            let op = self.spec_op(env, signature, &params, result, ops);
            self.attributes(env, &head.attributes, op, spec);
            signatures.push((op, params, result, signature.name.span));
        }
        let mut inside = Body::new(self, env.clone(), Stage::Clause, results_at);
        for (op, params, result, span) in signatures {
            let params: Vec<VarId> =
                params.into_iter().map(|(name, ty)| inside.declare_parameter(name, ty)).collect();
            heads.push(hir::TypedClauseHead { op, params, result, span });
        }
        inside.results = heads.iter().filter_map(|head| head.result).collect();
        inside.stage = Stage::When;
        let when = clause.when.as_ref().map(|when| inside.condition(when));
        inside.stage = Stage::Clause;
        let body = inside.block(&clause.body);
        let needs_result = !inside.results.is_empty();
        let vars = inside.vars;
        if needs_result && !broken && falls_through(&body) {
            let name = heads.iter().find(|head| head.result.is_some()).map(|head| ops[head.op].name.clone());
            let name = name.unwrap_or_default();
            self.report(env, ends_without_result("operation", &name, clause.body.span, results_at));
        }
        hir::TypedClause { heads, vars, when, body, span: clause.span }
    }

    /// The operation that a head is about; all its clauses have one signature.
    fn spec_op(
        &mut self,
        env: &Env,
        signature: &'a ast::Signature,
        params: &[(&'a Name, TypeId)],
        result: Option<TypeId>,
        ops: &mut IndexVec<OpId, SpecOp<'a>>,
    ) -> OpId {
        if let Some(span) = signature.self_param {
            self.report(
                env,
                Diagnostic::error("an operation has no `self`", span, "there is no place before the dot"),
            );
        }
        let types: Vec<TypeId> = params.iter().map(|(_, ty)| *ty).collect();
        let name = &signature.name;
        let Some((id, first)) = ops.entries().find(|(_, op)| op.name == name.text) else {
            return ops.push(SpecOp {
                name: name.text.clone(),
                params: types,
                result,
                signature,
                span: name.span,
            });
        };
        let poisoned = types
            .iter()
            .chain(&first.params)
            .chain(&result)
            .chain(&first.result)
            .any(|ty| self.is_poison(*ty));
        if !poisoned && (first.params != types || first.result != result) {
            let diagnostic = Diagnostic::error(
                format!("the clauses of `{}` have different signatures", name.text),
                name.span,
                "this one differs",
            )
            .label(first.span, "from this one")
            .help("all clauses of an operation have the same parameters and the same result");
            self.report(env, diagnostic);
        }
        id
    }

    fn attributes(&mut self, env: &Env, attributes: &[Name], op: OpId, spec: &mut hir::TypedSpec) {
        for attribute in attributes {
            let list = match &*attribute.text {
                "adds" => &mut spec.adds,
                "removes" => &mut spec.removes,
                _ => {
                    let mut diagnostic = Diagnostic::error(
                        format!("there is no attribute `{}`", attribute.text),
                        attribute.span,
                        "not known",
                    );
                    diagnostic.help = suggest::help(&attribute.text, ["adds", "removes"]);
                    self.report(env, diagnostic);
                    continue;
                }
            };
            if !list.contains(&op) {
                list.push(op);
            }
        }
    }
}
