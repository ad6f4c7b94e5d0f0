//! Breaks lines that are wider than a terminal, at blanks.
//!
//! Most texts are made for the width of the terminal. This module is for the others: headings with a path,
//! notes, messages. Lines with source text keep their columns, since marks below point at them.

use anstream::adapter::strip_str;
use linchpin_report::line::{display_width, hanging};

/// Returns the text with lines of at most `width` columns, as far as blanks allow.
pub fn fitted(text: &str, width: usize) -> String {
    text.split_inclusive('\n').map(|line| fitted_line(line, width)).collect()
}

fn fitted_line(line: &str, width: usize) -> String {
    let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
    if display_width(body) <= width {
        return line.into();
    }
    let plain = strip_str(body).to_string();
    if is_source(&plain) {
        return line.into();
    }
    textwrap::wrap(body, hanging(width, indent_of(&plain).min(width / 2))).join("\n") + end
}

/// A line of a diagnostic with source text, marks or a place: `12 | text`, `   | ^^^^`, ` --> file:1:2`.
fn is_source(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    ["|", "-->", ":::"].iter().any(|mark| text.starts_with(mark))
}

/// Returns the column of the lines that follow: behind `help: `, or two columns further right.
fn indent_of(line: &str) -> usize {
    const TITLES: [&str; 5] = ["error: ", "warning: ", "note: ", "help: ", "unknown: "];
    let blanks = line.chars().take_while(|c| matches!(c, ' ' | '=')).count();
    let text = line.trim_start_matches([' ', '=']);
    blanks + TITLES.iter().find(|title| text.starts_with(**title)).map_or(2, |title| title.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_blanks_and_source_text_stays() {
        let text =
            "short\n  = help: write one JSON object on each line\n12 |     let next = top.next; // source\n";
        assert_eq!(
            fitted(text, 30),
            "short\n  = help: write one JSON\n          object on each line\n\
             12 |     let next = top.next; // source\n"
        );
        assert_eq!(fitted("a heading of a model and its scope", 20), "a heading of a model\n  and its scope");
        assert_eq!(fitted(text, 80), text);
    }

    #[test]
    fn escape_codes_have_no_width() {
        let styled = "\u{1b}[1mname\u{1b}[0m: twelve columns";
        assert_eq!(fitted(styled, 20), styled);
        assert_eq!(strip_str(&fitted(styled, 14)).to_string(), "name: twelve\n  columns");
    }
}
