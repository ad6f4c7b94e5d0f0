//! What an instruction, or an expression, mentions: locals, places and operands. Every match is exhaustive.

use super::{HeapBase, HeapExpr, HeapLocal, HeapOp, HeapPlace};
use crate::program::LocalId;

impl HeapOp {
    /// The locals that the instruction assigns to.
    pub fn targets(&self, visit: &mut impl FnMut(&HeapLocal)) {
        match self {
            HeapOp::Assign { to, .. } => visit(to),
            HeapOp::ChooseBool { into } => visit(&HeapLocal { local: *into, part: None }),
            HeapOp::Load { into, .. } | HeapOp::New { into, .. } => visit(into),
            HeapOp::Cas { into, .. }
            | HeapOp::CmpXchg { into, .. }
            | HeapOp::Dcas { into, .. }
            | HeapOp::Swap { into, .. }
            | HeapOp::TryLock { into, .. }
            | HeapOp::IsLocked { into, .. } => into.iter().for_each(visit),
            HeapOp::Branch { .. }
            | HeapOp::Assert(_)
            | HeapOp::Assume(_)
            | HeapOp::Await(_)
            | HeapOp::Lin { .. }
            | HeapOp::Return(_)
            | HeapOp::Store { .. }
            | HeapOp::Free(_)
            | HeapOp::Lock(_)
            | HeapOp::Unlock(_)
            | HeapOp::Atomic { .. } => {}
        }
    }

    /// The locals that the instruction assigns to or reads.
    pub fn locals(&self, visit: &mut impl FnMut(&HeapLocal)) {
        self.targets(visit);
        let mut read = |expr: &HeapExpr| {
            expr.locals(&mut |local| visit(&HeapLocal { local, part: None }));
        };
        self.operands(&mut read);
        self.places(&mut |place| place.operands(&mut read));
    }

    /// The shared places of the instruction.
    pub fn places(&self, visit: &mut impl FnMut(&HeapPlace)) {
        match self {
            HeapOp::Load { from: place, .. }
            | HeapOp::Store { to: place, .. }
            | HeapOp::Cas { place, .. }
            | HeapOp::CmpXchg { place, .. }
            | HeapOp::Swap { place, .. }
            | HeapOp::Lock(place)
            | HeapOp::Unlock(place)
            | HeapOp::TryLock { place, .. }
            | HeapOp::IsLocked { place, .. } => visit(place),
            HeapOp::Dcas { places, .. } => places.iter().for_each(visit),
            HeapOp::Assign { .. }
            | HeapOp::Branch { .. }
            | HeapOp::ChooseBool { .. }
            | HeapOp::Assert(_)
            | HeapOp::Assume(_)
            | HeapOp::Await(_)
            | HeapOp::Lin { .. }
            | HeapOp::Return(_)
            | HeapOp::New { .. }
            | HeapOp::Free(_)
            | HeapOp::Atomic { .. } => {}
        }
    }

    /// The expressions of the instruction, without those inside places.
    pub fn operands(&self, visit: &mut impl FnMut(&HeapExpr)) {
        match self {
            HeapOp::Assign { value, .. } | HeapOp::Store { value, .. } | HeapOp::Swap { value, .. } => {
                visit(value);
            }
            HeapOp::Branch { cond, .. }
            | HeapOp::Assert(cond)
            | HeapOp::Assume(cond)
            | HeapOp::Await(cond) => visit(cond),
            HeapOp::Lin { cond, .. } => cond.iter().for_each(visit),
            HeapOp::Return(value) => value.iter().for_each(visit),
            HeapOp::New { fields, .. } => fields.iter().for_each(|(_, value)| visit(value)),
            HeapOp::Free(pointer) => visit(pointer),
            HeapOp::Cas { old, new, .. } | HeapOp::CmpXchg { old, new, .. } => {
                visit(old);
                visit(new);
            }
            HeapOp::Dcas { olds, news, .. } => olds.iter().chain(news.iter()).for_each(visit),
            HeapOp::ChooseBool { .. }
            | HeapOp::Load { .. }
            | HeapOp::Lock(_)
            | HeapOp::Unlock(_)
            | HeapOp::TryLock { .. }
            | HeapOp::IsLocked { .. }
            | HeapOp::Atomic { .. } => {}
        }
    }
}

impl HeapPlace {
    /// Visits the expression inside the place: the index of an element, or the pointer of a field.
    pub fn operands(&self, visit: &mut impl FnMut(&HeapExpr)) {
        match &self.base {
            HeapBase::Global(_) => {}
            HeapBase::Element { index, .. } => visit(index),
            HeapBase::Field { pointer, .. } => visit(pointer),
        }
    }
}

impl HeapExpr {
    /// Visits the direct subexpressions, from left to right.
    pub fn children(&self, visit: &mut dyn FnMut(&HeapExpr)) {
        match self {
            HeapExpr::Bool(_)
            | HeapExpr::Small(_)
            | HeapExpr::Null
            | HeapExpr::None
            | HeapExpr::KeyMin
            | HeapExpr::KeyMax
            | HeapExpr::FirstAge
            | HeapExpr::Undefined
            | HeapExpr::Local(_) => {}
            HeapExpr::Part(of, _)
            | HeapExpr::Some(of)
            | HeapExpr::NextAge(of)
            | HeapExpr::Not(of)
            | HeapExpr::InRange { value: of, .. } => visit(of),
            HeapExpr::Word(all) => all.iter().for_each(visit),
            HeapExpr::And(a, b)
            | HeapExpr::Or(a, b)
            | HeapExpr::Equal(a, b)
            | HeapExpr::Less(a, b)
            | HeapExpr::Plus(a, b)
            | HeapExpr::Minus(a, b) => {
                visit(a);
                visit(b);
            }
        }
    }

    /// Visits the locals that the expression reads.
    pub fn locals(&self, visit: &mut dyn FnMut(LocalId)) {
        if let HeapExpr::Local(local) = self {
            visit(*local);
        }
        self.children(&mut |child| child.locals(visit));
    }
}
