//! Renaming what a state speaks of: for searches that know which threads and values are interchangeable.
//!
//! Nothing here says that a renaming is a symmetry; that is read off the program by whoever asks for it. After a renaming
//! the state is to be [normalised](Machine::normalise): sets may be out of order.

use super::bounds::ThreadId;
use super::code::Code;
use super::frames::saved_frames;
use super::hash::Source;
use super::layout::AT;
use super::machine::Machine;
use super::spec_machine::{SpecMachine, SpecState};
use super::state::{CellStatus, State};
use linchpin_ir::index::Index;
use linchpin_ir::types::{Scalar, SlotKind, Word, word_of};

impl Machine {
    /// Every slot that means something, with its kind: shared variables, threads' variables, live locals, callers' frames,
    /// cells (freed ones too), elements of collections. Not the tables of hash functions.
    ///
    /// What is written must keep different collections different.
    pub fn for_each_slot(&self, state: &mut State, visit: &mut impl FnMut(SlotKind, &mut Word)) {
        for_each_slot(&self.code, state, visit);
    }

    /// Replaces each value `v` of `data` by `names[v - 1]`, a permutation; the arguments of arbitrary hash functions too.
    pub fn rename_data(&self, state: &mut State, names: &[Word]) {
        let rename = |kind: SlotKind, word: &mut Word| rename_value(names, kind, word);
        for_each_slot(&self.code, state, &mut { rename });
        rename_tables(&self.code, state, &rename);
    }
}

impl SpecMachine {
    /// As [`Machine::rename_data`], for a state of the specification.
    pub fn rename_data(&self, state: &SpecState, names: &[Word]) -> SpecState {
        self.renamed(state, |code, state| {
            for_each_slot(code, state, &mut |kind, word| rename_value(names, kind, word));
        })
    }
}

/// The value of a slot under the new names of `data`.
pub fn rename_value(names: &[Word], kind: SlotKind, word: &mut Word) {
    if kind.scalar == Scalar::Data
        && let Some(name) = usize::try_from(*word).ok().and_then(|at| names.get(at.checked_sub(1)?))
    {
        *word = *name;
    }
}

pub(super) fn for_each_slot(code: &Code, state: &mut State, visit: &mut impl FnMut(SlotKind, &mut Word)) {
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
        let frames: smallvec::SmallVec<[_; 8]> = saved_frames(code, stack).collect();
        for (slots, address) in frames {
            region(&code.methods[code.instrs[address].method as usize].slots, &mut stack[slots]);
        }
    }
    for cell in state.cells.iter().filter(|cell| cell.life != CellStatus::Vacant) {
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

/// The function `h` becomes the one that gives `rename(h(x))` for `rename(x)`.
fn rename_tables(code: &Code, state: &mut State, rename: &impl Fn(SlotKind, &mut Word)) {
    for table in &code.tables.tables {
        let Source::InState { at, .. } = table.source else { continue };
        let old = state.words[at..at + table.words()].to_vec();
        for (entry, value) in table.domain.iter().enumerate() {
            let mut value = value.clone();
            table.domain_slots.iter().zip(&mut value).for_each(|(kind, word)| rename(*kind, word));
            let Ok(target) = table.domain.binary_search(&value) else { continue };
            let result = &mut state.words[at + target * table.width..][..table.width];
            result.copy_from_slice(&old[entry * table.width..][..table.width]);
            table.result_slots.iter().zip(result).for_each(|(kind, word)| rename(*kind, word));
        }
    }
}
