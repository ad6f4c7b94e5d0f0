//! Which locals still matter.
//!
//! Backward may-analysis on sets of locals, ordered by ⊆, joined by ∪:
//!
//! ```text
//! live(pc) = uses(pc) ∪ ( ⋃ { live(s) : s successor of pc } \ defines(pc) )
//! ```
//!
//! An instruction that changes a part of a local neither uses nor defines it: the rest of it matters if it
//! mattered afterwards. `choose` defines its local before its condition reads it.

use super::draft::DraftInstr;
use linchpin_ir::index::IndexVec;
use linchpin_ir::program::{LocalSet, Pc, successors};

/// The locals that are live in front of each instruction.
pub(super) fn live_in(code: &IndexVec<Pc, DraftInstr>) -> IndexVec<Pc, LocalSet> {
    let mut live: IndexVec<Pc, LocalSet> = code.iter().map(|_| LocalSet::new()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for pc in code.ids().rev() {
            let mut set = live_out(code, &live, pc);
            if let Some(defined) = code[pc].op.defines() {
                set.remove(defined);
            }
            code[pc].op.uses(&mut |local| {
                set.insert(local);
            });
            changed |= live[pc].union_with(&set);
        }
    }
    live
}

/// The locals that are live behind an instruction.
pub(super) fn live_out(code: &IndexVec<Pc, DraftInstr>, live: &IndexVec<Pc, LocalSet>, pc: Pc) -> LocalSet {
    let mut out = LocalSet::new();
    for successor in successors(&code[pc].op, code[pc].next) {
        if let Some(set) = live.get(successor) {
            out.union_with(set);
        }
    }
    out
}
