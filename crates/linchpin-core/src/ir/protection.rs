//! Which accesses a lock protects: nobody else can make a conflicting one until this thread has moved.
//!
//! Forward must-analysis of the locks that are held. A lock is a slot of the shared variables, named by a constant path; locks in
//! cells and in arrays at computed positions are not told apart, and count as held by nobody.
//!
//! ```text
//! held(entry) = ∅        held(after lock l) = held ∪ {l}        held(after unlock l, wait-begin on l) = held ∖ {l}
//! held(after wait-end on l) = held ∪ {l}                      facts meet by ∩
//! ```
//!
//! A region is *protected* by l if every access to it, in every operation, is made with l held. Accesses to cells that their
//! thread owns are no business of anybody else's and do not count. **Law**: while a thread stands in front of a protected
//! access it holds the lock, so no other thread can make an access to the region before this thread has released it: the
//! access commutes with everything that others can do.
//!
//! `init` runs alone. Programs with recursive functions are not looked at: none of their accesses counts as protected.

use super::footprint::{Region, of_instruction};
use super::{Base, ExprKind, MemoryKind, Method, MethodId, Op, Pc, Place, Program, Projection, successors};
use crate::index::IndexVec;
use crate::types::{Pointee, TypeId};
use std::collections::BTreeSet;

/// Locks by the slot that they lie in.
type Held = BTreeSet<usize>;

/// The accesses that a lock protects.
#[derive(Clone, Debug)]
pub struct Protection {
    methods: IndexVec<MethodId, IndexVec<Pc, bool>>,
    /// Slots of cells in which some lock is tried or looked at, and the same for variables.
    looked_at: Vec<Region>,
}

impl Protection {
    pub fn of(program: &Program) -> Protection {
        let operations: Vec<MethodId> = program.ops.iter().map(|op| op.method).collect();
        let is_recursive =
            program.methods.iter().flat_map(|m| m.code.iter()).any(|i| matches!(i.op, Op::Call { .. }));
        let held: Vec<(MethodId, IndexVec<Pc, Option<Held>>)> =
            operations.iter().map(|id| (*id, held_locks(program, &program.methods[*id]))).collect();
        let mut accesses: Vec<(Region, &Held)> = Vec::new();
        let mut looked_at = Vec::new();
        for (id, held) in &held {
            let method = &program.methods[*id];
            let is_split =
                !method.code.iter().any(|instr| matches!(instr.op, Op::Atomic { .. } | Op::Await(_)));
            for (pc, instr) in method.code.entries() {
                let Some(held) = &held[pc] else { continue };
                if matches!(instr.op, Op::TryLock { .. } | Op::IsLocked { .. }) {
                    looked_at.extend(of_instruction(&program.types, &program.globals, &instr.op).reads);
                }
                // Where no step has several accesses, one that is local is owned or constant.
                if is_split && !instr.access.is_step() {
                    continue;
                }
                accesses.extend(regions(program, &instr.op).into_iter().map(|region| (region, held)));
            }
        }
        let protects = |region: &Region| {
            let mut common: Option<Held> = None;
            for (other, held) in accesses.iter().filter(|(other, _)| other.overlaps(region)) {
                let _ = other;
                common = Some(common.map_or((*held).clone(), |common| &common & *held));
            }
            common.is_some_and(|common| !common.is_empty())
        };
        let mut methods: IndexVec<MethodId, IndexVec<Pc, bool>> =
            program.methods.iter().map(|method| method.code.iter().map(|_| false).collect()).collect();
        if !is_recursive {
            for (id, _) in &held {
                for (pc, instr) in program.methods[*id].code.entries() {
                    let regions = regions(program, &instr.op);
                    methods[*id][pc] =
                        is_plain(&instr.op) && !regions.is_empty() && regions.iter().all(protects);
                }
            }
        }
        Protection { methods, looked_at }
    }

    pub fn is_protected(&self, method: MethodId, pc: Pc) -> bool {
        self.methods[method][pc]
    }

    /// Whether nobody finds out that a lock was released but by taking it: it is never tried nor looked at.
    pub fn is_only_taken(&self, program: &Program, op: &Op) -> bool {
        let regions = of_instruction(&program.types, &program.globals, op).writes;
        !regions.iter().any(|region| self.looked_at.iter().any(|looked| looked.overlaps(region)))
    }
}

/// Reads and writes of memory; not what works on locks and conditions, nor `new`.
fn is_plain(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::Cas { .. }
            | Op::CmpXchg { .. }
            | Op::Swap { .. }
            | Op::FetchAdd { .. }
            | Op::Dcas { .. }
            | Op::Collection { .. }
    )
}

/// What an instruction touches; giving a cell back, or taking one that was used before, touches all of it.
fn regions(program: &Program, op: &Op) -> Vec<Region> {
    let footprint = of_instruction(&program.types, &program.globals, op);
    let mut regions: Vec<Region> = footprint.reads.into_iter().chain(footprint.writes).collect();
    regions.retain(|region| *region != Region::Store);
    if program.memory != MemoryKind::Gc && matches!(op, Op::New { .. } | Op::NewArray { .. } | Op::Free(_)) {
        for ty in program.types.ids() {
            regions.extend(whole(program, ty));
        }
    }
    regions
}

fn whole(program: &Program, ty: TypeId) -> Option<Region> {
    use crate::types::TypeKind;
    match program.types.kind(ty) {
        TypeKind::Struct(of) => Some(Region::Cells(of, 0..program.types.width(ty))),
        TypeKind::Pointer(Pointee::Array(element)) => {
            Some(Region::Elements(element, 0..program.types.width(element), None))
        }
        _ => None,
    }
}

/// The locks held in front of each instruction; `None` where control never comes.
fn held_locks(program: &Program, method: &Method) -> IndexVec<Pc, Option<Held>> {
    let mut held: IndexVec<Pc, Option<Held>> = method.code.iter().map(|_| None).collect();
    held[method.entry] = Some(Held::new());
    let mut open = vec![method.entry];
    while let Some(pc) = open.pop() {
        let instr = &method.code[pc];
        let mut after = held[pc].clone().unwrap_or_default();
        match &instr.op {
            Op::Lock(lock) | Op::WaitEnd { lock, .. } => after.extend(slot(program, lock)),
            Op::Unlock(lock) | Op::WaitBegin { lock, .. } => match slot(program, lock) {
                Some(slot) => {
                    after.remove(&slot);
                }
                // A lock in an array at a computed position: it may be any.
                None if matches!(lock.base, Base::Global(_)) => after.clear(),
                None => {}
            },
            _ => {}
        }
        for successor in successors(&instr.op, instr.next) {
            let met = match &held[successor] {
                None => after.clone(),
                Some(known) => known & &after,
            };
            if held[successor].as_ref() != Some(&met) {
                held[successor] = Some(met);
                open.push(successor);
            }
        }
    }
    held
}

/// The slot of a shared variable, where the place is the same in every state.
fn slot(program: &Program, place: &Place) -> Option<usize> {
    let Base::Global(global) = place.base else { return None };
    let mut at = program.globals.variables.get(global)?.offset;
    for projection in &place.path {
        at += match projection {
            Projection::Field { of, field } => program.types.field_offset(*of, *field),
            Projection::Index { index, element, .. } => match &index.kind {
                ExprKind::Constant(words) => {
                    usize::try_from(*words.first()?).ok()? * program.types.width(*element)
                }
                _ => return None,
            },
        };
    }
    Some(at)
}
