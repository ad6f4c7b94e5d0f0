//! Names of cells: states that differ only in names become one record.
//!
//! Cells are named in the order of a walk from the shared variables, then from the live variables of each
//! thread. In collected memory all other cells are gone. In pool and manual memory the other cells follow,
//! ordered by contents. A free, unreachable cell that equals a never-used cell is left out, because `new`
//! cannot distinguish them.
//!
//! In a *symmetric* graph threads are named too: by where they are, and by the values and cells of their
//! variables. The program does not name threads, so states that differ in the names of threads only
//! have the same futures.
//!
//! *Claim.* Two different states never become one record. *Proof.* Records are compared in full. An imperfect
//! order of the other cells only stores a state twice.

use super::layout::{Layout, Short};
use linchpin_ir::index::Index;
use linchpin_ir::program::MemoryKind;
use linchpin_ir::types::{Scalar, SlotKind, Word};
use linchpin_semantics::{CellId, Machine, State, Status, ThreadId};
use smallvec::SmallVec;

/// The threads of a state, in the order of their names.
pub type Threads = SmallVec<[usize; 3]>;

/// Returns the threads as the machine numbers them.
pub fn as_numbered(layout: &Layout) -> Threads {
    (0..layout.threads).collect()
}

/// Returns the threads of a state in the order of their names.
pub fn threads(layout: &Layout, machine: &Machine, state: &State) -> Threads {
    let contents = |cell: CellId| {
        let view = machine.cell(state, cell);
        let slots = view.into_iter().flat_map(|view| layout.cells.slots.iter().zip(view.words));
        let plain = slots.filter(|(slot, _)| !matches!(slot.scalar, Scalar::Pointer | Scalar::Lock));
        plain.map(|(_, word)| *word).collect::<SmallVec<[Word; 4]>>()
    };
    let key = |thread: &usize| {
        let thread = ThreadId::new(*thread);
        let Status::Busy { op, method, pc } = machine.status(state, thread) else { return None };
        let method = &layout.program.methods[method];
        let mut known: SmallVec<[Word; 16]> = SmallVec::new();
        for local in method.code[pc].live.iter() {
            let slots = &method.slots[method.locals[local].offset..];
            let words = machine.local_words(state, thread, local).unwrap_or(&[]);
            for (slot, word) in slots.iter().zip(words) {
                match (slot.scalar, CellId::of_pointer(*word)) {
                    (Scalar::Pointer, Some(cell)) => known.extend(contents(cell)),
                    _ => known.push(*word),
                }
            }
        }
        Some((op, pc, known))
    };
    let mut all = as_numbered(layout);
    all.sort_by_cached_key(key);
    all
}

/// Returns the cells of a state in the order of their names. `threads` are the threads in the order of theirs.
pub fn order(
    layout: &Layout,
    machine: &Machine,
    state: &State,
    flags: &[Short],
    threads: &[usize],
) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let visit = |slot: &SlotKind, word: Word, order: &mut Vec<usize>| {
        if slot.scalar == Scalar::Pointer
            && let Some(cell) = CellId::of_pointer(word).map(CellId::index)
            && !order.contains(&cell)
        {
            order.push(cell);
        }
    };
    let program = layout.program;
    for (id, variable) in program.globals.variables.entries() {
        let slots = &program.globals.slots[variable.offset..];
        for (slot, word) in slots.iter().zip(machine.global_words(state, id)) {
            visit(slot, *word, &mut order);
        }
    }
    for thread in threads.iter().copied().map(ThreadId::new) {
        let Status::Busy { method, pc, .. } = machine.status(state, thread) else { continue };
        let method = &program.methods[method];
        for local in method.code[pc].live.iter() {
            let slots = &method.slots[method.locals[local].offset..];
            let words = machine.local_words(state, thread, local).unwrap_or(&[]);
            for (slot, word) in slots.iter().zip(words) {
                visit(slot, *word, &mut order);
            }
        }
    }
    let mut done = 0;
    loop {
        while let Some(&cell) = order.get(done) {
            done += 1;
            let Some(view) = machine.cell(state, CellId::new(cell)) else { continue };
            for (slot, word) in layout.cells.slots.iter().zip(view.words) {
                visit(slot, *word, &mut order);
            }
        }
        if program.memory == MemoryKind::Gc {
            return order;
        }
        match least_unnamed(layout, machine, state, flags, &order) {
            Some(cell) => order.push(cell),
            None => return order,
        }
    }
}

/// Returns the least unnamed cell, by contents.
fn least_unnamed(
    layout: &Layout,
    machine: &Machine,
    state: &State,
    flags: &[Short],
    order: &[usize],
) -> Option<usize> {
    let name = |slot: &SlotKind, word: Word| match (slot.scalar, CellId::of_pointer(word)) {
        (Scalar::Pointer, Some(cell)) => order
            .iter()
            .position(|named| *named == cell.index())
            .map_or(Word::MAX, |at| Word::try_from(at).unwrap_or(Word::MAX)),
        (Scalar::Pointer, None) => -1,
        _ => word,
    };
    let cells: Vec<_> = machine.cells(state).collect();
    let is_pointed_at = |cell: CellId| {
        let slots = || layout.cells.slots.iter();
        let leads = |(slot, word): (&SlotKind, &Word)| {
            slot.scalar == Scalar::Pointer && CellId::of_pointer(*word) == Some(cell)
        };
        cells.iter().any(|other| other.id != cell && slots().zip(other.words).any(leads))
    };
    let is_forgotten = |cell: &&linchpin_semantics::CellView| {
        cell.is_freed
            && (program_is_manual(layout) || cell.words == &layout.cells.defaults[..])
            && !is_pointed_at(cell.id)
    };
    let unnamed = cells.iter().filter(|cell| !order.contains(&cell.id.index()));
    let left = unnamed.filter(|cell| !is_forgotten(cell));
    let key = |cell: &&linchpin_semantics::CellView| {
        let named = layout.cells.slots.iter().zip(cell.words).map(|(slot, word)| name(slot, *word));
        (cell.is_freed, flags.get(cell.id.index()).copied(), named.collect::<Vec<_>>())
    };
    left.min_by_key(key).map(|cell| cell.id.index())
}

fn program_is_manual(layout: &Layout) -> bool {
    layout.program.memory == MemoryKind::Manual
}
