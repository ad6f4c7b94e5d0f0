//! A stand-in for the crate `loom`: the same names, over [`linchpin_instrument`].
//!
//! A crate with a loom facade uses `loom::sync::atomic` instead of `std::sync::atomic` if it is built with
//! `--cfg loom`. With this crate in the place of loom (`[patch.crates-io]`), it runs on shuttle's engine
//! unchanged. All memory is sequentially consistent, and cells are not tracked.

#![cfg(linchpin_way = "shuttle")]

pub use linchpin_instrument::shuttle::{lazy_static, thread_local};

/// As `std::hint`.
pub mod hint {
    pub use linchpin_instrument::shadow::hint::*;
}

/// As `loom::thread`.
pub mod thread {
    pub use linchpin_instrument::shadow::thread::*;
}

/// As `loom::cell`.
pub mod cell {
    pub use linchpin_instrument::cell::*;
}

/// As `loom::sync`.
pub mod sync {
    pub use linchpin_instrument::shadow::sync::*;

    /// As `loom::sync::atomic`.
    pub mod atomic {
        pub use linchpin_instrument::atomic::*;
    }
}

/// As `loom::alloc`; leaks are not tracked.
pub mod alloc {
    pub use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};

    /// A value that loom would track.
    #[derive(Debug)]
    pub struct Track<T>(T);

    impl<T> Track<T> {
        pub fn new(value: T) -> Track<T> {
            Track(value)
        }

        pub fn get_ref(&self) -> &T {
            &self.0
        }

        pub fn get_mut(&mut self) -> &mut T {
            &mut self.0
        }

        pub fn into_inner(self) -> T {
            self.0
        }
    }
}

/// As `loom::future`.
pub mod future {
    pub use linchpin_instrument::shuttle::future::block_on;
}

/// Runs the function under random schedules. Crates call this in their own loom tests only.
pub fn model(act: impl Fn() + Send + Sync + 'static) {
    linchpin_instrument::shuttle::check_random(act, 1000);
}
