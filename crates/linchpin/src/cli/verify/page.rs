//! The table of `verify`. It fits the width, and each row is printed when it is known.
//!
//! So column widths depend only on the names of the models and the width of the terminal. Long reasons and
//! restrictions get a number and follow below the table.

use super::super::terminal::Terminal;
use super::expected::Expected;
use super::{SearchResult, seconds_text};
use anstyle::Style;
use linchpin_engine::verdict::{Annotation, Finding, Limit, Verdict};
use linchpin_explore::hunt;
use linchpin_ir::property::Property;
use linchpin_report::counterexample;
use linchpin_report::line::{BOLD, DIM, ERROR, display_width, hanging, wrap};
use linchpin_report::quantities::{count, grouped};
use linchpin_report::table::{Table, TableCell};
use linchpin_report::verdicts::{GOOD, OPEN};
use linchpin_report::view::overview::{Overview, OverviewRow};
use linchpin_report::visible::visible;
use std::time::Duration;

/// The table, printed row by row.
pub struct Page {
    widths: Vec<usize>,
    reasons: Vec<String>,
    /// The same rows for the page of `--html`.
    overview: Overview,
    tally: Tally,
}

/// A model compared with its expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// As expected, or without an expectation.
    Plain,
    Surprise,
    /// The expected violation was not found, and these blocks were not searched to the end.
    Unfinished(Vec<String>),
}

/// The name of a model and its expectation, in front of its first row.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    pub name: &'a str,
    pub expected: Expected,
}

/// Models by expectation and result.
#[derive(Default)]
struct Tally {
    /// Models that are expected to hold, and how many of them hold, are proved, are violated.
    right: [usize; 4],
    /// Models that are expected to be violated, how many are, and how many were not searched to the end.
    wrong: [usize; 3],
}

/// Widths of columns with short contents.
const EXPECTED: usize = 8;
const STATES: usize = 9;
const TIME: usize = 6;
/// The width of `2 threads, 3 nodes,`: a narrow scope takes two lines.
const SCOPE_LINE: usize = 19;
/// The greatest width of the table.
const WIDEST: usize = 120;

impl Page {
    /// Prints the heading.
    pub fn new(terminal: &mut Terminal, models: &[String]) -> Page {
        let longest = models.iter().map(|name| display_width(name)).max().unwrap_or(0);
        let columns = Columns::of(terminal.width, longest);
        let page = Page {
            widths: columns.widths,
            reasons: Vec::new(),
            overview: Overview::default(),
            tally: Tally::default(),
        };
        let heading = ["model", "expected", "verdict", "scope", "time", "states"];
        if !page.widths.is_empty() {
            terminal.print(&row_text(&page.widths, &heading.map(|text| (text, DIM))));
        }
        page
    }

    pub fn section(&self, terminal: &mut Terminal, title: &str) {
        terminal.print(&format!("\n{BOLD}{title}{BOLD:#}\n"));
    }

    /// Prints the row of a search. A row without a head belongs to the model above.
    pub fn result(
        &mut self,
        terminal: &mut Terminal,
        head: Option<Head>,
        result: &SearchResult,
        standing: &Standing,
    ) {
        let (mut text, mut style) = self.verdict(result);
        match standing {
            Standing::Plain => {}
            Standing::Surprise => text += ", NOT AS EXPECTED",
            Standing::Unfinished(blocks) => {
                let number = self.reason(&format!("expected violation not reached: {}", blocks.join("; ")));
                (text, style) = (format!("no violation yet [{number}]"), OPEN);
            }
        }
        let mut scope = result.scope.clone();
        if let Some(restricted) = &result.restricted {
            scope += &format!(", restricted [{}]", self.reason(&format!("restricted: {restricted}")));
        }
        let found = result.violations.first();
        let name = head.map_or("", |head| head.name);
        let row = OverviewRow {
            model: visible(name),
            expected: head.map_or("", |head| head.expected.text()).into(),
            verdict: text.clone(),
            tone: tone_of(result, standing),
            is_surprise: *standing == Standing::Surprise,
            scope: scope.clone(),
            states: grouped(result.states),
            time: seconds_text(result.time),
            execution: found.map(|_| self.overview.executions.len()),
        };
        self.overview.rows.push(row);
        self.overview.executions.extend(found.map(|(of, found)| counterexample::view(&of.sources, found)));
        if let Some(head) = head {
            self.tally.count(head.expected, result, standing);
        }
        let cost = Some((result.states, result.time));
        self.row(terminal, head, (text, style), &scope, cost);
    }

