//! The vocabulary of heap programs: every variable, field and place of a program, resolved once.
//!
//! A value is made of *parts*, one for each scalar in it. The shared variables are one list of parts
//! ([`SharedPart`]): variable by variable, an array element by element, an element field by field. The
//! variables of an operation are another ([`Frame`]). A lock is a shared part with a number of its own
//! ([`LockId`]). A cell has at most one pointer (alone, or in a word with an age), one `data` and one label.
//!
//! [`HeapLayout::of`] resolves every place of the program and refuses, with its span, what does not resolve.
//! Later look-ups give an `Option`: nothing stands for "no such place".

use super::cell::{CellLayout, cell_layout};
use super::refusal::refusal;
use super::{
    HeapBase, HeapMethod, HeapPlace, HeapProgram, HeapScalar, HeapType, ProofMethod, UnsupportedConstruct,
};
use crate::index::Index;
use crate::program::{GlobalId, LocalId, MemoryKind, OpId, Program};
use crate::source::Span;
use std::ops::Range;

/// What a part of a value holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    Pointer,
    Data,
    Age,
    /// A truth value, an enum, a range or an `int`.
    Number,
    Key,
    Lock,
    /// `none`, or one of these.
    Optional(Content),
}

/// What an optional value holds if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Content {
    Data,
    Number,
    Key,
}

impl Sort {
    /// Whether a part of this sort may hold an undefined value.
    pub fn may_be_undefined(self) -> bool {
        matches!(self, Sort::Data | Sort::Key | Sort::Optional(Content::Data | Content::Key))
    }
}

/// A part, and the value it has before anything is assigned to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Component {
    pub sort: Sort,
    pub default: Default,
}

/// The value of a variable that nothing was assigned to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Default {
    Null,
    Undefined,
    None,
    Number(i8),
    /// An age that was never incremented, or a free lock.
    Unused,
}

/// The number of a part of the shared variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SharedPart(u16);

impl SharedPart {
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl TryFrom<usize> for SharedPart {
    type Error = std::num::TryFromIntError;

    fn try_from(number: usize) -> Result<SharedPart, Self::Error> {
        u16::try_from(number).map(SharedPart)
    }
}

/// The number of a lock among the shared parts that are locks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LockId(u8);

impl LockId {
    /// How many locks a program may have: a set of locks is a word of bits.
    pub const MOST: usize = 32;

    pub fn bit(self) -> u32 {
        1 << self.0
    }
}

impl TryFrom<usize> for LockId {
    type Error = ();

    fn try_from(number: usize) -> Result<LockId, ()> {
        u8::try_from(number).ok().filter(|id| usize::from(*id) < LockId::MOST).map(LockId).ok_or(())
    }
}

/// A heap program with every place resolved.
pub struct HeapLayout {
    heap: HeapProgram,
    shared: Vec<Component>,
    variables: Vec<Variable>,
    /// By shared part.
    locks: Vec<Option<LockId>>,
    cell: CellLayout,
    init: Frame,
    frames: Vec<Frame>,
}

/// A shared variable: one element, or those of an array, each with some fields.
struct Variable {
    elements: usize,
    /// The parts of every field of every element.
    fields: Vec<Range<usize>>,
}

/// The parts of all variables of a method.
#[derive(Clone, Debug)]
pub struct Frame {
    parts: Vec<Component>,
    /// By local.
    locals: Vec<Range<usize>>,
}

impl HeapLayout {
    /// Refuses a program with everything that has no place in this vocabulary.
    pub fn of(program: &Program) -> Result<HeapLayout, Vec<UnsupportedConstruct>> {
        let heap = HeapProgram::of(program, ProofMethod::Pairs)?;
        let mut refusals = Vec::new();
        let cell = cell_layout(&heap, &mut refusals);
        let (mut shared, mut variables) = (Vec::new(), Vec::new());
        for variable in heap.globals().iter() {
            let (elements, fields) = match &variable.ty {
                HeapType::Array { len, fields } => (*len, &fields[..]),
                ty => (1, std::slice::from_ref(ty)),
            };
            let mut ranges = Vec::new();
            for field in (0..elements).flat_map(|_| fields) {
                let start = shared.len();
                shared.extend(parts(field, variable.span, &mut refusals));
                ranges.push(start..shared.len());
            }
            variables.push(Variable { elements, fields: ranges });
        }
        if SharedPart::try_from(shared.len()).is_err() {
            refusals.push(refusal("more than 65535 parts of shared variables", program.object_span));
        }
        let locks = number_locks(&shared, program.object_span, &mut refusals);
        let init = Frame::of(heap.init(), &mut refusals);
        let frames = heap.ops().iter().map(|op| Frame::of(&op.method, &mut refusals)).collect();
        let layout = HeapLayout { heap, shared, variables, locks, cell, init, frames };
        if refusals.is_empty() {
            layout.resolve_all(&mut refusals);
        }
        if refusals.is_empty() { Ok(layout) } else { Err(refusals) }
    }

