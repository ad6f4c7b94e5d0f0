//! Verdict lines: properties, verdicts, scopes, cost.

use super::failures;
use super::line::{BOLD, DIM, ERROR, Palette};
use super::qualified::{lines_below, qualifications, scope_words};
use super::quantities::{count, duration_text, grouped, rounded};
use super::table::{Table, TableCell};
use super::view::verdicts::VerdictRow;
use super::visible::visible;
use anstyle::{AnsiColor, Style};
use linchpin_engine::verdict::{Annotation, Effort, ExpectationResult, Finding, Match, Scope, Verdict};
use linchpin_ir::source::SourceMap;
use std::fmt::Write;

pub const GOOD: Style = AnsiColor::Green.on_default().bold();
pub const OPEN: Style = AnsiColor::BrightYellow.on_default().bold();

/// Returns the verdicts of one request in lines of at most `width` columns. An expectation about points adds
/// a line.
pub fn lines(findings: &[(Finding, ExpectationResult)], width: usize, palette: Palette) -> String {
    let mut table = Table::without_heading();
    for row in findings.iter().flat_map(|(finding, judged)| rows(finding, *judged)) {
        let is_violated = match row.verdict {
            "holds" => Some(false),
            "violated" => Some(true),
            _ => None,
        };
        table.row([
            TableCell::plain(row.property),
            word(is_violated, palette),
            fit_cell(row.fit, palette),
            TableCell::plain(row.remarks),
        ]);
    }
    let text = table.to_width(width.saturating_sub(2));
    text.lines().fold(String::new(), |out, line| out + "  " + line + "\n")
}

/// Returns the verdict of a finding as a row of a table, and a second row for an expectation about points.
pub fn rows(finding: &Finding, judged: ExpectationResult) -> Vec<VerdictRow> {
    let mut remarks = remarks(finding);
    if judged.points.is_none() {
        remarks.extend(finding.annotation.as_ref().map(annotation_text));
    }
    let row = |property: String, verdict, fit, remarks| VerdictRow {
        property,
        verdict,
        fit,
        remarks,
        execution: None,
    };
    let mut rows = vec![row(
        finding.property().to_string(),
        finding.verdict().as_str(),
        judged.verdict,
        remarks.join("; "),
    )];
    if let Some(fit) = judged.points {
        let verdict = match finding.points_refuted() {
            Some(false) => "holds",
            Some(true) => "violated",
            None => "unknown",
        };
        rows.push(row("points".into(), verdict, fit, points_text(finding)));
    }
    rows
}

fn word(is_violated: Option<bool>, palette: Palette) -> TableCell {
    match is_violated {
        Some(false) => TableCell::styled("holds", palette.style(GOOD)),
        Some(true) => TableCell::styled("violated", palette.style(ERROR)),
        None => TableCell::styled("unknown", palette.style(OPEN)),
    }
}

fn fit_cell(fit: Match, palette: Palette) -> TableCell {
    match fit {
        Match::NotSaid => TableCell::plain(""),
        Match::AsExpected => TableCell::styled("as expected", palette.style(DIM)),
        Match::NotAsExpected => TableCell::styled("NOT AS EXPECTED", palette.style(ERROR)),
    }
}

/// Returns the scope of a finding with every bound that cut an execution: `2 threads, 3 nodes, 2 values,
/// fair; …`.
pub fn scope_text(finding: &Finding, bounds: &str) -> String {
    match finding.scope() {
        Scope::Bounded(_) => {
            bounds.to_string() + &scope_words(&qualifications(finding)) + "; sequentially consistent memory"
        }
        Scope::Unbounded { method } => format!("any number of threads, nodes and values ({method})"),
    }
}

/// Returns the qualifications of a `holds` for `--quiet`: the rest of the scope and the lines below the
/// verdicts.
pub fn quiet_text(sources: &SourceMap, findings: &[(Finding, ExpectationResult)]) -> String {
    let Some((finding, _)) = findings.iter().find(|(finding, _)| matches!(finding.verdict(), Verdict::Holds))
    else {
        return String::new();
    };
    let all = qualifications(finding);
    let words = scope_words(&all);
    let only = (!words.is_empty()).then(|| format!("only: {}", words.trim_start_matches([',', ';', ' '])));
    let remarks = finding.effort.search.remarks.iter().cloned();
    let lines = only.into_iter().chain(lines_below(sources, &all)).chain(remarks);
    lines.map(|line| format!("  {DIM}{line}{DIM:#}\n")).collect()
}

