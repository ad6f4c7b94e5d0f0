//! `match`: its patterns are constants of the value's type, and together they cover it unless there is a `_`.

use super::body::Body;
use super::convert::Why;
use crate::syntax::ast;
use crate::typing::hir::{TypedBlock, TypedExpr, TypedExprKind, TypedStmtKind};
use crate::typing::suggest;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::{NONE, TypeId, TypeKind, Word, word_of};

/// Types with more values than this need a `_`.
const MOST_VALUES: i64 = 256;

impl<'a> Body<'_, 'a> {
    pub fn match_stmt(&mut self, value: &'a ast::Expr, arms: &'a [ast::Arm]) -> TypedStmtKind {
        let value = self.value(value);
        let mut patterns: Vec<(Vec<Word>, Span)> = Vec::new();
        let mut has_rest = false;
        let mut right = !self.is_poison(value.ty);
        let mut checked: Vec<(Option<TypedExpr>, TypedBlock)> = Vec::new();
        for arm in arms {
            if has_rest {
                self.report(Diagnostic::warning(
                    "this arm is never reached",
                    arm.span,
                    "an earlier `_` matches every value",
                ));
            }
            let pattern = arm.pattern.as_ref().map(|pattern| self.pattern(pattern, value.ty));
            match &pattern {
                None => has_rest = true,
                Some(Some(pattern)) => {
                    if let TypedExprKind::Constant(words) = &pattern.kind {
                        if let Some((_, first)) = patterns.iter().find(|(known, _)| known == words) {
                            let first = *first;
                            self.report(
                                Diagnostic::warning(
                                    "this arm is never reached",
                                    pattern.span,
                                    "this pattern occurs before",
                                )
                                .label(first, "the first time here"),
                            );
                        }
                        patterns.push((words.clone(), pattern.span));
                    }
                }
                Some(None) => right = false,
            }
            let body = self.block(&arm.body);
            checked.push((pattern.flatten(), body));
        }
        if right && !has_rest {
            self.covered(value.ty, &patterns, value.span);
        }
        TypedStmtKind::Match(value, checked)
    }

    /// A pattern; `None` if it is wrong, which was reported.
    fn pattern(&mut self, pattern: &'a ast::Expr, ty: TypeId) -> Option<TypedExpr> {
        let value = self.expr_as(pattern, ty, Why::Plain);
        if self.is_poison(value.ty) || self.is_poison(ty) {
            return None;
        }
        match self.fold(&value) {
            Some(words) => Some(self.constant(words, ty, pattern.span)),
            None => {
                self.report(
                    Diagnostic::error("a pattern must be a constant", pattern.span, "not a constant").help(
                        "variants, numbers, `const`s, `none`, `null`, `true`, `false` and `_` are patterns",
                    ),
                );
                None
            }
        }
    }

    fn covered(&mut self, ty: TypeId, patterns: &[(Vec<Word>, Span)], span: Span) {
        let all = self.values(ty);
        let Some(all) = all else {
            self.report(
                Diagnostic::error(
                    "this `match` does not cover all values",
                    span,
                    format!("`{}` has more values than arms can list", self.name_of(ty)),
                )
                .help("add `_ => { … }` for the others"),
            );
            return;
        };
        let missing = all.into_iter().filter(|(words, _)| !patterns.iter().any(|(known, _)| known == words));
        let missing: Vec<String> = missing.map(|(_, name)| name).collect();
        if missing.is_empty() {
            return;
        }
        let shown: Vec<&str> = missing.iter().take(4).map(String::as_str).collect();
        let more = if missing.len() > shown.len() { " and others" } else { "" };
        self.report(
            Diagnostic::error(
                "this `match` does not cover all values",
                span,
                format!("{}{more} not covered", suggest::list(&shown)),
            )
            .help("add the missing arms, or `_ => { … }` for the others"),
        );
    }

    /// All values of a type with few of them, and how they are written.
    fn values(&self, ty: TypeId) -> Option<Vec<(Vec<Word>, String)>> {
        match self.cx.types.kind(ty) {
            TypeKind::Bool => Some(vec![(vec![0], "false".into()), (vec![1], "true".into())]),
            TypeKind::Enum(id) => {
                let definition = &self.cx.types.enums[id];
                let variants = definition.variants.iter().enumerate();
                Some(variants.map(|(i, v)| (vec![word_of(i)], format!("{}::{v}", definition.name))).collect())
            }
            TypeKind::Range { low, high } if high - low < MOST_VALUES => {
                Some((low..=high).map(|value| (vec![word_of(value)], value.to_string())).collect())
            }
            TypeKind::Option(of) if self.cx.types.option_is_flat(of) => {
                let mut values = self.values(of)?;
                values.push((vec![NONE], "none".into()));
                Some(values)
            }
            _ => None,
        }
    }
}
