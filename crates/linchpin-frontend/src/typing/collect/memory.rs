//! How the program manages memory: what its files declare.

use super::load::Units;
use crate::syntax::ast::ItemKind;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::MemoryKind;
use linchpin_ir::source::Span;

/// How memory is managed: as the root file says, or a module that it takes as a whole.
pub(in crate::typing) fn memory(units: &Units, diagnostics: &mut Vec<Diagnostic>) -> MemoryKind {
    let mut taken: Option<(MemoryKind, Span)> = None;
    for unit in units.taken_whole() {
        let mut own: Option<(MemoryKind, Span)> = None;
        for item in &units.all[unit].tree.items {
            let ItemKind::Memory(kind) = item.kind else { continue };
            if let Some((_, first)) = own {
                diagnostics.push(
                    Diagnostic::error("memory is declared twice", item.span, "the second time here")
                        .label(first, "the first time here"),
                );
            }
            own = own.or(Some((kind, item.span)));
        }
        match (own, taken) {
            (Some((kind, span)), Some((other, first))) if unit != units.root && kind != other => diagnostics
                .push(
                    Diagnostic::error(
                        "two modules declare different kinds of memory",
                        span,
                        "one declaration",
                    )
                    .label(first, "the other declaration")
                    .help("declare `memory gc;` in the file that uses them"),
                ),
            _ => taken = own.or(taken),
        }
    }
    taken.map_or(MemoryKind::Gc, |(kind, _)| kind)
}
