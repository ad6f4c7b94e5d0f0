//! From the tree to the typed program ([`hir`]): names, modules, type parameters, constants, types, checks.
//!
//! The checker reports every error of a program in one pass, each once, and gives a program only when there is none.
//! The way through: `load` reads the files, `names` says what each name means, `program` goes through the
//! definitions. Types are resolved in `resolve`, `generics` and `size`; bodies are checked by the methods of
//! `body::Body`, a file for each kind of thing.

pub mod hir;

mod body;
mod calls;
mod checks;
mod choose;
mod collections;
mod components;
mod consts;
mod context;
mod convert;
mod expr;
mod flow;
mod fold;
mod functions;
mod generics;
mod library;
mod literals;
mod load;
mod matching;
mod modules;
mod names;
mod object;
mod observer;
mod operators;
mod place;
mod primitives;
mod program;
mod reach;
mod resolve;
mod roles;
mod size;
mod spec;
mod stmt;
mod suggest;
#[cfg(test)]
mod testing;
mod variables;

/// The text of the library's specifications.
pub use library::SPECIFICATIONS_TEXT as LIBRARY_SPECIFICATIONS;
pub use modules::Modules;

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
    let units = load::load(sources, modules, root, &mut diagnostics);
    let names = names::collect(&units, &mut diagnostics);
    let memory = program::memory(&units, &mut diagnostics);
    let mut checker = context::Checker::new(setting, &units, &names, memory);
    let program = checker.program();
    diagnostics.extend(checker.into_diagnostics());
    diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span));
    let wrong = diagnostics.iter().any(Diagnostic::is_error);
    Checked { program: program.filter(|_| !wrong), diagnostics }
}
