//! Makes text from outside visible: control characters, and characters that change the order or the width of
//! a line, become escapes such as `\u{202e}`.
//!
//! Names of files, lines of models and recorded values come from outside. Unescaped, they could move the
//! cursor of a terminal, or show one program and mean another.

/// Returns the text with escapes for invisible characters. A tab becomes four blanks.
pub fn visible(text: &str) -> String {
    if !text.chars().any(is_hidden) {
        return text.to_string();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\t' => out.push_str("    "),
            hidden if is_hidden(hidden) => out.extend(hidden.escape_unicode()),
            shown => out.push(shown),
        }
    }
    out
}

/// Returns [`visible`] of each line. Line breaks stay.
pub fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// Returns whether a character is a control character, changes the direction of text, or has no width.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_become_escapes_and_others_stay() {
        assert_eq!(visible("push(1) → 2 \"é\" 漢 🎉"), "push(1) → 2 \"é\" 漢 🎉");
        assert_eq!(visible("a\tb"), "a    b");
        assert_eq!(visible("\u{1b}[31mred"), "\\u{1b}[31mred");
        assert_eq!(
            visible("a\u{202e}b\u{2066}\u{200f}\u{0}\r\n"),
            "a\\u{202e}b\\u{2066}\\u{200f}\\u{0}\\u{d}\\u{a}"
        );
        assert_eq!(visible_lines("a\nb\u{85}"), "a\nb\\u{85}");
    }

    #[test]
    fn nothing_hidden_is_left() {
        let all: String = ('\u{0}'..=char::MAX).collect();
        assert!(visible(&all).chars().all(|shown| !is_hidden(shown)));
    }
}
