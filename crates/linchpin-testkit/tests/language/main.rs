//! The language, specified by example: every model in `tests/language/*.md` gives what stands below it.
//!
//! `UPDATE_LANGUAGE_TESTS=1` writes what they give now into the documents, to be read before it is kept.
//! Where an example shows all ends of all schedules, the naive reading ([`reference`]) must agree, as far as
//! it can follow.

mod calls;
mod markdown;
mod outputs;
mod trace;

use libtest_mimic::{Arguments, Failed, Trial};
use markdown::Example;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/language");
    let mut paths: Vec<PathBuf> = documents
        .read_dir()
        .expect("the documents are there")
        .map(|entry| entry.expect("an entry can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    paths.sort();
    if std::env::var_os("UPDATE_LANGUAGE_TESTS").is_some() {
        paths.iter().for_each(|path| update(path));
    }
    let trials = paths.iter().flat_map(|path| trials(path)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(path: &Path) -> Vec<Trial> {
    let document = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match markdown::examples(&read(path)) {
        Ok(examples) => examples
            .into_iter()
            .map(|example| {
                Trial::test(format!("{document}: {}", example.name), move || {
                    check(&example)
                        .map_err(|problem| Failed::from(format!("line {}: {problem}", example.line)))
                })
            })
            .collect(),
        Err(problem) => vec![Trial::test(document, move || Err(Failed::from(problem)))],
    }
}

fn check(example: &Example) -> Result<(), String> {
    let actual = outputs::outputs(example)?;
    for (expectation, actual) in example.expectations.iter().zip(actual) {
        if expectation.expected != actual {
            let expected = &expectation.expected;
            return Err(format!("{:?}\n--- expected\n{expected}--- found\n{actual}", expectation.kind));
        }
    }
    Ok(())
}

/// Writes what the examples give now into their document. One that gives nothing is left for its test to
/// tell.
fn update(path: &Path) {
    let mut text = read(path);
    let Ok(examples) = markdown::examples(&text) else { return };
    for example in examples.iter().rev() {
        let Ok(actual) = outputs::outputs(example) else { continue };
        for (expectation, actual) in example.expectations.iter().zip(actual).rev() {
            text.replace_range(expectation.body.clone(), &actual);
        }
    }
    fs::write(path, text).expect("a document can be written");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a document is text")
}
