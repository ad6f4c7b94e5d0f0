//! One representative for all states that differ in names only, of threads, cells and values at once; written as bits.
//!
//! Let G be the group of renamings: permutations of interchangeable threads ([`Exchange::threads`]), of `data` values
//! ([`Exchange::data`]) and of cells. Steps commute with G ([`super::symmetry`], [`super::rename`], [`super::normalise`]),
//! so a search may keep one state of each orbit (PAT 4.2; Friggens 6.1.3). Given an order of the threads, everything else is
//! named where it is first met ([`write`]):
//!
//! ```text
//! | shared variables, hash tables | cells met | first thread | cells met | second thread | … | cells out of reach | links |
//! ```
//!
//! a cell by the walk's count (garbage is never met), a value by its first occurrence. The order of the threads comes from
//! *signatures* ([`arrange`]): hashes of what a thread looks like to somebody who knows no names. Threads that look
//! alike are *tied*; unless they are linked to something that another thread also holds, exchanging them changes nothing.
//! The others are for the caller to try: it also knows of the monitor, which is renamed along.
//!
//! **Laws.** For every order: `read(write(s)) ≅ s`, and `write(s) = write(t)` implies `s ≅ t`; the string is prefix-free. So whatever order is
//! chosen, no state is lost. If the least string over the orders of each linked tie is taken, `s ≅ t` implies equal strings,
//! except where [`super::normalise`] is not canonical either, and where two signatures collide: then an orbit is kept twice.

mod arrange;
mod bits;
mod coding;
mod read;
mod write;

use super::bounds::ThreadId;
use super::code::Code;
use super::hash::Source;
use super::layout::{AT, LINK_WIDTH};
use super::machine::Machine;
use super::outcome::Site;
use super::state::{CellHead, State};
use super::symmetry::ThreadSymmetry;
use crate::index::Index;
use crate::ir::{MemoryKind, OpId};
use crate::types::Word;
pub use read::Read;

use coding::{Meaning, Slot, bits_for, region};
use smallvec::SmallVec;

/// The most threads and values that are exchanged: their names take four bits.
pub const MOST_EXCHANGED: usize = 15;

/// More threads than can be exchanged keep their names.
const KEPT: u64 = u64::MAX;

/// What may be renamed, beside cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// Threads with equal numbers are interchangeable.
    pub threads: Vec<u8>,
    /// Values are interchangeable, but for those whose bit is set.
    pub data: Option<u64>,
}

impl Exchange {
    /// Nothing but cells is renamed.
    pub fn nothing(threads: usize) -> Exchange {
        Exchange { threads: (0..threads as u8).collect(), data: None }
    }
}

/// The names that a state was written with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Renaming {
    /// Thread `t` is now `threads >> 4t & 15`; all ones: every thread keeps its name.
    pub threads: u64,
    /// Value `v` is now `data >> 4v & 15`, where 0 means that it does not occur.
    pub data: u64,
}

impl Renaming {
    pub fn thread(self, old: usize) -> usize {
        if self.threads == KEPT { old } else { (self.threads >> (4 * old) & 15) as usize }
    }

    pub fn value(self, old: Word) -> Option<Word> {
        let at = usize::try_from(old).ok().filter(|at| (1..=MOST_EXCHANGED).contains(at))?;
        Some((self.data >> (4 * at) & 15) as Word).filter(|name| *name != 0)
    }

    /// The thread at each new place, by its old number; no value occurs.
    pub fn of_order(order: &[u8]) -> Renaming {
        let name = |(new, &old): (usize, &u8)| (new as u64) << (4 * old);
        let is_long = order.len() > MOST_EXCHANGED;
        Renaming { threads: if is_long { KEPT } else { order.iter().enumerate().map(name).sum() }, data: 0 }
    }
}

/// Writes and reads states of a machine. Immutable; each worker brings its own [`Scratch`].
#[derive(Clone, Debug)]
pub struct Canoniser {
    code: Code,
    exchange: Exchange,
    /// The classes of two and more interchangeable threads: their numbers, which are also their places.
    classes_of_threads: Box<[Box<[u8]>]>,
    /// Some slot may name a thread.
    names_threads: bool,
    values: u32,
    globals: Box<[Slot]>,
    tables: Box<[Slot]>,
    vars: Box<[Slot]>,
    /// For each thread its elements of the shared arrays that are indexed by threads.
    rows: Box<[Box<[Slot]>]>,
    /// The live slots of the frame, by address.
    frames: Box<[Box<[Slot]>]>,
    /// All slots of a saved frame, by method.
    saved: Box<[Box<[Slot]>]>,
    kinds: Box<[Box<[Slot]>]>,
    classes: Box<[Box<[Slot]>]>,
    /// The number of each resting address from 1, and back.
    resting: Box<[u32]>,
    addresses: Box<[usize]>,
    /// The operation of each method, plus one; where there are no calls.
    op_of_method: Box<[Word]>,
    at_bits: u32,
    op_bits: u32,
    position_bits: u32,
    kind_bits: u32,
}

