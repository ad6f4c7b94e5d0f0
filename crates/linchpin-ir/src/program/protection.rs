//! Accesses that a lock protects: no other thread can make a conflicting access until this thread has moved.
//!
//! Forward must-analysis of the held locks. A lock is a slot of the shared variables, named by a constant
//! path, or an element of a shared array of locks. The index of such an element depends on locals alone
//! ([`Element`]). Locks in cells are not distinguished, and never count as held.
//!
//! ```text
//! held(entry) = ∅        held(after lock l) = held ∪ {l}        held(after unlock l, wait-begin on l) = held ∖ {l}
//! held(after wait-end on l) = held ∪ {l}                      facts meet by ∩
//! held(after i is written) = held ∖ {l[e] : e reads i}        held(after unlock of l[e]) = held ∖ {l[e'] : any e'}
//! ```
//!
//! A region is *protected* by l if every access to it, in every operation, is made with l held. Accesses to
//! cells that their thread owns do not count. **Claim**: a protected access commutes with every step of the
//! other threads. **Proof**: a thread that rests in front of the access holds l. No other thread can access
//! the region before this thread releases l.
//!
//! A part of the elements of an array can be protected *element by element* by the locks `l[·]`. The
//! condition: every access to it is to an element `a[e]`, with `l[e]` held for the same expression e. A
//! thread that rests in front of such an access to the element of index v holds `l[v]`: the locals of e are
//! unchanged since it took the lock. Threads that access the same element need `l[v]`, and threads that
//! access another element do not conflict. So the claim holds for each element.
//!
//! `init` runs alone. In programs with recursive functions no access counts as protected.

use super::element::Element;
use super::footprint::{Region, of_instruction};
use super::{Base, ExprKind, MemoryKind, Method, MethodId, Op, Pc, Place, Program, Projection, successors};
use crate::index::IndexVec;
use crate::types::{Pointee, TypeId};
use std::collections::BTreeSet;

/// The locks that are held for certain.
#[derive(Clone, PartialEq, Debug, Default)]
struct Held {
    /// By the slot that they lie in.
    slots: BTreeSet<usize>,
    /// In arrays, by their index.
    elements: Vec<Element>,
}

/// The location that an instruction accesses, and the locks held at that moment.
struct Access<'h> {
    region: Region,
    /// The only place that it touches is this.
    element: Option<Element>,
    held: &'h Held,
}

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
        let mut accesses: Vec<Access<'_>> = Vec::new();
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
                accesses.extend(accesses_of(program, &instr.op, held));
            }
        }
        let is_protected = |access: &Access<'_>| {
            let others: Vec<&Access<'_>> = accesses.iter().filter(|other| other.meets(access)).collect();
            let mut common = access.held.slots.clone();
            others.iter().for_each(|other| common.retain(|slot| other.held.slots.contains(slot)));
            let locks = access.held.elements.iter().filter(|lock| access.is_guarded_by(lock));
            !common.is_empty()
                || locks.into_iter().any(|lock| others.iter().all(|o| o.is_guarded_like(access, lock)))
        };
        let mut methods: IndexVec<MethodId, IndexVec<Pc, bool>> =
            program.methods.iter().map(|method| method.code.iter().map(|_| false).collect()).collect();
        if !is_recursive {
            for (id, held) in &held {
                for (pc, instr) in program.methods[*id].code.entries() {
                    let Some(held) = &held[pc] else { continue };
                    let accesses = accesses_of(program, &instr.op, held);
                    methods[*id][pc] =
                        is_plain(&instr.op) && !accesses.is_empty() && accesses.iter().all(is_protected);
                }
            }
        }
        Protection { methods, looked_at }
    }

    pub fn is_protected(&self, method: MethodId, pc: Pc) -> bool {
        self.methods[method][pc]
    }

    /// Whether a thread observes a release only by taking the lock: the lock is never tried nor tested.
    pub fn is_only_taken(&self, program: &Program, op: &Op) -> bool {
        let regions = of_instruction(&program.types, &program.globals, op).writes;
        !regions.iter().any(|region| self.looked_at.iter().any(|looked| looked.overlaps(region)))
    }
}

impl Access<'_> {
    fn meets(&self, other: &Access<'_>) -> bool {
        match (&self.element, &other.element) {
            (Some(mine), Some(theirs)) if mine.array == theirs.array => mine.meets(theirs),
            _ => self.region.overlaps(&other.region),
        }
    }

    /// The lock has the index of the element.
    fn is_guarded_by(&self, lock: &Element) -> bool {
        self.element.as_ref().is_some_and(|element| element.index == lock.index)
    }

    /// It is to an element of the same array, under the lock of the same array of locks with its own index.
    fn is_guarded_like(&self, model: &Access<'_>, lock: &Element) -> bool {
        let arrays = [self, model].map(|access| access.element.as_ref().map(|element| &element.array));
        let is_same = |own: &&Element| own.array == lock.array && own.within == lock.within;
        arrays[0] == arrays[1] && self.held.elements.iter().filter(is_same).any(|own| self.is_guarded_by(own))
    }
}

impl Held {
    fn take(&mut self, program: &Program, lock: &Place) {
        self.slots.extend(slot(program, lock));
        let element = Element::of(&program.types, &program.globals, lock);
        self.elements.extend(element.filter(|element| !self.elements.contains(element)));
    }

    fn give_back(&mut self, program: &Program, lock: &Place) {
        if !matches!(lock.base, Base::Global(_)) {
            return;
        }
        match slot(program, lock) {
            Some(slot) => {
                self.slots.remove(&slot);
                self.elements.retain(|element| !element.array.contains(slot));
            }
            // At a computed position: it may be any.
            None => *self = Held::default(),
        }
    }

    fn met(&self, other: &Held) -> Held {
        let elements = self.elements.iter().filter(|element| other.elements.contains(element));
        Held { slots: &self.slots & &other.slots, elements: elements.cloned().collect() }
    }
}

/// What an instruction touches. Only an instruction with one place is known by its element.
fn accesses_of<'h>(program: &Program, op: &Op, held: &'h Held) -> Vec<Access<'h>> {
    let places = op.places();
    let element = match places[..] {
        [place] => Element::of(&program.types, &program.globals, place),
        _ => None,
    };
    let access = |region| Access { region, element: element.clone(), held };
    regions(program, op).into_iter().map(access).collect()
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

/// The locks held in front of each instruction; `None` for unreachable instructions.
fn held_locks(program: &Program, method: &Method) -> IndexVec<Pc, Option<Held>> {
    let mut held: IndexVec<Pc, Option<Held>> = method.code.iter().map(|_| None).collect();
    held[method.entry] = Some(Held::default());
    let mut open = vec![method.entry];
    while let Some(pc) = open.pop() {
        let instr = &method.code[pc];
        let mut after = held[pc].clone().unwrap_or_default();
        match &instr.op {
            Op::Lock(lock) | Op::WaitEnd { lock, .. } => after.take(program, lock),
            Op::Unlock(lock) | Op::WaitBegin { lock, .. } => after.give_back(program, lock),
            op => after.elements.retain(|element| !element.is_moved_by(op)),
        }
        for successor in successors(&instr.op, instr.next) {
            let met = match &held[successor] {
                None => after.clone(),
                Some(known) => known.met(&after),
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
