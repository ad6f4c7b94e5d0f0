//! The vocabulary of list-based sets: every field, variable and place of such a program, resolved once.
//!
//! A cell has one `key`, one pointer (alone, or in a word with small parts), small fields, and at most one
//! lock. The small fields are numbered in the order of their declaration, the parts of a word in the order of
//! the word. A shared variable is a pointer that only `init` writes, or a lock.
//!
//! [`SetLayout::of`] refuses, with its span, everything that has no place in this vocabulary.

use super::layout::Frame;
use super::overwritten::overwritten;
use super::refusal::refusal;
use super::spec::{SetOperation, set_operations};
use super::{
    HeapBase, HeapMethod, HeapOp, HeapPlace, HeapProgram, HeapScalar, HeapType, ProofMethod,
    UnsupportedConstruct,
};
use crate::index::Index;
use crate::program::{GlobalId, OpId, Pc, Program};
use crate::source::Span;
use crate::types::StructId;

/// A program of a list-based set with every place resolved.
pub struct SetLayout {
    heap: HeapProgram,
    operations: Vec<SetOperation>,
    cell: SetCell,
    globals: Vec<SetGlobal>,
    pointers: usize,
    init: Frame,
    frames: Vec<Frame>,
    /// By operation and instruction.
    overwritten: Vec<Vec<Vec<usize>>>,
}

/// A shared variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetGlobal {
    /// The shared pointer with this number.
    Pointer(usize),
    /// The shared lock with this number, less than 32.
    Lock(u32),
}

/// The one kind of cell.
#[derive(Clone, Debug)]
pub struct SetCell {
    pub of: StructId,
    /// By field.
    pub fields: Vec<SetField>,
    /// The small fields, in order.
    pub small: Vec<SmallField>,
}

impl SetCell {
    /// Whether a field, or a part of it, holds the pointer.
    fn is_link(&self, field: usize, part: Option<usize>) -> bool {
        let Some(SetField::Link(parts)) = self.fields.get(field) else { return false };
        part.is_none_or(|part| parts.get(part) == Some(&LinkPart::Pointer))
    }
}

/// What a field of a cell holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetField {
    Key,
    /// The parts of the field with the pointer: one part, unless it is a word.
    Link(Vec<LinkPart>),
    /// The small field with this number.
    Small(usize),
    Lock,
}

/// A part of the field with the pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkPart {
    Pointer,
    /// The small field with this number.
    Small(usize),
}

/// The values of a small field: the numbers from `least` on, so many of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SmallField {
    pub least: i16,
    pub count: u16,
    pub default: i16,
}

/// How many combinations of small fields a cell may have.
const MOST_LABELS: u32 = 64;

/// Whether the specification is a set of keys, by what it does.
pub fn is_set_of_keys(program: &Program) -> bool {
    set_operations(program).is_some()
}

impl SetLayout {
    pub fn of(program: &Program) -> Result<SetLayout, Vec<UnsupportedConstruct>> {
        let heap = HeapProgram::of(program, ProofMethod::Sets)?;
        let mut refusals = Vec::new();
        let Some(operations) = set_operations(program) else {
            let construct = format!("the specification `{}`", program.spec.name);
            return Err(vec![UnsupportedConstruct { construct, span: program.spec.span }]);
        };
        let cell = cell_of(&heap, program.object_span, &mut refusals);
        let (globals, pointers) = globals_of(&heap, &mut refusals);
        let init = Frame::of(heap.init(), &mut refusals);
        let frames: Vec<Frame> = heap.ops().iter().map(|op| Frame::of(&op.method, &mut refusals)).collect();
        let Some(cell) = cell else { return Err(refusals) };
        let methods = heap.ops().iter().map(|op| &op.method).zip(&frames);
        let is_link = |field: usize, part: Option<usize>| cell.is_link(field, part);
        let overwritten = methods.map(|(method, frame)| overwritten(method, frame, &is_link)).collect();
        let layout = SetLayout { heap, operations, cell, globals, pointers, init, frames, overwritten };
        if refusals.is_empty() {
            layout.refuse_instructions(&mut refusals);
        }
        refusals.sort_by_key(|refusal| refusal.span);
        if refusals.is_empty() { Ok(layout) } else { Err(refusals) }
    }

    pub fn heap(&self) -> &HeapProgram {
        &self.heap
    }

