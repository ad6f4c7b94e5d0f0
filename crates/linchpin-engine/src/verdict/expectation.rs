//! Compares findings with the expectations of `check` blocks.
//!
//! Annotated linearization points are not a property of the object: a correct object can have wrong points.
//! The expectation about points is stored beside the expectation about `linearizable`. One finding decides
//! both.

use super::finding::{Finding, Verdict};
use linchpin_ir::property::Property;

/// The expected verdict of one property of a `check` block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expectation {
    pub property: Property,
    /// The block expects a violation.
    pub violated: bool,
    /// Whether the block expects a refutation of the points. `None`: the block does not name `points`.
    pub points_violated: Option<bool>,
}

/// Result of comparing a finding with an expectation. The default stands for no expectation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExpectationResult {
    pub verdict: Match,
    /// Result for the annotated points. `None`: no expectation about points.
    pub points: Option<Match>,
}

/// Whether a result matches an expectation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Match {
    /// No expectation, or an unknown result.
    #[default]
    NotSaid,
    AsExpected,
    NotAsExpected,
}

impl Expectation {
    /// Compares a finding with this expectation.
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
    /// Returns whether points are refuted without an expectation about points. A violation that the block
    /// expects already implies refuted points, so that case returns false.
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

    /// Returns `None` if there is no expectation or no result.
    pub fn as_expected(self) -> Option<bool> {
        match self {
            Match::NotSaid => None,
            Match::AsExpected => Some(true),
            Match::NotAsExpected => Some(false),
        }
    }
}
