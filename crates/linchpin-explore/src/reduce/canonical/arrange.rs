//! Finds an order of the threads that does not depend on names.
//!
//! Cells and values reachable from shared variables have names in which no thread's number occurs: the walk
//! that writes them ([`super::write`]) counts them. A thread is described by the places that mention it, such
//! as a lock's holder. Relative to these names each thread has a *signature*: a hash of its state that is
//! invariant under renaming. Signatures are refined in three stages, each only for threads that are still
//! alike:
//!
//! 1. where the thread rests, and which places mention it. This separates most threads;
//! 2. what its slots hold, and the cells that it alone reaches, named by a walk of their own;
//! 3. the number of holders of each cell and value that it reaches, if some have two (a step of colour
//!    refinement).
//!
//! Two threads are *linked* if both hold a cell or value that no shared variable names.
//!
//! **Claim.** The order is invariant under renaming, up to ties. Exchanging two tied threads that are not
//! linked, with their private cells and values, is an automorphism of the state.
//!
//! **Assumption.** No two hashes collide. If two collide, an orbit is kept twice.
//!
//! **Proof.** A signature does not change under renaming, and neither does the decision which stage is
//! needed. Equal signatures without a common holding mean that the threads' parts of the state are
//! isomorphic.
//!
//! **Guarded by** `tests/suite/reduce/representatives.rs`.

use super::coding::{Meaning, Slot};
use super::write::Names;
use super::{Canonicalizer, Scratch, TiedThreads, mix};
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_ir::types::Word;
use linchpin_semantics::raw::{AT, OP, POSITION, holder, saved_frames};
use linchpin_semantics::{CellId, State, ThreadId};
use smallvec::SmallVec;
use std::ops::Range;

/// Buffers of one arrangement.
#[derive(Default, Debug)]
pub(super) struct ArrangeBuffers {
    /// Signatures by thread.
    signatures: [u64; 16],
    /// The number of walks so far, over all arrangements.
    walk: u64,
    /// The value of `walk` before this arrangement.
    walks_before: u64,
    cells: Vec<Own>,
    values: [Own; 16],
    /// The cells of the current walk, in the order of their names.
    own: Vec<u32>,
    next_own_value: u32,
    /// Sets of threads, a bit each: visited; holding something not shared; holding it together with another
    /// thread; linked to another thread.
    seen: u32,
    owners: u32,
    joint: u32,
    linked: u32,
}

/// A cell or value that is not shared.
#[derive(Clone, Copy, Default, Debug)]
struct Own {
    /// The last walk that reached it, and its name in that walk.
    walk: u64,
    name: u32,
    /// The threads of this arrangement that reach it, a bit each.
    holders: u32,
}

impl Canonicalizer {
    /// Writes the shared part of a state and finds the order of the threads and the ties.
    /// [`Canonicalizer::colour`] may still reorder tied threads.
    pub fn arrange(&self, scratch: &mut Scratch, state: &State) {
        scratch.order.clear();
        scratch.order.extend_from_slice(&self.in_place);
        scratch.ties.clear();
        self.begin(scratch, state, &self.in_place);
        if self.classes_of_threads.is_empty() {
            return;
        }
        let Scratch { names, mentions, order, ties, buffers, .. } = scratch;
        buffers.begin(state.cells.len());
        let mut arranger = Arranger { canonicalizer: self, state, names, mentions, buffers };
        let mut is_open = false;
        for class in &self.classes_of_threads {
            for &thread in &self.interchangeable[class.clone()] {
                arranger.buffers.signatures[thread as usize] = arranger.place_of(thread as usize);
            }
            arranger.sort(order, class.clone());
            let mut start = class.start;
            while let Some(alike) = arranger.next_alike(order, start..class.end) {
                start = alike.end;
                let first = order[self.interchangeable[alike.start] as usize];
                // Exchanging idle threads without own state changes nothing.
                if self.is_bare_when_idle && state.words[self.block(first as usize) + AT] == 0 {
                    ties.push(TiedThreads::of(alike, false));
                    continue;
                }
                for &place in &self.interchangeable[alike.clone()] {
                    let thread = order[place as usize] as usize;
                    arranger.buffers.signatures[thread] = arranger.thread::<false>(thread);
                }
                arranger.sort(order, alike.clone());
                let mut start = alike.start;
                while let Some(tied) = arranger.next_alike(order, start..alike.end) {
                    start = tied.end;
                    let tie = TiedThreads::of(tied, false);
                    // A thread that owns nothing is not linked.
                    let owns = |place: &u8| arranger.buffers.owners >> order[*place as usize] & 1 == 1;
                    is_open |= self.names_threads || self.places(tie).iter().any(owns);
                    ties.push(tie);
                }
            }
        }
        if is_open {
            arranger.refine(order, ties);
        }
    }

