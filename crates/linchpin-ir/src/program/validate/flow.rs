//! Locals along the paths through a method.
//!
//! *Assigned before used*: forward must-analysis on sets of locals, met by ∩. *Live*: at each instruction the
//! set holds what the instruction uses, and what is live behind it and not replaced by it.

use super::Validator;
use crate::index::{Index, IndexVec};
use crate::program::{LocalId, LocalSet, Pc};

impl Validator<'_> {
    pub(super) fn flow(&mut self) {
        self.live_sets();
        self.assigned_before_used();
    }

    fn live_sets(&mut self) {
        let method = self.method;
        for (pc, instr) in method.code.entries() {
            let mut needed = Vec::new();
            instr.op.uses(&mut |local| needed.push(local));
            for successor in instr.successors() {
                needed.extend(
                    method.code[successor].live.iter().filter(|&local| instr.op.defines() != Some(local)),
                );
            }
            for local in needed {
                if !instr.live.contains(local) {
                    self.fault(
                        pc.index(),
                        format!("`{}` is used later but not live", method.locals[local].name),
                    );
                }
            }
        }
    }

    fn assigned_before_used(&mut self) {
        let method = self.method;
        let mut before: IndexVec<Pc, Option<LocalSet>> = method.code.iter().map(|_| None).collect();
        let mut entry = LocalSet::new();
        for &param in &method.params {
            entry.insert(param);
        }
        before[method.entry] = Some(entry);
        let mut open = vec![method.entry];
        while let Some(pc) = open.pop() {
            let Some(mut after) = before[pc].clone() else { continue };
            if let Some(defined) = method.code[pc].op.defines() {
                after.insert(defined);
            }
            for successor in method.code[pc].successors() {
                let met = match &before[successor] {
                    None => after.clone(),
                    Some(known) => intersection(known, &after),
                };
                if before[successor].as_ref() != Some(&met) {
                    before[successor] = Some(met);
                    open.push(successor);
                }
            }
        }
        for (pc, instr) in method.code.entries() {
            let Some(assigned) = &before[pc] else {
                self.fault(pc.index(), "cannot be reached");
                continue;
            };
            let mut missing: Vec<LocalId> = Vec::new();
            instr.op.uses(&mut |local| missing.extend((!assigned.contains(local)).then_some(local)));
            for local in missing {
                self.fault(pc.index(), format!("`{}` may not have been assigned", method.locals[local].name));
            }
        }
    }
}

fn intersection(a: &LocalSet, b: &LocalSet) -> LocalSet {
    let mut both = LocalSet::new();
    for local in a.iter().filter(|&local| b.contains(local)) {
        both.insert(local);
    }
    both
}
