//! The ways to run the scenarios of a test.
//!
//! | file | contents |
//! |---|---|
//! | `threads` | real threads, recorded |
//! | `shuttle` | every schedule up to a number of preemptions, on shuttle's engine |

#[cfg(linchpin_way = "shuttle")]
pub(crate) mod shuttle;
pub(crate) mod threads;
