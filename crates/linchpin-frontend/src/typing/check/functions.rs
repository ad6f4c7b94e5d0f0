//! The check of a function's body, and what the body does that matters to its callers.

use super::body::{Body, Stage};
use super::flow::falls_through;
use super::place::Root;
use crate::typing::declare::context::Checker;
use crate::typing::hir::{self, FunctionId, HashId};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use rustc_hash::FxHashMap;

/// The checked functions, each with its effects.
pub(in crate::typing) type Bodies = FxHashMap<FunctionId, (hir::TypedFunction, Effects)>;

/// The effects of a body that concern its callers.
#[derive(Default)]
pub(in crate::typing) struct Effects {
    pub calls: Vec<(FunctionId, Span)>,
    /// Calls of methods with what their place begins with.
    pub self_roots: Vec<(FunctionId, Root, Span)>,
    pub hashes: Vec<(HashId, Span)>,
    pub me: Option<Span>,
    pub thread_variable: Option<Span>,
    pub lin: Option<Span>,
    /// A primitive on the place before the dot. The place must be shared.
    pub primitive_on_self: Option<Span>,
}

impl<'a> Checker<'a> {
    /// Checks the bodies of all functions in the queue, and of those that they call.
    pub(super) fn check_bodies(&mut self, bodies: &mut Bodies) {
        while let Some(id) = self.queue.pop_front() {
            let checked = self.check_body(id);
            bodies.insert(id, checked);
        }
    }

    fn check_body(&mut self, id: FunctionId) -> (hir::TypedFunction, Effects) {
        let head = &self.heads[id];
        let (env, body, span, name) = (head.env.clone(), head.body, head.span, head.name.clone());
        let (self_type, params, result) = (head.self_type, head.params.clone(), head.result);
        let (result_at, noun) = (head.result_at, head.noun);
        let broken = self.units.all[env.unit].broken;
        let mut inside = Body::new(self, env.clone(), Stage::Code, result_at);
        inside.self_type = self_type;
        inside.results = result.into_iter().collect();
        let params = params.into_iter().map(|(name, ty)| inside.declare_parameter(name, ty)).collect();
        let block = match body {
            Some(body) => inside.block(body),
            None => inside.without_end(span),
        };
        let (vars, effects) = (inside.vars, inside.effects);
        let known = result.is_some_and(|ty| !self.is_poison(ty));
        if let Some(body) = body.filter(|_| known && !broken && falls_through(&block)) {
            self.report(&env, ends_without_result(noun, &name, body.span, result_at));
        }
        let function =
            hir::TypedFunction { name, self_type, params, result, vars, body: block, recursive: false, span };
        (function, effects)
    }
}

/// The report of a body that should return something and may not.
pub(in crate::typing) fn ends_without_result(
    noun: &str,
    name: &str,
    body: Span,
    result_at: Span,
) -> Diagnostic {
    let end = Span { start: body.end.saturating_sub(1).max(body.start), ..body };
    Diagnostic::error(
        format!("{noun} `{name}` can end without a result"),
        end,
        "the end is reached without `return`",
    )
    .label(result_at, "the result is declared here")
    .help("add a `return` at the end of every path")
}
