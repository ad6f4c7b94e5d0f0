//! Writing a state, its threads in a given order.

use super::super::bounds::{CellId, ThreadId};
use super::super::collection::sort_elements;
use super::super::frames::saved_frames;
use super::super::layout::{AT, LINK_CELL, LINK_NONE, OP, POSITION};
use super::super::normalise::out_of_reach;
use super::super::state::{Life, State};
use super::bits::BitWriter;
use super::coding::{Meaning, OutOfRange, Slot};
use super::{Canoniser, Renaming, Scratch, address};
use crate::index::Index;
use crate::types::Word;
use smallvec::SmallVec;

impl Canoniser {
    /// Writes a [prepared](Canoniser::prepare) state; `order` has the old number of the thread at each new place.
    pub fn write(&self, scratch: &mut Scratch, state: &State, order: &[u8], out: &mut Vec<u8>) -> Renaming {
        let mut renaming = Renaming::of_order(order);
        let bits = std::mem::take(&mut scratch.writer);
        let mut writer =
            Writer { bits, canoniser: self, scratch, state, order, renaming, wide: false, written: 0 };
        if writer.state().is_err() {
            (writer.wide, writer.written) = (true, 0);
            let written = writer.state();
            debug_assert!(written.is_ok(), "32 bits hold every word");
        }
        let mut bits = writer.bits;
        bits.finish(out);
        scratch.writer = bits;
        if self.exchange.data.is_some() {
            for value in 1..=self.values as usize {
                renaming.data |= u64::from(scratch.data_names[value]) << (4 * value);
            }
        }
        renaming
    }
}

impl Scratch {
    fn begin(&mut self, canoniser: &Canoniser, cells: usize) {
        self.cell_names.clear();
        self.cell_names.resize(cells, 0);
        self.cells.clear();
        if let Some(fixed) = canoniser.exchange.data {
            for value in 1..=canoniser.values as u8 {
                self.data_names[value as usize] = if fixed >> value & 1 == 1 { value } else { 0 };
            }
            self.next_data = 1;
        }
    }

    #[inline(always)]
    pub(super) fn name_cell(&mut self, cell: usize) -> Word {
        if self.cell_names[cell] == 0 {
            self.cells.push(cell as u32);
            self.cell_names[cell] = self.cells.len() as Word;
        }
        self.cell_names[cell]
    }

    #[inline(always)]
    pub(super) fn name_value(&mut self, canoniser: &Canoniser, value: Word) -> Word {
        let Some(fixed) = canoniser.exchange.data else { return value };
        if value < 1 || value as u32 > canoniser.values {
            return value;
        }
        let name = &mut self.data_names[value as usize];
        if *name == 0 {
            while fixed >> self.next_data & 1 == 1 {
                self.next_data += 1;
            }
            *name = self.next_data;
            self.next_data += 1;
        }
        Word::from(*name)
    }
}

struct Writer<'a> {
    /// Lent by the scratch.
    bits: BitWriter,
    canoniser: &'a Canoniser,
    scratch: &'a mut Scratch,
    state: &'a State,
    order: &'a [u8],
    /// Of the threads.
    renaming: Renaming,
    /// Every slot takes 32 bits.
    wide: bool,
    /// Cells that have been written.
    written: usize,
}

