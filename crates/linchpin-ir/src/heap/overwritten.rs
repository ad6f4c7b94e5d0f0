//! Variables whose cells get a new pointer before the old one matters.
//!
//! The pointer of a new cell matters only from its last write on. A view may forget the pointers before. So
//! this analysis decides how much a view says, never what is true: a checker that misses a forgotten pointer
//! refuses.

use super::layout::Frame;
use super::sets::{LinkPart, SetCell, SetField};
use super::{HeapBase, HeapExpr, HeapInstr, HeapMethod, HeapOp, HeapPlace};
use crate::index::Index;
use crate::program::{LocalId, Pc};

/// Returns, for each instruction, the parts of the frame that point to a cell whose pointer is overwritten
/// before any instruction uses the variable in another way.
pub fn overwritten(method: &HeapMethod, frame: &Frame, cell: &SetCell) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); method.code.len()];
    for local in method.locals.ids() {
        let Some(range) = frame.local(local, None).filter(|range| range.len() == 1) else { continue };
        let uses: Vec<Use> = method.code.iter().map(|instr| use_of(instr, local, cell)).collect();
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

fn use_of(instr: &HeapInstr, local: LocalId, cell: &SetCell) -> Use {
    if let HeapOp::Store { to, value } = &instr.op
        && is_link_of(to, local, cell)
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

/// Whether the place is the pointer of the variable's cell.
fn is_link_of(place: &HeapPlace, local: LocalId, cell: &SetCell) -> bool {
    let HeapBase::Field { pointer: HeapExpr::Local(of), field, .. } = &place.base else { return false };
    let Some(SetField::Link(parts)) = cell.fields.get(*field) else { return false };
    *of == local && place.part.is_none_or(|part| parts.get(part) == Some(&LinkPart::Pointer))
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
