//! Ages up to what they mean: each location's age and its copies are renamed on their own, gaps closed.
//!
//! For a program that keeps the rules of [`linchpin_ir::program::ages`], adding a constant to the age of a location and to all its copies,
//! or closing a gap of two or more between neighbours to two, changes no later comparison; the argument is there. So the
//! least of a location becomes 0, and the next ones keep their distance up to two. A program that breaks the rules counts modulo a bound.

use super::bounds::{Bounds, CellId, ThreadId};
use super::code::Code;
use super::frames::saved_frames;
use super::layout::AT;
use super::outcome::Site;
use super::state::{CellStatus, State};
use linchpin_ir::index::Index;
use linchpin_ir::program::ages::{AgeOrigin, age_origins, uses_ages};
use linchpin_ir::program::{Pc, Program};
use linchpin_ir::types::{Scalar, SlotKind, Word};
use smallvec::SmallVec;

/// How ages are counted where nothing is said and the rules are broken.
const AGES_BY_DEFAULT: u32 = 4;

/// The bounds as they are used: with a bound for ages that would otherwise grow for ever.
pub(super) fn effective_bounds(program: &Program, bounds: &Bounds) -> Bounds {
    let needs_bound = bounds.ages.is_none() && uses_ages(program) && age_origins(program).is_err();
    Bounds { ages: if needs_bound { Some(AGES_BY_DEFAULT) } else { bounds.ages }, ..bounds.clone() }
}

/// Where ages lie, for a program whose ages are renamed.
#[derive(Clone, Debug, Default)]
pub(super) struct Ages {
    /// Slots of the shared variables.
    globals: Box<[usize]>,
    /// Slots of a cell (of one element), by kind.
    kinds: Box<[Box<[usize]>]>,
    /// Live copies in a frame, by the address of the instruction that it stands in front of.
    copies: Box<[Box<[(usize, AgeOrigin)]>]>,
}

impl Ages {
    /// `None` where there is nothing to rename: no ages, or ages that are counted modulo a bound.
    pub fn of(program: &Program, bounds: &Bounds, code: &Code) -> Option<Ages> {
        if bounds.ages.is_some() || !uses_ages(program) {
            return None;
        }
        let origins = age_origins(program).ok()?;
        let slots = |slots: &[SlotKind]| -> Box<[usize]> {
            let is_age = |(_, slot): &(usize, &SlotKind)| slot.scalar == Scalar::Age;
            slots.iter().enumerate().filter(is_age).map(|(at, _)| at).collect()
        };
        let copies = |address: usize| -> Box<[(usize, AgeOrigin)]> {
            let method = &code.methods[code.instrs[address].method as usize];
            match method.site {
                Site::Method(id) => origins.at(id, Pc::new(address - method.start)).into(),
                Site::SpecInit | Site::Clause(_) => Box::default(),
            }
        };
        Some(Ages {
            globals: slots(&code.global_slots),
            kinds: code.kinds.iter().map(|kind| slots(&kind.slots)).collect(),
            copies: (0..code.instrs.len()).map(copies).collect(),
        })
    }
}

/// One age and where it lies; those of one location come together when sorted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    location: (Word, usize),
    age: Word,
    memory: Memory,
    at: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Memory {
    Words,
    Heap,
    Stack,
}

/// Renames every location's ages.
pub(super) fn close_gaps(code: &Code, state: &mut State) {
    let Some(ages) = &code.ages else { return };
    let mut entries: SmallVec<[Entry; 64]> = SmallVec::new();
    for &slot in &ages.globals {
        let (location, age) = ((0, slot), state.words[slot]);
        entries.push(Entry { location, age, memory: Memory::Words, at: slot });
    }
    for (at, cell) in state.cells.iter().enumerate().filter(|(_, cell)| cell.life != CellStatus::Vacant) {
        let stride = code.kinds[cell.kind as usize].slots.len();
        for element in 0..cell.len as usize {
            for slot in ages.kinds[cell.kind as usize].iter().map(|slot| element * stride + slot) {
                let location = (CellId::new(at).pointer(), slot);
                let at = cell.start as usize + slot;
                entries.push(Entry { location, age: state.heap[at], memory: Memory::Heap, at });
            }
        }
    }
    for thread in (0..code.layout.threads).map(ThreadId::new) {
        let block = code.layout.block_of(thread);
        if let Some(address) = usize::try_from(state.words[block + AT]).ok().and_then(|at| at.checked_sub(1))
        {
            let frame = block + code.layout.frame;
            copies(&ages.copies[address], &state.words, frame, Memory::Words, &mut entries);
        }
        let range = state.stack_of(code, thread);
        for (slots, address) in saved_frames(code, &state.stack[range.clone()]) {
            let frame = range.start + slots.start;
            copies(&ages.copies[address], &state.stack, frame, Memory::Stack, &mut entries);
        }
    }
    entries.sort_unstable();
    let (mut location, mut before, mut name) = (None, 0, 0);
    for entry in entries {
        name = if location == Some(entry.location) { name + (entry.age - before).min(2) } else { 0 };
        (location, before) = (Some(entry.location), entry.age);
        match entry.memory {
            Memory::Words => state.words[entry.at] = name,
            Memory::Heap => state.heap[entry.at] = name,
            Memory::Stack => state.stack[entry.at] = name,
        }
    }
}

fn copies(
    copies: &[(usize, AgeOrigin)],
    words: &[Word],
    frame: usize,
    memory: Memory,
    entries: &mut SmallVec<[Entry; 64]>,
) {
    for (slot, origin) in copies {
        let location = match origin {
            AgeOrigin::Global(slot) => (0, *slot),
            AgeOrigin::Cell { pointer, offset } => (words[frame + pointer], *offset),
            // A location of its own, so that it becomes 0.
            AgeOrigin::Forgotten => (Word::MAX, (memory as usize) << 32 | (frame + slot)),
        };
        let at = frame + slot;
        entries.push(Entry { location, age: words[at], memory, at });
    }
}
