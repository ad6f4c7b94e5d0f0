//! Nobody waits for ever: locks are taken in one order.
//!
//! Where the specification never waits, an execution in which nobody can move although calls are pending is wrong. A thread waits for a lock,
//! which a thread with a pending call holds (no call returns with one). If each thread that waits for a lock holds smaller ones
//! only, in some order of the locks, then the holder of the greatest lock that anybody waits for does not wait. Waiting for
//! anything else is not excluded here. (A thread that waits for memory is outside of every scope.)

use super::Refused;
use super::certificate::{Invariant, Rest};
use super::layout::Layout;
use crate::ir::Access;
use crate::ir::fragment::{HeapBase, HeapOp};

pub(super) fn check(layout: &Layout, rests: &[Rest], invariant: &Invariant) -> Result<(), Refused> {
    // By lock, those that are held while it is waited for.
    let mut held_before = [0_u32; 32];
    for local in &invariant.locals {
        let Some(rest) = local.at.and_then(|at| rests.get(usize::from(at))) else { continue };
        let instr = &layout.heap.ops()[rest.op].method.code[rest.pc];
        match (&instr.op, instr.access) {
            (HeapOp::Lock(place), _) => {
                if let HeapBase::Global(global) = place.base {
                    let lock = layout.lock_bit(global).trailing_zeros() as usize;
                    if let Some(held) = held_before.get_mut(lock) {
                        *held |= local.holds;
                    }
                }
            }
            (HeapOp::New { .. }, _) | (_, Access::Local | Access::Step { can_block: false }) => {}
            (_, Access::Step { can_block: true }) => {
                let why = "a thread may wait for something that never comes".to_string();
                let broken =
                    super::Broken { question: invariant.question, why, step: Some(instr.span), span: None };
                return Err(Refused::Broken(Box::new(broken)));
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
            return Err(Refused::Broken(Box::new(broken)));
        }
        ordered = next;
    }
}
