//! Visits every slot of a state that carries a value, with its kind.

use crate::code::Code;
use crate::code::layout::AT;
use crate::instance::bounds::ThreadId;
use crate::state::frames::saved_frames;
use crate::state::{CellStatus, State};
use linchpin_ir::index::Index;
use linchpin_ir::types::{SlotKind, Word, word_of};
use smallvec::SmallVec;

/// Visits shared variables, threads' variables, live locals, callers' frames, cells (freed ones too) and
/// elements of collections. The tables of hash functions are left out.
///
/// `visit` may write. What it writes must keep different collections different.
pub fn for_each_slot(code: &Code, state: &mut State, visit: &mut impl FnMut(SlotKind, &mut Word)) {
    let mut region = |kinds: &[SlotKind], words: &mut [Word]| {
        for (kind, word) in kinds.iter().zip(words) {
            visit(*kind, word);
        }
    };
    region(&code.global_slots, &mut state.words);
    for thread in (0..code.layout.threads).map(ThreadId::new) {
        let range = state.stack_of(code, thread);
        let block = &mut state.words[code.layout.block_of(thread)..];
        region(&code.var_slots, &mut block[code.layout.vars..]);
        if let Some(at) = usize::try_from(block[AT]).ok().and_then(|at| at.checked_sub(1)) {
            let instr = &code.instrs[at];
            let slots = &code.methods[instr.method as usize].slots;
            for span in &instr.live {
                region(&slots[span.range()], &mut block[code.layout.frame..][span.range()]);
            }
        }
        let stack = &mut state.stack[range];
        let frames: SmallVec<[_; 8]> = saved_frames(code, stack).collect();
        for (slots, address) in frames {
            region(&code.methods[code.instrs[address].method as usize].slots, &mut stack[slots]);
        }
    }
    for cell in state.cells.iter().filter(|cell| cell.status != CellStatus::Vacant) {
        let kinds = &code.kinds[cell.kind as usize].slots;
        for element in 0..cell.len as usize {
            region(kinds, &mut state.heap[cell.start as usize + element * kinds.len()..]);
        }
    }
    for handle in 1..=word_of(state.contents.len()) {
        let Some(class) = state.contents.class(handle) else { continue };
        let kinds = &code.classes.get(class).slots;
        for element in state.contents.get_mut(handle).chunks_exact_mut(kinds.len()) {
            region(kinds, element);
        }
    }
}
