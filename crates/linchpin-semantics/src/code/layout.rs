//! The layout of [`State::words`](crate::state::State):
//!
//! ```text
//! | shared variables | hash tables | thread 0 | thread 1 | …
//!                                 = | at | op | position | stack | link (4) | thread variables | frame |
//! ```
//!
//! - `at`: 0 for an idle thread, otherwise 1 + the address of the instruction that the thread rests at;
//! - `op`: 0, or 1 + the running operation;
//! - `position`: the client's position with this thread;
//! - `stack`: the number of words of [`State::stack`](crate::state::State) that belong to this thread;
//! - `link`: the location of the last `ll` unless it was written since; only if the program uses links;
//! - `frame`: the locals of the running method. Dead locals hold their defaults. The size is that of the
//!   largest method.

use crate::instance::bounds::ThreadId;
use linchpin_ir::index::Index;

#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub globals: usize,
    /// The first word after the hash tables, where the first block begins.
    pub blocks: usize,
    pub block: usize,
    pub threads: usize,
    /// The offset of the link in a block. `None`: the program uses no links.
    pub link: Option<usize>,
    pub vars: usize,
    pub frame: usize,
    pub frame_size: usize,
}

pub const AT: usize = 0;
pub const OP: usize = 1;
pub const POSITION: usize = 2;
pub const STACK: usize = 3;
const HEADER: usize = 4;

/// The words of a link: the kind of memory, the cell, the first slot, the width.
pub const LINK_WIDTH: usize = 4;
pub const LINK_NONE: i32 = 0;
pub const LINK_GLOBAL: i32 = 1;
pub const LINK_CELL: i32 = 2;

impl Layout {
    pub fn new(
        globals: usize,
        tables: usize,
        threads: usize,
        links: bool,
        vars: usize,
        frame_size: usize,
    ) -> Layout {
        let vars_at = HEADER + if links { LINK_WIDTH } else { 0 };
        let frame = vars_at + vars;
        Layout {
            globals,
            blocks: globals + tables,
            block: frame + frame_size,
            threads,
            link: links.then_some(HEADER),
            vars: vars_at,
            frame,
            frame_size,
        }
    }

    /// Returns the first word of a thread's block.
    #[inline]
    pub fn block_of(&self, thread: ThreadId) -> usize {
        self.blocks + thread.index() * self.block
    }

    /// Returns the number of words of a state.
    pub fn words(&self) -> usize {
        self.blocks + self.threads * self.block
    }
}
