//! Every model of the catalogue checks, and no text that is nearly a model makes the checker stumble.

use super::support::Case;
use linchpin_frontend::typing::{Modules, check};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::source::SourceMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The `.lin` files beside a model.
struct Beside(PathBuf);

impl Modules for Beside {
    fn read(&self, module: &str) -> Option<(String, String)> {
        let path = self.0.join(format!("{module}.lin"));
        Some((path.display().to_string(), std::fs::read_to_string(path).ok()?))
    }

    fn names(&self) -> Vec<String> {
        lin_files(&self.0).iter().filter_map(|path| Some(path.file_stem()?.to_str()?.to_string())).collect()
    }
}

fn lin_files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "lin")).collect();
    files.sort();
    files
}

fn models() -> Vec<PathBuf> {
    let catalogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let models: Vec<PathBuf> =
        ["correct", "wrong"].iter().flat_map(|kind| lin_files(&catalogue.join(kind))).collect();
    assert!(models.len() > 20, "the catalogue is where it was");
    models
}

fn errors(path: &Path, setting: &Setting) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = SourceMap::default();
    let root = sources.add(path.display().to_string(), text);
    let beside = Beside(path.parent().unwrap().to_path_buf());
    let checked = check(&mut sources, &beside, root, setting);
    let wrong: Vec<&Diagnostic> = checked.diagnostics.iter().filter(|d| d.is_error()).collect();
    assert_eq!(checked.program.is_none(), !wrong.is_empty());
    wrong.iter().map(|d| format!("{}: {} {:?}", path.display(), d.title, d.labels)).collect()
}

#[test]
fn every_model_checks_for_any_number_of_threads() {
    for threads in [1, 2, 5] {
        let setting = Setting { threads, constants: BTreeMap::new() };
        let wrong: Vec<String> = models().iter().flat_map(|path| errors(path, &setting)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

/// A planted mistake in a model: a word that is deleted, doubled, or replaced by another word.
fn spoil(random: &mut fastrand::Rng, text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<String> = Vec::new();
    for c in text.chars() {
        match words.last_mut() {
            Some(last) if is_word(c) && last.chars().all(is_word) => last.push(c),
            _ => words.push(c.to_string()),
        }
    }
    for _ in 0..random.usize(1..4) {
        let at = random.usize(0..words.len());
        match random.u8(0..4) {
            0 => {
                words.remove(at);
            }
            1 => words.insert(at, words[at].clone()),
            2 => words[at] = words[random.usize(0..words.len())].clone(),
            _ => {
                let next = (at + 1) % words.len();
                words.swap(at, next);
            }
        }
    }
    words.concat()
}

#[test]
fn spoilt_models_are_refused_or_checked_but_never_break_the_checker() {
    let mut random = fastrand::Rng::with_seed(20);
    let (mut refused, mut accepted) = (0, 0);
    for path in models() {
        let text = std::fs::read_to_string(&path).unwrap();
        for _ in 0..20 {
            let spoilt = spoil(&mut random, &text);
            // `check` of the support asserts that there is a program iff there is no error.
            let (_, checked) = Case::default().check(&spoilt);
            if checked.program.is_some() { accepted += 1 } else { refused += 1 }
        }
    }
    assert!(refused > accepted && accepted > 0, "{refused} refused, {accepted} accepted");
}
