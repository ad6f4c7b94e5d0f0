//! Manifests follow the table of crates in `ARCHITECTURE.md`.

use crate::tree::{crates, read};
use std::collections::BTreeMap;
use std::fs;

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
