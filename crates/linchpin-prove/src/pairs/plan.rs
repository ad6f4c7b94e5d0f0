//! The program as the analysis runs it: which slots there are, where threads rest, and what is remembered there.
//!
//! A *slot* is a variable of an operation, or one part of a word. What is remembered of a thread that rests are its live slots; data
//! arguments live as long as a linearization point may come, since the event of the point tells them.

use super::liveness::{self, LiveSlots};
use super::node::Node;
use super::returned;
use linchpin_certify::certificate::{AgeOrigin, Rest, RestSlot, Returned, Slot};
use linchpin_ir::heap::layout;
use linchpin_ir::heap::layout::{Component, HeapLayout, Sort};
use linchpin_ir::heap::{
    HeapBase, HeapExpr, HeapInstr, HeapLocal, HeapMethod, HeapOp, HeapPlace, HeapProgram,
    UnsupportedConstruct,
};
use linchpin_ir::index::Index;
use linchpin_ir::program::ages;
use linchpin_ir::program::ages::{AgeOrigin as Origin, AgeOrigins};
use linchpin_ir::program::{LocalId, OpId, Pc, Program};

pub struct Plan<'p> {
    pub program: &'p Program,
    /// Where every variable, field and place is.
    pub layout: HeapLayout,
    /// Garbage-collected: no cell is ever free.
    pub collected: bool,
    pub manual: bool,
    /// What each part of the shared variables holds.
    pub shared: Vec<Kind>,
    pub node: Node,
    pub init: MethodPlan,
    /// Some `new` of `init` may get a cell that was used before.
    pub init_frees: bool,
    /// By operation.
    pub methods: Vec<MethodPlan>,
    pub rests: Vec<Rest>,
    /// The slots of each rest by their number in the method.
    pub rest_slots: Vec<Vec<usize>>,
    /// By rest: slots of which nothing is remembered once an age is stale, and where in the rest that age is.
    pub beside_ages: Vec<Vec<(usize, usize)>>,
}

pub struct MethodPlan {
    pub slots: Vec<SlotInfo>,
    /// The first slot of each local.
    first: Vec<usize>,
    /// The number of the rest in front of an instruction.
    pub rest_at: Vec<Option<u16>>,
    /// What will be returned, seen from in front of an instruction.
    pub returned: Vec<Returned>,
    /// From in front of an instruction to the next access nothing happens that others can see.
    pub quiet: Vec<bool>,
}

#[derive(Clone, Copy, Debug)]
pub struct SlotInfo {
    pub slot: Slot,
    pub kind: Kind,
}

/// What a slot or part holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Pointer,
    Data,
    Age,
    /// Truth values are 0 and 1.
    Small {
        default: i8,
    },
    /// Of which a class is known.
    Key,
    Lock,
    /// `none`, or data, a key or a small value.
    Optional,
}