    /// What an operation does.
    pub fn operation(&self, op: OpId) -> Option<SetOperation> {
        self.operations.get(op.index()).copied()
    }

    pub fn cell(&self) -> &SetCell {
        &self.cell
    }

    pub fn global(&self, id: GlobalId) -> Option<SetGlobal> {
        self.globals.get(id.index()).copied()
    }

    /// How many shared pointers there are.
    pub fn pointers(&self) -> usize {
        self.pointers
    }

    /// The frame of an operation, or that of `init`.
    pub fn frame(&self, op: Option<OpId>) -> Option<&Frame> {
        match op {
            Some(op) => self.frames.get(op.index()),
            None => Some(&self.init),
        }
    }

    /// Returns the parts of the frame that point to cells whose pointer is overwritten before it matters.
    pub fn overwritten(&self, op: OpId, pc: Pc) -> &[usize] {
        let known = self.overwritten.get(op.index()).and_then(|of| of.get(pc.index()));
        known.map_or(&[], |parts| parts)
    }

    /// The method of an operation, or `init`.
    pub fn method(&self, op: Option<OpId>) -> &HeapMethod {
        match op {
            Some(op) => &self.heap.ops()[op].method,
            None => self.heap.init(),
        }
    }

    fn refuse_instructions(&self, refusals: &mut Vec<UnsupportedConstruct>) {
        for op in self.heap.ops().ids().map(Some).chain([None]) {
            let (method, Some(frame)) = (self.method(op), self.frame(op)) else { continue };
            for instr in method.code.iter() {
                let mut refuse = |construct: &str| refusals.push(refusal(construct, instr.span));
                let mut resolves = true;
                instr.op.locals(&mut |local| resolves &= frame.local(local.local, local.part).is_some());
                instr.op.places(&mut |place| resolves &= self.resolves(place));
                if !resolves {
                    refuse("a place that does not resolve");
                }
                match &instr.op {
                    HeapOp::Free(_) => refuse("`free` in a set"),
                    HeapOp::Await(_) => refuse("an `await` in a set"),
                    HeapOp::New { of, .. } if *of != self.cell.of => refuse("a second struct on the heap"),
                    instr if op.is_some() => {
                        let mut assigned = false;
                        instr.targets(&mut |target| assigned |= method.params.contains(&target.local));
                        if assigned {
                            refuse("an assignment to a parameter");
                        }
                    }
                    _ => {}
                }
                if instr.op.writes() {
                    instr.op.places(&mut |place| match &place.base {
                        HeapBase::Global(_) if op.is_some() => {
                            refuse("a write of a shared pointer outside `init`, in a set");
                        }
                        HeapBase::Field { field, .. }
                            if self.cell.fields.get(*field) == Some(&SetField::Key) =>
                        {
                            refuse("a write of a `key` in a cell of a set");
                        }
                        _ => {}
                    });
                }
            }
        }
    }

    fn resolves(&self, place: &HeapPlace) -> bool {
        match &place.base {
            HeapBase::Global(id) => self.global(*id).is_some() && place.part.is_none(),
            HeapBase::Element { .. } => false,
            HeapBase::Field { of, field, .. } => {
                *of == self.cell.of
                    && match (self.cell.fields.get(*field), place.part) {
                        (Some(SetField::Link(parts)), Some(part)) => part < parts.len(),
                        (field, part) => field.is_some() && part.is_none(),
                    }
            }
        }
    }
}

impl HeapOp {
    /// Whether the instruction may change the contents of its places; locks do not count.
    pub fn writes(&self) -> bool {
        matches!(
            self,
            HeapOp::Store { .. }
                | HeapOp::Cas { .. }
                | HeapOp::CmpXchg { .. }
                | HeapOp::Dcas { .. }
                | HeapOp::Swap { .. }
        )
    }
}

fn globals_of(heap: &HeapProgram, refusals: &mut Vec<UnsupportedConstruct>) -> (Vec<SetGlobal>, usize) {
    let (mut globals, mut pointers, mut locks) = (Vec::new(), 0, 0);
    for variable in heap.globals().iter() {
        match &variable.ty {
            HeapType::Scalar(HeapScalar::Pointer(_)) => {
                globals.push(SetGlobal::Pointer(pointers));
                pointers += 1;
            }
            HeapType::Lock if locks < 32 => {
                globals.push(SetGlobal::Lock(locks));
                locks += 1;
            }
            HeapType::Lock => refusals.push(refusal("more than 32 locks", variable.span)),
            HeapType::Scalar(_) | HeapType::Optional(_) | HeapType::Word(_) | HeapType::Array { .. } => {
                let construct = "a shared variable of a set that is neither a pointer nor a lock";
                refusals.push(refusal(construct, variable.span));
            }
        }
    }
    (globals, pointers)
}

