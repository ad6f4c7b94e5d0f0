//! Runs a step of a thread on a view, in all cases.
//!
//! A step begins at the place where the thread rests, or at the entry of an operation. It makes one access
//! and the local work behind it. The first step of a call makes an access only if the access cannot block.

use super::action::Action;
use super::chooser::Chooser;
use super::eval::{Values, comparisons, defaults, misfit, truth};
use super::failure::{Checked, SetFailure, SetFailureKind, Stop};
use super::world::{Witness, World, canonical};
use crate::set_certificate::{CallGhost, CellPlace, EdgeEnd, KeyClass, SlotValue, ThreadView};
use linchpin_ir::heap::layout::Frame;
use linchpin_ir::heap::sets::{SetField, SetGlobal, SetLayout};
use linchpin_ir::heap::{HeapBase, HeapInstr, HeapOp, HeapPlace, SetOperation};
use linchpin_ir::program::{Access, OpId, Pc};
use linchpin_ir::source::Span;
use std::rc::Rc;

/// What the edge views say about the successors of cells.
pub trait Edges {
    /// The successors of a published cell with this label and freshness, as a thread with this ghost sees
    /// them; `None` for null.
    fn successors(&mut self, ghost: CallGhost, is_in: bool, from: EdgeEnd) -> Rc<[Option<EdgeEnd>]>;
}

/// The result of a step in one case.
#[derive(Clone, Debug)]
pub struct Moved {
    pub view: ThreadView,
    /// The ghost with which the step began, after the invocation if it is the first step of a call.
    pub ghost: CallGhost,
    pub is_in: bool,
    /// The step made exactly the cells fresh that are linked.
    pub resets: bool,
    /// What the step did to cells; `None` if it changed nothing.
    pub action: Option<Action>,
}

/// The run of a step in one case.
pub struct Run<'r> {
    pub layout: &'r SetLayout,
    pub witness: &'r Witness,
    pub edges: &'r mut dyn Edges,
    pub chooser: &'r mut Chooser,
    pub op: Option<OpId>,
    pub frame: &'r Frame,
    pub world: World,
    /// How many comparisons of two keys of one side were decided.
    pub sides_compared: usize,
}

/// The maximal number of instructions of a step.
const MOST_WORK: usize = 400;

/// Returns the results of every step of a thread with this view: of its next step, or of every call that it
/// may begin.
pub fn moves(
    layout: &SetLayout,
    witness: &Witness,
    edges: &mut dyn Edges,
    view: &ThreadView,
) -> Result<Vec<Moved>, SetFailure> {
    let mut all = Vec::new();
    each_move(layout, witness, edges, view, &mut |moved| moved.map(|moved| all.push(moved)))?;
    Ok(all)
}

/// Visits the results of every step of a thread with this view, and the failures of steps. A failure of the
/// visitor ends the visits.
pub fn each_move(
    layout: &SetLayout,
    witness: &Witness,
    edges: &mut dyn Edges,
    view: &ThreadView,
    visit: &mut dyn FnMut(Result<Moved, SetFailure>) -> Result<(), SetFailure>,
) -> Result<(), SetFailure> {
    match view.at {
        Some((op, pc)) => {
            let method = layout.method(Some(op));
            let Some(instr) = method.code.get(pc) else { return Ok(()) };
            let mut world = World::of(view);
            let resets = matches!(instr.op, HeapOp::Lock(_));
            if resets {
                reset(&mut world);
            }
            let started = Started { op, pc, step: Some(instr.span), world, resets };
            started.run(layout, witness, edges, visit)?;
        }
        None => {
            for op in layout.heap().ops().ids() {
                for class in [KeyClass::Below, KeyClass::Watched, KeyClass::Above] {
                    let Some(world) = invoked(layout, op, class, view) else { continue };
                    let pc = layout.method(Some(op)).entry;
                    let started = Started { op, pc, step: None, world, resets: true };
                    started.run(layout, witness, edges, visit)?;
                }
            }
        }
    }
    Ok(())
}

/// The ghost of a call on a key of this class, before its first step.
pub fn ghost_of_call(class: KeyClass, is_in: bool) -> CallGhost {
    match class {
        KeyClass::Watched => CallGhost::Watched { seen_in: is_in, seen_out: !is_in },
        _ => CallGhost::Other,
    }
}

