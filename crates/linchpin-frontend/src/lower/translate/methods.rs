//! The methods of a program: operations and recursive functions, `init`, initial values, hashes, clauses.

use super::assigned;
use super::{Destination, Frame, Returns, Translator};
use crate::lower::Lowering;
use crate::lower::draft::{Draft, Rest};
use crate::typing::hir::{self, FunctionId, VarId};
use linchpin_ir::index::{Index, IndexVec};
use linchpin_ir::program::{Base, ContextId, GlobalId, LocalBase, LocalPlace, Op, Place};
use linchpin_ir::source::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// An operation, or a recursive function.
pub(in crate::lower) fn function(lowering: &mut Lowering<'_>, id: FunctionId, rest: Rest) -> Draft {
    let function = &lowering.program.functions[id];
    let draft = Draft::new(function.name.clone(), function.result.into_iter().collect(), function.span);
    let mut translator = Translator::new(lowering, draft, rest);
    translator.open_frame(Some(id), Some(&function.vars), Some(&function.body));
    translator.params(&function.params);
    translator.block(&function.body);
    translator.finish(function.span)
}

/// The initial values of the shared variables, then the object's `init`.
pub(in crate::lower) fn init(lowering: &mut Lowering<'_>) -> Draft {
    let program = lowering.program;
    let span = program.init.map_or(program.object_span, |id| program.functions[id].span);
    let mut translator = Translator::new(lowering, Draft::new("init".into(), Vec::new(), span), Rest::Never);
    translator.open_frame(None, None, None);
    translator.initial_values(program.shared.entries().map(|(id, variable)| (id.index(), variable)));
    if let Some(id) = program.init {
        let function = &program.functions[id];
        translator.frames.pop();
        translator.open_frame(Some(id), Some(&function.vars), Some(&function.body));
        translator.block(&function.body);
    }
    translator.finish(span)
}

/// The initial values of the threads' own variables; `None` if all are defaults.
pub(in crate::lower) fn thread_init(lowering: &mut Lowering<'_>) -> Option<Draft> {
    let program = lowering.program;
    let given =
        || program.thread_vars.entries().filter_map(|(id, v)| v.init.as_ref().map(|value| (id, v, value)));
    let span = given().map(|(_, variable, _)| variable.span).reduce(Span::to)?;
    let mut translator =
        Translator::new(lowering, Draft::new("locals".into(), Vec::new(), span), Rest::Never);
    translator.open_frame(None, None, None);
    for (id, variable, value) in given() {
        let place = LocalPlace { base: LocalBase::ThreadVar(id), path: Vec::new(), ty: variable.ty };
        translator.compute(value, Destination::Place(place));
    }
    Some(translator.finish(span))
}

/// The expression of a hash function.
pub(in crate::lower) fn hash<'a>(
    lowering: &mut Lowering<'a>,
    hash: &'a hir::Hash,
    body: &'a hir::TypedExpr,
) -> Draft {
    let draft = Draft::new(hash.name.clone(), vec![hash.result], hash.span);
    let mut translator = Translator::new(lowering, draft, Rest::Never);
    translator.open_frame(None, Some(&hash.vars), None);
    translator.params(&[hash.param]);
    let value = translator.value(body);
    translator.emit(Op::Return(vec![value]), body.span);
    translator.finish(hash.span)
}

/// The initial values of the specification's state.
pub(in crate::lower) fn spec_init(lowering: &mut Lowering<'_>) -> Draft {
    let spec = &lowering.program.spec;
    let mut translator =
        Translator::new(lowering, Draft::new(spec.name.clone(), Vec::new(), spec.span), Rest::Never);
    translator.open_frame(None, None, None);
    translator.initial_values(spec.state.entries().map(|(id, variable)| (id.index(), variable)));
    translator.finish(spec.span)
}

/// A clause: its `when` is an [`Op::Await`], and all of it is local.
pub(in crate::lower) fn clause<'a>(lowering: &mut Lowering<'a>, clause: &'a hir::TypedClause) -> Draft {
    let names: Vec<&str> = clause.heads.iter().map(|head| &*lowering.program.ops[head.op].name).collect();
    let name: Arc<str> = names.join(" & ").into();
    let results = clause.heads.iter().filter_map(|head| head.result).collect();
    let mut translator = Translator::new(lowering, Draft::new(name, results, clause.span), Rest::Never);
    translator.open_frame(None, Some(&clause.vars), Some(&clause.body));
    let params: Vec<VarId> = clause.heads.iter().flat_map(|head| &head.params).copied().collect();
    translator.params(&params);
    if let Some(when) = &clause.when {
        let cond = translator.value(when);
        translator.emit(Op::Await(cond), when.span);
    }
    translator.block(&clause.body);
    translator.finish(clause.span)
}

impl<'a> Translator<'_, 'a> {
    fn open_frame(
        &mut self,
        function: Option<FunctionId>,
        vars: Option<&'a IndexVec<VarId, hir::Var>>,
        body: Option<&hir::TypedBlock>,
    ) {
        let assigned = Rc::new(body.map(assigned::in_block).unwrap_or_default());
        self.frames.push(Frame {
            function,
            vars,
            assigned,
            aliases: FxHashMap::default(),
            self_place: None,
            context: ContextId::new(0),
            returns: Returns::FromMethod,
            outer_scopes: 0,
            loops: Vec::new(),
        });
    }

    fn params(&mut self, params: &[VarId]) {
        for &param in params {
            let local = self.variable(param);
            self.builder.draft.params.push(local);
        }
    }

    fn initial_values(&mut self, variables: impl Iterator<Item = (usize, &'a hir::TypedVariable)>) {
        for (index, variable) in variables {
            if let Some(value) = &variable.init {
                let base = Base::Global(GlobalId::new(index));
                let value = self.value(value);
                self.store(Place { base, path: Vec::new(), ty: variable.ty }, value, variable.span);
            }
        }
    }

    fn finish(mut self, span: Span) -> Draft {
        let results = self.builder.draft.results.iter().map(|&ty| self.default_of(ty)).collect();
        self.emit(Op::Return(results), span);
        self.builder.draft
    }
}