    /// Sorts tied threads by their colours, which come from the monitor. Ties that are not linked are split
    /// by colour. The order of the state itself does not depend on colours.
    pub fn colour(&self, scratch: &mut Scratch, colours: &[u64]) {
        let Scratch { order, ties, .. } = scratch;
        let colour = |thread: u8| colours.get(thread as usize).copied().unwrap_or(0);
        for tie in std::mem::take(ties) {
            sort(order, self.places(tie), colour);
            // Linked threads are tried in every order, whatever their colours: the state's encoding decides
            // first.
            if tie.linked {
                ties.push(tie);
                continue;
            }
            let mut start = tie.start as usize;
            while let Some(alike) = next_alike(order, &self.interchangeable, start..tie.end as usize, colour)
            {
                start = alike.end;
                ties.push(TiedThreads::of(alike, false));
            }
        }
    }
}

impl TiedThreads {
    fn of(places: Range<usize>, linked: bool) -> TiedThreads {
        TiedThreads { start: byte_of(places.start), end: byte_of(places.end), linked }
    }
}

/// Sorts the threads at some places. Insertion sort is stable, and the fastest for so few.
#[inline(always)]
fn sort(order: &mut [u8], places: &[u8], key: impl Fn(u8) -> u64) {
    for next in 1..places.len() {
        let moved = order[places[next] as usize];
        let its = key(moved);
        let mut at = next;
        while at > 0 && key(order[places[at - 1] as usize]) > its {
            order[places[at] as usize] = order[places[at - 1] as usize];
            at -= 1;
        }
        order[places[at] as usize] = moved;
    }
}

/// Finds the next range of two or more places whose threads have equal keys. The places are sorted by key.
#[inline(always)]
fn next_alike(
    order: &[u8],
    places: &[u8],
    within: Range<usize>,
    key: impl Fn(u8) -> u64,
) -> Option<Range<usize>> {
    let key = |at: usize| key(order[places[at] as usize]);
    let mut start = within.start;
    while start + 1 < within.end {
        let first = key(start);
        let mut end = start + 1;
        while end < within.end && key(end) == first {
            end += 1;
        }
        if end - start > 1 {
            return Some(start..end);
        }
        start = end;
    }
    None
}

struct Arranger<'a> {
    canonicalizer: &'a Canonicalizer,
    state: &'a State,
    /// The names of shared cells and values.
    names: &'a Names,
    mentions: &'a [u64; 16],
    buffers: &'a mut ArrangeBuffers,
}

impl ArrangeBuffers {
    fn begin(&mut self, cells: usize) {
        if self.cells.len() < cells {
            self.cells.resize(cells, Own::default());
        }
        self.walks_before = self.walk;
        (self.seen, self.owners, self.joint, self.linked) = (0, 0, 0, 0);
    }
}

