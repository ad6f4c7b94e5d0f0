//! The verdicts of one request.

use super::execution::ExecutionView;
use crate::visible::visible;
use crate::{counterexample, verdicts};
use linchpin_engine::verdict::{Annotation, ExpectationResult, Finding, Match, Verdict};
use linchpin_ir::source::SourceMap;
use linchpin_judge::Counterexample;

/// The verdicts of one request.
#[derive(Clone, Debug)]
pub struct RequestView {
    /// The model: `models/wrong/treiber_stack_reuse.lin`.
    pub model: String,
    /// `2 threads, 1 node; sequentially consistent memory`
    pub scope: String,
    pub rows: Vec<VerdictRow>,
    /// Cost, cuts, coverage: one line each.
    pub notes: Vec<String>,
}

/// One verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerdictRow {
    pub property: String,
    /// `holds`, `violated` or `unknown`.
    pub verdict: &'static str,
    /// Whether the verdict is the expected one.
    pub fit: Match,
    pub remarks: String,
    /// The position of the execution among the executions of the report. `None`: no execution.
    pub execution: Option<usize>,
}

/// The parts of a report about several requests.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    pub requests: Vec<RequestView>,
    pub executions: Vec<ExecutionView>,
}

impl Verdicts {
    /// Adds the findings of a request. `bounds` are the sizes of the instance in words. Each counterexample
    /// becomes an execution of the report; `linearizable` and its points may have one each.
    pub fn add(
        &mut self,
        sources: &SourceMap,
        model: &str,
        scope: &str,
        bounds: &str,
        findings: &[(Finding, ExpectationResult)],
    ) {
        let mut rows = Vec::new();
        for (finding, judged) in findings {
            let mut of_finding = verdicts::rows(finding, *judged);
            if let (Verdict::Violated(found), Some(row)) = (finding.verdict(), of_finding.first_mut()) {
                row.execution = Some(self.execution(sources, found, bounds));
            }
            if let (Some(Annotation::Refuted(found)), Some(row)) =
                (&finding.annotation, of_finding.last_mut())
            {
                row.execution = row.execution.or_else(|| Some(self.execution(sources, found, bounds)));
            }
            rows.extend(of_finding);
            let groups = finding.failures.iter().flat_map(|failures| &failures.groups);
            for group in groups {
                self.execution(sources, &group.counterexample, bounds);
            }
        }
        let notes = findings.first().map_or(Vec::new(), |(first, _)| notes(sources, first));
        self.requests.push(RequestView { model: visible(model), scope: visible(scope), rows, notes });
    }

    /// Adds an execution. Returns its position; an execution that is already there is not added.
    fn execution(&mut self, sources: &SourceMap, found: &Counterexample, bounds: &str) -> usize {
        let view = counterexample::view(sources, found).within(bounds);
        let known = self.executions.iter().position(|known| *known == view);
        known.unwrap_or_else(|| {
            self.executions.push(view);
            self.executions.len() - 1
        })
    }
}

/// Returns the cost of a search and what qualifies its verdicts.
fn notes(sources: &SourceMap, finding: &Finding) -> Vec<String> {
    let effort = &finding.effort;
    let mut notes = vec![verdicts::effort_text(effort)];
    notes.extend(verdicts::reach_text(effort));
    let more = verdicts::asymmetry_text(sources, effort) + &verdicts::coverage_text(sources, finding);
    notes.extend(more.lines().map(visible));
    notes
}
