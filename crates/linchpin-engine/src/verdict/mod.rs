//! What can be said of a property, and what it takes to say it.
//!
//! The types keep two promises. **Every violation was replayed**: a [`Counterexample`](linchpin_judge::replay::Counterexample) has no public constructor, and only
//! the room `replay` makes one, by running the choices of a [`Trace`](linchpin_judge::trace::Trace) again and judging what it sees. **No `holds` without
//! grounds**: a [`Finding`] for all sizes can only be made from a [`Proof`](linchpin_certify::Proof), which has no public constructor either, and a
//! finding within bounds turns `holds` into `unknown` where some operation never completed.

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
