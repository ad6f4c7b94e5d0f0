//! Primitives and `new`. The pointers of the places come first, then the operands, then the access.

use super::place::Resolved;
use super::{Destination, Translator};
use crate::lower::draft::Rest;
use crate::lower::fold;
use crate::typing::hir::{self, Primitive};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::interface::BinaryOp;
use linchpin_ir::program::{Base, Expr, MemoryKind, Op, Place, Projection};
use linchpin_ir::source::Span;
use linchpin_ir::types::{Pointee, StructId, TypeKind};

impl<'a> Translator<'_, 'a> {
    pub(super) fn primitive(&mut self, expr: &'a hir::TypedExpr, primitive: &'a Primitive, to: Destination) {
        if let Some(op) = self.primitive_op(expr, primitive, to) {
            self.emit(op, expr.span);
        }
    }

    fn primitive_op(
        &mut self,
        expr: &'a hir::TypedExpr,
        primitive: &'a Primitive,
        to: Destination,
    ) -> Option<Op> {
        Some(match primitive {
            Primitive::Cas { place, old, new } => {
                let (place, [old, new]) = self.place_and_two(place, old, new)?;
                Op::Cas { into: self.wanted(to), place, old, new }
            }
            Primitive::CmpXchg { place, old, new } => {
                let (place, [old, new]) = self.place_and_two(place, old, new)?;
                Op::CmpXchg { into: self.wanted(to), place, old, new }
            }
            Primitive::Dcas { places, olds, news } => {
                let [p, q] = &**places;
                let mut first = self.resolve_shared(p)?;
                if !self.is_found_purely(q) {
                    first = self.spilled_place(first, p.span)?;
                }
                let mut second = self.resolve_shared(q)?;
                let operands = || olds.iter().chain(news.iter());
                if !operands().all(|operand| self.is_pure(operand)) {
                    first = self.spilled_place(first, p.span)?;
                    second = self.spilled_place(second, q.span)?;
                }
                let [a, b, c, d]: [Expr; 4] = self.operands(operands()).try_into().ok()?;
                Op::Dcas {
                    into: self.wanted(to),
                    places: Box::new([first, second]),
                    olds: Box::new([a, b]),
                    news: Box::new([c, d]),
                }
            }
            Primitive::Swap { place, value } => {
                let (place, value) = self.place_and_one(place, value)?;
                Op::Swap { into: self.wanted(to), place, value }
            }
            Primitive::FetchAdd { place, value } => {
                let (place, value) = self.place_and_one(place, value)?;
                Op::FetchAdd { into: self.wanted(to), place, value }
            }
            Primitive::Sc { place, value } => {
                let (place, value) = self.place_and_one(place, value)?;
                Op::StoreConditional { into: self.wanted(to), place, value }
            }
            Primitive::Ll(place) => {
                let place = self.resolve_shared(place)?;
                Op::LoadLinked { into: self.wanted(to), place }
            }
            Primitive::Free(pointer) => Op::Free(self.value(pointer)),
            Primitive::Lock(place) => Op::Lock(self.resolve_shared(place)?),
            Primitive::Unlock(place) => Op::Unlock(self.resolve_shared(place)?),
            Primitive::TryLock(place) => {
                let place = self.resolve_shared(place)?;
                Op::TryLock { into: self.wanted(to), place }
            }
            Primitive::IsLocked(place) => {
                let place = self.resolve_shared(place)?;
                Op::IsLocked { into: self.wanted(to), place }
            }
            Primitive::NotifyOne(place) => Op::Notify { condvar: self.resolve_shared(place)?, all: false },
            Primitive::NotifyAll(place) => Op::Notify { condvar: self.resolve_shared(place)?, all: true },
            Primitive::Wait { condvar, lock } => return self.wait(expr, condvar, lock),
        })
    }

    /// Two accesses: release and join the waiters; then, once notified, take the lock.
    fn wait(
        &mut self,
        expr: &'a hir::TypedExpr,
        condvar: &'a hir::PlaceExpr,
        lock: &'a hir::PlaceExpr,
    ) -> Option<Op> {
        if self.rest != Rest::Allowed {
            self.report(
                Diagnostic::error("`wait` inside an atomic block", expr.span, "a thread cannot rest here")
                    .note("`wait` is two accesses: it releases the lock, and takes it again once notified")
                    .help("move it out of the block, or `await` the condition instead"),
            );
            return None;
        }
        let first = self.resolve_shared(condvar)?;
        let first = self.spilled_place(first, condvar.span)?;
        let second = self.resolve_shared(lock)?;
        let second = self.spilled_place(second, lock.span)?;
        self.emit(Op::WaitBegin { condvar: first.clone(), lock: second.clone() }, expr.span);
        Some(Op::WaitEnd { condvar: first, lock: second })
    }

    /// In `gc` memory no other thread sees a new cell, so `new` writes its fields. Otherwise each initial
    /// write is an access.
    pub(super) fn new_struct(
        &mut self,
        expr: &'a hir::TypedExpr,
        of: StructId,
        fields: &'a [(usize, hir::TypedExpr)],
        to: Destination,
    ) {
        let mut values = self.operands(fields.iter().map(|(_, value)| value));
        let numbers = fields.iter().map(|(number, _)| *number);
        if self.program().memory == MemoryKind::Gc {
            let fields = numbers.zip(values).collect();
            let into = self.needed(to, expr.ty, expr.span);
            self.emit(Op::New { into, of, fields }, expr.span);
            return;
        }
        for (value, (_, text)) in values.iter_mut().zip(fields) {
            *value = self.spill_to_temporary(value.clone(), text.span);
        }
        let cell = self.cell_local(&to, expr);
        self.emit(Op::New { into: self.whole(cell), of, fields: Vec::new() }, expr.span);
        let struct_type = self.lowering.types.intern(TypeKind::Struct(of));
        for ((number, text), value) in fields.iter().zip(values) {
            let base = Base::Cell { pointer: self.read(cell), of: Pointee::Struct(of) };
            let ty = self.lowering.types.structs[of].fields.get(*number).map_or(value.ty, |field| field.ty);
            let path = vec![Projection::Field { of: struct_type, field: *number }];
            self.store(Place { base, path, ty }, value, text.span);
        }
        self.hand_over_cell(cell, to, expr.span);
    }

    /// `new [value; len]`, as [`Self::new_struct`]: outside `gc` a loop writes the elements one by one.
    pub(super) fn new_array(
        &mut self,
        expr: &'a hir::TypedExpr,
        value: &'a hir::TypedExpr,
        len: &'a hir::TypedExpr,
        to: Destination,
    ) {
        let [mut initial, mut count] = self.two_operands(value, len);
        let element = match self.lowering.types.kind(expr.ty) {
            TypeKind::Pointer(Pointee::Array(element)) => element,
            _ => initial.ty,
        };
        let span = expr.span;
        if self.program().memory == MemoryKind::Gc {
            let into = self.needed(to, expr.ty, span);
            self.emit(Op::NewArray { into, element, value: initial, len: count }, span);
            return;
        }
        initial = self.spill_to_temporary(initial, value.span);
        count = self.spill_to_temporary(count, len.span);
        let cell = self.cell_local(&to, expr);
        let blank = self.default_of(element);
        self.emit(Op::NewArray { into: self.whole(cell), element, value: blank, len: count.clone() }, span);
        let zero = self.int(0);
        let one = self.int(1);
        let (int, bool_type) = (zero.ty, self.bool_type());
        let index = self.temporary(int, len.span);
        self.assign(self.whole(index), zero, span);
        let [again, write, done] = [self.builder.label(), self.builder.label(), self.builder.label()];
        self.builder.bind(again);
        let more = fold::binary(&self.lowering.types, bool_type, BinaryOp::Lt, self.read(index), count);
        self.jump_if(more, write, done, span);
        self.builder.bind(write);
        let base = Base::Cell { pointer: self.read(cell), of: Pointee::Array(element) };
        let path = vec![Projection::Index { index: self.read(index), element, len: None }];
        self.store(Place { base, path, ty: element }, initial, span);
        let next = fold::binary(&self.lowering.types, int, BinaryOp::Add, self.read(index), one);
        self.assign(self.whole(index), next, span);
        self.goto(again, span);
        self.builder.bind(done);
        self.hand_over_cell(cell, to, span);
    }

    /// The local through which the initial writes go.
    fn cell_local(&mut self, to: &Destination, expr: &hir::TypedExpr) -> linchpin_ir::program::LocalId {
        match to {
            Destination::Fresh(local) => *local,
            _ => self.temporary(expr.ty, expr.span),
        }
    }

    fn hand_over_cell(&mut self, cell: linchpin_ir::program::LocalId, to: Destination, span: Span) {
        if let Destination::Place(place) = to {
            let pointer = self.read(cell);
            self.assign(place, pointer, span);
        }
    }

    fn place_and_one(
        &mut self,
        place: &'a hir::PlaceExpr,
        value: &'a hir::TypedExpr,
    ) -> Option<(Place, Expr)> {
        let mut resolved = self.resolve_shared(place)?;
        if !self.is_pure(value) {
            resolved = self.spilled_place(resolved, place.span)?;
        }
        Some((resolved, self.value(value)))
    }

    fn place_and_two(
        &mut self,
        place: &'a hir::PlaceExpr,
        a: &'a hir::TypedExpr,
        b: &'a hir::TypedExpr,
    ) -> Option<(Place, [Expr; 2])> {
        let mut resolved = self.resolve_shared(place)?;
        if !(self.is_pure(a) && self.is_pure(b)) {
            resolved = self.spilled_place(resolved, place.span)?;
        }
        Some((resolved, self.two_operands(a, b)))
    }

    fn spilled_place(&mut self, place: Place, span: Span) -> Option<Place> {
        match self.spill_place(Resolved::Shared(place), span) {
            Resolved::Shared(place) => Some(place),
            Resolved::Local(_) | Resolved::Value(_) => None,
        }
    }
}
