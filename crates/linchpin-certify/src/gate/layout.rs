//! The layout of states in the gate, computed from the types of the program.
//!
//! A *record* is a state as a flat list of numbers. It contains the slots of the shared variables; for each
//! thread its operation, its place and its frame. Then follow the cells, each with flags and slots. Cells are
//! named by their position.

use super::refused::Unsupported;
use linchpin_ir::index::Index;
use linchpin_ir::program::{LocalId, MemoryKind, Op, OpId, Pc, Program};
use linchpin_ir::types::{KEY_MAX, NONE, Pointee, Scalar, SlotKind, StructId, TypeKind, UNDEFINED, Word};
use linchpin_semantics::{CellId, Machine, State, Status, ThreadId};

/// One number of a record.
pub type Short = i16;

/// The cell was freed.
pub const FREED: Short = 1;
/// The data of an allocated cell was not written since it was allocated; pool memory only.
pub const DATA_UNWRITTEN: Short = 2;
/// The pointer of an allocated cell was not written since it was allocated; pool memory only.
pub const LINK_UNWRITTEN: Short = 4;

/// The layout of the records of a program with a number of threads.
#[derive(Debug)]
pub struct Layout<'p> {
    pub program: &'p Program,
    pub threads: usize,
    pub globals: usize,
    frame: usize,
    pub cells: Cells,
}

/// The layout of a cell.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// The type of cells; `None` if there are no cells.
    pub of: Option<StructId>,
    pub slots: Vec<SlotKind>,
    pub data: Option<usize>,
    pub link: Option<usize>,
    /// The age beside the pointer.
    pub age: Option<usize>,
    pub label: Option<usize>,
    pub defaults: Vec<Word>,
}

/// A record with its layout.
#[derive(Clone, Copy)]
pub struct StateRecord<'r> {
    pub layout: &'r Layout<'r>,
    pub shorts: &'r [Short],
    /// The information beyond a state of the machine.
    pub more: More,
}

/// The information of a record beyond a state of the machine. The [local test](super::local) builds such
/// records.
#[derive(Clone, Copy, Default, Debug)]
pub struct More {
    /// A bit for each thread whose variables are all known, including those that no later step reads.
    pub whole: u32,
    /// Data is undefined exactly if its word is, also in a pool.
    pub undefined_shows: bool,
    /// No cell was collected.
    pub has_all_cells: bool,
}

