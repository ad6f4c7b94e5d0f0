//! Every schedule of a scope, judged by itself: which fail, equal failures together.

use linchpin_judge::Counterexample;

/// What became of the schedules of a scope, for one property.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    /// Schedules of the scope.
    pub schedules: u64,
    /// How many of them were judged; the others met a limit.
    pub judged: u64,
    /// How many fail.
    pub failing: u64,
    /// Those with the shortest counterexamples first.
    pub groups: Vec<FailureGroup>,
}

/// Schedules that fail in the same way.
#[derive(Clone, Debug)]
pub struct FailureGroup {
    pub schedules: u64,
    /// A shortest one of them all.
    pub counterexample: Counterexample,
}
