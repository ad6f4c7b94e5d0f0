//! Types of operands, places and results. A number fits where a number is wanted, whatever its range;
//! everything else has exactly one type.

use super::Validator;
use crate::index::Index;
use crate::interface::{BinaryOp, UnaryOp};
use crate::program::{
    Base, Candidates, CollectionMethod, Expr, ExprKind, LocalBase, LocalPlace, MemoryKind, Op, Place,
    Projection, Target,
};
use crate::types::{Pointee, TypeId, TypeKind};

impl Validator<'_> {
    pub(super) fn types(&mut self) {
        for (pc, instr) in self.method.code.entries() {
            let mut faults = Vec::new();
            instr.op.operands(&mut |operand| self.expr(operand, &mut faults));
            for place in instr.op.places() {
                self.place(place, &mut faults);
            }
            if let Some(into) = instr.op.result_place() {
                self.local_place(into, &mut faults);
            }
            self.op(&instr.op, &mut faults);
            for fault in faults {
                self.fault(pc.index(), fault);
            }
        }
    }

    fn kind(&self, ty: TypeId) -> TypeKind {
        self.program.types.kind(ty)
    }

    /// Returns whether a value of type `has` is allowed where `wants` is expected.
    fn fits(&self, has: TypeId, wants: TypeId) -> bool {
        let types = &self.program.types;
        if has == wants || types.is_number(has) && types.is_number(wants) {
            return true;
        }
        match (types.kind(has), types.kind(wants)) {
            (TypeKind::Option(a), TypeKind::Option(b)) => self.fits(a, b),
            (TypeKind::Array(a, m), TypeKind::Array(b, n)) => m == n && self.fits(a, b),
            _ => false,
        }
    }

    fn want(&self, what: &str, has: TypeId, wants: TypeId, faults: &mut Vec<String>) {
        if !self.fits(has, wants) {
            let types = &self.program.types;
            faults.push(format!("{what} is `{}`, not `{}`", types.name(has), types.name(wants)));
        }
    }

    fn want_kind(&self, what: &str, holds: bool, faults: &mut Vec<String>) {
        if !holds {
            faults.push(format!("{what} has a wrong type"));
        }
    }

    fn is_bool(&self, ty: TypeId) -> bool {
        self.kind(ty) == TypeKind::Bool
    }

    fn is_number(&self, ty: TypeId) -> bool {
        self.program.types.is_number(ty)
    }

    fn op(&self, op: &Op, faults: &mut Vec<String>) {
        match op {
            Op::Assign { to, value } => self.want("the value", value.ty, to.ty, faults),
            Op::Branch { cond, .. } | Op::Assert(cond) | Op::Assume(cond) | Op::Await(cond) => {
                self.want_kind("the condition", self.is_bool(cond.ty), faults);
            }
            Op::Choose { into, from, cond } => {
                let into = self.method.locals[*into].ty;
                let fits = match from {
                    Candidates::Bool => self.is_bool(into),
                    Candidates::Range(low, high) => {
                        [into, low.ty, high.ty].iter().all(|&ty| self.is_number(ty))
                    }
                    Candidates::Threads => self.kind(into) == TypeKind::Thread,
                    Candidates::Elements(collection) => {
                        self.element(collection.ty).is_some_and(|element| self.fits(element, into))
                    }
                };
                self.want_kind("the candidate", fits, faults);
                if let Some(cond) = cond {
                    self.want_kind("the condition", self.is_bool(cond.ty), faults);
                }
            }
            Op::Lin { of, cond, .. } => {
                if let Some(of) = of {
                    self.want_kind("the thread", self.kind(of.ty) == TypeKind::Thread, faults);
                }
                if let Some(cond) = cond {
                    self.want_kind("the condition", self.is_bool(cond.ty), faults);
                }
            }
            Op::Call { method, args, into } => {
                let callee = &self.program.methods[*method];
                if args.len() != callee.params.len() {
                    faults.push("a call with the wrong number of arguments".into());
                }
                for (arg, &param) in args.iter().zip(&callee.params) {
                    self.want("an argument", arg.ty, callee.locals[param].ty, faults);
                }
                if let Some(into) = into {
                    match callee.results.as_slice() {
                        [result] => self.want("the result", *result, into.ty, faults),
                        _ => faults.push("a result that the method does not have".into()),
                    }
                }
            }
            Op::Return(values) => {
                if values.len() != self.method.results.len() {
                    faults.push("returns the wrong number of results".into());
                }
                for (value, &result) in values.iter().zip(&self.method.results) {
                    self.want("the result", value.ty, result, faults);
                }
            }
            Op::Load { into, from } => self.want("what is read", from.ty, into.ty, faults),
            Op::Store { to, value } => self.want("the value", value.ty, to.ty, faults),
            Op::New { into, of, fields } => {
                let leads_to = self.kind(into.ty) == TypeKind::Pointer(Pointee::Struct(*of));
                self.want_kind("the pointer", leads_to, faults);
                let record = &self.program.types.structs[*of];
                for (field, value) in fields {
                    match record.fields.get(*field) {
                        Some(field) => self.want("a field", value.ty, field.ty, faults),
                        None => faults.push("no such field".into()),
                    }
                }
                if self.program.memory != MemoryKind::Gc && !fields.is_empty() {
                    faults.push("initial values that are not separate writes".into());
                }
            }
            Op::NewArray { into, element, value, len } => {
                let leads_to = self.kind(into.ty) == TypeKind::Pointer(Pointee::Array(*element));
                self.want_kind("the pointer", leads_to, faults);
                self.want("the elements", value.ty, *element, faults);
                self.want_kind("the length", self.is_number(len.ty), faults);
            }
            Op::ArrayLen { into, array } => {
                let is_array = matches!(self.kind(array.ty), TypeKind::Pointer(Pointee::Array(_)));
                self.want_kind("the array", is_array, faults);
                self.want_kind("the length", self.is_number(into.ty), faults);
            }
            Op::Free(pointer) => {
                self.want_kind("the pointer", matches!(self.kind(pointer.ty), TypeKind::Pointer(_)), faults);
            }
            Op::Collection { on, method, args, .. } => {
                let ty = match on {
                    Target::Local(place) => {
                        self.local_place(place, faults);
                        place.ty
                    }
                    Target::Shared(place) => place.ty,
                };
                self.method_call(*method, ty, args, faults);
            }
            Op::Cas { into, place, old, new } => {
                self.want("the expected value", old.ty, place.ty, faults);
                self.want("the new value", new.ty, place.ty, faults);
                self.bool_result(into.as_ref(), faults);
            }
            Op::CmpXchg { into, place, old, new } => {
                self.want("the expected value", old.ty, place.ty, faults);
                self.want("the new value", new.ty, place.ty, faults);
                if let Some(into) = into {
                    self.want("the old value", place.ty, into.ty, faults);
                }
            }
            Op::Dcas { into, places, olds, news } => {
                for ((place, old), new) in places.iter().zip(olds.iter()).zip(news.iter()) {
                    self.want("the expected value", old.ty, place.ty, faults);
                    self.want("the new value", new.ty, place.ty, faults);
                }
                self.bool_result(into.as_ref(), faults);
            }
            Op::Swap { into, place, value } => {
                self.want("the new value", value.ty, place.ty, faults);
                if let Some(into) = into {
                    self.want("the old value", place.ty, into.ty, faults);
                }
            }
            Op::FetchAdd { place, value, .. } => {
                self.want_kind("the number", self.is_number(place.ty) && self.is_number(value.ty), faults);
            }
            Op::LoadLinked { into, place } => {
                if let Some(into) = into {
                    self.want("what is read", place.ty, into.ty, faults);
                }
            }
            Op::StoreConditional { into, place, value } => {
                self.want("the value", value.ty, place.ty, faults);
                self.bool_result(into.as_ref(), faults);
            }
            Op::Lock(place) | Op::Unlock(place) => self.want_lock(place, faults),
            Op::TryLock { into, place } | Op::IsLocked { into, place } => {
                self.want_lock(place, faults);
                self.bool_result(into.as_ref(), faults);
            }
            Op::WaitBegin { condvar, lock } | Op::WaitEnd { condvar, lock } => {
                self.want_lock(lock, faults);
                self.want_kind("the condition", self.kind(condvar.ty) == TypeKind::Condvar, faults);
            }
            Op::Notify { condvar, .. } => {
                self.want_kind("the condition", self.kind(condvar.ty) == TypeKind::Condvar, faults);
            }
            Op::Atomic { .. } => {}
        }
    }

    fn want_lock(&self, place: &Place, faults: &mut Vec<String>) {
        self.want_kind("the lock", self.kind(place.ty) == TypeKind::Lock, faults);
    }

    fn bool_result(&self, into: Option<&LocalPlace>, faults: &mut Vec<String>) {
        self.want_kind("the outcome", into.is_none_or(|into| self.is_bool(into.ty)), faults);
    }

    fn place(&self, place: &Place, faults: &mut Vec<String>) {
        let base = match &place.base {
            Base::Global(id) => match self.globals.variables.get(*id) {
                Some(variable) => Some(variable.ty),
                None => {
                    faults.push("no such variable".into());
                    return;
                }
            },
            Base::Cell { pointer, of } => {
                let leads_to = self.kind(pointer.ty) == TypeKind::Pointer(*of);
                self.want_kind("the pointer", leads_to, faults);
                None
            }
        };
        if let Some(ty) = self.path(base, &place.path, faults) {
            self.want("the place", ty, place.ty, faults);
        }
    }

    fn local_place(&self, place: &LocalPlace, faults: &mut Vec<String>) {
        let base = match place.base {
            LocalBase::Local(local) => Some(self.method.locals[local].ty),
            LocalBase::ThreadVar(id) => self.program.thread_vars.get(id).map(|variable| variable.ty),
        };
        if base.is_none() {
            faults.push("no such variable of the thread".into());
        }
        if let Some(ty) = self.path(base, &place.path, faults) {
            self.want("the place", ty, place.ty, faults);
        }
    }

    /// The type at the end of a path; a cell itself has none.
    fn path(&self, base: Option<TypeId>, path: &[Projection], faults: &mut Vec<String>) -> Option<TypeId> {
        let mut at = base;
        for projection in path {
            at = match projection {
                Projection::Field { of, field } => {
                    if let Some(ty) = at {
                        self.want("what has the field", ty, *of, faults);
                    }
                    let found = self.program.types.record(*of).and_then(|record| record.fields.get(*field));
                    self.want_kind("what has the field", found.is_some(), faults);
                    found.map(|field| field.ty)
                }
                Projection::Index { index, element, len } => {
                    self.want_kind("the index", self.is_index(index.ty), faults);
                    if let (Some(ty), Some(_)) = (at, len) {
                        let is_array = matches!(self.kind(ty), TypeKind::Array(of, n)
                            if of == *element && Some(n) == *len);
                        self.want_kind("the array", is_array, faults);
                    }
                    Some(*element)
                }
            };
        }
        at
    }

    /// Numbers, and threads in an array that has one element for each.
    fn is_index(&self, ty: TypeId) -> bool {
        self.is_number(ty) || matches!(self.kind(ty), TypeKind::Thread | TypeKind::Enum(_))
    }

    fn expr(&self, expr: &Expr, faults: &mut Vec<String>) {
        expr.for_each_part(&mut |part| self.expr(part, faults));
        let types = &self.program.types;
        match &expr.kind {
            ExprKind::Constant(words) => {
                self.want_kind("a constant", words.len() == types.width(expr.ty), faults);
            }
            ExprKind::Me => self.want_kind("`me`", self.kind(expr.ty) == TypeKind::Thread, faults),
            ExprKind::Local(local) => self.want("a local", self.method.locals[*local].ty, expr.ty, faults),
            ExprKind::ThreadVar(id) => match self.program.thread_vars.get(*id) {
                Some(variable) => self.want("a variable", variable.ty, expr.ty, faults),
                None => faults.push("no such variable of the thread".into()),
            },
            ExprKind::Field(of, field) => {
                match types.record(of.ty).and_then(|record| record.fields.get(*field)) {
                    Some(field) => self.want("a field", field.ty, expr.ty, faults),
                    None => faults.push("a field of what has none".into()),
                }
            }
            ExprKind::Index(of, index) => {
                let is_element = matches!(self.kind(of.ty), TypeKind::Array(t, _) if self.fits(t, expr.ty));
                self.want_kind("an element", is_element && self.is_index(index.ty), faults);
            }
            ExprKind::Unary(UnaryOp::Not, e) => {
                self.want_kind("a negation", self.is_bool(e.ty) && self.is_bool(expr.ty), faults);
            }
            ExprKind::Unary(UnaryOp::Neg, e) => {
                self.want_kind("a negation", self.is_number(e.ty) && self.is_number(expr.ty), faults);
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, expr, a, b, faults),
            ExprKind::Some(e) => {
                let wraps = matches!(self.kind(expr.ty), TypeKind::Option(t) if self.fits(e.ty, t));
                self.want_kind("an optional value", wraps, faults);
            }
            ExprKind::Unwrap(e) => {
                let unwraps = matches!(self.kind(e.ty), TypeKind::Option(t) if self.fits(t, expr.ty));
                self.want_kind("an unwrapped value", unwraps, faults);
            }
            ExprKind::ToRange { value, low, high } => {
                let range = TypeKind::Range { low: *low, high: *high };
                let fits = self.is_number(value.ty) && self.kind(expr.ty) == range;
                self.want_kind("a number", fits, faults);
            }
            ExprKind::Word(parts) => match types.record(expr.ty) {
                Some(record) if record.fields.len() == parts.len() => {
                    for (field, part) in record.fields.iter().zip(parts) {
                        self.want("a field", part.ty, field.ty, faults);
                    }
                }
                _ => faults.push("a word with the wrong fields".into()),
            },
            ExprKind::Array(parts) => {
                let fits = matches!(self.kind(expr.ty), TypeKind::Array(t, n)
                    if parts.len() == n as usize && parts.iter().all(|part| self.fits(part.ty, t)));
                self.want_kind("an array", fits, faults);
            }
            ExprKind::Repeat(e, n) => {
                let fits =
                    matches!(self.kind(expr.ty), TypeKind::Array(t, m) if m == *n && self.fits(e.ty, t));
                self.want_kind("an array", fits, faults);
            }
            ExprKind::Collection(parts) => {
                let fits =
                    self.element(expr.ty).is_some_and(|t| parts.iter().all(|part| self.fits(part.ty, t)));
                self.want_kind("a collection", fits, faults);
            }
            ExprKind::Hash(id, e) => match self.program.hashes.get(*id) {
                Some(hash) => {
                    self.want("the argument of a hash", e.ty, hash.domain, faults);
                    self.want("a hash", hash.result, expr.ty, faults);
                }
                None => faults.push("no such hash".into()),
            },
            ExprKind::Ord(_) => self.want_kind("`ord`", self.is_number(expr.ty), faults),
            ExprKind::Method(method, on, args) => {
                self.want_kind("a method", method.is_pure(), faults);
                self.method_call(*method, on.ty, args, faults);
            }
            ExprKind::Quantifier { collection, body, .. } => {
                let fits =
                    self.element(collection.ty).is_some() && self.is_bool(body.ty) && self.is_bool(expr.ty);
                self.want_kind("a quantifier", fits, faults);
            }
        }
    }

    fn binary(&self, op: BinaryOp, expr: &Expr, a: &Expr, b: &Expr, faults: &mut Vec<String>) {
        use BinaryOp::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Sub};
        let fits = match op {
            And | Or => [a, b, expr].iter().all(|e| self.is_bool(e.ty)),
            Eq | Ne => self.is_bool(expr.ty) && (self.fits(a.ty, b.ty) || self.fits(b.ty, a.ty)),
            Lt | Le | Gt | Ge => {
                let ordered = self.is_number(a.ty) && self.is_number(b.ty) || a.ty == b.ty;
                self.is_bool(expr.ty) && ordered
            }
            Add | Sub if self.kind(a.ty) == TypeKind::Age => self.is_number(b.ty) || b.ty == a.ty,
            Add | Sub | Mul | Div | Rem => [a, b, expr].iter().all(|e| self.is_number(e.ty)),
        };
        self.want_kind("an operation", fits, faults);
    }

    /// The type of the elements of a collection, of the keys of a map.
    fn element(&self, ty: TypeId) -> Option<TypeId> {
        match self.kind(ty) {
            TypeKind::Seq(t) | TypeKind::Set(t) | TypeKind::Bag(t) | TypeKind::Map(t, _) => Some(t),
            _ => None,
        }
    }

    fn method_call(&self, method: CollectionMethod, on: TypeId, args: &[Expr], faults: &mut Vec<String>) {
        use CollectionMethod::{
            Add, Clear, Contains, Count, Get, Insert, InsertAt, IsEmpty, Len, Lookup, PopBack, PopFront,
            PushBack, PushFront, Remove, RemoveAt, RemoveKey, Set,
        };
        let Some(element) = self.element(on) else {
            faults.push("a method of a value that is not a collection".into());
            return;
        };
        let arity = match method {
            Len | IsEmpty | Clear | PopBack | PopFront => 0,
            Contains | PushBack | PushFront | Get | RemoveAt | Add | Remove | Count | Lookup | RemoveKey => 1,
            Set | InsertAt | Insert => 2,
        };
        if args.len() != arity {
            faults.push("a method with the wrong number of arguments".into());
            return;
        }
        let fits = match (method, args) {
            (Contains | PushBack | PushFront | Add | Remove | Count | Lookup | RemoveKey, [x]) => {
                self.fits(x.ty, element)
            }
            (Get | RemoveAt, [index]) => self.is_number(index.ty),
            (Set | InsertAt, [index, x]) => self.is_number(index.ty) && self.fits(x.ty, element),
            (Insert, [key, value]) => {
                self.fits(key.ty, element)
                    && matches!(self.kind(on), TypeKind::Map(_, v) if self.fits(value.ty, v))
            }
            _ => true,
        };
        self.want_kind("an argument", fits, faults);
    }
}
