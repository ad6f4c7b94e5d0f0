//! Judges histories ([`history`]) and executions ([`replay`]) by definition, with no code of any engine.
//!
//! A [`Counterexample`] exists only where [`replay::replay`] ran the choices of a [`Trace`](trace::Trace) again and saw the violation:
//!
//! ```compile_fail
//! use linchpin_judge::replay::{Confirmed, Counterexample};
//! fn forge(confirmed: Confirmed) -> Counterexample {
//!     Counterexample::new(confirmed)
//! }
//! ```

pub mod history;
pub mod replay;
pub mod trace;

pub use replay::Counterexample;
