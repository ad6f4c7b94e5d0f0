//! Tables without a frame: a dimmed heading, aligned columns, no blanks at line ends.
//!
//! `comfy-table` lays out plain text. Styles must not count as width, so a styled word travels through the
//! layout between two zero-width characters. Afterwards these characters become escape codes.

use crate::line::{Line, wrap};
use anstyle::Style;
use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Width};
use std::fmt::{self, Display};
use textwrap::core::display_width;

/// A table that grows row by row.
pub struct Table {
    heading: Vec<TableCell>,
    rows: Vec<Vec<TableCell>>,
}

/// Text with one style.
#[derive(Clone, Debug)]
pub struct TableCell {
    text: String,
    style: Style,
}

impl TableCell {
    pub fn plain(text: impl Into<String>) -> TableCell {
        TableCell::styled(text, Style::new())
    }

    pub fn styled(text: impl Into<String>, style: Style) -> TableCell {
        TableCell { text: text.into(), style }
    }
}

/// Blanks between two columns.
const GAP: u16 = 2;

impl Table {
    /// Makes a table with a heading.
    pub fn new<const N: usize>(heading: [&str; N]) -> Table {
        const HEADING: Style = Style::new().dimmed();
        Table {
            heading: heading.iter().map(|text| TableCell::styled(*text, HEADING)).collect(),
            rows: Vec::new(),
        }
    }

    /// Makes a table without a heading.
    pub fn without_heading() -> Table {
        Table { heading: Vec::new(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = TableCell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Returns the text with lines of at most `width` columns. Long cells are wrapped at blanks. Where columns
    /// would cut a word, each row becomes a list of its cells.
    pub fn to_width(&self, width: usize) -> String {
        let words = self.without_empty_columns().longest_words();
        let gaps = usize::from(GAP) * words.len().saturating_sub(1);
        if words.iter().sum::<usize>() + gaps > width {
            return self.lines().map(|cells| listed(cells, width)).collect();
        }
        self.without_empty_columns().lay_out(|table| {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(columns(width));
            let least = |(at, word): (usize, &usize)| {
                // The gap behind a column is part of its width.
                let gap = if at + 1 < words.len() { GAP } else { 0 };
                ColumnConstraint::LowerBoundary(Width::Fixed(columns(*word) + gap))
            };
            table.set_constraints(words.iter().enumerate().map(least));
        })
    }

    /// Returns the text with columns of these widths. Tables with equal widths can be printed one after the
    /// other.
    pub fn to_widths(&self, widths: &[usize]) -> String {
        self.lay_out(|table| {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            let fixed = |(at, width): (usize, &usize)| {
                let gap = if at + 1 < widths.len() { GAP } else { 0 };
                ColumnConstraint::Absolute(Width::Fixed(columns(*width) + gap))
            };
            table.set_constraints(widths.iter().enumerate().map(fixed));
        })
    }

    /// Returns the table without columns whose cells are all empty.
    fn without_empty_columns(&self) -> Table {
        let words = self.longest_words();
        let kept = |cells: &Vec<TableCell>| -> Vec<TableCell> {
            let cells = cells.iter().zip(&words).filter(|(_, longest)| **longest > 0);
            cells.map(|(cell, _)| cell.clone()).collect()
        };
        Table { heading: kept(&self.heading), rows: self.rows.iter().map(kept).collect() }
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<TableCell>> {
        std::iter::once(&self.heading).filter(|heading| !heading.is_empty()).chain(&self.rows)
    }

    /// Returns the width of the longest word of each column.
    fn longest_words(&self) -> Vec<usize> {
        let columns = self.lines().map(Vec::len).max().unwrap_or(0);
        let mut longest = vec![0; columns];
        for cells in self.lines() {
            for (cell, longest) in cells.iter().zip(&mut longest) {
                let words = cell.text.split(' ').map(display_width);
                *longest = (*longest).max(words.max().unwrap_or(0));
            }
        }
        longest
    }

    fn lay_out(&self, arrange: impl FnOnce(&mut comfy_table::Table)) -> String {
        let mut styles = Styles::default();
        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING);
        if !self.heading.is_empty() {
            table.set_header(self.heading.iter().map(|cell| styles.mark(cell)).collect::<Vec<_>>());
        }
        for cells in &self.rows {
            table.add_row(cells.iter().map(|cell| styles.mark(cell)).collect::<Vec<_>>());
        }
        table.discover_columns();
        arrange(&mut table);
        let last = table.column_count().saturating_sub(1);
        for (at, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, if at == last { 0 } else { GAP }));
        }
        table.trim_fmt().lines().map(|line| styles.escape(line) + "\n").collect()
    }
}

/// Formats the table with columns as wide as their contents. Each line ends with a newline.
impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.without_empty_columns().lay_out(|table| {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }))
    }
}

