//! Finds local steps: steps that other threads cannot distinguish from the same step made earlier.
//!
//! A step of thread t is *local* in a state if no step of another thread can conflict with it until t moves.
//! Then t may make it at once (Lipton's movers; PAT 4.3, A.1: Cartesian paths). These rules decide it in the
//! present state:
//!
//! | rule | access | why other threads cannot conflict |
//! |---|---|---|
//! | private | any access to a cell that only t can reach | they need a pointer that only t can publish |
//! | doomed | `cas` or `dcas` that expects a cell which only t can reach and which is not there; `gc` memory only | only t can store that pointer, so the `cas` fails whenever it is made |
//! | protected | access to what a lock protects, or to an array element with its own lock ([`linchpin_ir::program::protection`]) | they need the lock, which t holds |
//! | release | `unlock` of a lock that is never tried and never read | they can only wait for the lock |
//! | private release | `free` of a cell that only t can reach | they cannot reach the cell; `new` only has more choices |
//!
//! The condition must hold in the present state, and it lasts until t moves. These steps are never local:
//!
//! - a step that allocates: under the bound on cells, allocating early takes a cell away from the others;
//! - a step with several outcomes, or with a second access (`await`, `atomic`).
//!
//! The caller finds out whether a step is visible (an annotated point) by making it.
//!
//! **Claim.** The reduced search finds every violation that the full search finds.
//!
//! **Proof.** A local step made early may end an operation early. That makes a history harder to explain,
//! never easier, because an operation that ends before another begins precedes it. It may also drop the last
//! pointer to a cell early. That leaves more cells to the others. The whole argument is in docs/soundness.md.
//!
//! **Guarded by** `tests/suite/reductions`.

use super::sharing::HeapSharing;
use linchpin_ir::index::Index;
use linchpin_ir::program::protection::Protection;
use linchpin_ir::program::{MemoryKind, Pc};
use linchpin_ir::types::Scalar;
use linchpin_semantics::raw::{self, AT, Base, Code, Op, ResolvedPlace, Target, Term, Thread};
use linchpin_semantics::{CellId, Machine, Site, State, ThreadId};
use smallvec::SmallVec;

/// Static facts about the steps of a program.
#[derive(Clone, Debug)]
pub struct Movers {
    /// The class of the step at each address.
    steps: Box<[Step]>,
    /// The slots of a value that are pointers, by type.
    pointers: Box<[Box<[usize]>]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// The step is local in no state.
    Never,
    /// The step is local in every state.
    Always,
    /// The state decides.
    Perhaps,
}

impl Movers {
    pub fn of(machine: &Machine) -> Movers {
        let protection = Protection::of(machine.program());
        let steps =
            (0..raw::code(machine).instrs.len()).map(|at| classify(machine, &protection, at)).collect();
        let types = &machine.program().types;
        let pointers = |ty| -> Box<[usize]> {
            let slots = types.slots(ty).into_iter().enumerate();
            slots.filter(|(_, slot)| slot.scalar == Scalar::Pointer).map(|(at, _)| at).collect()
        };
        Movers { steps, pointers: types.ids().map(pointers).collect() }
    }

    /// Returns the movers for which no step is local.
    pub fn none(machine: &Machine) -> Movers {
        Movers {
            steps: raw::code(machine).instrs.iter().map(|_| Step::Never).collect(),
            pointers: Box::default(),
        }
    }

    /// Checks whether the next step of a thread is local in some state.
    pub fn may_be_local(&self, machine: &Machine, state: &State, thread: ThreadId) -> bool {
        self.step(machine, state, thread).is_some_and(|(step, _)| step != Step::Never)
    }

    /// Checks whether the next step of a thread is local. `sharing` belongs to the present state.
    pub fn is_local(
        &self,
        machine: &Machine,
        state: &mut State,
        thread: ThreadId,
        sharing: &mut HeapSharing,
    ) -> bool {
        let Some((step, at)) = self.step(machine, state, thread) else { return false };
        match step {
            Step::Never => false,
            Step::Always => true,
            Step::Perhaps => {
                let code = raw::code(machine);
                let block = code.layout.block_of(thread);
                let me = thread.word();
                let mut inspector = StepInspector {
                    thread: Thread { code, state, block, me },
                    number: thread,
                    sharing,
                    pointers: &self.pointers,
                };
                inspector.is_local(&code.instrs[at].op)
            }
        }
    }

    fn step(&self, machine: &Machine, state: &State, thread: ThreadId) -> Option<(Step, usize)> {
        let at = state.words[raw::code(machine).layout.block_of(thread) + AT];
        let at = usize::try_from(at).ok()?.checked_sub(1)?;
        Some((self.steps[at], at))
    }
}

