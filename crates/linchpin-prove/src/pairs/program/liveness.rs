//! Which slots may still be read, part by part: a thread that compares only the pointer of a word need not remember its age.
//!
//! The usual backward analysis: `live(before) = uses ∪ (live(after) ∖ defines)`. A linearization point uses all parameters, since its event
//! tells them.

use super::plan::MethodPlan;
use linchpin_certify::certificate::AgeOrigin;
use linchpin_ir::heap::layout::HeapLayout;
use linchpin_ir::heap::{HeapBase, HeapExpr, HeapLocal, HeapMethod, HeapOp, HeapPlace};
use linchpin_ir::index::Index;
use linchpin_ir::program::Pc;
use std::ops::Range;

/// By instruction, the slots that are alive in front of it.
pub struct LiveSlots {
    before: Vec<Vec<bool>>,
}

impl LiveSlots {
    pub fn contains(&self, pc: Pc, slot: usize) -> bool {
        self.before.get(pc.index()).and_then(|slots| slots.get(slot)).copied().unwrap_or(false)
    }
}

pub fn live_slots(method: &HeapMethod, plan: &MethodPlan) -> LiveSlots {
    let mut before = vec![vec![false; plan.slots.len()]; method.code.len()];
    loop {
        let mut changed = false;
        for (pc, instr) in method.code.entries().rev() {
            let mut live = vec![false; plan.slots.len()];
            for next in successors(&instr.op, instr.next) {
                for (slot, alive) in before[next.index()].iter().enumerate() {
                    live[slot] |= alive;
                }
            }
            for slot in defines(&instr.op, plan) {
                live[slot] = false;
            }
            uses(&instr.op, method, plan, &mut |slots| slots.for_each(|slot| live[slot] = true));
            if before[pc.index()] != live {
                before[pc.index()] = live;
                changed = true;
            }
        }
        if !changed {
            return LiveSlots { before };
        }
    }
}

/// The same as long as an age in a slot, which was read at this place, is stale: a comparison with what is there fails, whatever the other
/// parts are. Once the slot gets another value, everything is as usual.
///
/// Found are a `cas` with that age among the expected parts, and a load of the place that is compared at once.
pub fn live_beside_stale(
    method: &HeapMethod,
    plan: &MethodPlan,
    layout: &HeapLayout,
    live: &LiveSlots,
    (age, origin): (usize, Option<AgeOrigin>),
) -> LiveSlots {
    let mut before = vec![vec![false; plan.slots.len()]; method.code.len()];
    let mentions = |e: &HeapExpr| {
        let mut found = false;
        expr(e, plan, &mut |mut slots| found |= slots.any(|slot| slot == age));
        found
    };
    loop {
        let mut changed = false;
        for (pc, instr) in method.code.entries().rev() {
            let mut alive = vec![false; plan.slots.len()];
            let is_new = defines(&instr.op, plan).contains(&age);
            let failing = if is_new { None } else { fails(method, layout, pc, origin, &mentions) };
            let ends = match failing {
                Some(next) => vec![next],
                None => successors(&instr.op, instr.next),
            };
            for next in ends {
                let behind = if is_new { &live.before } else { &before };
                behind[next.index()].iter().enumerate().for_each(|(slot, is)| alive[slot] |= is);
            }
            defines(&instr.op, plan).for_each(|slot| alive[slot] = false);
            match (&instr.op, failing) {
                (HeapOp::Cas { place: at, .. } | HeapOp::Load { from: at, .. }, Some(_)) => {
                    place(at, plan, &mut |slots| slots.for_each(|slot| alive[slot] = true));
                    alive[age] = true;
                }
                _ => uses(&instr.op, method, plan, &mut |slots| slots.for_each(|slot| alive[slot] = true)),
            }
            if before[pc.index()] != alive {
                before[pc.index()] = alive;
                changed = true;
            }
        }
        if !changed {
            return LiveSlots { before };
        }
    }
}

