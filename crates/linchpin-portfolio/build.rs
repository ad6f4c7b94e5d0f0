//! Embeds the catalogue: one `include_str!` for each file of `models/correct` and `models/wrong`, sorted by
//! name.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let models = manifest.join("../../models").canonicalize()?;
    let mut table = String::from("&[\n");
    for group in ["correct", "wrong"] {
        let directory = models.join(group);
        println!("cargo::rerun-if-changed={}", directory.display());
        for file in files_of(&directory)? {
            let Some(name) = file.file_stem().and_then(|stem| stem.to_str()) else { continue };
            let group = if group == "correct" { "Correct" } else { "Wrong" };
            writeln!(
                table,
                "Entry {{ name: {name:?}, group: Group::{group}, text: include_str!({file:?}) }},"
            )
            .map_err(io::Error::other)?;
        }
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    fs::write(out.join("catalogue.rs"), table)
}

/// Lists the `.lin` files, sorted; empty if the directory does not exist.
fn files_of(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = entries.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "lin"));
    files.sort();
    Ok(files)
}
