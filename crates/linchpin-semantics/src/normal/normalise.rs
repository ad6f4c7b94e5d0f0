//! The normal form of a state: one of the states that differ only in the names of cells and handles.
//!
//! Cells are interchangeable, handles are private, garbage has no meaning, and ages mean what
//! [`crate::normal::ages`] keeps. Write `s ≅ t` if a bijection between the cells that matter turns `s` into
//! `t`. The reachable cells matter. In pool and manual memory the others matter too, because `new` may return
//! them.
//!
//! **Claim.** A search may keep normal forms only: `normalise(s) ≅ s`; `normalise` is idempotent; if `s ≅
//! t`, every outcome of a step of `s` is ≅ to an outcome of the same step of `t`. Guarded by
//! `tests/suite/steps_and_laws/laws.rs`.
//!
//! The form is *canonical* (`s ≅ t` implies equal forms) with two exceptions: sets, bags or maps of
//! pointers; unreachable cells that only pointers among themselves distinguish. Otherwise equivalent
//! states may be kept twice, which costs time and is never wrong.
//!
//! **Algorithm.** A breadth-first walk from the roots ([`crate::state::roots`]) names the cells. Elements of
//! unordered collections come last. In pool and manual memory the unreachable cells follow, the least first.
//! A freed cell that is unreachable and like a new one is dropped. Then contents are renamed, sorted, and
//! numbered by what they hold.

use crate::code::Code;
use crate::code::collection_class::RootKind;
use crate::code::layout::{LINK_CELL, LINK_NONE, LINK_WIDTH};
use crate::instance::bounds::{CellId, ThreadId};
use crate::normal::ages::close_gaps;
use crate::normal::compact::{pack_contents, rename};
use crate::state::roots::{for_each_element, for_each_field, for_each_root, for_each_root_mut};
use crate::state::{CellHead, CellStatus, ScratchBuffers, State};
use linchpin_ir::index::{Index, number_of};
use linchpin_ir::program::MemoryKind;
use linchpin_ir::types::{Scalar, Word, word_of};
use std::cmp::Ordering;

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

/// Fills `names` (new pointer of each old cell, 0 if dropped) and `order` (the old cells in their new order).
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
    /// The handles of unordered collections with pointers. Their elements are named last.
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

    /// Names the cells that are unreachable but not vacant.
    fn rest(&mut self) {
        while let Some(cell) = out_of_reach(self.code, self.state, self.names) {
            self.name(CellId::new(cell));
        }
    }
}

/// Returns the least cell without a name that is not vacant and not forgotten.
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
        self.names[at] == 0 && self.state.cells[at].status != CellStatus::Vacant && !self.is_forgotten(at)
    }

    /// Checks that an unreachable cell makes no difference: it is freed and like a new one, and no cell that
    /// is kept points to it.
    fn is_forgotten(&self, at: usize) -> bool {
        let head = self.state.cells[at];
        if head.status != CellStatus::Freed {
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
                // The elements are not inspected: keeping a cell too many is never wrong.
                RootKind::Collection(class) => {
                    found |= word != 0 && self.code.classes.get(class).has_pointers
                }
            });
            found
        })
    }

    /// Compares by kind, length, status and contents. Pointers to cells without a name are equal.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let head = |at: usize| self.state.cells[at];
        let (left, right) = (head(a), head(b));
        let key = |head: CellHead| (head.kind, head.len, head.status);
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

/// Checks that every cell has its new name already and the heap has no gaps. Most steps change no names.
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

/// Moves the cells into their new order.
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
                    state.words[at..at + LINK_WIDTH].fill(LINK_NONE);
                }
            }
        }
    }
}
