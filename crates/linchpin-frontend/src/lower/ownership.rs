//! Cells that only their thread can reach (language 3.2; `gc` memory only).
//!
//! Forward must-analysis. A fact is kept for each local of pointer type:
//!
//! ```text
//!      Owned             the local came from `new`, and no copy of the pointer exists
//!        |
//!    Unless(b)           so if the local b is false: a `cas` with result b may have stored it
//!        |
//!      Shared            nothing is known (the fact is absent)
//! ```
//!
//! Facts meet pointwise, `Unless(b) ∧ Unless(c) = Shared` for b ≠ c; an instruction not reached yet holds the
//! top.
//!
//! | instruction | effect |
//! |---|---|
//! | `x = new …` | x becomes Owned |
//! | a value is assigned, stored, passed, put into a collection or a new cell | its pointers become Shared |
//! | `b = cas(p, old, new)`, `dcas`, `sc` | Owned pointers in the new values become Unless(b), others Shared |
//! | a branch that decides b | Unless(b) becomes Owned where b is false, Shared where it is true |
//! | x or b gets another value | x's fact, and every Unless(b), are Shared |
//!
//! Comparing, following and testing a pointer copies nothing. **Handing over**: `y = x` moves x's fact to y
//! if x is dead afterwards and the lowering made the copy. Such copies are temporaries and results of inlined
//! calls. Arguments of inlined calls need no copy unless the function assigns the parameter; that copy counts
//! as one.
//!
//! **Claim.** Owned(x) implies that no slot but x holds the pointer. **Proof.** `new` establishes it, and
//! every instruction that could put the pointer into another slot ends it. So no other thread can reach the
//! cell, and accesses to it commute with the steps of other threads.

use super::draft::Draft;
use super::liveness::{live_in, live_out};
use linchpin_ir::index::IndexVec;
use linchpin_ir::interface::{BinaryOp, UnaryOp};
use linchpin_ir::program::{Candidates, Expr, ExprKind, LocalId, LocalPlace, LocalSet, Op, Pc, successors};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fact {
    Owned,
    Unless(LocalId),
}

/// Locals that are not here are Shared.
type Facts = BTreeMap<LocalId, Fact>;

/// The locals that own their cell in front of each instruction.
pub(super) fn owned(draft: &Draft) -> IndexVec<Pc, LocalSet> {
    let live = live_in(&draft.code);
    let mut facts: IndexVec<Pc, Option<Facts>> = draft.code.iter().map(|_| None).collect();
    let mut open = vec![draft.entry];
    facts[draft.entry] = Some(Facts::new());
    while let Some(pc) = open.pop() {
        let before = facts[pc].clone().unwrap_or_default();
        let after = transfer(draft, &live, pc, before);
        for successor in successors(&draft.code[pc].op, draft.code[pc].next) {
            let arriving = along(&draft.code[pc].op, successor, &after);
            let met = match &facts[successor] {
                None => arriving,
                Some(known) => meet(known, &arriving),
            };
            if facts[successor].as_ref() != Some(&met) {
                facts[successor] = Some(met);
                open.push(successor);
            }
        }
    }
    let owners = |facts: &Option<Facts>| {
        let mut set = LocalSet::new();
        for (local, fact) in facts.iter().flatten() {
            if *fact == Fact::Owned {
                set.insert(*local);
            }
        }
        set
    };
    facts.iter().map(owners).collect()
}

fn meet(a: &Facts, b: &Facts) -> Facts {
    let weaker = |x: Fact, y: Fact| match (x, y) {
        (Fact::Owned, fact) | (fact, Fact::Owned) => Some(fact),
        (Fact::Unless(b), Fact::Unless(c)) => (b == c).then_some(x),
    };
    a.iter().filter_map(|(local, &x)| Some((*local, weaker(x, *b.get(local)?)?))).collect()
}

