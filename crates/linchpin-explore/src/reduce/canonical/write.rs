//! Writes a state, with its threads in a given order.

use super::bits::{BitWriter, Mark};
use super::coding::{Meaning, OutOfRange, Slot};
use super::{Canonicalizer, Renaming, Scratch, mix};
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::types::{Word, word_of};
use linchpin_semantics::raw::{
    AT, CellStatus, LINK_CELL, LINK_NONE, OP, POSITION, out_of_reach, saved_frames, sort_elements,
};
use linchpin_semantics::{CellId, State, ThreadId};
use smallvec::SmallVec;

impl Canonicalizer {
    /// Writes a [prepared](Canonicalizer::prepare) state. `order` lists the old number of the thread at each
    /// new place.
    pub fn write(&self, scratch: &mut Scratch, state: &State, order: &[u8], out: &mut Vec<u8>) -> Renaming {
        self.begin(scratch, state, order);
        self.write_on(scratch, state, order, out)
    }

    /// Writes the state that was [arranged](Canonicalizer::arrange) last. Reuses the encoding of the shared
    /// part.
    pub fn write_arranged(
        &self,
        scratch: &mut Scratch,
        state: &State,
        order: &[u8],
        out: &mut Vec<u8>,
    ) -> Renaming {
        if self.names_threads {
            return self.write(scratch, state, order, out);
        }
        scratch.bits.rewind(scratch.prefix.bits);
        scratch.names.rewind(&scratch.prefix);
        self.write_on(scratch, state, order, out)
    }

    /// Writes the shared part, which names its cells and values. Records which threads it mentions.
    pub(super) fn begin(&self, scratch: &mut Scratch, state: &State, order: &[u8]) {
        if self.names_threads {
            scratch.mentions = [0; 16];
        }
        let wide = Writer::<false>::new(self, scratch, state, order).shared().is_err();
        if wide {
            let written = Writer::<true>::new(self, scratch, state, order).shared();
            debug_assert!(written.is_ok(), "32 bits hold every word");
        }
        scratch.prefix = scratch.names.prefix(scratch.bits.mark(), wide);
    }

    /// Writes the threads after the shared part.
    fn write_on(&self, scratch: &mut Scratch, state: &State, order: &[u8], out: &mut Vec<u8>) -> Renaming {
        let wide = scratch.prefix.wide;
        if wide || Writer::<false>::new(self, scratch, state, order).threads().is_err() {
            let mut writer = Writer::<true>::new(self, scratch, state, order);
            let prefix = if wide { Ok(()) } else { writer.shared() };
            let written = prefix.and_then(|()| writer.threads());
            debug_assert!(written.is_ok(), "32 bits hold every word");
        }
        let mut renaming = Renaming::of_order(order);
        scratch.bits.copy_to(out);
        if self.symmetry.data.is_some() {
            for value in 1..=self.values as usize {
                renaming.data |= u64::from(scratch.names.of_values[value]) << (4 * value);
            }
        }
        renaming
    }
}

/// The names given so far.
#[derive(Default, Debug)]
pub(super) struct Names {
    /// The new pointer of each old cell; 0 for none yet.
    pub of_cells: Vec<Word>,
    /// The cells in the order of their names.
    pub cells: Vec<CellId>,
    /// The new name of each value; 0 for none yet. A value that is not renamed has its own.
    pub of_values: [u8; 16],
    /// The least value that may still be free as a name.
    next_value: u8,
}

/// The encoding of the shared part, to which the writer returns for each order of the threads.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Prefix {
    bits: Mark,
    /// The number of shared cells.
    pub cells: usize,
    values: [u8; 16],
    next_value: u8,
    wide: bool,
}

impl Names {
    fn begin(&mut self, canonicalizer: &Canonicalizer, cells: usize) {
        self.of_cells.clear();
        self.of_cells.resize(cells, 0);
        self.cells.clear();
        (self.of_values, self.next_value) = (canonicalizer.fixed_values, 1);
    }

