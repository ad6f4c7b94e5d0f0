//! A request to end, shared by all work under one budget.
//!
//! The thread that measures the budget calls [`Stop::ask`]. Each worker calls [`Stop::is_asked`], which is
//! one load of an atomic, so a worker can call it in every loop. The first cause counts: a later request does
//! not replace it.

use std::sync::atomic::{AtomicU8, Ordering};

/// Why work has to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    Interrupted,
    Time,
    Memory,
}

/// A flag with the cause of the request. By default there is no request.
#[derive(Debug, Default)]
pub struct Stop(AtomicU8);

/// The causes by their number, from 1.
const CAUSES: [Cause; 3] = [Cause::Interrupted, Cause::Time, Cause::Memory];

impl Stop {
    /// Requests the end. An earlier cause stays.
    pub fn ask(&self, cause: Cause) {
        let number = match cause {
            Cause::Interrupted => 1,
            Cause::Time => 2,
            Cause::Memory => 3,
        };
        let _ = self.0.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Checks whether the end was requested.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Returns the cause of the request; `None` if there is no request.
    pub fn cause(&self) -> Option<Cause> {
        let number = usize::from(self.0.load(Ordering::Relaxed));
        number.checked_sub(1).and_then(|at| CAUSES.get(at)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cause_counts() {
        for first in CAUSES {
            let stop = Stop::default();
            assert_eq!((stop.is_asked(), stop.cause()), (false, None));
            stop.ask(first);
            CAUSES.into_iter().for_each(|later| stop.ask(later));
            assert_eq!((stop.is_asked(), stop.cause()), (true, Some(first)));
        }
    }
}
