//! Lines of styled text, styles, and options for wrapping. Escape codes do not count as width.

use anstyle::{AnsiColor, Style};
use std::fmt::{self, Display};
use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter};

/// Returns the number of terminal columns of a text; escape codes do not count.
pub use textwrap::core::display_width;

/// Whether a text has colours. A text without colours has no escape codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Palette {
    Colours,
    Plain,
}

impl Palette {
    /// Returns `style`, or no style.
    pub fn style(self, style: Style) -> Style {
        match self {
            Palette::Colours => style,
            Palette::Plain => Style::new(),
        }
    }

    /// Returns the text of a line.
    pub fn line(self, line: &Line) -> String {
        match self {
            Palette::Colours => line.to_string(),
            Palette::Plain => line.text(),
        }
    }
}

/// The style of less important text.
pub const DIM: Style = Style::new().dimmed();
pub const BOLD: Style = Style::new().bold();
pub const ERROR: Style = AnsiColor::BrightRed.on_default().bold();

/// Returns the colour of a thread, the same in all drawings.
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

/// Returns the short name of a thread. Numbers start from 0, as in the language.
pub fn thread_name(thread: usize) -> String {
    format!("t{thread}")
}

/// Returns options that wrap text at blanks to lines of at most `limit` columns. Lines after the first are
/// indented by `indent` columns. If the indentation takes half of the line or more, there is none.
pub fn hanging(limit: usize, indent: usize) -> Options<'static> {
    const BLANKS: &str = "                                ";
    let indent = if indent * 2 < limit { &BLANKS[..indent.min(BLANKS.len())] } else { "" };
    Options::new(limit.max(1))
        .subsequent_indent(indent)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
}

/// Wraps text at blanks to lines of at most `limit` columns, as [`hanging`] does. A word that is longer than
/// a line is cut behind punctuation where possible: `pool[priority].` `put(item);`.
pub fn wrap(text: &str, limit: usize, indent: usize) -> Vec<String> {
    let options = hanging(limit, indent).word_separator(WordSeparator::Custom(words_of));
    let room = limit.saturating_sub(options.subsequent_indent.len()).max(1);
    let marked: Vec<String> = text.split(' ').map(|word| with_places(word, room)).collect();
    let text = marked.join(" ");
    let lines = textwrap::wrap(&text, options);
    lines.into_iter().map(|line| line.replace(PLACE, "")).collect()
}

/// A place inside a word where a line may end: a character without width.
const PLACE: char = '\u{200b}';

/// Marks the places behind punctuation in a word that does not fit.
fn with_places(word: &str, room: usize) -> String {
    if display_width(word) <= room {
        return word.to_string();
    }
    let mut out = String::new();
    for letter in word.chars() {
        out.push(letter);
        if "([{,;:./=-_".contains(letter) {
            out.push(PLACE);
        }
    }
    out
}

/// Splits at blanks and at places.
fn words_of(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let mut rest = line;
    Box::new(std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.find([' ', PLACE]).unwrap_or(rest.len());
        let blanks = rest[end..].len() - rest[end..].trim_start_matches([' ', PLACE]).len();
        let (word, others) = rest.split_at(end + blanks);
        rest = others;
        Some(Word::from(word))
    }))
}

/// A line of styled text.
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
        self.width += display_width(&text);
        self.spans.push((text, style));
    }

    pub fn append(&mut self, other: &Line) {
        self.spans.extend(other.spans.iter().cloned());
        self.width += other.width;
    }

    /// Adds blanks up to a column. A wider line stays as it is.
    pub fn pad_to(&mut self, column: usize) {
        if column > self.width {
            self.push(" ".repeat(column - self.width), Style::new());
        }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the text without styles and without blanks at the end.
    pub fn text(&self) -> String {
        let text: String = self.spans.iter().map(|(text, _)| text.as_str()).collect();
        text.trim_end_matches(' ').to_string()
    }
}

impl Display for Line {
    /// Omits blanks at the end.
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
    fn text_breaks_at_blanks_then_inside_words_and_loses_nothing() {
        let wrap = |text, limit, indent| textwrap::wrap(text, hanging(limit, indent));
        assert_eq!(wrap("let top = head;", 40, 2), ["let top = head;"]);
        assert_eq!(
            wrap("if cas(head, top, next) { return v; }", 16, 2),
            ["if cas(head,", "  top, next) {", "  return v; }"]
        );
        assert_eq!(wrap("abcdefgh", 3, 0), ["abc", "def", "gh"]);
        assert_eq!(wrap("漢字漢字", 5, 0), ["漢字", "漢字"]);
        assert_eq!(wrap("漢", 1, 0), ["漢"]);
        assert_eq!(wrap("", 5, 2), [""]);
    }

    #[test]
    fn padding_counts_columns_and_is_not_shown_at_the_end() {
        let mut line = Line::plain("→ A");
        line.pad_to(6);
        line.push("b", BOLD);
        line.pad_to(20);
        assert_eq!(line.width(), 20);
        assert_eq!(line.text(), "→ A   b");
        assert_eq!(Palette::Plain.line(&line), "→ A   b");
        assert_eq!(Palette::Colours.line(&line), format!("→ A   {BOLD}b{BOLD:#}"));
    }
}
