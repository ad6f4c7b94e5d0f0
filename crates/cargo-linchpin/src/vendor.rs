//! `cargo linchpin vendor`: copies a crate and makes the copy use instrumented atomics, locks and threads.
//!
//! The copy is for crates without a facade for loom. It builds in every way: without the way *shuttle* the
//! instrumented modules are those of the standard library. The source stays readable: only paths change.

use crate::Problem;
use crate::metadata::{Metadata, Package};
use crate::rewrite::rewrite;
use clap::Args;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct Arguments {
    /// A dependency of the project: `NAME`, or `NAME@VERSION` if there are several
    package: String,
    /// The directory for the copy
    #[arg(long, value_name = "DIRECTORY", default_value = "vendored")]
    to: PathBuf,
    /// The manifest of the project
    #[arg(long, value_name = "FILE")]
    manifest_path: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Problem> {
    let metadata = Metadata::read(arguments.manifest_path.as_deref())?;
    let instrument = metadata.sibling("linchpin-instrument")?;
    let package = find(&metadata, &arguments.package)?;
    let to = arguments.to.join(format!("{}-{}", package.name, package.version));
    if to.exists() {
        let text = format!("`{}` exists", to.display());
        return Err(Problem::new(text, "remove it, or name another directory with `--to`"));
    }
    let changed = copy(&package.directory, &to, &instrument).map_err(|error| {
        let text = format!("cannot copy `{}` to `{}`: {error}", package.directory.display(), to.display());
        Problem::new(text, "name another directory with `--to`")
    })?;
    println!("copied {} {} to `{}`", package.name, package.version, to.display());
    println!("changed {changed} paths to instrumented modules");
    println!("\nadd this to the manifest of the workspace:\n\n[patch.crates-io]");
    println!("{} = {{ path = \"{}\" }}", package.name, to.display());
    Ok(())
}

fn find(metadata: &Metadata, asked: &str) -> Result<Package, Problem> {
    let (name, version) = match asked.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (asked, None),
    };
    let found = metadata.packages(name);
    let versions: Vec<&str> = found.iter().map(|package| &*package.version).collect();
    let mut some = found.iter().filter(|package| version.is_none_or(|version| version == package.version));
    match (some.next(), some.next()) {
        (Some(only), None) => Ok(only.clone()),
        (Some(_), Some(_)) => Err(Problem::new(
            format!("the project has several versions of `{name}`: {}", versions.join(", ")),
            format!("name one: `{name}@{}`", versions[0]),
        )),
        (None, _) if versions.is_empty() => Err(Problem::new(
            format!("`{name}` is not a dependency of the project"),
            format!("add it: `cargo add --dev {name}`"),
        )),
        (None, _) => Err(Problem::new(
            format!("the project has `{name}` in another version: {}", versions.join(", ")),
            format!("name it: `{name}@{}`", versions[0]),
        )),
    }
}

/// Copies a package. Returns the number of changed paths.
fn copy(from: &Path, to: &Path, instrument: &Path) -> io::Result<usize> {
    let mut changed = 0;
    let mut open = vec![PathBuf::new()];
    while let Some(inside) = open.pop() {
        fs::create_dir_all(to.join(&inside))?;
        let mut entries: Vec<_> = fs::read_dir(from.join(&inside))?.collect::<io::Result<_>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = inside.join(entry.file_name());
            let skipped =
                ["target", "benches", "examples", "tests", "Cargo.lock", "Cargo.toml.orig", ".cargo-ok"];
            if inside.as_os_str().is_empty() && skipped.iter().any(|skipped| entry.file_name() == **skipped) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                open.push(name);
                continue;
            }
            let bytes = fs::read(entry.path())?;
            let bytes = match String::from_utf8(bytes) {
                Ok(text) if name.starts_with("src") && name.extension().is_some_and(|ext| ext == "rs") => {
                    let (text, paths) = rewrite(&text);
                    changed += paths;
                    text.into_bytes()
                }
                Ok(text) if name == Path::new("Cargo.toml") => manifest(&text, instrument).into_bytes(),
                Ok(text) => text.into_bytes(),
                Err(error) => error.into_bytes(),
            };
            fs::write(to.join(&name), bytes)?;
        }
    }
    Ok(changed)
}

/// Returns the manifest with the dependency, and without targets whose files are not copied.
fn manifest(text: &str, instrument: &Path) -> String {
    let mut out = String::new();
    let mut is_kept = true;
    for line in text.lines() {
        if line.starts_with('[') {
            let dropped = ["[[bench]]", "[[example]]", "[[test]]", "[dev-dependencies", "[lints"];
            is_kept =
                !dropped.iter().any(|start| line.starts_with(start)) && !line.contains("dev-dependencies");
        }
        if is_kept {
            out += line;
            out.push('\n');
        }
    }
    let path = instrument.display().to_string().replace('\\', "/");
    out + &format!(
        "\n[dependencies.linchpin-instrument]\npath = \"{path}\"\n\n[lints.rust]\nwarnings = \"allow\"\n"
    )
}
