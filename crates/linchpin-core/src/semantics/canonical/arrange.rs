//! The order of the threads, found without knowing any name.
//!
//! What the shared variables lead to has names that no thread's number enters: cells and values count by the walk, a thread
//! by the places that mention it (a lock's holder, a field). Relative to these each thread gets a *signature*: a hash of
//! where it rests, of what its slots hold, and of the cells that only it leads to, named by a walk of its own. What two
//! threads hold and nobody else names *links* them; in that case the signatures are taken again, with the number of
//! holders of each such thing (a step of colour refinement).
//!
//! Signatures do not change under renaming, so neither does the order, up to ties. Two threads with equal signatures that are
//! linked to nobody look exactly alike: exchanging them, with their private cells and values, is an automorphism of
//! the state. (If two hashes collide it is not, and an orbit is kept twice.)

use super::super::bounds::{CellId, ThreadId};
use super::super::frames::saved_frames;
use super::super::layout::{AT, OP, POSITION};
use super::super::outcome::holder;
use super::super::state::State;
use super::coding::{Meaning, Slot};
use super::{Canoniser, Scratch, Tie, address};
use crate::index::Index;
use crate::types::Word;

/// Buffers of one arrangement.
#[derive(Default, Debug)]
pub(super) struct Survey {
    /// The name of each cell that the shared variables lead to, 0 for the others.
    cells: Vec<u32>,
    queue: Vec<u32>,
    values: [u8; 16],
    next_value: u8,
    position: u64,
    /// By thread.
    mentions: [u64; 16],
    signatures: [u64; 16],
    /// By cell: its name in the walk of the thread that is looked at, and which walk that was.
    own_cells: Vec<(u32, u32)>,
    own_values: [(u32, u32); 16],
    walk: u32,
    own_queue: Vec<u32>,
    next_own_value: u32,
    /// By cell and by value: a bit for each thread that leads to it.
    cell_holders: Vec<u32>,
    value_holders: [u32; 16],
    /// A bit for each thread that is linked to another.
    linked: u32,
}

impl Canoniser {
    /// Finds the order of the threads and the ties. `colours` says how the monitor sees each thread, without any names.
    pub fn arrange(&self, scratch: &mut Scratch, state: &State, colours: &[u64]) {
        let threads = self.threads();
        scratch.order.clear();
        scratch.order.extend(0..threads as u8);
        scratch.ties.clear();
        if self.classes_of_threads.is_empty() {
            return;
        }
        let mut surveyor = Surveyor { canoniser: self, state, survey: &mut scratch.survey };
        surveyor.shared();
        surveyor.threads();
        self.sort(scratch, colours);
    }

    /// Within each class of interchangeable threads, by signature; those that look alike by colour, so that the state's own
    /// order does not depend on the monitor.
    fn sort(&self, scratch: &mut Scratch, colours: &[u64]) {
        let Scratch { survey, order, ties, .. } = scratch;
        let key = |thread: u8| {
            (survey.signatures[thread as usize], colours.get(thread as usize).copied().unwrap_or(0))
        };
        for places in &self.classes_of_threads {
            // A handful of threads: insertion is the fastest way, and keeps the order of those that are alike.
            for next in 1..places.len() {
                let mut at = next;
                while at > 0 {
                    let (left, right) = (places[at - 1] as usize, places[at] as usize);
                    if key(order[left]) <= key(order[right]) {
                        break;
                    }
                    order.swap(left, right);
                    at -= 1;
                }
            }
            let mut start = 0;
            while start < places.len() {
                let first = key(order[places[start] as usize]);
                let alike =
                    places[start..].iter().take_while(|place| key(order[**place as usize]).0 == first.0);
                let linked = alike.clone().any(|place| survey.linked >> order[*place as usize] & 1 == 1);
                // Linked threads are tried in every order, whatever their colours: the state comes first.
                let tied = match linked {
                    true => alike.count(),
                    false => alike.take_while(|place| key(order[**place as usize]).1 == first.1).count(),
                };
                if tied > 1 {
                    ties.push(Tie { places: places[start..start + tied].into(), linked });
                }
                start += tied;
            }
        }
    }
}

impl Canoniser {
    /// A value that may be renamed.
    #[inline(always)]
    fn exchanged_value(&self, word: Word) -> Option<usize> {
        let fixed = self.exchange.data?;
        let value = usize::try_from(word).ok().filter(|value| (1..16).contains(value))?;
        (fixed >> value & 1 == 0).then_some(value)
    }
}

