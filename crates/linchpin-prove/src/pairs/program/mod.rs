//! The program as the analysis runs it: its slots, its rests, and the values that a view keeps of a resting
//! thread.
//!
//! A view keeps the live slots of a resting thread. It also keeps data arguments while a linearization point
//! may still follow, because the event of the point contains them.
//!
//! Arrows: `slot` ← `cell`, `liveness` ← `returned`; this file uses all of them.

mod cell;
mod liveness;
mod returned;
mod slot;
mod unsupported;

pub use cell::{CellFields, Label};
pub use slot::{MethodSlots, SlotSort};

use linchpin_certify::certificate::{AgeOrigin, Rest, RestSlot, Returned, Slot};
use linchpin_ir::heap::layout::HeapLayout;
use linchpin_ir::heap::{HeapInstr, HeapMethod, HeapOp, HeapProgram, UnsupportedConstruct};
use linchpin_ir::index::Index;
use linchpin_ir::program::ages;
use linchpin_ir::program::ages::{AgeOrigin as Origin, AgeOrigins};
use linchpin_ir::program::{OpId, Pc, Program};
use liveness::LiveSlots;

pub struct AnalyzedProgram<'p> {
    pub source: &'p Program,
    /// The positions of all variables, fields and places.
    pub layout: HeapLayout,
    /// Memory is garbage-collected: no cell is ever free.
    pub collected: bool,
    pub manual: bool,
    /// The sort of each part of the shared variables.
    pub shared: Vec<SlotSort>,
    pub cell: CellFields,
    pub init: AnalyzedMethod,
    /// A `new` of `init` may get a cell that was used before.
    pub init_frees: bool,
    /// The methods, by operation.
    pub methods: Vec<AnalyzedMethod>,
    pub rests: Vec<Rest>,
    /// The slots of each rest, by their numbers in the method.
    pub rest_slots: Vec<Vec<usize>>,
    /// By rest: slots that a view forgets once an age is stale, each with the position of that age in the
    /// rest.
    pub beside_ages: Vec<Vec<(usize, usize)>>,
}

pub struct AnalyzedMethod {
    pub slots: MethodSlots,
    /// The number of the rest in front of an instruction.
    pub rest_at: Vec<Option<u16>>,
    /// The result of the call, as seen from in front of an instruction.
    pub returned: Vec<Returned>,
    /// From in front of an instruction to the next access, other threads see nothing.
    pub quiet: Vec<bool>,
}

