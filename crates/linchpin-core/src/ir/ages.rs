//! Where ages come from: the condition under which unbounded ages keep a bounded search finite and exact.
//!
//! An age lives in a *location* (a slot of a shared variable or of a cell); locals hold copies. Suppose that
//!
//! 1. a location's age is written only by a `cas` of the word that it lies in, with the age of the expected operand or its
//!    successor (cells are made with the default, and `init` may write anything);
//! 2. a copy is compared only with copies of, and expected only by a `cas` on, the location it was read from.
//!
//! Then a location's age never falls, and what a copy means is whether it equals the present age, precedes it, or is its
//! successor. Ages of different locations are unrelated, so each location's may be renamed on its own, with gaps of two
//! and more closed to two: equal, successor and order are kept (language reference, *Ages*).
//!
//! **Analysis.** Forward over the graph of a method, the origin of each slot of type `age`:
//!
//! ```text
//!            Mixed                copies of several locations, or of one that is no longer known
//!      /       |       \
//!  Nowhere  Global(s)  Cell(p, o)   a constant; slot s of a shared variable; slot o of the cell that frame slot p points to
//! ```
//!
//! A write to the frame slot `p` makes `Cell(p, _)` `Mixed`, and so does resting where `p` is dead. A copy that is `Mixed` may be kept, but
//! comparing it breaks rule 2. A program that breaks a rule counts its ages modulo a bound instead.

use super::{
    Base, Expr, ExprKind, Instr, LocalBase, LocalId, LocalPlace, Method, MethodId, Op, Place, Program,
    Projection,
};
use crate::index::{Index, IndexVec};
use crate::source::Span;
use crate::syntax::ast::BinaryOp;
use crate::types::{Scalar, SlotKind, TypeId};

/// Where a copy of an age was read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// A slot of the shared variables.
    Global(usize),
    /// A slot of the cell that a slot of the same frame points to.
    Cell { pointer: usize, offset: usize },
    /// No longer known: nothing looks at it any more.
    Forgotten,
}

/// The live copies of ages in a frame, wherever a thread rests or waits for a call: frame slot and origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgeOrigins {
    methods: IndexVec<MethodId, Vec<Vec<(usize, Origin)>>>,
}

impl AgeOrigins {
    /// In front of an instruction.
    pub fn at(&self, method: MethodId, pc: super::Pc) -> &[(usize, Origin)] {
        self.methods.get(method).and_then(|method| method.get(pc.index())).map_or(&[], |copies| copies)
    }
}

/// The first place that breaks the condition, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgeMisuse {
    pub span: Span,
    pub reason: &'static str,
}

/// Whether any value of the program holds an age.
pub fn uses_ages(program: &Program) -> bool {
    let is_age = |slot: &SlotKind| slot.scalar == Scalar::Age;
    program.globals.slots.iter().any(is_age)
        || program.types.ids().any(|id| program.types.slots(id).iter().any(is_age))
}

/// The origins of all live copies, or the first place where the condition does not hold.
pub fn age_origins(program: &Program) -> Result<AgeOrigins, AgeMisuse> {
    let mut methods: IndexVec<MethodId, _> = IndexVec::new();
    for (id, method) in program.methods.entries() {
        let runs_alone = id == program.init || Some(id) == program.thread_init;
        methods.push(if runs_alone { Vec::new() } else { Analysis { program, method }.run()? });
    }
    if program.thread_slots.iter().any(|slot| slot.scalar == Scalar::Age) {
        let span = program.thread_vars.iter().next().map_or(program.object_span, |variable| variable.span);
        return Err(AgeMisuse { span, reason: "a `local` variable holds an age" });
    }
    Ok(AgeOrigins { methods })
}

/// A point of the lattice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Point {
    Nowhere,
    Known(Origin),
    Mixed,
}

impl Point {
    fn join(self, other: Point) -> Point {
        if self == other { self } else { Point::Mixed }
    }
}

struct Analysis<'a> {
    program: &'a Program,
    method: &'a Method,
}

