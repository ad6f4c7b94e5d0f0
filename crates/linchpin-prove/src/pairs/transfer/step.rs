//! One step of a thread: its access, the local work after it, and all cases.
//!
//! A case ends where the thread rests again or returns ([`super::finish`]), where the thread is blocked, or
//! with an error. An error has no successor: it is an alarm for the obligation that excludes it.

use super::ages::Writer;
use super::run::{AbstractRun, Case, Cases, Context, Outcomes};
use super::scene::{Thread, UnpackedView};
use crate::alarm::AlarmKind;
use crate::pairs::domain::value::Value;
use crate::pairs::program::AnalyzedMethod;
use linchpin_certify::certificate::{Effect, Symbol};
use linchpin_certify::observer_adequacy::KEY_CLASSES;
use linchpin_ir::heap::{HeapExpr, HeapInstr, HeapOp, HeapScalar, HeapType};
use linchpin_ir::index::Index;
use linchpin_ir::program::{Access, OpId, Pc};
use linchpin_ir::source::Span;
use smallvec::{SmallVec, smallvec};

/// The maximal number of instructions of one step. A longer step counts as endless.
const MOST_WORK: u32 = 10_000;

/// Cases, each with the next instruction.
type After = SmallVec<[(Case, Pc); 4]>;

impl Context<'_> {
    /// Computes every result of a step, or of the first step of a call, of the actor.
    pub fn step(&self, scene: UnpackedView, actor: usize, outcomes: &mut Outcomes) {
        match scene.threads[actor].at {
            Some(rest) => self.resume(scene, actor, rest, outcomes),
            None => self.calls(scene, actor, outcomes),
        }
        for thread in outcomes.cases.iter_mut().flat_map(|run| &mut run.scene.threads) {
            if let Some(rest) = thread.at.map(usize::from)
                && !self.program.beside_ages[rest].is_empty()
            {
                thread.forget_beside_stale(&self.program.rests[rest], &self.program.beside_ages[rest]);
            }
        }
    }

    /// Computes every result of `init`.
    pub fn init(&self, mut scene: UnpackedView, outcomes: &mut Outcomes) {
        scene.threads.push(Thread::idle());
        let actor = scene.threads.len() - 1;
        let env = self.program.init.slots.all.iter().map(|slot| Value::default_of(slot.sort)).collect();
        let run = AbstractRun { scene, actor, op: None, env, event: None, work: 0 };
        self.run(Box::new(run), self.program.heap().init().entry, true, outcomes);
    }

    fn resume(&self, scene: UnpackedView, actor: usize, rest: u16, outcomes: &mut Outcomes) {
        let at = &self.program.rests[rest as usize];
        let (_, analyzed) = self.program.method(at.op);
        let mut env: SmallVec<[Value; 20]> = analyzed.slots.all.iter().map(|_| Value::Unknown).collect();
        for (number, value) in self.program.rest_slots[rest as usize].iter().zip(&scene.threads[actor].slots)
        {
            env[*number] = *value;
        }
        let run = AbstractRun { scene, actor, op: Some(at.op), env, event: None, work: 0 };
        self.run(Box::new(run), at.pc, true, outcomes);
    }

    fn calls(&self, scene: UnpackedView, actor: usize, outcomes: &mut Outcomes) {
        for op in self.program.heap().ops().ids() {
            let (method, analyzed) = self.program.method(op);
            for (args, used) in self.arguments(&scene, op) {
                let mut env: SmallVec<[Value; 20]> =
                    analyzed.slots.all.iter().map(|slot| Value::default_of(slot.sort)).collect();
                for (param, value) in method.params.iter().zip(&args) {
                    for slot in analyzed.slots.of_local(*param, None) {
                        env[slot] = *value;
                    }
                }
                let mut scene = scene.clone();
                if used != scene.used {
                    scene.mark_visible();
                }
                scene.used = used;
                let run = AbstractRun { scene, actor, op: Some(op), env, event: None, work: 0 };
                self.run(Box::new(run), method.entry, false, outcomes);
            }
        }
    }

    /// Returns the arguments of a call, each with the used observer variables. A differentiated execution has
    /// each value once.
    fn arguments(&self, scene: &UnpackedView, op: OpId) -> Vec<(Vec<Value>, u8)> {
        let (method, _) = self.program.method(op);
        let variables =
            self.observers.map_or(0, |observers| u8::try_from(observers.variables).unwrap_or(u8::MAX));
        let mut all = vec![(Vec::new(), scene.used)];
        for param in &method.params {
            let values: Vec<Value> = match &method.locals[*param].ty {
                HeapType::Scalar(HeapScalar::Bool) => vec![Value::Small(0), Value::Small(1)],
                HeapType::Scalar(HeapScalar::Small { low, high }) => {
                    (*low..=*high).filter_map(|value| i8::try_from(value).ok()).map(Value::Small).collect()
                }
                HeapType::Scalar(HeapScalar::Key) => (0..KEY_CLASSES).map(Value::Key).collect(),
                HeapType::Scalar(HeapScalar::Data) => {
                    std::iter::once(Value::Other).chain((0..variables).map(Value::Tracked)).collect()
                }
                _ => vec![Value::Unknown],
            };
            all = all
                .into_iter()
                .flat_map(|(args, used)| {
                    values.iter().filter_map(move |value| {
                        let bit = match value {
                            Value::Tracked(variable) => 1 << variable,
                            _ => 0,
                        };
                        (used & bit == 0).then(|| ([&args[..], &[*value]].concat(), used | bit))
                    })
                })
                .collect();
        }
        all
    }

    /// Runs from an instruction to the end of the step. If `resumed`, the first access belongs to the step.
    /// Otherwise a call makes the first access only if it cannot block.
    fn run(&self, run: Case, from: Pc, resumed: bool, outcomes: &mut Outcomes) {
        // The run, its next instruction, and whether it has made its access.
        let mut open: SmallVec<[(Case, Pc, bool); 4]> = smallvec![(run, from, false)];
        let mut after = After::new();
        while let Some((mut run, pc, accessed)) = open.pop() {
            let op = run.op;
            let (method, _) = self.code(op);
            let instr = &method.code[pc];
            let mut accessed = accessed;
            if let Access::Step { can_block } = instr.access
                && op.is_some()
            {
                if accessed || (!resumed && can_block) {
                    self.rest(run, pc, outcomes);
                    continue;
                }
                accessed = true;
            }
            run.work += 1;
            if run.work > MOST_WORK {
                outcomes.alarm(AlarmKind::Endless, instr.span);
                continue;
            }
            if let HeapOp::Return(value) = &instr.op {
                self.end(run, value.as_ref(), instr.span, outcomes);
                continue;
            }
            self.instruction(run, instr, &mut after, outcomes);
            open.extend(after.drain(..).map(|(run, next)| (run, next, accessed)));
        }
    }

    fn instruction(&self, mut run: Case, instr: &HeapInstr, after: &mut After, outcomes: &mut Outcomes) {
        let span = instr.span;
        let op = run.op;
        let (_, analyzed) = self.code(op);
        if !self.keeps_ranges(&run, instr, outcomes) {
            return;
        }
        match &instr.op {
            HeapOp::Assign { to, value } => {
                for (mut run, values) in self.values(run, value, span, outcomes) {
                    run.assign(analyzed.slots.target(to), &values);
                    after.push((run, instr.next));
                }
            }
            HeapOp::Branch { cond, then, otherwise } => {
                let decided = self.decide(run, cond, span, outcomes);
                after.extend(
                    decided.into_iter().map(|(run, yes)| (run, if yes { *then } else { *otherwise })),
                );
            }
            HeapOp::ChooseBool { into } => {
                for choice in 0..2 {
                    let mut run = run.clone();
                    run.assign(analyzed.slots.of_local(*into, None), &[Value::Small(choice)]);
                    after.push((run, instr.next));
                }
            }
            HeapOp::Assert(cond) => {
                for (run, yes) in self.decide(run, cond, span, outcomes) {
                    if yes {
                        after.push((run, instr.next));
                    } else {
                        outcomes.alarm(AlarmKind::AssertFails, span);
                    }
                }
            }
            // No execution has a false assumption; an `await` waits.
            HeapOp::Assume(cond) | HeapOp::Await(cond) => {
                let decided = self.decide(run, cond, span, outcomes).into_iter().filter(|(_, yes)| *yes);
                after.extend(decided.map(|(run, _)| (run, instr.next)));
            }
            HeapOp::Lin { maybe, cond } => {
                let condition = cond.as_ref().unwrap_or(&HeapExpr::Bool(true));
                for (run, yes) in self.decide(run, condition, span, outcomes) {
                    let passed = if yes { self.point(run, *maybe, span, outcomes) } else { Some(run) };
                    after.extend(passed.map(|run| (run, instr.next)));
                }
            }
            HeapOp::Load { into, from } => {
                for (mut run, values) in self.read(run, from, span, outcomes) {
                    run.assign(analyzed.slots.target(into), &values);
                    after.push((run, instr.next));
                }
            }
            HeapOp::Store { to, value } => {
                for (run, values) in self.values(run, value, span, outcomes) {
                    let written = self.write(run, to, &values, Writer::plain(op), span, outcomes);
                    after.extend(written.into_iter().map(|run| (run, instr.next)));
                }
            }
            HeapOp::Swap { into, place, value } => {
                for (run, values) in self.values(run, value, span, outcomes) {
                    for (run, old) in self.read(run, place, span, outcomes) {
                        for mut run in self.write(run, place, &values, Writer::plain(op), span, outcomes) {
                            if let Some(into) = into {
                                run.assign(analyzed.slots.target(into), &old);
                            }
                            after.push((run, instr.next));
                        }
                    }
                }
            }
            HeapOp::Cas { into, place, old, new } | HeapOp::CmpXchg { into, place, old, new } => {
                let returns_value = matches!(instr.op, HeapOp::CmpXchg { .. });
                for (run, found) in self.read(run, place, span, outcomes) {
                    let expected = self.parts(&run, old);
                    for (run, same) in self.same(run, &found, &expected, span, outcomes) {
                        if !same && self.is_unseen(&run, analyzed, instr.next) {
                            continue;
                        }
                        let mut result = found.clone();
                        let written = if same {
                            let values = self.parts(&run, new);
                            outdate_found(&mut result, &values);
                            self.write(run, place, &values, Writer::cas(op), span, outcomes)
                        } else {
                            Cases::from_elem(run, 1)
                        };
                        let success = [Value::Small(i8::from(same))];
                        let result = if returns_value { &result[..] } else { &success };
                        for mut run in written {
                            if let Some(into) = into {
                                run.assign(analyzed.slots.target(into), result);
                            }
                            after.push((run, instr.next));
                        }
                    }
                }
            }
            HeapOp::New { into, fields, .. } => {
                for (mut run, cell) in self.allocate(run, fields, span, outcomes) {
                    run.assign(analyzed.slots.target(into), &[cell]);
                    after.push((run, instr.next));
                }
            }
            HeapOp::Free(pointer) => {
                let freed = self.free(run, pointer, span, outcomes);
                after.extend(freed.into_iter().map(|run| (run, instr.next)));
            }
            HeapOp::Lock(place) => {
                let Some(bit) = self.lock_bit(&run, place, span, outcomes) else { return };
                if run.scene.held & bit == 0 {
                    run.take_lock(bit);
                    after.push((run, instr.next));
                }
            }
            HeapOp::TryLock { into, place } => {
                let Some(bit) = self.lock_bit(&run, place, span, outcomes) else { return };
                let free = run.scene.held & bit == 0;
                if free {
                    run.take_lock(bit);
                }
                if let Some(into) = into {
                    run.assign(analyzed.slots.target(into), &[Value::Small(i8::from(free))]);
                }
                after.push((run, instr.next));
            }
            HeapOp::IsLocked { into, place } => {
                let Some(bit) = self.lock_bit(&run, place, span, outcomes) else { return };
                let held = run.scene.held & bit != 0;
                if let Some(into) = into {
                    run.assign(analyzed.slots.target(into), &[Value::Small(i8::from(held))]);
                }
                after.push((run, instr.next));
            }
            HeapOp::Unlock(place) => {
                let Some(bit) = self.lock_bit(&run, place, span, outcomes) else { return };
                if run.scene.threads[run.actor].holds & bit == 0 {
                    outcomes.alarm(AlarmKind::NotHolder, span);
                } else {
                    run.scene.held &= !bit;
                    let actor = run.actor;
                    run.scene.threads[actor].holds &= !bit;
                    run.scene.mark_visible();
                    after.push((run, instr.next));
                }
            }
            HeapOp::Atomic { .. } => after.push((run, instr.next)),
            // Heap programs of this method have no `dcas`, and a return ends the run earlier.
            HeapOp::Dcas { .. } | HeapOp::Return(_) => {}
        }
    }

    /// Returns whether other threads cannot see the rest of the step, and only visible results are needed.
    fn is_unseen(&self, run: &AbstractRun, analyzed: &AnalyzedMethod, from: Pc) -> bool {
        // A due call may take effect at the end of the step.
        let is_due = run.scene.threads[run.actor].effect == Effect::Due;
        self.visible_only && !is_due && analyzed.quiet[from.index()]
    }

    /// Passes a linearization point: the call takes effect in this step, or tentatively.
    fn point(&self, mut run: Case, maybe: bool, span: Span, outcomes: &mut Outcomes) -> Option<Case> {
        let Some(observers) = self.observers else { return Some(run) };
        let (Some(op), actor) = (run.op, run.actor) else { return Some(run) };
        let (method, analyzed) = self.program.method(op);
        let args: SmallVec<[Value; 2]> = method
            .params
            .iter()
            .flat_map(|param| analyzed.slots.of_local(*param, None))
            .map(|slot| run.env[slot])
            .collect();
        if args.contains(&Value::Unknown) {
            outcomes.alarm(AlarmKind::UnclearResult, span);
            return None;
        }
        match run.scene.threads[actor].effect {
            // A second point: a tentative point is ignored.
            Effect::Done(_) | Effect::Due if maybe => return Some(run),
            Effect::Done(_) | Effect::Due => {
                outcomes.alarm(AlarmKind::SecondPoint, span);
                return None;
            }
            _ => {}
        }
        if maybe {
            let event = self.event(op, &args, Some(Symbol::Absent));
            let to = observers.step(run.scene.location, &event);
            let right = observers.accepting(to).is_none();
            if right && to != run.scene.location {
                outcomes.alarm(AlarmKind::ChangingTentative, span);
                return None;
            }
            run.scene.threads[actor].effect = Effect::Tentative { right };
        } else {
            run.scene.threads[actor].effect = Effect::Due;
            run.event = Some(args);
        }
        Some(run)
    }
}

/// Marks the age that a `cmpxchg` found as stale if the `cmpxchg` steps the age.
fn outdate_found(found: &mut [Value], written: &[Value]) {
    for (found, written) in found.iter_mut().zip(written) {
        if let (Value::Age { current, .. }, Value::Age { stepped: true, .. }) = (found, written) {
            *current = false;
        }
    }
}
