//! One representative for all states that differ in names only, of threads, cells and values at once; written as bits.
//!
//! Let G be the group of renamings: permutations of interchangeable threads ([`StateSymmetry::threads`]), of `data` values
//! ([`StateSymmetry::data`]) and of cells. Steps commute with G ([`super::symmetry`], [`super::rename`], [`super::normalise`]),
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

use super::symmetry::ThreadSymmetry;
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_ir::program::{MemoryKind, OpId};
use linchpin_ir::types::{Word, word_of};
use linchpin_semantics::raw::{self, AT, CellHead, Code, LINK_WIDTH, Source};
use linchpin_semantics::{Machine, Site, State, ThreadId};
pub use read::Read;

use coding::{Meaning, Slot, bits_for, region};
use smallvec::SmallVec;
use std::ops::Range;

/// The most threads and values that are exchanged: their names take four bits.
pub const MAX_SYMMETRIC: usize = 15;

/// More threads than can be exchanged keep their names.
const KEPT: u64 = u64::MAX;

/// What may be renamed, beside cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateSymmetry {
    /// Threads with equal numbers are interchangeable.
    pub threads: Vec<u8>,
    /// Values are interchangeable, but for those whose bit is set.
    pub data: Option<u64>,
}

impl StateSymmetry {
    /// Nothing but cells is renamed.
    pub fn nothing(threads: usize) -> StateSymmetry {
        StateSymmetry { threads: (0..byte_of(threads)).collect(), data: None }
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
        let at = usize::try_from(old).ok().filter(|at| (1..=MAX_SYMMETRIC).contains(at))?;
        Some((self.data >> (4 * at) & 15) as Word).filter(|name| *name != 0)
    }

    /// The thread at each new place, by its old number; no value occurs.
    pub fn of_order(order: &[u8]) -> Renaming {
        let name = |(new, &old): (usize, &u8)| (new as u64) << (4 * old);
        let is_long = order.len() > MAX_SYMMETRIC;
        Renaming { threads: if is_long { KEPT } else { order.iter().enumerate().map(name).sum() }, data: 0 }
    }
}

/// Writes and reads states of a machine. Immutable; each worker brings its own [`Scratch`].
#[derive(Clone, Debug)]
pub struct Canonicalizer {
    code: Code,
    exchange: StateSymmetry,
    /// The threads of each class of two and more that are interchangeable, class after class: their numbers, which are also their places.
    interchangeable: Box<[u8]>,
    /// Where each class lies there.
    classes_of_threads: Box<[Range<usize>]>,
    /// The threads in the order of their numbers.
    in_place: Box<[u8]>,
    /// Some slot may name a thread.
    names_threads: bool,
    /// All that there is to know of an idle thread is the client's position with it.
    is_bare_when_idle: bool,
    values: u32,
    /// The names of values before anything is named: those that are not renamed have their own.
    fixed_values: [u8; 16],
    globals: Box<[Slot]>,
    tables: Box<[Slot]>,
    /// For each thread its elements of the shared arrays that are indexed by threads.
    rows: Box<[Box<[Slot]>]>,
    has_rows: bool,
    /// By the word that says where a thread rests: 0 where it is idle.
    plans: Box<[Plan]>,
    /// All slots of a saved frame, by method.
    saved: Box<[Box<[Slot]>]>,
    kinds: Box<[Box<[Slot]>]>,
    classes: Box<[Box<[Slot]>]>,
    /// The resting address of each number, from 1.
    addresses: Box<[usize]>,
    /// The operation of each method, plus one; where there are no calls.
    op_of_method: Box<[Word]>,
    at_bits: u32,
    op_bits: u32,
    position_bits: u32,
    kind_bits: u32,
}

/// How a thread is written that rests at an address, or is idle.
#[derive(Clone, Debug)]
struct Plan {
    /// Of the address among those where threads rest, from 1; 0 for an idle thread.
    number: u32,
    /// Of its block: its variables, then what is live in its frame.
    slots: Box<[Slot]>,
}

/// Buffers of one worker, and what it knows of the state that it arranged last.
#[derive(Default, Debug)]
pub struct Scratch {
    bits: bits::BitWriter,
    names: write::Names,
    prefix: write::Prefix,
    mentions: [u64; 16],
    order: SmallVec<[u8; 16]>,
    ties: SmallVec<[TiedThreads; 8]>,
    survey: arrange::Survey,
}

