//! Roles: which threads call what. At most one of them takes the threads that the others leave.

use crate::syntax::ast::{self, ItemKind};
use crate::typing::check::spec::CheckedSpec;
use crate::typing::collect::load::UnitId;
use crate::typing::declare::context::{Checker, Env};
use crate::typing::hir::{Calls, OpId, Role};
use crate::typing::suggest;
use linchpin_ir::diagnostic::Diagnostic;

impl<'a> Checker<'a> {
    /// The roles of the root file and of the modules it takes as a whole.
    pub(super) fn roles(&mut self, spec: &CheckedSpec<'_>) -> Vec<Role> {
        let units = self.units;
        let mut roles: Vec<Role> = Vec::new();
        for unit in units.taken_whole() {
            for item in &units.all[unit].tree.items {
                let ItemKind::Role { name, count, calls } = &item.kind else { continue };
                if let Some(first) = roles.iter().find(|role| role.name == name.text) {
                    let first = first.span;
                    self.report_plain(
                        Diagnostic::error(
                            format!("role `{}` is defined twice", name.text),
                            name.span,
                            "the second time here",
                        )
                        .label(first, "the first time here"),
                    );
                    continue;
                }
                let number = count.as_ref().map(|count| self.number_of_threads(unit, count));
                if count.is_none()
                    && let Some(first) = roles.iter().find(|role| role.count.is_none())
                {
                    let first = first.span;
                    self.report_plain(
                        Diagnostic::error(
                            "two roles take all other threads",
                            name.span,
                            "this role has no number",
                        )
                        .label(first, "this role has no number either")
                        .help(format!("give one of them a number of threads: `role {}: 1 = …;`", name.text)),
                    );
                }
                if let Some(calls) = self.calls(calls, spec) {
                    roles.push(Role { name: name.text.clone(), count: number, calls, span: name.span });
                }
            }
        }
        roles
    }

    /// How many threads a role takes; 1 if that is wrong, which was reported.
    fn number_of_threads(&mut self, unit: UnitId, count: &'a ast::Expr) -> u32 {
        let env = Env::of_unit(unit);
        let Some(value) = self.const_expr(&env, count) else { return 1 };
        if let Ok(number @ 1..) = u32::try_from(value) {
            return number;
        }
        self.report(
            &env,
            Diagnostic::error("a role has at least one thread", count.span, format!("here it is {value}")),
        );
        1
    }

    fn calls(&mut self, calls: &ast::Calls, spec: &CheckedSpec<'_>) -> Option<Calls> {
        Some(match calls {
            ast::Calls::Op(name) => Calls::Op(self.called(name, spec)?),
            ast::Calls::Sequence(parts) => Calls::Sequence(self.all_calls(parts, spec)?),
            ast::Calls::Choice(parts) => Calls::Choice(self.all_calls(parts, spec)?),
            ast::Calls::Star(inner) => Calls::Star(Box::new(self.calls(inner, spec)?)),
            ast::Calls::Optional(inner) => Calls::Optional(Box::new(self.calls(inner, spec)?)),
        })
    }

    fn all_calls(&mut self, parts: &[ast::Calls], spec: &CheckedSpec<'_>) -> Option<Vec<Calls>> {
        let checked: Vec<Option<Calls>> = parts.iter().map(|part| self.calls(part, spec)).collect();
        checked.into_iter().collect()
    }

    fn called(&mut self, name: &ast::Name, spec: &CheckedSpec<'_>) -> Option<OpId> {
        if let Some((id, _)) = spec.ops.entries().find(|(_, op)| op.name == name.text) {
            return Some(id);
        }
        let mut diagnostic =
            Diagnostic::error(format!("there is no operation `{}`", name.text), name.span, "not found");
        diagnostic.help = suggest::help(&name.text, spec.ops.iter().map(|op| &*op.name));
        self.report_plain(diagnostic);
        None
    }
}