    pub fn heap(&self) -> &HeapProgram {
        &self.heap
    }

    pub fn is_collected(&self) -> bool {
        self.heap.memory() == MemoryKind::Gc
    }

    pub fn is_manual(&self) -> bool {
        self.heap.memory() == MemoryKind::Manual
    }

    /// The parts of all shared variables.
    pub fn shared(&self) -> &[Component] {
        &self.shared
    }

    pub fn cell(&self) -> CellLayout {
        self.cell
    }

    /// The frame of an operation, or that of `init`.
    pub fn frame(&self, op: Option<OpId>) -> Option<&Frame> {
        match op {
            Some(op) => self.frames.get(op.index()),
            None => Some(&self.init),
        }
    }

    /// The method of an operation, or `init`.
    pub fn method(&self, op: Option<OpId>) -> &HeapMethod {
        match op {
            Some(op) => &self.heap.ops()[op].method,
            None => self.heap.init(),
        }
    }

    /// The parts of a field of an element of a shared variable, or the one part of it that is meant.
    pub fn shared_parts(
        &self,
        id: GlobalId,
        element: usize,
        field: usize,
        part: Option<usize>,
    ) -> Option<Range<usize>> {
        let variable = self.variables.get(id.index())?;
        let fields = variable.fields.len().checked_div(variable.elements)?;
        if element >= variable.elements || field >= fields {
            return None;
        }
        one_part(variable.fields.get(element * fields + field)?, part)
    }

    /// All parts of a shared variable.
    pub fn variable_parts(&self, id: GlobalId) -> Range<usize> {
        let fields = self.variables.get(id.index()).map_or(&[][..], |variable| &variable.fields);
        let start = fields.first().map_or(0, |field| field.start);
        start..fields.last().map_or(start, |field| field.end)
    }

    /// How many elements a shared variable has.
    pub fn elements(&self, id: GlobalId) -> usize {
        self.variables.get(id.index()).map_or(0, |variable| variable.elements)
    }

    /// The lock that is this part.
    pub fn lock(&self, parts: &Range<usize>) -> Option<LockId> {
        if parts.len() == 1 { self.locks.get(parts.start).copied().flatten() } else { None }
    }

    fn resolve_all(&self, refusals: &mut Vec<UnsupportedConstruct>) {
        let ops = self.heap.ops().ids().map(Some);
        for op in ops.chain([None]) {
            let (method, Some(frame)) = (self.method(op), self.frame(op)) else { continue };
            for instr in method.code.iter() {
                let mut resolves = true;
                instr.op.locals(&mut |local| resolves &= frame.local(local.local, local.part).is_some());
                instr.op.places(&mut |place| resolves &= self.resolves(place));
                if !resolves {
                    refusals.push(refusal("a place that does not resolve", instr.span));
                }
            }
            for instr in method.code.iter().filter(|_| op.is_some()) {
                let mut assigns = false;
                instr.op.targets(&mut |target| assigns |= method.params.contains(&target.local));
                if assigns {
                    refusals.push(refusal("an assignment to a parameter", instr.span));
                }
            }
        }
    }

