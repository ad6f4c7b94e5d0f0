//! What the author of a `check` block expects of a property, and whether a finding is that.
//!
//! The annotated linearization points are no property of the object: a right object can have wrong points. So what is expected of
//! them stands beside what is expected of `linearizable`, and both are judged by the same finding.

use super::finding::{Finding, Verdict};
use linchpin_ir::property::Property;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expectation {
    pub property: Property,
    /// It is expected to fail.
    pub violated: bool,
    /// Of `linearizable`, where the block names `points`: whether these are expected to be refuted.
    pub points_violated: Option<bool>,
}

/// A finding beside what is expected of it. By default nothing is: somebody just asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExpectationResult {
    pub verdict: Match,
    /// Of the annotated points, where something is expected of them.
    pub points: Option<Match>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Match {
    /// Nothing is expected, or nothing is known.
    #[default]
    NotSaid,
    AsExpected,
    NotAsExpected,
}

impl Expectation {
    pub fn judge(&self, finding: &Finding) -> ExpectationResult {
        let is_violated = match finding.verdict() {
            Verdict::Holds => Some(false),
            Verdict::Violated(_) => Some(true),
            Verdict::Unknown(_) => None,
        };
        ExpectationResult {
            verdict: Match::of(self.violated, is_violated),
            points: self.points_violated.map(|expected| Match::of(expected, finding.points_refuted())),
        }
    }
}

impl ExpectationResult {
    /// Whether points are refuted of which the block says nothing. Where the property itself is violated as expected, that is no
    /// news: no points are right then.
    pub fn is_surprised_by_points(self, finding: &Finding) -> bool {
        let follows = self.verdict == Match::AsExpected && matches!(finding.verdict(), Verdict::Violated(_));
        self.points.is_none() && !follows && finding.points_refuted() == Some(true)
    }
}

impl Match {
    fn of(expected: bool, found: Option<bool>) -> Match {
        match found {
            None => Match::NotSaid,
            Some(found) if found == expected => Match::AsExpected,
            Some(_) => Match::NotAsExpected,
        }
    }

    pub fn as_expected(self) -> Option<bool> {
        match self {
            Match::NotSaid => None,
            Match::AsExpected => Some(true),
            Match::NotAsExpected => Some(false),
        }
    }
}
