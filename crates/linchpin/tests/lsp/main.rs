//! The language server as an editor meets it: the program itself, over its standard streams.

mod client;
mod editing;
mod names;
mod protocol;
mod runs;

use std::fs;
use std::path::{Path, PathBuf};

/// Returns an empty directory for one test.
fn scratch(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lsp-{test}"));
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a test can make a directory");
    directory.canonicalize().expect("the directory is there")
}

/// Returns the models of the catalogue: path and text.
fn models() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace");
    let mut found = Vec::new();
    for group in ["correct", "wrong"] {
        let directory = fs::read_dir(root.join("models").join(group)).expect("the models");
        for path in directory.flatten().map(|entry| entry.path()) {
            if path.extension().is_some_and(|extension| extension == "lin") {
                let text = fs::read_to_string(&path).expect("a model");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}