    fn prefix(&self, bits: Mark, wide: bool) -> Prefix {
        Prefix { bits, cells: self.cells.len(), values: self.of_values, next_value: self.next_value, wide }
    }

    fn rewind(&mut self, prefix: &Prefix) {
        for cell in self.cells.drain(prefix.cells..) {
            self.of_cells[cell.index()] = 0;
        }
        (self.of_values, self.next_value) = (prefix.values, prefix.next_value);
    }

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "no more names than cells, and each cell had a pointer, a word, when it was made"
    )]
    fn name_cell(&mut self, cell: CellId) -> Word {
        let name = &mut self.of_cells[cell.index()];
        if *name == 0 {
            self.cells.push(cell);
            debug_assert!(Word::try_from(self.cells.len()).is_ok());
            *name = self.cells.len() as Word;
        }
        *name
    }

    #[inline(always)]
    fn name_value(&mut self, canonicalizer: &Canonicalizer, value: Word) -> Word {
        let Some(fixed) = canonicalizer.symmetry.data else { return value };
        if value < 1 || value.cast_unsigned() > canonicalizer.values {
            return value;
        }
        let name = &mut self.of_values[value.cast_unsigned() as usize & 15];
        if *name == 0 {
            while fixed >> self.next_value & 1 == 1 {
                self.next_value += 1;
            }
            *name = self.next_value;
            self.next_value += 1;
        }
        Word::from(*name)
    }
}

/// Writes one state. `WIDE`: every slot takes 32 bits.
struct Writer<'a, const WIDE: bool> {
    canonicalizer: &'a Canonicalizer,
    bits: &'a mut BitWriter,
    names: &'a mut Names,
    /// For each thread, a hash of the places in the shared part that mention it.
    mentions: &'a mut [u64; 16],
    state: &'a State,
    order: &'a [u8],
    /// The number of cells written.
    written: usize,
}

