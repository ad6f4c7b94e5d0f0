//! Constant expressions: `const` items, lengths of arrays, ends of ranges, numbers of threads of a role.
//!
//! They are numbers, made of literals, constants and `threads` by `+ - * / %`, exact in 64 bits. A `const`
//! has the value that the [`crate::typing::Setting`] gives it, or else its own.

use super::context::{Checker, Env};
use crate::syntax::ast::{Expr, ExprKind, Name};
use crate::typing::collect::names::{DefId, DefKind, Lookup, Namespace};
use crate::typing::names_used::{NameKind, of_specification};
use crate::typing::{hir, suggest};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::{BinaryOp, UnaryOp};
use linchpin_ir::source::Span;
use linchpin_ir::types::Word;

#[derive(Clone, Copy)]
pub(in crate::typing) enum ConstState {
    Evaluating,
    Known(i64),
    Wrong,
}

/// The least and the greatest number: the encoding keeps the two words below for `undefined` and `none`.
pub(in crate::typing) const LEAST: i64 = Word::MIN as i64 + 2;
pub(in crate::typing) const GREATEST: i64 = Word::MAX as i64;

/// `const`s may name each other only so deep.
const DEPTH: usize = 128;

pub(in crate::typing) const THREADS: &str = "threads";

impl<'a> Checker<'a> {
    /// The value of a constant expression; `None` if it is wrong, which was reported.
    pub fn const_expr(&mut self, env: &Env, expr: &'a Expr) -> Option<i64> {
        let value = self.exact(env, expr)?;
        if (LEAST..=GREATEST).contains(&value) {
            return Some(value);
        }
        self.report(env, too_large(expr.span));
        None
    }

    /// The value of a `const`; `None` if it is wrong, which was reported.
    pub fn const_value(&mut self, def: DefId) -> Option<i64> {
        match self.constants.get(&def) {
            Some(ConstState::Known(value)) => return Some(*value),
            Some(ConstState::Wrong) => return None,
            Some(ConstState::Evaluating) => {
                let name = self.def(def).name;
                self.report_plain(
                    Diagnostic::error(
                        format!("constant `{}` depends on itself", name.text),
                        name.span,
                        "its value is needed to evaluate it",
                    )
                    .help("give one of the constants in the circle a number"),
                );
                return None;
            }
            None => {}
        }
        let definition = self.def(def);
        let DefKind::Const(expr) = definition.kind else { return None };
        self.constants.insert(def, ConstState::Evaluating);
        let own = if self.const_depth < DEPTH {
            self.const_depth += 1;
            let own = self.const_expr(&Env::of_unit(definition.unit), expr);
            self.const_depth -= 1;
            own
        } else {
            self.report_plain(
                Diagnostic::error(
                    "constants depend on each other too deeply",
                    expr.span,
                    "more than 128 levels",
                )
                .help("define constants before those that use them"),
            );
            None
        };
        let value = own.map(|own| self.overridden(def).unwrap_or(own));
        self.constants.insert(def, value.map_or(ConstState::Wrong, ConstState::Known));
        value
    }

    /// Reports values of the setting for unknown constants, and values that are too large.
    pub fn check_overrides(&mut self, at: Span) {
        let root = self.units.root;
        let known: Vec<&str> = self.settable().into_iter().map(|(name, _)| name).collect();
        let setting = self.setting;
        for (name, value) in &setting.constants {
            if !known.contains(&name.as_str()) {
                let lost = self.names.lookup(root, Namespace::Value, name) == Lookup::Lost;
                if !lost {
                    let mut diagnostic = Diagnostic::error(
                        format!("there is no constant `{name}` to set to {value}"),
                        at,
                        "the object has no such constant",
                    );
                    diagnostic.help = suggest::help(name, known.iter().copied())
                        .or_else(|| Some("a constant is defined by `const NAME = 2;`".into()));
                    self.report_plain(diagnostic);
                }
            } else if !(LEAST..=GREATEST).contains(value) {
                self.report_plain(
                    Diagnostic::error(format!("{value} is too large for `{name}`"), at, "set by the caller")
                        .help(format!("numbers go from {LEAST} to {GREATEST}")),
                );
            }
        }
    }

    /// The constants that the root file can name, in alphabetical order: those that a setting may change.
    pub fn settable(&self) -> Vec<(&'a str, DefId)> {
        let names = self.names;
        let known = names.known(self.units.root, Namespace::Value);
        known.filter(|(_, def)| matches!(names.def(*def).kind, DefKind::Const(_))).collect()
    }

