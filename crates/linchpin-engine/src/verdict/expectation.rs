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
pub struct Judged {
    pub verdict: Fit,
    /// Of the annotated points, where something is expected of them.
    pub points: Option<Fit>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fit {
    /// Nothing is expected, or nothing is known.
    #[default]
    NotSaid,
    AsExpected,
    NotAsExpected,
}

impl Expectation {
    pub fn judge(&self, finding: &Finding) -> Judged {
        let is_violated = match finding.verdict() {
            Verdict::Holds => Some(false),
            Verdict::Violated(_) => Some(true),
            Verdict::Unknown(_) => None,
        };
        Judged {
            verdict: Fit::of(self.violated, is_violated),
            points: self.points_violated.map(|expected| Fit::of(expected, finding.points_refuted())),
        }
    }
}

impl Judged {
    /// Whether points are refuted of which the block says nothing. Where the property itself is violated as expected, that is no
    /// news: no points are right then.
    pub fn is_surprised_by_points(self, finding: &Finding) -> bool {
        let follows = self.verdict == Fit::AsExpected && matches!(finding.verdict(), Verdict::Violated(_));
        self.points.is_none() && !follows && finding.points_refuted() == Some(true)
    }
}

impl Fit {
    fn of(expected: bool, found: Option<bool>) -> Fit {
        match found {
            None => Fit::NotSaid,
            Some(found) if found == expected => Fit::AsExpected,
            Some(_) => Fit::NotAsExpected,
        }
    }

    pub fn as_expected(self) -> Option<bool> {
        match self {
            Fit::NotSaid => None,
            Fit::AsExpected => Some(true),
            Fit::NotAsExpected => Some(false),
        }
    }
}
