//! Declares what the root file can name: constants and types, `init` blocks, functions.

use super::context::{Checker, Env};
use crate::syntax::ast::ItemKind;
use crate::typing::collect::names::{Def, DefId, DefKind, Lookup, Namespace};
use crate::typing::hir::FunctionId;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;

impl<'a> Checker<'a> {
    /// The definitions that the root file can name, in the order of the text, modules first.
    pub fn visible(&self) -> Vec<(DefId, Def<'a>)> {
        let root = self.units.root;
        let spaces = [Namespace::Type, Namespace::Value, Namespace::Function];
        let named = |(id, def): &(DefId, &Def<'a>)| {
            spaces.iter().any(|space| self.names.lookup(root, *space, &def.name.text) == Lookup::Found(*id))
        };
        self.names.defs.entries().filter(named).map(|(id, def)| (id, *def)).collect()
    }

    /// The constants and the types.
    pub fn declare_types(&mut self) {
        for (id, def) in self.visible() {
            match def.kind {
                DefKind::Const(_) => {
                    self.const_value(id);
                }
                DefKind::Alias(ty) => {
                    self.alias(id, ty);
                }
                DefKind::Enum(_) => {
                    self.instantiate(&Env::of_unit(def.unit), id, Vec::new(), def.name.span);
                }
                DefKind::Struct(record) | DefKind::Word(record) if record.type_params.is_empty() => {
                    self.instantiate(&Env::of_unit(def.unit), id, Vec::new(), def.name.span);
                }
                _ => {}
            }
        }
        self.resolve_pending();
    }

    /// Declares each function that the root file can name. Generic functions are checked where they are used.
    pub fn declare_functions(&mut self) {
        for (id, def) in self.visible() {
            match def.kind {
                DefKind::Op(function) | DefKind::Fn(function) if function.body.is_some() => {
                    self.function(id, Vec::new(), def.name.span);
                }
                DefKind::Op(_) | DefKind::Fn(_) if def.unit == self.units.root => {
                    let diagnostic = self.without_body(def.name, true, def.name.span);
                    self.report_plain(diagnostic);
                }
                _ => {}
            }
        }
        for (of, method) in &self.names.methods_in_order {
            let generic = !self.def(*of).kind.type_params().is_empty();
            if self.def(*method).unit == self.units.root && !generic {
                self.function(*method, Vec::new(), self.def(*method).name.span);
            }
        }
    }

    /// The `init` blocks of the modules that are taken as a whole, then that of the root file.
    pub fn declare_inits(&mut self) -> Vec<FunctionId> {
        let units = self.units;
        let mut inits = Vec::new();
        for unit in units.taken_whole() {
            let mut first: Option<Span> = None;
            for item in &units.all[unit].tree.items {
                let ItemKind::Init(block) = &item.kind else { continue };
                if let Some(first) = first {
                    self.report_plain(
                        Diagnostic::error("there are two `init` blocks", item.span, "the second one")
                            .label(first, "the first one")
                            .help("join them into one"),
                    );
                    continue;
                }
                first = Some(item.span);
                inits.push(self.declare_init(unit, "init", block, item.span));
            }
        }
        inits
    }
}
