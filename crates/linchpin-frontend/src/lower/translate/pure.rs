//! Which expressions of the text need no instruction: they read only what belongs to the thread, and change
//! nothing.

use super::Translator;
use super::place::Resolved;
use crate::typing::hir::{PlaceExpr, PlaceKind, TypedExpr, TypedExprKind};

impl Translator<'_, '_> {
    /// Translating the expression writes no instruction.
    pub(super) fn is_pure(&self, expr: &TypedExpr) -> bool {
        match &expr.kind {
            TypedExprKind::Constant(_) | TypedExprKind::Me => true,
            TypedExprKind::Read(place) => self.is_pure_place(place),
            TypedExprKind::Unary(_, e)
            | TypedExprKind::Some(e)
            | TypedExprKind::ToRange { value: e, .. }
            | TypedExprKind::Unwrap(e)
            | TypedExprKind::Repeat(e, _)
            | TypedExprKind::Hash(_, e)
            | TypedExprKind::Ord(e) => self.is_pure(e),
            TypedExprKind::Binary(_, a, b) => self.is_pure(a) && self.is_pure(b),
            TypedExprKind::Word { fields: parts, .. }
            | TypedExprKind::Array(parts)
            | TypedExprKind::Collection(parts) => parts.iter().all(|part| self.is_pure(part)),
            TypedExprKind::Method { receiver, method, args } => {
                method.is_pure() && self.is_pure_place(receiver) && args.iter().all(|arg| self.is_pure(arg))
            }
            TypedExprKind::Quantifier { collection, body, .. } => {
                self.is_pure(collection) && self.is_pure(body)
            }
            TypedExprKind::New { .. }
            | TypedExprKind::NewArray { .. }
            | TypedExprKind::ArrayLen(_)
            | TypedExprKind::Call { .. }
            | TypedExprKind::Choose { .. }
            | TypedExprKind::Primitive(_) => false,
        }
    }

    /// The place belongs to the thread, and finding it writes no instruction.
    fn is_pure_place(&self, place: &PlaceExpr) -> bool {
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
    pub(super) fn is_found_purely(&self, place: &PlaceExpr) -> bool {
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
