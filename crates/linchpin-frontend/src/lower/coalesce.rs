//! One local for all temporaries that hold the value of the same text and are never alive together.
//!
//! A function that is inlined many times brings its temporaries each time; a frame, and with it every state,
//! would grow with the text. Two locals *interfere* if one is written where the other is alive. Temporaries
//! of one name and type are merged greedily, in order, where they do not interfere. Names stay true: what is
//! merged is called the same.

use super::draft::Draft;
use super::liveness::{live_in, live_out};
use linchpin_ir::index::IndexVec;
use linchpin_ir::program::{LocalId, LocalSet, Op};
use linchpin_ir::types::TypeId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub(super) fn coalesce(draft: &mut Draft) {
    let mut interfering = interference(draft);
    let mut kept: FxHashMap<(Arc<str>, TypeId), Vec<LocalId>> = FxHashMap::default();
    let mut merged: IndexVec<LocalId, LocalId> = draft.locals.ids().collect();
    for (id, local) in draft.locals.entries().filter(|(_, local)| local.temporary) {
        let same = kept.entry((local.name.clone(), local.ty)).or_default();
        match same.iter().find(|&&other| !interfering[other].contains(id)) {
            None => same.push(id),
            Some(&other) => {
                merged[id] = other;
                let inherited = interfering[id].clone();
                for third in inherited.iter() {
                    interfering[third].insert(other);
                }
                interfering[other].union_with(&inherited);
            }
        }
    }
    for pc in draft.code.ids() {
        draft.code[pc].op.locals_mut(&mut |local| *local = merged[*local]);
    }
}

/// For each local: the locals that are live where it is written, and those written where it is live.
fn interference(draft: &Draft) -> IndexVec<LocalId, LocalSet> {
    let live = live_in(&draft.code);
    let mut interfering: IndexVec<LocalId, LocalSet> = draft.locals.iter().map(|_| LocalSet::new()).collect();
    for (pc, instr) in draft.code.entries() {
        let written: Vec<LocalId> = instr.op.defines().into_iter().chain(instr.op.updates()).collect();
        let mut alive = live_out(&draft.code, &live, pc);
        written.iter().for_each(|&local| {
            alive.insert(local);
        });
        // The candidate is written while the condition still reads others.
        if matches!(instr.op, Op::Choose { .. }) {
            alive.union_with(&live[pc]);
        }
        for local in written {
            for other in alive.iter().filter(|&other| other != local) {
                interfering[local].insert(other);
                interfering[other].insert(local);
            }
        }
    }
    interfering
}