impl Writer<'_> {
    fn state(&mut self) -> Result<(), OutOfRange> {
        self.scratch.begin(self.canoniser, self.state.cells.len());
        self.bits.begin();
        self.bits.put(u32::from(self.wide), 1);
        let (canoniser, state, order) = (self.canoniser, self.state, self.order);
        self.region(&canoniser.globals, &state.words)?;
        self.region(&canoniser.tables, &state.words)?;
        self.cells()?;
        for &thread in order {
            self.thread(thread as usize)?;
            self.cells()?;
        }
        if canoniser.has_lives() {
            self.rest()?;
        }
        if canoniser.code.layout.link.is_some() {
            order.iter().for_each(|thread| self.link(*thread as usize));
        }
        Ok(())
    }

    fn thread(&mut self, thread: usize) -> Result<(), OutOfRange> {
        let (canoniser, state) = (self.canoniser, self.state);
        let block = &state.words[canoniser.block(thread)..];
        let at = address(block[AT]);
        let number = at.map_or(0, |at| canoniser.resting[at]);
        debug_assert!(at.is_none() || number > 0, "a thread rests where it may");
        self.bits.put(number, canoniser.at_bits);
        self.small(block[POSITION], canoniser.position_bits)?;
        self.region(&canoniser.vars, block)?;
        self.region(&canoniser.rows[thread], &state.words)?;
        let Some(at) = at else { return Ok(()) };
        if canoniser.code.has_calls {
            self.small(block[OP], canoniser.op_bits)?;
        }
        self.region(canoniser.frame(at), &block[canoniser.code.layout.frame..])?;
        if canoniser.code.has_calls {
            let stack = &state.stack[state.stack_of(&canoniser.code, ThreadId::new(thread))];
            let frames: SmallVec<[_; 8]> = saved_frames(&canoniser.code, stack).collect();
            self.bits.put_elastic(frames.len() as u32);
            for (slots, address) in frames.into_iter().rev() {
                self.bits.put_elastic(address as u32);
                let method = canoniser.code.instrs[address].method as usize;
                self.region(&canoniser.saved[method], &stack[slots])?;
            }
        }
        Ok(())
    }

    /// A number below a bound that is known, unless the state is written wide.
    #[inline(always)]
    fn small(&mut self, word: Word, bits: u32) -> Result<(), OutOfRange> {
        if self.wide {
            self.bits.put(word as u32, 32);
        } else if word as u32 >> bits != 0 {
            return Err(OutOfRange);
        } else {
            self.bits.put(word as u32, bits);
        }
        Ok(())
    }

    #[inline(always)]
    fn region(&mut self, slots: &[Slot], words: &[Word]) -> Result<(), OutOfRange> {
        for slot in slots {
            self.slot(slot, words[slot.at as usize])?;
        }
        Ok(())
    }

    #[inline(always)]
    fn slot(&mut self, slot: &Slot, word: Word) -> Result<(), OutOfRange> {
        let name = match slot.meaning {
            Meaning::Plain => word,
            Meaning::Pointer => match CellId::of_pointer(word) {
                Some(cell) => self.scratch.name_cell(cell.index()),
                None => word,
            },
            Meaning::Data => self.scratch.name_value(self.canoniser, word),
            Meaning::Thread if word >= 0 => self.new_thread(word),
            Meaning::Lock if word > 0 => self.new_thread(word - 1) + 1,
            Meaning::Thread | Meaning::Lock => word,
            Meaning::Condvar => {
                let bit = |(new, &old): (usize, &u8)| (word >> old & 1) << new;
                self.order.iter().enumerate().map(bit).sum()
            }
            Meaning::Collection(class) => return self.collection(class, word),
        };
        if self.wide {
            self.bits.put(name as u32, 32);
            return Ok(());
        }
        slot.coding.write(name, &mut self.bits)
    }

    fn new_thread(&self, old: Word) -> Word {
        self.renaming.thread(old as usize) as Word
    }

    /// A collection lies where its handle would: the number of elements, then the elements. Those of an unordered one are
    /// named in the order in which they are stored, and written in the order of their names.
    #[inline(never)]
    fn collection(&mut self, class: u32, handle: Word) -> Result<(), OutOfRange> {
        let (canoniser, state) = (self.canoniser, self.state);
        let shape = canoniser.code.classes.get(class);
        let words = state.contents.get(handle);
        let slots = &canoniser.classes[class as usize];
        self.bits.put_elastic((words.len() / shape.stride()) as u32);
        let is_plain = |slot: &Slot| {
            matches!(slot.meaning, Meaning::Plain | Meaning::Pointer | Meaning::Data | Meaning::Thread)
        };
        if !shape.is_sorted() || !slots.iter().all(is_plain) {
            return words.chunks_exact(shape.stride()).try_for_each(|element| self.region(slots, element));
        }
        let mut renamed: SmallVec<[Word; 32]> = words.into();
        for element in renamed.chunks_exact_mut(shape.stride()) {
            for (slot, word) in slots.iter().zip(element) {
                *word = match slot.meaning {
                    Meaning::Pointer => {
                        CellId::of_pointer(*word).map_or(*word, |cell| self.scratch.name_cell(cell.index()))
                    }
                    Meaning::Data => self.scratch.name_value(canoniser, *word),
                    Meaning::Thread if *word >= 0 => self.new_thread(*word),
                    _ => *word,
                };
            }
        }
        sort_elements(shape.stride(), &mut renamed);
        for element in renamed.chunks_exact(shape.stride()) {
            for (slot, &word) in slots.iter().zip(element) {
                if self.wide {
                    self.bits.put(word as u32, 32);
                } else {
                    slot.coding.write(word, &mut self.bits)?;
                }
            }
        }
        Ok(())
    }

    /// Writes every cell that has a name, and those that they lead to.
    fn cells(&mut self) -> Result<(), OutOfRange> {
        while let Some(&cell) = self.scratch.cells.get(self.written) {
            self.written += 1;
            self.cell(cell as usize)?;
        }
        Ok(())
    }

    fn cell(&mut self, cell: usize) -> Result<(), OutOfRange> {
        let (canoniser, state) = (self.canoniser, self.state);
        let head = state.cells[cell];
        self.bits.put(head.kind, canoniser.kind_bits);
        if canoniser.has_lives() {
            self.bits.put(u32::from(head.life == Life::Freed), 1);
        }
        let kind = &canoniser.code.kinds[head.kind as usize];
        if kind.is_array {
            self.bits.put_elastic(head.len);
        }
        let slots = &canoniser.kinds[head.kind as usize];
        let words = &state.heap[head.start as usize..];
        for element in 0..head.len as usize {
            self.region(slots, &words[element * slots.len()..])?;
        }
        Ok(())
    }

    /// What is out of reach but not gone, the least first; those that lead to others bring them along.
    fn rest(&mut self) -> Result<(), OutOfRange> {
        let (canoniser, state) = (self.canoniser, self.state);
        loop {
            let next = out_of_reach(&canoniser.code, state, &self.scratch.cell_names);
            self.bits.put(u32::from(next.is_some()), 1);
            let Some(cell) = next else { return Ok(()) };
            self.scratch.name_cell(cell);
            self.cells()?;
        }
    }

    /// A link to a cell that is gone is no link.
    fn link(&mut self, thread: usize) {
        let (canoniser, state) = (self.canoniser, self.state);
        let Some(range) = canoniser.link(thread) else { return };
        let [kind, cell, first, width] = state.words[range] else { return };
        let name = CellId::of_pointer(cell).map_or(0, |cell| self.scratch.cell_names[cell.index()]);
        let kind = if kind == LINK_CELL && name == 0 { LINK_NONE } else { kind };
        self.bits.put(kind as u32, 2);
        if kind != LINK_NONE {
            [name, first, width].into_iter().for_each(|word| self.bits.put_elastic(word as u32));
        }
    }
}
