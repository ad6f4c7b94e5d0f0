//! Fingerprints: fixed numbers for known models, and different numbers for different programs.

use super::history_and_replay::support::program;
use linchpin_ir::index::Index;
use linchpin_ir::program::{
    Access, Base, Candidates, Expr, ExprKind, LocalPlace, Op, Place, Program, Projection, Target,
};
use linchpin_judge::replay::fingerprint;
use std::collections::BTreeSet;

const MODELS: [(&str, &str); 5] = [
    ("ms_queue", include_str!("../../../../models/correct/ms_queue.lin")),
    ("fine_list", include_str!("../../../../models/correct/fine_list.lin")),
    ("elimination_stack", include_str!("../../../../models/correct/elimination_stack.lin")),
    ("mcs_lock", include_str!("../../../../models/correct/mcs_lock.lin")),
    ("bounded_queue", include_str!("../../../../models/correct/bounded_queue.lin")),
];

/// Saved traces and certificates hold fingerprints. These numbers may change only if the text of a model
/// changes, if lowering produces other instructions, or if the encoding changes. In the last two cases saved
/// files become useless: change the format versions of trace and certificate files in the same commit.
#[test]
fn golden_fingerprints() {
    let found = MODELS.map(|(name, text)| format!("{name} {}", fingerprint(&program(text))));
    assert_eq!(
        found,
        [
            "ms_queue e079d8101d02d728",
            "fine_list adf1fae412380fe2",
            "elimination_stack 9330dbcf1355ffe1",
            "mcs_lock 70d231d2b389b4e1",
            "bounded_queue 33e3219ac02aee09",
        ]
    );
}

/// Programs that differ in one constant, one part of an instruction or one access have different
/// fingerprints.
#[test]
fn programs_that_differ_in_one_place_differ() {
    for (name, text) in MODELS {
        let original = (*program(text)).clone();
        let mut found = BTreeSet::from([fingerprint(&original).to_string()]);
        let mut changed = 1;
        let mut add = |program: &Program| {
            assert!(found.insert(fingerprint(program).to_string()), "{name}: change {changed} has no effect");
            changed += 1;
        };
        for at in 0..original.constants.len() {
            let mut program = original.clone();
            program.constants[at].value += 1;
            add(&program);
        }
        for method in original.methods.ids() {
            for pc in original.methods[method].code.ids() {
                let mut program = original.clone();
                let instr = &mut program.methods[method].code[pc];
                instr.next = Index::new(instr.next.index() + 1);
                add(&program);
                let mut program = original.clone();
                let instr = &mut program.methods[method].code[pc];
                instr.access = match instr.access {
                    Access::Local => Access::Step { can_block: false },
                    Access::Step { .. } => Access::Local,
                };
                add(&program);
                let mut program = original.clone();
                let instr = &mut program.methods[method].code[pc];
                instr.op = match instr.op {
                    Op::Atomic { end } => Op::Atomic { end: Index::new(end.index() + 1) },
                    _ => Op::Atomic { end: instr.next },
                };
                add(&program);
                for part in 0.. {
                    let mut program = original.clone();
                    if !change(&mut program.methods[method].code[pc].op, part) {
                        break;
                    }
                    add(&program);
                }
            }
        }
        assert!(changed > 100, "{name}: {changed}");
    }
}

/// Changes one expression inside the instruction, by its number; `false` if there are fewer expressions.
fn change(op: &mut Op, number: usize) -> bool {
    let mut seen = 0;
    in_op(op, &mut |expr: &mut Expr| {
        if seen == number {
            expr.kind = match std::mem::replace(&mut expr.kind, ExprKind::Me) {
                ExprKind::Constant(mut words) if !words.is_empty() => {
                    words[0] = words[0].wrapping_add(1);
                    ExprKind::Constant(words)
                }
                kind => ExprKind::Some(Box::new(Expr { kind, ty: expr.ty })),
            };
        }
        seen += 1;
    });
    number < seen
}

type Visit<'a> = &'a mut dyn FnMut(&mut Expr);

