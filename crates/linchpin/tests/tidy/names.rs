//! No two public items of one crate's face share a name: what `lib.rs` declares public or re-exports, one
//! module deep.

use crate::tree::{crates, read};
use crate::use_paths::{code_of, use_leaves};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[test]
fn public_items_of_a_crate_have_names_of_their_own() {
    let mut problems = Vec::new();
    for directory in std::fs::read_dir(crates()).expect("crates can be listed").flatten() {
        let source = directory.path().join("src");
        if !source.join("lib.rs").is_file() {
            continue;
        }
        for (name, modules) in face(&source) {
            if modules.len() > 1 {
                problems
                    .push(format!("{}: `{name}` in {modules:?}", directory.file_name().to_string_lossy()));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// The public types of a crate's root and of its public modules, each with the modules that define one of
/// that name.
fn face(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut items: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let root = code_of(&read(&source.join("lib.rs")));
    types(&root).into_iter().for_each(|name| {
        items.entry(name).or_default().insert("crate".into());
    });
    for module in root.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')) {
        let file = [format!("{module}.rs"), format!("{module}/mod.rs")].map(|name| source.join(name));
        let Some(file) = file.iter().find(|file| file.is_file()) else { continue };
        let code = code_of(&read(file));
        let exported = use_leaves(&code).into_iter().filter(|leaf| leaf.is_public && leaf.path[0] != "crate");
        let exported = exported.map(|leaf| leaf.name).filter(|name| name.starts_with(char::is_uppercase));
        for name in types(&code).into_iter().chain(exported) {
            items.entry(name).or_default().insert(module.to_string());
        }
    }
    items
}

/// Names of the public types and traits that the code declares at its top level.
fn types(code: &str) -> Vec<String> {
    let kinds = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
    let declared = code.lines().filter_map(|line| kinds.iter().find_map(|kind| line.strip_prefix(kind)));
    declared.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()).collect()
}
