//! Makes the report model of requests: their verdicts, and an execution for each counterexample.

use crate::view::execution::ExecutionView;
use crate::view::source::Place;
use crate::view::verdicts::{RequestView, Verdicts};
use crate::visible::visible;
use crate::{counterexample, verdicts};
use linchpin_engine::verdict::{Annotation, ExpectationResult, Finding, Verdict};
use linchpin_ir::source::{SourceMap, Span};
use linchpin_judge::Counterexample;

/// A request with its findings.
pub struct Request<'a> {
    pub sources: &'a SourceMap,
    /// The model, and the line of the check.
    pub model: &'a str,
    /// Where the check stands.
    pub at: Span,
    /// The scope in words.
    pub scope: &'a str,
    /// The sizes of the instance in words.
    pub bounds: &'a str,
    pub findings: &'a [(Finding, ExpectationResult)],
}

/// Adds a request. Each counterexample becomes an execution; equal counterexamples become one.
pub fn add(all: &mut Verdicts, request: &Request<'_>) {
    let mut rows = Vec::new();
    for (finding, judged) in request.findings {
        let mut of_finding = verdicts::rows(finding, *judged);
        let mut execution = |found: &Counterexample| {
            let view = counterexample::view(request.sources, found).within(request.bounds);
            add_execution(&mut all.executions, view)
        };
        if let (Verdict::Violated(found), Some(row)) = (finding.verdict(), of_finding.first_mut()) {
            row.execution = Some(execution(found));
        }
        if let (Some(Annotation::Refuted(found)), Some(row)) = (&finding.annotation, of_finding.last_mut()) {
            let refuted = execution(found);
            row.execution = row.execution.or(Some(refuted));
        }
        rows.extend(of_finding);
        for group in finding.failures.iter().flat_map(|failures| &failures.groups) {
            execution(&group.counterexample);
        }
    }
    let first = request.findings.first();
    all.requests.push(RequestView {
        model: visible(request.model),
        place: Place::of(request.sources, request.at),
        scope: visible(request.scope),
        rows,
        notes: first.map_or(Vec::new(), |(first, _)| notes(request.sources, first)),
    });
}

/// Returns the position of an execution, which is added if it is new.
fn add_execution(executions: &mut Vec<ExecutionView>, view: ExecutionView) -> usize {
    let known = executions.iter().position(|known| *known == view);
    known.unwrap_or_else(|| {
        executions.push(view);
        executions.len() - 1
    })
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