fn in_op(op: &mut Op, visit: Visit) {
    match op {
        Op::Assign { to, value } => {
            in_local(to, visit);
            in_expr(value, visit);
        }
        Op::Branch { cond: inner, .. }
        | Op::Assert(inner)
        | Op::Assume(inner)
        | Op::Await(inner)
        | Op::Free(inner) => in_expr(inner, visit),
        Op::Choose { from, cond, .. } => {
            match from {
                Candidates::Range(low, high) => {
                    in_expr(low, visit);
                    in_expr(high, visit);
                }
                Candidates::Elements(collection) => in_expr(collection, visit),
                Candidates::Bool | Candidates::Threads => {}
            }
            cond.iter_mut().for_each(|cond| in_expr(cond, visit));
        }
        Op::Lin { of, cond, .. } => of.iter_mut().chain(cond).for_each(|inner| in_expr(inner, visit)),
        Op::Call { args, into, .. } => {
            args.iter_mut().for_each(|arg| in_expr(arg, visit));
            into.iter_mut().for_each(|into| in_local(into, visit));
        }
        Op::Return(values) => values.iter_mut().for_each(|value| in_expr(value, visit)),
        Op::Load { into, from } => {
            in_local(into, visit);
            in_place(from, visit);
        }
        Op::Store { to, value } => {
            in_place(to, visit);
            in_expr(value, visit);
        }
        Op::New { into, fields, .. } => {
            in_local(into, visit);
            fields.iter_mut().for_each(|(_, value)| in_expr(value, visit));
        }
        Op::NewArray { into, value, len, .. } => {
            in_local(into, visit);
            in_expr(value, visit);
            in_expr(len, visit);
        }
        Op::ArrayLen { into, array } => {
            in_local(into, visit);
            in_expr(array, visit);
        }
        Op::Collection { into, on, args, .. } => {
            into.iter_mut().for_each(|into| in_local(into, visit));
            match on {
                Target::Local(place) => in_local(place, visit),
                Target::Shared(place) => in_place(place, visit),
            }
            args.iter_mut().for_each(|arg| in_expr(arg, visit));
        }
        Op::Cas { into, place, old, new } | Op::CmpXchg { into, place, old, new } => {
            into.iter_mut().for_each(|into| in_local(into, visit));
            in_place(place, visit);
            in_expr(old, visit);
            in_expr(new, visit);
        }
        Op::Dcas { into, places, olds, news } => {
            into.iter_mut().for_each(|into| in_local(into, visit));
            places.iter_mut().for_each(|place| in_place(place, visit));
            olds.iter_mut().chain(news.iter_mut()).for_each(|value| in_expr(value, visit));
        }
        Op::Swap { into, place, value }
        | Op::FetchAdd { into, place, value }
        | Op::StoreConditional { into, place, value } => {
            into.iter_mut().for_each(|into| in_local(into, visit));
            in_place(place, visit);
            in_expr(value, visit);
        }
        Op::LoadLinked { into, place } | Op::TryLock { into, place } | Op::IsLocked { into, place } => {
            into.iter_mut().for_each(|into| in_local(into, visit));
            in_place(place, visit);
        }
        Op::Lock(place) | Op::Unlock(place) | Op::Notify { condvar: place, .. } => in_place(place, visit),
        Op::WaitBegin { condvar, lock } | Op::WaitEnd { condvar, lock } => {
            in_place(condvar, visit);
            in_place(lock, visit);
        }
        Op::Atomic { .. } => {}
    }
}

fn in_place(place: &mut Place, visit: Visit) {
    if let Base::Cell { pointer, .. } = &mut place.base {
        in_expr(pointer, visit);
    }
    in_path(&mut place.path, visit);
}

fn in_local(place: &mut LocalPlace, visit: Visit) {
    in_path(&mut place.path, visit);
}

fn in_path(path: &mut [Projection], visit: Visit) {
    for projection in path {
        if let Projection::Index { index, .. } = projection {
            in_expr(index, visit);
        }
    }
}

/// Visits the parts of an expression, then the expression.
fn in_expr(expr: &mut Expr, visit: Visit) {
    match &mut expr.kind {
        ExprKind::Constant(_) | ExprKind::Me | ExprKind::Local(_) | ExprKind::ThreadVar(_) => {}
        ExprKind::Field(inner, _)
        | ExprKind::Unary(_, inner)
        | ExprKind::Some(inner)
        | ExprKind::ToRange { value: inner, .. }
        | ExprKind::Unwrap(inner)
        | ExprKind::Repeat(inner, _)
        | ExprKind::Hash(_, inner)
        | ExprKind::Ord(inner) => in_expr(inner, visit),
        ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
            in_expr(left, visit);
            in_expr(right, visit);
        }
        ExprKind::Word(parts) | ExprKind::Array(parts) | ExprKind::Collection(parts) => {
            parts.iter_mut().for_each(|part| in_expr(part, visit));
        }
        ExprKind::Method(_, collection, args) => {
            in_expr(collection, visit);
            args.iter_mut().for_each(|arg| in_expr(arg, visit));
        }
        ExprKind::Quantifier { collection, body, .. } => {
            in_expr(collection, visit);
            in_expr(body, visit);
        }
    }
    visit(expr);
}