    /// Prints the row of proved properties.
    pub fn proved(
        &mut self,
        terminal: &mut Terminal,
        proved: &[&Finding],
        scope: &str,
        cost: (u64, Duration),
    ) {
        let text = named("proved", proved);
        self.tally.right[2] += usize::from(is_all(proved));
        self.overview.rows.push(OverviewRow {
            states: grouped(cost.0),
            time: seconds_text(cost.1),
            ..proof_row(scope, &listed("proved", proved), "proved")
        });
        self.row(terminal, None, (text, GOOD), scope, Some(cost));
    }

    /// Prints the row of properties that are not proved.
    pub fn not_proved(&mut self, terminal: &mut Terminal, open: &[&Finding], limit: &Limit, scope: &str) {
        let number = self.limit(limit);
        let text = format!("{} [{number}]", named("not proved", open));
        let listed = format!("{} [{number}]", listed("not proved", open));
        self.overview.rows.push(proof_row(scope, &listed, "unknown"));
        self.row(terminal, None, (text, OPEN), scope, None);
    }

    /// Prints the number of models by result, the reasons and the searched properties.
    pub fn end(&self, terminal: &mut Terminal) {
        terminal.print("\n");
        for text in self.tally.lines() {
            for line in textwrap::wrap(&text, hanging(terminal.width.min(WIDEST), 2)) {
                terminal.print(&format!("{line}\n"));
            }
        }
        let all: Vec<String> = hunt::PROPERTIES.iter().map(Property::to_string).collect();
        let properties = format!("`holds` and `proved` are about: {}", all.join(", "));
        let reasons = self.reasons.iter().enumerate().map(|(at, text)| format!("[{}] {text}", at + 1));
        for text in reasons.chain([properties]) {
            for line in textwrap::wrap(&text, hanging(terminal.width.min(WIDEST), 4)) {
                terminal.print(&format!("{DIM}{line}{DIM:#}\n"));
            }
        }
    }

    /// Returns the same table for a page.
    pub fn overview(self) -> Overview {
        Overview { reasons: self.reasons, ..self.overview }
    }

    /// Summarizes the verdicts of a search.
    fn verdict(&mut self, result: &SearchResult) -> (String, Style) {
        let mut violated: Vec<String> = Vec::new();
        let mut unknown: Vec<&Finding> = Vec::new();
        for finding in &result.findings {
            match (finding.verdict(), &finding.annotation) {
                (Verdict::Violated(found), _) => {
                    violated.push(format!("{} in {} steps", finding.property(), found.trace().choices.len()));
                }
                (_, Some(Annotation::Refuted(found))) => {
                    violated.push(format!("points in {} steps", found.trace().choices.len()));
                }
                (Verdict::Unknown(_), _) => unknown.push(finding),
                (Verdict::Holds, _) => {}
            }
        }
        if !violated.is_empty() {
            return (format!("violated: {}", violated.join(", ")), ERROR);
        }
        let Some(Verdict::Unknown(limit)) = unknown.first().map(|finding| finding.verdict()) else {
            return ("holds".into(), GOOD);
        };
        let number = self.limit(limit);
        match unknown.len() == result.findings.len() {
            true => (format!("unknown [{number}]"), OPEN),
            false => (format!("holds, but {} [{number}]", named("unknown", &unknown)), OPEN),
        }
    }

    /// Prints a row. Columns without room are dropped.
    fn row(
        &self,
        terminal: &mut Terminal,
        head: Option<Head>,
        (verdict, style): (String, Style),
        scope: &str,
        cost: Option<(u64, Duration)>,
    ) {
        if self.widths.is_empty() {
            terminal.print(&listed_row(terminal.width, head, (&verdict, style), scope));
            return;
        }
        let name = head.map_or(String::new(), |head| visible(head.name));
        let expected = head.map_or("", |head| head.expected.text());
        let (states, time) = cost
            .map_or((String::new(), String::new()), |(states, time)| (grouped(states), seconds_text(time)));
        let cells = [
            (name.as_str(), Style::new()),
            (expected, DIM),
            (verdict.as_str(), style),
            (scope, Style::new()),
            (time.as_str(), Style::new()),
            (states.as_str(), Style::new()),
        ];
        terminal.print(&row_text(&self.widths, &cells));
    }

    /// Returns the number of a limit. All time limits of a run are one reason.
    fn limit(&mut self, limit: &Limit) -> usize {
        match limit {
            Limit::Time(_) => {
                self.reason("stopped at the time limit; `--timeout 60s` gives each model a minute")
            }
            other => self.reason(&other.to_string()),
        }
    }

