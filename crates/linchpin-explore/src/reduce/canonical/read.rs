//! Reads an encoded state: repeats the walk of [`super::write`] on the bits.

use super::Canonicalizer;
use super::bits::BitReader;
use super::coding::{Meaning, Slot};
use linchpin_ir::index::number_of;
use linchpin_ir::types::{Word, word_of};
use linchpin_semantics::State;
use linchpin_semantics::raw::{
    AT, CellHead, CellStatus, LINK_NONE, LINK_WIDTH, OP, POSITION, STACK, sort_elements,
};
use smallvec::SmallVec;

/// Facts about a state that reading it yields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Read {
    /// The number of bytes read.
    pub length: usize,
    /// The values that occur, a bit each.
    pub values: u64,
}

impl Canonicalizer {
    /// Reads a state into `state`, whose buffers are reused. The bytes must begin with a
    /// [written](Canonicalizer::write) state; other bytes may follow.
    pub fn read(&self, bytes: &[u8], state: &mut State) -> Read {
        let mut reader =
            Reader { canonicalizer: self, bits: BitReader::new(bytes), wide: false, known: 0, values: 0 };
        reader.state(state);
        Read { length: reader.bits.length(), values: reader.values }
    }
}

struct Reader<'a> {
    canonicalizer: &'a Canonicalizer,
    bits: BitReader<'a>,
    wide: bool,
    /// The largest name of a cell so far.
    known: usize,
    values: u64,
}

impl Reader<'_> {
    fn state(&mut self, state: &mut State) {
        let canonicalizer = self.canonicalizer;
        let layout = &canonicalizer.code.layout;
        state.words.clear();
        state.words.resize(layout.words(), 0);
        state.stack.clear();
        state.cells.clear();
        state.heap.clear();
        state.contents.clear();
        self.wide = self.bits.take(1) == 1;
        self.words(&canonicalizer.globals, 0, state);
        self.words(&canonicalizer.tables, 0, state);
        self.cells(state);
        for thread in 0..canonicalizer.threads() {
            self.thread(thread, state);
            self.cells(state);
        }
        if canonicalizer.keeps_freed_cells() {
            while self.bits.take(1) == 1 {
                self.known += 1;
                self.cells(state);
            }
        }
        for link in (0..canonicalizer.threads()).filter_map(|thread| canonicalizer.link(thread)) {
            let kind = self.bits.take(2).cast_signed();
            state.words[link.start] = kind;
            if kind != LINK_NONE {
                (1..LINK_WIDTH)
                    .for_each(|at| state.words[link.start + at] = self.bits.take_elastic().cast_signed());
            }
        }
    }

    fn thread(&mut self, thread: usize, state: &mut State) {
        let canonicalizer = self.canonicalizer;
        let block = canonicalizer.block(thread);
        let number = self.bits.take(canonicalizer.at_bits) as usize;
        let position = self.small(canonicalizer.position_bits);
        state.words[block + POSITION] = position;
        self.words(&canonicalizer.rows[thread], 0, state);
        if number == 0 {
            return self.words(&canonicalizer.plan(0).slots, block, state);
        }
        let at = canonicalizer.addresses[number - 1];
        let method = canonicalizer.code.instrs[at].method as usize;
        state.words[block + AT] = word_of(at) + 1;
        state.words[block + OP] = canonicalizer.op_of_method[method];
        let frame = block + canonicalizer.code.layout.frame;
        let defaults = &canonicalizer.code.methods[method].defaults;
        state.words[frame..frame + defaults.len()].copy_from_slice(defaults);
        self.words(&canonicalizer.plan(word_of(at) + 1).slots, block, state);
        if canonicalizer.code.has_calls {
            state.words[block + OP] = self.small(canonicalizer.op_bits);
            let before = state.stack.len();
            for _ in 0..self.bits.take_elastic() {
                let address = self.bits.take_elastic() as usize;
                let slots = &canonicalizer.saved[canonicalizer.code.instrs[address].method as usize];
                for slot in slots {
                    let word = self.slot(slot, state);
                    state.stack.push(word);
                }
                state.stack.push(word_of(address));
            }
            state.words[block + STACK] = word_of(state.stack.len() - before);
        }
    }

    fn small(&mut self, bits: u32) -> Word {
        self.bits.take(if self.wide { 32 } else { bits }).cast_signed()
    }

    #[inline(always)]
    fn words(&mut self, slots: &[Slot], start: usize, state: &mut State) {
        for slot in slots {
            let word = self.slot(slot, state);
            state.words[start + slot.at as usize] = word;
        }
    }

    #[inline(always)]
    fn slot(&mut self, slot: &Slot, state: &mut State) -> Word {
        if let Meaning::Collection(class) = slot.meaning {
            return self.collection(class, state);
        }
        let word = match self.wide {
            false => slot.coding.read(&mut self.bits),
            true => self.bits.take(32).cast_signed(),
        };
        match slot.meaning {
            Meaning::Pointer => self.known = self.known.max(usize::try_from(word).unwrap_or(0)),
            Meaning::Data if (1..64).contains(&word) => self.values |= 1 << word,
            _ => {}
        }
        word
    }

    #[inline(never)]
    fn collection(&mut self, class: u32, state: &mut State) -> Word {
        let canonicalizer = self.canonicalizer;
        let slots = &canonicalizer.classes[class as usize];
        let mut words: SmallVec<[Word; 32]> = SmallVec::new();
        for _ in 0..self.bits.take_elastic() {
            for slot in slots {
                let word = self.slot(slot, state);
                words.push(word);
            }
        }
        let class_shape = canonicalizer.code.classes.get(class);
        if class_shape.is_sorted() {
            sort_elements(class_shape.stride(), &mut words);
        }
        state.contents.intern(class, &words)
    }

    fn cells(&mut self, state: &mut State) {
        let canonicalizer = self.canonicalizer;
        while state.cells.len() < self.known {
            let kind = self.bits.take(canonicalizer.kind_bits);
            let is_freed = canonicalizer.keeps_freed_cells() && self.bits.take(1) == 1;
            let len =
                if canonicalizer.code.kinds[kind as usize].is_array { self.bits.take_elastic() } else { 1 };
            let status = if is_freed { CellStatus::Freed } else { CellStatus::Allocated };
            state.cells.push(CellHead { kind, len, start: number_of(state.heap.len()), status });
            for _ in 0..len {
                for slot in &canonicalizer.kinds[kind as usize] {
                    let word = self.slot(slot, state);
                    state.heap.push(word);
                }
            }
        }
    }
}
