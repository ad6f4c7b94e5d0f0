//! Memory that no operation assigns outside `new` (language 3.2): reading it is local.
//!
//! Memory is divided into *classes*. A class is a shared variable, or in `gc` memory a field. A field is
//! named by the struct of its cell and the path of fields that leads to it. The elements of an array are in
//! one class, as are the fields of a word. A class is constant if no instruction that an operation can reach
//! writes it, a class around it or a class inside it. Where cells are reused, only whole variables can be
//! constant: `new` writes the fields of a cell that other threads still see.

use super::draft::Draft;
use linchpin_ir::index::IndexVec;
use linchpin_ir::program::{Base, GlobalId, MemoryKind, MethodId, Op, Place, Projection};
use linchpin_ir::types::{Pointee, StructId, TypeKind, TypeTable};

/// The classes that operations write.
pub(super) struct Constants {
    written: Vec<Class>,
    memory: MemoryKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Class {
    root: Root,
    fields: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Root {
    Variable(GlobalId),
    Cell(StructId),
}

impl Constants {
    /// Of an object: what the methods write that its operations can reach.
    pub fn of_operations(
        types: &TypeTable,
        memory: MemoryKind,
        methods: &IndexVec<MethodId, Draft>,
        ops: impl Iterator<Item = MethodId>,
    ) -> Constants {
        let mut reached: Vec<MethodId> = Vec::new();
        let mut open: Vec<MethodId> = ops.collect();
        while let Some(id) = open.pop() {
            if !reached.contains(&id) {
                reached.push(id);
                open.extend(called(&methods[id]));
            }
        }
        Constants::of_methods(types, memory, reached.into_iter().map(|id| &methods[id]))
    }

    pub fn of_methods<'d>(
        types: &TypeTable,
        memory: MemoryKind,
        methods: impl Iterator<Item = &'d Draft>,
    ) -> Constants {
        let mut constants = Constants { written: Vec::new(), memory };
        for instr in methods.flat_map(|draft| draft.code.iter()).filter(|instr| !instr.op.only_reads()) {
            for place in instr.op.places() {
                if let Some(class) = constants.class(types, place)
                    && !constants.written.contains(&class)
                {
                    constants.written.push(class);
                }
            }
        }
        constants
    }

    /// Nothing writes any of the variable.
    pub fn variable(&self, variable: GlobalId) -> bool {
        self.written.iter().all(|class| class.root != Root::Variable(variable))
    }

    /// Nothing writes the place.
    pub fn place(&self, types: &TypeTable, place: &Place) -> bool {
        let Some(read) = self.class(types, place) else { return false };
        if self.memory != MemoryKind::Gc && matches!(read.root, Root::Cell(_)) {
            return false;
        }
        self.written.iter().all(|class| {
            let common = class.fields.len().min(read.fields.len());
            class.root != read.root || class.fields[..common] != read.fields[..common]
        })
    }

    /// The class of a place; the elements of arrays on the heap have none, they are never constant.
    fn class(&self, types: &TypeTable, place: &Place) -> Option<Class> {
        let root = match &place.base {
            Base::Global(variable) => Root::Variable(*variable),
            Base::Cell { of: Pointee::Struct(of), .. } => Root::Cell(*of),
            Base::Cell { of: Pointee::Array(_), .. } => return None,
        };
        if self.memory != MemoryKind::Gc && matches!(root, Root::Variable(_)) {
            return Some(Class { root, fields: Vec::new() });
        }
        let mut fields = Vec::new();
        for projection in &place.path {
            match projection {
                Projection::Field { of, field } if matches!(types.kind(*of), TypeKind::Struct(_)) => {
                    fields.push(*field);
                }
                Projection::Field { .. } => break,
                Projection::Index { .. } => {}
            }
        }
        Some(Class { root, fields })
    }
}

/// The methods that a draft calls, in code that can be reached.
pub(super) fn called(draft: &Draft) -> impl Iterator<Item = MethodId> {
    draft.code.iter().filter_map(|instr| match &instr.op {
        Op::Call { method, .. } => Some(*method),
        _ => None,
    })
}
