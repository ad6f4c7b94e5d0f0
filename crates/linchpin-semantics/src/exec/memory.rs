//! Shared memory as a running thread accesses it: resolve a place, read, write.
//!
//! Every write goes through [`Thread::write`], which breaks the links (`ll`) that overlap it.

use crate::code::layout::{LINK_CELL, LINK_GLOBAL, LINK_NONE, LINK_WIDTH};
use crate::code::outcome::{FaultKind, Location, LocationBase, TextId, Trap};
use crate::code::{Base, Local, ResolvedPlace, Term};
use crate::exec::eval::Thread;
use crate::instance::Words;
use crate::instance::bounds::{CellId, ThreadId};
use crate::state::{CellHead, CellStatus};
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::MemoryKind;
use linchpin_ir::types::{Word, word_of};

/// The slots of a resolved place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The pointer to its cell; 0 for a shared variable.
    pub cell: Word,
    /// The first slot, in the heap or among the words.
    pub at: usize,
    pub width: usize,
}

impl Thread<'_> {
    pub fn spot(&mut self, place: &ResolvedPlace) -> Result<Spot, Trap> {
        let (cell, start, len) = match &place.base {
            Base::Global(_) => (0, 0, 0),
            Base::Cell { pointer, text } => {
                let pointer = self.word(pointer)?;
                let head = self.cell(pointer, *text)?;
                (pointer, head.start as usize, head.len)
            }
        };
        let mut at = start + place.offset as usize;
        for index in &place.indices {
            at += self.index(index, len)?;
        }
        Ok(Spot { cell, at, width: place.width as usize })
    }

    /// Returns the cell of a pointer that is dereferenced.
    pub fn cell(&self, pointer: Word, text: TextId) -> Result<CellHead, Trap> {
        let Some(id) = CellId::of_pointer(pointer) else {
            return Err(Trap::Fault(FaultKind::NullAccess, text));
        };
        let head = self.state.cells[id.index()];
        debug_assert_ne!(head.status, CellStatus::Vacant, "a pointer keeps its cell");
        if head.status == CellStatus::Freed && self.code.memory == MemoryKind::Manual {
            return Err(Trap::Fault(FaultKind::FreedAccess(id), text));
        }
        Ok(head)
    }

    pub fn read(&self, spot: Spot) -> &[Word] {
        let memory = if spot.cell == 0 { &self.state.words } else { &self.state.heap };
        &memory[spot.at..spot.at + spot.width]
    }

    /// Reads a place of one slot.
    pub fn read_word(&self, spot: Spot) -> Word {
        if spot.cell == 0 { self.state.words[spot.at] } else { self.state.heap[spot.at] }
    }

    pub fn write(&mut self, spot: Spot, words: &[Word]) {
        let memory = if spot.cell == 0 { &mut self.state.words } else { &mut self.state.heap };
        memory[spot.at..spot.at + spot.width].copy_from_slice(words);
        self.break_links(spot);
    }

    /// Writes a variable of the thread.
    pub fn put(&mut self, into: &Local, words: &[Word]) -> Result<(), Trap> {
        let at = self.local(into)?;
        debug_assert_eq!(words.len(), into.width as usize);
        self.state.words[at..at + into.width as usize].copy_from_slice(words);
        Ok(())
    }

    pub fn put_word(&mut self, into: &Local, word: Word) -> Result<(), Trap> {
        let at = self.local(into)?;
        debug_assert_eq!(into.width, 1);
        self.state.words[at] = word;
        Ok(())
    }

    /// Returns the value of a term in a new buffer.
    pub fn value(&mut self, term: &Term) -> Result<Words, Trap> {
        let mut out = Words::new();
        self.words(term, &mut out)?;
        Ok(out)
    }

    pub fn location(&self, place: &ResolvedPlace, spot: Spot) -> Location {
        let (base, start) = match (&place.base, CellId::of_pointer(spot.cell)) {
            (_, Some(cell)) => (LocationBase::Cell(cell), self.state.cells[cell.index()].start as usize),
            (Base::Global(global), None) => {
                (LocationBase::Global(*global), self.code.global_starts[global.index()])
            }
            (Base::Cell { .. }, None) => {
                debug_assert!(false, "a spot in a cell has a pointer");
                (LocationBase::Cell(CellId::new(0)), spot.at)
            }
        };
        Location { base, slot: number_of(spot.at - start), ty: place.ty }
    }

    /// Records the location of an `ll`.
    pub fn set_link(&mut self, spot: Spot) {
        let Some(link) = self.link_of(spot) else { return };
        let Some(at) = self.code.layout.link else { return };
        self.state.words[self.block + at..][..LINK_WIDTH].copy_from_slice(&link);
    }

    /// Checks that this thread's last `ll` was of this location, and that no write hit it since.
    pub fn is_linked(&self, spot: Spot) -> bool {
        let Some(at) = self.code.layout.link else { return false };
        self.link_of(spot).is_some_and(|link| self.state.words[self.block + at..][..LINK_WIDTH] == link)
    }

    fn link_of(&self, spot: Spot) -> Option<[Word; LINK_WIDTH]> {
        let (kind, start) = match CellId::of_pointer(spot.cell) {
            None => (LINK_GLOBAL, 0),
            Some(cell) => (LINK_CELL, self.state.cells.get(cell.index())?.start as usize),
        };
        Some([kind, spot.cell, word_of(spot.at - start), word_of(spot.width)])
    }

    fn break_links(&mut self, spot: Spot) {
        let Some(offset) = self.code.layout.link else { return };
        let Some([kind, cell, first, width]) = self.link_of(spot) else { return };
        for thread in 0..self.code.layout.threads {
            let at = self.code.layout.block_of(ThreadId::new(thread)) + offset;
            let link = &mut self.state.words[at..at + LINK_WIDTH];
            if link[0] == kind && link[1] == cell && link[2] < first + width && first < link[2] + link[3] {
                link.fill(LINK_NONE);
            }
        }
    }
}
