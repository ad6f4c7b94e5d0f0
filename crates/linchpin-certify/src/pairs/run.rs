//! Runs steps of a program on configurations: the checker's own reading of every instruction.
//!
//! Where a configuration does not determine how a step continues, it is split into cases. A case ends with
//! the step, where the thread is blocked, or with a fault. A fault, or anything else that an invariant must
//! exclude, is an [`ObligationFailure`].

use super::config::{Config, FailureKind, ObligationFailure, Val, Values, default};
use super::eval::Site;
use super::faults::Fault;
use super::graph::{Algebra, Graph, Labels, NodeId};
use super::labels::all_labels;
use super::memory::Writer;
use crate::certificate::{Effect, Obligation, Rest, Symbol};
use crate::observer_adequacy::ObserverProduct;
use linchpin_ir::heap::layout::{HeapLayout, LockId};
use linchpin_ir::heap::{HeapBase, HeapInstr, HeapOp, HeapPlace, HeapScalar, HeapType};
use linchpin_ir::index::Index;
use linchpin_ir::program::{Access, OpId, Pc};
use linchpin_semantics::FaultProperty;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;

pub(super) type Case = Box<Config>;
pub(super) type Cases = SmallVec<[Case; 2]>;
pub(super) type Split = SmallVec<[(Case, bool); 2]>;
pub(super) type Checked<T> = Result<T, FailureKind>;

/// The program, the certificate and the obligation for which steps are run.
pub(super) struct Runner<'r> {
    pub layout: &'r HeapLayout,
    pub algebra: &'r Algebra,
    pub rests: &'r [Rest],
    /// The number of the rest in front of each instruction, by operation.
    pub rest_numbers: &'r [Vec<Option<u16>>],
    pub question: Obligation,
    /// The observers, and the locations from which no observer can accept; `None` for memory and assertions.
    pub observers: Option<(&'r ObserverProduct, &'r BTreeSet<u16>)>,
    /// The invariant claims that no edge leads to a smaller label.
    pub ordered: bool,
    /// A `new` inside `init` returns a cell that was never used.
    pub pristine: bool,
}

/// The maximal number of instructions of one step. A longer step counts as endless.
const MOST_WORK: u32 = 10_000;

/// The position of a place.
pub(super) enum Located {
    /// These parts of the shared variables.
    Parts(std::ops::Range<usize>),
    InCell,
    /// The index is outside of the array: the execution ends with a fault.
    OutOfBounds,
    Unclear,
}

/// Cases, each with the next instruction.
type After = SmallVec<[(Case, Pc); 4]>;