impl<'p> AnalyzedProgram<'p> {
    /// Analyses a program. Returns every unsupported construct if there is one.
    pub fn of(program: &'p Program) -> Result<AnalyzedProgram<'p>, Vec<UnsupportedConstruct>> {
        let layout = HeapLayout::of(program)?;
        let mut refusals = Vec::new();
        let cell = CellFields::of(layout.cell());
        let origins = origins(program, &mut refusals);
        let heap = layout.heap();
        unsupported::unsupported_steps(heap, &mut refusals);
        let mut analyzed = AnalyzedProgram {
            source: program,
            collected: layout.is_collected(),
            manual: layout.is_manual(),
            shared: layout.shared().iter().map(|part| SlotSort::from(*part)).collect(),
            cell,
            init: AnalyzedMethod::of(&layout, None, &cell),
            init_frees: heap.init().code.iter().any(|instr| matches!(instr.op, HeapOp::Free(_))),
            methods: Vec::new(),
            rests: Vec::new(),
            rest_slots: Vec::new(),
            beside_ages: Vec::new(),
            layout,
        };
        for op in analyzed.heap().ops().ids() {
            analyzed.add_method(op, origins.as_ref(), &mut refusals);
        }
        if refusals.is_empty() { Ok(analyzed) } else { Err(refusals) }
    }

    pub fn heap(&self) -> &HeapProgram {
        self.layout.heap()
    }

    fn add_method(
        &mut self,
        op: OpId,
        origins: Option<&AgeOrigins>,
        refusals: &mut Vec<UnsupportedConstruct>,
    ) {
        let method = self.layout.method(Some(op));
        let mut analyzed = AnalyzedMethod::of(&self.layout, Some(op), &self.cell);
        let slots = &analyzed.slots;
        let live = liveness::live_slots(method, slots);
        let params: Vec<usize> =
            method.params.iter().flat_map(|param| slots.of_local(*param, None)).collect();
        let keeps_new_cell = liveness::keeps_new_cell(method, slots, &live);
        let behind_new_cell = match self.cell {
            CellFields { label: Some(_), next: Some(next), .. } => {
                liveness::behind_new_cell(method, slots, &live, next)
            }
            _ => vec![Vec::new(); method.code.len()],
        };
        let is_kept = |pc: Pc, slot: usize| {
            let is_in_event = match slots.all[slot].sort {
                SlotSort::Data => true,
                SlotSort::Small { .. } | SlotSort::Key => self.cell.label.is_some(),
                _ => false,
            };
            let is_argument = is_in_event && params.contains(&slot);
            live.contains(pc, slot)
                || (is_argument && keeps_new_cell[pc.index()])
                || behind_new_cell[pc.index()].contains(&slot)
        };
        for (pc, instr) in method.code.entries() {
            if !instr.access.is_step() {
                continue;
            }
            let Ok(number) = u16::try_from(self.rests.len()) else {
                refusals.push(UnsupportedConstruct {
                    construct: "more steps than a proof numbers".into(),
                    span: instr.span,
                });
                break;
            };
            analyzed.rest_at[pc.index()] = Some(number);
            let (mut rest, numbers) = self.rest(op, pc, &analyzed, |slot| is_kept(pc, slot), origins);
            let beside = beside_ages(method, slots, &self.layout, &live, pc, &rest, &numbers);
            for &(slot, age) in &beside {
                rest.slots[slot].until_stale = Some(rest.slots[age].slot);
            }
            self.beside_ages.push(beside);
            self.rests.push(rest);
            self.rest_slots.push(numbers);
        }
        self.methods.push(analyzed);
    }

    fn rest(
        &self,
        op: OpId,
        pc: Pc,
        method: &AnalyzedMethod,
        is_kept: impl Fn(usize) -> bool,
        origins: Option<&AgeOrigins>,
    ) -> (Rest, Vec<usize>) {
        let mut numbers = Vec::new();
        let mut slots = Vec::new();
        for (number, info) in method.slots.all.iter().enumerate() {
            if !is_kept(number) {
                continue;
            }
            let origin = match info.sort {
                SlotSort::Age => match self.origin(op, pc, info.slot, origins) {
                    Some(origin) => Some(origin),
                    // No later step compares this age.
                    None => continue,
                },
                _ => None,
            };
            numbers.push(number);
            slots.push(RestSlot { slot: info.slot, origin, until_stale: None });
        }
        (Rest { op, pc, slots, returned: method.returned[pc.index()] }, numbers)
    }

    /// Returns the place from which the age in a slot was read.
    fn origin(&self, op: OpId, pc: Pc, slot: Slot, origins: Option<&AgeOrigins>) -> Option<AgeOrigin> {
        let id = self.source.ops[op].method;
        let method = &self.source.methods[id];
        let frame_slot = method.locals[slot.local].offset + slot.part;
        let (_, origin) = origins?.at(id, pc).iter().find(|(copy, _)| *copy == frame_slot)?;
        match *origin {
            // Every slot of the shared variables is a part.
            Origin::Global(slot) => Some(AgeOrigin::Shared(slot)),
            Origin::Cell { pointer, .. } => {
                let holds = |local: &linchpin_ir::program::Local| {
                    (local.offset..local.offset + self.source.types.width(local.ty)).contains(&pointer)
                };
                let (local, found) = method.locals.entries().find(|(_, local)| holds(local))?;
                Some(AgeOrigin::Cell(Slot { local, part: pointer - found.offset }))
            }
            Origin::Forgotten => None,
        }
    }

    /// Edits all rests, for tests. Recomputes everything that follows from the rests.
    pub fn edit_rests(&mut self, edit: &dyn Fn(&mut Rest)) {
        for (number, rest) in self.rests.iter_mut().enumerate() {
            edit(rest);
            let method = &mut self.methods[rest.op.index()];
            method.returned[rest.pc.index()] = rest.returned;
            self.rest_slots[number] = rest.slots.iter().map(|slot| method.slots.number(slot.slot)).collect();
            let place = |wanted: Slot| rest.slots.iter().position(|slot| slot.slot == wanted);
            let beside = rest.slots.iter().enumerate();
            self.beside_ages[number] =
                beside.filter_map(|(at, slot)| Some((at, place(slot.until_stale?)?))).collect();
        }
    }

    pub fn method(&self, op: OpId) -> (&HeapMethod, &AnalyzedMethod) {
        (&self.heap().ops()[op].method, &self.methods[op.index()])
    }

    pub fn instr(&self, rest: u16) -> &HeapInstr {
        let rest = &self.rests[rest as usize];
        &self.heap().ops()[rest.op].method.code[rest.pc]
    }
}

impl AnalyzedMethod {
    fn of(layout: &HeapLayout, op: Option<OpId>, cell: &CellFields) -> AnalyzedMethod {
        let method = layout.method(op);
        let slots = MethodSlots::new(layout, op);
        AnalyzedMethod {
            rest_at: vec![None; method.code.len()],
            returned: returned::returned(method, &slots, cell),
            quiet: liveness::quiet(method),
            slots,
        }
    }
}

/// Returns the slots of a rest that no step reads if an age of the rest is stale, each with one such age.
/// Slots and ages are positions in the rest.
fn beside_ages(
    method: &HeapMethod,
    slots: &MethodSlots,
    layout: &HeapLayout,
    live: &LiveSlots,
    pc: Pc,
    rest: &Rest,
    numbers: &[usize],
) -> Vec<(usize, usize)> {
    let mut beside: Vec<(usize, usize)> = Vec::new();
    for (age, slot) in rest.slots.iter().enumerate().filter(|(_, slot)| slot.origin.is_some()) {
        let stale = liveness::live_beside_stale(method, slots, layout, live, (numbers[age], slot.origin));
        for (at, &number) in numbers.iter().enumerate() {
            let is_read = !live.contains(pc, number) || stale.contains(pc, number);
            if at != age && !is_read && !beside.iter().any(|(known, _)| *known == at) {
                beside.push((at, age));
            }
        }
    }
    // An age that is forgotten itself cannot decide about other slots.
    let gone: Vec<usize> = beside.iter().map(|(slot, _)| *slot).collect();
    beside.retain(|(_, age)| !gone.contains(age));
    beside
}

fn origins(program: &Program, refusals: &mut Vec<UnsupportedConstruct>) -> Option<AgeOrigins> {
    match ages::age_origins(program) {
        Ok(origins) => Some(origins),
        Err(misuse) => {
            let construct = format!("a use of ages in which {}", misuse.reason);
            refusals.push(UnsupportedConstruct { construct, span: misuse.span });
            None
        }
    }
}
