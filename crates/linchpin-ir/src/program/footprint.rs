//! The memory that an instruction may touch, computed before it runs.
//!
//! Memory is divided into *regions*:
//! - slots of the variables;
//! - slots of all cells of a struct;
//! - slots of the elements of all arrays on the heap with the same element type;
//! - the store of cells itself.
//!
//! An index that is not constant covers its whole array. **Law**: if the footprints of two instructions do
//! not [conflict](Footprint::conflicts_with), then executing them in either order gives the same state.

use super::{Base, ExprKind, Globals, Method, Op, Pc, Place, Program, Projection};
use crate::index::IndexVec;
use crate::types::{Pointee, StructId, TypeId, TypeKind, TypeTable};
use std::ops::Range;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Region {
    /// Slots of the variables.
    Variables(Range<usize>),
    /// Slots of every cell of a struct.
    Cells(StructId, Range<usize>),
    /// Slots of the elements of every array on the heap with elements of this type; the position, if it is
    /// constant.
    Elements(TypeId, Range<usize>, Option<i64>),
    /// Which cells there are.
    Store,
}

/// The regions that an instruction, or a step, may read and write.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    pub reads: Vec<Region>,
    pub writes: Vec<Region>,
}

/// Of one instruction.
pub fn of_instruction(types: &TypeTable, globals: &Globals, op: &Op) -> Footprint {
    let mut footprint = Footprint::default();
    for place in op.places() {
        let region = region(types, globals, place);
        // Every write but a plain one looks at what was there.
        if !matches!(op, Op::Store { .. }) {
            footprint.read(region.clone());
        }
        if !op.only_reads() && !matches!(op, Op::LoadLinked { .. }) {
            footprint.write(region);
        }
    }
    if matches!(op, Op::New { .. } | Op::NewArray { .. } | Op::Free(_)) {
        footprint.read(Region::Store);
        footprint.write(Region::Store);
    }
    footprint
}

/// Of the step that begins at an instruction: of its access and all local work after it, calls included.
pub fn of_step(program: &Program, method: &Method, step: Pc) -> Footprint {
    let mut footprint = Footprint::default();
    let mut seen: IndexVec<Pc, bool> = method.code.iter().map(|_| false).collect();
    let mut open = vec![step];
    while let Some(pc) = open.pop() {
        let instr = &method.code[pc];
        if std::mem::replace(&mut seen[pc], true) || pc != step && instr.access.is_step() {
            continue;
        }
        match &instr.op {
            // What a callee does is not followed; it may be anything.
            Op::Call { .. } => footprint.join(&everything(program)),
            op => footprint.join(&of_instruction(&program.types, &program.globals, op)),
        }
        open.extend(instr.successors());
    }
    footprint
}

impl Footprint {
    /// One writes what the other reads or writes.
    pub fn conflicts_with(&self, other: &Footprint) -> bool {
        let meets = |a: &[Region], b: &[Region]| a.iter().any(|x| b.iter().any(|y| x.overlaps(y)));
        meets(&self.writes, &other.writes)
            || meets(&self.writes, &other.reads)
            || meets(&self.reads, &other.writes)
    }

    pub fn join(&mut self, other: &Footprint) {
        other.reads.iter().for_each(|region| self.read(region.clone()));
        other.writes.iter().for_each(|region| self.write(region.clone()));
    }

    fn read(&mut self, region: Region) {
        if !self.reads.contains(&region) {
            self.reads.push(region);
        }
    }

    fn write(&mut self, region: Region) {
        if !self.writes.contains(&region) {
            self.writes.push(region);
        }
    }
}

impl Region {
    pub fn overlaps(&self, other: &Region) -> bool {
        let meet = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
        match (self, other) {
            (Region::Variables(a), Region::Variables(b)) => meet(a, b),
            (Region::Cells(s, a), Region::Cells(t, b)) => s == t && meet(a, b),
            (Region::Elements(s, a, i), Region::Elements(t, b, j)) => {
                s == t && meet(a, b) && (i.is_none() || j.is_none() || i == j)
            }
            (Region::Store, Region::Store) => true,
            _ => false,
        }
    }
}

fn region(types: &TypeTable, globals: &Globals, place: &Place) -> Region {
    match &place.base {
        Base::Global(id) => {
            let offset = globals.variables.get(*id).map_or(0, |variable| variable.offset);
            let slots = slots(types, place.ty, &place.path);
            Region::Variables(offset + slots.start..offset + slots.end)
        }
        Base::Cell { of: Pointee::Struct(of), .. } => Region::Cells(*of, slots(types, place.ty, &place.path)),
        Base::Cell { of: Pointee::Array(element), .. } => match place.path.split_first() {
            Some((Projection::Index { index, .. }, rest)) => {
                let position = match &index.kind {
                    ExprKind::Constant(words) => words.first().map(|&word| i64::from(word)),
                    _ => None,
                };
                Region::Elements(*element, slots(types, place.ty, rest), position)
            }
            _ => Region::Elements(*element, 0..types.width(*element), None),
        },
    }
}

/// The slots that a place may be, counted from the beginning of what the path starts in.
fn slots(types: &TypeTable, ty: TypeId, path: &[Projection]) -> Range<usize> {
    let mut start = 0;
    for (position, projection) in path.iter().enumerate() {
        match projection {
            Projection::Field { of, field } => start += types.field_offset(*of, *field),
            Projection::Index { index, element, len } => match (&index.kind, len) {
                (ExprKind::Constant(words), _) => {
                    let number = words.first().and_then(|&word| usize::try_from(word).ok()).unwrap_or(0);
                    start += number * types.width(*element);
                }
                (_, Some(len)) => return start..start + types.width(*element) * *len as usize,
                (_, None) => return start..start + slots(types, ty, &path[position + 1..]).end,
            },
        }
    }
    start..start + types.width(ty)
}

fn everything(program: &Program) -> Footprint {
    let types = &program.types;
    let mut regions = vec![Region::Variables(0..program.globals.slots.len()), Region::Store];
    for ty in types.ids() {
        match types.kind(ty) {
            TypeKind::Struct(of) => regions.push(Region::Cells(of, 0..types.width(ty))),
            TypeKind::Pointer(Pointee::Array(element)) => {
                regions.push(Region::Elements(element, 0..types.width(element), None));
            }
            _ => {}
        }
    }
    Footprint { reads: regions.clone(), writes: regions }
}
