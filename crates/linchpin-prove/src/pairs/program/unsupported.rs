//! Constructs of heap programs that the method of pairs does not support.
//!
//! An age may be stepped only in the new value of a `cas`. A lock must be a shared variable, not a field of a
//! cell.

use linchpin_ir::heap::{HeapBase, HeapExpr, HeapOp, HeapPlace, HeapProgram, UnsupportedConstruct};

/// Adds every unsupported instruction of the program.
pub fn unsupported_steps(heap: &HeapProgram, unsupported: &mut Vec<UnsupportedConstruct>) {
    let methods = heap.ops().iter().map(|op| &op.method).chain([heap.init()]);
    for instr in methods.flat_map(|method| method.code.iter()) {
        let mut refuse = |construct: &str| {
            unsupported.push(UnsupportedConstruct { construct: construct.into(), span: instr.span });
        };
        let (operands, place): (Vec<&HeapExpr>, Option<&HeapPlace>) = match &instr.op {
            HeapOp::Cas { old, place, .. } | HeapOp::CmpXchg { old, place, .. } => (vec![old], Some(place)),
            HeapOp::Assign { value, .. } => (vec![value], None),
            HeapOp::Store { value, to } => (vec![value], Some(to)),
            HeapOp::Swap { value, place, .. } => (vec![value], Some(place)),
            HeapOp::Branch { cond, .. }
            | HeapOp::Assert(cond)
            | HeapOp::Assume(cond)
            | HeapOp::Await(cond) => (vec![cond], None),
            HeapOp::Lock(place)
            | HeapOp::Unlock(place)
            | HeapOp::TryLock { place, .. }
            | HeapOp::IsLocked { place, .. } => {
                if matches!(place.base, HeapBase::Field { .. }) {
                    refuse("a lock in a cell");
                }
                continue;
            }
            _ => continue,
        };
        if operands.iter().any(|operand| steps_age(operand)) {
            refuse("an age that is stepped anywhere but in a `cas`");
        }
        if let Some(HeapPlace { base: HeapBase::Field { pointer, .. }, .. }) = place
            && steps_age(pointer)
        {
            refuse("an age that is stepped anywhere but in a `cas`");
        }
    }
}

fn steps_age(expr: &HeapExpr) -> bool {
    let mut found = matches!(expr, HeapExpr::NextAge(_));
    expr.children(&mut |child| found |= steps_age(child));
    found
}