impl Analysis<'_> {
    fn run(&self) -> Result<Vec<Vec<(usize, Origin)>>, AgeMisuse> {
        let code = &self.method.code;
        let mut before: Vec<Option<Vec<Point>>> = vec![None; code.len()];
        let mut entry = vec![Point::Nowhere; self.method.slots.len()];
        for param in &self.method.params {
            self.frame_slots(*param).for_each(|slot| entry[slot] = Point::Mixed);
        }
        before[self.method.entry.index()] = Some(entry);
        let mut work = vec![self.method.entry];
        while let Some(pc) = work.pop() {
            let Some(mut points) = before[pc.index()].clone() else { continue };
            self.settle(&code[pc], &mut points);
            self.transfer(&code[pc], &mut points);
            for next in code[pc].successors() {
                let joined = match &before[next.index()] {
                    None => points.clone(),
                    Some(old) => old.iter().zip(&points).map(|(a, b)| a.join(*b)).collect(),
                };
                if before[next.index()].as_ref() != Some(&joined) {
                    before[next.index()] = Some(joined);
                    work.push(next);
                }
            }
        }
        code.entries()
            .map(|(pc, instr)| {
                let Some(mut points) = before[pc.index()].clone() else { return Ok(Vec::new()) };
                self.settle(instr, &mut points);
                self.obeys(instr, &points)?;
                Ok(if self.rests(instr) { self.live_copies(instr, &points) } else { Vec::new() })
            })
            .collect()
    }

    /// A thread may rest, or wait for a call to return, in front of the instruction.
    fn rests(&self, instr: &Instr) -> bool {
        instr.access.is_step() || matches!(instr.op, Op::Call { .. })
    }

    /// Where a thread rests, dead pointers are forgotten.
    fn settle(&self, instr: &Instr, points: &mut [Point]) {
        if !self.rests(instr) {
            return;
        }
        for point in points {
            if let Point::Known(Origin::Cell { pointer, .. }) = point
                && !self.is_live(instr, *pointer)
            {
                *point = Point::Mixed;
            }
        }
    }

    fn is_live(&self, instr: &Instr, slot: usize) -> bool {
        self.local_of(slot).is_some_and(|local| instr.live.contains(local))
    }

    /// What the instruction makes of the points in front of it.
    fn transfer(&self, instr: &Instr, points: &mut [Point]) {
        let Some(target) = instr.op.result_place() else {
            if let Some(local) = instr.op.defines() {
                self.overwrite(points, self.frame_slots(local), None);
            }
            return;
        };
        let Some(slots) = self.local_slots(target) else {
            if let LocalBase::Local(local) = target.base {
                self.overwrite(points, self.frame_slots(local), None);
            }
            return;
        };
        let value = match &instr.op {
            Op::Assign { value, .. } => Some(self.value(value, points)),
            Op::Load { from, .. }
            | Op::CmpXchg { place: from, .. }
            | Op::Swap { place: from, .. }
            | Op::LoadLinked { place: from, .. } => Some(self.place(from)),
            _ => None,
        };
        self.overwrite(points, slots, value);
    }

    /// Slots get new values; what was read through a pointer in one of them is no longer known.
    fn overwrite(&self, points: &mut [Point], slots: std::ops::Range<usize>, value: Option<Vec<Point>>) {
        let is_lost = |point: &Point| match point {
            Point::Known(Origin::Cell { pointer, .. }) => slots.contains(pointer),
            _ => false,
        };
        points.iter_mut().filter(|point| is_lost(point)).for_each(|point| *point = Point::Mixed);
        for (at, slot) in slots.clone().enumerate() {
            let point = value.as_ref().and_then(|value| value.get(at).copied()).unwrap_or(Point::Mixed);
            points[slot] = if is_lost(&point) { Point::Mixed } else { point };
        }
    }

    /// The points of a value's slots.
    fn value(&self, expr: &Expr, points: &[Point]) -> Vec<Point> {
        let types = &self.program.types;
        let width = types.width(expr.ty);
        match &expr.kind {
            ExprKind::Constant(_) => vec![Point::Nowhere; width],
            ExprKind::Local(local) => points[self.frame_slots(*local)].to_vec(),
            ExprKind::Field(of, field) => {
                let first = types.field_offset(of.ty, *field);
                self.value(of, points)[first..first + width].to_vec()
            }
            ExprKind::Word(fields) | ExprKind::Array(fields) => {
                fields.iter().flat_map(|field| self.value(field, points)).collect()
            }
            ExprKind::Binary(BinaryOp::Add, left, right) if self.holds_age(expr.ty) => {
                let age = if self.holds_age(left.ty) { left } else { right };
                self.value(age, points)
            }
            ExprKind::Some(of) => {
                let tag = width - types.width(of.ty);
                std::iter::repeat_n(Point::Nowhere, tag).chain(self.value(of, points)).collect()
            }
            _ => vec![Point::Mixed; width],
        }
    }

    /// The points of what is read from a place.
    fn place(&self, place: &Place) -> Vec<Point> {
        let types = &self.program.types;
        let width = types.width(place.ty);
        let mut offset = 0;
        for projection in &place.path {
            match projection {
                Projection::Field { of, field } => offset += types.field_offset(*of, *field),
                Projection::Index { .. } => return vec![Point::Mixed; width],
            }
        }
        let origin = |slot: usize| match &place.base {
            Base::Global(global) => {
                Some(Origin::Global(self.program.globals.variables[*global].offset + offset + slot))
            }
            Base::Cell { pointer, .. } => {
                let pointer = self.expr_slot(pointer)?;
                Some(Origin::Cell { pointer, offset: offset + slot })
            }
        };
        (0..width).map(|slot| origin(slot).map_or(Point::Mixed, Point::Known)).collect()
    }

    /// Whether the instruction keeps the two rules.
    fn obeys(&self, instr: &Instr, points: &[Point]) -> Result<(), AgeMisuse> {
        let misuse = |reason| Err(AgeMisuse { span: instr.span, reason });
        match &instr.op {
            Op::Store { to: place, .. }
            | Op::Swap { place, .. }
            | Op::StoreConditional { place, .. }
            | Op::FetchAdd { place, .. }
                if self.holds_age(place.ty) =>
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
            _ => {}
        }
        let mut compared = Ok(());
        instr.op.operands(&mut |operand| {
            operand.for_each(&mut |part| {
                if let ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) = &part.kind
                    && self.holds_age(left.ty)
                    && !self.same_origin(left, &self.value(left, points), &self.value(right, points))
                {
                    compared = misuse("ages of different places are compared");
                }
            });
        });
        compared
    }

    /// A `cas` expects a copy of the place's own age, and writes it or its successor.
    fn is_step_of(
        &self,
        place: &Place,
        old: &Expr,
        new: &Expr,
        points: &[Point],
        span: Span,
    ) -> Result<(), AgeMisuse> {
        if !self.holds_age(place.ty) {
            return Ok(());
        }
        let (own, old, new) = (self.place(place), self.value(old, points), self.value(new, points));
        let reason = if !self.same_origin_of(place.ty, &own, &old) {
            "a `cas` expects an age that was not read from its place"
        } else if !self.same_origin_of(place.ty, &own, &new) {
            "a `cas` writes an age that is not stepped from the one it expects"
        } else {
            return Ok(());
        };
        Err(AgeMisuse { span, reason })
    }

    fn same_origin(&self, value: &Expr, left: &[Point], right: &[Point]) -> bool {
        self.same_origin_of(value.ty, left, right)
    }

    fn same_origin_of(&self, ty: TypeId, left: &[Point], right: &[Point]) -> bool {
        let slots = self.program.types.slots(ty);
        let ages = slots.iter().zip(left.iter().zip(right)).filter(|(slot, _)| slot.scalar == Scalar::Age);
        ages.into_iter().all(|(_, (left, right))| matches!(left, Point::Known(_)) && left == right)
    }

    /// The live copies in front of an instruction.
    fn live_copies(&self, instr: &Instr, points: &[Point]) -> Vec<(usize, Origin)> {
        let slots = self.method.slots.iter().enumerate();
        let copies = slots.filter(|(slot, kind)| kind.scalar == Scalar::Age && self.is_live(instr, *slot));
        let origin = |(slot, _): (usize, &SlotKind)| match points[slot] {
            Point::Known(origin) => Some((slot, origin)),
            Point::Mixed => Some((slot, Origin::Forgotten)),
            Point::Nowhere => None,
        };
        copies.filter_map(origin).collect()
    }

    fn holds_age(&self, ty: TypeId) -> bool {
        self.program.types.slots(ty).iter().any(|slot| slot.scalar == Scalar::Age)
    }

    fn frame_slots(&self, local: LocalId) -> std::ops::Range<usize> {
        let local = &self.method.locals[local];
        local.offset..local.offset + self.program.types.width(local.ty)
    }

    fn local_of(&self, slot: usize) -> Option<LocalId> {
        self.method.locals.ids().find(|local| self.frame_slots(*local).contains(&slot))
    }

    /// The slots of a place of the frame, if no index is in the way.
    fn local_slots(&self, place: &LocalPlace) -> Option<std::ops::Range<usize>> {
        let LocalBase::Local(local) = place.base else { return None };
        let mut first = self.method.locals[local].offset;
        for projection in &place.path {
            match projection {
                Projection::Field { of, field } => first += self.program.types.field_offset(*of, *field),
                Projection::Index { .. } => return None,
            }
        }
        Some(first..first + self.program.types.width(place.ty))
    }

    /// The frame slot that an expression of one slot just reads.
    fn expr_slot(&self, expr: &Expr) -> Option<usize> {
        match &expr.kind {
            ExprKind::Local(local) => Some(self.method.locals[*local].offset),
            ExprKind::Field(of, field) => {
                Some(self.expr_slot(of)? + self.program.types.field_offset(of.ty, *field))
            }
            _ => None,
        }
    }
}
