//! Steps that nobody else can tell from steps that were made earlier: the partial order reduction's eyes.
//!
//! A step of thread t is *local* in a state if, until t moves, no step of another thread can conflict with it, whatever the
//! others do. Then t may as well make it at once (Lipton's movers; PAT 4.3, A.1: Cartesian paths). From the present state:
//!
//! | rule | access | why others cannot conflict |
//! |---|---|---|
//! | private | any access to a cell that only t can reach | to reach it they need a pointer that only t can publish |
//! | doomed | `cas` that expects a cell which only t can reach and which is not there; `dcas` likewise; `gc` memory only | nobody else can put the pointer there, so it fails whenever it is made |
//! | protected | access to what a lock protects, or to an element of an array that has a lock of its own ([`linchpin_ir::program::protection`]) | they would need the lock, which t holds |
//! | release | `unlock` of a lock that is never tried nor looked at | all they can do with the lock is wait for it |
//! | private release | `free` of a cell that only t can reach | they cannot reach it; as a cell for `new` it only adds to their choice |
//!
//! The state must show it *now*, and each condition lasts until t moves. A step that allocates is never local, although
//! nobody sees the new cell: under a bound on cells, allocating early takes from others what allocating late leaves
//! them. The same holds for a step with several outcomes and for one with a second access (`await`, `atomic`). Whether
//! a step is visible (an annotated point) the caller sees when it makes it.
//!
//! Making a local step early may end an operation early, or drop the last pointer to a cell early. The first makes a history
//! harder to explain, never easier (an operation that ends before another begins precedes it); the second leaves
//! others more cells. So every violation that the full search finds, the reduced one finds (docs/soundness.md).

use super::sharing::HeapSharing;
use linchpin_ir::index::Index;
use linchpin_ir::program::protection::Protection;
use linchpin_ir::program::{MemoryKind, Pc};
use linchpin_ir::types::Scalar;
use linchpin_semantics::raw::{self, AT, Base, Code, Op, ResolvedPlace, Target, Term, Thread};
use linchpin_semantics::{CellId, Machine, Site, State, ThreadId};
use smallvec::SmallVec;

/// What is known of the steps of a program before it runs.
#[derive(Clone, Debug)]
pub struct Movers {
    /// By address.
    steps: Box<[Step]>,
    /// The slots of a value that are pointers, by type.
    pointers: Box<[Box<[usize]>]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// Not looked at.
    Never,
    /// In every state.
    Always,
    /// The state has to show it.
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

    /// Nothing is local.
    pub fn none(machine: &Machine) -> Movers {
        Movers {
            steps: raw::code(machine).instrs.iter().map(|_| Step::Never).collect(),
            pointers: Box::default(),
        }
    }

    /// Whether it is worth asking [`Movers::is_local`] of some thread.
    pub fn may_be_local(&self, machine: &Machine, state: &State, thread: ThreadId) -> bool {
        self.step(machine, state, thread).is_some_and(|(step, _)| step != Step::Never)
    }

    /// Whether the next step of a thread is local; `sharing` is the present state's.
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
                let mut eyes = Eyes {
                    thread: Thread { code, state, block, me },
                    number: thread,
                    sharing,
                    pointers: &self.pointers,
                };
                eyes.is_local(&code.instrs[at].op)
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

/// The step has one access, and its local work stays in this text.
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

/// A thread that looks at its next step without making it.
struct Eyes<'a> {
    thread: Thread<'a>,
    number: ThreadId,
    sharing: &'a mut HeapSharing,
    pointers: &'a [Box<[usize]>],
}

impl Eyes<'_> {
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

    /// The place holds something else than what is expected, and what is expected has a pointer that only this thread has.
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
