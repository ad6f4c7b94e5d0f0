//! The queue of Michael and Scott.

use crate::arena::Arena;
use linchpin_instrument::shadow::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    None,
    /// `enq` links its node without a comparison.
    LinkStores,
    /// `deq` reads the tail before the head, and says empty if they are equal.
    EarlyEmpty,
    /// `deq` moves the head without a comparison.
    HeadStores,
    /// `deq` returns the value of the dummy.
    WrongValue,
    /// `enq` waits for the tail, and does not help: the thread that linked a node may be done.
    NoHelp,
}

pub struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    arena: Arena,
    fault: Fault,
}

impl Queue {
    pub fn new(fault: Fault) -> Queue {
        let arena = Arena::default();
        let dummy = arena.make(0, 0);
        Queue { head: AtomicUsize::new(dummy), tail: AtomicUsize::new(dummy), arena, fault }
    }

    pub fn enq(&self, value: u32) {
        let node = self.arena.make(value, 0);
        loop {
            let tail = self.tail.load(SeqCst);
            let next = &self.arena.node(tail).next;
            let after = next.load(SeqCst);
            if after != 0 {
                if self.fault != Fault::NoHelp {
                    let _ = self.tail.compare_exchange(tail, after, SeqCst, SeqCst);
                }
                continue;
            }
            let is_linked = match self.fault {
                Fault::LinkStores => {
                    next.store(node, SeqCst);
                    true
                }
                _ => next.compare_exchange(0, node, SeqCst, SeqCst).is_ok(),
            };
            if is_linked {
                // With the fault, the thread leaves the tail to others, as it may.
                if self.fault != Fault::NoHelp {
                    let _ = self.tail.compare_exchange(tail, node, SeqCst, SeqCst);
                }
                return;
            }
        }
    }

    pub fn deq(&self) -> Option<u32> {
        loop {
            let early = (self.fault == Fault::EarlyEmpty).then(|| self.tail.load(SeqCst));
            let head = self.head.load(SeqCst);
            let tail = early.unwrap_or_else(|| self.tail.load(SeqCst));
            if head == tail && self.fault == Fault::EarlyEmpty {
                return None;
            }
            let next = self.arena.node(head).next.load(SeqCst);
            if next == 0 {
                return None;
            }
            if head == tail {
                let _ = self.tail.compare_exchange(tail, next, SeqCst, SeqCst);
                continue;
            }
            let value = self.arena.value(if self.fault == Fault::WrongValue { head } else { next });
            if self.fault == Fault::HeadStores {
                self.head.store(next, SeqCst);
                return Some(value);
            }
            if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                return Some(value);
            }
        }
    }
}
