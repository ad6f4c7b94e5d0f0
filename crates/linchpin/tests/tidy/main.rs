//! The shape of the code: manifests follow the table of `ARCHITECTURE.md`, every file says what it is for, no
//! file is too long, nothing is left open.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const LONGEST_FILE: usize = 700;

#[test]
fn manifests_are_the_table_of_crates() {
    let table = crates_in_table(&read(&crates().join("../ARCHITECTURE.md")));
    let manifests = manifests();
    assert!(manifests.len() > 10, "the walk finds the crates");
    assert_eq!(table, manifests, "left: ARCHITECTURE.md, right: the manifests");
}

#[test]
fn a_new_arrow_is_found() {
    let table = "| `linchpin-a` | `x` | – |\n| `linchpin-b` | y | `a`, `c` |\n| other | row |\n";
    let expected = BTreeMap::from([
        ("linchpin-a".to_string(), vec![]),
        ("linchpin-b".to_string(), vec!["a".to_string(), "c".to_string()]),
    ]);
    assert_eq!(crates_in_table(table), expected);
    let manifest = "[dependencies]\nlinchpin-c.workspace = true\nlinchpin-a = { path = \"\" }\nserde = \"1\"\n\n[dev-dependencies]\nlinchpin-d.workspace = true\n";
    assert_eq!(dependencies(manifest), ["a", "c"]);
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

/// Crates of the table, each with the crates of this workspace that it may use.
fn crates_in_table(text: &str) -> BTreeMap<String, Vec<String>> {
    let quoted =
        |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(String::from).collect() };
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let cells = rows.map(|row| row.split(" | ").collect::<Vec<_>>());
    let crates = cells.filter_map(|cells| match cells[..] {
        [name, _, uses] => {
            Some((name.strip_prefix('`')?.strip_suffix('`')?.to_string(), sorted(quoted(uses))))
        }
        _ => None,
    });
    crates.collect()
}

/// The crates of the workspace, each with the crates of the workspace in its `[dependencies]`.
fn manifests() -> BTreeMap<String, Vec<String>> {
    let directories = fs::read_dir(crates()).expect("crates can be listed").flatten();
    let manifests = directories.map(|entry| entry.path()).filter(|path| path.join("Cargo.toml").is_file());
    manifests
        .map(|path| {
            let name = path.file_name().expect("a directory has a name").to_string_lossy().into_owned();
            (name, dependencies(&read(&path.join("Cargo.toml"))))
        })
        .collect()
}

/// The crates of this workspace below `[dependencies]`, without their common prefix.
fn dependencies(manifest: &str) -> Vec<String> {
    let section =
        manifest.split("\n[").find(|section| section.trim_start_matches('[').starts_with("dependencies]"));
    let lines = section.unwrap_or("").lines();
    let names = lines.filter_map(|line| line.strip_prefix("linchpin-")?.split([' ', '.']).next());
    sorted(names.map(String::from).collect())
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
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
