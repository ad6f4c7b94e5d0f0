//! Nobody waits for ever: locks are taken in one order.
//!
//! Where the specification never waits, an execution in which nobody can move although calls are pending is wrong. A thread waits for a lock,
//! which a thread with a pending call holds (no call returns with one). If each thread that waits for a lock holds smaller ones
//! only, in some order of the locks, then the holder of the greatest lock that anybody waits for does not wait. Waiting for
//! anything else is not excluded here. (A thread that waits for memory is outside of every scope.)

use super::CertificateError;
use super::certificate::{Invariant, LocalState, Rest, Symbol};
use linchpin_ir::heap::layout::{HeapLayout, LockId};
use linchpin_ir::heap::{HeapBase, HeapExpr, HeapOp, HeapPlace};
use linchpin_ir::program::Access;

pub(super) fn check(
    layout: &HeapLayout,
    rests: &[Rest],
    invariant: &Invariant,
) -> Result<(), CertificateError> {
    // By lock, those that are held while it is waited for.
    let mut held_before = [0_u32; 32];
    for local in &invariant.locals {
        let Some(rest) = local.at.and_then(|at| rests.get(usize::from(at))) else { continue };
        let instr = &layout.heap().ops()[rest.op].method.code[rest.pc];
        match (&instr.op, instr.access) {
            (HeapOp::Lock(place), _) => {
                let waited_for = awaited(layout, rest, local, place);
                for (lock, held) in held_before.iter_mut().enumerate() {
                    if waited_for >> lock & 1 == 1 {
                        *held |= local.holds;
                    }
                }
            }
            (HeapOp::New { .. }, _) | (_, Access::Local | Access::Step { can_block: false }) => {}
            (_, Access::Step { can_block: true }) => {
                let why = "a thread may wait for something that never comes".to_string();
                let broken =
                    super::Broken { question: invariant.question, why, step: Some(instr.span), span: None };
                return Err(CertificateError::Broken(Box::new(broken)));
            }
        }
    }
    // Locks before which only locks come that are in order already, one after the other.
    let mut ordered = 0_u32;
    loop {
        let next =
            (0..32).filter(|lock| held_before[*lock] & !ordered == 0).fold(0, |all, lock| all | 1 << lock);
        if next == u32::MAX {
            return Ok(());
        }
        if next == ordered {
            let why = "threads may wait for each other's locks".to_string();
            let broken = super::Broken { question: invariant.question, why, step: None, span: None };
            return Err(CertificateError::Broken(Box::new(broken)));
        }
        ordered = next;
    }
}

/// The locks, a bit each, for which a thread that rests in front of this place may wait: all of an array whose index is not clear.
fn awaited(layout: &HeapLayout, rest: &Rest, local: &LocalState, place: &HeapPlace) -> u32 {
    let bit = |array, element, field| {
        let parts = layout.shared_parts(array, element, field, None);
        parts.and_then(|parts| layout.lock(&parts)).map_or(u32::MAX, LockId::bit)
    };
    match &place.base {
        HeapBase::Global(global) => bit(*global, 0, 0),
        HeapBase::Element { array, index, field } => {
            let known = known_index(rest, local, index);
            (0..layout.elements(*array))
                .filter(|element| known.is_none_or(|known| i64::try_from(*element) == Ok(known)))
                .fold(0, |all, element| all | bit(*array, element, *field))
        }
        HeapBase::Field { .. } => u32::MAX,
    }
}

fn known_index(rest: &Rest, local: &LocalState, index: &HeapExpr) -> Option<i64> {
    match index {
        HeapExpr::Small(number) => Some(*number),
        HeapExpr::InRange { value, .. } => known_index(rest, local, value),
        HeapExpr::Local(variable) => {
            let at = rest.slots.iter().position(|slot| slot.slot.local == *variable);
            match at.and_then(|at| local.slots.get(at)) {
                Some(Symbol::Small(number)) => Some(i64::from(*number)),
                _ => None,
            }
        }
        _ => None,
    }
}