fn cell_of(heap: &HeapProgram, object: Span, refusals: &mut Vec<UnsupportedConstruct>) -> Option<SetCell> {
    let methods = heap.ops().iter().map(|op| &op.method).chain([heap.init()]);
    let made = methods.flat_map(|method| method.code.iter()).find_map(|instr| match instr.op {
        HeapOp::New { of, .. } => Some(of),
        _ => None,
    });
    let Some((of, record)) = made.and_then(|of| Some((of, heap.structs().get(of)?))) else {
        refusals.push(refusal("a set without cells on the heap", object));
        return None;
    };
    let mut cell = SetCell { of, fields: Vec::new(), small: Vec::new() };
    for variable in &record.fields {
        let mut refuse = |construct: &str| refusals.push(refusal(construct, variable.span));
        let field = match &variable.ty {
            HeapType::Scalar(HeapScalar::Key) => SetField::Key,
            HeapType::Scalar(HeapScalar::Pointer(_)) => SetField::Link(vec![LinkPart::Pointer]),
            HeapType::Lock => SetField::Lock,
            HeapType::Word(scalars) => {
                let mut parts = Vec::new();
                for scalar in scalars {
                    if matches!(scalar, HeapScalar::Pointer(_)) {
                        parts.push(LinkPart::Pointer);
                    } else if let Some(small) = small_field(*scalar) {
                        cell.small.push(small);
                        parts.push(LinkPart::Small(cell.small.len() - 1));
                    } else {
                        refuse("a word of anything but pointers and small values in a cell");
                    }
                }
                match parts.iter().filter(|part| **part == LinkPart::Pointer).count() {
                    1 => {}
                    0 => refuse("a word without a pointer in a cell"),
                    _ => refuse("a second pointer field"),
                }
                SetField::Link(parts)
            }
            HeapType::Scalar(scalar) => match small_field(*scalar) {
                Some(small) => {
                    cell.small.push(small);
                    SetField::Small(cell.small.len() - 1)
                }
                None => {
                    refuse("a field of a set's cell that is neither a key, a pointer, a lock nor small");
                    continue;
                }
            },
            HeapType::Optional(_) | HeapType::Array { .. } => {
                refuse("an optional value or an array in a cell");
                continue;
            }
        };
        let is_second = match field {
            SetField::Small(_) => false,
            SetField::Link(_) => cell.fields.iter().any(|known| matches!(known, SetField::Link(_))),
            SetField::Key | SetField::Lock => cell.fields.contains(&field),
        };
        if is_second {
            refuse(match field {
                SetField::Key => "a second `key` in a cell",
                SetField::Lock => "a second lock in a cell",
                SetField::Link(_) | SetField::Small(_) => "a second pointer field",
            });
        }
        cell.fields.push(field);
    }
    if !cell.fields.contains(&SetField::Key) {
        refusals.push(refusal("a list without a `key` to sort it by", object));
    }
    if !cell.fields.iter().any(|field| matches!(field, SetField::Link(_))) {
        refusals.push(refusal("a cell without a pointer", object));
    }
    let labels = cell.small.iter().fold(1_u32, |all, small| all.saturating_mul(u32::from(small.count)));
    if labels > MOST_LABELS {
        refusals.push(refusal("more than 64 combinations of small fields in a cell", object));
    }
    Some(cell)
}

fn small_field(scalar: HeapScalar) -> Option<SmallField> {
    match scalar {
        HeapScalar::Bool => Some(SmallField { least: 0, count: 2, default: 0 }),
        HeapScalar::Small { low, high } => {
            let default = if (low..=high).contains(&0) { 0 } else { low };
            let count = u16::try_from(high - low + 1).ok()?;
            let (least, default) = (i16::try_from(low).ok()?, i16::try_from(default).ok()?);
            i16::try_from(high).ok()?;
            Some(SmallField { least, count, default })
        }
        HeapScalar::Data | HeapScalar::Key | HeapScalar::Age | HeapScalar::Pointer(_) | HeapScalar::Int => {
            None
        }
    }
}