/// Where control goes on if an instruction compares a stale age with what is at its place, which is then found to differ.
fn fails(
    method: &HeapMethod,
    layout: &HeapLayout,
    pc: Pc,
    origin: Option<AgeOrigin>,
    mentions: &impl Fn(&HeapExpr) -> bool,
) -> Option<Pc> {
    let instr = &method.code[pc];
    let behind = &method.code[instr.next];
    match &instr.op {
        HeapOp::Cas { into, old, .. } if mentions(old) => Some(match (&behind.op, into) {
            (HeapOp::Branch { cond, then, otherwise }, Some(into)) => {
                if is_local(cond, into) {
                    *otherwise
                } else if matches!(cond, HeapExpr::Not(cond) if is_local(cond, into)) {
                    *then
                } else {
                    instr.next
                }
            }
            _ => instr.next,
        }),
        HeapOp::Load { into, from } => {
            let is_there = match (&from.base, origin) {
                (HeapBase::Global(global), Some(AgeOrigin::Shared(of))) => {
                    layout.variable_parts(*global).contains(&of)
                }
                _ => false,
            };
            let HeapOp::Branch { cond: HeapExpr::Equal(a, b), otherwise, .. } = &behind.op else {
                return None;
            };
            let compares = (is_local(a, into) && mentions(b)) || (is_local(b, into) && mentions(a));
            (is_there && from.part.is_none() && compares).then_some(*otherwise)
        }
        _ => None,
    }
}

fn is_local(e: &HeapExpr, local: &HeapLocal) -> bool {
    matches!(e, HeapExpr::Local(of) if *of == local.local && local.part.is_none())
}

/// By instruction: whether a variable that a new cell was put into is alive in front of it. Then it matters, too, with which argument the call was made: of two
/// calls at the same place one may be about to link the cell of a tracked value, and the other not.
pub fn keeps_new_cell(method: &HeapMethod, plan: &MethodPlan, live: &LiveSlots) -> Vec<bool> {
    let made: Vec<usize> = method
        .code
        .iter()
        .filter(|instr| matches!(instr.op, HeapOp::New { .. }))
        .flat_map(|instr| defines(&instr.op, plan))
        .collect();
    method.code.ids().map(|pc| made.iter().any(|slot| live.contains(pc, *slot))).collect()
}

/// By instruction: the variables to which the pointer of a new cell was set that a live variable still holds. Where the cell is about to be put in the
/// middle of a list, both neighbours have to be known: what can be reached from the one before can be reached from it.
pub fn behind_new_cell(
    method: &HeapMethod,
    plan: &MethodPlan,
    live: &LiveSlots,
    next_field: usize,
) -> Vec<Vec<usize>> {
    let mut behind = vec![Vec::new(); method.code.len()];
    for instr in method.code.iter() {
        let HeapOp::New { fields, .. } = &instr.op else { continue };
        let pointer = fields.iter().find(|(field, _)| *field == next_field);
        let Some(slot) = pointer.and_then(|(_, value)| plan.read_slot(value)) else { continue };
        for pc in method.code.ids() {
            if defines(&instr.op, plan).any(|made| live.contains(pc, made)) {
                behind[pc.index()].push(plan.number(slot));
            }
        }
    }
    behind
}

/// By instruction: whether from in front of it to the next access there is nothing but work on locals, and no linearization point.
pub fn quiet(method: &HeapMethod) -> Vec<bool> {
    let mut quiet = vec![true; method.code.len()];
    loop {
        let before = quiet.clone();
        for (pc, instr) in method.code.entries() {
            let is_local = matches!(
                instr.op,
                HeapOp::Assign { .. }
                    | HeapOp::Branch { .. }
                    | HeapOp::ChooseBool { .. }
                    | HeapOp::Assert(_)
                    | HeapOp::Assume(_)
                    | HeapOp::Return(_)
            );
            let behind = successors(&instr.op, instr.next).into_iter().all(|next| before[next.index()]);
            quiet[pc.index()] = instr.access.is_step() || (is_local && behind);
        }
        if before == quiet {
            return quiet;
        }
    }
}

/// Where control may go.
pub fn successors(op: &HeapOp, next: Pc) -> Vec<Pc> {
    match op {
        HeapOp::Branch { then, otherwise, .. } => vec![*then, *otherwise],
        HeapOp::Return(_) => Vec::new(),
        _ => vec![next],
    }
}

