//! The primitives: functions that the language itself defines, and the methods of locks and conditions.
//!
//! A primitive works on one *location*: a shared place that holds a value, not a whole struct, array or
//! collection.

use super::body::Body;
use super::convert::Why;
use super::place::Root;
use crate::syntax::ast::{self, Name};
use crate::typing::hir::{MemoryKind, PlaceExpr, Primitive, TypedExpr, TypedExprKind};
use crate::typing::suggest;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::source::Span;
use linchpin_ir::types::{TypeId, TypeKind};

const LOCK_METHODS: [&str; 4] = ["lock", "unlock", "try_lock", "is_locked"];
const CONDVAR_METHODS: [&str; 3] = ["wait", "notify_one", "notify_all"];

/// Help for a call of a primitive with a wrong number of arguments. `None` for other functions.
pub(super) fn usage(name: &str) -> Option<String> {
    let usage = match name {
        "cas" => "cas(place, old, new)",
        "cmpxchg" => "cmpxchg(place, old, new)",
        "dcas" => "dcas(place, other, old, other_old, new, other_new)",
        "swap" => "swap(place, new)",
        "fetch_add" => "fetch_add(place, 1)",
        "sc" => "sc(place, new)",
        "ll" => "ll(place)",
        "free" => "free(pointer)",
        _ => return None,
    };
    Some(format!("write `{usage}`"))
}

