//! The concrete state: a few flat vectors, so that a copy is a few `memcpy`s.
//!
//! | part | what it holds |
//! |---|---|
//! | `words` | shared variables, tables of arbitrary hash functions, a block for each thread ([`crate::code::layout`]) |
//! | `stack` | the frames of callers, thread after thread, outermost first ([`crate::state::frames`]) |
//! | `cells`, `heap` | the cells that `new` made, and their slots |
//! | `contents` | what collections hold ([`crate::state::contents`]) |
//!
//! Only this crate and the users of [`crate::raw`] know offsets. Others read states through [`crate::view`].

pub mod collection;
pub mod contents;
pub mod frames;
pub mod portable;
pub mod roots;
pub mod slots;

use crate::code::Code;
use crate::instance::bounds::ThreadId;
use crate::state::contents::Contents;
use linchpin_ir::index::Index;
use linchpin_ir::types::Word;

/// A concrete state. Its fields are for this crate and for the users of [`crate::raw`].
#[derive(Debug, Default)]
pub struct State {
    #[doc(hidden)]
    pub words: Vec<Word>,
    #[doc(hidden)]
    pub stack: Vec<Word>,
    #[doc(hidden)]
    pub cells: Vec<CellHead>,
    #[doc(hidden)]
    pub heap: Vec<Word>,
    #[doc(hidden)]
    pub contents: Contents,
    /// Buffers of normalisation; not a part of the state.
    pub(crate) spare: ScratchBuffers,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellHead {
    /// The index into [`crate::code::Code::kinds`].
    pub kind: u32,
    /// The number of elements of an array; 1 for a struct.
    pub len: u32,
    /// The first slot in the heap.
    pub start: u32,
    pub status: CellStatus,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CellStatus {
    Allocated,
    /// Freed, in pool and manual memory.
    Freed,
    /// Collected, in `gc` memory: the number is free until `new` reuses it.
    Vacant,
}

#[derive(Debug, Default)]
pub(crate) struct ScratchBuffers {
    pub names: Vec<Word>,
    pub order: Vec<u32>,
    pub cells: Vec<CellHead>,
    pub heap: Vec<Word>,
    pub handles: Vec<Word>,
    pub live: Vec<Word>,
    pub deferred: Vec<Word>,
    pub contents: Contents,
}

impl State {
    /// Returns the state in which nothing has happened: every variable holds the default of its type.
    pub(crate) fn blank(code: &Code) -> State {
        let mut state = State::default();
        let layout = &code.layout;
        state.words.resize(layout.words(), 0);
        state.words[..layout.globals].copy_from_slice(&code.global_defaults);
        for thread in (0..layout.threads).map(ThreadId::new) {
            let vars = layout.block_of(thread) + layout.vars;
            state.words[vars..vars + code.var_defaults.len()].copy_from_slice(&code.var_defaults);
        }
        state
    }

    /// Returns the number of allocated cells. In `gc` memory it includes unreachable cells that are not yet
    /// collected.
    pub fn allocated_cells(&self) -> usize {
        self.cells.iter().filter(|cell| cell.status == CellStatus::Allocated).count()
    }

    /// Returns the number of words of cells and collections.
    pub(crate) fn stored_words(&self) -> usize {
        self.heap.len() + self.contents.words()
    }

    /// Checks that both states have the same words. Within one run equal contents have equal handles.
    pub(crate) fn same_words(&self, other: &State) -> bool {
        self.words == other.words
            && self.stack == other.stack
            && self.cells == other.cells
            && self.heap == other.heap
    }
}

impl Clone for State {
    fn clone(&self) -> State {
        State {
            words: self.words.clone(),
            stack: self.stack.clone(),
            cells: self.cells.clone(),
            heap: self.heap.clone(),
            contents: self.contents.clone(),
            spare: ScratchBuffers::default(),
        }
    }

    fn clone_from(&mut self, source: &State) {
        self.words.clone_from(&source.words);
        self.stack.clone_from(&source.stack);
        self.cells.clone_from(&source.cells);
        self.heap.clone_from(&source.heap);
        self.contents.clone_from(&source.contents);
    }
}