impl Runner<'_> {
    /// Returns the graph without cells.
    pub fn empty_graph(&self) -> Graph {
        let label = self.layout.cell().label;
        let labels = label.map(|label| Labels { all: all_labels(label), ordered: self.ordered });
        Graph::new(super::config::sentinels(self.layout), labels)
    }

    pub fn is_memory(&self) -> bool {
        matches!(self.question, Obligation::Memory { .. })
    }

    /// Returns the number of tracked cells: one for each observer variable, or the watched cell.
    pub fn variables(&self) -> usize {
        match self.question {
            Obligation::Observers(_) => self.observers.map_or(0, |(observers, _)| observers.variables),
            Obligation::Memory { .. } => 1,
            Obligation::Assertions => 0,
        }
    }

    /// Returns whether a failure concerns the obligation.
    pub fn concerns(&self, failure: &ObligationFailure) -> bool {
        match failure.kind {
            FailureKind::Conformance(_) => matches!(self.question, Obligation::Observers(_)),
            FailureKind::Fault(fault) => match fault.property() {
                FaultProperty::MemorySafe => matches!(self.question, Obligation::Memory { .. }),
                FaultProperty::Assertions => matches!(self.question, Obligation::Assertions),
            },
            FailureKind::Method(_) => true,
        }
    }

    /// Returns every end of a step, or of the first step of a call, of a thread. Adds failures to `failures`.
    pub fn step(&self, config: &Config, actor: usize, failures: &mut Vec<ObligationFailure>) -> Vec<Case> {
        let mut ends = Vec::new();
        match config.threads[actor].at {
            Some(at) => {
                let rest = &self.rests[usize::from(at)];
                if let Some(case) = self.resumed(config, actor, rest) {
                    self.follow(case, Some(rest.op), rest.pc, true, &mut ends, failures);
                }
            }
            None => {
                for op in self.layout.heap().ops().ids() {
                    let entry = self.layout.heap().ops()[op].method.entry;
                    for case in self.calls(config, actor, op) {
                        self.follow(case, Some(op), entry, false, &mut ends, failures);
                    }
                }
            }
        }
        ends.iter_mut().for_each(|end| end.forget(self.layout, self.rests));
        ends
    }

    /// Returns the configuration in which the actor continues. Variables without a slot in its rest have any
    /// value.
    fn resumed(&self, config: &Config, actor: usize, rest: &Rest) -> Option<Case> {
        let frame = self.layout.frame(Some(rest.op))?;
        let mut case = Box::new(config.clone());
        case.actor = actor;
        case.vars = frame.parts().iter().map(|part| Val::Any(part.sort)).collect();
        for (slot, value) in rest.slots.iter().zip(&config.threads[actor].slots) {
            let at = frame.local(slot.slot.local, Some(slot.slot.part))?.start;
            case.vars[at] = *value;
        }
        Some(case)
    }

    /// Returns every end of `init`. The last thread of the configuration runs it.
    pub fn init(&self, config: Config, failures: &mut Vec<ObligationFailure>) -> Vec<Case> {
        let mut case = Box::new(config);
        case.actor = case.threads.len() - 1;
        let frame = self.layout.frame(None);
        case.vars = frame.map_or(&[][..], |frame| frame.parts()).iter().map(|part| default(*part)).collect();
        let mut ends = Vec::new();
        self.follow(case, None, self.layout.heap().init().entry, true, &mut ends, failures);
        ends
    }

    /// Returns the configurations after a call of an operation, for each choice of arguments. Each observer
    /// variable is an argument at most once.
    fn calls(&self, config: &Config, actor: usize, op: OpId) -> Vec<Case> {
        let method = self.layout.method(Some(op));
        let Some(frame) = self.layout.frame(Some(op)) else { return Vec::new() };
        let mut first = Box::new(config.clone());
        first.actor = actor;
        first.vars = frame.parts().iter().map(|part| default(*part)).collect();
        let mut cases = vec![first];
        for param in &method.params {
            let Some(slots) = frame.local(*param, None) else { return Vec::new() };
            let choices: Vec<Val> = match &method.locals[*param].ty {
                HeapType::Scalar(HeapScalar::Bool) => vec![Val::Small(0), Val::Small(1)],
                HeapType::Scalar(HeapScalar::Small { low, high }) => {
                    (*low..=*high).filter_map(|value| i8::try_from(value).ok()).map(Val::Small).collect()
                }
                HeapType::Scalar(HeapScalar::Key) => {
                    (0..crate::observer_adequacy::KEY_CLASSES).map(Val::Key).collect()
                }
                HeapType::Scalar(HeapScalar::Data) => {
                    let variables = self.observers.map_or(0, |(observers, _)| observers.variables);
                    let tracked = (0..variables).filter_map(|at| u8::try_from(at).ok()).map(Val::Tracked);
                    tracked.chain([Val::Other]).collect()
                }
                _ => Vec::new(),
            };
            let mut longer = Vec::new();
            for case in &cases {
                if choices.is_empty() {
                    let mut case = case.clone();
                    slots.clone().for_each(|at| case.vars[at] = Val::Any(frame.parts()[at].sort));
                    longer.push(case);
                }
                for choice in &choices {
                    let mut case = case.clone();
                    if let Val::Tracked(variable) = choice {
                        if case.used >> variable & 1 == 1 {
                            continue;
                        }
                        case.used |= 1 << variable;
                        case.visible = true;
                    }
                    slots.clone().for_each(|at| case.vars[at] = *choice);
                    longer.push(case);
                }
            }
            cases = longer;
        }
        cases
    }

    /// Runs from an instruction to the end of the step. The first step of a call makes an access only if the
    /// access cannot block.
    fn follow(
        &self,
        case: Case,
        op: Option<OpId>,
        from: Pc,
        resumed: bool,
        ends: &mut Vec<Case>,
        failures: &mut Vec<ObligationFailure>,
    ) {
        let method = self.layout.method(op);
        let Some(frame) = self.layout.frame(op) else { return };
        let mut open = vec![(case, from, false)];
        while let Some((mut case, pc, mut accessed)) = open.pop() {
            let instr = &method.code[pc];
            let mut site = Site { frame, span: instr.span, failures };
            if let (Access::Step { can_block }, Some(op)) = (instr.access, op) {
                if accessed || (can_block && !resumed) {
                    self.rest(&mut site, case, op, pc, ends);
                    continue;
                }
                accessed = true;
            }
            case.fuel += 1;
            if case.fuel > MOST_WORK {
                site.report(FailureKind::Method("local work may not end"));
                continue;
            }
            if let HeapOp::Return(value) = &instr.op {
                self.end(&mut site, case, op, value.as_ref(), ends);
                continue;
            }
            let after = self.instruction(&mut site, case, op, instr);
            open.extend(after.into_iter().map(|(case, pc)| (case, pc, accessed)));
        }
    }

    fn instruction(&self, site: &mut Site, case: Case, op: Option<OpId>, instr: &HeapInstr) -> After {
        let mut after = After::new();
        let next = instr.next;
        match &instr.op {
            HeapOp::Atomic { .. } => after.push((case, next)),
            HeapOp::Assign { to, value } => {
                for (mut case, values) in self.eval(site, case, value) {
                    if site.assign(&mut case, to, &values) {
                        after.push((case, next));
                    }
                }
            }
            HeapOp::Branch { cond, then, otherwise } => {
                let split = self.condition(site, case, cond);
                after.extend(
                    split.into_iter().map(|(case, yes)| (case, if yes { *then } else { *otherwise })),
                );
            }
            HeapOp::ChooseBool { into } => {
                let into = linchpin_ir::heap::HeapLocal { local: *into, part: None };
                for chosen in [0, 1] {
                    let mut case = case.clone();
                    if site.assign(&mut case, &into, &[Val::Small(chosen)]) {
                        after.push((case, next));
                    }
                }
            }
            HeapOp::Assert(cond) => {
                for (case, yes) in self.condition(site, case, cond) {
                    match yes {
                        true => after.push((case, next)),
                        false => site.report(FailureKind::Fault(Fault::Assert)),
                    }
                }
            }
            // No execution has a false assumption; an `await` waits.
            HeapOp::Assume(cond) | HeapOp::Await(cond) => {
                let split = self.condition(site, case, cond);
                after.extend(split.into_iter().filter(|(_, yes)| *yes).map(|(case, _)| (case, next)));
            }
            HeapOp::Lin { maybe, cond } => {
                let split = match cond {
                    Some(cond) => self.condition(site, case, cond),
                    None => smallvec![(case, true)],
                };
                for (case, yes) in split {
                    match if yes { self.point(site, case, op, *maybe) } else { Ok(case) } {
                        Ok(case) => after.push((case, next)),
                        Err(kind) => site.report(kind),
                    }
                }
            }
            HeapOp::Load { into, from } => {
                for (mut case, values) in self.read(site, case, from) {
                    if site.assign(&mut case, into, &values) {
                        after.push((case, next));
                    }
                }
            }
            HeapOp::Store { to, value } => {
                for (case, values) in self.eval(site, case, value) {
                    let written = self.write(site, case, to, &values, Writer::plain(op));
                    after.extend(written.into_iter().map(|case| (case, next)));
                }
            }
            HeapOp::Swap { into, place, value } => {
                for (case, values) in self.eval(site, case, value) {
                    for (case, old) in self.read(site, case, place) {
                        for mut case in self.write(site, case, place, &values, Writer::plain(op)) {
                            if into.iter().all(|into| site.assign(&mut case, into, &old)) {
                                after.push((case, next));
                            }
                        }
                    }
                }
            }
            HeapOp::Cas { into, place, old, new } => {
                for (mut case, _, done) in self.compare_and_set(site, case, op, place, old, new) {
                    let result = [Val::Small(i8::from(done))];
                    if into.iter().all(|into| site.assign(&mut case, into, &result)) {
                        after.push((case, next));
                    }
                }
            }
            HeapOp::CmpXchg { into, place, old, new } => {
                for (mut case, found, _) in self.compare_and_set(site, case, op, place, old, new) {
                    if into.iter().all(|into| site.assign(&mut case, into, &found)) {
                        after.push((case, next));
                    }
                }
            }
            HeapOp::New { into, fields, .. } => {
                for (mut case, cell) in self.allocate(site, case, op, fields) {
                    if site.assign(&mut case, into, &[Val::Node(cell)]) {
                        after.push((case, next));
                    }
                }
            }
            HeapOp::Free(pointer) => {
                let freed = self.free(site, case, pointer);
                after.extend(freed.into_iter().map(|case| (case, next)));
            }
            HeapOp::Lock(place) => {
                for (mut case, lock) in self.lock(site, case, place) {
                    if self.take(&mut case, lock) {
                        after.push((case, next));
                    }
                }
            }
            HeapOp::TryLock { into, place } => {
                for (mut case, lock) in self.lock(site, case, place) {
                    let result = [Val::Small(i8::from(self.take(&mut case, lock)))];
                    if into.iter().all(|into| site.assign(&mut case, into, &result)) {
                        after.push((case, next));
                    }
                }
            }
            HeapOp::IsLocked { into, place } => {
                for (mut case, lock) in self.lock(site, case, place) {
                    let result = [Val::Small(i8::from(case.held & lock.bit() != 0))];
                    if into.iter().all(|into| site.assign(&mut case, into, &result)) {
                        after.push((case, next));
                    }
                }
            }
            HeapOp::Unlock(place) => {
                for (mut case, lock) in self.lock(site, case, place) {
                    if case.me().holds & lock.bit() == 0 {
                        site.report(FailureKind::Fault(Fault::NotHolder));
                        continue;
                    }
                    case.held &= !lock.bit();
                    case.me().holds &= !lock.bit();
                    case.visible = true;
                    after.push((case, next));
                }
            }
            HeapOp::Dcas { .. } | HeapOp::Return(_) => {
                site.report(FailureKind::Method("the method does not support this instruction"));
            }
        }
        after
    }

    /// Takes a lock unless a thread holds it.
    fn take(&self, case: &mut Config, lock: LockId) -> bool {
        let is_free = case.held & lock.bit() == 0;
        if is_free {
            case.held |= lock.bit();
            case.me().holds |= lock.bit();
            case.visible = true;
        }
        is_free
    }

    /// Returns the lock at a place, in each case.
    fn lock(&self, site: &mut Site, case: Case, place: &HeapPlace) -> SmallVec<[(Case, LockId); 1]> {
        let mut all = SmallVec::new();
        for (case, located) in self.locate(site, case, place) {
            match located {
                Located::Parts(parts) => match self.layout.lock(&parts) {
                    Some(lock) => all.push((case, lock)),
                    None => site.report(FailureKind::Method("the place is not a lock")),
                },
                Located::OutOfBounds => site.report(FailureKind::Fault(Fault::Index)),
                Located::Unclear => site.report(FailureKind::Method("the index is not known")),
                Located::InCell => site.report(FailureKind::Method("the lock is in a cell")),
            }
        }
        all
    }

    /// Returns the position of a place among the shared variables, in each case.
    pub fn locate(&self, site: &mut Site, case: Case, place: &HeapPlace) -> SmallVec<[(Case, Located); 1]> {
        let resolved = |parts: Option<std::ops::Range<usize>>| parts.map_or(Located::Unclear, Located::Parts);
        match &place.base {
            HeapBase::Global(global) => {
                smallvec![(case, resolved(self.layout.shared_parts(*global, 0, 0, place.part)))]
            }
            HeapBase::Element { array, index, field } => {
                let at = |values: &Values| match values[..] {
                    [Val::Small(number)] => match usize::try_from(number) {
                        Ok(element) if element < self.layout.elements(*array) => {
                            resolved(self.layout.shared_parts(*array, element, *field, place.part))
                        }
                        _ => Located::OutOfBounds,
                    },
                    _ => Located::Unclear,
                };
                let indices = self.eval(site, case, index).into_iter();
                indices.map(|(case, values)| (case, at(&values))).collect()
            }
            HeapBase::Field { .. } => smallvec![(case, Located::InCell)],
        }
    }

    /// Splits a case: two nodes have one of these relations, or they do not.
    pub fn split(&self, case: Case, a: NodeId, b: NodeId, set: u8) -> Split {
        let (a, b) = (a.index(), b.index());
        let now = case.graph.get(a, b);
        if now & set == 0 || now & !set == 0 {
            return smallvec![(case, now & set != 0)];
        }
        let mut all = Split::new();
        for (kept, yes) in [(set, true), (!set, false)] {
            let mut case = case.clone();
            if case.graph.restrict(self.algebra, a, b, kept).is_ok() {
                all.push((case, yes));
            }
        }
        all
    }

    /// Makes the actor pass a linearization point.
    fn point(&self, site: &mut Site, mut case: Case, op: Option<OpId>, maybe: bool) -> Checked<Case> {
        let (Some((observers, _)), Some(op)) = (self.observers, op) else { return Ok(case) };
        let failure = |text: &str| FailureKind::Conformance(text.into());
        let mut args: SmallVec<[Val; 2]> = SmallVec::new();
        for param in &self.layout.method(Some(op)).params {
            let slots = site.frame.local(*param, None).and_then(|slots| case.vars.get(slots));
            args.extend(slots.unwrap_or(&[Val::Wild]).iter().copied());
        }
        let unclear = || failure("the arguments are not known at the point");
        if self.event(op, &args, None).is_none() {
            return Err(unclear());
        }
        match (case.me().effect, maybe) {
            (Effect::Done(_) | Effect::Due, true) => Ok(case),
            (Effect::Done(_) | Effect::Due, false) => Err(failure("a call may take effect twice")),
            (Effect::Waiting | Effect::Tentative { .. }, false) => {
                case.me().effect = Effect::Due;
                case.event = Some(args);
                Ok(case)
            }
            (Effect::Waiting | Effect::Tentative { .. }, true) => {
                let event = self.event(op, &args, Some(Symbol::Absent)).ok_or_else(unclear)?;
                let to = observers.step(case.location, &event);
                let right = observers.accepting(to).is_none();
                if right && to != case.location {
                    return Err(failure("a tentative point may change the location of an observer"));
                }
                case.me().effect = Effect::Tentative { right };
                Ok(case)
            }
        }
    }

    /// Returns the number of the rest in front of an instruction.
    pub fn rest_number(&self, op: OpId, pc: Pc) -> Option<u16> {
        self.rest_numbers.get(op.index()).and_then(|rests| rests.get(pc.index()).copied().flatten())
    }
}