fn invoked(layout: &SetLayout, op: OpId, class: KeyClass, view: &ThreadView) -> Option<World> {
    let mut world = World::of(view);
    let frame = layout.frame(Some(op))?;
    world.slots = defaults(frame);
    for param in &layout.method(Some(op)).params {
        for at in frame.local(*param, None)? {
            world.slots[at] = SlotValue::Key(class);
        }
    }
    world.ghost = ghost_of_call(class, view.is_in);
    world.ghost_before = world.ghost;
    reset(&mut world);
    // The facts before the first step are those behind the invocation.
    for (before, now) in world.before.iter_mut().zip(&world.cells) {
        *before = Some(*now);
    }
    Some(world)
}

/// Makes exactly the linked cells fresh.
fn reset(world: &mut World) {
    for cell in &mut world.cells {
        cell.fresh = cell.label.place == CellPlace::Linked;
    }
}

struct Started {
    op: OpId,
    pc: Pc,
    step: Option<Span>,
    world: World,
    resets: bool,
}

impl Started {
    fn run(
        self,
        layout: &SetLayout,
        witness: &Witness,
        edges: &mut dyn Edges,
        visit: &mut dyn FnMut(Result<Moved, SetFailure>) -> Result<(), SetFailure>,
    ) -> Result<(), SetFailure> {
        let Some(frame) = layout.frame(Some(self.op)) else { return Ok(()) };
        let mut chooser = Chooser::default();
        loop {
            let mut run = Run {
                layout,
                witness,
                edges,
                chooser: &mut chooser,
                op: Some(self.op),
                frame,
                world: self.world.clone(),
                sides_compared: 0,
            };
            match run.follow(self.pc, self.step.is_some()) {
                Ok(at) => {
                    let world = &run.world;
                    visit(Ok(Moved {
                        view: canonical(layout, witness, world, at),
                        ghost: world.ghost_before,
                        is_in: world.is_in_before,
                        resets: self.resets,
                        action: Action::of(world),
                    }))?;
                }
                Err(Stop::Impossible) => {}
                Err(Stop::Failed(kind, span)) => visit(Err(SetFailure { kind, span, step: self.step }))?,
            }
            if !chooser.advance() {
                return Ok(());
            }
        }
    }
}

/// Runs `init`; the states after it, all of whose cells are published.
pub fn initial(
    layout: &SetLayout,
    witness: &Witness,
    edges: &mut dyn Edges,
) -> Result<Vec<World>, SetFailure> {
    let mut all = Vec::new();
    let Some(frame) = layout.frame(None) else { return Ok(all) };
    let mut chooser = Chooser::default();
    loop {
        let view = ThreadView {
            at: None,
            ghost: CallGhost::None,
            is_in: false,
            locks: 0,
            shared: vec![SlotValue::Null; layout.pointers()],
            slots: defaults(frame),
            cells: Vec::new(),
        };
        let mut run = Run {
            layout,
            witness,
            edges,
            chooser: &mut chooser,
            op: None,
            frame,
            world: World::of(&view),
            sides_compared: 0,
        };
        match run.follow(layout.method(None).entry, true).and_then(|_| run.finish_init()) {
            Ok(()) => all.push(run.world),
            Err(Stop::Impossible) => {}
            Err(Stop::Failed(kind, span)) => return Err(SetFailure { kind, span, step: None }),
        }
        if !chooser.advance() {
            return Ok(all);
        }
    }
}

