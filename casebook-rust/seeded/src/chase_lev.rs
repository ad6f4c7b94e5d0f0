//! The deque of Chase and Lev, with a buffer of fixed size: one owner, any number of thieves.

use linchpin_instrument::shadow::sync::atomic::{AtomicI64, Ordering::SeqCst};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    None,
    /// `pop` takes the last element without a comparison.
    PopTakesLast,
    /// `steal` moves the top without a comparison.
    StealStores,
    /// `pop` reads the top before it moves the bottom.
    TopBeforeBottom,
    /// `steal` reads the bottom before the top.
    BottomBeforeTop,
    /// `pop` leaves the bottom below the top when the deque is empty.
    BottomNotRestored,
}

/// Number of places of the buffer.
const PLACES: usize = 16;

pub struct Deque {
    top: AtomicI64,
    bottom: AtomicI64,
    buffer: Vec<AtomicI64>,
    fault: Fault,
}

impl Deque {
    pub fn new(fault: Fault) -> Deque {
        let buffer = (0..PLACES).map(|_| AtomicI64::new(0)).collect();
        Deque { top: AtomicI64::new(0), bottom: AtomicI64::new(0), buffer, fault }
    }

    fn place(&self, at: i64) -> &AtomicI64 {
        &self.buffer[usize::try_from(at).unwrap_or_default() % PLACES]
    }

    /// Only the owner calls this.
    pub fn push(&self, value: u32) {
        let bottom = self.bottom.load(SeqCst);
        self.place(bottom).store(value.into(), SeqCst);
        self.bottom.store(bottom + 1, SeqCst);
    }

    /// Only the owner calls this.
    pub fn pop(&self) -> Option<u32> {
        let early = (self.fault == Fault::TopBeforeBottom).then(|| self.top.load(SeqCst));
        let bottom = self.bottom.load(SeqCst) - 1;
        self.bottom.store(bottom, SeqCst);
        let top = early.unwrap_or_else(|| self.top.load(SeqCst));
        if top > bottom {
            if self.fault != Fault::BottomNotRestored {
                self.bottom.store(bottom + 1, SeqCst);
            }
            return None;
        }
        let value = u32::try_from(self.place(bottom).load(SeqCst)).ok();
        if top < bottom {
            return value;
        }
        let is_won = self.fault == Fault::PopTakesLast
            || self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok();
        self.bottom.store(bottom + 1, SeqCst);
        value.filter(|_| is_won)
    }

    pub fn steal(&self) -> Option<u32> {
        loop {
            let early = (self.fault == Fault::BottomBeforeTop).then(|| self.bottom.load(SeqCst));
            let top = self.top.load(SeqCst);
            let bottom = early.unwrap_or_else(|| self.bottom.load(SeqCst));
            if top >= bottom {
                return None;
            }
            let value = u32::try_from(self.place(top).load(SeqCst)).ok();
            if self.fault == Fault::StealStores {
                self.top.store(top + 1, SeqCst);
                return value;
            }
            if self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok() {
                return value;
            }
        }
    }
}