/// Buffers of one worker.
#[derive(Default, Debug)]
pub struct Scratch {
    writer: bits::BitWriter,
    /// By old number: the new pointer, 0 for none yet.
    cell_names: Vec<Word>,
    /// The cells in the order of their names.
    cells: Vec<u32>,
    data_names: [u8; 16],
    /// The least value that is not yet a name.
    next_data: u8,
    order: SmallVec<[u8; 16]>,
    ties: SmallVec<[Tie; 4]>,
    survey: arrange::Survey,
}

/// Threads that look alike: their places in the order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tie {
    pub places: SmallVec<[u8; 8]>,
    /// One of them holds something that another thread also holds: exchanging them may make a difference.
    pub linked: bool,
}

impl Scratch {
    /// The order of the threads that [`Canoniser::arrange`] found: the old number at each new place.
    pub fn order(&self) -> &[u8] {
        &self.order
    }

    pub fn ties(&self) -> &[Tie] {
        &self.ties
    }
}

impl Canoniser {
    /// `positions` is the number of positions that the client may be at with a thread. With a thread symmetry, its arrays
    /// must be among the shared variables ([`ThreadSymmetry::is_shallow`]).
    pub fn new(
        machine: &Machine,
        exchange: Exchange,
        symmetry: Option<&ThreadSymmetry>,
        positions: u32,
    ) -> Canoniser {
        let (code, bounds, types) = (&machine.code, &machine.bounds, &machine.program.types);
        let of = |start: usize, kinds: &[_]| region(types, bounds, code, start, kinds);
        let layout = &code.layout;
        let row_slots = |thread: usize| -> Vec<u32> {
            let rows = symmetry.map_or(&[][..], |symmetry| &symmetry.globals);
            rows.iter()
                .flat_map(|row| (0..row.stride).map(|at| (row.at + thread * row.stride + at) as u32))
                .collect()
        };
        let all_rows: Vec<u32> = (0..layout.threads).flat_map(row_slots).collect();
        let shared = of(0, &code.global_slots);
        let row = |thread: usize| {
            let slots = row_slots(thread);
            shared.iter().filter(|slot| slots.contains(&slot.at)).copied().collect::<Box<[Slot]>>()
        };
        let rows = (0..layout.threads).map(row).collect();
        let frame = |address: usize| -> Box<[Slot]> {
            let instr = &code.instrs[address];
            let slots = of(0, &code.methods[instr.method as usize].slots);
            let is_live =
                |slot: &Slot| instr.live.iter().any(|span| span.range().contains(&(slot.at as usize)));
            if instr.rests { slots.into_iter().filter(is_live).collect() } else { Box::default() }
        };
        let mut tables = Vec::new();
        for table in &code.tables.tables {
            let Source::InState { at, .. } = table.source else { continue };
            for entry in 0..table.domain.len() {
                tables.extend(of(at + entry * table.width, &table.result_slots));
            }
        }
        let addresses: Box<[usize]> = (0..code.instrs.len()).filter(|at| code.instrs[*at].rests).collect();
        let mut resting = vec![0; code.instrs.len()];
        addresses.iter().enumerate().for_each(|(number, &address)| resting[address] = number as u32 + 1);
        let mut op_of_method = vec![0; code.methods.len()];
        for (at, op) in machine.program.ops.iter().enumerate() {
            let method = |method: &super::code::Method| method.site == Site::Method(op.method);
            if let Some(method) = code.methods.iter().position(method) {
                op_of_method[method] = OpId::new(at).index() as Word + 1;
            }
        }
        let members = |class: u8| -> Box<[u8]> {
            let of_class = |at: &usize| exchange.threads[*at] == class;
            (0..layout.threads).filter(of_class).map(|at| at as u8).collect()
        };
        let classes_of_threads =
            (0..layout.threads as u8).map(members).filter(|class| class.len() > 1).collect();
        let mut canoniser = Canoniser {
            classes_of_threads,
            names_threads: false,
            values: bounds.values,
            globals: shared.iter().filter(|slot| !all_rows.contains(&slot.at)).copied().collect(),
            tables: tables.into(),
            vars: of(layout.vars, &code.var_slots).into(),
            rows,
            frames: (0..code.instrs.len()).map(frame).collect(),
            saved: code.methods.iter().map(|method| of(0, &method.slots).into()).collect(),
            kinds: code.kinds.iter().map(|kind| of(0, &kind.slots).into()).collect(),
            classes: (0..code.classes.len())
                .map(|c| of(0, &code.classes.get(c as u32).slots).into())
                .collect(),
            resting: resting.into(),
            at_bits: bits_for(addresses.len() as u32 + 1),
            op_bits: if code.has_calls { bits_for(machine.program.ops.len() as u32 + 1) } else { 0 },
            position_bits: bits_for(positions),
            kind_bits: bits_for(code.kinds.len() as u32),
            addresses,
            op_of_method: op_of_method.into(),
            code: code.clone(),
            exchange,
        };
        let names_threads = canoniser.all_slots().any(|slot| {
            matches!(
                slot.meaning,
                Meaning::Thread | Meaning::Lock | Meaning::Condvar | Meaning::Collection(_)
            )
        });
        canoniser.names_threads = names_threads;
        canoniser
    }

