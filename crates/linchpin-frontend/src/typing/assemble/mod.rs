//! Phase 4: the rules that concern the whole program (call graph, roles, `check` and `prove` blocks), then
//! the typed program.

mod checks;
mod components;
mod program;
mod reach;
mod roles;

use super::check::CheckedParts;
use super::declare::context::Checker;
use super::hir::Program;

/// Returns the typed program; `None` if the model has an error, which is reported.
pub(super) fn assemble<'a>(checker: &mut Checker<'a>, parts: CheckedParts<'a>) -> Option<Program> {
    checker.program(parts)
}
