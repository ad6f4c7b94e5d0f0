//! Judges histories ([`history`]) and executions ([`replay`]) by definition, with no code of any engine.
//!
//! A [`Counterexample`] exists only if [`replay::replay`] ran the choices of a [`Trace`](trace::Trace) again
//! and saw the violation. Its fields are private, so no other code can make one from parts:
//!
//! ```compile_fail,E0451
//! use linchpin_judge::{Counterexample, trace::Trace};
//!
//! fn forge(other: Trace, real: Counterexample) -> Counterexample {
//!     Counterexample { trace: other, ..real }
//! }
//! ```
//!
//! The same names compile where the code only reads, so the example above fails for its private fields:
//!
//! ```
//! use linchpin_judge::{Counterexample, trace::Trace};
//!
//! fn read(real: &Counterexample) -> &Trace {
//!     real.trace()
//! }
//! ```

pub mod history;
pub mod replay;
pub mod trace;

pub use replay::Counterexample;
