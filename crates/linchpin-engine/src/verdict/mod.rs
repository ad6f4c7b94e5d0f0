//! Verdicts about properties, their scopes and their cost.
//!
//! The types enforce two rules:
//!
//! 1. Every violation was replayed. [`Counterexample`](linchpin_judge::Counterexample) has no public
//!    constructor. Only `linchpin_judge::replay` makes one: it runs a trace again and judges the result.
//! 2. Every `holds` is justified. An unbounded [`Finding`] needs a [`Proof`](linchpin_certify::Proof), which
//!    only the checker of certificates makes. A bounded finding turns `holds` into `unknown` if an operation
//!    never completed.

mod asymmetry;
mod expectation;
mod failures;
mod finding;
mod scope;

pub use asymmetry::Asymmetry;
pub use expectation::{Expectation, ExpectationResult, Match};
pub use failures::{FailureGroup, Failures};
pub use finding::{Annotation, Coverage, Cuts, Effort, Finding, Limit, SearchEffort, Verdict};
pub use scope::{BoundedScope, ClientScope, Scope};
