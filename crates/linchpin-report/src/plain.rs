//! Text without escape codes, for callers that do not write to a terminal.
//!
//! The other modules take a [`Palette`]; the functions of this module choose the one without colours.

use crate::line::Palette;
use crate::{counterexample, recorded, verdicts};
use linchpin_engine::verdict::{ExpectationResult, Finding};
use linchpin_ir::source::SourceMap;
use linchpin_judge::Counterexample;
use linchpin_semantics::SpecMachine;

/// Draws a counterexample in lines of at most `width` columns.
pub fn counterexample(sources: &SourceMap, counterexample: &Counterexample, width: usize) -> String {
    counterexample::draw(sources, counterexample, width, Palette::Plain)
}

/// Returns the verdict lines of findings, not wrapped.
pub fn verdicts(findings: &[Finding]) -> String {
    let judged: Vec<_> = findings.iter().map(|f| (f.clone(), ExpectationResult::default())).collect();
    verdicts::lines(&judged, usize::from(u16::MAX), Palette::Plain)
}

/// Returns the verdict about a recorded history, and a legal order or the reason why no order is legal.
pub fn history(
    spec: &SpecMachine,
    recorded: &recorded::Recorded,
    judged: &recorded::Judged,
    width: usize,
) -> String {
    let view = recorded::view::View { spec, recorded, palette: Palette::Plain };
    view.verdicts(std::slice::from_ref(judged)) + &view.reasons(judged, width)
}
