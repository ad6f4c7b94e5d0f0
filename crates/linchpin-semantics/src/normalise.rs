//! One representative for states that differ in names only.
//!
//! Cells are interchangeable, handles are private, garbage is nothing, ages mean no more than [`super::ages`] keeps. Write `s ≅ t` if a bijection between the cells that
//! matter (those that can be reached; in pool and manual memory also the others, since `new` may return them) makes `s`
//! into `t`.
//!
//! **Laws.** `normalise(s) ≅ s`; `normalise(normalise(s)) = normalise(s)`; and steps do not see names: if `s ≅ t`, every outcome of a step
//! of `s` is ≅ to one of the same step of `t`. So a search may keep normal forms only. Where there are no sets, bags or
//! maps of pointers and no cells out of reach that are told apart only by pointers among themselves, it is *canonical*
//! as well: `s ≅ t` implies `normalise(s) = normalise(t)`. Elsewhere equivalent states may be kept apart, which costs
//! time and is never wrong.
//!
//! **How.** Cells are named in the order in which a breadth-first walk from the roots ([`super::reach`]) meets them; what lies in
//! unordered collections comes after everything else. In pool and manual memory the cells out of reach follow, the
//! least first, by what they hold. A freed cell that is out of reach and like one that was never used is dropped. Then
//! contents are renamed, sorted, and numbered by what they hold, those without collections in them first.

use super::ages::close_gaps;
use super::bounds::{CellId, ThreadId};
use super::class::{Root, RootKind};
use super::code::Code;
use super::collection::sort_elements;
use super::contents::Contents;
use super::frames::saved_frames;
use super::layout::{AT, LINK_CELL};
use super::machine::Machine;
use super::reach::{for_each_element, for_each_field, for_each_root};
use super::state::{CellHead, CellStatus, ScratchBuffers, State};
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::MemoryKind;
use linchpin_ir::types::{Scalar, Word, word_of};
use smallvec::SmallVec;
use std::cmp::Ordering;

impl Machine {
    /// Replaces the state by its normal form.
    pub fn normalise(&self, state: &mut State) {
        normalise(&self.code, state);
    }
}

pub(crate) fn normalise(code: &Code, state: &mut State) {
    close_gaps(code, state);
    let mut spare = std::mem::take(&mut state.spare);
    if !state.cells.is_empty() {
        name_cells(code, state, &mut spare);
        if !is_in_order(code, state, &spare.order) {
            move_cells(code, state, &mut spare);
            rename_pointers(code, state, &spare.names);
        }
    }
    pack_contents(code, state, &mut spare);
    state.spare = spare;
}

/// Drops what vacant cells and forgotten collections occupy; every cell keeps its name.
pub(crate) fn compact(code: &Code, state: &mut State) {
    let mut spare = std::mem::take(&mut state.spare);
    spare.heap.clear();
    spare.names.clear();
    for (at, cell) in state.cells.iter_mut().enumerate() {
        if cell.life == CellStatus::Vacant {
            cell.len = 0;
        }
        let (start, width) = (cell.start as usize, code.cell_width(cell.kind, cell.len));
        cell.start = number_of(spare.heap.len());
        spare.heap.extend_from_slice(&state.heap[start..start + width]);
        spare.names.push(CellId::new(at).pointer());
    }
    std::mem::swap(&mut state.heap, &mut spare.heap);
    pack_contents(code, state, &mut spare);
    state.spare = spare;
}

/// Fills `names` (old cell to new pointer, 0 for what is dropped) and `order` (old cells in their new order).
fn name_cells(code: &Code, state: &State, spare: &mut ScratchBuffers) {
    spare.names.clear();
    spare.names.resize(state.cells.len(), 0);
    spare.order.clear();
    spare.deferred.clear();
    let mut naming = Naming {
        code,
        state,
        names: &mut spare.names,
        order: &mut spare.order,
        deferred: &mut spare.deferred,
    };
    for_each_root(code, state, None, &mut |word, kind| naming.visit(word, kind));
    naming.walk();
    if code.memory != MemoryKind::Gc {
        naming.rest();
    }
}

