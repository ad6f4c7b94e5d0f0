//! Methods of collections. On shared memory each call is one access; on what belongs to the thread a method
//! that changes nothing is an expression.

use super::place::Resolved;
use super::{Destination, Translator};
use crate::typing::hir;
use linchpin_ir::program::{CollectionMethod, Expr, ExprKind, Op, Target};

impl<'a> Translator<'_, 'a> {
    /// The value of a method that leaves its collection as it is.
    pub(super) fn pure_method(
        &mut self,
        expr: &'a hir::TypedExpr,
        receiver: &'a hir::PlaceExpr,
        method: CollectionMethod,
        args: &'a [hir::TypedExpr],
    ) -> Expr {
        let (receiver, args) = self.receiver_and_args(receiver, args);
        let collection = match receiver {
            Resolved::Value(value) => value,
            Resolved::Local(place) => self.read_local(&place),
            Resolved::Shared(place) if self.bound.is_empty() => {
                let into = self.temporary(expr.ty, expr.span);
                let on = Target::Shared(place);
                self.emit(Op::Collection { into: Some(self.whole(into)), on, method, args }, expr.span);
                return self.read(into);
            }
            Resolved::Shared(place) => self.load_before_candidates(place, expr.span),
        };
        Expr { kind: ExprKind::Method(method, Box::new(collection), args), ty: expr.ty }
    }

    pub(super) fn method(
        &mut self,
        expr: &'a hir::TypedExpr,
        receiver: &'a hir::PlaceExpr,
        method: CollectionMethod,
        args: &'a [hir::TypedExpr],
        to: Destination,
    ) {
        if method == CollectionMethod::Set
            && let [index, value] = args
        {
            self.set_element(expr, receiver, index, value);
            return;
        }
        let (receiver, args) = self.receiver_and_args(receiver, args);
        let on = match receiver {
            Resolved::Shared(place) => Target::Shared(place),
            Resolved::Local(place) if !method.is_pure() => Target::Local(place),
            Resolved::Local(place) => {
                let collection = Box::new(self.read_local(&place));
                let value = Expr { kind: ExprKind::Method(method, collection, args), ty: expr.ty };
                self.deliver(value, to, expr.span);
                return;
            }
            Resolved::Value(collection) if method.is_pure() => {
                let value = Expr { kind: ExprKind::Method(method, Box::new(collection), args), ty: expr.ty };
                self.deliver(value, to, expr.span);
                return;
            }
            Resolved::Value(collection) => {
                let temporary = self.temporary(collection.ty, expr.span);
                self.assign(self.whole(temporary), collection, expr.span);
                Target::Local(self.whole(temporary))
            }
        };
        let into = self.wanted(to);
        self.emit(Op::Collection { into, on, method, args }, expr.span);
    }

    /// `s[i] = x` is an assignment: the right side comes first.
    fn set_element(
        &mut self,
        expr: &'a hir::TypedExpr,
        receiver: &'a hir::PlaceExpr,
        index: &'a hir::TypedExpr,
        value: &'a hir::TypedExpr,
    ) {
        let written = self.value(value);
        let stays = self.is_found_purely(receiver) && self.is_pure(index);
        let written = if stays { written } else { self.spill_to_temporary(written, value.span) };
        let (receiver, mut args) = self.receiver_and_args(receiver, std::slice::from_ref(index));
        args.push(written);
        let on = match receiver {
            Resolved::Shared(place) => Target::Shared(place),
            Resolved::Local(place) => Target::Local(place),
            Resolved::Value(_) => return,
        };
        self.emit(Op::Collection { into: None, on, method: CollectionMethod::Set, args }, expr.span);
    }

    fn receiver_and_args(
        &mut self,
        receiver: &'a hir::PlaceExpr,
        args: &'a [hir::TypedExpr],
    ) -> (Resolved, Vec<Expr>) {
        let mut resolved = self.resolve(receiver);
        if !args.iter().all(|arg| self.is_pure(arg)) {
            resolved = self.spill_place(resolved, receiver.span);
        }
        (resolved, self.operands(args))
    }
}
