//! An execution with everything that a report shows of it.

use super::intervals::Intervals;
use super::source::SourceText;
use super::why::Part;
use crate::fold::{Row, fold};
use crate::trace::Trace;
use serde::Serialize;

/// A counterexample or a random run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ExecutionView {
    /// The name of the object.
    pub object: String,
    /// The violated property, as [`rules`](super::rules) names it. Empty: no violation.
    pub rule: String,
    /// `not linearizable`
    pub title: String,
    /// `22 steps, 2 context switches`
    pub length: String,
    /// Sizes of the instance: `2 threads, 3 nodes`. Empty: not known.
    pub bounds: String,
    pub trace: Trace,
    /// The rows of the trace; repeated steps are folded.
    pub rows: Vec<Row>,
    /// The calls. `None`: the history is not part of the reason.
    pub history: Option<Intervals>,
    /// Why the execution is a violation, or how a random run ended.
    pub why: Vec<Part>,
    pub source: SourceText,
    /// Whether the execution violates a property.
    pub is_violation: bool,
}

impl ExecutionView {
    /// Makes the view of a random run.
    pub fn of_run(
        object: &str,
        bounds: &str,
        trace: Trace,
        end: Part,
        source: SourceText,
        violated: Option<&str>,
    ) -> ExecutionView {
        ExecutionView {
            object: object.into(),
            rule: violated.unwrap_or_default().into(),
            title: "one random execution".into(),
            length: format!("{} steps", trace.steps.len()),
            bounds: bounds.into(),
            rows: fold(&trace),
            trace,
            history: None,
            why: vec![end],
            source,
            is_violation: violated.is_some(),
        }
    }

    /// Sets the sizes of the instance.
    pub fn within(self, bounds: &str) -> ExecutionView {
        ExecutionView { bounds: bounds.into(), ..self }
    }

    /// Returns whether a step changes the memory.
    pub fn is_news(&self, step: usize) -> bool {
        let before = step.checked_sub(1).map_or(&self.trace.start, |last| &self.trace.steps[last].after);
        self.trace.steps[step].after.is_news_after(before)
    }
}
