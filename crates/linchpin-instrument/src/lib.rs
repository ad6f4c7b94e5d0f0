//! Instrumented twins of the standard library's atomics, locks and threads.
//!
//! Code that uses them runs on shuttle's engine: it stops before each access, and a scheduler chooses which
//! thread goes on. This needs `--cfg linchpin_way="shuttle"`. Without it [`shadow`] is the standard library,
//! and `cargo test` builds nothing of shuttle.
//!
//! Outside an execution an access is that of the standard library.
//!
//! | file | contents |
//! |---|---|
//! | `access` | what the scheduler learns about accesses |
//! | `atomic` | atomic types |
//! | `cell` | cells with the interface of loom |
//! | `shadow` | modules with the paths of `std` |

#[cfg(linchpin_way = "shuttle")]
pub mod access;
#[cfg(linchpin_way = "shuttle")]
pub mod atomic;
#[cfg(linchpin_way = "shuttle")]
pub mod cell;
#[cfg(linchpin_way = "shuttle")]
pub mod shadow;

/// The modules of the standard library.
#[cfg(not(linchpin_way = "shuttle"))]
pub mod shadow {
    pub use std::{hint, sync, thread};
}

#[cfg(linchpin_way = "shuttle")]
pub use shuttle;
#[cfg(linchpin_way = "shuttle")]
pub use shuttle::thread_local;
#[cfg(linchpin_way = "shuttle")]
pub use shuttle_engine;
#[cfg(not(linchpin_way = "shuttle"))]
pub use std::thread_local;
