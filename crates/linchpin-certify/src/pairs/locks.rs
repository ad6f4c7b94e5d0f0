//! Checks that no threads wait for ever: all threads take locks in one order.
//!
//! - *Claim.* If [`check`] accepts, some thread can move in every state with pending calls.
//! - *Assumptions.* The specification never waits. No call returns with a lock, so the holder of a lock has a
//!   pending call. A thread that waits for memory is outside of every scope.
//! - *Proof.* Suppose that in some order of the locks each waiting thread holds only smaller locks than the
//!   lock that it waits for. Then the holder of the greatest awaited lock does not wait. Every other kind of
//!   waiting is refused.
//! - *Test.* The forgeries of `prove::forgery`; the seeded fault `checker-lock-order`.

use super::error::{Broken, CheckError};
use crate::certificate::{Invariant, LocalState, Rest, Symbol};
use linchpin_ir::heap::layout::{HeapLayout, LockId};
use linchpin_ir::heap::{HeapBase, HeapExpr, HeapOp, HeapPlace};
use linchpin_ir::program::Access;

pub(super) fn check(layout: &HeapLayout, rests: &[Rest], invariant: &Invariant) -> Result<(), CheckError> {
    // For each lock the locks that a thread holds while it waits for this lock.
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
                let why = "a thread may wait for ever".to_string();
                let broken = Broken { question: invariant.question, why, step: Some(instr.span), span: None };
                return Err(CheckError::Broken(Box::new(broken)));
            }
        }
    }
    // Add the locks whose predecessors are all ordered, until nothing changes.
    let mut ordered = 0_u32;
    loop {
        let next =
            (0..32).filter(|lock| held_before[*lock] & !ordered == 0).fold(0, |all, lock| all | 1 << lock);
        if next == u32::MAX {
            return Ok(());
        }
        if next == ordered {
            let why = "threads may wait for each other's locks".to_string();
            let broken = Broken { question: invariant.question, why, step: None, span: None };
            return Err(CheckError::Broken(Box::new(broken)));
        }
        ordered = next;
    }
}

/// Returns the locks, one bit each, for which a thread at this rest may wait: all locks of an array if the
/// index is not known.
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
