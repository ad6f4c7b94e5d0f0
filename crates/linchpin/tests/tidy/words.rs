//! Plain technical English: phrases that a reader stumbles over are absent, and sentences of messages and
//! module headers are short.

use crate::tree::{crates, read, rust_files};
use std::path::PathBuf;

/// Most words of a sentence in a message or a module header.
const LONGEST_SENTENCE: usize = 25;

/// Phrases of the list in `CONTRIBUTING.md`. Spelt in two parts, since this file is searched too.
const PHRASES: [&str; 14] = [
    concat!("is ", "told"),
    concat!("are ", "told"),
    concat!("was ", "told"),
    concat!("he", "ars "),
    concat!("speaks ", "of"),
    concat!("speak ", "of"),
    concat!("gone on ", "from"),
    concat!("what comes ", "of"),
    concat!("no", "body"),
    concat!("some", "body"),
    concat!("who", "ever"),
    concat!("wants to ", "know"),
    concat!("of which it ", "is"),
    concat!("lets any", "body"),
];

#[test]
fn texts_are_free_of_stumbling_phrases() {
    let mut problems = Vec::new();
    for file in texts() {
        for (number, line) in read(&file).lines().enumerate() {
            let lower = line.to_lowercase();
            let prose =
                if file.extension().is_some_and(|e| e == "rs") { prose_of(&lower) } else { lower.clone() };
            for phrase in PHRASES {
                if prose.contains(phrase) {
                    problems.push(format!("{}:{}: `{phrase}`", file.display(), number + 1));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{} places:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn sentences_of_headers_and_messages_are_short() {
    let mut problems = Vec::new();
    for file in rust_files(&crates()) {
        let text = read(&file);
        let mut check = |what: &str, prose: &str| {
            for sentence in sentences(prose) {
                let words =
                    sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
                if words > LONGEST_SENTENCE {
                    problems.push(format!("{}: {what} of {words} words: {sentence}", file.display()));
                }
            }
        };
        check("a header", &header_of(&text));
        let is_test = file.file_name().is_some_and(|name| name == "tests.rs");
        if !is_test && file.components().any(|part| part.as_os_str() == "src") {
            let code = text.split("#[cfg(test)]").next().unwrap_or("");
            literals(code).iter().for_each(|literal| check("a message", &without_tables(literal)));
        }
    }
    assert!(problems.is_empty(), "{} places:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn long_sentences_and_literals_are_found() {
    assert_eq!(sentences("One. Two (2.1) of them; three?").len(), 3);
    assert_eq!(literals("let x = \"a \\\"b\\\" \\\n   c\"; // \"no\"\nlet y = 'c';"), ["a \"b\" c"]);
    assert_eq!(
        header_of("//! First\n//! line.\n//!\n//! | a | b |\n//! ```\n//! code\n//! ```\n\nfn f() {}"),
        "First line.\n\n"
    );
}

fn texts() -> Vec<PathBuf> {
    let root = crates().join("..");
    let mut files = rust_files(&crates());
    for folder in [root.clone(), root.join("docs"), root.join("tests/language")] {
        let entries = std::fs::read_dir(folder).expect("a folder can be listed").flatten();
        files.extend(
            entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "md")),
        );
    }
    files
}

/// The comment and the string literals of a line.
fn prose_of(line: &str) -> String {
    let comment = line.split_once("//").map_or("", |(_, comment)| comment);
    let strings: String = line.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" ");
    format!("{comment} {strings}")
}

/// The prose of a module header: code blocks and tables are left out, blank lines end a sentence.
fn header_of(text: &str) -> String {
    let mut prose = String::new();
    let mut is_code = false;
    for line in text.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.trim();
        if line.starts_with("```") {
            is_code = !is_code;
        } else if line.is_empty() {
            prose.push_str("\n\n");
        } else if !is_code && !line.starts_with('|') {
            let starts_item = line.starts_with("- ") || line.starts_with("* ") || line.starts_with('#');
            prose.push_str(if starts_item { "\n\n" } else { "" });
            if !prose.is_empty() && !prose.ends_with('\n') {
                prose.push(' ');
            }
            prose.push_str(line);
        }
    }
    prose
}

/// A text without the rows of its tables.
fn without_tables(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with('|')).flat_map(|line| [line, "\n"]).collect()
}

/// Sentences end at `.`, `?`, `!`, `:` or `;` before white space, and at blank lines.
fn sentences(prose: &str) -> Vec<String> {
    let mut found = Vec::new();
    for paragraph in prose.split("\n\n") {
        let mut sentence = String::new();
        let mut chars = paragraph.chars().peekable();
        while let Some(c) = chars.next() {
            sentence.push(c);
            if matches!(c, '.' | '?' | '!' | ':' | ';')
                && chars.peek().is_none_or(|next| next.is_whitespace())
            {
                found.push(std::mem::take(&mut sentence));
            }
        }
        found.push(sentence);
    }
    found.retain(|sentence| !sentence.trim().is_empty());
    found
}

/// String literals with white space in them, as they read.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => while chars.next().is_some_and(|c| c != '\n') {},
            '\'' => {
                // A character; a lifetime has no closing quote so near.
                let ahead: String = chars.clone().take(3).collect();
                let length = if ahead.starts_with('\\') {
                    3
                } else if ahead.chars().nth(1) == Some('\'') {
                    2
                } else {
                    0
                };
                for _ in 0..length {
                    chars.next();
                }
            }
            '"' => {
                let mut literal = String::new();
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => match chars.next() {
                            Some('n') => literal.push_str("\n\n"),
                            Some('\n') => while chars.next_if(|c| c.is_whitespace()).is_some() {},
                            Some(escaped) => literal.push(escaped),
                            None => {}
                        },
                        c => literal.push(c),
                    }
                }
                found.push(literal);
            }
            _ => {}
        }
    }
    found.retain(|literal| literal.contains(' '));
    found
}
