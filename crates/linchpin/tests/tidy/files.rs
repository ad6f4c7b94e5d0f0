//! Every file says what it is for, is not too long, and leaves nothing open.

use crate::tree::{crates, read, rust_files};

const LONGEST_FILE: usize = 700;

/// Comments are wrapped at this column.
const WIDEST_COMMENT: usize = 110;

#[test]
fn files_say_what_they_are_for_are_short_and_leave_nothing_open() {
    let files = rust_files(&crates());
    assert!(files.len() > 40, "the walk finds the code");
    let problems: Vec<String> = files
        .iter()
        .flat_map(|file| {
            untidy(&read(file)).into_iter().map(move |problem| format!("{}: {problem}", file.display()))
        })
        .collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn each_kind_of_untidiness_is_found() {
    assert!(untidy("//! Says why.\nfn f() {}\n").is_empty());
    assert_eq!(untidy("fn f() {}\n").len(), 1);
    assert_eq!(untidy(&format!("//! Long.\n{}", "\n".repeat(LONGEST_FILE))).len(), 1);
    assert_eq!(untidy(&format!("//! {}\n", "wide ".repeat(30))).len(), 1);
    assert!(untidy(&format!("//! f(x)  =  {}\n", "g ".repeat(60))).is_empty(), "a formula");
    for open in OPEN {
        assert_eq!(untidy(&format!("//! Open.\n{open}\n")).len(), 1, "{open}");
    }
}

/// Spelt in two parts, since this file is searched too.
const OPEN: [&str; 4] = [
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("#[", "ignore"),
    concat!("allow(", "dead_code"),
];

fn untidy(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if !text.starts_with("//!") {
        problems.push("no `//!` header that says what it is for".to_string());
    }
    let lines = text.lines().count();
    if lines > LONGEST_FILE {
        problems.push(format!("{lines} lines; split it by ideas (at most {LONGEST_FILE})"));
    }
    for comment in text.lines().filter(|line| is_wide_comment(line)) {
        problems.push(format!("a comment of over {WIDEST_COMMENT} columns: {}", comment.trim()));
    }
    for open in OPEN {
        if text.contains(open) {
            problems.push(format!("`{open}` leaves something open"));
        }
    }
    problems
}

/// Tables, code and formulas with columns of their own may be wider.
fn is_wide_comment(line: &str) -> bool {
    let text = line.trim();
    let is_laid_out =
        text.contains('|') || text.contains("  ") || text.contains("; // ") || text.contains(" → ");
    text.starts_with("//") && line.trim_end().chars().count() > WIDEST_COMMENT && !is_laid_out
}
