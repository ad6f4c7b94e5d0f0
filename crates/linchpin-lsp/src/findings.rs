//! Findings as diagnostics of the protocol.

use crate::address;
use crate::analysis::Analysis;
use crate::documents::LibraryCopies;
use crate::position::Lines;
use linchpin_ir::diagnostic::{Diagnostic as Finding, SpanLabel};
use linchpin_report::visible::visible;
use lsp_types::{Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location};

/// Returns the diagnostics of a model's own file. A finding in a module stands at the `use` of the module.
pub fn diagnostics(analysis: &Analysis, copies: &mut LibraryCopies) -> Vec<Diagnostic> {
    analysis.findings.iter().filter_map(|finding| diagnostic(analysis, copies, finding)).collect()
}

fn diagnostic(analysis: &Analysis, copies: &mut LibraryCopies, finding: &Finding) -> Option<Diagnostic> {
    let first = finding.labels.first()?;
    let text = analysis.text();
    let lines = Lines::of(text);
    let is_own = first.span.file == analysis.root;
    // The first label of the own file, or the line that takes the module.
    let own = finding.labels.iter().find(|label| label.span.file == analysis.root);
    let range = match own {
        Some(label) => lines.range(text, label.span),
        None => lines.range(text, use_of(analysis, first)?),
    };
    let mut message = visible(&finding.title);
    if is_own && !first.text.is_empty() {
        message += &format!(": {}", visible(&first.text));
    }
    for note in &finding.notes {
        message += &format!("\n{}", visible(note));
    }
    if let Some(help) = &finding.help {
        message += &format!("\nhelp: {}", visible(help));
    }
    let others = finding.labels.iter().skip(usize::from(is_own));
    let related: Vec<DiagnosticRelatedInformation> =
        others.filter_map(|label| related(analysis, copies, label)).collect();
    let severity = if finding.is_error() { DiagnosticSeverity::ERROR } else { DiagnosticSeverity::WARNING };
    Some(Diagnostic {
        range,
        severity: Some(severity),
        source: Some("linchpin".into()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    })
}

fn related(
    analysis: &Analysis,
    copies: &mut LibraryCopies,
    label: &SpanLabel,
) -> Option<DiagnosticRelatedInformation> {
    let file = analysis.sources.file(label.span.file);
    let uri = address::of(&copies.path_of(file)?)?;
    let range = Lines::of(&file.text).range(&file.text, label.span);
    Some(DiagnosticRelatedInformation { location: Location { uri, range }, message: visible(&label.text) })
}

/// Returns the place of the `use` that takes the module of a finding, else the begin of the file.
fn use_of(analysis: &Analysis, label: &SpanLabel) -> Option<linchpin_ir::source::Span> {
    use linchpin_frontend::typing::NameKind;
    let mut modules = analysis.own_names().filter(|name| name.kind == NameKind::Module);
    let taken = modules.find(|name| name.definition.file == label.span.file);
    let begin = linchpin_ir::source::Span::new(analysis.root, 0, 0);
    Some(taken.map_or(begin, |name| name.at))
}
