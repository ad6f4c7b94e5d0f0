//! The order of the threads, found without knowing any name.
//!
//! What the shared variables lead to has names that no thread's number enters: cells and values count by the walk that writes
//! them ([`super::write`]), a thread by the places that mention it (a lock's holder, a field). Relative to these each thread
//! has a *signature*, a hash of what it looks like to somebody who knows no names. It is taken only as far as it is needed:
//!
//! 1. where the thread rests, and who mentions it. That tells most threads apart;
//! 2. for those that are still alike, what their slots hold, and the cells that only they lead to, named by a walk of their own;
//! 3. for those that are alike even so, with the number of threads that hold each thing they lead to (a step of colour
//!    refinement), if any of it is held by two. What two threads hold and nobody else names *links* them.
//!
//! Signatures do not change under renaming, and neither does whether they are needed, so the order does not either, up to ties. Two threads
//! with equal signatures that are linked to nobody look exactly alike: exchanging them, with their private cells and
//! values, is an automorphism of the state. (If two hashes collide it is not, and an orbit is kept twice.)

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
pub(super) struct Survey {
    /// By thread.
    signatures: [u64; 16],
    /// Counts the walks of threads over what they hold, in all arrangements.
    walk: u64,
    /// The last walk before this arrangement.
    walks_before: u64,
    cells: Vec<Own>,
    values: [Own; 16],
    /// The cells of the walk, in the order of their names.
    own: Vec<u32>,
    next_own_value: u32,
    /// A bit for each thread that was looked at; that leads to something which is not shared; that leads to such a thing together with
    /// another one; that is linked to another.
    seen: u32,
    owners: u32,
    joint: u32,
    linked: u32,
}

/// What is known of a cell or value that is not shared.
#[derive(Clone, Copy, Default, Debug)]
struct Own {
    /// The last walk that met it, and its name there.
    walk: u64,
    name: u32,
    /// A bit for each thread of the arrangement that leads to it.
    holders: u32,
}

impl Canonicalizer {
    /// Writes what is shared, and finds the order of the threads and the ties; the order of tied threads is
    /// [still open](Canonicalizer::colour).
    pub fn arrange(&self, scratch: &mut Scratch, state: &State) {
        scratch.order.clear();
        scratch.order.extend_from_slice(&self.in_place);
        scratch.ties.clear();
        self.begin(scratch, state, &self.in_place);
        if self.classes_of_threads.is_empty() {
            return;
        }
        let Scratch { names, mentions, order, ties, survey, .. } = scratch;
        survey.begin(state.cells.len());
        let mut surveyor = Surveyor { canonicalizer: self, state, names, mentions, survey };
        let mut is_open = false;
        for class in &self.classes_of_threads {
            for &thread in &self.interchangeable[class.clone()] {
                surveyor.survey.signatures[thread as usize] = surveyor.place_of(thread as usize);
            }
            surveyor.sort(order, class.clone());
            let mut start = class.start;
            while let Some(alike) = surveyor.next_alike(order, start..class.end) {
                start = alike.end;
                let first = order[self.interchangeable[alike.start] as usize];
                // Idle threads without anything of their own are exchanged without anybody noticing.
                if self.is_bare_when_idle && state.words[self.block(first as usize) + AT] == 0 {
                    ties.push(TiedThreads::of(alike, false));
                    continue;
                }
                for &place in &self.interchangeable[alike.clone()] {
                    let thread = order[place as usize] as usize;
                    surveyor.survey.signatures[thread] = surveyor.thread::<false>(thread);
                }
                surveyor.sort(order, alike.clone());
                let mut start = alike.start;
                while let Some(tied) = surveyor.next_alike(order, start..alike.end) {
                    start = tied.end;
                    let tie = TiedThreads::of(tied, false);
                    // Who holds nothing of its own is linked to nobody.
                    let owns = |place: &u8| surveyor.survey.owners >> order[*place as usize] & 1 == 1;
                    is_open |= self.names_threads || self.places(tie).iter().any(owns);
                    ties.push(tie);
                }
            }
        }
        if is_open {
            surveyor.refine(order, ties);
        }
    }

