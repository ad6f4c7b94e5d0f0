//! Phase 3: bodies, initial values, the specification, and the object beside its specification.
//!
//! Statements, expressions and places are methods of [`body::Body`], a file for each kind. They call each
//! other, as the syntax does.

pub(super) mod body;
mod calls;
mod choose;
mod collections;
mod convert;
mod expr;
mod flow;
mod fold;
pub(super) mod functions;
mod literals;
mod matching;
mod object;
mod observer;
mod operators;
pub(super) mod place;
mod primitives;
pub(super) mod spec;
mod stmt;
mod variables;

use super::collect::names::DefKind;
use super::declare::context::Checker;
use super::hir::{FunctionId, Op, OpId};
use crate::syntax::ast;
use functions::Bodies;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::source::Span;
use spec::CheckedSpec;

/// The result of this phase. A part with an error is missing; the error is reported.
pub(super) struct CheckedParts<'a> {
    /// `None`: the file has no object.
    pub object: Option<&'a ast::Object>,
    /// `None`: there is no such specification, or its arguments are wrong.
    pub spec: Option<CheckedSpec<'a>>,
    /// The operations in the order of the specification.
    pub ops: IndexVec<OpId, Op>,
    /// The `init` blocks: those of modules first.
    pub inits: Vec<FunctionId>,
    pub bodies: Bodies,
}

/// Declares and checks everything that the root file can name.
pub(super) fn check<'a>(checker: &mut Checker<'a>) -> CheckedParts<'a> {
    let tree = &checker.units.all[checker.units.root].tree;
    let at = tree.object.as_ref().map_or(Span { end: tree.span.start, ..tree.span }, |object| object.span);
    let mut bodies = Bodies::default();
    checker.check_overrides(at);
    checker.declare_types();
    checker.check_variables();
    let inits = checker.declare_inits();
    checker.declare_functions();
    checker.check_bodies(&mut bodies);
    let object = checker.find_object(tree, at);
    let spec = object.and_then(|object| checker.specification(object));
    let ops = match (object, &spec) {
        (_, Some(spec)) if checker.units.is_specification => checker.operations_without_code(spec),
        (Some(object), Some(spec)) => checker.object(object, spec),
        _ => IndexVec::new(),
    };
    checker.check_bodies(&mut bodies);
    checker.check_hash_circles();
    CheckedParts { object, spec, ops, inits, bodies }
}

impl<'a> Checker<'a> {
    fn find_object(&mut self, tree: &'a ast::File, at: Span) -> Option<&'a ast::Object> {
        if tree.object.is_none() && !self.units.all[self.units.root].broken {
            self.report_plain(
                Diagnostic::error("this file has no object", at, "expected `object Name: Spec;`")
                    .help("add `object Name: Spec;`, or `use` this file from another one"),
            );
        }
        tree.object.as_ref()
    }

    /// The variables and hash functions that the root file can name.
    fn check_variables(&mut self) {
        for (id, def) in self.visible() {
            match def.kind {
                DefKind::Shared(_) => {
                    self.shared_variable(id);
                }
                DefKind::Local(_) => {
                    self.thread_variable(id);
                }
                DefKind::Hash { .. } => {
                    self.hash(id);
                }
                _ => {}
            }
        }
    }
}