fn classify(machine: &Machine, protection: &Protection, at: usize) -> Step {
    let code = raw::code(machine);
    let instr = &code.instrs[at];
    let method = &code.methods[instr.method as usize];
    let Site::Method(id) = method.site else { return Step::Never };
    if !instr.rests || !is_single(code, at) {
        return Step::Never;
    }
    let pc = Pc::new(at - method.start);
    let source = &machine.program().methods[id].code[pc].op;
    match &instr.op {
        Op::Unlock(_) if protection.is_only_taken(machine.program(), source) => Step::Always,
        _ if protection.is_protected(id, pc) => Step::Always,
        Op::Cas { .. } | Op::Dcas(_) | Op::Free { .. } => Step::Perhaps,
        op if place(op).is_some_and(|place| matches!(place.base, Base::Cell { .. })) => Step::Perhaps,
        _ => Step::Never,
    }
}

/// Checks that a step has one access, and that its local work stays in one method.
fn is_single(code: &Code, start: usize) -> bool {
    let mut seen = vec![false; code.instrs.len()];
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        let instr = &code.instrs[at];
        if std::mem::replace(&mut seen[at], true) || at != start && instr.rests {
            continue;
        }
        match &instr.op {
            Op::Atomic | Op::Await(_) | Op::Call { .. } | Op::WaitBegin { .. } | Op::WaitEnd { .. } => {
                return false;
            }
            Op::Return { .. } if code.has_calls => return false,
            Op::Return { .. } => {}
            Op::Branch { then, otherwise, .. } => open.extend([*then, *otherwise]),
            _ => open.push(instr.next),
        }
    }
    true
}

fn place(op: &Op) -> Option<&ResolvedPlace> {
    match op {
        Op::Load { from: place, .. }
        | Op::Store { to: place, .. }
        | Op::Collection { on: Target::Shared(place), .. }
        | Op::Cas { place, .. }
        | Op::CmpXchg { place, .. }
        | Op::Swap { place, .. }
        | Op::FetchAdd { place, .. }
        | Op::LoadLinked { place, .. }
        | Op::StoreConditional { place, .. }
        | Op::Lock(place)
        | Op::Unlock(place)
        | Op::TryLock { place, .. }
        | Op::IsLocked { place, .. } => Some(place),
        _ => None,
    }
}

/// Evaluates the operands of a thread's next step without making the step.
struct StepInspector<'a> {
    thread: Thread<'a>,
    number: ThreadId,
    sharing: &'a mut HeapSharing,
    pointers: &'a [Box<[usize]>],
}

impl StepInspector<'_> {
    fn is_local(&mut self, op: &Op) -> bool {
        let is_collected = self.thread.code.memory == MemoryKind::Gc;
        match op {
            Op::Free { pointer, .. } => self.is_private_pointer(pointer),
            Op::Dcas(dcas) => {
                dcas.places.iter().all(|place| self.is_private(place))
                    || is_collected
                        && (self.is_doomed(&dcas.places[0], &dcas.olds[0])
                            || self.is_doomed(&dcas.places[1], &dcas.olds[1]))
            }
            Op::Cas { place, old, .. } => {
                self.is_private(place) || is_collected && self.is_doomed(place, old)
            }
            op => place(op).is_some_and(|place| self.is_private(place)),
        }
    }

    fn is_private(&mut self, place: &ResolvedPlace) -> bool {
        match &place.base {
            Base::Cell { pointer, .. } => self.is_private_pointer(pointer),
            Base::Global(_) => false,
        }
    }

    fn is_private_pointer(&mut self, pointer: &Term) -> bool {
        let cell = self.thread.word(pointer).ok().and_then(CellId::of_pointer);
        cell.is_some_and(|cell| self.is_private_cell(cell))
    }

    fn is_private_cell(&mut self, cell: CellId) -> bool {
        self.sharing.is_private(self.thread.code, self.thread.state, cell, self.number)
    }

    /// Checks that a `cas` fails: the place does not hold the expected pointer, and only this thread has that
    /// pointer.
    fn is_doomed(&mut self, place: &ResolvedPlace, old: &Term) -> bool {
        let Ok(spot) = self.thread.spot(place) else { return false };
        let Ok(expected) = self.thread.value(old) else { return false };
        let found = self.thread.read(spot);
        let Some(pointers) = self.pointers.get(place.ty.index()) else { return false };
        let differing: SmallVec<[CellId; 4]> = pointers
            .iter()
            .filter(|at| found.get(**at) != expected.get(**at))
            .filter_map(|at| CellId::of_pointer(*expected.get(*at)?))
            .collect();
        differing.into_iter().any(|cell| self.is_private_cell(cell))
    }
}
