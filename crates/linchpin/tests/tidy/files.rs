//! Every file says what it is for, is not too long, and leaves nothing open.

use crate::tree::{crates, read, rust_files};

const LONGEST_FILE: usize = 700;

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
    for open in OPEN {
        if text.contains(open) {
            problems.push(format!("`{open}` leaves something open"));
        }
    }
    problems
}