impl<'a> Body<'_, 'a> {
    pub fn primitive(&mut self, name: &'a Name, args: &'a [ast::Expr], span: Span) -> TypedExpr {
        let wanted = match &*name.text {
            "cas" | "cmpxchg" => 3,
            "dcas" => 6,
            "swap" | "fetch_add" | "sc" => 2,
            _ => 1,
        };
        if &*name.text != "ord" && !self.only_in_code(&format!("`{}`", name.text), span) {
            return self.poison_expr(span);
        }
        if !self.right_number(&name.text, wanted, args, name.span) {
            return self.poison_expr(span);
        }
        let made = match (&*name.text, args) {
            ("cas", [place, old, new]) => self.cas(name, place, old, new, true),
            ("cmpxchg", [place, old, new]) => self.cas(name, place, old, new, false),
            ("dcas", [p, q, old_p, old_q, new_p, new_q]) => {
                self.dcas(name, [p, q], [old_p, old_q], [new_p, new_q])
            }
            ("swap", [place, value]) => self.swap(name, place, value),
            ("fetch_add", [place, value]) => self.fetch_add(name, place, value),
            ("ll", [place]) => self
                .location(name, place)
                .map(|place| (place.ty, TypedExprKind::Primitive(Primitive::Ll(place)))),
            ("sc", [place, value]) => self.store_conditional(name, place, value),
            ("free", [pointer]) => self.free(pointer),
            ("ord", [value]) => self.ord(value),
            _ => None,
        };
        match made {
            Some((ty, kind)) => TypedExpr { kind, ty, span },
            None => self.poison_expr(span),
        }
    }

    fn cas(
        &mut self,
        name: &Name,
        place: &'a ast::Expr,
        old: &'a ast::Expr,
        new: &'a ast::Expr,
        says_whether: bool,
    ) -> Option<(TypeId, TypedExprKind)> {
        let place = self.location(name, place);
        let [old, new] = self.values_for(&place, [old, new]);
        let (place, old, new) = (place?, Box::new(old?), Box::new(new?));
        Some(if says_whether {
            (self.cx.bool(), TypedExprKind::Primitive(Primitive::Cas { place, old, new }))
        } else {
            (place.ty, TypedExprKind::Primitive(Primitive::CmpXchg { place, old, new }))
        })
    }

    fn dcas(
        &mut self,
        name: &Name,
        [p, q]: [&'a ast::Expr; 2],
        [old_p, old_q]: [&'a ast::Expr; 2],
        [new_p, new_q]: [&'a ast::Expr; 2],
    ) -> Option<(TypeId, TypedExprKind)> {
        let p = self.location(name, p);
        let q = self.location(name, q);
        let [old_p, new_p] = self.values_for(&p, [old_p, new_p]);
        let [old_q, new_q] = self.values_for(&q, [old_q, new_q]);
        let dcas = Primitive::Dcas {
            places: Box::new([p?, q?]),
            olds: Box::new([old_p?, old_q?]),
            news: Box::new([new_p?, new_q?]),
        };
        Some((self.cx.bool(), TypedExprKind::Primitive(dcas)))
    }

    fn swap(
        &mut self,
        name: &Name,
        place: &'a ast::Expr,
        value: &'a ast::Expr,
    ) -> Option<(TypeId, TypedExprKind)> {
        let place = self.location(name, place);
        let [value] = self.values_for(&place, [value]);
        let (place, value) = (place?, Box::new(value?));
        Some((place.ty, TypedExprKind::Primitive(Primitive::Swap { place, value })))
    }

    fn store_conditional(
        &mut self,
        name: &Name,
        place: &'a ast::Expr,
        value: &'a ast::Expr,
    ) -> Option<(TypeId, TypedExprKind)> {
        let place = self.location(name, place);
        let [value] = self.values_for(&place, [value]);
        let (place, value) = (place?, Box::new(value?));
        Some((self.cx.bool(), TypedExprKind::Primitive(Primitive::Sc { place, value })))
    }

    fn fetch_add(
        &mut self,
        name: &Name,
        place: &'a ast::Expr,
        value: &'a ast::Expr,
    ) -> Option<(TypeId, TypedExprKind)> {
        let place = self.location(name, place);
        let int = self.cx.int();
        let value = self.expr_as(value, int, Why::Plain);
        let place = place?;
        if !self.cx.types.is_number(place.ty) {
            let found = self.name_of(place.ty);
            self.report(Diagnostic::error(
                "`fetch_add` needs a number",
                place.span,
                format!("this is `{found}`"),
            ));
            return None;
        }
        if self.is_poison(value.ty) {
            return None;
        }
        Some((place.ty, TypedExprKind::Primitive(Primitive::FetchAdd { place, value: Box::new(value) })))
    }

    fn free(&mut self, pointer: &'a ast::Expr) -> Option<(TypeId, TypedExprKind)> {
        let span = pointer.span;
        let pointer = self.expr(pointer, None);
        if self.is_poison(pointer.ty) {
            return None;
        }
        if !matches!(self.cx.types.kind(pointer.ty), TypeKind::Pointer(_)) {
            let found = self.name_of(pointer.ty);
            self.report(Diagnostic::error("`free` takes a pointer", span, format!("this is `{found}`")));
            return None;
        }
        if self.cx.memory == MemoryKind::Gc {
            self.report(
                Diagnostic::error(
                    "`free` cannot be used under garbage collection",
                    span,
                    "unreachable cells are freed automatically",
                )
                .help("declare `memory pool;` (freed cells stay readable) or `memory manual;` (access to a freed cell is an error)"),
            );
            return None;
        }
        Some((self.cx.unit(), TypedExprKind::Primitive(Primitive::Free(Box::new(pointer)))))
    }

    fn ord(&mut self, value: &'a ast::Expr) -> Option<(TypeId, TypedExprKind)> {
        let value = self.expr(value, None);
        if self.is_poison(value.ty) {
            return None;
        }
        let int = self.cx.int();
        match self.cx.types.kind(value.ty) {
            TypeKind::Data
            | TypeKind::Key
            | TypeKind::Thread
            | TypeKind::Enum(_)
            | TypeKind::Bool
            | TypeKind::Int
            | TypeKind::Range { .. } => Some((int, TypedExprKind::Ord(Box::new(value)))),
            _ => {
                let found = self.name_of(value.ty);
                self.report(
                    Diagnostic::error("this value has no number", value.span, format!("this is `{found}`"))
                        .help("`ord` takes `data`, `key`, `thread`, enums, `bool` and numbers"),
                );
                None
            }
        }
    }

    /// Values of a place's type; without a place they are only looked at.
    fn values_for<const N: usize>(
        &mut self,
        place: &Option<PlaceExpr>,
        values: [&'a ast::Expr; N],
    ) -> [Option<TypedExpr>; N] {
        values.map(|value| match place {
            Some(place) => {
                let value = self.expr_as(value, place.ty, Why::At(place.span, "the place holds this type"));
                (!self.is_poison(value.ty)).then_some(value)
            }
            None => {
                self.look_at_arguments(std::slice::from_ref(value));
                None
            }
        })
    }

    /// The location that a primitive works on.
    fn location(&mut self, primitive: &Name, written: &'a ast::Expr) -> Option<PlaceExpr> {
        let place = self.place(written);
        if self.is_poison(place.ty) {
            return None;
        }
        let root = place.root();
        if root == Root::SelfPlace {
            self.effects.primitive_on_self.get_or_insert(written.span);
        }
        if matches!(root, Root::Local | Root::Value) {
            let text =
                if root == Root::Local { "this is a variable of this thread" } else { "this is a value" };
            self.report(
                Diagnostic::error(
                    format!("`{}` needs a shared place", primitive.text),
                    written.span,
                    text,
                )
                .help(
                    "a shared place is a `shared` variable, or a field or element reached through a pointer",
                ),
            );
            return None;
        }
        if !self.holds_a_value(&place) {
            return None;
        }
        if self.cx.types.is_collection(place.ty) {
            self.report(
                Diagnostic::error(
                    format!("`{}` needs a single value", primitive.text),
                    written.span,
                    format!("this is `{}`", self.name_of(place.ty)),
                )
                .help("call methods of the collection; `atomic { … }` joins several accesses"),
            );
            return None;
        }
        Some(place)
    }

    pub fn lock_method(
        &mut self,
        place: PlaceExpr,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
    ) -> TypedExpr {
        let make: fn(PlaceExpr) -> Primitive = match &*name.text {
            "lock" => Primitive::Lock,
            "unlock" => Primitive::Unlock,
            "try_lock" => Primitive::TryLock,
            "is_locked" => Primitive::IsLocked,
            _ => return self.no_such_method("lock", name, &LOCK_METHODS, args, span),
        };
        if !self.no_arguments(name, args) || !self.only_in_code("a lock", span) {
            return self.poison_expr(span);
        }
        let ty = match &*name.text {
            "lock" | "unlock" => self.cx.unit(),
            _ => self.cx.bool(),
        };
        TypedExpr { kind: TypedExprKind::Primitive(make(place)), ty, span }
    }

    pub fn condvar_method(
        &mut self,
        place: PlaceExpr,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
    ) -> TypedExpr {
        if !self.only_in_code("a condition", span) {
            return self.poison_expr(span);
        }
        let unit = self.cx.unit();
        let primitive = match &*name.text {
            "notify_one" if self.no_arguments(name, args) => Primitive::NotifyOne(place),
            "notify_all" if self.no_arguments(name, args) => Primitive::NotifyAll(place),
            "wait" => match args {
                [lock] => {
                    let lock = self.place(lock);
                    if self.is_poison(lock.ty) {
                        return self.poison_expr(span);
                    }
                    if self.cx.types.kind(lock.ty) != TypeKind::Lock {
                        let found = self.name_of(lock.ty);
                        self.report(
                            Diagnostic::error(
                                "`wait` takes the lock to release",
                                lock.span,
                                format!("this is `{found}`"),
                            )
                            .help("a condition works with a built-in `lock`"),
                        );
                        return self.poison_expr(span);
                    }
                    Primitive::Wait { condvar: place, lock }
                }
                _ => {
                    self.right_number("wait", 1, args, name.span);
                    return self.poison_expr(span);
                }
            },
            "notify_one" | "notify_all" => return self.poison_expr(span),
            _ => return self.no_such_method("condvar", name, &CONDVAR_METHODS, args, span),
        };
        TypedExpr { kind: TypedExprKind::Primitive(primitive), ty: unit, span }
    }

    /// Reports a method that a built-in type does not have, with those that it has.
    pub fn no_such_method(
        &mut self,
        type_name: &str,
        name: &Name,
        known: &[&str],
        args: &'a [ast::Expr],
        span: Span,
    ) -> TypedExpr {
        let mut diagnostic = Diagnostic::error(
            format!("`{type_name}` has no method `{}`", name.text),
            name.span,
            "there is no such method",
        );
        let near = suggest::nearest(&name.text, known.iter().copied());
        diagnostic.help = Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its methods are {}", suggest::list(known)),
        });
        self.report(diagnostic);
        self.look_at_arguments(args);
        self.poison_expr(span)
    }
}
