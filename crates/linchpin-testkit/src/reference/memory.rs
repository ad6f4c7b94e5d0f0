//! The memory that threads share: variables, cells, links of `ll`.

use super::thread::Fault;
use super::value::Value;
use linchpin_frontend::typing::hir::{Program, SharedId};
use linchpin_ir::index::Index;
use linchpin_ir::interface::MemoryKind;
use linchpin_ir::types::Pointee;
use std::collections::BTreeMap;

/// A cell of the heap. Under garbage collection every `new` gets a number of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellId(pub usize);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    pub of: Pointee,
    pub free: bool,
    pub contents: Value,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Memory {
    pub kind: CellMemory,
    pub shared: Vec<Value>,
    pub cells: BTreeMap<CellId, Cell>,
    /// Where each thread's last `ll` was, while nothing has written there.
    pub links: Vec<Option<Location>>,
    /// What arbitrary hash functions were found to be.
    pub hashes: BTreeMap<(usize, Value), Value>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CellMemory {
    Gc,
    Pool,
    Manual,
}

impl CellMemory {
    pub fn of(memory: MemoryKind) -> CellMemory {
        match memory {
            MemoryKind::Gc => CellMemory::Gc,
            MemoryKind::Pool => CellMemory::Pool,
            MemoryKind::Manual => CellMemory::Manual,
        }
    }
}

/// A place in shared memory: its pointers and indices are values now.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    pub root: SharedRoot,
    pub path: Vec<Segment>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SharedRoot {
    Variable(SharedId),
    /// What a pointer leads to, if it leads anywhere.
    Behind(Value),
}

/// One step from a whole to its part.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Segment {
    Field(usize),
    Element(Value),
}

impl Memory {
    pub fn new(program: &Program) -> Memory {
        Memory {
            kind: CellMemory::of(program.memory),
            shared: program.shared.iter().map(|v| Value::default_of(&program.types, v.ty)).collect(),
            cells: BTreeMap::new(),
            links: vec![None; program.threads as usize],
            hashes: BTreeMap::new(),
        }
    }

    pub fn read(&self, at: &Location) -> Result<Value, Fault> {
        let whole = match &at.root {
            SharedRoot::Variable(id) => &self.shared[id.index()],
            SharedRoot::Behind(pointer) => &self.cell(pointer)?.contents,
        };
        part(whole, &at.path).cloned()
    }

    pub fn write(&mut self, at: &Location, value: Value) -> Result<(), Fault> {
        let whole = match &at.root {
            SharedRoot::Variable(id) => &mut self.shared[id.index()],
            SharedRoot::Behind(pointer) => {
                let id = self.cell_id(pointer)?;
                &mut self.cells.get_mut(&id).expect("a pointer leads to a cell").contents
            }
        };
        *part_mut(whole, &at.path)? = value;
        for link in &mut self.links {
            if link.as_ref().is_some_and(|link| overlap(link, at)) {
                *link = None;
            }
        }
        Ok(())
    }

    pub fn cell(&self, pointer: &Value) -> Result<&Cell, Fault> {
        Ok(&self.cells[&self.cell_id(pointer)?])
    }

    /// The cell, if a thread may touch it.
    fn cell_id(&self, pointer: &Value) -> Result<CellId, Fault> {
        match pointer {
            Value::Pointer(id) if self.kind == CellMemory::Manual && self.cells[id].free => Err(Fault::Freed),
            Value::Pointer(id) => Ok(*id),
            Value::Null => Err(Fault::Null),
            other => panic!("{other:?} is not a pointer"),
        }
    }

    /// The cells that `new` may take, if fewer than `nodes` live: each free one, and one that was never used.
    pub fn candidates(&self, nodes: usize) -> Vec<CellId> {
        let fresh = CellId(self.cells.len() + 1);
        if self.kind == CellMemory::Gc {
            return vec![fresh];
        }
        let mut found: Vec<CellId> =
            self.cells.iter().filter(|(_, cell)| cell.free).map(|(id, _)| *id).collect();
        if self.cells.len() < nodes {
            found.push(fresh);
        }
        found
    }

    /// Makes the cell live. `contents` are for a cell without any, or one whose old contents do not survive.
    pub fn allocate(&mut self, id: CellId, of: Pointee, contents: Value) {
        let survives = self.kind == CellMemory::Pool;
        let cell = self.cells.entry(id).or_insert(Cell { of, free: true, contents: contents.clone() });
        cell.free = false;
        if !survives {
            cell.contents = contents;
            for link in &mut self.links {
                if link.as_ref().is_some_and(|link| link.root == SharedRoot::Behind(Value::Pointer(id))) {
                    *link = None;
                }
            }
        }
    }

    pub fn free(&mut self, pointer: &Value) -> Result<(), Fault> {
        match pointer {
            Value::Null => Err(Fault::Null),
            Value::Pointer(id) => {
                let cell = self.cells.get_mut(id).expect("a pointer leads to a cell");
                if cell.free {
                    return Err(Fault::DoubleFree);
                }
                cell.free = true;
                Ok(())
            }
            other => panic!("{other:?} is not a pointer"),
        }
    }
}

/// The part of a value at the end of a path; an index out of bounds is a fault.
pub fn part<'v>(whole: &'v Value, path: &[Segment]) -> Result<&'v Value, Fault> {
    let Some((first, rest)) = path.split_first() else { return Ok(whole) };
    match (whole, first) {
        (Value::Record(fields), Segment::Field(field)) => part(&fields[*field], rest),
        (Value::Array(elements), Segment::Element(index)) => {
            part(&elements[position(index, elements.len())?], rest)
        }
        (whole, segment) => panic!("{whole:?} has no {segment:?}"),
    }
}

pub fn part_mut<'v>(whole: &'v mut Value, path: &[Segment]) -> Result<&'v mut Value, Fault> {
    let Some((first, rest)) = path.split_first() else { return Ok(whole) };
    match (whole, first) {
        (Value::Record(fields), Segment::Field(field)) => part_mut(&mut fields[*field], rest),
        (Value::Array(elements), Segment::Element(index)) => {
            let position = position(index, elements.len())?;
            part_mut(&mut elements[position], rest)
        }
        (whole, segment) => panic!("{whole:?} has no {segment:?}"),
    }
}

/// An index within bounds.
pub fn position(index: &Value, len: usize) -> Result<usize, Fault> {
    let number = match index {
        Value::Number(n) => usize::try_from(*n).ok(),
        Value::Thread(t) => Some(*t),
        Value::Undefined => return Err(Fault::Undefined),
        other => panic!("{other:?} is not an index"),
    };
    number.filter(|&n| n < len).ok_or(Fault::Index)
}

/// Whether a write to one changes the other: one is part of the other.
fn overlap(a: &Location, b: &Location) -> bool {
    a.root == b.root && a.path.iter().zip(&b.path).all(|(x, y)| x == y)
}