struct Surveyor<'a> {
    canoniser: &'a Canoniser,
    state: &'a State,
    survey: &'a mut Survey,
}

impl Surveyor<'_> {
    /// Names what the shared variables lead to.
    fn shared(&mut self) {
        let (canoniser, state) = (self.canoniser, self.state);
        let survey = &mut *self.survey;
        let cells = state.cells.len();
        survey.cells.clear();
        survey.cells.resize(cells, 0);
        survey.own_cells.clear();
        survey.own_cells.resize(cells, (0, 0));
        survey.cell_holders.clear();
        survey.cell_holders.resize(cells, 0);
        survey.queue.clear();
        survey.values = [0; 16];
        survey.own_values = [(0, 0); 16];
        survey.value_holders = [0; 16];
        survey.next_value = 1;
        survey.position = 0;
        survey.walk = 0;
        survey.linked = 0;
        survey.mentions = [0; 16];
        self.shared_region(&canoniser.globals, &state.words);
        let mut next = 0;
        while let Some(&cell) = self.survey.queue.get(next) {
            next += 1;
            let head = state.cells[cell as usize];
            let slots = &canoniser.kinds[head.kind as usize];
            for element in 0..head.len as usize {
                self.shared_region(slots, &state.heap[head.start as usize + element * slots.len()..]);
            }
        }
    }

    fn shared_region(&mut self, slots: &[Slot], words: &[Word]) {
        for slot in slots {
            let word = words[slot.at as usize];
            let survey = &mut *self.survey;
            survey.position += 1;
            match slot.meaning {
                Meaning::Plain => {}
                Meaning::Pointer => {
                    if let Some(cell) = CellId::of_pointer(word)
                        && survey.cells[cell.index()] == 0
                    {
                        survey.queue.push(cell.index() as u32);
                        survey.cells[cell.index()] = survey.queue.len() as u32;
                    }
                }
                Meaning::Data => {
                    if let Some(value) = self.canoniser.exchanged_value(word)
                        && self.survey.values[value] == 0
                    {
                        self.survey.values[value] = self.survey.next_value;
                        self.survey.next_value += 1;
                    }
                }
                Meaning::Thread => self.mention(usize::try_from(word).ok()),
                Meaning::Lock => self.mention(holder(word).map(|thread| thread.index())),
                Meaning::Condvar => {
                    for thread in 0..self.canoniser.threads() {
                        if word >> thread & 1 == 1 {
                            self.mention(Some(thread));
                        }
                    }
                }
                Meaning::Collection(class) => {
                    let canoniser = self.canoniser;
                    let state = self.state;
                    let slots = &canoniser.classes[class as usize];
                    for element in state.contents.get(word).chunks_exact(slots.len()) {
                        self.shared_region(slots, element);
                    }
                }
            }
        }
    }

    fn mention(&mut self, thread: Option<usize>) {
        let position = self.survey.position;
        if let Some(mention) = thread.and_then(|thread| self.survey.mentions.get_mut(thread)) {
            *mention = mix(*mention, position);
        }
    }

    fn threads(&mut self) {
        let threads = self.canoniser.threads();
        for thread in 0..threads {
            self.survey.signatures[thread] = self.thread(thread, false);
        }
        let survey = &mut *self.survey;
        let holders = survey.cell_holders.iter().chain(&survey.value_holders);
        let shared = holders.filter(|holders| holders.count_ones() > 1).fold(0, |all, holders| all | holders);
        survey.linked |= shared;
        if shared != 0 {
            for thread in (0..threads).filter(|thread| shared >> thread & 1 == 1) {
                self.survey.signatures[thread] = self.thread(thread, true);
            }
        }
    }

    /// The signature of a thread; the second time with the number of holders of what it leads to.
    fn thread(&mut self, thread: usize, again: bool) -> u64 {
        let (canoniser, state) = (self.canoniser, self.state);
        self.survey.walk += 1;
        self.survey.own_queue.clear();
        self.survey.next_own_value = 0;
        let block = &state.words[canoniser.block(thread)..];
        let hash = mix(self.survey.mentions[thread], block[AT] as u64 | (block[POSITION] as u64) << 32);
        let mut walk = Walk { canoniser, state, survey: &mut *self.survey, thread, again, hash };
        walk.region(&canoniser.vars, block);
        walk.region(&canoniser.rows[thread], &state.words);
        if let Some(at) = address(block[AT]) {
            walk.hash = mix(walk.hash, block[OP] as u64);
            walk.region(canoniser.frame(at), &block[canoniser.code.layout.frame..]);
            if canoniser.code.has_calls {
                let stack = &state.stack[state.stack_of(&canoniser.code, ThreadId::new(thread))];
                for (slots, address) in saved_frames(&canoniser.code, stack) {
                    walk.hash = mix(walk.hash, address as u64);
                    let method = canoniser.code.instrs[address].method as usize;
                    walk.region(&canoniser.saved[method], &stack[slots]);
                }
            }
        }
        let mut next = 0;
        while let Some(&cell) = walk.survey.own_queue.get(next) {
            next += 1;
            let head = state.cells[cell as usize];
            walk.hash =
                mix(walk.hash, u64::from(head.kind) << 40 | u64::from(head.len) << 8 | head.life as u64);
            let slots = &canoniser.kinds[head.kind as usize];
            for element in 0..head.len as usize {
                walk.region(slots, &state.heap[head.start as usize + element * slots.len()..]);
            }
        }
        walk.hash
    }
}

