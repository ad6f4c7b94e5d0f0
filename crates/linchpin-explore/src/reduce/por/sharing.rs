//! Who can reach which cell: the present state's answer to "is this private?".
//!
//! For each cell a set: the threads whose variables lead to it, and whether shared memory does. In pool memory a freed cell
//! keeps what it holds, and `new` may hand it to anybody: it is never private, although one thread alone may hold a pointer
//! to it, and what freed cells hold counts as shared.

use linchpin_ir::index::Index;
use linchpin_ir::program::MemoryKind;
use linchpin_ir::types::Word;
use linchpin_semantics::raw::{
    AT, CellStatus, Code, Root, RootKind, for_each_element, for_each_field, saved_frames,
};
use linchpin_semantics::{CellId, State, ThreadId};
use smallvec::SmallVec;

/// A bit for each thread, and one for shared memory.
#[derive(Default, Debug)]
pub struct HeapSharing {
    reached_by: Vec<u32>,
    work: Vec<CellId>,
    known: Known,
}

/// How much of it has been computed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Known {
    #[default]
    Nothing,
    /// What shared memory leads to: most questions are answered by that.
    Shared,
    Everything,
}

const BY_ALL: u32 = 1 << 31;

impl HeapSharing {
    /// The state has changed: what was known is not known any more.
    pub fn forget(&mut self) {
        self.known = Known::Nothing;
    }

    /// Only this thread can reach the cell. Computed as far as needed when it is first asked after [`HeapSharing::forget`].
    pub(super) fn is_private(&mut self, code: &Code, state: &State, cell: CellId, thread: ThreadId) -> bool {
        // A cell that was freed is anybody's: `new` may hand it out.
        if state.cells.get(cell.index()).is_none_or(|cell| cell.life != CellStatus::Allocated) {
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
                if cell.life == CellStatus::Freed {
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
                    // What shared memory leads to is everybody's already.
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
