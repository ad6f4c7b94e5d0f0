//! The analysis: which age each slot of a frame holds in front of each instruction.
//!
//! A solution is found by joining the facts of every incoming edge until nothing changes. Naming is not
//! monotone, but joined facts stay joined, so the iteration ends. At its end the fact behind an instruction
//! is below the facts of its successors.

use super::copies::Point;
use super::rules::holds_age;
use super::{AgeMisuse, AgeOrigin};
use crate::index::Index;
use crate::interface::BinaryOp;
use crate::program::{
    Base, Expr, ExprKind, Instr, LocalBase, LocalId, LocalPlace, Method, Op, Pc, Place, Program, Projection,
};
use crate::types::Scalar;
use std::ops::Range;

pub(super) struct Analysis<'a> {
    pub program: &'a Program,
    pub method: &'a Method,
}

impl Analysis<'_> {
    /// The live copies by instruction, or the first instruction that breaks a rule.
    pub fn run(&self) -> Result<Vec<Vec<(usize, AgeOrigin)>>, AgeMisuse> {
        let before = self.solution();
        let code = self.method.code.entries();
        code.map(|(pc, instr)| {
            let Some(points) = &before[pc.index()] else { return Ok(Vec::new()) };
            let points = self.without_lost_copies(pc, points);
            self.obeys(instr, &points)?;
            Ok(if rests(instr) { self.live_copies(instr, &points) } else { Vec::new() })
        })
        .collect()
    }

    fn solution(&self) -> Vec<Option<Vec<Point>>> {
        let code = &self.method.code;
        let mut before: Vec<Option<Vec<Point>>> = vec![None; code.len()];
        let mut entry = vec![Point::Constant; self.method.slots.len()];
        for param in &self.method.params {
            self.frame_slots(*param).for_each(|slot| entry[slot] = Point::Mixed);
        }
        before[self.method.entry.index()] = Some(entry);
        let mut work = vec![self.method.entry];
        while let Some(pc) = work.pop() {
            let Some(points) = &before[pc.index()] else { continue };
            let mut points = self.without_lost_copies(pc, points);
            self.transfer(pc, &mut points);
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
        before
    }

    /// In front of the instruction: what it reads and names is new, and where a thread rests dead pointers
    /// are forgotten.
    fn without_lost_copies(&self, pc: Pc, points: &[Point]) -> Vec<Point> {
        let instr = &self.method.code[pc];
        let forget_lost = |(slot, point): (usize, &Point)| match point {
            Point::Copy(copy) if rests(instr) && self.is_lost(instr, copy.home) => Point::Mixed,
            point => point.renewed(pc, slot),
        };
        points.iter().enumerate().map(forget_lost).collect()
    }

    fn is_lost(&self, instr: &Instr, home: AgeOrigin) -> bool {
        matches!(home, AgeOrigin::Cell { pointer, .. } if !self.is_live(instr, pointer))
    }

    /// Whether a slot keeps its value while a thread rests in front of the instruction, or waits for the call
    /// to return.
    fn is_live(&self, instr: &Instr, slot: usize) -> bool {
        let Some(local) = self.local_of(slot) else { return false };
        match &instr.op {
            Op::Call { into, .. } => {
                let result = into.as_ref().and_then(LocalPlace::whole_local);
                self.method.code[instr.next].live.contains(local) && result != Some(local)
            }
            _ => instr.live.contains(local),
        }
    }

    /// What the instruction makes of the points in front of it.
    fn transfer(&self, pc: Pc, points: &mut [Point]) {
        let instr = &self.method.code[pc];
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
            | Op::LoadLinked { place: from, .. } => {
                let read = |home: Option<AgeOrigin>| home.map_or(Point::Mixed, |home| Point::read(home, pc));
                Some(self.place(from).into_iter().map(read).collect())
            }
            _ => None,
        };
        self.overwrite(points, slots, value);
    }

    /// Slots get new values; what was read through a pointer in one of them is no longer known.
    fn overwrite(&self, points: &mut [Point], slots: Range<usize>, value: Option<Vec<Point>>) {
        let is_lost = |point: &Point| match point {
            Point::Copy(copy) => {
                matches!(copy.home, AgeOrigin::Cell { pointer, .. } if slots.contains(&pointer))
            }
            _ => false,
        };
        points.iter_mut().filter(|point| is_lost(point)).for_each(|point| *point = Point::Mixed);
        let value = value.filter(|value| value.len() == slots.len());
        for (at, slot) in slots.clone().enumerate() {
            let point = value.as_ref().map_or(Point::Mixed, |value| value[at].kept());
            points[slot] = if is_lost(&point) { Point::Mixed } else { point };
        }
    }

    /// The points of a value's slots.
    pub(super) fn value(&self, expr: &Expr, points: &[Point]) -> Vec<Point> {
        let types = &self.program.types;
        let width = types.width(expr.ty);
        match &expr.kind {
            ExprKind::Constant(_) => vec![Point::Constant; width],
            ExprKind::Local(local) => points[self.frame_slots(*local)].to_vec(),
            ExprKind::Field(of, field) => {
                let first = types.field_offset(of.ty, *field);
                self.value(of, points)[first..first + width].to_vec()
            }
            ExprKind::Word(fields) | ExprKind::Array(fields) => {
                fields.iter().flat_map(|field| self.value(field, points)).collect()
            }
            ExprKind::Binary(BinaryOp::Add, left, right) if holds_age(types, expr.ty) => {
                let age = if holds_age(types, left.ty) { left } else { right };
                self.value(age, points).into_iter().map(Point::stepped).collect()
            }
            ExprKind::Some(of) => {
                let tag = width - types.width(of.ty);
                std::iter::repeat_n(Point::Constant, tag).chain(self.value(of, points)).collect()
            }
            _ => vec![Point::Mixed; width],
        }
    }

    /// The homes of the slots of a place, where they are known.
    pub(super) fn place(&self, place: &Place) -> Vec<Option<AgeOrigin>> {
        let types = &self.program.types;
        let width = types.width(place.ty);
        let mut offset = 0;
        for projection in &place.path {
            match projection {
                Projection::Field { of, field } => offset += types.field_offset(*of, *field),
                Projection::Index { .. } => return vec![None; width],
            }
        }
        let home = |slot: usize| match &place.base {
            Base::Global(global) => {
                Some(AgeOrigin::Global(self.program.globals.variables[*global].offset + offset + slot))
            }
            Base::Cell { pointer, .. } => {
                let pointer = self.expr_slot(pointer)?;
                Some(AgeOrigin::Cell { pointer, offset: offset + slot })
            }
        };
        (0..width).map(home).collect()
    }

    /// The live copies in front of an instruction.
    fn live_copies(&self, instr: &Instr, points: &[Point]) -> Vec<(usize, AgeOrigin)> {
        let slots = self.method.slots.iter().enumerate();
        let copies = slots.filter(|(slot, kind)| kind.scalar == Scalar::Age && self.is_live(instr, *slot));
        let origin = |slot: usize| match points[slot] {
            Point::Copy(copy) => Some((slot, copy.home)),
            Point::Mixed => Some((slot, AgeOrigin::Forgotten)),
            Point::Constant => None,
        };
        copies.filter_map(|(slot, _)| origin(slot)).collect()
    }

    fn frame_slots(&self, local: LocalId) -> Range<usize> {
        let local = &self.method.locals[local];
        local.offset..local.offset + self.program.types.width(local.ty)
    }

    fn local_of(&self, slot: usize) -> Option<LocalId> {
        self.method.locals.ids().find(|local| self.frame_slots(*local).contains(&slot))
    }

    /// The slots of a place of the frame, if no index is in the way.
    fn local_slots(&self, place: &LocalPlace) -> Option<Range<usize>> {
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

/// A thread may rest, or wait for a call to return, in front of the instruction.
fn rests(instr: &Instr) -> bool {
    instr.access.is_step() || matches!(instr.op, Op::Call { .. })
}
