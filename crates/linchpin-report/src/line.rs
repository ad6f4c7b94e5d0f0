//! Lines of styled text: their width is that of the text, the escapes come last.

use super::width::width;
use anstyle::{AnsiColor, Style};
use std::fmt::{self, Display};

/// Says what is less important than the rest.
pub const DIM: Style = Style::new().dimmed();
pub const BOLD: Style = Style::new().bold();
pub const ERROR: Style = AnsiColor::BrightRed.on_default().bold();

/// A thread's colour; the same one wherever it is named.
pub fn thread_style(thread: usize) -> Style {
    const COLORS: [AnsiColor; 6] = [
        AnsiColor::Cyan,
        AnsiColor::Magenta,
        AnsiColor::Yellow,
        AnsiColor::Green,
        AnsiColor::Blue,
        AnsiColor::Red,
    ];
    COLORS[thread % COLORS.len()].on_default()
}

/// A thread's short name; threads are numbered from 0, as in the language.
pub fn thread_name(thread: usize) -> String {
    format!("t{thread}")
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    spans: Vec<(String, Style)>,
    width: usize,
}

impl Line {
    pub fn new() -> Line {
        Line::default()
    }

    pub fn plain(text: impl Into<String>) -> Line {
        let mut line = Line::new();
        line.push(text, Style::new());
        line
    }

    pub fn push(&mut self, text: impl Into<String>, style: Style) {
        let text = text.into();
        self.width += width(&text);
        self.spans.push((text, style));
    }

    pub fn append(&mut self, other: &Line) {
        self.spans.extend(other.spans.iter().cloned());
        self.width += other.width;
    }

    /// Spaces up to a column; none if it is that wide already.
    pub fn pad_to(&mut self, column: usize) {
        if column > self.width {
            self.push(" ".repeat(column - self.width), Style::new());
        }
    }

    pub fn width(&self) -> usize {
        self.width
    }
}

impl Display for Line {
    /// Spaces at the end are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blank = |(text, _): &&(String, Style)| text.trim_end_matches(' ').is_empty();
        let last = self.spans.len() - self.spans.iter().rev().take_while(blank).count();
        for (position, (text, style)) in self.spans[..last].iter().enumerate() {
            let text = if position + 1 == last { text.trim_end_matches(' ') } else { text };
            write!(f, "{style}{text}{style:#}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_counts_columns_and_is_not_shown_at_the_end() {
        let mut line = Line::plain("→ A");
        line.pad_to(6);
        line.push("b", BOLD);
        line.pad_to(20);
        assert_eq!(line.width(), 20);
        assert_eq!(anstream::adapter::strip_str(&line.to_string()).to_string(), "→ A   b");
    }
}
