//! Encodes a state as bits: one encoding for all states equal up to renaming of threads, cells and values.
//!
//! Let G be the group of renamings: permutations of interchangeable threads ([`StateSymmetry::threads`]), of
//! values of `data` ([`StateSymmetry::data`]) and of cells. Steps commute with G (headers of
//! [`super::symmetry`] and of normal forms). So a search may keep one state of each orbit (PAT 4.2; Friggens
//! 6.1.3). Given an order of the threads, everything else is named at its first occurrence in this sequence
//! ([`mod@write`]):
//!
//! ```text
//! | shared variables, hash tables | their cells | first thread | its cells | … | unreachable cells | links |
//! ```
//!
//! A cell gets the next number of the walk, a value the least free name. Garbage never occurs. The order of
//! the threads comes from *signatures* ([`arrange`]): hashes that do not depend on names. Threads with equal
//! signatures are *tied*. Exchanging tied threads changes nothing, unless they are *linked*: a thread holds
//! something that another thread holds. The caller tries the orders of linked threads, because the caller
//! also renames the monitor.
//!
//! **Claim.** No order of the threads loses a state. With the least encoding over the orders of all linked
//! ties, equal states up to renaming (`s ≅ t`) have equal encodings.
//!
//! **Assumptions.** For the second part: normal forms are canonical for the program, and no two signatures
//! collide. Otherwise an orbit may be kept twice, which costs memory only.
//!
//! **Proof.** For every order `read(write(s)) ≅ s`, so `write(s) = write(t)` implies `s ≅ t`; the encoding is
//! prefix-free. Signatures are invariant under G, hence so is the order up to ties (header of [`arrange`]).
//!
//! **Guarded by** `tests/suite/reduce/{representatives,encoding}.rs` and `tests/suite/engine/orbits.rs`.

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

/// The largest number of interchangeable threads, and of values: a new name takes four bits.
pub const MAX_SYMMETRIC: usize = 15;

/// The value of [`Renaming::threads`] that keeps every name: with more than [`MAX_SYMMETRIC`] threads.
const KEPT: u64 = u64::MAX;

/// What may be renamed, besides cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateSymmetry {
    /// The class of each thread. Threads of equal class are interchangeable.
    pub threads: Vec<u8>,
    /// The values that are not interchangeable, a bit each. `None`: no value is renamed.
    pub data: Option<u64>,
}

impl StateSymmetry {
    /// Returns the symmetry that renames cells only.
    pub fn nothing(threads: usize) -> StateSymmetry {
        StateSymmetry { threads: (0..byte_of(threads)).collect(), data: None }
    }
}

/// The renaming that an encoding applied.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Renaming {
    /// New names: thread `t` is now `threads >> 4t & 15`. All ones: every thread keeps its name.
    pub threads: u64,
    /// New names: value `v` is now `data >> 4v & 15`; 0 means that `v` does not occur.
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

    /// Returns the renaming of an order, which lists the old number at each new place. No value occurs.
    pub fn of_order(order: &[u8]) -> Renaming {
        let name = |(new, &old): (usize, &u8)| (new as u64) << (4 * old);
        let is_long = order.len() > MAX_SYMMETRIC;
        Renaming { threads: if is_long { KEPT } else { order.iter().enumerate().map(name).sum() }, data: 0 }
    }
}

/// Writes and reads the states of a machine. Immutable; each worker has its own [`Scratch`].
#[derive(Clone, Debug)]
pub struct Canonicalizer {
    code: Code,
    symmetry: StateSymmetry,
    /// The threads of each class with two or more threads, class after class. A thread's number is also its
    /// place.
    interchangeable: Box<[u8]>,
    /// The range of each class in `interchangeable`.
    classes_of_threads: Box<[Range<usize>]>,
    /// The threads in the order of their numbers.
    in_place: Box<[u8]>,
    /// Whether some slot may name a thread.
    names_threads: bool,
    /// Whether the client's position is all the state of an idle thread.
    is_bare_when_idle: bool,
    values: u32,
    /// The names of values before any is given: a value that is not renamed has its own.
    fixed_values: [u8; 16],
    globals: Box<[Slot]>,
    tables: Box<[Slot]>,
    /// For each thread, its elements of the shared arrays indexed by threads.
    rows: Box<[Box<[Slot]>]>,
    has_rows: bool,
    /// The plans by the word that holds where a thread rests; 0 for an idle thread.
    plans: Box<[Plan]>,
    /// All slots of a saved frame, by method.
    saved: Box<[Box<[Slot]>]>,
    kinds: Box<[Box<[Slot]>]>,
    classes: Box<[Box<[Slot]>]>,
    /// The addresses where threads rest; [`Plan::number`] counts them from 1.
    addresses: Box<[usize]>,
    /// The operation of each method, plus one. Used only by programs without calls.
    op_of_method: Box<[Word]>,
    at_bits: u32,
    op_bits: u32,
    position_bits: u32,
    kind_bits: u32,
}

