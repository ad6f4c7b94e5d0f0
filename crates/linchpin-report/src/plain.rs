//! Text without escape codes, for callers that do not write to a terminal.
//!
//! The other modules return text with colours. The functions of this module return the same text without
//! colours.

use crate::{counterexample, recorded, verdicts};
use linchpin_engine::verdict::{ExpectationResult, Finding};
use linchpin_ir::source::SourceMap;
use linchpin_judge::Counterexample;

/// Draws a counterexample in lines of at most `width` columns.
pub fn counterexample(sources: &SourceMap, counterexample: &Counterexample, width: usize) -> String {
    text(&counterexample::draw(sources, counterexample, width))
}

/// Returns the verdict lines of findings, not wrapped.
pub fn verdicts(findings: &[Finding]) -> String {
    let judged: Vec<_> = findings.iter().map(|f| (f.clone(), ExpectationResult::default())).collect();
    text(&verdicts::lines(&judged, usize::from(u16::MAX)))
}

/// Returns the verdict about a recorded history, and a legal order or the reason why no order is legal.
pub fn history(view: &recorded::view::View, judged: &recorded::Judged, width: usize) -> String {
    text(&(view.verdicts(std::slice::from_ref(judged)) + &view.reasons(judged, width)))
}

/// Removes the escape codes of this crate's styles.
pub fn text(styled: &str) -> String {
    let mut parts = styled.split("\u{1b}[");
    let first = parts.next().unwrap_or("").to_string();
    parts.fold(first, |out, part| out + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::{BOLD, ERROR};

    #[test]
    fn escape_codes_are_removed_and_nothing_else() {
        let styled = format!("{BOLD}name{BOLD:#}: [m] {ERROR}→ x{ERROR:#}\n");
        assert!(styled.contains('\u{1b}'));
        assert_eq!(text(&styled), "name: [m] → x\n");
        assert_eq!(text("nothing to remove"), "nothing to remove");
    }
}