/// Returns the cost: states, transitions, schedules, time.
pub fn effort_text(effort: &Effort) -> String {
    let mut text = format!("{} states, {} transitions", grouped(effort.states), grouped(effort.transitions));
    if let Some(schedules) = effort.schedules {
        let _ = write!(text, ", {} schedules", grouped(schedules));
    }
    let _ = write!(text, ", {:.1} s", effort.time.as_secs_f64());
    if let Some(bytes) = effort.peak_memory_bytes {
        let _ = write!(text, ", {} MiB", bytes >> 20);
    }
    if let Some(bytes) = effort.search.bytes_per_state {
        let _ = write!(text, " ({bytes} bytes a state)");
    }
    text
}

/// Returns the depth of a search that reached a limit and the estimated cost of the whole search. `None`: no
/// limit.
pub fn reach_text(effort: &Effort) -> Option<String> {
    let search = &effort.search;
    if search.frontier == 0 {
        return None;
    }
    let mut text = format!(
        "searched to depth {}; {} state{} not expanded",
        grouped(search.depth),
        grouped(search.frontier),
        if search.frontier == 1 { "" } else { "s" }
    );
    match search.forecast {
        Some(states) => {
            let factor = states as f64 / effort.states.max(1) as f64;
            let seconds = effort.time.as_secs_f64() * factor;
            let bytes = states * search.bytes_per_state.unwrap_or(0);
            let _ =
                write!(text, "; estimate: {} states or more, {}", rounded(states), duration_text(seconds));
            if bytes > 0 {
                let _ = write!(text, " and {} MiB", grouped(bytes >> 20));
            }
        }
        None => text += "; the levels are still growing: no estimate",
    }
    Some(text)
}

/// Returns the constructs that prevent symmetry and the remarks of the search, one line each.
pub fn asymmetry_text(sources: &SourceMap, effort: &Effort) -> String {
    let mut out = String::new();
    for asymmetry in &effort.search.asymmetries {
        let line = sources.line_of(asymmetry.span);
        let _ = writeln!(out, "no symmetry: {} (line {line})", asymmetry.what);
    }
    effort.search.remarks.iter().for_each(|remark| out += &format!("{remark}\n"));
    out
}

/// Returns the coverage: completed calls, lines never reached, executions cut.
pub fn coverage_text(sources: &SourceMap, finding: &Finding) -> String {
    let mut out = String::new();
    if let Some(coverage) = &finding.coverage {
        let completed: Vec<String> =
            coverage.completed.iter().map(|(op, calls)| format!("{op} {}", grouped(*calls))).collect();
        let _ = writeln!(out, "calls completed: {}", completed.join(", "));
    }
    lines_below(sources, &qualifications(finding)).into_iter().fold(out, |out, line| out + &line + "\n")
}

/// Returns the line above the verdicts of one request.
pub fn heading(name: &str, scope: &str) -> String {
    format!("{BOLD}{}{BOLD:#} {DIM}{}{DIM:#}\n", visible(name), visible(scope))
}

fn remarks(finding: &Finding) -> Vec<String> {
    let mut parts = Vec::new();
    match finding.verdict() {
        Verdict::Violated(counterexample) => {
            let steps = counterexample.trace().choices.len();
            let steps = match counterexample.trace().cycle {
                Some(start) => format!("{} and a loop of {}", count(start, "step"), steps - start),
                None => format!("in {}", count(steps, "step")),
            };
            parts.push(steps);
            parts.extend(finding.failures.as_ref().map(failures::summary));
        }
        Verdict::Unknown(limit) => parts.push(limit.to_string()),
        Verdict::Holds if !finding.own_steps.is_empty() => {
            let most = |(op, steps): &(_, u64)| format!("{op} {}", grouped(*steps));
            let most: Vec<String> = finding.own_steps.iter().map(most).collect();
            parts.push(format!("most own steps: {}", most.join(", ")));
        }
        Verdict::Holds => {}
    }
    parts.extend(finding.notes.iter().cloned());
    parts
}

/// Returns the result for the annotated points.
fn annotation_text(annotation: &Annotation) -> String {
    match annotation {
        Annotation::Confirmed => "annotation: confirmed".into(),
        Annotation::Refuted(_) => "annotation: refuted".into(),
        Annotation::Unknown(limit) => format!("annotation: unknown ({limit})"),
    }
}

/// Returns the result for the points on a separate line: the length of the refutation, or the reason for
/// `unknown`.
fn points_text(finding: &Finding) -> String {
    match (&finding.annotation, finding.verdict()) {
        (Some(annotation @ Annotation::Refuted(counterexample)), _) => {
            let steps = count(counterexample.trace().choices.len(), "step");
            format!("{} in {steps}", annotation_text(annotation))
        }
        (Some(Annotation::Confirmed), Verdict::Unknown(limit)) => limit.to_string(),
        (Some(annotation), _) => annotation_text(annotation),
        (None, _) => String::new(),
    }
}
