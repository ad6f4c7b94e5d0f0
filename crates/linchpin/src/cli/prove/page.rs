//! What reports show of `linchpin prove`.

use super::{alarm_text, cost_text, open_text, shown};
use linchpin_engine::verdict::{ExpectationResult, Scope};
use linchpin_portfolio::{ProofResult, method_of};
use linchpin_report::gate::compared_text;
use linchpin_report::line::Palette;
use linchpin_report::view::execution::ExecutionView;
use linchpin_report::view::proof::{ProofView, places};
use linchpin_report::view::set_proof::set_places;
use linchpin_report::view::source::SourceText;
use linchpin_report::view::verdicts::VerdictRow;
use linchpin_report::{alarm, counterexample, verdicts};
use std::path::Path;

/// Returns the proof, and the executions that alarms led to.
pub fn report(proving: &ProofResult, saved: Option<&Path>) -> (ProofView, Vec<ExecutionView>) {
    let sources = &proving.compiled.sources;
    let program = &proving.compiled.program;
    let mut executions: Vec<ExecutionView> = Vec::new();
    let mut rows: Vec<VerdictRow> = Vec::new();
    for finding in &proving.findings {
        let mut of_finding = verdicts::rows(finding, ExpectationResult::default());
        if let (Some(found), Some(row), Scope::Bounded(_)) =
            (shown(finding), of_finding.first_mut(), finding.scope())
        {
            row.execution = Some(executions.len());
            executions.push(counterexample::view(sources, found));
        }
        rows.extend(of_finding);
    }
    let (invariant, places) = match (&proving.certificate, &proving.set_certificate) {
        (Some(certificate), _) => places(sources, program, certificate),
        (None, Some(certificate)) => {
            (Some("a set, for a call on any key k".into()), set_places(sources, program, certificate))
        }
        (None, None) => (None, Vec::new()),
    };
    let view = ProofView {
        object: program.name.to_string(),
        rows,
        notes: notes(proving, saved),
        invariant,
        places,
        source: SourceText::of(sources, program.object_span.file),
    };
    (view, executions)
}

/// Returns what was assumed and compared, sizes and times.
fn notes(proving: &ProofResult, saved: Option<&Path>) -> Vec<String> {
    let sources = &proving.compiled.sources;
    let mut notes = Vec::new();
    notes.extend(open_text(proving));
    for refusal in &proving.refusals {
        let line = sources.line_of(refusal.span);
        notes.push(format!(
            "`{}` does not support {} (line {line})",
            method_of(&proving.compiled.program).name(),
            refusal.construct.trim_end_matches(',')
        ));
    }
    for alarmed in &proving.alarms {
        let text = alarm::draw(sources, &alarm_text(alarmed), Palette::Plain);
        notes.push(linchpin_report::visible::visible_lines(text.trim()));
    }
    if proving.certificate_size() > 0 {
        notes.push(cost_text(proving));
        if let Some((report, time)) = &proving.compared {
            notes.push(compared_text(sources, report, *time).trim_end().to_string());
        }
        notes.extend(
            saved.map(|path| linchpin_report::visible::visible(&format!("certificate: {}", path.display()))),
        );
    }
    notes
}