impl Arranger<'_> {
    fn sort(&self, order: &mut [u8], at: Range<usize>) {
        sort(order, &self.canonicalizer.interchangeable[at], |thread| {
            self.buffers.signatures[thread as usize]
        });
    }

    fn next_alike(&self, order: &[u8], within: Range<usize>) -> Option<Range<usize>> {
        let key = |thread: u8| self.buffers.signatures[thread as usize];
        next_alike(order, &self.canonicalizer.interchangeable, within, key)
    }

    /// Hashes where a thread rests and which places mention it.
    fn place_of(&self, thread: usize) -> u64 {
        let block = &self.state.words[self.canonicalizer.block(thread)..];
        let place = bits_of(block[AT]) | bits_of(block[POSITION]) << 32;
        if self.canonicalizer.names_threads { mix(self.mentions[thread], place) } else { place }
    }

    /// Refines the ties with the number of holders of each cell and value.
    fn refine(&mut self, order: &mut [u8], ties: &mut SmallVec<[TiedThreads; 8]>) {
        for thread in 0..self.canonicalizer.threads() {
            if self.buffers.seen >> thread & 1 == 0 {
                self.thread::<false>(thread);
            }
        }
        let buffers = &mut *self.buffers;
        buffers.linked |= buffers.joint;
        let (joint, linked) = (buffers.joint, buffers.linked);
        if linked == 0 {
            return;
        }
        let canonicalizer = self.canonicalizer;
        let is_linked = |order: &[u8], tie: TiedThreads| {
            canonicalizer.places(tie).iter().any(|place| linked >> order[*place as usize] & 1 == 1)
        };
        for tie in std::mem::take(ties) {
            if !is_linked(order, tie) {
                ties.push(tie);
                continue;
            }
            for place in canonicalizer.places(tie) {
                let thread = order[*place as usize] as usize;
                if joint >> thread & 1 == 1 {
                    self.buffers.signatures[thread] = self.thread::<true>(thread);
                }
            }
            let within = tie.start as usize..tie.end as usize;
            self.sort(order, within.clone());
            let mut start = within.start;
            while let Some(tied) = self.next_alike(order, start..within.end) {
                start = tied.end;
                let tied = TiedThreads::of(tied, false);
                ties.push(TiedThreads { linked: is_linked(order, tied), ..tied });
            }
        }
    }

    /// Computes the signature of a thread. `AGAIN`: with the number of holders of what the thread reaches.
    fn thread<const AGAIN: bool>(&mut self, thread: usize) -> u64 {
        let (canonicalizer, state) = (self.canonicalizer, self.state);
        self.buffers.walk += 1;
        self.buffers.seen |= 1 << thread;
        self.buffers.own.clear();
        self.buffers.next_own_value = 0;
        let block = &state.words[canonicalizer.block(thread)..];
        let hash = self.place_of(thread);
        let Arranger { names, mentions, .. } = *self;
        let buffers = &mut *self.buffers;
        let mut walk = ThreadWalk::<AGAIN> { canonicalizer, state, names, mentions, buffers, thread, hash };
        walk.region(&canonicalizer.rows[thread], &state.words);
        walk.region(&canonicalizer.plan(block[AT]).slots, block);
        if canonicalizer.code.has_calls && block[AT] != 0 {
            walk.hash = mix(walk.hash, bits_of(block[OP]));
            let stack = &state.stack[state.stack_of(&canonicalizer.code, ThreadId::new(thread))];
            for (slots, address) in saved_frames(&canonicalizer.code, stack) {
                walk.hash = mix(walk.hash, address as u64);
                let method = canonicalizer.code.instrs[address].method as usize;
                walk.region(&canonicalizer.saved[method], &stack[slots]);
            }
        }
        let mut next = 0;
        while let Some(&cell) = walk.buffers.own.get(next) {
            next += 1;
            let head = state.cells[cell as usize];
            walk.hash =
                mix(walk.hash, u64::from(head.kind) << 40 | u64::from(head.len) << 8 | head.status as u64);
            let slots = &canonicalizer.kinds[head.kind as usize];
            for element in 0..head.len as usize {
                walk.region(slots, &state.heap[head.start as usize + element * slots.len()..]);
            }
        }
        let hash = walk.hash;
        let owns = !self.buffers.own.is_empty() || self.buffers.next_own_value > 0;
        self.buffers.owners |= u32::from(owns) << thread;
        hash
    }
}

/// The walk of one thread over what it holds.
struct ThreadWalk<'a, const AGAIN: bool> {
    canonicalizer: &'a Canonicalizer,
    state: &'a State,
    names: &'a Names,
    mentions: &'a [u64; 16],
    buffers: &'a mut ArrangeBuffers,
    thread: usize,
    hash: u64,
}

/// Marks of things without a shared name. They are larger than every name.
const OWN: u64 = 1 << 40;
const SELF: u64 = 1 << 41;
const OTHER: u64 = 1 << 42;

impl Own {
    /// Records that a walk reaches this for the first time. Returns the holders if there are several, else 0.
    #[inline(always)]
    fn meet(&mut self, thread: usize, name: usize, walk: u64, walks_before: u64) -> u32 {
        let holders = if self.walk > walks_before { self.holders } else { 0 } | 1 << thread;
        *self = Own { walk, name: number_of(name), holders };
        if holders.is_power_of_two() { 0 } else { holders }
    }

