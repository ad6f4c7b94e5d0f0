//! The roots of a state, in the order that names cells.
//!
//! The roots are the shared variables, then for each thread: its variables, the live locals of its running
//! frame, and those of its callers, outermost first. A dead local is not a root. Its cell is collected,
//! although the slot holds the pointer until the thread rests and dead locals are reset.

use crate::code::Code;
use crate::code::collection_class::{Root, RootKind};
use crate::code::layout::AT;
use crate::instance::bounds::{CellId, ThreadId};
use crate::state::frames::saved_frames;
use crate::state::{CellStatus, State};
use linchpin_ir::index::Index;
use linchpin_ir::types::Word;
use smallvec::SmallVec;

/// A thread in the middle of a step, and the address whose live locals are its roots.
pub type Running = Option<(ThreadId, usize)>;

/// Visits every root outside the heap, in order.
pub fn for_each_root(code: &Code, state: &State, running: Running, visit: &mut impl FnMut(Word, RootKind)) {
    let mut region = |roots: &[Root], words: &[Word]| {
        for root in roots {
            visit(words[root.slot as usize], root.kind);
        }
    };
    region(&code.global_roots, &state.words);
    for thread in (0..code.layout.threads).map(ThreadId::new) {
        let block = &state.words[code.layout.block_of(thread)..];
        region(&code.var_roots, &block[code.layout.vars..]);
        let at = match running {
            Some((runner, at)) if runner == thread => Some(at),
            _ => usize::try_from(block[AT]).ok().and_then(|at| at.checked_sub(1)),
        };
        if let Some(at) = at {
            region(&code.instrs[at].live_roots, &block[code.layout.frame..]);
        }
        let range = state.stack_of(code, thread);
        if !range.is_empty() {
            let stack = &state.stack[range];
            let frames: SmallVec<[_; 8]> = saved_frames(code, stack).collect();
            for (slots, address) in frames.into_iter().rev() {
                region(&code.methods[code.instrs[address].method as usize].roots, &stack[slots]);
            }
        }
    }
}

/// Visits every slot of a cell that leads to cells or contents.
pub fn for_each_field(code: &Code, state: &State, cell: CellId, visit: &mut impl FnMut(Word, RootKind)) {
    let head = state.cells[cell.index()];
    let kind = &code.kinds[head.kind as usize];
    let stride = kind.slots.len();
    for element in 0..head.len as usize {
        for root in &kind.roots {
            visit(state.heap[head.start as usize + element * stride + root.slot as usize], root.kind);
        }
    }
}

/// Visits every slot of some contents that leads to cells or contents, in stored order.
pub fn for_each_element(
    code: &Code,
    state: &State,
    class: u32,
    handle: Word,
    visit: &mut impl FnMut(Word, RootKind),
) {
    let class = code.classes.get(class);
    for element in state.contents.get(handle).chunks_exact(class.stride()) {
        for root in &class.roots {
            visit(element[root.slot as usize], root.kind);
        }
    }
}

/// Returns which cells are reachable. Freed cells count: in pool and manual memory a pointer to one may be
/// used.
pub fn reachable(code: &Code, state: &State, running: Running) -> SmallVec<[bool; 64]> {
    let mut reached: SmallVec<[bool; 64]> = SmallVec::from_elem(false, state.cells.len());
    let mut work: SmallVec<[CellId; 64]> = SmallVec::new();
    for_each_root(code, state, running, &mut |word, kind| {
        reach(code, state, word, kind, &mut reached, &mut work)
    });
    while let Some(cell) = work.pop() {
        for_each_field(code, state, cell, &mut |word, kind| {
            reach(code, state, word, kind, &mut reached, &mut work)
        });
    }
    reached
}

/// Returns the cells that are allocated and unreachable: leaks, in pool and manual memory.
pub fn unreachable_cells<'a>(code: &Code, state: &'a State) -> impl Iterator<Item = CellId> + 'a {
    let reached = reachable(code, state, None);
    let lost = move |(at, head): (usize, &crate::state::CellHead)| {
        (head.status == CellStatus::Allocated && !reached[at]).then(|| CellId::new(at))
    };
    state.cells.iter().enumerate().filter_map(lost)
}

fn reach(
    code: &Code,
    state: &State,
    word: Word,
    kind: RootKind,
    reached: &mut SmallVec<[bool; 64]>,
    work: &mut SmallVec<[CellId; 64]>,
) {
    match kind {
        RootKind::Pointer => {
            if let Some(cell) = CellId::of_pointer(word)
                && !std::mem::replace(&mut reached[cell.index()], true)
            {
                work.push(cell);
            }
        }
        RootKind::Collection(class) if code.classes.get(class).has_pointers => {
            for_each_element(code, state, class, word, &mut |word, kind| {
                reach(code, state, word, kind, reached, work)
            });
        }
        RootKind::Collection(_) => {}
    }
}

/// Visits every root, and every such slot of a cell, of a state in which every thread rests. `visit` may
/// write.
pub fn for_each_root_mut(code: &Code, state: &mut State, visit: &mut impl FnMut(&mut Word, RootKind)) {
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
    for cell in state.cells.iter().filter(|cell| cell.status != CellStatus::Vacant) {
        let kind = &code.kinds[cell.kind as usize];
        if !kind.roots.is_empty() {
            let width = kind.slots.len() * cell.len as usize;
            for element in state.heap[cell.start as usize..][..width].chunks_exact_mut(kind.slots.len()) {
                region(&kind.roots, element);
            }
        }
    }
}
