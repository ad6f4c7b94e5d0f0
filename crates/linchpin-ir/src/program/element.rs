//! Elements of the arrays among the shared variables, by the expression that picks them.
//!
//! A place with one index is (array, slots within an element, index). Two such places in the same array can
//! be the same memory only if two conditions hold: their slots within an element overlap, and their indices
//! have the same value. The values are unknown here. But while no local of an index is written, the same
//! expression of the same thread has the same value.

use super::{Base, Expr, Globals, Op, Place, Projection};
use crate::types::TypeTable;
use std::ops::Range;

/// An array among the shared variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    start: usize,
    /// Of an element, in slots.
    width: usize,
    len: usize,
}

/// A part of one element.
#[derive(Clone, PartialEq, Debug)]
pub struct Element {
    pub array: Array,
    /// Slots, counted from the beginning of the element.
    pub within: Range<usize>,
    pub index: Expr,
}

impl Element {
    /// The element that a place lies in, if it has exactly one index and that depends on locals alone.
    pub fn of(types: &TypeTable, globals: &Globals, place: &Place) -> Option<Element> {
        let Base::Global(global) = place.base else { return None };
        let mut at = globals.variables.get(global)?.offset;
        let mut found: Option<(Array, &Expr)> = None;
        for projection in &place.path {
            match projection {
                Projection::Field { of, field } => at += types.field_offset(*of, *field),
                Projection::Index { index, element, len: Some(len) } if found.is_none() => {
                    let array = Array { start: at, width: types.width(*element), len: *len as usize };
                    found = Some((array, index));
                    at = 0;
                }
                Projection::Index { .. } => return None,
            }
        }
        let (array, index) = found?;
        let within = at..at + types.width(place.ty);
        (!index.reads_thread_var()).then(|| Element { array, within, index: index.clone() })
    }

    /// Whether an instruction may change the value of the index.
    pub fn is_moved_by(&self, op: &Op) -> bool {
        op.defines().into_iter().chain(op.updates()).any(|local| self.index.reads_local(local))
    }

    /// Whether the two can be the same memory, were their indices the same.
    pub fn meets(&self, other: &Element) -> bool {
        let (a, b) = (&self.within, &other.within);
        self.array == other.array && a.start < b.end && b.start < a.end
    }
}

impl Array {
    pub fn contains(&self, slot: usize) -> bool {
        (self.start..self.start + self.width * self.len).contains(&slot)
    }
}