    #[inline(always)]
    fn look<const AGAIN: bool>(self) -> u64 {
        let holders = if AGAIN { self.holders.count_ones() } else { 0 };
        OWN | u64::from(self.name) | u64::from(holders) << 32
    }
}

impl<const AGAIN: bool> ThreadWalk<'_, AGAIN> {
    #[inline(always)]
    fn region(&mut self, slots: &[Slot], words: &[Word]) {
        for slot in slots {
            let word = words[slot.at as usize];
            let look = self.look(slot.meaning, word);
            self.hash = mix(self.hash, look);
        }
    }

    /// Returns the appearance of a word, independent of names.
    #[inline(always)]
    fn look(&mut self, meaning: Meaning, word: Word) -> u64 {
        let plain = bits_of(word);
        match meaning {
            Meaning::Plain => plain,
            Meaning::Pointer => match CellId::of_pointer(word) {
                None => plain,
                Some(cell) => self.cell(cell.index()),
            },
            Meaning::Data => match usize::try_from(word) {
                Ok(value @ 1..16) if self.canonicalizer.symmetry.data.is_some() => self.value(value),
                _ => plain | SELF,
            },
            Meaning::Thread => self.mentioned(usize::try_from(word).ok(), plain),
            Meaning::Lock => self.mentioned(holder(word).map(|holder| holder.index()), plain),
            Meaning::Condvar => {
                let others = word & !(1 << self.thread);
                self.link(others.cast_unsigned());
                u64::from(others.count_ones()) << 1 | u64::from(others != word)
            }
            Meaning::Collection(class) => self.collection(class, word),
        }
    }

    #[inline(always)]
    fn cell(&mut self, cell: usize) -> u64 {
        let shared = self.names.of_cells[cell];
        if shared != 0 {
            return bits_of(shared);
        }
        let buffers = &mut *self.buffers;
        let own = &mut buffers.cells[cell];
        if own.walk != buffers.walk {
            buffers.own.push(number_of(cell));
            buffers.joint |= own.meet(self.thread, buffers.own.len(), buffers.walk, buffers.walks_before);
        }
        own.look::<AGAIN>()
    }

    #[inline(always)]
    fn value(&mut self, value: usize) -> u64 {
        let shared = self.names.of_values[value];
        if shared != 0 {
            return u64::from(shared);
        }
        let buffers = &mut *self.buffers;
        let own = &mut buffers.values[value];
        if own.walk != buffers.walk {
            buffers.next_own_value += 1;
            let name = buffers.next_own_value as usize;
            buffers.joint |= own.meet(self.thread, name, buffers.walk, buffers.walks_before);
        }
        own.look::<AGAIN>()
    }

    fn mentioned(&mut self, other: Option<usize>, plain: u64) -> u64 {
        match other {
            None => plain,
            Some(other) if other == self.thread => SELF,
            Some(other) => {
                self.link(1u32.checked_shl(number_of(other)).unwrap_or(0));
                OTHER ^ self.mentions.get(other).copied().unwrap_or(0)
            }
        }
    }

    /// Records other threads that this thread names.
    fn link(&mut self, others: u32) {
        if others != 0 {
            self.buffers.linked |= others | 1 << self.thread;
        }
    }

    /// Hashes the elements: in their order, or as a sum if the collection is unordered.
    #[inline(never)]
    fn collection(&mut self, class: u32, handle: Word) -> u64 {
        let (canonicalizer, state) = (self.canonicalizer, self.state);
        let slots = &canonicalizer.classes[class as usize];
        let is_sorted = canonicalizer.code.classes.get(class).is_sorted();
        let mut sum = 0u64;
        for element in state.contents.get(handle).chunks_exact(slots.len()) {
            let looks = slots.iter().zip(element).fold(0, |hash, (slot, word)| {
                let look = self.look(slot.meaning, *word);
                mix(hash, look)
            });
            sum = if is_sorted { sum.wrapping_add(looks) } else { mix(sum, looks) };
        }
        sum
    }
}

/// Returns the bits of a word, for a hash.
#[inline(always)]
fn bits_of(word: Word) -> u64 {
    u64::from(word.cast_unsigned())
}