/// The slots that get a new value whatever happens.
pub fn defines(op: &HeapOp, plan: &MethodPlan) -> Range<usize> {
    match op {
        HeapOp::ChooseBool { into } => plan.slots_of(*into, None),
        HeapOp::Assign { to, .. } => plan.target(to),
        HeapOp::Load { into, .. } | HeapOp::New { into, .. } => plan.target(into),
        HeapOp::Cas { into, .. }
        | HeapOp::CmpXchg { into, .. }
        | HeapOp::Dcas { into, .. }
        | HeapOp::Swap { into, .. }
        | HeapOp::TryLock { into, .. }
        | HeapOp::IsLocked { into, .. } => into.as_ref().map_or(0..0, |into: &HeapLocal| plan.target(into)),
        _ => 0..0,
    }
}

fn uses(op: &HeapOp, method: &HeapMethod, plan: &MethodPlan, visit: &mut impl FnMut(Range<usize>)) {
    match op {
        HeapOp::Assign { value, .. } => expr(value, plan, visit),
        HeapOp::Branch { cond, .. } | HeapOp::Assert(cond) | HeapOp::Assume(cond) | HeapOp::Await(cond) => {
            expr(cond, plan, visit);
        }
        HeapOp::Lin { cond, .. } => {
            if let Some(cond) = cond {
                expr(cond, plan, visit);
            }
            method.params.iter().for_each(|param| visit(plan.slots_of(*param, None)));
        }
        HeapOp::Return(Some(value)) | HeapOp::Free(value) => expr(value, plan, visit),
        HeapOp::Load { from, .. } => place(from, plan, visit),
        HeapOp::Store { to, value } => {
            place(to, plan, visit);
            expr(value, plan, visit);
        }
        HeapOp::New { fields, .. } => fields.iter().for_each(|(_, value)| expr(value, plan, visit)),
        HeapOp::Cas { place: at, old, new, .. } | HeapOp::CmpXchg { place: at, old, new, .. } => {
            place(at, plan, visit);
            expr(old, plan, visit);
            expr(new, plan, visit);
        }
        HeapOp::Swap { place: at, value, .. } => {
            place(at, plan, visit);
            expr(value, plan, visit);
        }
        HeapOp::Lock(at)
        | HeapOp::Unlock(at)
        | HeapOp::TryLock { place: at, .. }
        | HeapOp::IsLocked { place: at, .. } => place(at, plan, visit),
        HeapOp::Dcas { places, olds, news, .. } => {
            places.iter().for_each(|at| place(at, plan, visit));
            olds.iter().chain(news.iter()).for_each(|value| expr(value, plan, visit));
        }
        HeapOp::ChooseBool { .. } | HeapOp::Return(None) | HeapOp::Atomic { .. } => {}
    }
}

fn place(at: &HeapPlace, plan: &MethodPlan, visit: &mut impl FnMut(Range<usize>)) {
    match &at.base {
        HeapBase::Field { pointer, .. } => expr(pointer, plan, visit),
        HeapBase::Element { index, .. } => expr(index, plan, visit),
        HeapBase::Global(_) => {}
    }
}

fn expr(e: &HeapExpr, plan: &MethodPlan, visit: &mut impl FnMut(Range<usize>)) {
    match e {
        HeapExpr::Local(local) => visit(plan.slots_of(*local, None)),
        HeapExpr::Part(of, part) => match **of {
            HeapExpr::Local(local) => visit(plan.slots_of(local, Some(*part))),
            _ => expr(of, plan, visit),
        },
        HeapExpr::Some(of)
        | HeapExpr::NextAge(of)
        | HeapExpr::Not(of)
        | HeapExpr::InRange { value: of, .. } => expr(of, plan, visit),
        HeapExpr::Word(parts) => parts.iter().for_each(|part| expr(part, plan, visit)),
        HeapExpr::And(a, b)
        | HeapExpr::Or(a, b)
        | HeapExpr::Equal(a, b)
        | HeapExpr::Less(a, b)
        | HeapExpr::Plus(a, b)
        | HeapExpr::Minus(a, b) => {
            expr(a, plan, visit);
            expr(b, plan, visit);
        }
        HeapExpr::Bool(_)
        | HeapExpr::Small(_)
        | HeapExpr::Null
        | HeapExpr::None
        | HeapExpr::KeyMin
        | HeapExpr::KeyMax
        | HeapExpr::FirstAge
        | HeapExpr::Undefined => {}
    }
}
