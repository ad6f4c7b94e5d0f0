//! Every `lin` stands behind an access.
//!
//! A linearization point belongs to the access before it (language 7), so there must be one on every way from
//! the entry of the operation. Forward must-analysis on {passed, not passed an access}, across calls of
//! recursive functions: a method begins as the least of its callers leaves it, operations begin without an
//! access.

use super::draft::Draft;
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::program::{MethodId, Op, Pc, successors};
use linchpin_ir::source::Span;

/// Returns an error for each `lin` that control can reach before any access.
pub(super) fn check(
    methods: &IndexVec<MethodId, Draft>,
    ops: impl Iterator<Item = MethodId>,
    mut report: impl FnMut(Diagnostic),
) {
    let mut analysis = Analysis {
        methods,
        before: methods.iter().map(|draft| draft.code.iter().map(|_| None).collect()).collect(),
        exits: methods.iter().map(|_| None).collect(),
        changed: false,
    };
    for op in ops {
        analysis.arrive(op, methods[op].entry, false);
    }
    analysis.changed = true;
    while analysis.changed {
        analysis.changed = false;
        for (id, draft) in methods.entries() {
            for pc in draft.code.ids() {
                analysis.pass(id, pc);
            }
        }
    }
    for (id, draft) in methods.entries() {
        for (pc, instr) in draft.code.entries() {
            if matches!(instr.op, Op::Lin { .. }) && analysis.before[id][pc] == Some(false) {
                report(refusal(instr.span));
            }
        }
    }
}

fn refusal(span: Span) -> Diagnostic {
    Diagnostic::error(
        "a `lin` without a shared access before it",
        span,
        "a path without a shared access leads here",
    )
    .note("a linearization point belongs to the access before it")
    .help("move it after the access at which the operation takes effect, or remove it")
}

struct Analysis<'m> {
    methods: &'m IndexVec<MethodId, Draft>,
    /// Whether every way to the instruction passed an access; `None` if it was not reached.
    before: IndexVec<MethodId, IndexVec<Pc, Option<bool>>>,
    /// Whether every way through the method, begun without an access, passes one; `None` if none ends.
    exits: IndexVec<MethodId, Option<bool>>,
    changed: bool,
}

impl Analysis<'_> {
    fn pass(&mut self, id: MethodId, pc: Pc) {
        let Some(before) = self.before[id][pc] else { return };
        let instr = &self.methods[id].code[pc];
        let after = before || instr.is_step;
        match &instr.op {
            Op::Call { method, .. } => {
                self.arrive(*method, self.methods[*method].entry, after);
                if let Some(passes) = self.exits[*method] {
                    self.arrive(id, instr.next, after || passes);
                }
            }
            Op::Return(_) => {
                let met = self.exits[id].map_or(after, |known| known && after);
                self.changed |= self.exits[id] != Some(met);
                self.exits[id] = Some(met);
            }
            op => {
                for successor in successors(op, instr.next) {
                    self.arrive(id, successor, after);
                }
            }
        }
    }

    fn arrive(&mut self, id: MethodId, pc: Pc, passed: bool) {
        let known = &mut self.before[id][pc];
        let met = known.map_or(passed, |known| known && passed);
        self.changed |= *known != Some(met);
        *known = Some(met);
    }
}
