//! What the code's shape promises: the arrows between rooms never turn back, every file says what it is for, none is
//! too long, nothing is left open.
//!
//! A *room* is a module at the top of a crate. [`ARROWS`] says which rooms each may use; a new room needs a line there.

use std::fs;
use std::path::{Path, PathBuf};

const LONGEST_FILE: usize = 700;

/// Room, and the rooms of its crate that it may use. Part of a room is named with its path: `syntax::ast`.
type Arrows = &'static [(&'static str, &'static [&'static str])];

/// By crate.
const ARROWS: &[(&str, Arrows)] = &[
    (
        "linchpin-core",
        &[
            ("source", &[]),
            ("index", &[]),
            ("stop", &[]),
            ("diagnostic", &["source"]),
            ("syntax", &["source", "diagnostic"]),
            ("interface", &["source", "index", "syntax::ast"]),
            ("types", &["source", "index"]),
            ("typing", &["source", "index", "diagnostic", "syntax", "interface", "types"]),
            ("ir", &["source", "index", "interface", "types", "syntax::ast"]),
            (
                "lower",
                &["source", "index", "diagnostic", "interface", "types", "typing", "ir", "syntax::ast"],
            ),
            ("semantics", &["source", "index", "diagnostic", "interface", "types", "ir", "syntax::ast"]),
            (
                "history",
                &[
                    "source",
                    "index",
                    "stop",
                    "diagnostic",
                    "interface",
                    "types",
                    "ir",
                    "semantics",
                    "syntax::ast",
                ],
            ),
            (
                "verdict",
                &["source", "index", "diagnostic", "interface", "types", "ir", "semantics", "history"],
            ),
            (
                "replay",
                &[
                    "source",
                    "index",
                    "diagnostic",
                    "interface",
                    "types",
                    "ir",
                    "semantics",
                    "history",
                    "verdict",
                ],
            ),
            (
                "gate",
                &[
                    "source",
                    "index",
                    "interface",
                    "types",
                    "ir",
                    "semantics",
                    "verdict",
                    "certify::certificate",
                    "certify::link",
                ],
            ),
            (
                "certify",
                &[
                    "gate",
                    "source",
                    "index",
                    "diagnostic",
                    "interface",
                    "types",
                    "ir",
                    "semantics",
                    "history",
                    "verdict",
                ],
            ),
        ],
    ),
    (
        "linchpin",
        &[
            ("nearest", &[]),
            ("catalogue", &["nearest"]),
            ("report", &[]),
            ("walk", &[]),
            ("engine", &[]),
            ("explore", &["engine"]),
            ("embedded", &["catalogue", "explore"]),
            ("hunt", &["engine", "explore"]),
            ("minimise", &["engine", "explore"]),
            ("history", &["nearest", "report"]),
            ("prove", &["engine"]),
            ("portfolio", &["engine", "explore", "hunt", "prove"]),
            // The binary: it uses the library by its name, and `crate::` for itself.
            ("input", &["cli"]),
            ("cli", &["input"]),
        ],
    ),
];

#[test]
fn arrows_between_rooms_do_not_turn_back() {
    let mut problems = Vec::new();
    for (name, arrows) in ARROWS {
        let source = crates().join(name).join("src");
        for file in rust_files(&source) {
            let Some(room) = room_of(&source, &file) else { continue };
            for problem in misdirected(arrows, &room, &read(&file)) {
                problems.push(format!("{}: {problem}", file.display()));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

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
fn a_backward_arrow_is_found_in_every_spelling() {
    let arrows: Arrows = &[("low", &[]), ("high", &["low", "mid::part"]), ("mid", &[])];
    let found = |room: &str, text: &str| misdirected(arrows, room, text).len();
    assert_eq!(found("high", "use crate::low::Thing;\nuse crate::high::other;\nuse crate::mid::part::X;"), 0);
    assert_eq!(found("low", "use crate::high::Thing;"), 1);
    assert_eq!(found("low", "pub(crate) use crate::{\n    low::A,\n    high::{B, low},\n};"), 1);
    assert_eq!(found("low", "fn f(x: crate::high::Thing) -> crate::mid::Thing {}"), 2);
    assert_eq!(found("high", "use crate::mid::Whole;"), 1);
    assert_eq!(found("low", "// crate::high is not used\n//! [`crate::high`]"), 0);
    assert_eq!(found("low", "fn f() {}\n#[cfg(test)]\nmod tests { use crate::high::Thing; }"), 0);
    assert_eq!(found("unknown", "use crate::low::Thing;"), 1);
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

/// Which uses of other rooms in a file of this room are not allowed. What only tests use does not count.
fn misdirected(arrows: Arrows, room: &str, text: &str) -> Vec<String> {
    let Some((_, allowed)) = arrows.iter().find(|(name, _)| *name == room) else {
        return vec![format!("`{room}` is no room of the table of arrows: say there what it may use")];
    };
    let code: String = text
        .split("#[cfg(test)]")
        .next()
        .unwrap_or("")
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    paths_from_root(&code)
        .into_iter()
        .filter(|path| {
            let used = path.split("::").next().unwrap_or("");
            let is_room = arrows.iter().any(|(name, _)| *name == used);
            let within = |part: &&str| path == *part || path.starts_with(&format!("{part}::"));
            is_room && used != room && !allowed.iter().any(within)
        })
        .map(|path| format!("`{room}` may not use `{path}`"))
        .collect()
}

/// Every path after `crate::`, groups in braces taken apart.
fn paths_from_root(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, prefix) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        if let Some(group) = rest.strip_prefix('{') {
            paths.extend(group_members(group).iter().map(|member| leading_path(member.trim())));
        } else {
            paths.push(leading_path(rest));
        }
    }
    paths
}

/// The members of a brace group, up to its closing brace.
fn group_members(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut members = vec![String::new()];
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(String::new());
                continue;
            }
            _ => {}
        }
        members.last_mut().expect("never empty").push(c);
    }
    members
}

fn leading_path(text: &str) -> String {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    text[..end].trim_end_matches(':').to_string()
}

/// The first part of a file's path below `src`; none for the top of the crate.
fn room_of(source: &Path, file: &Path) -> Option<String> {
    let within = file.strip_prefix(source).ok()?;
    let is_test =
        within.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs");
    let first = Path::new(within.components().next()?.as_os_str()).file_stem()?.to_str()?.to_string();
    (!is_test && first != "lib" && first != "main").then_some(first)
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate has a directory").to_path_buf()
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