    /// Returns the number of a reason.
    fn reason(&mut self, text: &str) -> usize {
        let known = self.reasons.iter().position(|known| known == text);
        1 + known.unwrap_or_else(|| {
            self.reasons.push(text.into());
            self.reasons.len() - 1
        })
    }
}

impl Tally {
    fn count(&mut self, expected: Expected, result: &SearchResult, standing: &Standing) {
        let is_violated = !result.violations.is_empty();
        match expected {
            Expected::Unstated => {}
            Expected::Holds => {
                self.right[0] += 1;
                self.right[1] += usize::from(tone_of(result, standing) == "holds");
                self.right[3] += usize::from(is_violated);
            }
            Expected::Violated => {
                self.wrong[0] += 1;
                self.wrong[1] += usize::from(is_violated);
                self.wrong[2] += usize::from(matches!(standing, Standing::Unfinished(_)));
            }
        }
    }

    /// Returns a line for each expectation that more than one model has.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let part = |number: usize, text: &str| (number > 0).then(|| format!("{number} {text}"));
        let line = |all: usize, what: &str, parts: [Option<String>; 4]| {
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            format!("{} {what}: {}", count(all, "model"), parts.join(", "))
        };
        let [all, hold, proved, violated] = self.right;
        if all > 1 {
            lines.push(line(
                all,
                "expected to hold",
                [
                    part(hold, "hold"),
                    part(proved, "proved for all sizes"),
                    part(all - hold - violated, "unknown"),
                    part(violated, "VIOLATED"),
                ],
            ));
        }
        let [all, violated, unfinished] = self.wrong;
        if all > 1 {
            lines.push(line(
                all,
                "expected to be violated",
                [
                    part(violated, "violated"),
                    part(unfinished, "without a violation yet"),
                    part(all - violated - unfinished, "NOT VIOLATED"),
                    None,
                ],
            ));
        }
        lines
    }
}

/// Returns a row in columns. Cells without a column are dropped; a word that is too long is cut behind
/// punctuation.
fn row_text(widths: &[usize], cells: &[(&str, Style)]) -> String {
    let cells: Vec<(Vec<String>, Style)> =
        widths.iter().zip(cells).map(|(width, (text, style))| (lines_of(text, *width, 0), *style)).collect();
    let mut table = Table::without_heading();
    for at in 0..cells.iter().map(|(lines, _)| lines.len()).max().unwrap_or(0) {
        let line = |lines: &Vec<String>| lines.get(at).cloned().unwrap_or_default();
        table.row(cells.iter().map(|(lines, style)| TableCell::styled(line(lines), *style)));
    }
    table.to_widths(widths)
}

/// A blank at which no line ends.
const NO_BREAK: char = '\u{a0}';
/// The least width at which a number stays with its noun.
const ROOM_FOR_NOUN: usize = 12;

/// Wraps the text of a cell. A number stays with its noun: `2 values`.
fn lines_of(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut glued = String::new();
    for letter in text.chars() {
        let behind_number = letter == ' ' && glued.ends_with(|last: char| last.is_ascii_digit());
        glued.push(if behind_number && width >= ROOM_FOR_NOUN { NO_BREAK } else { letter });
    }
    wrap(&glued, width, indent).into_iter().map(|line| line.replace(NO_BREAK, " ")).collect()
}

/// Returns a row for a terminal that is too narrow for columns: a model, then its verdict and scope.
fn listed_row(width: usize, head: Option<Head>, (verdict, style): (&str, Style), scope: &str) -> String {
    let mut text = String::new();
    let room = width.min(WIDEST).saturating_sub(2);
    if let Some(head) = head {
        let expected = match head.expected {
            Expected::Unstated => String::new(),
            expected => format!("  expected: {}", expected.text()),
        };
        // Words that belong together: they stay in one line, if a line has room for them.
        let expected = match display_width(expected.trim_start()) <= room {
            true => expected.replace(": ", &format!(":{NO_BREAK}")),
            false => expected,
        };
        for line in wrap(&format!("{}{expected}", visible(head.name)), room + 2, 2) {
            text += &format!("{}\n", line.replace(NO_BREAK, " "));
        }
    }
    for (part, style) in [(verdict, style), (scope, DIM)] {
        for line in lines_of(part, room, 2).into_iter().filter(|line| !line.is_empty()) {
            text += &format!("  {style}{line}{style:#}\n");
        }
    }
    text
}

/// Returns a word, with the names of the properties if they are not all properties.
fn named(word: &str, findings: &[&Finding]) -> String {
    if is_all(findings) { word.into() } else { listed(word, findings) }
}

fn is_all(findings: &[&Finding]) -> bool {
    hunt::PROPERTIES.iter().all(|all| findings.iter().any(|finding| finding.property() == *all))
}

