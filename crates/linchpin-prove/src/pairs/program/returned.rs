//! What a call will return, seen from an earlier place: the result that the event of a linearization point tells.
//!
//! Backward over the method: the value of a `return`, with assignments substituted, and one read of a cell's data. It is a hint:
//! whether the call really returns this is checked where it returns.

use super::liveness::{defines, successors};
use super::node::Node;
use super::plan::MethodPlan;
use linchpin_certify::certificate::Returned;
use linchpin_ir::heap::{HeapBase, HeapExpr, HeapMethod, HeapOp};
use linchpin_ir::index::Index;

/// By instruction, seen from in front of it.
pub fn returned(method: &HeapMethod, plan: &MethodPlan, node: &Node) -> Vec<Returned> {
    let mut before: Vec<Option<Returned>> = vec![None; method.code.len()];
    loop {
        let mut changed = false;
        for (pc, instr) in method.code.entries().rev() {
            let found = match &instr.op {
                HeapOp::Return(None) => Some(Returned::Nothing),
                HeapOp::Return(Some(value)) => Some(of_value(value, plan)),
                op => {
                    let behind =
                        successors(op, instr.next).into_iter().filter_map(|next| before[next.index()]);
                    let joined = behind.reduce(|a, b| if a == b { a } else { Returned::Unclear });
                    joined.map(|after| before_op(op, after, plan, node))
                }
            };
            if found != before[pc.index()] && before[pc.index()] != Some(Returned::Unclear) {
                // A second answer means that ways differ: it only becomes less clear.
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

fn of_value(value: &HeapExpr, plan: &MethodPlan) -> Returned {
    match value {
        HeapExpr::None => Returned::None,
        HeapExpr::Some(value) => of_value(value, plan),
        value => plan.read_slot(value).map_or(Returned::Unclear, Returned::Slot),
    }
}

/// What is returned, before an instruction that is no return.
fn before_op(op: &HeapOp, after: Returned, plan: &MethodPlan, node: &Node) -> Returned {
    let (Returned::Slot(slot) | Returned::DataOf(slot)) = after else { return after };
    if !defines(op, plan).contains(&plan.number(slot)) {
        return after;
    }
    match (after, op) {
        (Returned::Slot(_), HeapOp::Assign { to, value }) if to.part.is_none() => of_value(value, plan),
        (Returned::Slot(_), HeapOp::Load { from, .. }) => match &from.base {
            HeapBase::Field { pointer, field, .. } if node.data == Some(*field) => {
                plan.read_slot(pointer).map_or(Returned::Unclear, Returned::DataOf)
            }
            _ => Returned::Unclear,
        },
        _ => Returned::Unclear,
    }
}