struct Naming<'a> {
    code: &'a Code,
    state: &'a State,
    names: &'a mut Vec<Word>,
    order: &'a mut Vec<u32>,
    /// Unordered collections with pointers, by handle: their elements come last.
    deferred: &'a mut Vec<Word>,
}

impl Naming<'_> {
    fn visit(&mut self, word: Word, kind: RootKind) {
        match kind {
            RootKind::Pointer => {
                if let Some(cell) = CellId::of_pointer(word)
                    && self.names[cell.index()] == 0
                {
                    self.name(cell);
                }
            }
            RootKind::Collection(class) if word != 0 && self.code.classes.get(class).has_pointers => {
                if self.code.classes.get(class).is_sorted() {
                    self.deferred.push(word);
                } else {
                    self.elements(class, word);
                }
            }
            RootKind::Collection(_) => {}
        }
    }

    fn name(&mut self, cell: CellId) {
        self.order.push(number_of(cell.index()));
        self.names[cell.index()] = word_of(self.order.len());
    }

    fn elements(&mut self, class: u32, handle: Word) {
        let (code, state) = (self.code, self.state);
        for_each_element(code, state, class, handle, &mut |word, kind| self.visit(word, kind));
    }

    fn walk(&mut self) {
        let (code, state) = (self.code, self.state);
        let (mut next_cell, mut next_deferred) = (0, 0);
        loop {
            if let Some(&cell) = self.order.get(next_cell) {
                next_cell += 1;
                for_each_field(code, state, CellId::new(cell as usize), &mut |word, kind| {
                    self.visit(word, kind)
                });
            } else if let Some(&handle) = self.deferred.get(next_deferred) {
                next_deferred += 1;
                if let Some(class) = state.contents.class(handle) {
                    self.elements(class, handle);
                }
            } else {
                return;
            }
        }
    }

    /// Names what is out of reach but not gone.
    fn rest(&mut self) {
        while let Some(cell) = out_of_reach(self.code, self.state, self.names) {
            self.name(CellId::new(cell));
        }
    }
}

/// The least of the cells that have no name and are not gone.
pub fn out_of_reach(code: &Code, state: &State, names: &[Word]) -> Option<usize> {
    let unreached = Unreached { code, state, names };
    (0..state.cells.len()).filter(|at| unreached.is_left(*at)).min_by(|a, b| unreached.compare(*a, *b))
}

/// The cells without a name.
struct Unreached<'a> {
    code: &'a Code,
    state: &'a State,
    names: &'a [Word],
}

impl Unreached<'_> {
    fn is_left(&self, at: usize) -> bool {
        self.names[at] == 0 && self.state.cells[at].life != CellStatus::Vacant && !self.is_forgotten(at)
    }

    /// Whether a cell out of reach makes no difference: it was freed, is like one that was never used, and no cell that
    /// is kept points to it.
    fn is_forgotten(&self, at: usize) -> bool {
        let head = self.state.cells[at];
        if head.life != CellStatus::Freed {
            return false;
        }
        if self.code.memory == MemoryKind::Manual {
            return !self.is_pointed_at(at);
        }
        let defaults = &self.code.kinds[head.kind as usize].defaults;
        let words = cell_words(self.code, self.state, at);
        let is_unused =
            defaults.is_empty() || words.chunks_exact(defaults.len()).all(|part| part == &defaults[..]);
        is_unused && !self.is_pointed_at(at)
    }

    fn is_pointed_at(&self, at: usize) -> bool {
        let pointer = CellId::new(at).pointer();
        (0..self.state.cells.len()).filter(|other| self.names[*other] == 0).any(|other| {
            let mut found = false;
            for_each_field(self.code, self.state, CellId::new(other), &mut |word, kind| match kind {
                RootKind::Pointer => found |= word == pointer,
                // Not looked into: a cell more is never wrong.
                RootKind::Collection(class) => {
                    found |= word != 0 && self.code.classes.get(class).has_pointers
                }
            });
            found
        })
    }

    /// By kind, length, whether it is freed, and what it holds; pointers to cells without a name are all alike.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let head = |at: usize| self.state.cells[at];
        let (left, right) = (head(a), head(b));
        let key = |head: CellHead| (head.kind, head.len, head.life);
        key(left).cmp(&key(right)).then_with(|| {
            let slots = &self.code.kinds[left.kind as usize].slots;
            let named = |(slot, word): (usize, &Word)| match slots[slot % slots.len()].scalar {
                Scalar::Pointer => match CellId::of_pointer(*word) {
                    Some(cell) if self.names[cell.index()] != 0 => self.names[cell.index()],
                    Some(_) => Word::MAX,
                    None => *word,
                },
                _ => *word,
            };
            let left = cell_words(self.code, self.state, a).iter().enumerate().map(named);
            let right = cell_words(self.code, self.state, b).iter().enumerate().map(named);
            left.cmp(right)
        })
    }
}

