//! The slots of a method: one for each scalar variable, and one for each part of a word.

use linchpin_certify::certificate::Slot;
use linchpin_ir::heap::layout;
use linchpin_ir::heap::layout::{Component, HeapLayout, Sort};
use linchpin_ir::heap::{HeapExpr, HeapLocal};
use linchpin_ir::index::Index;
use linchpin_ir::program::{LocalId, OpId};
use std::ops::Range;

#[derive(Clone, Copy, Debug)]
pub struct SlotInfo {
    pub slot: Slot,
    pub sort: SlotSort,
}

/// The sort of value that a slot, or a part of a shared variable, holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotSort {
    Pointer,
    Data,
    Age,
    /// A number of a small type. Truth values are 0 and 1.
    Small {
        default: i8,
    },
    /// A key. The analysis knows its class.
    Key,
    Lock,
    /// `none`, or data, a key or a small value.
    Optional,
}

/// All slots of a method, numbered in the order of its locals.
pub struct MethodSlots {
    pub all: Vec<SlotInfo>,
    /// The first slot of each local.
    first: Vec<usize>,
}

impl MethodSlots {
    /// Lists the slots of an operation, or of `init` for `None`.
    pub fn new(layout: &HeapLayout, op: Option<OpId>) -> MethodSlots {
        let method = layout.method(op);
        let mut all = Vec::new();
        let mut first = Vec::new();
        if let Some(frame) = layout.frame(op) {
            for local in method.locals.ids() {
                first.push(all.len());
                let parts = frame.local(local, None).unwrap_or_default();
                for (part, of) in frame.parts()[parts].iter().enumerate() {
                    all.push(SlotInfo { slot: Slot { local, part }, sort: SlotSort::from(*of) });
                }
            }
        }
        MethodSlots { all, first }
    }

    /// Returns the slots of a local, or of one part of the local.
    pub fn of_local(&self, local: LocalId, part: Option<usize>) -> Range<usize> {
        let first = self.first[local.index()];
        let end = self.first.get(local.index() + 1).copied().unwrap_or(self.all.len());
        match part {
            Some(part) => first + part..first + part + 1,
            None => first..end,
        }
    }

    pub fn target(&self, target: &HeapLocal) -> Range<usize> {
        self.of_local(target.local, target.part)
    }

    pub fn number(&self, slot: Slot) -> usize {
        self.first[slot.local.index()] + slot.part
    }

    /// Returns the slot if the expression reads one slot and computes nothing.
    pub fn read_slot(&self, expr: &HeapExpr) -> Option<Slot> {
        match expr {
            HeapExpr::Local(local) if self.of_local(*local, None).len() == 1 => {
                Some(Slot { local: *local, part: 0 })
            }
            HeapExpr::Part(of, part) => match **of {
                HeapExpr::Local(local) => Some(Slot { local, part: *part }),
                _ => None,
            },
            _ => None,
        }
    }
}

impl From<Component> for SlotSort {
    fn from(part: Component) -> SlotSort {
        match part.sort {
            Sort::Pointer => SlotSort::Pointer,
            Sort::Data => SlotSort::Data,
            Sort::Age => SlotSort::Age,
            Sort::Key => SlotSort::Key,
            Sort::Lock => SlotSort::Lock,
            Sort::Optional(_) => SlotSort::Optional,
            Sort::Number => match part.default {
                layout::Default::Number(default) => SlotSort::Small { default },
                layout::Default::Null
                | layout::Default::Undefined
                | layout::Default::None
                | layout::Default::Unused => SlotSort::Small { default: 0 },
            },
        }
    }
}