fn transfer(draft: &Draft, live: &IndexVec<Pc, LocalSet>, pc: Pc, mut facts: Facts) -> Facts {
    let instr = &draft.code[pc];
    match &instr.op {
        Op::Assign { to, value } => {
            if let (ExprKind::Local(from), Some(to)) = (&value.kind, to.whole_local())
                && (instr.hands_over || draft.locals[*from].temporary)
                && !live_out(&draft.code, live, pc).contains(*from)
            {
                let fact = facts.remove(from);
                replace(&mut facts, to);
                facts.extend(fact.filter(|fact| *fact != Fact::Unless(to)).map(|fact| (to, fact)));
                return facts;
            }
            share(&mut facts, value);
        }
        Op::New { into, fields, .. } => {
            fields.iter().for_each(|(_, value)| share(&mut facts, value));
            own(&mut facts, into);
            return facts;
        }
        Op::NewArray { into, value, .. } => {
            share(&mut facts, value);
            own(&mut facts, into);
            return facts;
        }
        Op::Cas { into, new, .. } | Op::StoreConditional { into, value: new, .. } => {
            may_store(&mut facts, into.as_ref(), [new].into_iter());
            return facts;
        }
        Op::Dcas { into, news, .. } => {
            may_store(&mut facts, into.as_ref(), news.iter());
            return facts;
        }
        Op::Store { value, .. }
        | Op::Swap { value, .. }
        | Op::FetchAdd { value, .. }
        | Op::CmpXchg { new: value, .. }
        | Op::Free(value)
        | Op::Choose { from: Candidates::Elements(value), .. } => share(&mut facts, value),
        Op::Call { args, .. } | Op::Return(args) => args.iter().for_each(|value| share(&mut facts, value)),
        Op::Collection { method, args, .. } if !method.is_pure() => {
            args.iter().for_each(|value| share(&mut facts, value));
        }
        _ => {}
    }
    if let Some(defined) = instr.op.defines() {
        replace(&mut facts, defined);
    }
    facts
}

fn own(facts: &mut Facts, into: &LocalPlace) {
    if let Some(local) = into.whole_local() {
        replace(facts, local);
        facts.insert(local, Fact::Owned);
    }
}

/// The local gets another value.
fn replace(facts: &mut Facts, local: LocalId) {
    facts.remove(&local);
    facts.retain(|_, fact| *fact != Fact::Unless(local));
}

fn share(facts: &mut Facts, value: &Expr) {
    for_each_flowing(value, &mut |local| {
        facts.remove(&local);
    });
}

/// The values are stored if the result is true.
fn may_store<'e>(facts: &mut Facts, result: Option<&LocalPlace>, values: impl Iterator<Item = &'e Expr>) {
    let decided_by = result.and_then(LocalPlace::whole_local);
    if let Some(result) = decided_by {
        replace(facts, result);
    }
    for value in values {
        for_each_flowing(value, &mut |local| match (facts.get(&local), decided_by) {
            (Some(Fact::Owned), Some(result)) => {
                facts.insert(local, Fact::Unless(result));
            }
            (Some(Fact::Unless(b)), Some(result)) if *b == result => {}
            _ => {
                facts.remove(&local);
            }
        });
    }
}

/// The locals whose pointer is, or is part of, the value.
fn for_each_flowing(value: &Expr, visit: &mut dyn FnMut(LocalId)) {
    match &value.kind {
        ExprKind::Local(local) => visit(*local),
        ExprKind::Index(of, _) | ExprKind::Method(_, of, _) => for_each_flowing(of, visit),
        ExprKind::Field(..)
        | ExprKind::Some(_)
        | ExprKind::Unwrap(_)
        | ExprKind::Word(_)
        | ExprKind::Array(_)
        | ExprKind::Repeat(..)
        | ExprKind::Collection(_) => value.for_each_part(&mut |part| for_each_flowing(part, visit)),
        ExprKind::Constant(_)
        | ExprKind::Me
        | ExprKind::ThreadVar(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::ToRange { .. }
        | ExprKind::Hash(..)
        | ExprKind::Ord(_)
        | ExprKind::Quantifier { .. } => {}
    }
}

/// What a branch adds on the way to a successor.
fn along(op: &Op, successor: Pc, after: &Facts) -> Facts {
    let mut facts = after.clone();
    if let Op::Branch { cond, then, otherwise } = op
        && then != otherwise
    {
        decide(&mut facts, cond, successor == *then);
    }
    facts
}

fn decide(facts: &mut Facts, cond: &Expr, value: bool) {
    match &cond.kind {
        ExprKind::Local(decided) => {
            if value {
                facts.retain(|_, fact| *fact != Fact::Unless(*decided));
            } else {
                for fact in facts.values_mut().filter(|fact| **fact == Fact::Unless(*decided)) {
                    *fact = Fact::Owned;
                }
            }
        }
        ExprKind::Unary(UnaryOp::Not, inner) => decide(facts, inner, !value),
        ExprKind::Binary(BinaryOp::And, a, b) if value => {
            decide(facts, a, true);
            decide(facts, b, true);
        }
        ExprKind::Binary(BinaryOp::Or, a, b) if !value => {
            decide(facts, a, false);
            decide(facts, b, false);
        }
        _ => {}
    }
}
