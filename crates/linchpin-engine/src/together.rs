//! Runs worker threads of one search and re-raises their panics.
//!
//! Claim: a panic of a worker never leads to a verdict. The part of the panicking worker is lost, so the
//! result would be incomplete. `together` asks the other workers to stop and waits for all of them. Then the
//! panic continues in the calling thread and ends the process (exit code 101).

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LockResult, Mutex, MutexGuard};

/// Runs `own` in this thread and each helper in a new thread. Returns the result of `own`, then those of the
/// helpers. A panic sets `is_over`, which the workers poll.
pub fn together<T, H>(
    is_over: &AtomicBool,
    helpers: impl IntoIterator<Item = H>,
    own: impl FnOnce() -> T,
) -> Vec<T>
where
    T: Send,
    H: FnOnce() -> T + Send,
{
    std::thread::scope(|scope| {
        let spawn = |helper: H| scope.spawn(move || stopping(is_over, helper));
        let handles: Vec<_> = helpers.into_iter().map(spawn).collect();
        let mine = catch_unwind(AssertUnwindSafe(|| stopping(is_over, own)));
        let all = std::iter::once(mine).chain(handles.into_iter().map(|handle| handle.join()));
        // The join of all threads precedes the first panic.
        let all: Vec<_> = all.collect();
        all.into_iter().map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Unwraps the result of a lock. Panics if a worker panicked while it held the lock: the data may be
/// inconsistent.
pub fn guarded<T>(locked: LockResult<T>) -> T {
    locked.unwrap_or_else(|_| panic!("a worker panicked while it held a lock"))
}

/// Locks a mutex. Panics as [`guarded`] does.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    guarded(mutex.lock())
}

fn stopping<T>(is_over: &AtomicBool, work: impl FnOnce() -> T) -> T {
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                self.0.store(true, Ordering::Relaxed);
            }
        }
    }
    let _stop = Stop(is_over);
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(own: bool, helper: Option<bool>) -> (Result<Vec<u32>, ()>, bool) {
        let is_over = AtomicBool::new(false);
        let work = |panics: bool| move || if panics { panic!("planted") } else { 7 };
        let result = catch_unwind(AssertUnwindSafe(|| together(&is_over, helper.map(work), work(own))));
        (result.map_err(|_| ()), is_over.into_inner())
    }

    #[test]
    fn a_panic_of_any_worker_is_raised_again() {
        assert_eq!(ends(false, None), (Ok(vec![7]), false));
        assert_eq!(ends(false, Some(false)), (Ok(vec![7, 7]), false));
        for (own, helper) in [(true, None), (true, Some(false)), (false, Some(true)), (true, Some(true))] {
            assert_eq!(ends(own, helper), (Err(()), true));
        }
    }
}
