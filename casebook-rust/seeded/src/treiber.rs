//! Treiber's stack.

use crate::arena::Arena;
use linchpin_instrument::shadow::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    None,
    /// `push` writes the top without a comparison.
    PushStores,
    /// `pop` writes the top without a comparison.
    PopStores,
    /// `pop` gives up after one failed exchange.
    PopGivesUp,
    /// `push` keeps the old successor after a failed exchange.
    PushKeepsNext,
    /// `pop` frees the node at once (ABA).
    Reuse,
}

pub struct Stack {
    top: AtomicUsize,
    arena: Arena,
    fault: Fault,
}

impl Stack {
    pub fn new(fault: Fault) -> Stack {
        Stack { top: AtomicUsize::new(0), arena: Arena::default(), fault }
    }

    pub fn push(&self, value: u32) {
        let mut top = self.top.load(SeqCst);
        let node = self.arena.make(value, top);
        if self.fault == Fault::PushStores {
            return self.top.store(node, SeqCst);
        }
        while let Err(now) = self.top.compare_exchange(top, node, SeqCst, SeqCst) {
            top = now;
            if self.fault != Fault::PushKeepsNext {
                self.arena.node(node).next.store(top, SeqCst);
            }
        }
    }

    pub fn pop(&self) -> Option<u32> {
        loop {
            let top = self.top.load(SeqCst);
            if top == 0 {
                return None;
            }
            let next = self.arena.node(top).next.load(SeqCst);
            let value = self.arena.value(top);
            if self.fault == Fault::PopStores {
                self.top.store(next, SeqCst);
                return Some(value);
            }
            if self.top.compare_exchange(top, next, SeqCst, SeqCst).is_ok() {
                if self.fault == Fault::Reuse {
                    self.arena.free(top);
                }
                return Some(value);
            }
            if self.fault == Fault::PopGivesUp {
                return None;
            }
        }
    }
}
