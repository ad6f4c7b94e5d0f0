//! How wide text is on a terminal, and breaking it into lines.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a text without escapes takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text in lines of at most `limit` columns, broken at spaces where there are any, inside words otherwise.
/// Lines after the first are indented by `indent` spaces.
pub fn wrap(text: &str, limit: usize, indent: usize) -> Vec<String> {
    let limit = limit.max(1);
    let indent = if indent * 2 < limit { indent } else { 0 };
    let mut lines = vec![String::new()];
    let mut used = 0;
    let mut line_is_empty = true;
    for word in text.split(' ') {
        let mut word = word;
        let gap = usize::from(!line_is_empty);
        if !line_is_empty && used + gap + width(word) > limit {
            lines.push(" ".repeat(indent));
            used = indent;
        } else if gap == 1 {
            push(&mut lines, " ");
            used += 1;
        }
        while used + width(word) > limit {
            let (head, tail) = split_at_width(word, limit.saturating_sub(used));
            push(&mut lines, head);
            if tail.is_empty() {
                word = tail;
                break;
            }
            lines.push(" ".repeat(indent));
            used = indent;
            word = tail;
        }
        push(&mut lines, word);
        used += width(word);
        line_is_empty = false;
    }
    lines
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}

/// The longest beginning of at most `limit` columns, but at least one character.
fn split_at_width(text: &str, limit: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > limit && at > 0 {
            return text.split_at(at);
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_at_spaces_then_inside_words_and_loses_nothing() {
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
}
