//! Renames ages: closes the gaps between the age of a location and its copies.
//!
//! **Claim.** For a program that keeps the rules of [`linchpin_ir::program::ages`], two changes affect no
//! later comparison: adding a constant to the age of a location and to all its copies; closing a gap of
//! two or more between neighbours to two. The proof is in that module; `linchpin-explore/tests/suite/ages`
//! guards it.
//!
//! So the least age of a location becomes 0, and the next ones keep their distance up to two. A program that
//! breaks the rules counts ages modulo a bound.

use crate::code::Code;
use crate::code::layout::AT;
use crate::instance::bounds::{CellId, ThreadId};
use crate::state::frames::saved_frames;
use crate::state::{CellStatus, State};
use linchpin_ir::index::Index;
use linchpin_ir::program::ages::AgeOrigin;
use linchpin_ir::types::Word;
use smallvec::SmallVec;

/// An age and its slot. Sorting brings the entries of one location together.
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

/// Renames the ages of every location.
pub fn close_gaps(code: &Code, state: &mut State) {
    let Some(ages) = &code.ages else { return };
    let mut entries: SmallVec<[Entry; 64]> = SmallVec::new();
    for &slot in &ages.globals {
        let (location, age) = ((0, slot), state.words[slot]);
        entries.push(Entry { location, age, memory: Memory::Words, at: slot });
    }
    for (at, cell) in state.cells.iter().enumerate().filter(|(_, cell)| cell.status != CellStatus::Vacant) {
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
            // The copy is a location of its own, so it becomes 0.
            AgeOrigin::Forgotten => (Word::MAX, (memory as usize) << 32 | (frame + slot)),
        };
        let at = frame + slot;
        entries.push(Entry { location, age: words[at], memory, at });
    }
}