    /// The constants of the program with their values.
    pub fn constants_of_program(&mut self) -> Vec<hir::Constant> {
        let mut constants = Vec::new();
        for (_, def) in self.settable() {
            let name = self.def(def).name;
            if let Some(value) = self.const_value(def) {
                constants.push(hir::Constant { name: name.text.clone(), value, span: name.span });
            }
        }
        constants.sort_by_key(|constant| constant.span);
        constants
    }

    fn overridden(&self, def: DefId) -> Option<i64> {
        let name = &*self.def(def).name.text;
        let visible = self.names.lookup(self.units.root, Namespace::Value, name) == Lookup::Found(def);
        self.setting
            .constants
            .get(name)
            .copied()
            .filter(|value| visible && (LEAST..=GREATEST).contains(value))
    }

    fn exact(&mut self, env: &Env, expr: &'a Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Paren(inner) => self.exact(env, inner),
            ExprKind::Name(name) => self.const_name(env, name),
            ExprKind::Unary(UnaryOp::Neg, inner) => {
                let value = self.exact(env, inner)?;
                self.in_bounds(env, expr.span, value.checked_neg())
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.exact(env, left), self.exact(env, right));
                self.const_binary(env, expr.span, *op, left?, right?)
            }
            ExprKind::Error => None,
            _ => {
                self.report(env, not_constant(expr.span));
                None
            }
        }
    }

    fn const_binary(&mut self, env: &Env, span: Span, op: BinaryOp, left: i64, right: i64) -> Option<i64> {
        let value = match op {
            BinaryOp::Add => left.checked_add(right),
            BinaryOp::Sub => left.checked_sub(right),
            BinaryOp::Mul => left.checked_mul(right),
            BinaryOp::Div | BinaryOp::Rem if right == 0 => {
                self.report(env, Diagnostic::error("division by zero", span, "in a constant expression"));
                return None;
            }
            BinaryOp::Div => left.checked_div(right),
            BinaryOp::Rem => left.checked_rem(right),
            _ => {
                self.report(env, not_constant(span));
                return None;
            }
        };
        self.in_bounds(env, span, value)
    }

    fn in_bounds(&mut self, env: &Env, span: Span, value: Option<i64>) -> Option<i64> {
        if value.is_none() {
            self.report(env, too_large(span));
        }
        value
    }

    fn const_name(&mut self, env: &Env, name: &'a Name) -> Option<i64> {
        if let Some(parameter) = env.spec.as_ref().and_then(|spec| spec.parameter(&name.text)) {
            if let Some(definition) = of_specification(self.names, env.unit, name) {
                self.note(name.span, definition, NameKind::SpecVariable, Some(parameter.ty));
            }
            let value = parameter.as_number(&self.types);
            if value.is_none() && !self.is_poison(parameter.ty) {
                self.report(env, not_constant(name.span));
            }
            return value;
        }
        match self.names.lookup(env.unit, Namespace::Value, &name.text) {
            Lookup::Found(def) if matches!(self.def(def).kind, DefKind::Const(_)) => {
                let int = self.int();
                self.note_def(name, def, Some(int));
                self.const_value(def)
            }
            Lookup::Found(def) => {
                let definition = self.def(def);
                self.report(
                    env,
                    Diagnostic::error(
                        format!("`{}` is not a constant", name.text),
                        name.span,
                        format!("this is {}", definition.kind.noun()),
                    )
                    .label(definition.name.span, "defined here")
                    .help("for a length known at run time, use `*[T]` and `new [e; n]`"),
                );
                None
            }
            Lookup::Lost => None,
            Lookup::Unknown if &*name.text == THREADS => Some(self.threads(name.span)),
            Lookup::Unknown => {
                let mut diagnostic = Diagnostic::error(
                    format!("there is no constant `{}`", name.text),
                    name.span,
                    "a constant is needed here",
                );
                let known = self.names.known(env.unit, Namespace::Value);
                let constants = known.filter(|(_, def)| matches!(self.def(*def).kind, DefKind::Const(_)));
                let mut known: Vec<&str> = constants.map(|(name, _)| name).collect();
                known.push(THREADS);
                diagnostic.help = suggest::help(&name.text, known);
                self.report(env, diagnostic);
                None
            }
        }
    }
}

pub(in crate::typing) fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error("this number is too large", span, format!("numbers go from {LEAST} to {GREATEST}"))
}

fn not_constant(span: Span) -> Diagnostic {
    Diagnostic::error("this is not a constant number", span, "its value is needed before the program runs")
        .help("numbers, `const`s, `threads`, and `+ - * / %` of them are constants")
}