fn cell_words<'a>(code: &Code, state: &'a State, at: usize) -> &'a [Word] {
    let head = state.cells[at];
    &state.heap[head.start as usize..][..code.cell_width(head.kind, head.len)]
}

/// Whether every cell has its name already, and nothing else lies in the heap: most steps change no names.
fn is_in_order(code: &Code, state: &State, order: &[u32]) -> bool {
    let mut start = 0;
    let mut is_next = |(at, cell): (usize, &CellHead)| {
        let is_next = order[at] as usize == at && cell.start as usize == start;
        start += code.cell_width(cell.kind, cell.len);
        is_next
    };
    order.len() == state.cells.len()
        && state.cells.iter().enumerate().all(&mut is_next)
        && start == state.heap.len()
}

/// Brings the cells into their new order.
fn move_cells(code: &Code, state: &mut State, spare: &mut ScratchBuffers) {
    spare.cells.clear();
    spare.heap.clear();
    for &cell in &spare.order {
        let start = number_of(spare.heap.len());
        spare.cells.push(CellHead { start, ..state.cells[cell as usize] });
        spare.heap.extend_from_slice(cell_words(code, state, cell as usize));
    }
    std::mem::swap(&mut state.cells, &mut spare.cells);
    std::mem::swap(&mut state.heap, &mut spare.heap);
}

fn rename_pointers(code: &Code, state: &mut State, names: &[Word]) {
    for_each_root_mut(code, state, &mut |word, kind| {
        if kind == RootKind::Pointer {
            rename(names, word);
        }
    });
    if let Some(link) = code.layout.link {
        for thread in (0..code.layout.threads).map(ThreadId::new) {
            let at = code.layout.block_of(thread) + link;
            let [kind, cell, ..] = &mut state.words[at..] else { continue };
            if *kind == LINK_CELL {
                rename(names, cell);
                if *cell == 0 {
                    state.words[at..at + super::layout::LINK_WIDTH].fill(super::layout::LINK_NONE);
                }
            }
        }
    }
}

fn rename(names: &[Word], word: &mut Word) {
    if let Some(cell) = CellId::of_pointer(*word) {
        *word = names[cell.index()];
    }
}

/// Drops contents that nobody holds and numbers the others by what they hold, those that hold no collections first. Their
/// pointers still have the old names.
fn pack_contents(code: &Code, state: &mut State, spare: &mut ScratchBuffers) {
    if state.contents.is_empty() {
        return;
    }
    mark_contents(code, state, spare);
    let State { contents, .. } = state;
    let depth =
        |contents: &Contents, handle: Word| contents.class(handle).map(|class| code.classes.get(class).depth);
    spare.live.sort_unstable_by_key(|handle| (depth(contents, *handle), *handle));
    spare.contents.clear();
    let mut start = 0;
    while let Some(&first) = spare.live.get(start) {
        let level = depth(contents, first);
        let is_level = |handle: &&Word| depth(contents, **handle) == level;
        let end = start + spare.live[start..].iter().take_while(is_level).count();
        let level = &mut spare.live[start..end];
        for handle in level.iter() {
            rename_contents(code, contents, *handle, &spare.names, &spare.handles);
        }
        let key = |handle: Word| (contents.class(handle), contents.get(handle));
        level.sort_unstable_by(|a, b| key(*a).cmp(&key(*b)));
        for &mut handle in level {
            if let (Some(class), words) = key(handle) {
                spare.handles[place(handle)] = spare.contents.push(class, words);
            }
        }
        start = end;
    }
    let handles = &spare.handles;
    for_each_root_mut(code, state, &mut |word, kind| {
        if let RootKind::Collection(_) = kind
            && *word > 0
        {
            *word = handles[place(*word)];
        }
    });
    std::mem::swap(&mut state.contents, &mut spare.contents);
}