    fn resolves(&self, place: &HeapPlace) -> bool {
        match &place.base {
            HeapBase::Global(id) => self.shared_parts(*id, 0, 0, place.part).is_some(),
            HeapBase::Element { array, field, .. } => {
                self.shared_parts(*array, 0, *field, place.part).is_some()
            }
            HeapBase::Field { field, .. } => {
                let CellLayout { link, data, label } = self.cell;
                let is_link = link.is_some_and(|link| {
                    link.field == *field
                        && match (link.word, place.part) {
                            (_, None) => true,
                            (None, Some(_)) => false,
                            (Some(word), Some(part)) => part == word.pointer || Some(part) == word.age,
                        }
                });
                let is_whole = place.part.is_none();
                is_link
                    || (is_whole && data == Some(*field))
                    || (is_whole && label.is_some_and(|label| label.field == *field))
            }
        }
    }
}

impl Frame {
    pub(super) fn of(method: &HeapMethod, refusals: &mut Vec<UnsupportedConstruct>) -> Frame {
        let mut frame = Frame { parts: Vec::new(), locals: Vec::new() };
        for variable in method.locals.iter() {
            let start = frame.parts.len();
            frame.parts.extend(parts(&variable.ty, variable.span, refusals));
            frame.locals.push(start..frame.parts.len());
        }
        frame
    }

    pub fn parts(&self) -> &[Component] {
        &self.parts
    }

    /// The parts of a local, or the one part of it that is meant.
    pub fn local(&self, id: LocalId, part: Option<usize>) -> Option<Range<usize>> {
        one_part(self.locals.get(id.index())?, part)
    }
}

fn one_part(range: &Range<usize>, part: Option<usize>) -> Option<Range<usize>> {
    match part {
        None => Some(range.clone()),
        Some(part) if part < range.len() => Some(range.start + part..range.start + part + 1),
        Some(_) => None,
    }
}

fn number_locks(
    shared: &[Component],
    span: Span,
    refusals: &mut Vec<UnsupportedConstruct>,
) -> Vec<Option<LockId>> {
    let mut next = 0;
    let mut locks = Vec::new();
    for part in shared {
        if part.sort != Sort::Lock {
            locks.push(None);
            continue;
        }
        let id = LockId::try_from(next).ok();
        if id.is_none() && next == LockId::MOST {
            refusals.push(refusal("more than 32 locks", span));
        }
        locks.push(id);
        next += 1;
    }
    locks
}

/// The parts of a value.
fn parts(ty: &HeapType, span: Span, refusals: &mut Vec<UnsupportedConstruct>) -> Vec<Component> {
    match ty {
        HeapType::Lock => vec![Component { sort: Sort::Lock, default: Default::Unused }],
        HeapType::Array { .. } => {
            refusals.push(refusal("an array inside an array or an operation", span));
            Vec::new()
        }
        HeapType::Scalar(scalar) => vec![part(*scalar, span, refusals)],
        HeapType::Word(scalars) => scalars.iter().map(|scalar| part(*scalar, span, refusals)).collect(),
        HeapType::Optional(scalar) => {
            let content = match part(*scalar, span, refusals).sort {
                Sort::Data => Content::Data,
                Sort::Number => Content::Number,
                Sort::Key => Content::Key,
                Sort::Pointer | Sort::Age | Sort::Lock | Sort::Optional(_) => {
                    refusals.push(refusal("an optional pointer or age", span));
                    return Vec::new();
                }
            };
            vec![Component { sort: Sort::Optional(content), default: Default::None }]
        }
    }
}

fn part(scalar: HeapScalar, span: Span, refusals: &mut Vec<UnsupportedConstruct>) -> Component {
    let (sort, default) = match scalar {
        HeapScalar::Pointer(_) => (Sort::Pointer, Default::Null),
        HeapScalar::Age => (Sort::Age, Default::Unused),
        HeapScalar::Data => (Sort::Data, Default::Undefined),
        HeapScalar::Key => (Sort::Key, Default::Undefined),
        HeapScalar::Bool | HeapScalar::Int => (Sort::Number, Default::Number(0)),
        HeapScalar::Small { low, high } => {
            let default = if (low..=high).contains(&0) { 0 } else { low };
            match (i8::try_from(low), i8::try_from(high), i8::try_from(default)) {
                (Ok(_), Ok(_), Ok(default)) => (Sort::Number, Default::Number(default)),
                _ => {
                    refusals.push(refusal("a value beyond -128..128", span));
                    (Sort::Number, Default::Number(0))
                }
            }
        }
    };
    Component { sort, default }
}
