//! Modules with the paths of `std`, in which `sync`, `thread` and `hint` are instrumented.
//!
//! A vendored crate uses `linchpin_instrument::shadow::sync::atomic` where it used `core::sync::atomic`.

/// As `std::hint`; `spin_loop` lets other threads run.
pub mod hint {
    pub use shuttle::hint::spin_loop;
    pub use std::hint::{assert_unchecked, black_box, unreachable_unchecked};
}

/// As `std::thread`. `sleep` lets other threads run, and takes no time.
pub mod thread {
    pub use shuttle::thread::*;
    pub use std::thread::AccessError;

    /// The engine runs on one thread of the operating system.
    pub fn available_parallelism() -> std::io::Result<std::num::NonZeroUsize> {
        std::thread::available_parallelism()
    }
}

/// As `std::sync`.
pub mod sync {
    pub use crate::atomic;
    pub use shuttle::sync::{
        Barrier, BarrierWaitResult, Condvar, Mutex, MutexGuard, Once, OnceState, RwLock, RwLockReadGuard,
        RwLockWriteGuard, WaitTimeoutResult, mpsc,
    };
    pub use std::sync::{
        Arc, LazyLock, LockResult, OnceLock, PoisonError, TryLockError, TryLockResult, Weak,
    };
}
