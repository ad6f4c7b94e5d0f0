//! The methods of `seq`, `set`, `bag` and `map`, and the quantifiers over them.

use super::body::{Body, Stage};
use super::convert::Why;
use super::place::Root;
use crate::syntax::ast::{self, Name};
use crate::typing::hir::{CollectionMethod, PlaceExpr, TypedExpr, TypedExprKind};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind};

/// The type of an argument or a result of a method.
#[derive(Clone, Copy)]
enum Shape {
    Nothing,
    Bool,
    Int,
    /// An element, or a key of a map.
    Element,
    /// A value of a map.
    Value,
    OptionalValue,
}

struct Method {
    name: &'static str,
    method: CollectionMethod,
    params: &'static [Shape],
    result: Shape,
}

const fn method(
    name: &'static str,
    method: CollectionMethod,
    params: &'static [Shape],
    result: Shape,
) -> Method {
    Method { name, method, params, result }
}

const COMMON: [Method; 4] = [
    method("len", CollectionMethod::Len, &[], Shape::Int),
    method("is_empty", CollectionMethod::IsEmpty, &[], Shape::Bool),
    method("clear", CollectionMethod::Clear, &[], Shape::Nothing),
    method("contains", CollectionMethod::Contains, &[Shape::Element], Shape::Bool),
];

const SEQ: [Method; 6] = [
    method("push_back", CollectionMethod::PushBack, &[Shape::Element], Shape::Nothing),
    method("push_front", CollectionMethod::PushFront, &[Shape::Element], Shape::Nothing),
    method("pop_back", CollectionMethod::PopBack, &[], Shape::Element),
    method("pop_front", CollectionMethod::PopFront, &[], Shape::Element),
    method("remove_at", CollectionMethod::RemoveAt, &[Shape::Int], Shape::Element),
    method("insert_at", CollectionMethod::InsertAt, &[Shape::Int, Shape::Element], Shape::Nothing),
];

const SET: [Method; 2] = [
    method("add", CollectionMethod::Add, &[Shape::Element], Shape::Bool),
    method("remove", CollectionMethod::Remove, &[Shape::Element], Shape::Bool),
];

const BAG: [Method; 3] = [
    method("add", CollectionMethod::Add, &[Shape::Element], Shape::Nothing),
    method("remove", CollectionMethod::Remove, &[Shape::Element], Shape::Bool),
    method("count", CollectionMethod::Count, &[Shape::Element], Shape::Int),
];

const MAP: [Method; 3] = [
    method("insert", CollectionMethod::Insert, &[Shape::Element, Shape::Value], Shape::OptionalValue),
    method("get", CollectionMethod::Lookup, &[Shape::Element], Shape::OptionalValue),
    method("remove", CollectionMethod::RemoveKey, &[Shape::Element], Shape::OptionalValue),
];

impl<'a> Body<'_, 'a> {
    pub fn collection_method(
        &mut self,
        place: PlaceExpr,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
    ) -> TypedExpr {
        if matches!(&*name.text, "all" | "any") {
            return self.quantifier(place, name, args, span);
        }
        let (element, value, own): (TypeId, TypeId, &[Method]) = match self.cx.types.kind(place.ty) {
            TypeKind::Seq(of) => (of, of, &SEQ),
            TypeKind::Set(of) => (of, of, &SET),
            TypeKind::Bag(of) => (of, of, &BAG),
            TypeKind::Map(key, value) => (key, value, &MAP),
            _ => return self.poison_expr(span),
        };
        let Some(found) = own.iter().chain(&COMMON).find(|method| method.name == &*name.text) else {
            let mut known: Vec<&str> = own.iter().chain(&COMMON).map(|method| method.name).collect();
            known.extend(["all", "any"]);
            let type_name = self.name_of(place.ty);
            return self.no_such_method(&type_name, name, &known, args, span);
        };
        let params: Vec<TypeId> =
            found.params.iter().map(|shape| self.shape(*shape, element, value)).collect();
        let result = self.shape(found.result, element, value);
        if !self.right_number(found.name, params.len(), args, name.span) {
            return self.poison_expr(span);
        }
        let args: Vec<TypedExpr> =
            params.iter().zip(args).map(|(ty, arg)| self.expr_as(arg, *ty, Why::Plain)).collect();
        if args.iter().any(|arg| self.is_poison(arg.ty)) || !self.may_change(&place, found.method, name) {
            return self.poison_expr(span);
        }
        TypedExpr {
            kind: TypedExprKind::Method { receiver: place, method: found.method, args },
            ty: result,
            span,
        }
    }

    /// Returns whether a method may be called here on this place. Reports if not.
    fn may_change(&mut self, place: &PlaceExpr, method: CollectionMethod, name: &Name) -> bool {
        if method.is_pure() {
            return true;
        }
        if self.stage == Stage::When {
            return self.only_in_code(&format!("`{}`, which changes a collection,", name.text), name.span);
        }
        if place.root() == Root::Value {
            self.report(
                Diagnostic::error(
                    format!("`{}` would change a temporary value", name.text),
                    place.span,
                    "this collection is not stored in a variable",
                )
                .help("store it in a variable first"),
            );
            return false;
        }
        true
    }

    fn shape(&mut self, shape: Shape, element: TypeId, value: TypeId) -> TypeId {
        match shape {
            Shape::Nothing => self.cx.unit(),
            Shape::Bool => self.cx.bool(),
            Shape::Int => self.cx.int(),
            Shape::Element => element,
            Shape::Value => value,
            Shape::OptionalValue => self.cx.option(value),
        }
    }

    /// `c.all(|x| e)`, `c.any(|x| e)`
    fn quantifier(
        &mut self,
        place: PlaceExpr,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
    ) -> TypedExpr {
        let (TypeKind::Seq(of) | TypeKind::Set(of) | TypeKind::Bag(of) | TypeKind::Map(of, _)) =
            self.cx.types.kind(place.ty)
        else {
            return self.poison_expr(span);
        };
        let [arg] = args else {
            self.right_number(&name.text, 1, args, name.span);
            return self.poison_expr(span);
        };
        let ast::ExprKind::Lambda { param, body } = &arg.kind else {
            self.report(
                Diagnostic::error(
                    format!("`{}` takes a condition on an element", name.text),
                    arg.span,
                    "expected `|x| condition`",
                )
                .help(format!("write `.{}(|x| x == v)`", name.text)),
            );
            return self.poison_expr(span);
        };
        let collection = self.read(place);
        let (var, body) = self.scoped(|inside| {
            let var = inside.declare(param, of);
            (var, inside.condition(body))
        });
        if self.is_poison(collection.ty) || self.is_poison(body.ty) {
            return self.poison_expr(span);
        }
        let bool = self.cx.bool();
        let kind = TypedExprKind::Quantifier {
            all: &*name.text == "all",
            collection: Box::new(collection),
            var,
            body: Box::new(body),
        };
        TypedExpr { kind, ty: bool, span }
    }
}
