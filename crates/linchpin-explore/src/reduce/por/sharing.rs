//! Finds out which threads can reach a cell.
//!
//! Each cell has a set: the threads whose variables lead to it, and a bit for shared memory. In pool memory a
//! freed cell keeps its contents, and `new` may return it to any thread. So a freed cell is never private,
//! even if one thread alone has a pointer to it. What a freed cell points to counts as shared.

use linchpin_ir::index::Index;
use linchpin_ir::program::MemoryKind;
use linchpin_ir::types::Word;
use linchpin_semantics::raw::{
    AT, CellStatus, Code, Root, RootKind, for_each_element, for_each_field, saved_frames,
};
use linchpin_semantics::{CellId, State, ThreadId};
use smallvec::SmallVec;

/// The sets of all cells of one state: a bit for each thread, and one for shared memory. Computed on demand.
#[derive(Default, Debug)]
pub struct HeapSharing {
    reached_by: Vec<u32>,
    work: Vec<CellId>,
    known: Known,
}

/// Which part of the sets is computed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Known {
    #[default]
    Nothing,
    /// The cells that shared memory leads to. This answers most queries.
    Shared,
    Everything,
}

const BY_ALL: u32 = 1 << 31;

impl HeapSharing {
    /// Marks the sets as out of date, after a change of the state.
    pub fn forget(&mut self) {
        self.known = Known::Nothing;
    }

    /// Checks that only this thread can reach the cell. Computes the sets as far as needed.
    pub(super) fn is_private(&mut self, code: &Code, state: &State, cell: CellId, thread: ThreadId) -> bool {
        // `new` may return a freed cell to any thread.
        if state.cells.get(cell.index()).is_none_or(|cell| cell.status != CellStatus::Allocated) {
            return false;
        }
        if self.known == Known::Nothing {
            self.find_shared(code, state);
            self.known = Known::Shared;
        }
        if self.reached_by.get(cell.index()).is_none_or(|by| by & BY_ALL != 0) {
            return false;
        }
        if self.known == Known::Shared {
            self.find_held(code, state);
            self.known = Known::Everything;
        }
        self.reached_by.get(cell.index()).is_some_and(|by| by & !(1 << thread.index()) == 0)
    }

    fn find_shared(&mut self, code: &Code, state: &State) {
        self.reached_by.clear();
        self.reached_by.resize(state.cells.len(), 0);
        self.region(code, state, &code.global_roots, &state.words, BY_ALL);
        self.spread(code, state, BY_ALL);
        if code.memory == MemoryKind::Pool {
            for (at, cell) in state.cells.iter().enumerate() {
                if cell.status == CellStatus::Freed {
                    let cell = CellId::new(at);
                    for_each_field(code, state, cell, &mut |word, kind| {
                        self.reach(code, state, word, kind, BY_ALL)
                    });
                }
            }
            self.spread(code, state, BY_ALL);
        }
    }

    fn find_held(&mut self, code: &Code, state: &State) {
        for thread in (0..code.layout.threads).map(ThreadId::new) {
            let by = 1 << thread.index();
            let block = &state.words[code.layout.block_of(thread)..];
            self.region(code, state, &code.var_roots, &block[code.layout.vars..], by);
            if let Some(at) = usize::try_from(block[AT]).ok().and_then(|at| at.checked_sub(1)) {
                self.region(code, state, &code.instrs[at].live_roots, &block[code.layout.frame..], by);
            }
            let range = state.stack_of(code, thread);
            if !range.is_empty() {
                let stack = &state.stack[range];
                let frames: SmallVec<[_; 8]> = saved_frames(code, stack).collect();
                for (slots, address) in frames {
                    let method = code.instrs[address].method as usize;
                    self.region(code, state, &code.methods[method].roots, &stack[slots], by);
                }
            }
            self.spread(code, state, by);
        }
    }

    fn region(&mut self, code: &Code, state: &State, roots: &[Root], words: &[Word], by: u32) {
        for root in roots {
            self.reach(code, state, words[root.slot as usize], root.kind, by);
        }
    }

    fn reach(&mut self, code: &Code, state: &State, word: Word, kind: RootKind, by: u32) {
        match kind {
            RootKind::Pointer => {
                if let Some(cell) = CellId::of_pointer(word)
                    // A cell that shared memory reaches is reachable for all threads.
                    && self.reached_by[cell.index()] & (by | BY_ALL) == 0
                {
                    self.reached_by[cell.index()] |= by;
                    self.work.push(cell);
                }
            }
            RootKind::Collection(class) if code.classes.get(class).has_pointers => {
                for_each_element(code, state, class, word, &mut |word, kind| {
                    self.reach(code, state, word, kind, by)
                });
            }
            RootKind::Collection(_) => {}
        }
    }

    fn spread(&mut self, code: &Code, state: &State, by: u32) {
        while let Some(cell) = self.work.pop() {
            for_each_field(code, state, cell, &mut |word, kind| self.reach(code, state, word, kind, by));
        }
    }
}
