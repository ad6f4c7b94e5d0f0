//! The last pass: accesses, live locals and the layout of frames, put together into the program.

use super::constants::Constants;
use super::draft::Draft;
use super::expected_points::Nothing;
use super::liveness::live_in;
use super::{Drafts, Lowering, access, coalesce, expected_points, fuse, points};
use crate::typing::hir;
use linchpin_ir::index::IndexVec;
use linchpin_ir::program as ir;
use linchpin_ir::program::{
    Access, Clause, ClauseHead, Global, GlobalId, Globals, HashFunction, Instr, Local, LocalId, LocalSet,
    Method, MethodId, Op, Operation, Pc, Spec,
};
use linchpin_ir::types::{SlotKind, TypeTable};

pub(super) fn program(lowering: &mut Lowering<'_>, mut drafts: Drafts) -> ir::Program {
    let source = lowering.program;
    for draft in drafts.methods.iter_mut().chain([&mut drafts.spec_init]).chain(&mut drafts.clauses) {
        fuse::fuse(&lowering.types, lowering.bool_type, draft);
    }
    let constants =
        Constants::of_operations(&lowering.types, source.memory, &drafts.methods, drafts.ops.iter().copied());
    for draft in drafts.methods.iter_mut() {
        access::decide(lowering, &constants, draft);
    }
    for draft in drafts.methods.iter_mut() {
        coalesce::coalesce(draft);
    }
    points::check(&drafts.methods, drafts.ops.iter().copied(), |diagnostic| lowering.report(diagnostic));
    let has_point = reaches_point(&drafts.methods);
    let meeting = source.spec.clauses.iter().find(|clause| clause.heads.len() > 1);
    let nothing = match meeting {
        Some(clause) => Some(Nothing::Rendezvous(clause.span)),
        None => drafts.ops.iter().all(|op| !has_point[*op]).then_some(Nothing::NoPoints),
    };
    if let Some(why) = nothing {
        expected_points::refuse(&source.checks, &why, |diagnostic| lowering.report(diagnostic));
    }
    let blocking = access::blocking(source.memory, &drafts.methods);
    let types = &lowering.types;
    let ops = source
        .ops
        .entries()
        .map(|(id, op)| Operation {
            name: op.name.clone(),
            method: drafts.ops[id],
            params: op.params.clone(),
            result: source.functions[op.function].result,
            free_point: !has_point[drafts.ops[id]],
            span: op.span,
        })
        .collect();
    let hashes = source
        .hashes
        .entries()
        .map(|(id, hash)| HashFunction {
            name: hash.name.clone(),
            domain: hash.domain,
            result: hash.result,
            body: drafts.hashes[id],
            span: hash.span,
        })
        .collect();
    let spec = spec(types, &source.spec, drafts.spec_init, drafts.clauses);
    let methods: IndexVec<MethodId, Method> =
        drafts.methods.entries().map(|(id, draft)| method(types, draft, &blocking[id])).collect();
    let globals = globals(types, source.shared.iter(), |id| constants.variable(id));
    let own = self::globals(types, source.thread_vars.iter(), |_| false);
    let uses_links = methods
        .iter()
        .flat_map(|method| method.code.iter())
        .any(|instr| matches!(instr.op, Op::LoadLinked { .. } | Op::StoreConditional { .. }));
    ir::Program {
        name: source.name.clone(),
        header: source.header.clone(),
        memory: source.memory,
        threads: source.threads,
        threads_used_at: source.threads_used_at,
        constants: source.constants.clone(),
        globals,
        thread_vars: own.variables.iter().cloned().collect(),
        thread_slots: own.slots,
        thread_init: drafts.thread_init,
        init: drafts.init,
        methods,
        ops,
        hashes,
        roles: source.roles.clone(),
        spec,
        checks: source.checks.clone(),
        proofs: source.proofs.clone(),
        uses_links,
        object_span: source.object_span,
        types: types.clone(),
    }
}