impl<'p> Plan<'p> {
    /// The plan, or everything in the program that the method does not take.
    pub fn of(program: &'p Program) -> Result<Plan<'p>, Vec<UnsupportedConstruct>> {
        let layout = HeapLayout::of(program)?;
        let mut refusals = Vec::new();
        let node = Node::of(layout.cell());
        let origins = origins(program, &mut refusals);
        let heap = layout.heap();
        refuse_steps(heap, &mut refusals);
        let mut plan = Plan {
            program,
            collected: layout.is_collected(),
            manual: layout.is_manual(),
            shared: layout.shared().iter().map(|part| Kind::from(*part)).collect(),
            node,
            init: MethodPlan::of(&layout, None, &node),
            init_frees: heap.init().code.iter().any(|instr| matches!(instr.op, HeapOp::Free(_))),
            methods: Vec::new(),
            rests: Vec::new(),
            rest_slots: Vec::new(),
            beside_ages: Vec::new(),
            layout,
        };
        for op in plan.heap().ops().ids() {
            plan.add_method(op, origins.as_ref(), &mut refusals);
        }
        if refusals.is_empty() { Ok(plan) } else { Err(refusals) }
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
        let mut plan = MethodPlan::of(&self.layout, Some(op), &self.node);
        let live = liveness::live_slots(method, &plan);
        let params: Vec<usize> = method.params.iter().flat_map(|param| plan.slots_of(*param, None)).collect();
        let keeps_new_cell = liveness::keeps_new_cell(method, &plan, &live);
        let behind_new_cell = match self.node {
            Node { label: Some(_), next: Some(next), .. } => {
                liveness::behind_new_cell(method, &plan, &live, next)
            }
            _ => vec![Vec::new(); method.code.len()],
        };
        let is_kept = |pc: Pc, slot: usize| {
            let tells = match plan.slots[slot].kind {
                Kind::Data => true,
                Kind::Small { .. } | Kind::Key => self.node.label.is_some(),
                _ => false,
            };
            let is_argument = tells && params.contains(&slot);
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
            plan.rest_at[pc.index()] = Some(number);
            let (mut rest, slots) = self.rest(op, pc, &plan, |slot| is_kept(pc, slot), origins);
            let beside = beside_ages(method, &plan, &self.layout, &live, pc, &rest, &slots);
            for &(slot, age) in &beside {
                rest.slots[slot].until_stale = Some(rest.slots[age].slot);
            }
            self.beside_ages.push(beside);
            self.rests.push(rest);
            self.rest_slots.push(slots);
        }
        self.methods.push(plan);
    }

    fn rest(
        &self,
        op: OpId,
        pc: Pc,
        plan: &MethodPlan,
        is_kept: impl Fn(usize) -> bool,
        origins: Option<&AgeOrigins>,
    ) -> (Rest, Vec<usize>) {
        let mut numbers = Vec::new();
        let mut slots = Vec::new();
        for (number, info) in plan.slots.iter().enumerate() {
            if !is_kept(number) {
                continue;
            }
            let origin = match info.kind {
                Kind::Age => match self.origin(op, pc, info.slot, origins) {
                    Some(origin) => Some(origin),
                    // Nobody compares it any more.
                    None => continue,
                },
                _ => None,
            };
            numbers.push(number);
            slots.push(RestSlot { slot: info.slot, origin, until_stale: None });
        }
        (Rest { op, pc, slots, returned: plan.returned[pc.index()] }, numbers)
    }

    /// Where an age in a slot was read.
    fn origin(&self, op: OpId, pc: Pc, slot: Slot, origins: Option<&AgeOrigins>) -> Option<AgeOrigin> {
        let id = self.program.ops[op].method;
        let method = &self.program.methods[id];
        let frame_slot = method.locals[slot.local].offset + slot.part;
        let (_, origin) = origins?.at(id, pc).iter().find(|(copy, _)| *copy == frame_slot)?;
        match *origin {
            // Every slot of the shared variables is a part.
            Origin::Global(slot) => Some(AgeOrigin::Shared(slot)),
            Origin::Cell { pointer, .. } => {
                let holds = |local: &linchpin_ir::program::Local| {
                    (local.offset..local.offset + self.program.types.width(local.ty)).contains(&pointer)
                };
                let (local, found) = method.locals.entries().find(|(_, local)| holds(local))?;
                Some(AgeOrigin::Cell(Slot { local, part: pointer - found.offset }))
            }
            Origin::Forgotten => None,
        }
    }

    /// Changes what rests say; for tests. Whatever follows from the rests is computed anew.
    pub fn edit_rests(&mut self, say: &dyn Fn(&mut Rest)) {
        for (number, rest) in self.rests.iter_mut().enumerate() {
            say(rest);
            let plan = &mut self.methods[rest.op.index()];
            plan.returned[rest.pc.index()] = rest.returned;
            self.rest_slots[number] = rest.slots.iter().map(|slot| plan.number(slot.slot)).collect();
            let place = |wanted: Slot| rest.slots.iter().position(|slot| slot.slot == wanted);
            let beside = rest.slots.iter().enumerate();
            self.beside_ages[number] =
                beside.filter_map(|(at, slot)| Some((at, place(slot.until_stale?)?))).collect();
        }
    }

    pub fn method(&self, op: OpId) -> (&HeapMethod, &MethodPlan) {
        (&self.heap().ops()[op].method, &self.methods[op.index()])
    }

    pub fn instr(&self, rest: u16) -> &HeapInstr {
        let rest = &self.rests[rest as usize];
        &self.heap().ops()[rest.op].method.code[rest.pc]
    }
}

impl MethodPlan {
    fn of(layout: &HeapLayout, op: Option<OpId>, node: &Node) -> MethodPlan {
        let method = layout.method(op);
        let mut slots = Vec::new();
        let mut first = Vec::new();
        if let Some(frame) = layout.frame(op) {
            for local in method.locals.ids() {
                first.push(slots.len());
                let parts = frame.local(local, None).unwrap_or_default();
                for (part, of) in frame.parts()[parts].iter().enumerate() {
                    slots.push(SlotInfo { slot: Slot { local, part }, kind: Kind::from(*of) });
                }
            }
        }
        let mut plan = MethodPlan {
            slots,
            first,
            rest_at: vec![None; method.code.len()],
            returned: Vec::new(),
            quiet: Vec::new(),
        };
        plan.returned = returned::returned(method, &plan, node);
        plan.quiet = liveness::quiet(method);
        plan
    }

    /// The slots of a local, or of the one part of it that is meant.
    pub fn slots_of(&self, local: LocalId, part: Option<usize>) -> std::ops::Range<usize> {
        let first = self.first[local.index()];
        let end = self.first.get(local.index() + 1).copied().unwrap_or(self.slots.len());
        match part {
            Some(part) => first + part..first + part + 1,
            None => first..end,
        }
    }

    pub fn target(&self, target: &HeapLocal) -> std::ops::Range<usize> {
        self.slots_of(target.local, target.part)
    }

