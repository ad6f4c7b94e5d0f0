//! From the typed program to steps: accesses and local work as language.md 3 defines them, a file for each
//! pass.
//!
//! | pass | what it establishes |
//! |---|---|
//! | `translate` | instructions in order of evaluation; calls inlined; `defer` on every exit; atomic blocks marked |
//! | `simplify` | no plain jumps, no branches on constants, no unreachable instructions |
//! | `fuse` | no temporary that only passes a value to the next instruction |
//! | `constants` | which variables and fields no operation assigns: reading them is local |
//! | `ownership` | in `gc`, which cells no other thread can reach: using them is local |
//! | `access` | which instructions are the access of a step, and which steps can block |
//! | `liveness` | which locals still matter in front of each instruction |
//! | `coalesce` | temporaries that hold the same text and are never alive together are one |
//! | `points` | every `lin` stands behind an access |
//! | `expected_points` | where a `check` expects `points`, there are some |
//! | `assemble` | the layout of frames; unused locals are removed |
//!
//! **Law.** For every operation the program and the text (read by language.md 3) have the same sequences of
//! accesses, with the same values. Local work differs only in what no other thread can observe.

mod access;
mod assemble;
mod coalesce;
mod constants;
mod draft;
mod expected_points;
mod fold;
mod fuse;
mod liveness;
mod ownership;
mod points;
mod simplify;
mod translate;
mod warnings;

pub use warnings::warnings;

use crate::typing::hir::{self, FunctionId};
use draft::{Draft, Rest};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::program as ir;
use linchpin_ir::program::{HashId, MethodId, OpId};
use linchpin_ir::source::{SourceMap, Span};
use linchpin_ir::types::{TypeId, TypeKind, TypeTable};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The steps of a program, or why it has none.
pub fn lower(sources: &SourceMap, program: &hir::Program) -> Result<ir::Program, Vec<Diagnostic>> {
    let mut lowering = Lowering::new(sources, program);
    let drafts = lowering.translate();
    // After an error the drafts may have gaps, or may be too large for the passes that follow.
    if lowering.diagnostics.is_empty() {
        let lowered = assemble::program(&mut lowering, drafts);
        if lowering.diagnostics.is_empty() {
            debug_assert_eq!(ir::validate(&lowered), Vec::<String>::new());
            return Ok(lowered);
        }
    }
    let Lowering { mut diagnostics, .. } = lowering;
    diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span));
    Err(diagnostics)
}

/// The state that the lowering of all methods shares.
struct Lowering<'a> {
    sources: &'a SourceMap,
    program: &'a hir::Program,
    types: TypeTable,
    unit: TypeId,
    bool_type: TypeId,
    diagnostics: Vec<Diagnostic>,
    /// Methods that were found too large, each once.
    refused_size: Vec<Arc<str>>,
    assigned: FxHashMap<FunctionId, Rc<translate::Assigned>>,
    /// The methods by function and mode (may rest, may not rest), in the order of their first use.
    wanted: IndexVec<MethodId, (FunctionId, Rest)>,
}

/// The methods of a program before the choice of what is an access and what is local work.
struct Drafts {
    methods: IndexVec<MethodId, Draft>,
    ops: IndexVec<OpId, MethodId>,
    init: MethodId,
    thread_init: Option<MethodId>,
    hashes: IndexVec<HashId, Option<MethodId>>,
    spec_init: Draft,
    clauses: Vec<Draft>,
}

impl<'a> Lowering<'a> {
    fn new(sources: &'a SourceMap, program: &'a hir::Program) -> Lowering<'a> {
        let mut types = program.types.clone();
        let unit = types.intern(TypeKind::Unit);
        let bool_type = types.intern(TypeKind::Bool);
        Lowering {
            sources,
            program,
            types,
            unit,
            bool_type,
            diagnostics: Vec::new(),
            refused_size: Vec::new(),
            assigned: FxHashMap::default(),
            wanted: IndexVec::new(),
        }
    }

    fn translate(&mut self) -> Drafts {
        let program = self.program;
        let ops = program.ops.iter().map(|op| self.method_of(op.function, false)).collect();
        let init = translate::init(self);
        let thread_init = translate::thread_init(self);
        let hashes: Vec<Option<Draft>> = program
            .hashes
            .iter()
            .map(|hash| hash.body.as_ref().map(|body| translate::hash(self, hash, body)))
            .collect();
        let spec_init = translate::spec_init(self);
        let clauses = program.spec.clauses.iter().map(|clause| translate::clause(self, clause)).collect();
        let mut methods: IndexVec<MethodId, Draft> = IndexVec::new();
        while let Some(&(function, rest)) = self.wanted.iter().nth(methods.len()) {
            let draft = translate::function(self, function, rest);
            methods.push(draft);
        }
        Drafts {
            ops,
            init: methods.push(init),
            thread_init: thread_init.map(|draft| methods.push(draft)),
            hashes: hashes.into_iter().map(|draft| draft.map(|draft| methods.push(draft))).collect(),
            spec_init,
            clauses,
            methods,
        }
    }

    /// The method of a function that is not inlined.
    fn method_of(&mut self, function: FunctionId, never_rests: bool) -> MethodId {
        let key = (function, if never_rests { Rest::Never } else { Rest::Allowed });
        let known = self.wanted.entries().find(|(_, wanted)| **wanted == key).map(|(id, _)| id);
        known.unwrap_or_else(|| self.wanted.push(key))
    }

    /// The text of a span, short enough to be a name.
    fn text(&self, span: Span) -> Arc<str> {
        translate::short_text(self.sources.text(span))
    }

    /// Text that is translated several times is reported once.
    fn report(&mut self, diagnostic: Diagnostic) {
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }
}
