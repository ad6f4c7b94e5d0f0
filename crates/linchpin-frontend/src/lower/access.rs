//! Which instructions are the access of a step (language 3.1, 3.2, 3.6), and which steps can block.
//!
//! An instruction is an access if it touches memory and a thread may rest there. Reads of constants and uses
//! of owned cells are not accesses. `new` is an access where cells are used again. The code of an `await`
//! makes one step. Its read is the access, and the `await` itself is local work after it. Without a read the
//! `await` is the access. If only some paths make the read, an [`Op::Atomic`] joins them.
//!
//! **Blocking** is a property of a step: it can block if any instruction of it can be disabled. With `steps`
//! the instructions that rest, the least solution of
//!
//! ```text
//! blocks(pc)  = disabled(pc) ∨ ⋁ { blocks(s) : s successor of pc, s ∉ steps }
//! ```
//!
//! where a call goes on in the callee and behind the call, and a return behind every call of its method.
//! `new` in `gc` memory is not among them: a thread that waits for a cell there is outside the scope, not
//! blocked.

use super::Lowering;
use super::constants::Constants;
use super::draft::{AwaitId, Draft, Rest};
use super::{ownership, simplify};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::index::IndexVec;
use linchpin_ir::program::{
    Base, Candidates, Expr, ExprKind, LocalSet, MemoryKind, MethodId, Op, Pc, Place, successors,
};
use linchpin_ir::types::TypeTable;

/// Decides the accesses of a method.
pub(super) fn decide(lowering: &mut Lowering<'_>, constants: &Constants, draft: &mut Draft) {
    let memory = lowering.program.memory;
    let owned = match memory {
        MemoryKind::Gc => ownership::owned(draft),
        MemoryKind::Pool | MemoryKind::Manual => draft.code.iter().map(|_| LocalSet::new()).collect(),
    };
    let context = Context { types: &lowering.types, constants, memory };
    let accesses: IndexVec<Pc, bool> =
        draft.code.entries().map(|(pc, instr)| context.is_access(&instr.op, &owned[pc])).collect();
    for pc in draft.code.ids() {
        let instr = &mut draft.code[pc];
        instr.is_step = instr.rest == Rest::Allowed && accesses[pc];
    }
    for id in draft.awaits.ids() {
        decide_await(lowering, &accesses, draft, id);
    }
    simplify::simplify(&lowering.types, draft);
}

/// Which instructions begin a stretch of a step that can be disabled.
pub(super) fn blocking(
    memory: MemoryKind,
    methods: &IndexVec<MethodId, Draft>,
) -> IndexVec<MethodId, IndexVec<Pc, bool>> {
    let mut blocks: IndexVec<MethodId, IndexVec<Pc, bool>> = methods
        .iter()
        .map(|draft| draft.code.iter().map(|instr| can_be_disabled(memory, &instr.op)).collect())
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (id, draft) in methods.entries() {
            for pc in draft.code.ids().rev() {
                if !blocks[id][pc] && continues_into_blocking(methods, &blocks, id, pc) {
                    blocks[id][pc] = true;
                    changed = true;
                }
            }
        }
    }
    blocks
}

struct Context<'c> {
    types: &'c TypeTable,
    constants: &'c Constants,
    memory: MemoryKind,
}

impl Context<'_> {
    fn is_access(&self, op: &Op, owned: &LocalSet) -> bool {
        match op {
            Op::Atomic { .. } | Op::Free(_) | Op::WaitBegin { .. } | Op::WaitEnd { .. } => true,
            Op::New { .. } | Op::NewArray { .. } => self.memory != MemoryKind::Gc,
            _ => op.places().iter().any(|place| {
                !(is_owned(place, owned) || op.only_reads() && self.constants.place(self.types, place))
            }),
        }
    }
}

fn is_owned(place: &Place, owned: &LocalSet) -> bool {
    match &place.base {
        Base::Cell { pointer: Expr { kind: ExprKind::Local(local), .. }, .. } => owned.contains(*local),
        _ => false,
    }
}

fn decide_await(lowering: &mut Lowering<'_>, accesses: &IndexVec<Pc, bool>, draft: &mut Draft, id: AwaitId) {
    let group: Vec<Pc> =
        draft.code.entries().filter(|(_, i)| i.rest == Rest::Await(id)).map(|(pc, _)| pc).collect();
    let touches = |pc: Pc| accesses[pc] && !matches!(draft.code[pc].op, Op::Atomic { .. });
    let touching: Vec<Pc> = group.iter().copied().filter(|&pc| touches(pc)).collect();
    if let Some(&writer) = touching.iter().find(|&&pc| !draft.code[pc].op.only_reads()) {
        lowering.report(
            Diagnostic::error("`await` cannot change memory", draft.code[writer].span, "this changes memory")
                .help("put both into an `atomic` block"),
        );
        return;
    }
    if let [first, second, ..] = touching.as_slice() {
        lowering.report(
            Diagnostic::error(
                "`await` reads shared memory more than once",
                draft.code[*second].span,
                "the second read",
            )
            .label(draft.code[*first].span, "the first read")
            .note("outside `atomic` each shared read is a step of its own, and an `await` is one step")
            .help("put the `await` into an `atomic` block"),
        );
        return;
    }
    let is_await = |pc: &&Pc| matches!(draft.code[**pc].op, Op::Await(_));
    let straight = !group.iter().any(|&pc| matches!(draft.code[pc].op, Op::Branch { .. } | Op::Call { .. }))
        && group.iter().filter(is_await).count() == 1;
    for &pc in &group {
        let instr = &mut draft.code[pc];
        let is_marker = matches!(instr.op, Op::Atomic { .. });
        let is_await = matches!(instr.op, Op::Await(_));
        instr.is_step =
            if straight { touching.contains(&pc) || touching.is_empty() && is_await } else { is_marker };
        if is_marker && straight {
            *instr = instr.skipped(lowering.bool_type);
        }
    }
}

/// Whether the instruction itself may be disabled.
fn can_be_disabled(memory: MemoryKind, op: &Op) -> bool {
    match op {
        Op::Lock(_) | Op::WaitEnd { .. } | Op::Await(_) => true,
        Op::New { .. } | Op::NewArray { .. } => memory != MemoryKind::Gc,
        Op::Choose { cond: Some(_), .. } => true,
        Op::Choose { from: Candidates::Elements(_), .. } => true,
        Op::Choose { from: Candidates::Range(low, high), .. } => match (&low.kind, &high.kind) {
            (ExprKind::Constant(low), ExprKind::Constant(high)) => low > high,
            _ => true,
        },
        _ => false,
    }
}

fn continues_into_blocking(
    methods: &IndexVec<MethodId, Draft>,
    blocks: &IndexVec<MethodId, IndexVec<Pc, bool>>,
    id: MethodId,
    pc: Pc,
) -> bool {
    let goes_on = |method: MethodId, to: Pc| !methods[method].code[to].is_step && blocks[method][to];
    let instr = &methods[id].code[pc];
    match &instr.op {
        Op::Call { method, .. } => goes_on(*method, methods[*method].entry) || goes_on(id, instr.next),
        Op::Return(_) => methods.entries().any(|(caller, draft)| {
            draft.code.iter().any(|call| {
                matches!(&call.op, Op::Call { method, .. } if *method == id) && goes_on(caller, call.next)
            })
        }),
        op => successors(op, instr.next).into_iter().any(|to| goes_on(id, to)),
    }
}