/// Threads that look alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TiedThreads {
    /// Their [places](Canonicalizer::places) among those of interchangeable threads.
    start: u8,
    end: u8,
    /// One of them holds something that another thread also holds: exchanging them may make a difference.
    pub linked: bool,
}

impl Scratch {
    /// The order of the threads that [`Canonicalizer::arrange`] found: the old number at each new place.
    pub fn order(&self) -> &[u8] {
        &self.order
    }

    pub fn ties(&self) -> &[TiedThreads] {
        &self.ties
    }
}

impl Canonicalizer {
    /// `positions` is the number of positions that the client may be at with a thread. With a thread symmetry, its arrays
    /// must be among the shared variables ([`ThreadSymmetry::is_shallow`]).
    pub fn new(
        machine: &Machine,
        exchange: StateSymmetry,
        symmetry: Option<&ThreadSymmetry>,
        positions: u32,
    ) -> Canonicalizer {
        let (code, bounds, types) = (raw::code(machine), machine.bounds(), &machine.program().types);
        let of = |start: usize, kinds: &[_]| region(types, bounds, code, start, kinds);
        let layout = &code.layout;
        let row_slots = |thread: usize| -> Vec<u32> {
            let rows = symmetry.map_or(&[][..], |symmetry| &symmetry.globals);
            rows.iter()
                .flat_map(|row| (0..row.stride).map(|at| number_of(row.at + thread * row.stride + at)))
                .collect()
        };
        let all_rows: Vec<u32> = (0..layout.threads).flat_map(row_slots).collect();
        let shared = of(0, &code.global_slots);
        let row = |thread: usize| {
            let slots = row_slots(thread);
            shared.iter().filter(|slot| slots.contains(&slot.at)).copied().collect::<Box<[Slot]>>()
        };
        let rows = (0..layout.threads).map(row).collect();
        let mut tables = Vec::new();
        for table in &code.tables.tables {
            let Source::InState { at, .. } = table.source else { continue };
            for entry in 0..table.domain.len() {
                tables.extend(of(at + entry * table.width, &table.result_slots));
            }
        }
        let addresses: Box<[usize]> = (0..code.instrs.len()).filter(|at| code.instrs[*at].rests).collect();
        let vars = of(layout.vars, &code.var_slots);
        let is_bare = vars.is_empty();
        let plan = |address: usize| {
            let instr = &code.instrs[address];
            let slots = of(layout.frame, &code.methods[instr.method as usize].slots);
            let is_live = |slot: &&Slot| {
                let at = slot.at as usize - layout.frame;
                instr.rests && instr.live.iter().any(|span| span.range().contains(&at))
            };
            let number = addresses.iter().position(|resting| *resting == address);
            Plan {
                number: number.map_or(0, |number| number_of(number) + 1),
                slots: vars.iter().chain(slots.iter().filter(is_live)).copied().collect(),
            }
        };
        let idle = Plan { number: 0, slots: vars.clone().into() };
        let plans = std::iter::once(idle).chain((0..code.instrs.len()).map(plan)).collect();
        let mut op_of_method = vec![0; code.methods.len()];
        for (at, op) in machine.program().ops.iter().enumerate() {
            let method = |method: &raw::Method| method.site == Site::Method(op.method);
            if let Some(method) = code.methods.iter().position(method) {
                op_of_method[method] = word_of(OpId::new(at).index()) + 1;
            }
        }
        let mut interchangeable: Vec<u8> = Vec::new();
        let mut classes_of_threads = Vec::new();
        for class in 0..byte_of(layout.threads) {
            let start = interchangeable.len();
            let of_class = |thread: &u8| exchange.threads[*thread as usize] == class;
            interchangeable.extend((0..byte_of(layout.threads)).filter(of_class));
            match interchangeable.len() - start {
                0 | 1 => interchangeable.truncate(start),
                _ => classes_of_threads.push(start..interchangeable.len()),
            }
        }
        let mut fixed_values = [0; 16];
        if let Some(fixed) = exchange.data {
            let is_fixed = |value: &u8| fixed >> value & 1 == 1;
            let values = 1..=byte_of(bounds.values.min(number_of(MAX_SYMMETRIC)));
            values.filter(is_fixed).for_each(|value| fixed_values[value as usize] = value);
        }
        let mut canonicalizer = Canonicalizer {
            interchangeable: interchangeable.into(),
            classes_of_threads: classes_of_threads.into(),
            in_place: (0..byte_of(layout.threads)).collect(),
            names_threads: false,
            is_bare_when_idle: false,
            values: bounds.values,
            fixed_values,
            globals: shared.iter().filter(|slot| !all_rows.contains(&slot.at)).copied().collect(),
            tables: tables.into(),
            has_rows: !all_rows.is_empty(),
            rows,
            plans,
            saved: code.methods.iter().map(|method| of(0, &method.slots).into()).collect(),
            kinds: code.kinds.iter().map(|kind| of(0, &kind.slots).into()).collect(),
            classes: (0..code.classes.len())
                .map(|c| of(0, &code.classes.get(number_of(c)).slots).into())
                .collect(),
            at_bits: bits_for(number_of(addresses.len()) + 1),
            op_bits: if code.has_calls { bits_for(number_of(machine.program().ops.len()) + 1) } else { 0 },
            position_bits: bits_for(positions),
            kind_bits: bits_for(number_of(code.kinds.len())),
            addresses,
            op_of_method: op_of_method.into(),
            code: code.clone(),
            exchange,
        };
        let names_threads = canonicalizer.all_slots().any(|slot| {
            matches!(
                slot.meaning,
                Meaning::Thread | Meaning::Lock | Meaning::Condvar | Meaning::Collection(_)
            )
        });
        canonicalizer.names_threads = names_threads;
        canonicalizer.is_bare_when_idle = !names_threads && is_bare && !canonicalizer.has_rows;
        canonicalizer
    }

