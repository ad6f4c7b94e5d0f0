//! Violations of the assumptions: the places of ages, the writes and the comparisons of an instruction.

use super::AgeMisuse;
use super::analysis::Analysis;
use super::copies::{MOST_STEPS, Point};
use crate::interface::BinaryOp;
use crate::program::{Expr, ExprKind, Instr, MemoryKind, Op, Place, Program};
use crate::source::Span;
use crate::types::{Pointee, Scalar, SlotKind, TypeId, TypeKind, TypeTable};

/// Ages lie in slots of shared memory and of frames, by themselves.
pub(super) fn where_ages_lie(program: &Program) -> Result<(), AgeMisuse> {
    let is_age = |slot: &SlotKind| slot.scalar == Scalar::Age;
    let span = program.object_span;
    if program.thread_slots.iter().any(is_age) {
        let span = program.thread_vars.iter().next().map_or(span, |variable| variable.span);
        return Err(AgeMisuse { span, reason: "a `local` variable holds an age" });
    }
    for ty in program.types.ids() {
        if program.types.slots(ty).iter().any(|slot| is_age(slot) && slot.optional) {
            return Err(AgeMisuse { span, reason: "an age is optional" });
        }
        let collects = match program.types.kind(ty) {
            TypeKind::Seq(of) | TypeKind::Set(of) | TypeKind::Bag(of) => holds_age(&program.types, of),
            TypeKind::Map(key, value) => holds_age(&program.types, key) || holds_age(&program.types, value),
            _ => false,
        };
        if collects {
            return Err(AgeMisuse { span, reason: "a collection holds ages" });
        }
    }
    Ok(())
}

pub(super) fn holds_age(types: &TypeTable, ty: TypeId) -> bool {
    types.slots(ty).iter().any(|slot| slot.scalar == Scalar::Age)
}

impl Analysis<'_> {
    /// Whether an instruction keeps the rules, with these points in front of it.
    pub(super) fn obeys(&self, instr: &Instr, points: &[Point]) -> Result<(), AgeMisuse> {
        let misuse = |reason| Err(AgeMisuse { span: instr.span, reason });
        let types = &self.program.types;
        let keeps_cells = self.program.memory == MemoryKind::Gc;
        match &instr.op {
            Op::Store { to: place, .. }
            | Op::Swap { place, .. }
            | Op::StoreConditional { place, .. }
            | Op::FetchAdd { place, .. }
                if holds_age(types, place.ty) =>
            {
                return misuse("an age is written otherwise than by a `cas`");
            }
            Op::Cas { place, old, new, .. } | Op::CmpXchg { place, old, new, .. } => {
                self.is_step_of(place, old, new, points, instr.span)?;
            }
            Op::Dcas { places, olds, news, .. } => {
                for ((place, old), new) in places.iter().zip(&**olds).zip(&**news) {
                    self.is_step_of(place, old, new, points, instr.span)?;
                }
            }
            Op::NewArray { element, .. } if !keeps_cells && holds_age(types, *element) => {
                return misuse("`new` writes ages of a cell that is used again");
            }
            Op::New { fields, .. }
                if !keeps_cells && fields.iter().any(|(_, value)| holds_age(types, value.ty)) =>
            {
                return misuse("`new` writes ages of a cell that is used again");
            }
            Op::Free(pointer) if self.program.memory == MemoryKind::Manual && self.leads_to_age(pointer) => {
                return misuse("a cell with an age is freed in manual memory, which resets the age");
            }
            _ => {}
        }
        self.compares(instr, points)
    }

    fn leads_to_age(&self, pointer: &Expr) -> bool {
        let types = &self.program.types;
        match types.kind(pointer.ty) {
            TypeKind::Pointer(Pointee::Struct(id)) => {
                types.structs[id].fields.iter().any(|field| holds_age(types, field.ty))
            }
            TypeKind::Pointer(Pointee::Array(element)) => holds_age(types, element),
            _ => true,
        }
    }

    fn compares(&self, instr: &Instr, points: &[Point]) -> Result<(), AgeMisuse> {
        let mut found = Ok(());
        instr.op.operands(&mut |operand| {
            operand.for_each(&mut |part| {
                let reason = match &part.kind {
                    ExprKind::Binary(BinaryOp::Add, ..) => return,
                    ExprKind::Binary(_, left, right) if self.has_age(left) => {
                        let (left_points, right_points) =
                            (self.value(left, points), self.value(right, points));
                        let is_kept =
                            self.ages_of(left.ty, &left_points, &right_points, Point::is_comparable);
                        (!is_kept).then_some("ages are compared that are not of one place, or stepped twice")
                    }
                    ExprKind::Hash(_, of) | ExprKind::Ord(of) if self.has_age(of) => {
                        Some("an age is used as a number")
                    }
                    _ => None,
                };
                if let Some(reason) = reason {
                    found = Err(AgeMisuse { span: instr.span, reason });
                }
            });
        });
        found
    }

    fn has_age(&self, expr: &Expr) -> bool {
        holds_age(&self.program.types, expr.ty)
    }

    /// A `cas` expects a copy of the place's own age, and writes this copy or its successor. It writes only
    /// where the copy is the present age, so that the successor of a copy that was stepped is right too.
    fn is_step_of(
        &self,
        place: &Place,
        old: &Expr,
        new: &Expr,
        points: &[Point],
        span: Span,
    ) -> Result<(), AgeMisuse> {
        if !holds_age(&self.program.types, place.ty) {
            return Ok(());
        }
        let (own, old, new) = (self.place(place), self.value(old, points), self.value(new, points));
        let is_of = |own: Option<_>, old: Point| match old {
            Point::Copy(copy) => Some(copy.home) == own && copy.most <= MOST_STEPS,
            _ => false,
        };
        let follows = |old: Point, new: Point| match (old, new) {
            (Point::Copy(old), Point::Copy(new)) => new.follows(old),
            _ => false,
        };
        let reason = if !self.ages_of(place.ty, &own, &old, is_of) {
            "a `cas` expects an age that was not read from its place"
        } else if !self.ages_of(place.ty, &old, &new, follows) {
            "a `cas` writes an age that is neither the one it expects nor its successor"
        } else {
            return Ok(());
        };
        Err(AgeMisuse { span, reason })
    }

    /// Whether something is so of each two ages that lie in the same slot of two values.
    fn ages_of<L: Copy, R: Copy>(
        &self,
        ty: TypeId,
        left: &[L],
        right: &[R],
        is_so: impl Fn(L, R) -> bool,
    ) -> bool {
        let slots = self.program.types.slots(ty);
        let is_age = |(slot, _): &(&SlotKind, _)| slot.scalar == Scalar::Age;
        left.len() == slots.len()
            && right.len() == slots.len()
            && slots.iter().zip(left.iter().zip(right)).filter(is_age).all(|(_, (l, r))| is_so(*l, *r))
    }
}
