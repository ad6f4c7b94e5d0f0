//! Variables whose cells get a new pointer before the old one matters.
//!
//! The pointer of a new cell matters only from its last write on. A view may forget the pointers before. So
//! this analysis decides how much a view says, never what is true: a checker that misses a forgotten pointer
//! refuses.

use super::layout::Frame;
use super::{HeapBase, HeapExpr, HeapInstr, HeapMethod, HeapOp};
use crate::index::Index;
use crate::program::{LocalId, Pc};

/// Returns, for each instruction, the parts of the frame that point to a cell whose pointer is overwritten
/// before any instruction uses the variable in another way. `is_link` says of a field, or of a part of it,
/// whether it holds the pointer.
pub fn overwritten(
    method: &HeapMethod,
    frame: &Frame,
    is_link: &dyn Fn(usize, Option<usize>) -> bool,
) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); method.code.len()];
    for local in method.locals.ids() {
        let Some(range) = frame.local(local, None).filter(|range| range.len() == 1) else { continue };
        let uses: Vec<Use> = method.code.iter().map(|instr| use_of(instr, local, is_link)).collect();
        let mut holds = vec![true; uses.len()];
        loop {
            let ahead = |at: usize| successors(method, Pc::new(at)).all(|pc| holds[pc.index()]);
            let next: Vec<bool> = uses
                .iter()
                .enumerate()
                .map(|(at, used)| match used {
                    Use::Overwritten => true,
                    Use::Used => false,
                    Use::Unused => ahead(at),
                })
                .collect();
            if next == holds {
                break;
            }
            holds = next;
        }
        for (parts, holds) in all.iter_mut().zip(holds) {
            if holds {
                parts.extend(range.clone());
            }
        }
    }
    all
}

/// What an instruction does with a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It writes the pointer of the variable's cell, or gives the variable another value.
    Overwritten,
    Used,
    Unused,
}

fn use_of(instr: &HeapInstr, local: LocalId, is_link: &dyn Fn(usize, Option<usize>) -> bool) -> Use {
    if let HeapOp::Store { to, value } = &instr.op
        && matches!(&to.base, HeapBase::Field { pointer: HeapExpr::Local(of), field, .. }
            if *of == local && is_link(*field, to.part))
        && !mentions(value, local)
    {
        return Use::Overwritten;
    }
    let mut is_read = false;
    let mut read = |expr: &HeapExpr| is_read |= mentions(expr, local);
    instr.op.operands(&mut read);
    instr.op.places(&mut |place| place.operands(&mut read));
    let mut is_target = false;
    instr.op.targets(&mut |target| is_target |= target.local == local);
    match (is_read, is_target) {
        (true, _) => Use::Used,
        (false, true) => Use::Overwritten,
        (false, false) => Use::Unused,
    }
}

fn mentions(expr: &HeapExpr, local: LocalId) -> bool {
    let mut found = false;
    expr.locals(&mut |mentioned| found |= mentioned == local);
    found
}

fn successors(method: &HeapMethod, pc: Pc) -> impl Iterator<Item = Pc> {
    let instr = &method.code[pc];
    let (first, second) = match &instr.op {
        HeapOp::Branch { then, otherwise, .. } => (Some(*then), Some(*otherwise)),
        HeapOp::Return(_) => (None, None),
        _ => (Some(instr.next), None),
    };
    first.into_iter().chain(second)
}