/// How to write a thread that rests at an address, or is idle.
#[derive(Clone, Debug)]
struct Plan {
    /// The number of the address among those where threads rest, from 1; 0 for an idle thread.
    number: u32,
    /// The slots of its block: the thread's variables, then the live slots of its frame.
    slots: Box<[Slot]>,
}

/// Buffers of one worker, and the arrangement of the last state.
#[derive(Default, Debug)]
pub struct Scratch {
    bits: bits::BitWriter,
    names: write::Names,
    prefix: write::Prefix,
    mentions: [u64; 16],
    order: SmallVec<[u8; 16]>,
    ties: SmallVec<[TiedThreads; 8]>,
    buffers: arrange::ArrangeBuffers,
}

/// Threads with equal signatures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TiedThreads {
    /// The range of their [places](Canonicalizer::places) in `Canonicalizer::interchangeable`.
    start: u8,
    end: u8,
    /// One of them holds something that another thread holds too, so exchanging them may change the encoding.
    pub linked: bool,
}

impl Scratch {
    /// Returns the order that [`Canonicalizer::arrange`] found: the old number at each new place.
    pub fn order(&self) -> &[u8] {
        &self.order
    }

    pub fn ties(&self) -> &[TiedThreads] {
        &self.ties
    }
}

impl Canonicalizer {
    /// Prepares the encoding. `positions` is the number of positions of the client. With a thread symmetry,
    /// arrays indexed by threads must be shared variables ([`ThreadSymmetry::is_shallow`]).
    pub fn new(
        machine: &Machine,
        symmetry: StateSymmetry,
        thread_symmetry: Option<&ThreadSymmetry>,
        positions: u32,
    ) -> Canonicalizer {
        let (code, bounds, types) = (raw::code(machine), machine.bounds(), &machine.program().types);
        let of = |start: usize, kinds: &[_]| region(types, bounds, code, start, kinds);
        let layout = &code.layout;
        let row_slots = |thread: usize| -> Vec<u32> {
            let rows = thread_symmetry.map_or(&[][..], |symmetry| &symmetry.globals);
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
            let of_class = |thread: &u8| symmetry.threads[*thread as usize] == class;
            interchangeable.extend((0..byte_of(layout.threads)).filter(of_class));
            match interchangeable.len() - start {
                0 | 1 => interchangeable.truncate(start),
                _ => classes_of_threads.push(start..interchangeable.len()),
            }
        }
        let mut fixed_values = [0; 16];
        if let Some(fixed) = symmetry.data {
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
            symmetry,
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

    /// Returns the places of tied threads in the order of threads.
    pub fn places(&self, tie: TiedThreads) -> &[u8] {
        &self.interchangeable[tie.start as usize..tie.end as usize]
    }

    /// Closes the gaps between ages ([`raw::close_gaps`]). Call this before a state is written.
    pub fn prepare(&self, state: &mut State) {
        raw::close_gaps(&self.code, state);
    }

    /// Checks that two interchangeable threads have equal blocks and that no slot names either. Then the
    /// moves of both lead to the same states up to renaming.
    pub fn are_twins(&self, state: &State, a: usize, b: usize) -> bool {
        if self.symmetry.threads[a] != self.symmetry.threads[b] || self.code.has_calls {
            return false;
        }
        let block = |thread: usize| &state.words[self.block(thread)..][..self.code.layout.block];
        if block(a)[AT] != block(b)[AT] {
            return false;
        }
        let rows = |thread: usize| self.rows[thread].iter().map(|slot| state.words[slot.at as usize]);
        block(a) == block(b) && rows(a).eq(rows(b)) && !self.is_named(state, a) && !self.is_named(state, b)
    }

    /// Checks whether some slot names a thread.
    fn is_named(&self, state: &State, thread: usize) -> bool {
        if !self.names_threads {
            return false;
        }
        let names = |slot: &Slot, word: Word| match slot.meaning {
            Meaning::Thread => word == word_of(thread),
            Meaning::Lock => word == word_of(thread) + 1,
            Meaning::Condvar => word >> thread & 1 == 1,
            // The elements are not inspected: a false "yes" costs a reduction, never a verdict.
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

    fn keeps_freed_cells(&self) -> bool {
        self.code.memory != MemoryKind::Gc
    }

    fn threads(&self) -> usize {
        self.code.layout.threads
    }

    fn block(&self, thread: usize) -> usize {
        self.code.layout.block_of(ThreadId::new(thread))
    }

    /// Returns how to write a thread, by the word that holds where it rests.
    #[inline(always)]
    fn plan(&self, at: Word) -> &Plan {
        &self.plans[at.cast_unsigned() as usize]
    }

    /// Returns the range of a thread's link among the words.
    fn link(&self, thread: usize) -> Option<Range<usize>> {
        let start = self.block(thread) + self.code.layout.link?;
        Some(start..start + LINK_WIDTH)
    }
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