    fn all_slots(&self) -> impl Iterator<Item = &Slot> {
        let plans = self.plans.iter().flat_map(|plan| &plan.slots);
        self.globals.iter().chain(plans).chain([&self.rows, &self.kinds].into_iter().flatten().flatten())
    }

    /// The places of tied threads in the order of threads.
    pub fn places(&self, tie: TiedThreads) -> &[u8] {
        &self.interchangeable[tie.start as usize..tie.end as usize]
    }

    /// Before a state is written: ages lose what they do not mean ([`super::ages`]).
    pub fn prepare(&self, state: &mut State) {
        raw::close_gaps(&self.code, state);
    }

    /// Whether two interchangeable threads look exactly alike, names included, and nothing names either of them: whatever one
    /// can do, the other can, and it comes to the same.
    pub fn are_twins(&self, state: &State, a: usize, b: usize) -> bool {
        if self.exchange.threads[a] != self.exchange.threads[b] || self.code.has_calls {
            return false;
        }
        let block = |thread: usize| &state.words[self.block(thread)..][..self.code.layout.block];
        if block(a)[AT] != block(b)[AT] {
            return false;
        }
        let rows = |thread: usize| self.rows[thread].iter().map(|slot| state.words[slot.at as usize]);
        block(a) == block(b) && rows(a).eq(rows(b)) && !self.is_named(state, a) && !self.is_named(state, b)
    }

    /// Whether some slot names a thread.
    fn is_named(&self, state: &State, thread: usize) -> bool {
        if !self.names_threads {
            return false;
        }
        let names = |slot: &Slot, word: Word| match slot.meaning {
            Meaning::Thread => word == word_of(thread),
            Meaning::Lock => word == word_of(thread) + 1,
            Meaning::Condvar => word >> thread & 1 == 1,
            // Not looked into: to say yes is never wrong.
            Meaning::Collection(_) => word != 0,
            Meaning::Plain | Meaning::Pointer | Meaning::Data => false,
        };
        let region =
            |slots: &[Slot], words: &[Word]| slots.iter().any(|slot| names(slot, words[slot.at as usize]));
        let is_named_by = |other: usize| {
            let block = &state.words[self.block(other)..];
            region(&self.plan(block[AT]).slots, block) || region(&self.rows[other], &state.words)
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

    /// How a thread is written, by the word that says where it rests.
    #[inline(always)]
    fn plan(&self, at: Word) -> &Plan {
        &self.plans[at.cast_unsigned() as usize]
    }

    /// Where a thread's link lies among the words.
    fn link(&self, thread: usize) -> Option<Range<usize>> {
        let start = self.block(thread) + self.code.layout.link?;
        Some(start..start + LINK_WIDTH)
    }
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