    pub fn number(&self, slot: Slot) -> usize {
        self.first[slot.local.index()] + slot.part
    }

    /// The slot that an expression just reads.
    pub fn read_slot(&self, expr: &HeapExpr) -> Option<Slot> {
        match expr {
            HeapExpr::Local(local) if self.slots_of(*local, None).len() == 1 => {
                Some(Slot { local: *local, part: 0 })
            }
            HeapExpr::Part(of, part) => match **of {
                HeapExpr::Local(local) => Some(Slot { local, part: *part }),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The slots of a rest that nobody reads any more if an age of it is stale, each with one such age; both by their places in the rest.
fn beside_ages(
    method: &HeapMethod,
    plan: &MethodPlan,
    layout: &HeapLayout,
    live: &LiveSlots,
    pc: Pc,
    rest: &Rest,
    numbers: &[usize],
) -> Vec<(usize, usize)> {
    let mut beside: Vec<(usize, usize)> = Vec::new();
    for (age, slot) in rest.slots.iter().enumerate().filter(|(_, slot)| slot.origin.is_some()) {
        let stale = liveness::live_beside_stale(method, plan, layout, live, (numbers[age], slot.origin));
        for (at, &number) in numbers.iter().enumerate() {
            let is_read = !live.contains(pc, number) || stale.contains(pc, number);
            if at != age && !is_read && !beside.iter().any(|(known, _)| *known == at) {
                beside.push((at, age));
            }
        }
    }
    // An age that goes itself does not tell about others for long.
    let gone: Vec<usize> = beside.iter().map(|(slot, _)| *slot).collect();
    beside.retain(|(_, age)| !gone.contains(age));
    beside
}

impl From<Component> for Kind {
    fn from(part: Component) -> Kind {
        match part.sort {
            Sort::Pointer => Kind::Pointer,
            Sort::Data => Kind::Data,
            Sort::Age => Kind::Age,
            Sort::Key => Kind::Key,
            Sort::Lock => Kind::Lock,
            Sort::Optional(_) => Kind::Optional,
            Sort::Number => match part.default {
                layout::Default::Number(default) => Kind::Small { default },
                layout::Default::Null
                | layout::Default::Undefined
                | layout::Default::None
                | layout::Default::Unused => Kind::Small { default: 0 },
            },
        }
    }
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

/// Ages may be stepped only where a `cas` stores them; locks are shared variables.
fn refuse_steps(heap: &HeapProgram, refusals: &mut Vec<UnsupportedConstruct>) {
    let methods = heap.ops().iter().map(|op| &op.method).chain([heap.init()]);
    for instr in methods.flat_map(|method| method.code.iter()) {
        let mut refuse = |construct: &str| {
            refusals.push(UnsupportedConstruct { construct: construct.into(), span: instr.span });
        };
        let (operands, place): (Vec<&HeapExpr>, Option<&HeapPlace>) = match &instr.op {
            HeapOp::Cas { old, place, .. } | HeapOp::CmpXchg { old, place, .. } => (vec![old], Some(place)),
            HeapOp::Assign { value, .. } => (vec![value], None),
            HeapOp::Store { value, to } => (vec![value], Some(to)),
            HeapOp::Swap { value, place, .. } => (vec![value], Some(place)),
            HeapOp::Branch { cond, .. }
            | HeapOp::Assert(cond)
            | HeapOp::Assume(cond)
            | HeapOp::Await(cond) => (vec![cond], None),
            HeapOp::Lock(place) | HeapOp::Unlock(place) => {
                if matches!(place.base, HeapBase::Field { .. }) {
                    refuse("a lock in a cell");
                }
                continue;
            }
            HeapOp::TryLock { place, .. } | HeapOp::IsLocked { place, .. } => {
                if matches!(place.base, HeapBase::Field { .. }) {
                    refuse("a lock in a cell");
                }
                continue;
            }
            _ => continue,
        };
        if operands.iter().any(|operand| steps_age(operand)) {
            refuse("an age that is stepped anywhere but in a `cas`");
        }
        if let Some(HeapPlace { base: HeapBase::Field { pointer, .. }, .. }) = place
            && steps_age(pointer)
        {
            refuse("an age that is stepped anywhere but in a `cas`");
        }
    }
}

fn steps_age(expr: &HeapExpr) -> bool {
    match expr {
        HeapExpr::NextAge(_) => true,
        HeapExpr::Part(e, _) | HeapExpr::Some(e) | HeapExpr::Not(e) => steps_age(e),
        HeapExpr::Word(parts) => parts.iter().any(steps_age),
        HeapExpr::And(a, b)
        | HeapExpr::Or(a, b)
        | HeapExpr::Equal(a, b)
        | HeapExpr::Less(a, b)
        | HeapExpr::Plus(a, b)
        | HeapExpr::Minus(a, b) => steps_age(a) || steps_age(b),
        HeapExpr::InRange { value, .. } => steps_age(value),
        _ => false,
    }
}
