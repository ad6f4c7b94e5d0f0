//! Control flow for the compiler: accesses that a call runs through, live links, called methods, arbitrary
//! hash functions.

use crate::code::{Candidates, Code, Op, Term};
use linchpin_ir::index::Index;
use linchpin_ir::program as ir;
use linchpin_ir::program::{ExprKind, HashId, MethodId, Program};
use rustc_hash::FxHashSet;

/// Clears `fuses` where the first step of a call can be disabled. Then the call is made and waits in front of
/// the access. Lowering marks the accesses that block. This adds the accesses whose local work may find an
/// `await` false or a `choose` without candidates.
pub(super) fn mark_fusing(code: &mut Code) {
    for at in 0..code.instrs.len() {
        if code.instrs[at].fuses && may_be_disabled(code, at) {
            code.instrs[at].fuses = false;
        }
    }
}

fn may_be_disabled(code: &Code, start: usize) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![start];
    while let Some(at) = work.pop() {
        let Some(instr) = code.instrs.get(at) else { continue };
        if !seen.insert(at) || (at != start && instr.rests) {
            continue;
        }
        match &instr.op {
            Op::Await(_) => return true,
            Op::Choose { cond: Some(_), .. } | Op::Choose { from: Candidates::Elements { .. }, .. } => {
                return true;
            }
            Op::Choose { from: Candidates::Range(low, high), .. } => match (low, high) {
                (Term::Constant(low), Term::Constant(high)) if low <= high => {}
                _ => return true,
            },
            _ => {}
        }
        work.extend(successors(code, at));
    }
    false
}

/// Marks where an `sc` may come before the next `ll` of its thread, across calls too. Elsewhere a link has no
/// meaning and is removed, so that states differ only where behaviour can.
pub(super) fn mark_links(code: &mut Code, program: &Program) {
    if code.layout.link.is_none() {
        return;
    }
    let entries: Vec<usize> = program.ops.iter().map(|op| code.methods[op.method.index()].entry).collect();
    let mut changed = true;
    while changed {
        changed = false;
        // A return may lead to the next call or into any caller. This assumes all of them.
        let after_return = entries.iter().any(|&entry| live(code, entry)) || returns_into_live(code);
        for at in (0..code.instrs.len()).rev() {
            let now = match code.instrs[at].op {
                Op::StoreConditional { .. } => true,
                Op::LoadLinked { .. } => false,
                Op::Return { .. } => after_return,
                _ => successors(code, at).iter().any(|&next| live(code, next)),
            };
            changed |= now && !code.instrs[at].link_live;
            code.instrs[at].link_live |= now;
        }
    }
}

fn returns_into_live(code: &Code) -> bool {
    code.instrs.iter().any(|instr| matches!(instr.op, Op::Call { .. }) && live(code, instr.next))
}

fn live(code: &Code, at: usize) -> bool {
    code.instrs.get(at).is_some_and(|instr| instr.link_live)
}

/// Returns where control may go. A call leads into the callee, and also behind the call.
fn successors(code: &Code, at: usize) -> smallvec::SmallVec<[usize; 2]> {
    let instr = &code.instrs[at];
    match &instr.op {
        Op::Branch { then, otherwise, .. } => smallvec::smallvec![*then, *otherwise],
        Op::Return { .. } => smallvec::SmallVec::new(),
        Op::Call { method, .. } => smallvec::smallvec![code.methods[*method as usize].entry, instr.next],
        _ => smallvec::smallvec![instr.next],
    }
}

/// Returns the methods of the program that some methods can reach, by calls and by hash functions.
pub(super) fn called<'a>(
    program: &'a Program,
    roots: impl Iterator<Item = &'a ir::Method>,
) -> FxHashSet<MethodId> {
    let mut found = FxHashSet::default();
    let mut work: Vec<&ir::Method> = roots.collect();
    while let Some(method) = work.pop() {
        let calls = method.code.iter().filter_map(|instr| match instr.op {
            ir::Op::Call { method, .. } => Some(method),
            _ => None,
        });
        let bodies =
            used_hashes(std::iter::once(method)).into_iter().filter_map(|hash| program.hashes[hash].body);
        for id in calls.chain(bodies) {
            if found.insert(id) {
                work.push(&program.methods[id]);
            }
        }
    }
    found
}

/// Returns the hash functions that some methods call directly.
pub(super) fn used_hashes<'a>(methods: impl Iterator<Item = &'a ir::Method>) -> FxHashSet<HashId> {
    let mut found = FxHashSet::default();
    for instr in methods.flat_map(|method| method.code.iter()) {
        instr.op.operands(&mut |operand| {
            operand.for_each(&mut |part| {
                if let ExprKind::Hash(hash, _) = part.kind {
                    found.insert(hash);
                }
            })
        });
    }
    found
}

/// Returns the hash functions that are not known before the first step.
pub(super) fn arbitrary_hashes(program: &Program, any: bool) -> FxHashSet<HashId> {
    let mut found: FxHashSet<HashId> =
        program.hashes.entries().filter(|(_, hash)| any || hash.body.is_none()).map(|(id, _)| id).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (id, hash) in program.hashes.entries() {
            let Some(body) = hash.body else { continue };
            let depends =
                used_hashes(std::iter::once(&program.methods[body])).iter().any(|used| found.contains(used));
            changed |= depends && found.insert(id);
        }
    }
    found
}

/// Returns the given hash functions, each after those that its body calls. The error names a function that
/// calls itself.
pub(super) fn given_hashes(program: &Program, any: bool) -> Result<Vec<usize>, HashId> {
    let mut order = Vec::new();
    let mut left: Vec<HashId> =
        program.hashes.entries().filter(|(_, hash)| !any && hash.body.is_some()).map(|(id, _)| id).collect();
    while let Some(&first) = left.first() {
        let is_ready = |hash: &&HashId| {
            let body = program.hashes[**hash].body.map(|body| &program.methods[body]);
            !used_hashes(body.into_iter()).iter().any(|used| left.contains(used))
        };
        let next = *left.iter().find(is_ready).ok_or(first)?;
        order.push(next.index());
        left.retain(|hash| *hash != next);
    }
    Ok(order)
}
