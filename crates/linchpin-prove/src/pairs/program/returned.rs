//! The predicted result of a call, seen from an earlier instruction. The event of a linearization point
//! contains this result.
//!
//! The analysis runs backward over the method. It starts at the value of each `return`, substitutes
//! assignments, and follows one read of a cell's data. The result is a hint: the analysis checks it where the
//! call returns.

use super::cell::CellFields;
use super::liveness::{defines, successors};
use super::slot::MethodSlots;
use linchpin_certify::certificate::Returned;
use linchpin_ir::heap::{HeapBase, HeapExpr, HeapMethod, HeapOp};
use linchpin_ir::index::Index;

/// Returns the predicted result for the position in front of each instruction.
pub fn returned(method: &HeapMethod, slots: &MethodSlots, cell: &CellFields) -> Vec<Returned> {
    let mut before: Vec<Option<Returned>> = vec![None; method.code.len()];
    loop {
        let mut changed = false;
        for (pc, instr) in method.code.entries().rev() {
            let found = match &instr.op {
                HeapOp::Return(None) => Some(Returned::Nothing),
                HeapOp::Return(Some(value)) => Some(of_value(value, slots)),
                op => {
                    let behind =
                        successors(op, instr.next).into_iter().filter_map(|next| before[next.index()]);
                    let joined = behind.reduce(|a, b| if a == b { a } else { Returned::Unclear });
                    joined.map(|after| before_op(op, after, slots, cell))
                }
            };
            if found != before[pc.index()] && before[pc.index()] != Some(Returned::Unclear) {
                // A second, different prediction means that paths differ: the result becomes unclear.
                before[pc.index()] =
                    if before[pc.index()].is_none() { found } else { Some(Returned::Unclear) };
                changed = true;
            }
        }
        if !changed {
            return before.into_iter().map(|found| found.unwrap_or(Returned::Unclear)).collect();
        }
    }
}

fn of_value(value: &HeapExpr, slots: &MethodSlots) -> Returned {
    match value {
        HeapExpr::None => Returned::None,
        HeapExpr::Some(value) => of_value(value, slots),
        value => slots.read_slot(value).map_or(Returned::Unclear, Returned::Slot),
    }
}

/// Returns the prediction in front of an instruction other than `return`.
fn before_op(op: &HeapOp, after: Returned, slots: &MethodSlots, cell: &CellFields) -> Returned {
    let (Returned::Slot(slot) | Returned::DataOf(slot)) = after else { return after };
    if !defines(op, slots).contains(&slots.number(slot)) {
        return after;
    }
    match (after, op) {
        (Returned::Slot(_), HeapOp::Assign { to, value }) if to.part.is_none() => of_value(value, slots),
        (Returned::Slot(_), HeapOp::Load { from, .. }) => match &from.base {
            HeapBase::Field { pointer, field, .. } if cell.data == Some(*field) => {
                slots.read_slot(pointer).map_or(Returned::Unclear, Returned::DataOf)
            }
            _ => Returned::Unclear,
        },
        _ => Returned::Unclear,
    }
}