impl<'p> Layout<'p> {
    pub fn new(program: &'p Program, threads: u32) -> Result<Layout<'p>, Unsupported> {
        let refuse = |what: &'static str| Err(Unsupported(what));
        if !program.thread_vars.is_empty() || !program.hashes.is_empty() || program.uses_links {
            return refuse("variables of threads, hash functions, or `ll` and `sc`");
        }
        let frames = program.ops.iter().map(|op| &program.methods[op.method]);
        let slots = frames.clone().flat_map(|method| &method.slots).chain(&program.globals.slots);
        let is_simple = |slot: &SlotKind| {
            !matches!(slot.scalar, Scalar::Collection(_) | Scalar::Condvar | Scalar::Present | Scalar::Thread)
        };
        let is_plain = |op: &Op| !matches!(op, Op::Call { .. } | Op::NewArray { .. });
        let mut instructions = frames.clone().flat_map(|method| method.code.iter());
        if !slots.clone().all(is_simple) || !instructions.all(|instr| is_plain(&instr.op)) {
            return refuse("collections, conditions, thread names, arrays on the heap, or recursion");
        }
        let cells = match pointees(program)[..] {
            [] => Cells::default(),
            [Pointee::Struct(id)] => Cells::of(program, id),
            _ => return refuse("cells of several types"),
        };
        if !cells.slots.iter().all(is_simple) {
            return refuse("cells with collections");
        }
        let frame = frames.map(|method| method.slots.len()).max().unwrap_or(0);
        let threads = usize::try_from(threads).unwrap_or(usize::MAX);
        Ok(Layout { program, threads, globals: program.globals.slots.len(), frame, cells })
    }

    pub fn is_collected(&self) -> bool {
        self.program.memory == MemoryKind::Gc
    }

    /// Writes the record of a state. `order` has the cell of each name, and `threads` the thread of each name.
    /// `flags` are the flags of each cell.
    /// Returns `None` if a number is too large for a record.
    pub fn write(
        &self,
        machine: &Machine,
        state: &State,
        (order, threads): (&[usize], &[usize]),
        flags: &[Short],
        out: &mut Vec<Short>,
    ) -> Option<()> {
        out.clear();
        let name = |word: Word| match CellId::of_pointer(word) {
            Some(cell) => order.iter().position(|at| *at == cell.index()).map_or(0, |at| at + 1),
            None => 0,
        };
        // A lock has the number of its holder, from 1 on.
        let holder = |word: Word| match usize::try_from(word).ok().and_then(|word| word.checked_sub(1)) {
            Some(thread) => threads.iter().position(|at| *at == thread).map_or(0, |at| at + 1),
            None => 0,
        };
        let short = |slot: &SlotKind, word: Word| match slot.scalar {
            Scalar::Pointer if word != NONE => Short::try_from(name(word)).ok(),
            Scalar::Lock => Short::try_from(holder(word)).ok(),
            _ => shorten(word),
        };
        for (id, variable) in self.program.globals.variables.entries() {
            let slots = &self.program.globals.slots[variable.offset..];
            for (slot, word) in slots.iter().zip(machine.global_words(state, id)) {
                out.push(short(slot, *word)?);
            }
        }
        for thread in threads.iter().copied().map(ThreadId::new) {
            let start = out.len();
            out.resize(start + 2 + self.frame, 0);
            let Status::Busy { op, method, pc } = machine.status(state, thread) else { continue };
            out[start] = Short::try_from(op.index() + 1).ok()?;
            out[start + 1] = Short::try_from(pc.index()).ok()?;
            let method = &self.program.methods[method];
            for local in method.code[pc].live.iter() {
                let offset = method.locals[local].offset;
                let words = machine.local_words(state, thread, local).unwrap_or(&[]);
                for (at, word) in words.iter().enumerate() {
                    out[start + 2 + offset + at] = short(&method.slots[offset + at], *word)?;
                }
            }
        }
        for &cell in order {
            let view = machine.cell(state, CellId::new(cell))?;
            out.push(flags.get(cell).copied().unwrap_or(0) | if view.is_freed { FREED } else { 0 });
            for (slot, word) in self.cells.slots.iter().zip(view.words) {
                out.push(short(slot, *word)?);
            }
        }
        Some(())
    }

    /// Returns the position of the variables of a thread.
    pub fn frame_at(&self, thread: usize) -> usize {
        self.thread_at(thread) + 2
    }

    fn thread_at(&self, thread: usize) -> usize {
        self.globals + thread * (2 + self.frame)
    }

    fn cell_at(&self, cell: usize) -> usize {
        self.thread_at(self.threads) + cell * (1 + self.cells.slots.len())
    }
}

impl Cells {
    fn of(program: &Program, id: StructId) -> Cells {
        let mut cells = Cells { of: Some(id), ..Cells::default() };
        let types = &program.types;
        for field in &types.structs[id].fields {
            let start = cells.slots.len();
            cells.slots.extend(types.slots(field.ty));
            cells.defaults.extend(types.defaults(field.ty));
            let find =
                |scalar: Scalar| (start..cells.slots.len()).find(|at| cells.slots[*at].scalar == scalar);
            match types.kind(field.ty) {
                TypeKind::Data => cells.data = cells.data.or(Some(start)),
                TypeKind::Bool | TypeKind::Enum(_) | TypeKind::Range { .. } | TypeKind::Key => {
                    cells.label = cells.label.or(Some(start));
                }
                _ if cells.link.is_none() => {
                    cells.link = find(Scalar::Pointer);
                    cells.age = cells.link.and_then(|_| find(Scalar::Age));
                }
                _ => {}
            }
        }
        cells
    }
}

impl<'r> StateRecord<'r> {
    /// Returns the record of a state of the machine.
    pub fn new(layout: &'r Layout<'r>, shorts: &'r [Short]) -> StateRecord<'r> {
        StateRecord { layout, shorts, more: More::default() }
    }

    pub fn global(&self, slot: usize) -> Word {
        lengthen(self.shorts[slot])
    }

    /// Returns the age in this slot of the shared variables; `None` if the slot is not an age.
    pub fn age(&self, slot: usize) -> Option<Word> {
        let is_age = self.layout.program.globals.slots.get(slot)?.scalar == Scalar::Age;
        is_age.then(|| self.global(slot))
    }

    /// Returns the operation and the place of a thread with a pending call.
    pub fn place(&self, thread: usize) -> Option<(OpId, Pc)> {
        let at = self.layout.thread_at(thread);
        let op = usize::try_from(self.shorts[at]).ok()?.checked_sub(1)?;
        Some((OpId::new(op), Pc::new(usize::try_from(self.shorts[at + 1]).ok()?)))
    }

    /// Returns the kind and value of word `part` of a local of the pending call; `None` if there is no such
    /// word.
    pub fn local(&self, thread: usize, op: OpId, local: LocalId, part: usize) -> Option<(SlotKind, Word)> {
        let program = self.layout.program;
        let method = &program.methods[program.ops.get(op)?.method];
        let variable = method.locals.get(local)?;
        if part >= program.types.width(variable.ty) {
            return None;
        }
        let slot = variable.offset + part;
        Some((*method.slots.get(slot)?, lengthen(self.shorts[self.layout.frame_at(thread) + slot])))
    }

    /// Returns whether the value of a local is known: a later step may read it, or the record has all
    /// variables.
    pub fn is_known(&self, thread: usize, op: OpId, pc: Pc, local: LocalId) -> bool {
        let program = self.layout.program;
        let is_whole = u32::try_from(thread).ok().and_then(|thread| self.more.whole.checked_shr(thread));
        is_whole.is_some_and(|bits| bits & 1 == 1)
            || program.methods[program.ops[op].method].code[pc].live.contains(local)
    }

    pub fn cells(&self) -> usize {
        (self.shorts.len() - self.layout.cell_at(0)) / (1 + self.layout.cells.slots.len())
    }

    pub fn flags(&self, cell: usize) -> Short {
        self.shorts[self.layout.cell_at(cell)]
    }

    pub fn is_freed(&self, cell: usize) -> bool {
        self.flags(cell) & FREED != 0
    }

    pub fn field(&self, cell: usize, slot: usize) -> Word {
        lengthen(self.shorts[self.layout.cell_at(cell) + 1 + slot])
    }

    /// Returns the target of the pointer of a cell.
    pub fn next(&self, cell: usize) -> Option<usize> {
        self.layout.cells.link.and_then(|link| pointed(self.field(cell, link)))
    }

    /// Returns the largest age.
    pub fn oldest(&self) -> Word {
        let program = self.layout.program;
        let is_age = |slot: &SlotKind| slot.scalar == Scalar::Age;
        let globals = program.globals.slots.iter().enumerate().filter(|(_, slot)| is_age(slot));
        let fields = self.layout.cells.slots.iter().enumerate().filter(|(_, slot)| is_age(slot));
        let fields: Vec<usize> = fields.map(|(at, _)| at).collect();
        let in_cells = (0..self.cells()).flat_map(|cell| fields.iter().map(move |at| (cell, *at)));
        let ages = globals.map(|(at, _)| self.global(at));
        ages.chain(in_cells.map(|(cell, at)| self.field(cell, at))).max().unwrap_or(0)
    }
}

/// Returns the number of the cell behind a pointer.
pub fn pointed(word: Word) -> Option<usize> {
    CellId::of_pointer(word).map(CellId::index)
}

fn pointees(program: &Program) -> Vec<Pointee> {
    let kinds = program.types.ids().filter_map(|ty| match program.types.kind(ty) {
        TypeKind::Pointer(pointee) => Some(pointee),
        _ => None,
    });
    kinds.collect()
}

pub fn shorten(word: Word) -> Option<Short> {
    match word {
        UNDEFINED => Some(Short::MIN),
        NONE => Some(Short::MIN + 1),
        KEY_MAX => Some(Short::MAX),
        word => Short::try_from(word).ok().filter(|short| short.abs_diff(0) < 30_000),
    }
}

fn lengthen(short: Short) -> Word {
    match short {
        Short::MIN => UNDEFINED,
        short if short == Short::MIN + 1 => NONE,
        Short::MAX => KEY_MAX,
        short => Word::from(short),
    }
}