/// Fills `live` with the handles that somebody holds; `handles` says which these are.
fn mark_contents(code: &Code, state: &mut State, spare: &mut ScratchBuffers) {
    let ScratchBuffers { handles, live, .. } = spare;
    handles.clear();
    handles.resize(state.contents.len() + 1, 0);
    live.clear();
    let mut mark = |word: Word, kind: RootKind, live: &mut Vec<Word>| {
        if let RootKind::Collection(_) = kind
            && word > 0
            && handles[place(word)] == 0
        {
            handles[place(word)] = word;
            live.push(word);
        }
    };
    for_each_root_mut(code, state, &mut |word, kind| mark(*word, kind, live));
    let mut next = 0;
    while let Some(&handle) = live.get(next) {
        next += 1;
        let Some(class) = state.contents.class(handle) else { continue };
        for_each_element(code, state, class, handle, &mut |word, kind| mark(word, kind, live));
    }
}

/// The place of a handle that is not 0 among handles.
fn place(handle: Word) -> usize {
    handle.cast_unsigned() as usize
}

fn rename_contents(code: &Code, contents: &mut Contents, handle: Word, names: &[Word], handles: &[Word]) {
    let Some(class) = contents.class(handle) else { return };
    let class = code.classes.get(class);
    let words = contents.get_mut(handle);
    for element in words.chunks_exact_mut(class.stride()) {
        for root in &class.roots {
            let word = &mut element[root.slot as usize];
            match root.kind {
                RootKind::Pointer => rename(names, word),
                RootKind::Collection(_) if *word > 0 => *word = handles[place(*word)],
                RootKind::Collection(_) => {}
            }
        }
    }
    if class.is_sorted() {
        sort_elements(class.stride(), words);
    }
}

/// Every slot that leads further, of a state in which every thread rests.
fn for_each_root_mut(code: &Code, state: &mut State, visit: &mut impl FnMut(&mut Word, RootKind)) {
    let mut region = |roots: &[Root], words: &mut [Word]| {
        for root in roots {
            visit(&mut words[root.slot as usize], root.kind);
        }
    };
    region(&code.global_roots, &mut state.words);
    for thread in (0..code.layout.threads).map(ThreadId::new) {
        let range = state.stack_of(code, thread);
        let block = &mut state.words[code.layout.block_of(thread)..];
        region(&code.var_roots, &mut block[code.layout.vars..]);
        if let Some(at) = usize::try_from(block[AT]).ok().and_then(|at| at.checked_sub(1)) {
            region(&code.instrs[at].live_roots, &mut block[code.layout.frame..]);
        }
        if !range.is_empty() {
            let stack = &mut state.stack[range];
            let frames: SmallVec<[_; 8]> = saved_frames(code, stack).collect();
            for (slots, address) in frames {
                region(&code.methods[code.instrs[address].method as usize].roots, &mut stack[slots]);
            }
        }
    }
    for cell in state.cells.iter().filter(|cell| cell.life != CellStatus::Vacant) {
        let kind = &code.kinds[cell.kind as usize];
        if !kind.roots.is_empty() {
            let width = kind.slots.len() * cell.len as usize;
            for element in state.heap[cell.start as usize..][..width].chunks_exact_mut(kind.slots.len()) {
                region(&kind.roots, element);
            }
        }
    }
}
