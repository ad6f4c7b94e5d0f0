//! Which expressions of the text need no instruction: they read only what belongs to the thread, and change nothing.

use super::Translator;
use super::place::Resolved;
use crate::typing::hir::{Expr, ExprKind, Place, PlaceKind};

impl Translator<'_, '_> {
    /// Translating the expression writes no instruction.
    pub(super) fn is_pure(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Me => true,
            ExprKind::Read(place) => self.is_pure_place(place),
            ExprKind::Unary(_, e)
            | ExprKind::Some(e)
            | ExprKind::ToRange { value: e, .. }
            | ExprKind::Unwrap(e)
            | ExprKind::Repeat(e, _)
            | ExprKind::Hash(_, e)
            | ExprKind::Ord(e) => self.is_pure(e),
            ExprKind::Binary(_, a, b) => self.is_pure(a) && self.is_pure(b),
            ExprKind::Word { fields: parts, .. } | ExprKind::Array(parts) | ExprKind::Collection(parts) => {
                parts.iter().all(|part| self.is_pure(part))
            }
            ExprKind::Method { receiver, method, args } => {
                method.is_pure() && self.is_pure_place(receiver) && args.iter().all(|arg| self.is_pure(arg))
            }
            ExprKind::Quantifier { collection, body, .. } => self.is_pure(collection) && self.is_pure(body),
            ExprKind::New { .. }
            | ExprKind::NewArray { .. }
            | ExprKind::ArrayLen(_)
            | ExprKind::Call { .. }
            | ExprKind::Choose { .. }
            | ExprKind::Primitive(_) => false,
        }
    }

    /// The place belongs to the thread, and finding it writes no instruction.
    fn is_pure_place(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Var(_) | PlaceKind::ThreadVar(_) => true,
            PlaceKind::Shared(_) | PlaceKind::State(_) | PlaceKind::Deref(_) => false,
            PlaceKind::SelfPlace => !matches!(self.frame().self_place, Some(Resolved::Shared(_))),
            PlaceKind::Field(base, _) => self.is_pure_place(base),
            PlaceKind::Index(base, index) => self.is_pure_place(base) && self.is_pure(index),
            PlaceKind::Value(value) => self.is_pure(value),
        }
    }

    /// Finding the place, shared or not, writes no instruction.
    pub(super) fn is_found_purely(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Var(_)
            | PlaceKind::ThreadVar(_)
            | PlaceKind::Shared(_)
            | PlaceKind::State(_)
            | PlaceKind::SelfPlace => true,
            PlaceKind::Deref(pointer) => self.is_pure(pointer),
            PlaceKind::Field(base, _) => self.is_found_purely(base),
            PlaceKind::Index(base, index) => self.is_found_purely(base) && self.is_pure(index),
            PlaceKind::Value(value) => self.is_pure(value),
        }
    }
}
