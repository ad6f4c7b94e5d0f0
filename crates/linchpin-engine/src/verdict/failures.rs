//! Results of `--keep-going`: each schedule judged by itself, equal failures grouped.

use linchpin_judge::Counterexample;

/// Results of all schedules of a scope, for one property.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    /// Number of schedules in the scope.
    pub schedules: u64,
    /// Number of judged schedules. The others reached a limit.
    pub judged: u64,
    /// Number of failing schedules.
    pub failing: u64,
    /// Groups of equal failures, ordered by the length of the counterexample.
    pub groups: Vec<FailureGroup>,
}

/// Schedules that fail in the same way.
#[derive(Clone, Debug)]
pub struct FailureGroup {
    /// Number of schedules in the group.
    pub schedules: u64,
    /// A shortest counterexample of the group.
    pub counterexample: Counterexample,
}