fn spec(types: &TypeTable, source: &hir::TypedSpec, init: Draft, clauses: Vec<Draft>) -> Spec {
    let never = |draft: &Draft| draft.code.iter().map(|_| false).collect();
    let constants = Constants::of_methods(types, ir::MemoryKind::Pool, clauses.iter());
    let clauses = source.clauses.iter().zip(&clauses).map(|(clause, draft)| Clause {
        heads: clause
            .heads
            .iter()
            .map(|head| ClauseHead {
                op: head.op,
                params: head.params.len(),
                result: head.result,
                span: head.span,
            })
            .collect(),
        method: method(types, draft, &never(draft)),
        span: clause.span,
    });
    Spec {
        name: source.name.clone(),
        globals: globals(types, source.state.iter(), |id| constants.variable(id)),
        init: method(types, &init, &never(&init)),
        clauses: clauses.collect(),
        adds: source.adds.clone(),
        removes: source.removes.clone(),
        has_rendezvous: source.clauses.iter().any(|clause| clause.heads.len() > 1),
        observers: source.observers.clone(),
        span: source.span,
    }
}

fn globals<'v>(
    types: &TypeTable,
    variables: impl Iterator<Item = &'v hir::TypedVariable>,
    constant: impl Fn(GlobalId) -> bool,
) -> Globals {
    let mut slots: Vec<SlotKind> = Vec::new();
    let mut laid_out: IndexVec<GlobalId, Global> = IndexVec::new();
    for variable in variables {
        let offset = slots.len();
        slots.extend(types.slots(variable.ty));
        let (name, ty, span) = (variable.name.clone(), variable.ty, variable.span);
        let id = laid_out.push(Global { name, ty, offset, constant: false, span });
        laid_out[id].constant = constant(id);
    }
    Globals { variables: laid_out, slots }
}

/// The methods that contain a `lin`, directly or in a method that they call.
fn reaches_point(methods: &IndexVec<MethodId, Draft>) -> IndexVec<MethodId, bool> {
    let mut reaches: IndexVec<MethodId, bool> = methods.iter().map(|draft| draft.has_point).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (id, draft) in methods.entries() {
            if !reaches[id] && draft.calls.iter().any(|&callee| reaches[callee]) {
                reaches[id] = true;
                changed = true;
            }
        }
    }
    reaches
}

fn method(types: &TypeTable, draft: &Draft, blocking: &IndexVec<Pc, bool>) -> Method {
    let kept = used_locals(draft);
    let mut slots: Vec<SlotKind> = Vec::new();
    let mut locals: IndexVec<LocalId, Local> = IndexVec::new();
    let mut renamed: IndexVec<LocalId, Option<LocalId>> = IndexVec::new();
    for (id, local) in draft.locals.entries() {
        if !kept.contains(id) {
            renamed.push(None);
            continue;
        }
        let offset = slots.len();
        slots.extend(types.slots(local.ty));
        renamed.push(Some(locals.push(Local {
            name: local.name.clone(),
            ty: local.ty,
            offset,
            temporary: local.temporary,
            span: local.span,
        })));
    }
    let rename = |local: LocalId| renamed[local].unwrap_or(local);
    let live = live_in(&draft.code);
    let code = draft.code.entries().map(|(pc, instr)| {
        let mut op = instr.op.clone();
        op.locals_mut(&mut |local| *local = rename(*local));
        let mut alive = LocalSet::new();
        for local in live[pc].iter() {
            alive.insert(rename(local));
        }
        let access = if instr.is_step { Access::Step { can_block: blocking[pc] } } else { Access::Local };
        Instr { op, next: instr.next, access, live: alive, span: instr.span, context: instr.context }
    });
    Method {
        name: draft.name.clone(),
        params: draft.params.iter().map(|&param| rename(param)).collect(),
        results: draft.results.clone(),
        code: code.collect(),
        entry: draft.entry,
        contexts: draft.contexts.clone(),
        span: draft.span,
        locals,
        slots,
    }
}

/// The parameters, and whatever an instruction mentions.
fn used_locals(draft: &Draft) -> LocalSet {
    let mut used = LocalSet::new();
    for &param in &draft.params {
        used.insert(param);
    }
    for instr in draft.code.iter() {
        instr.op.clone().locals_mut(&mut |local| {
            used.insert(*local);
        });
    }
    used
}