    /// Brings tied threads into the order of their colours, by which somebody else tells them apart; those that are not linked and have
    /// different ones are no longer tied. The state's own order does not depend on it.
    pub fn colour(&self, scratch: &mut Scratch, colours: &[u64]) {
        let Scratch { order, ties, .. } = scratch;
        let colour = |thread: u8| colours.get(thread as usize).copied().unwrap_or(0);
        for tie in std::mem::take(ties) {
            sort(order, self.places(tie), colour);
            // Linked threads are tried in every order, whatever their colours: the state comes first.
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

/// Sorts the threads at some places. A handful: insertion is the fastest way, and keeps the order of those that are alike.
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

/// The next two or more of the places whose threads have the same key, by which they are sorted.
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

struct Surveyor<'a> {
    canonicalizer: &'a Canonicalizer,
    state: &'a State,
    /// Of what is shared.
    names: &'a Names,
    mentions: &'a [u64; 16],
    survey: &'a mut Survey,
}

impl Survey {
    fn begin(&mut self, cells: usize) {
        if self.cells.len() < cells {
            self.cells.resize(cells, Own::default());
        }
        self.walks_before = self.walk;
        (self.seen, self.owners, self.joint, self.linked) = (0, 0, 0, 0);
    }
}

impl Surveyor<'_> {
    fn sort(&self, order: &mut [u8], at: Range<usize>) {
        sort(order, &self.canonicalizer.interchangeable[at], |thread| {
            self.survey.signatures[thread as usize]
        });
    }

    fn next_alike(&self, order: &[u8], within: Range<usize>) -> Option<Range<usize>> {
        let key = |thread: u8| self.survey.signatures[thread as usize];
        next_alike(order, &self.canonicalizer.interchangeable, within, key)
    }

    /// Where a thread rests, and who mentions it.
    fn place_of(&self, thread: usize) -> u64 {
        let block = &self.state.words[self.canonicalizer.block(thread)..];
        let place = bits_of(block[AT]) | bits_of(block[POSITION]) << 32;
        if self.canonicalizer.names_threads { mix(self.mentions[thread], place) } else { place }
    }

    /// Looks at threads that are alike once more, knowing who holds what.
    fn refine(&mut self, order: &mut [u8], ties: &mut SmallVec<[TiedThreads; 8]>) {
        for thread in 0..self.canonicalizer.threads() {
            if self.survey.seen >> thread & 1 == 0 {
                self.thread::<false>(thread);
            }
        }
        let survey = &mut *self.survey;
        survey.linked |= survey.joint;
        let (joint, linked) = (survey.joint, survey.linked);
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
                    self.survey.signatures[thread] = self.thread::<true>(thread);
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

    /// The signature of a thread; the second time (`AGAIN`) with the number of holders of what it leads to.
    fn thread<const AGAIN: bool>(&mut self, thread: usize) -> u64 {
        let (canonicalizer, state) = (self.canonicalizer, self.state);
        self.survey.walk += 1;
        self.survey.seen |= 1 << thread;
        self.survey.own.clear();
        self.survey.next_own_value = 0;
        let block = &state.words[canonicalizer.block(thread)..];
        let hash = self.place_of(thread);
        let Surveyor { names, mentions, .. } = *self;
        let survey = &mut *self.survey;
        let mut walk = Walk::<AGAIN> { canonicalizer, state, names, mentions, survey, thread, hash };
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
        while let Some(&cell) = walk.survey.own.get(next) {
            next += 1;
            let head = state.cells[cell as usize];
            walk.hash =
                mix(walk.hash, u64::from(head.kind) << 40 | u64::from(head.len) << 8 | head.life as u64);
            let slots = &canonicalizer.kinds[head.kind as usize];
            for element in 0..head.len as usize {
                walk.region(slots, &state.heap[head.start as usize + element * slots.len()..]);
            }
        }
        let hash = walk.hash;
        let owns = !self.survey.own.is_empty() || self.survey.next_own_value > 0;
        self.survey.owners |= u32::from(owns) << thread;
        hash
    }
}

/// The walk of one thread over what it holds.
struct Walk<'a, const AGAIN: bool> {
    canonicalizer: &'a Canonicalizer,
    state: &'a State,
    names: &'a Names,
    mentions: &'a [u64; 16],
    survey: &'a mut Survey,
    thread: usize,
    hash: u64,
}

/// Marks of what has no shared name, above every name.
const OWN: u64 = 1 << 40;
const SELF: u64 = 1 << 41;
const OTHER: u64 = 1 << 42;

impl Own {
    /// The first time in a walk. The holders, if there are several.
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

impl<const AGAIN: bool> Walk<'_, AGAIN> {
    #[inline(always)]
    fn region(&mut self, slots: &[Slot], words: &[Word]) {
        for slot in slots {
            let word = words[slot.at as usize];
            let look = self.look(slot.meaning, word);
            self.hash = mix(self.hash, look);
        }
    }

    /// What a word looks like without names.
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
                Ok(value @ 1..16) if self.canonicalizer.exchange.data.is_some() => self.value(value),
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
        let survey = &mut *self.survey;
        let own = &mut survey.cells[cell];
        if own.walk != survey.walk {
            survey.own.push(number_of(cell));
            survey.joint |= own.meet(self.thread, survey.own.len(), survey.walk, survey.walks_before);
        }
        own.look::<AGAIN>()
    }

    #[inline(always)]
    fn value(&mut self, value: usize) -> u64 {
        let shared = self.names.of_values[value];
        if shared != 0 {
            return u64::from(shared);
        }
        let survey = &mut *self.survey;
        let own = &mut survey.values[value];
        if own.walk != survey.walk {
            survey.next_own_value += 1;
            let name = survey.next_own_value as usize;
            survey.joint |= own.meet(self.thread, name, survey.walk, survey.walks_before);
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

    /// Other threads that this one names.
    fn link(&mut self, others: u32) {
        if others != 0 {
            self.survey.linked |= others | 1 << self.thread;
        }
    }

    /// Elements in order, or without any where the collection has none.
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

/// A word's bits, for a hash.
#[inline(always)]
fn bits_of(word: Word) -> u64 {
    u64::from(word.cast_unsigned())
}