/// The walk of one thread over what it holds.
struct Walk<'a> {
    canoniser: &'a Canoniser,
    state: &'a State,
    survey: &'a mut Survey,
    thread: usize,
    again: bool,
    hash: u64,
}

/// Marks of what has no shared name, above every name.
const OWN: u64 = 1 << 40;
const SELF: u64 = 1 << 41;
const OTHER: u64 = 1 << 42;

impl Walk<'_> {
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
        let plain = word as u32 as u64;
        match meaning {
            Meaning::Plain => plain,
            Meaning::Pointer => match CellId::of_pointer(word) {
                None => plain,
                Some(cell) => self.cell(cell.index()),
            },
            Meaning::Data => match self.canoniser.exchanged_value(word) {
                None => plain | SELF,
                Some(value) => self.value(value),
            },
            Meaning::Thread => self.mentioned(usize::try_from(word).ok(), plain),
            Meaning::Lock => self.mentioned(holder(word).map(|holder| holder.index()), plain),
            Meaning::Condvar => {
                let others = word & !(1 << self.thread);
                self.link(others as u32);
                u64::from(others.count_ones()) << 1 | u64::from(others != word)
            }
            Meaning::Collection(class) => self.collection(class, word),
        }
    }

    #[inline(always)]
    fn cell(&mut self, cell: usize) -> u64 {
        let survey = &mut *self.survey;
        if survey.cells[cell] != 0 {
            return u64::from(survey.cells[cell]);
        }
        let own = &mut survey.own_cells[cell];
        if own.1 != survey.walk {
            survey.own_queue.push(cell as u32);
            *own = (survey.own_queue.len() as u32, survey.walk);
        }
        survey.cell_holders[cell] |= 1 << self.thread;
        let holders = if self.again { survey.cell_holders[cell].count_ones() } else { 0 };
        OWN | u64::from(own.0) | u64::from(holders) << 32
    }

    #[inline(always)]
    fn value(&mut self, value: usize) -> u64 {
        let survey = &mut *self.survey;
        if survey.values[value] != 0 {
            return u64::from(survey.values[value]);
        }
        let own = &mut survey.own_values[value];
        if own.1 != survey.walk {
            survey.next_own_value += 1;
            *own = (survey.next_own_value, survey.walk);
        }
        survey.value_holders[value] |= 1 << self.thread;
        let holders = if self.again { survey.value_holders[value].count_ones() } else { 0 };
        OWN | u64::from(own.0) | u64::from(holders) << 32
    }

    fn mentioned(&mut self, other: Option<usize>, plain: u64) -> u64 {
        match other {
            None => plain,
            Some(other) if other == self.thread => SELF,
            Some(other) => {
                self.link(1u32.checked_shl(other as u32).unwrap_or(0));
                OTHER ^ self.survey.mentions.get(other).copied().unwrap_or(0)
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
        let (canoniser, state) = (self.canoniser, self.state);
        let slots = &canoniser.classes[class as usize];
        let is_sorted = canoniser.code.classes.get(class).is_sorted();
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

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
