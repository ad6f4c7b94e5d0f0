//! From the tree to the typed program ([`hir`]): names, modules, type parameters, constants, types, checks.
//!
//! The checker reports every error of a program in one run, each error once. It returns a program only if
//! there is no error. It has four phases, a folder each; a phase uses earlier phases only:
//!
//! `collect` (files and names) → `declare` (types, constants, signatures) → `check` (bodies) → `assemble`
//! (the program).

pub mod hir;

mod assemble;
mod check;
mod collect;
mod declare;
mod foreign;
mod library;
mod modules;
mod names_used;
mod suggest;
#[cfg(test)]
mod testing;

/// The text of the library's specifications.
pub use library::SPECIFICATIONS_TEXT as LIBRARY_SPECIFICATIONS;
pub use modules::Modules;
pub use names_used::{NameKind, NameUse};

use crate::syntax::ast;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::Setting;
use linchpin_ir::source::{FileId, SourceMap};

/// The result of a check. There is a program iff no diagnostic is an error.
#[derive(Clone, Debug)]
pub struct Checked {
    pub program: Option<hir::Program>,
    /// In the order of the text, file by file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the root file and everything it uses, and checks it.
pub fn check(sources: &mut SourceMap, modules: &dyn Modules, root: FileId, setting: &Setting) -> Checked {
    let mut diagnostics = Vec::new();
    let units = collect::load::load(sources, modules, root, &mut diagnostics);
    check_units(&units, diagnostics, setting, false).0
}

/// Checks as [`check()`] does, and returns the names of all files with their meaning, in the order of the
/// text.
pub fn check_with_names(
    sources: &mut SourceMap,
    modules: &dyn Modules,
    root: FileId,
    setting: &Setting,
) -> (Checked, Vec<NameUse>) {
    let mut diagnostics = Vec::new();
    let units = collect::load::load(sources, modules, root, &mut diagnostics);
    check_units(&units, diagnostics, setting, true)
}

/// Checks a specification by itself, with the arguments of `applied`. No object implements it: the operations
/// of the program have no code and never return.
///
/// `file` defines the specification and the constants that `setting` may change. `None`: the library.
pub fn check_specification(
    sources: &mut SourceMap,
    modules: &dyn Modules,
    applied: ast::Object,
    file: Option<FileId>,
    setting: &Setting,
) -> Checked {
    let mut diagnostics = Vec::new();
    let units = collect::load::load_specification(sources, modules, applied, file, &mut diagnostics);
    check_units(&units, diagnostics, setting, false).0
}

fn check_units(
    units: &collect::load::Units,
    mut diagnostics: Vec<Diagnostic>,
    setting: &Setting,
    with_names: bool,
) -> (Checked, Vec<NameUse>) {
    let names = collect::names::collect(units, &mut diagnostics);
    let memory = collect::memory::memory(units, &mut diagnostics);
    let mut checker = declare::context::Checker::new(setting, units, &names, memory);
    checker.names_used = with_names.then(Vec::new);
    let parts = check::check(&mut checker);
    let program = assemble::assemble(&mut checker, parts);
    let used = checker.names_used.take();
    let used = used.map(|noted| names_used::completed(noted, units, &names, checker.specification_used));
    diagnostics.extend(checker.into_diagnostics());
    diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span));
    let wrong = diagnostics.iter().any(Diagnostic::is_error);
    (Checked { program: program.filter(|_| !wrong), diagnostics }, used.unwrap_or_default())
}
