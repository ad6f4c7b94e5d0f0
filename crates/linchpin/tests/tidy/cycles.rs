//! Module cycles: sibling modules of a crate do not use each other in a circle.
//!
//! The nodes of a graph are the modules of one folder; the edges are the `use` declarations and the paths in
//! the code below them, with re-exports resolved. Code of unit tests does not count. `ARCHITECTURE.md` lists
//! the cycles that are allowed, with a reason each (section *Module cycles*); every other cycle fails, and so
//! does a listed cycle that is gone.

use crate::tree::{crates, read, rust_files};
use crate::use_paths::{code_of, paths_in, use_leaves};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[test]
fn module_cycles_are_those_that_the_architecture_names() {
    let mut found = BTreeSet::new();
    for directory in std::fs::read_dir(crates()).expect("crates can be listed").flatten() {
        let source = directory.path().join("src");
        let name = directory.file_name().to_string_lossy().into_owned();
        let modules = Modules::of_files(
            rust_files(&source).iter().map(|file| (module_of(&source, file), read(file))).collect(),
        );
        found.extend(modules.cycles().into_iter().map(|cycle| format!("{name}: {cycle}")));
    }
    let text = read(&crates().join("../ARCHITECTURE.md"));
    let section =
        text.split("## Module cycles").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap_or("");
    let allowed: BTreeSet<String> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .map(String::from)
        .collect();
    let unlisted: Vec<&String> = found.difference(&allowed).collect();
    let gone: Vec<&String> = allowed.difference(&found).collect();
    assert!(unlisted.is_empty() && gone.is_empty(), "not listed: {unlisted:#?}\nlisted and gone: {gone:#?}");
}

#[test]
fn cycles_are_found_through_every_spelling() {
    let cycles = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(module, text)| {
            (
                module.split("::").filter(|part| !part.is_empty()).map(String::from).collect(),
                (*text).to_string(),
            )
        });
        Modules::of_files(files.collect()).cycles()
    };
    assert!(cycles(&[("", "mod a; mod b;"), ("a", "use crate::b::X;"), ("b", "")]).is_empty());
    assert_eq!(cycles(&[("a", "use crate::b::X;"), ("b", "fn f(a: super::a::Y) {}")]), ["a, b"]);
    // Through a re-export of the parent.
    let reexport = [("", "pub use b::X;"), ("a", "use super::X;"), ("b", "use crate::a;")];
    assert_eq!(cycles(&reexport), ["a, b"]);
    // Inside a folder, and not between folders.
    let inside = [
        ("p::a", "use super::b;"),
        ("p::b", "use super::c;"),
        ("p::c", "use crate::p::a;"),
        ("q", "use crate::p;"),
    ];
    assert_eq!(cycles(&inside), ["p::{a, b, c}"]);
    assert!(
        cycles(&[("a", "use crate::b::X;"), ("b", "#[cfg(test)]\nmod tests { use crate::a; }")]).is_empty()
    );
}

type ModulePath = Vec<String>;

struct Modules {
    /// The code of each file, without comments and unit tests, by the module that it is.
    code: BTreeMap<ModulePath, String>,
    /// By module and name: the path that a `pub use` of the module gives the name.
    reexports: BTreeMap<(ModulePath, String), ModulePath>,
}

impl Modules {
    fn of_files(files: Vec<(ModulePath, String)>) -> Modules {
        let code: BTreeMap<ModulePath, String> =
            files.into_iter().map(|(module, text)| (module, code_of(&text))).collect();
        let mut modules = Modules { code, reexports: BTreeMap::new() };
        let mut reexports = BTreeMap::new();
        for (module, code) in &modules.code {
            for leaf in use_leaves(code).into_iter().filter(|leaf| leaf.is_public) {
                if let Some(path) = modules.absolute(module, &leaf.path) {
                    reexports.insert((module.clone(), leaf.name), path);
                }
            }
        }
        modules.reexports = reexports;
        modules
    }

    /// The cycles, as text: the folder and the modules in it that reach each other.
    fn cycles(&self) -> Vec<String> {
        let mut graphs: BTreeMap<ModulePath, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for (module, code) in &self.code {
            for path in paths_in(code) {
                let Some(target) = self.absolute(module, &path).map(|path| self.resolved(path)) else {
                    continue;
                };
                let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
                let (Some(from), Some(to)) = (module.get(common), target.get(common)) else { continue };
                let sibling: ModulePath = [&module[..common], std::slice::from_ref(to)].concat();
                if self.code.keys().any(|known| known.starts_with(&sibling)) {
                    let graph = graphs.entry(module[..common].to_vec()).or_default();
                    graph.entry(from.clone()).or_default().insert(to.clone());
                }
            }
        }
        graphs
            .iter()
            .flat_map(|(folder, graph)| components(graph).into_iter().map(|c| shown(folder, &c)))
            .collect()
    }

    /// The path from the root of the crate; `None` for a path into another crate.
    fn absolute(&self, module: &ModulePath, path: &[String]) -> Option<ModulePath> {
        let supers = path.iter().take_while(|part| *part == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([module, &path[1..]].concat()),
            "super" => Some([&module[..module.len().checked_sub(supers)?], &path[supers..]].concat()),
            first => {
                let child: ModulePath = [module.as_slice(), &[first.to_string()]].concat();
                self.code
                    .keys()
                    .any(|known| known.starts_with(&child))
                    .then(|| [module.as_slice(), path].concat())
            }
        }
    }

    /// Follows re-exports.
    fn resolved(&self, mut path: ModulePath) -> ModulePath {
        for _ in 0..4 {
            let step = (0..path.len()).find_map(|at| {
                let key = (path[..at].to_vec(), path[at].clone());
                let is_module = self.code.contains_key(&path[..=at]);
                let to = self.reexports.get(&key).filter(|_| !is_module)?;
                Some([to.as_slice(), &path[at + 1..]].concat())
            });
            match step {
                Some(next) if next != path => path = next,
                _ => break,
            }
        }
        path
    }
}

fn shown(folder: &[String], modules: &[String]) -> String {
    match folder {
        [] => modules.join(", "),
        folder => format!("{}::{{{}}}", folder.join("::"), modules.join(", ")),
    }
}

/// Strongly connected components with more than one member.
fn components(graph: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach = |from: &String| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from.clone()];
        while let Some(at) = open.pop() {
            for next in graph.get(&at).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<String, BTreeSet<String>> =
        graph.keys().map(|from| (from.clone(), reach(from))).collect();
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for (from, to) in &reached {
        let members: Vec<String> = to
            .iter()
            .filter(|other| reached.get(*other).is_some_and(|back| back.contains(from)))
            .cloned()
            .collect();
        if members.len() > 1 {
            found.insert(members);
        }
    }
    found.into_iter().collect()
}

/// The module that a file is.
fn module_of(source: &Path, file: &Path) -> ModulePath {
    let within = file.strip_prefix(source).expect("a file below its source folder").with_extension("");
    let mut parts: ModulePath = within.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| matches!(&**last, "mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}