impl<'a, const WIDE: bool> Writer<'a, WIDE> {
    fn new(
        canonicalizer: &'a Canonicalizer,
        scratch: &'a mut Scratch,
        state: &'a State,
        order: &'a [u8],
    ) -> Writer<'a, WIDE> {
        let Scratch { bits, names, mentions, .. } = scratch;
        let written = names.cells.len();
        Writer { canonicalizer, bits, names, mentions, state, order, written }
    }

    fn shared(&mut self) -> Result<(), OutOfRange> {
        let (canonicalizer, state) = (self.canonicalizer, self.state);
        self.names.begin(canonicalizer, state.cells.len());
        self.written = 0;
        self.bits.begin();
        self.bits.put(u32::from(WIDE), 1);
        self.region(&canonicalizer.globals, &state.words)?;
        self.region(&canonicalizer.tables, &state.words)?;
        self.cells()
    }

    fn threads(&mut self) -> Result<(), OutOfRange> {
        let (canonicalizer, order) = (self.canonicalizer, self.order);
        for &thread in order {
            self.thread(thread as usize)?;
            if self.written < self.names.cells.len() {
                self.cells()?;
            }
        }
        if canonicalizer.keeps_freed_cells() {
            self.rest()?;
        }
        if canonicalizer.code.layout.link.is_some() {
            order.iter().for_each(|thread| self.link(*thread as usize));
        }
        Ok(())
    }

    #[inline(always)]
    fn thread(&mut self, thread: usize) -> Result<(), OutOfRange> {
        let (canonicalizer, state) = (self.canonicalizer, self.state);
        let block = &state.words[canonicalizer.block(thread)..];
        let plan = canonicalizer.plan(block[AT]);
        debug_assert!(block[AT] == 0 || plan.number > 0, "a thread rests where it may");
        self.bits.put(plan.number, canonicalizer.at_bits);
        if WIDE || block[POSITION] != 0 || canonicalizer.position_bits != 0 {
            self.small(block[POSITION], canonicalizer.position_bits)?;
        }
        if canonicalizer.has_rows {
            self.region(&canonicalizer.rows[thread], &state.words)?;
        }
        self.region(&plan.slots, block)?;
        if canonicalizer.code.has_calls && block[AT] != 0 {
            self.callers(thread)?;
        }
        Ok(())
    }

    /// Writes the frames that a thread returns to.
    fn callers(&mut self, thread: usize) -> Result<(), OutOfRange> {
        let (canonicalizer, state) = (self.canonicalizer, self.state);
        self.small(state.words[canonicalizer.block(thread) + OP], canonicalizer.op_bits)?;
        let stack = &state.stack[state.stack_of(&canonicalizer.code, ThreadId::new(thread))];
        let frames: SmallVec<[_; 8]> = saved_frames(&canonicalizer.code, stack).collect();
        self.bits.put_elastic(number_of(frames.len()));
        for (slots, address) in frames.into_iter().rev() {
            self.bits.put_elastic(number_of(address));
            let method = canonicalizer.code.instrs[address].method as usize;
            self.region(&canonicalizer.saved[method], &stack[slots])?;
        }
        Ok(())
    }

    /// Writes a number below a known bound, or 32 bits if `WIDE`.
    #[inline(always)]
    fn small(&mut self, word: Word, bits: u32) -> Result<(), OutOfRange> {
        if WIDE {
            self.bits.put(word.cast_unsigned(), 32);
        } else if word.cast_unsigned() >> bits != 0 {
            return Err(OutOfRange);
        } else {
            self.bits.put(word.cast_unsigned(), bits);
        }
        Ok(())
    }

    /// Writes the slots of a region. The frequent cases keep the cursor in registers.
    #[inline(always)]
    fn region(&mut self, slots: &[Slot], words: &[Word]) -> Result<(), OutOfRange> {
        let mut cursor = self.bits.cursor;
        for slot in slots {
            let word = words[slot.at as usize];
            let name = match slot.meaning {
                Meaning::Plain => Some(word),
                Meaning::Pointer => Some(match CellId::of_pointer(word) {
                    Some(cell) => self.names.name_cell(cell),
                    None => word,
                }),
                Meaning::Data => Some(self.names.name_value(self.canonicalizer, word)),
                _ => None,
            };
            match name {
                Some(name) if WIDE => cursor.put(&mut self.bits.bytes, name.cast_unsigned(), 32),
                Some(name) => match slot.coding.of_value(name) {
                    Some((code, bits)) => cursor.put(&mut self.bits.bytes, code, bits),
                    None => {
                        self.bits.cursor = cursor;
                        slot.coding.write_special(name, self.bits)?;
                        cursor = self.bits.cursor;
                    }
                },
                None => {
                    self.bits.cursor = cursor;
                    self.rare(slot, word)?;
                    cursor = self.bits.cursor;
                }
            }
        }
        self.bits.cursor = cursor;
        Ok(())
    }

    /// Writes a slot that names threads, or a collection.
    #[inline(never)]
    fn rare(&mut self, slot: &Slot, word: Word) -> Result<(), OutOfRange> {
        let name = match slot.meaning {
            Meaning::Thread if word >= 0 => self.new_thread(word),
            Meaning::Lock if word > 0 => self.new_thread(word - 1) + 1,
            Meaning::Condvar => self.new_threads(word),
            Meaning::Collection(class) => return self.collection(class, word),
            Meaning::Thread | Meaning::Lock | Meaning::Plain | Meaning::Pointer | Meaning::Data => word,
        };
        if WIDE {
            self.bits.put(name.cast_unsigned(), 32);
            return Ok(());
        }
        slot.coding.write(name, self.bits)
    }

    fn new_thread(&mut self, old: Word) -> Word {
        self.mention(old.cast_unsigned() as usize);
        let place = self.order.iter().position(|thread| Word::from(*thread) == old);
        place.map_or(old, |place| word_of(place))
    }

    /// Renames a set of threads, a bit each.
    fn new_threads(&mut self, old: Word) -> Word {
        let mut new = 0;
        for (place, &thread) in self.order.iter().enumerate() {
            if old >> thread & 1 == 1 {
                self.mention(thread as usize);
                new |= 1 << place;
            }
        }
        new
    }

    /// Records a mention. The number of bits before a place does not depend on names, so neither does the
    /// hash.
    fn mention(&mut self, thread: usize) {
        let place = self.bits.length() as u64;
        if let Some(mention) = self.mentions.get_mut(thread) {
            *mention = mix(*mention, place);
        }
    }

    /// Writes a collection in place of its handle: the number of elements, then the elements. Elements of an
    /// unordered collection are named in stored order and written in the order of their names.
    #[inline(never)]
    fn collection(&mut self, class: u32, handle: Word) -> Result<(), OutOfRange> {
        let (canonicalizer, state) = (self.canonicalizer, self.state);
        let shape = canonicalizer.code.classes.get(class);
        let words = state.contents.get(handle);
        let slots = &canonicalizer.classes[class as usize];
        self.bits.put_elastic(number_of(words.len() / shape.stride()));
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
                        CellId::of_pointer(*word).map_or(*word, |cell| self.names.name_cell(cell))
                    }
                    Meaning::Data => self.names.name_value(canonicalizer, *word),
                    Meaning::Thread if *word >= 0 => self.new_thread(*word),
                    _ => *word,
                };
            }
        }
        sort_elements(shape.stride(), &mut renamed);
        for element in renamed.chunks_exact(shape.stride()) {
            for (slot, &word) in slots.iter().zip(element) {
                if WIDE {
                    self.bits.put(word.cast_unsigned(), 32);
                } else {
                    slot.coding.write(word, self.bits)?;
                }
            }
        }
        Ok(())
    }

    /// Writes every cell that has a name, and the cells reachable from it.
    fn cells(&mut self) -> Result<(), OutOfRange> {
        while let Some(&cell) = self.names.cells.get(self.written) {
            self.written += 1;
            self.cell(cell.index())?;
        }
        Ok(())
    }

    fn cell(&mut self, cell: usize) -> Result<(), OutOfRange> {
        let (canonicalizer, state) = (self.canonicalizer, self.state);
        let head = state.cells[cell];
        self.bits.put(head.kind, canonicalizer.kind_bits);
        if canonicalizer.keeps_freed_cells() {
            self.bits.put(u32::from(head.status == CellStatus::Freed), 1);
        }
        let kind = &canonicalizer.code.kinds[head.kind as usize];
        if kind.is_array {
            self.bits.put_elastic(head.len);
        }
        let slots = &canonicalizer.kinds[head.kind as usize];
        let words = &state.heap[head.start as usize..];
        for element in 0..head.len as usize {
            self.region(slots, &words[element * slots.len()..])?;
        }
        Ok(())
    }

    /// Writes the cells that are unreachable but not vacant, the least first, and the cells reachable from
    /// them.
    fn rest(&mut self) -> Result<(), OutOfRange> {
        let (canonicalizer, state) = (self.canonicalizer, self.state);
        loop {
            let next = out_of_reach(&canonicalizer.code, state, &self.names.of_cells);
            self.bits.put(u32::from(next.is_some()), 1);
            let Some(cell) = next else { return Ok(()) };
            self.names.name_cell(CellId::new(cell));
            self.cells()?;
        }
    }

    /// Writes a link. A link to a cell that is gone counts as no link.
    fn link(&mut self, thread: usize) {
        let (canonicalizer, state) = (self.canonicalizer, self.state);
        let Some(range) = canonicalizer.link(thread) else { return };
        let [kind, cell, first, width] = state.words[range] else { return };
        let name = CellId::of_pointer(cell).map_or(0, |cell| self.names.of_cells[cell.index()]);
        let kind = if kind == LINK_CELL && name == 0 { LINK_NONE } else { kind };
        self.bits.put(kind.cast_unsigned(), 2);
        if kind != LINK_NONE {
            [name, first, width].into_iter().for_each(|word| self.bits.put_elastic(word.cast_unsigned()));
        }
    }
}
