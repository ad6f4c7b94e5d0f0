//! Liveness of slots, part by part: a thread that compares only the pointer of a word need not keep its age.
//!
//! The usual backward analysis: `live(before) = uses ∪ (live(after) ∖ defines)`. A linearization point uses
//! all parameters, because its event contains them.

use super::slot::MethodSlots;
use linchpin_certify::certificate::AgeOrigin;
use linchpin_ir::heap::layout::HeapLayout;
use linchpin_ir::heap::{HeapBase, HeapExpr, HeapLocal, HeapMethod, HeapOp, HeapPlace};
use linchpin_ir::index::Index;
use linchpin_ir::program::Pc;
use std::ops::Range;

/// The live slots in front of each instruction.
pub struct LiveSlots {
    before: Vec<Vec<bool>>,
}

impl LiveSlots {
    pub fn contains(&self, pc: Pc, slot: usize) -> bool {
        self.before.get(pc.index()).and_then(|slots| slots.get(slot)).copied().unwrap_or(false)
    }
}

pub fn live_slots(method: &HeapMethod, slots: &MethodSlots) -> LiveSlots {
    let mut before = vec![vec![false; slots.all.len()]; method.code.len()];
    loop {
        let mut changed = false;
        for (pc, instr) in method.code.entries().rev() {
            let mut live = vec![false; slots.all.len()];
            for next in successors(&instr.op, instr.next) {
                for (slot, alive) in before[next.index()].iter().enumerate() {
                    live[slot] |= alive;
                }
            }
            for slot in defines(&instr.op, slots) {
                live[slot] = false;
            }
            uses(&instr.op, method, slots, &mut |read| read.for_each(|slot| live[slot] = true));
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

/// Computes liveness under the assumption that the age in a slot is stale. A comparison of this age with the
/// place at `origin` then fails, whatever the other parts are. The assumption ends where the slot gets
/// another value.
///
/// Two patterns are recognised: a `cas` with that age among the expected parts, and a load of the place
/// followed by a comparison.
pub fn live_beside_stale(
    method: &HeapMethod,
    slots: &MethodSlots,
    layout: &HeapLayout,
    live: &LiveSlots,
    (age, origin): (usize, Option<AgeOrigin>),
) -> LiveSlots {
    let mut before = vec![vec![false; slots.all.len()]; method.code.len()];
    let mentions = |e: &HeapExpr| {
        let mut found = false;
        expr(e, slots, &mut |mut read| found |= read.any(|slot| slot == age));
        found
    };
    loop {
        let mut changed = false;
        for (pc, instr) in method.code.entries().rev() {
            let mut alive = vec![false; slots.all.len()];
            let is_new = defines(&instr.op, slots).contains(&age);
            let failing = if is_new { None } else { fails(method, layout, pc, origin, &mentions) };
            let ends = match failing {
                Some(next) => vec![next],
                None => successors(&instr.op, instr.next),
            };
            for next in ends {
                let behind = if is_new { &live.before } else { &before };
                behind[next.index()].iter().enumerate().for_each(|(slot, is)| alive[slot] |= is);
            }
            defines(&instr.op, slots).for_each(|slot| alive[slot] = false);
            match (&instr.op, failing) {
                (HeapOp::Cas { place: at, .. } | HeapOp::Load { from: at, .. }, Some(_)) => {
                    place(at, slots, &mut |read| read.for_each(|slot| alive[slot] = true));
                    alive[age] = true;
                }
                _ => uses(&instr.op, method, slots, &mut |read| read.for_each(|slot| alive[slot] = true)),
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

/// Returns the successor of a failed comparison if the instruction compares the stale age with the age at its
/// place.
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

/// For each instruction: a variable that holds a new cell is live in front of it. Then the argument of the
/// call matters too: of two calls at the same place, only one may be about to link the cell of a tracked
/// value.
pub fn keeps_new_cell(method: &HeapMethod, slots: &MethodSlots, live: &LiveSlots) -> Vec<bool> {
    let made: Vec<usize> = method
        .code
        .iter()
        .filter(|instr| matches!(instr.op, HeapOp::New { .. }))
        .flat_map(|instr| defines(&instr.op, slots))
        .collect();
    method.code.ids().map(|pc| made.iter().any(|slot| live.contains(pc, *slot))).collect()
}

/// For each instruction: the slots to which the pointer of a live new cell was set. A cell that enters the
/// middle of a list needs both neighbours: the cell comes to reach whatever its predecessor reaches.
pub fn behind_new_cell(
    method: &HeapMethod,
    slots: &MethodSlots,
    live: &LiveSlots,
    next_field: usize,
) -> Vec<Vec<usize>> {
    let mut behind = vec![Vec::new(); method.code.len()];
    for instr in method.code.iter() {
        let HeapOp::New { fields, .. } = &instr.op else { continue };
        let pointer = fields.iter().find(|(field, _)| *field == next_field);
        let Some(slot) = pointer.and_then(|(_, value)| slots.read_slot(value)) else { continue };
        for pc in method.code.ids() {
            if defines(&instr.op, slots).any(|made| live.contains(pc, made)) {
                behind[pc.index()].push(slots.number(slot));
            }
        }
    }
    behind
}

/// For each instruction: only local work without a linearization point lies between it and the next access.
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

/// Returns the possible successors of an instruction.
pub fn successors(op: &HeapOp, next: Pc) -> Vec<Pc> {
    match op {
        HeapOp::Branch { then, otherwise, .. } => vec![*then, *otherwise],
        HeapOp::Return(_) => Vec::new(),
        _ => vec![next],
    }
}

/// Returns the slots that the instruction always assigns.
pub fn defines(op: &HeapOp, slots: &MethodSlots) -> Range<usize> {
    match op {
        HeapOp::ChooseBool { into } => slots.of_local(*into, None),
        HeapOp::Assign { to, .. } => slots.target(to),
        HeapOp::Load { into, .. } | HeapOp::New { into, .. } => slots.target(into),
        HeapOp::Cas { into, .. }
        | HeapOp::CmpXchg { into, .. }
        | HeapOp::Dcas { into, .. }
        | HeapOp::Swap { into, .. }
        | HeapOp::TryLock { into, .. }
        | HeapOp::IsLocked { into, .. } => into.as_ref().map_or(0..0, |into: &HeapLocal| slots.target(into)),
        _ => 0..0,
    }
}

fn uses(op: &HeapOp, method: &HeapMethod, slots: &MethodSlots, visit: &mut impl FnMut(Range<usize>)) {
    op.operands(&mut |operand| expr(operand, slots, visit));
    op.places(&mut |at| place(at, slots, visit));
    if matches!(op, HeapOp::Lin { .. }) {
        method.params.iter().for_each(|param| visit(slots.of_local(*param, None)));
    }
}

fn place(at: &HeapPlace, slots: &MethodSlots, visit: &mut impl FnMut(Range<usize>)) {
    at.operands(&mut |operand| expr(operand, slots, visit));
}

fn expr(e: &HeapExpr, slots: &MethodSlots, visit: &mut impl FnMut(Range<usize>)) {
    match e {
        HeapExpr::Local(local) => visit(slots.of_local(*local, None)),
        HeapExpr::Part(of, part) if let HeapExpr::Local(local) = **of => {
            visit(slots.of_local(local, Some(*part)));
        }
        _ => e.children(&mut |child| expr(child, slots, visit)),
    }
}