    fn all_slots(&self) -> impl Iterator<Item = &Slot> {
        let lists = [&self.rows, &self.frames, &self.kinds];
        self.globals.iter().chain(&self.vars).chain(lists.into_iter().flatten().flatten())
    }

    /// Before a state is written: ages lose what they do not mean ([`super::ages`]).
    pub fn prepare(&self, state: &mut State) {
        super::ages::close_gaps(&self.code, state);
    }

    /// Whether two interchangeable threads look exactly alike, names included, and nothing names either of them: whatever one
    /// can do, the other can, and it comes to the same.
    pub fn are_twins(&self, state: &State, a: usize, b: usize) -> bool {
        if self.exchange.threads[a] != self.exchange.threads[b] || self.code.has_calls {
            return false;
        }
        let block = |thread: usize| &state.words[self.block(thread)..][..self.code.layout.block];
        let rows = |thread: usize| self.rows[thread].iter().map(|slot| state.words[slot.at as usize]);
        block(a) == block(b) && rows(a).eq(rows(b)) && !self.is_named(state, a) && !self.is_named(state, b)
    }

    /// Whether some slot names a thread.
    fn is_named(&self, state: &State, thread: usize) -> bool {
        if !self.names_threads {
            return false;
        }
        let names = |slot: &Slot, word: Word| match slot.meaning {
            Meaning::Thread => word == thread as Word,
            Meaning::Lock => word == thread as Word + 1,
            Meaning::Condvar => word >> thread & 1 == 1,
            // Not looked into: to say yes is never wrong.
            Meaning::Collection(_) => word != 0,
            Meaning::Plain | Meaning::Pointer | Meaning::Data => false,
        };
        let region =
            |slots: &[Slot], words: &[Word]| slots.iter().any(|slot| names(slot, words[slot.at as usize]));
        let is_named_by = |other: usize| {
            let block = &state.words[self.block(other)..];
            region(&self.vars, block)
                || region(&self.rows[other], &state.words)
                || address(block[AT])
                    .is_some_and(|at| region(self.frame(at), &block[self.code.layout.frame..]))
        };
        let is_named_in = |cell: &CellHead| {
            let slots = &self.kinds[cell.kind as usize];
            let start = |element: u32| cell.start as usize + element as usize * slots.len();
            (0..cell.len).any(|element| region(slots, &state.heap[start(element)..]))
        };
        region(&self.globals, &state.words)
            || (0..self.threads()).any(is_named_by)
            || state.cells.iter().any(is_named_in)
    }

    fn has_lives(&self) -> bool {
        self.code.memory != MemoryKind::Gc
    }

    fn threads(&self) -> usize {
        self.code.layout.threads
    }

    fn block(&self, thread: usize) -> usize {
        self.code.layout.block_of(ThreadId::new(thread))
    }

    /// The live slots of a frame in front of an address.
    fn frame(&self, address: usize) -> &[Slot] {
        &self.frames[address]
    }

    /// Where a thread's link lies among the words.
    fn link(&self, thread: usize) -> Option<std::ops::Range<usize>> {
        let start = self.block(thread) + self.code.layout.link?;
        Some(start..start + LINK_WIDTH)
    }
}

/// The address that a thread rests at.
fn address(at: Word) -> Option<usize> {
    usize::try_from(at).ok()?.checked_sub(1)
}
