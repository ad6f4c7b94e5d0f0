//! The text of a model with line numbers. Keywords and comments are set apart.

use linchpin_report::view::source::SourceText;
use maud::{Markup, html};

/// Words of the language that begin a declaration or a statement, or name a primitive.
const KEYWORDS: [&str; 41] = [
    "assert", "assume", "atomic", "break", "cas", "check", "choose", "const", "continue", "else", "ensures",
    "enum", "false", "fn", "for", "free", "if", "impl", "in", "init", "let", "lin", "lock", "loop", "match",
    "memory", "new", "none", "null", "object", "op", "return", "shared", "spec", "struct", "thread", "true",
    "unlock", "use", "when", "while",
];

/// Returns the listing of a file. Each line has an anchor.
pub fn listing(id: &str, source: &SourceText) -> Markup {
    html! {
        details.source open {
            summary { (source.name) }
            ol {
                @for (at, line) in source.lines.iter().enumerate() {
                    li id=(format!("{id}-L{}", at + 1)) { span.marks {} code { (coloured(line)) } }
                }
            }
        }
    }
}

fn coloured(line: &str) -> Markup {
    let (code, comment) = line.find("//").map_or((line, ""), |at| line.split_at(at));
    html! {
        @for word in words(code) {
            @if KEYWORDS.contains(&word) { b { (word) } } @else { (word) }
        }
        @if !comment.is_empty() { i { (comment) } }
    }
}

/// Splits a text where a word begins or ends.
fn words(text: &str) -> Vec<&str> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut parts = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, character) in text.char_indices() {
        if last.is_some_and(|last| last != is_word(character)) {
            parts.push(&text[start..at]);
            start = at;
        }
        last = Some(is_word(character));
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_comments_are_set_apart_and_nothing_is_lost() {
        assert_eq!(words("let n=new A;"), ["let", " ", "n", "=", "new", " ", "A", ";"]);
        assert_eq!(words(""), [""]);
        let shown = coloured("if a < b { } // <b>é</b>").into_string();
        assert_eq!(shown, "<b>if</b> a &lt; b { } <i>// &lt;b&gt;é&lt;/b&gt;</i>");
    }
}