/// Returns the cells one after the other. A cell without room begins a new line, indented.
fn listed(cells: &[TableCell], width: usize) -> String {
    const INDENT: usize = 2;
    let mut lines: Vec<Line> = Vec::new();
    for cell in cells.iter().filter(|cell| !cell.text.is_empty()) {
        let gap = usize::from(GAP);
        match lines.last_mut() {
            Some(line) if line.width() + gap + display_width(&cell.text) <= width => {
                line.pad_to(line.width() + gap);
                line.push(cell.text.as_str(), cell.style);
            }
            _ => {
                let indent = if lines.is_empty() { 0 } else { INDENT };
                for part in wrap(&cell.text, width.saturating_sub(indent), 0) {
                    let mut line = Line::new();
                    line.pad_to(indent);
                    line.push(part, cell.style);
                    lines.push(line);
                }
            }
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn columns(width: usize) -> u16 {
    u16::try_from(width).unwrap_or(u16::MAX)
}

/// Zero-width characters that stand for the beginning of a styled word, one for each style of a table.
const BEGINNINGS: [char; 5] = ['\u{200b}', '\u{2060}', '\u{2061}', '\u{2062}', '\u{2063}'];
/// The end of a styled word.
const END: char = '\u{2064}';

/// The styles of one table.
#[derive(Default)]
struct Styles(Vec<Style>);

impl Styles {
    /// Returns the text of a cell with each word marked. A style beyond the fifth is dropped.
    fn mark(&mut self, cell: &TableCell) -> String {
        let text: String = cell.text.chars().filter(|c| *c != END && !BEGINNINGS.contains(c)).collect();
        if cell.style.is_plain() {
            return text;
        }
        let at = self.0.iter().position(|style| *style == cell.style).unwrap_or_else(|| {
            self.0.push(cell.style);
            self.0.len() - 1
        });
        let Some(beginning) = BEGINNINGS.get(at) else { return text };
        let word =
            |word: &str| if word.is_empty() { String::new() } else { format!("{beginning}{word}{END}") };
        text.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }

    /// Replaces marks by escape codes. A word that the layout broke keeps its style up to the end of the
    /// line.
    fn escape(&self, line: &str) -> String {
        let mut out = String::new();
        let mut open: Option<Style> = None;
        for c in line.chars() {
            let begun = BEGINNINGS.iter().position(|known| *known == c);
            if let Some(style) = begun.and_then(|at| self.0.get(at)) {
                out += &style.render().to_string();
                open = Some(*style);
            } else if c == END {
                out += &open.take().map_or(String::new(), |style| style.render_reset().to_string());
            } else {
                out.push(c);
            }
        }
        out + &open.map_or(String::new(), |style| style.render_reset().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::BOLD;

    fn table() -> Table {
        let mut table = Table::without_heading();
        table.row(["name", "what it is", "states"].map(TableCell::plain));
        table.row(["a", "a long text of words", "1"].map(TableCell::plain));
        table.row([TableCell::plain("bcd"), TableCell::plain("→ short"), TableCell::plain("")]);
        table
    }

    #[test]
    fn columns_are_aligned_and_lines_have_no_blanks_at_the_end() {
        assert_eq!(
            table().to_string(),
            "name  what it is            states\na     a long text of words  1\nbcd   → short\n"
        );
    }

    #[test]
    fn a_table_fits_its_width_and_breaks_at_blanks() {
        assert_eq!(
            table().to_width(24),
            "name  what it is  states\na     a long      1\n      text of\n      words\nbcd   → short\n"
        );
        assert_eq!(
            table().to_width(16),
            "name  what it is\n  states\na\n  a long text of\n  words  1\nbcd  → short\n"
        );
        assert!(table().to_width(12).lines().all(|line| display_width(line) <= 12));
        assert_eq!(table().to_widths(&[4, 6, 6]).lines().count(), 8);
    }
    #[test]
    fn styles_have_no_width() {
        let mut table = Table::new(["name", "verdict"]);
        table.row([TableCell::styled("a name", BOLD), TableCell::plain("holds")]);
        let dim = Style::new().dimmed();
        assert_eq!(
            table.to_string(),
            format!("{dim}name{dim:#}    {dim}verdict{dim:#}\n{BOLD}a{BOLD:#} {BOLD}name{BOLD:#}  holds\n")
        );
    }
}