fn listed(word: &str, findings: &[&Finding]) -> String {
    let names: Vec<String> = findings.iter().map(|finding| finding.property().to_string()).collect();
    format!("{word}: {}", names.join(", "))
}

/// Returns the row of a proof without its cost.
fn proof_row(scope: &str, verdict: &str, tone: &'static str) -> OverviewRow {
    OverviewRow { verdict: verdict.into(), tone, scope: scope.into(), ..OverviewRow::default() }
}

/// Returns the kind of the verdict of a search.
fn tone_of(result: &SearchResult, standing: &Standing) -> &'static str {
    let is_unknown = |finding: &Finding| matches!(finding.verdict(), Verdict::Unknown(_));
    let is_open = matches!(standing, Standing::Unfinished(_)) || result.findings.iter().any(is_unknown);
    match (result.violations.is_empty(), is_open) {
        (false, _) => "violated",
        (true, true) => "unknown",
        (true, false) => "holds",
    }
}

/// The columns of the table.
struct Columns {
    /// Model, expected, verdict, scope, time, states; columns at the end are dropped. Empty: no room for columns.
    widths: Vec<usize>,
}

impl Columns {
    /// Least widths of verdict and scope together, with and without the columns behind them.
    const WITH_STATES: usize = 56;
    const WITH_TIME: usize = 44;
    const WITH_SCOPE: usize = 30;

    /// Returns the columns for a terminal and for the longest name of a model. Between columns are two blanks.
    fn of(width: usize, longest: usize) -> Columns {
        let width = width.min(WIDEST);
        let model = longest.clamp(5, width * 3 / 8);
        let rest = |columns: &[usize]| {
            let used = columns.iter().sum::<usize>() + 2 * (columns.len() + 1);
            width.saturating_sub(used)
        };
        let shared = |rest: usize| {
            let scope = (rest * 9 / 20).max(SCOPE_LINE.min(rest / 2 + 1));
            [rest - scope, scope]
        };
        let all = rest(&[model, EXPECTED, TIME, STATES]);
        let with_time = rest(&[model, EXPECTED, TIME]);
        let with_scope = rest(&[model, EXPECTED]);
        let widths = if all >= Columns::WITH_STATES {
            let [verdict, scope] = shared(all);
            vec![model, EXPECTED, verdict, scope, TIME, STATES]
        } else if with_time >= Columns::WITH_TIME {
            let [verdict, scope] = shared(with_time);
            vec![model, EXPECTED, verdict, scope, TIME]
        } else if with_scope >= Columns::WITH_SCOPE {
            let [verdict, scope] = shared(with_scope);
            vec![model, EXPECTED, verdict, scope]
        } else {
            Vec::new()
        };
        Columns { widths }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anstream::adapter::strip_str;

    #[test]
    fn a_number_stays_with_its_noun() {
        assert_eq!(lines_of("1 thread, 2 nodes, 2 values", 20, 0), ["1 thread, 2 nodes,", "2 values"]);
        assert_eq!(lines_of("1 thread, 2 nodes", 8, 0), ["1", "thread,", "2 nodes"]);
    }

    #[test]
    fn what_is_expected_is_not_torn_apart() {
        let head = Head { name: "unordered_list_set_no_retry", expected: Expected::Violated };
        assert_eq!(
            strip_str(&listed_row(40, Some(head), ("holds", GOOD), "1 thread")).to_string(),
            "unordered_list_set_no_retry\n  expected: violated\n  holds\n  1 thread\n"
        );
    }

    #[test]
    fn the_table_fits_every_width() {
        let name = "synchronous_dual_queue_patched";
        for width in 40..200 {
            let widths = Columns::of(width, display_width(name)).widths;
            let verdict = "violated: sequentially-consistent in 22 steps, NOT AS EXPECTED";
            let scope = "2 threads, 3 nodes, 2 values, restricted [1]";
            let text = if widths.is_empty() {
                let head = Head { name, expected: Expected::Violated };
                listed_row(width, Some(head), (verdict, ERROR), scope)
            } else {
                row_text(
                    &widths,
                    &[name, "violated", verdict, scope, "12.3 s", "1,234,567"].map(|text| (text, DIM)),
                )
            };
            let text = strip_str(&text).to_string();
            for word in ["patched", "sequentially-", "consistent", "restricted"] {
                assert!(text.contains(word), "cut inside a word at {width}:\n{text}");
            }
            for line in text.lines() {
                assert!(display_width(line) <= width && line.trim_end() == line, "{width}: {line:?}");
            }
        }
    }
}