impl Run<'_> {
    /// Runs from an instruction to the end of the step. Returns where the thread rests; `None` if the call
    /// returned.
    fn follow(&mut self, from: Pc, resumed: bool) -> Checked<Option<(OpId, Pc)>> {
        let layout = self.layout;
        let method = layout.method(self.op);
        let (mut pc, mut accessed) = (from, false);
        let mut last = None;
        for _ in 0..MOST_WORK {
            let Some(instr) = method.code.get(pc) else { return Err(Stop::Impossible) };
            last = Some(instr.span);
            if let (Access::Step { can_block }, Some(op)) = (instr.access, self.op) {
                if accessed || (can_block && !resumed) {
                    self.rest(instr)?;
                    return Ok(Some((op, pc)));
                }
                accessed = true;
            }
            if let HeapOp::Return(value) = &instr.op {
                let values = match value {
                    Some(value) => Some(self.eval(value, instr.span)?),
                    None => None,
                };
                self.end(values, instr.span)?;
                return Ok(None);
            }
            pc = self.instruction(instr)?;
        }
        Err(last.map_or(Stop::Impossible, |span| Stop::Failed(SetFailureKind::Endless, span)))
    }

    /// Sets every local that is dead to its default.
    fn rest(&mut self, instr: &HeapInstr) -> Checked<()> {
        let mut kept = defaults(self.frame);
        for local in instr.live.iter() {
            let Some(range) = self.frame.local(local, None) else { return Err(misfit(instr.span)) };
            kept[range.clone()].copy_from_slice(&self.world.slots[range]);
        }
        self.world.slots = kept;
        Ok(())
    }

    /// Judges the return of a call.
    fn end(&mut self, values: Option<Values>, span: Span) -> Checked<()> {
        let fail = |kind| Err(Stop::Failed(kind, span));
        let Some(op) = self.op else { return Ok(()) };
        if self.world.locks != 0 || self.world.cells.iter().any(|cell| cell.mine) {
            return fail(SetFailureKind::LockKept);
        }
        let Some([SlotValue::Number(result)]) = values.as_deref() else {
            return fail(SetFailureKind::Misfit);
        };
        let Some(operation) = self.layout.operation(op) else { return fail(SetFailureKind::Misfit) };
        let is_true = *result != 0;
        match (self.world.ghost, operation, is_true) {
            (CallGhost::None, ..) => return fail(SetFailureKind::Misfit),
            (CallGhost::Other, ..) => {}
            (CallGhost::Done, SetOperation::Add | SetOperation::Remove, true) => {}
            (CallGhost::Done, ..) => return fail(SetFailureKind::WrongResult),
            (CallGhost::Watched { .. }, SetOperation::Add | SetOperation::Remove, true) => {
                return fail(SetFailureKind::WrongResult);
            }
            (CallGhost::Watched { seen_in, .. }, SetOperation::Add, false)
            | (CallGhost::Watched { seen_in, .. }, SetOperation::Contains, true) => {
                if !seen_in {
                    return fail(SetFailureKind::NoMoment);
                }
            }
            (CallGhost::Watched { seen_out, .. }, SetOperation::Remove | SetOperation::Contains, false) => {
                if !seen_out {
                    return fail(SetFailureKind::NoMoment);
                }
            }
        }
        self.world.ghost = CallGhost::None;
        self.world.slots.clear();
        Ok(())
    }

    /// Publishes all cells that `init` made, and judges the abstract set.
    fn finish_init(&mut self) -> Checked<()> {
        self.world.slots.clear();
        let Some(span) = self.layout.method(None).code.iter().next().map(|instr| instr.span) else {
            return Err(Stop::Impossible);
        };
        for cell in &mut self.world.cells {
            cell.label.place = CellPlace::Unlinked;
        }
        let mut at = match self.world.shared.get(self.witness.root) {
            Some(SlotValue::Cell(root)) => Some(*root),
            _ => return Err(misfit(span)),
        };
        while let Some(cell) = at {
            let fact = &mut self.world.cells[usize::from(cell)];
            if fact.label.place == CellPlace::Linked {
                return Err(misfit(span));
            }
            fact.label.place = CellPlace::Linked;
            at = match fact.next {
                crate::set_certificate::NextFact::Cell(next) => Some(next),
                _ => None,
            };
        }
        let is_in = self.world.cells.iter().any(|cell| cell.label.class == KeyClass::Watched);
        // Sentinels are the only keys that a program names, so this cannot happen.
        if is_in || self.world.locks != 0 || self.world.cells.iter().any(|cell| cell.mine) {
            return Err(Stop::Failed(SetFailureKind::Initial, span));
        }
        Ok(())
    }

    /// Runs an instruction; returns the next one.
    fn instruction(&mut self, instr: &HeapInstr) -> Checked<Pc> {
        let span = instr.span;
        match &instr.op {
            // The method derives the abstract set; points do not matter.
            HeapOp::Atomic { .. } | HeapOp::Lin { .. } => {}
            HeapOp::Assign { to, value } => {
                let values = self.eval(value, span)?;
                self.assign(to, &values, span)?;
            }
            HeapOp::Branch { cond, then, otherwise } => {
                return Ok(if self.condition(cond, span)? { *then } else { *otherwise });
            }
            HeapOp::ChooseBool { into } => {
                let chosen = truth(self.chooser.pick(2) == 1);
                let into = linchpin_ir::heap::HeapLocal { local: *into, part: None };
                self.assign(&into, &[chosen], span)?;
            }
            HeapOp::Assert(cond) => {
                let before = self.sides_compared;
                if !self.condition(cond, span)? {
                    // Another watched key decides the only comparison of this assertion.
                    let elsewhere = self.sides_compared > before && comparisons(cond) == 1;
                    return Err(match elsewhere {
                        true => Stop::Impossible,
                        false => Stop::Failed(SetFailureKind::Assertion, span),
                    });
                }
            }
            HeapOp::Assume(cond) => {
                if !self.condition(cond, span)? {
                    return Err(Stop::Impossible);
                }
            }
            HeapOp::Load { into, from } => {
                let values = self.read(from, span)?;
                self.assign(into, &values, span)?;
            }
            HeapOp::Store { to, value } => {
                let values = self.eval(value, span)?;
                self.write_place(to, &values, span)?;
            }
            HeapOp::Swap { into, place, value } => {
                let values = self.eval(value, span)?;
                let old = self.read(place, span)?;
                self.write_place(place, &values, span)?;
                if let Some(into) = into {
                    self.assign(into, &old, span)?;
                }
            }
            HeapOp::Cas { into, place, old, new } => {
                let (old, new) = (self.eval(old, span)?, self.eval(new, span)?);
                let done = self.place_equals(place, &old, span)?;
                if done {
                    self.write_place(place, &new, span)?;
                }
                if let Some(into) = into {
                    self.assign(into, &[truth(done)], span)?;
                }
            }
            HeapOp::CmpXchg { into, place, old, new } => {
                let (old, new) = (self.eval(old, span)?, self.eval(new, span)?);
                let found = self.read(place, span)?;
                if self.equal(&found, &old, span)? {
                    self.write_place(place, &new, span)?;
                }
                if let Some(into) = into {
                    self.assign(into, &found, span)?;
                }
            }
            HeapOp::Dcas { into, places, olds, news } => {
                let mut done = true;
                let mut written = Vec::new();
                for ((place, old), new) in places.iter().zip(olds.iter()).zip(news.iter()) {
                    let (old, new) = (self.eval(old, span)?, self.eval(new, span)?);
                    done &= self.place_equals(place, &old, span)?;
                    written.push((place, new));
                }
                for (place, new) in written.iter().filter(|_| done) {
                    self.write_place(place, new, span)?;
                }
                if let Some(into) = into {
                    self.assign(into, &[truth(done)], span)?;
                }
            }
            HeapOp::New { into, fields, .. } => {
                let mut given = Vec::new();
                for (field, value) in fields {
                    given.push((*field, self.eval(value, span)?));
                }
                let made = self.make_cell(&given, span)?;
                self.assign(into, &[SlotValue::Cell(made)], span)?;
            }
            HeapOp::Lock(place) => {
                let lock = self.lock(place, span)?;
                self.judge_order(lock, span)?;
                if self.holds(lock) {
                    // The thread waits for itself.
                    return Err(Stop::Impossible);
                }
                self.set_held(lock, true);
            }
            HeapOp::TryLock { into, place } => {
                let lock = self.lock(place, span)?;
                let taken = !self.holds(lock) && self.chooser.pick(2) == 1;
                if taken {
                    self.set_held(lock, true);
                }
                if let Some(into) = into {
                    self.assign(into, &[truth(taken)], span)?;
                }
            }
            HeapOp::IsLocked { into, place } => {
                let lock = self.lock(place, span)?;
                let held = self.holds(lock) || self.chooser.pick(2) == 1;
                if let Some(into) = into {
                    self.assign(into, &[truth(held)], span)?;
                }
            }
            HeapOp::Unlock(place) => {
                let lock = self.lock(place, span)?;
                if !self.holds(lock) {
                    return Err(Stop::Failed(SetFailureKind::NotHolder, span));
                }
                self.set_held(lock, false);
            }
            HeapOp::Await(_) | HeapOp::Free(_) | HeapOp::Return(_) => return Err(misfit(span)),
        }
        Ok(instr.next)
    }

    fn assign(&mut self, to: &linchpin_ir::heap::HeapLocal, values: &[SlotValue], span: Span) -> Checked<()> {
        let range = self.frame.local(to.local, to.part).filter(|range| range.len() == values.len());
        let range = range.ok_or_else(|| misfit(span))?;
        self.world.slots[range].copy_from_slice(values);
        Ok(())
    }

    /// The cell that a place is in.
    fn cell_of(&mut self, pointer: &linchpin_ir::heap::HeapExpr, span: Span) -> Checked<u8> {
        match self.eval(pointer, span)?[..] {
            [SlotValue::Cell(cell)] => Ok(cell),
            [SlotValue::Null] => Err(Stop::Failed(SetFailureKind::NullAccess, span)),
            _ => Err(misfit(span)),
        }
    }

    fn read(&mut self, place: &HeapPlace, span: Span) -> Checked<Values> {
        match &place.base {
            HeapBase::Global(id) => match self.layout.global(*id) {
                Some(SetGlobal::Pointer(number)) => Ok([self.world.shared[number]].into_iter().collect()),
                _ => Err(misfit(span)),
            },
            HeapBase::Field { pointer, field, .. } => {
                let cell = self.cell_of(pointer, span)?;
                self.read_field(cell, *field, place.part, span)
            }
            HeapBase::Element { .. } => Err(misfit(span)),
        }
    }

    fn place_equals(&mut self, place: &HeapPlace, values: &[SlotValue], span: Span) -> Checked<bool> {
        if let HeapBase::Field { pointer, field, .. } = &place.base {
            let cell = self.cell_of(pointer, span)?;
            return self.field_equals(cell, *field, place.part, values, span);
        }
        let now = self.read(place, span)?;
        self.equal(&now, values, span)
    }

    fn write_place(&mut self, place: &HeapPlace, values: &[SlotValue], span: Span) -> Checked<()> {
        match &place.base {
            HeapBase::Global(id) => match (self.layout.global(*id), values) {
                (Some(SetGlobal::Pointer(number)), [value]) if self.op.is_none() => {
                    self.world.shared[number] = *value;
                    Ok(())
                }
                _ => Err(misfit(span)),
            },
            HeapBase::Field { pointer, field, .. } => {
                let cell = self.cell_of(pointer, span)?;
                self.write_field(cell, *field, place.part, values, span)
            }
            HeapBase::Element { .. } => Err(misfit(span)),
        }
    }

    fn lock(&mut self, place: &HeapPlace, span: Span) -> Checked<SetLock> {
        match &place.base {
            HeapBase::Global(id) => match self.layout.global(*id) {
                Some(SetGlobal::Lock(number)) => Ok(SetLock::Shared(number)),
                _ => Err(misfit(span)),
            },
            HeapBase::Field { pointer, field, .. } => {
                let cell = self.cell_of(pointer, span)?;
                match self.layout.cell().fields.get(*field) {
                    Some(SetField::Lock) => Ok(SetLock::OfCell(cell)),
                    _ => Err(misfit(span)),
                }
            }
            HeapBase::Element { .. } => Err(misfit(span)),
        }
    }

    fn holds(&self, lock: SetLock) -> bool {
        match lock {
            SetLock::Shared(number) => self.world.locks & (1 << number) != 0,
            SetLock::OfCell(cell) => self.cell(cell).mine,
        }
    }

    fn set_held(&mut self, lock: SetLock, held: bool) {
        match lock {
            SetLock::Shared(number) if held => self.world.locks |= 1 << number,
            SetLock::Shared(number) => self.world.locks &= !(1 << number),
            SetLock::OfCell(cell) => self.world.cells[usize::from(cell)].mine = held,
        }
    }

    /// Freedom from deadlock: a thread that waits for a lock holds only smaller ones. Shared locks are
    /// smaller than those of cells; cells are ordered by their keys. Of two keys of one side, another watched
    /// key decides.
    fn judge_order(&self, lock: SetLock, span: Span) -> Checked<()> {
        let mine = || (0..).zip(&self.world.cells).filter(|(_, cell)| cell.mine);
        let in_order = match lock {
            SetLock::Shared(number) => self.world.locks >> number == 0 && mine().next().is_none(),
            SetLock::OfCell(cell) => mine().all(|(held, fact)| {
                let (held_class, class) = (fact.label.class, self.cell(cell).label.class);
                let undecided = held_class == class && matches!(class, KeyClass::Below | KeyClass::Above);
                held != cell && (held_class < class || undecided)
            }),
        };
        if in_order || !self.witness.deadlock_free {
            return Ok(());
        }
        Err(Stop::Failed(SetFailureKind::LockOrder, span))
    }
}

/// A lock: the shared one with this number, or that of a cell.
#[derive(Clone, Copy)]
enum SetLock {
    Shared(u32),
    OfCell(u8),
}
