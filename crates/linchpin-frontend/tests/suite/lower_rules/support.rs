//! Texts to programs, for the tests of lowering.

use linchpin_frontend::lower::lower;
use linchpin_frontend::typing;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::program as ir;
use linchpin_ir::program::Program;
use linchpin_ir::source::SourceMap;
use linchpin_report::render::render;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A model of the operations in the text, with a specification that fits them: each may give `true` or
/// `false`.
pub fn model(declarations: &str, op: &str) -> String {
    let text = format!("{declarations}\n{op}");
    let mut clauses = String::new();
    let begins = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric());
    for (before, behind) in text.match_indices("op ").map(|(at, _)| text.split_at(at)) {
        if !begins(before) {
            continue;
        }
        let signature = behind.split('{').next().unwrap_or(behind).trim();
        let result = if signature.contains("->") { "return choose bool;" } else { "" };
        clauses.push_str(&format!(" {signature} {{ {result} }}"));
    }
    format!("object Test: Any;\n{text}\nspec Any {{{clauses} }}\n")
}

/// The program of a text.
pub fn lowered(text: &str) -> (SourceMap, Program) {
    let (sources, result) = try_lower("test.lin", text);
    match result {
        Ok(program) => (sources, program),
        Err(problems) => panic!("{}", shown(&sources, &problems)),
    }
}

/// The steps of the operation `f` of a [`model`], and of recursive functions, as they are printed.
pub fn steps(declarations: &str, op: &str) -> String {
    let (sources, program) = lowered(&model(declarations, op));
    let printed = ir::print(&sources, &program);
    let wanted = |part: &&str| part.starts_with("op f(") || part.starts_with("fn ");
    printed.split("\n\n").filter(wanted).collect::<Vec<_>>().join("\n\n")
}

/// The messages about a [`model`] that is not lowered.
pub fn refusal(declarations: &str, op: &str) -> String {
    let (sources, result) = try_lower("test.lin", &model(declarations, op));
    match result {
        Ok(program) => panic!("it is lowered:\n{}", ir::print(&sources, &program)),
        Err(problems) => shown(&sources, &problems),
    }
}

/// Every model of the catalogue: its name and its text.
pub fn catalogue() -> Vec<(String, PathBuf)> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut found = Vec::new();
    for directory in ["correct", "wrong"] {
        let entries = std::fs::read_dir(models.join(directory)).expect("the catalogue is there");
        for path in entries.map(|entry| entry.expect("it can be read").path()) {
            if path.extension().is_some_and(|extension| extension == "lin") {
                let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
                found.push((name, path));
            }
        }
    }
    found.sort();
    found
}

/// The program of a model of the catalogue.
pub fn from_catalogue(path: &Path) -> (SourceMap, Program) {
    let text = std::fs::read_to_string(path).expect("it can be read");
    let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
    let (sources, result) = try_lower(&name, &text);
    match result {
        Ok(program) => (sources, program),
        Err(problems) => panic!("{}: {}", path.display(), shown(&sources, &problems)),
    }
}

fn try_lower(name: &str, text: &str) -> (SourceMap, Result<Program, Vec<Diagnostic>>) {
    let modules: BTreeMap<String, String> = BTreeMap::new();
    let mut sources = SourceMap::default();
    let root = sources.add(name, text);
    let checked = typing::check(&mut sources, &modules, root, &Setting::default());
    let Some(program) = checked.program else {
        panic!("it does not check: {}\n{text}", shown(&sources, &checked.diagnostics));
    };
    let result = lower(&sources, &program);
    if let Ok(lowered) = &result {
        assert_eq!(ir::validate(lowered), Vec::<String>::new());
    }
    (sources, result)
}

fn shown(sources: &SourceMap, problems: &[Diagnostic]) -> String {
    problems.iter().map(|problem| render(sources, problem, false)).collect::<Vec<_>>().join("\n\n")
}
