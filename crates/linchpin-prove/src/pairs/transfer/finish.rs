//! The end of a step: the event of a linearization point, the return of a call, and the owner of the watched
//! cell.

use super::access::number;
use super::decide::split;
use super::run::{AbstractRun, Case, Cases, Context, Outcomes};
use super::scene::Thread;
use crate::alarm::AlarmKind;
use crate::pairs::domain::relation::REACHES;
use crate::pairs::domain::shape::Term;
use crate::pairs::domain::value::Value;
use linchpin_certify::certificate::{Effect, Returned, SAME, Symbol};
use linchpin_ir::heap::HeapExpr;
use linchpin_ir::index::Index;
use linchpin_ir::program::observer::{Event, ObservedValue};
use linchpin_ir::program::{OpId, Pc};
use linchpin_ir::source::Span;
use smallvec::smallvec;

impl Context<'_> {
    /// Lets the thread rest in front of an instruction.
    pub fn rest(&self, run: Case, pc: Pc, outcomes: &mut Outcomes) {
        let Some(op) = run.op else { return };
        let (method, analyzed) = self.program.method(op);
        let span = method.code[pc].span;
        let returned = analyzed.returned[pc.index()];
        for mut run in self.take_effect(run, op, returned, span, outcomes) {
            let Some(rest) = analyzed.rest_at[pc.index()] else { continue };
            let AbstractRun { scene, actor, env, .. } = &mut *run;
            let thread = &mut scene.threads[*actor];
            thread.at = Some(rest);
            thread.slots.clear();
            thread.slots.extend(self.program.rest_slots[rest as usize].iter().map(|number| env[*number]));
            thread.forget_strange_ages(&self.program.rests[rest as usize]);
            self.update_cell_owner(run, span, outcomes);
        }
    }

    /// Lets the call return, or `init` end.
    pub fn end(&self, run: Case, value: Option<&HeapExpr>, span: Span, outcomes: &mut Outcomes) {
        let values = match value {
            Some(value) => self.values(run, value, span, outcomes),
            None => smallvec![(run, Default::default())],
        };
        for (run, parts) in values {
            let result = parts.first().copied();
            match run.op {
                None => self.init_ends(run, span, outcomes),
                Some(_) if self.observers.is_none() => {
                    if result.is_some_and(|value| self.is_undefined(value) || value == Value::Unknown) {
                        outcomes.alarm(AlarmKind::UndefinedReturned, span);
                    }
                    self.returns(run, span, outcomes);
                }
                Some(op) => self.returns_result(run, op, result, span, outcomes),
            }
        }
    }

    fn init_ends(&self, mut run: Case, span: Span, outcomes: &mut Outcomes) {
        let actor = run.actor;
        run.scene.mark_visible();
        run.scene.threads[actor].slots.clear();
        let before = outcomes.cases.len();
        self.update_cell_owner(run, span, outcomes);
        for run in &mut outcomes.cases[before..] {
            run.scene.threads.remove(actor);
        }
    }

    fn returns_result(
        &self,
        run: Case,
        op: OpId,
        result: Option<Value>,
        span: Span,
        outcomes: &mut Outcomes,
    ) {
        let class = result.map_or(Symbol::Unknown, Value::symbol);
        if result.is_some() && class == Symbol::Unknown {
            outcomes.alarm(AlarmKind::UnclearResult, span);
            return;
        }
        if run.scene.threads[run.actor].effect == Effect::Due {
            let Some(run) = self.apply_effect(run, op, result.map(Value::symbol), span, outcomes) else {
                return;
            };
            self.returns(run, span, outcomes);
            return;
        }
        match run.scene.threads[run.actor].effect {
            Effect::Waiting | Effect::Due => outcomes.alarm(AlarmKind::NoPoint, span),
            Effect::Tentative { right } => {
                if class != Symbol::Absent {
                    outcomes.alarm(AlarmKind::WrongResult, span);
                } else if !right {
                    outcomes.alarm(AlarmKind::WrongTentative, span);
                } else {
                    self.returns(run, span, outcomes);
                }
            }
            Effect::Done(said) => {
                // Undefined data is a fault of memory; observers ignore it.
                let same = said == class || (said == Symbol::Other && class == Symbol::Undefined);
                if same {
                    self.returns(run, span, outcomes);
                } else {
                    outcomes.alarm(AlarmKind::WrongResult, span);
                }
            }
        }
    }

    fn returns(&self, run: Case, span: Span, outcomes: &mut Outcomes) {
        let mut run = run;
        let actor = run.actor;
        let Thread { holds, answers, .. } = run.scene.threads[actor];
        if holds != 0 {
            // Another thread may wait for this lock for ever.
            outcomes.alarm(AlarmKind::MayWaitForever, span);
        }
        run.scene.threads[actor] = Thread { answers, holds, ..Thread::idle() };
        self.update_cell_owner(run, span, outcomes);
    }

    /// Emits the event of a passed point, with the predicted result.
    fn take_effect(
        &self,
        run: Case,
        op: OpId,
        returned: Returned,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Cases {
        if run.scene.threads[run.actor].effect != Effect::Due {
            return smallvec![run];
        }
        let (_, analyzed) = self.program.method(op);
        let cases: Vec<(Case, Option<Symbol>)> = match returned {
            Returned::Nothing => vec![(run, None)],
            Returned::None => vec![(run, Some(Symbol::Absent))],
            Returned::Slot(slot) => {
                let said = run.env[analyzed.slots.number(slot)].symbol();
                vec![(run, Some(said))]
            }
            Returned::DataOf(slot) => match run.env[analyzed.slots.number(slot)] {
                Value::Cell(cell) => self.data_cases(run, cell),
                _ => {
                    outcomes.alarm(AlarmKind::UnclearResult, span);
                    Vec::new()
                }
            },
            // The call takes effect later: it may do so anywhere in its interval.
            Returned::Unclear => {
                if run.event.as_ref().is_some_and(|args| !args.is_empty()) {
                    outcomes.alarm(AlarmKind::UnclearResult, span);
                    return Cases::new();
                }
                return smallvec![run];
            }
        };
        cases
            .into_iter()
            .filter_map(|(run, result)| self.apply_effect(run, op, result, span, outcomes))
            .collect()
    }

    fn data_cases(&self, run: Case, cell: Term) -> Vec<(Case, Option<Symbol>)> {
        let mut all = Vec::new();
        let mut rest = vec![run];
        let variables = rest[0].scene.tracked.len();
        for variable in 0..variables {
            let mut others = Vec::new();
            for run in rest {
                let Some(holder) = run.scene.tracked[variable] else {
                    others.push(run);
                    continue;
                };
                for (run, same) in split(run, cell, holder, SAME) {
                    if same {
                        all.push((run, Some(Symbol::Tracked(number(variable)))));
                    } else {
                        others.push(run);
                    }
                }
            }
            rest = others;
        }
        all.extend(rest.into_iter().map(|run| (run, Some(Symbol::Other))));
        all
    }

    /// Lets the operation take effect with this result. Returns `None` if an observer accepts, or can no
    /// longer accept.
    fn apply_effect(
        &self,
        mut run: Case,
        op: OpId,
        result: Option<Symbol>,
        span: Span,
        outcomes: &mut Outcomes,
    ) -> Option<Case> {
        let observers = self.observers?;
        let args = run.event.take().unwrap_or_default();
        if result == Some(Symbol::Unknown) || args.contains(&Value::Unknown) {
            outcomes.alarm(AlarmKind::UnclearResult, span);
            return None;
        }
        let event = self.event(op, &args, result);
        let to = observers.step(run.scene.location, &event);
        if let Some(observer) = observers.accepting(to) {
            outcomes.alarm(AlarmKind::Accepts(observer.name.clone()), span);
            return None;
        }
        // Observers of one variable continue: they also show that calls return the results of their points.
        if observers.variables > 1 && self.dead.contains(&to) {
            return None;
        }
        if to != run.scene.location {
            run.scene.mark_visible();
        }
        run.scene.location = to;
        let said = match result {
            Some(Symbol::Undefined) => Symbol::Other,
            Some(said) => said,
            None => Symbol::Unknown,
        };
        let actor = run.actor;
        run.scene.threads[actor].effect = Effect::Done(said);
        Some(run)
    }

    pub fn event(&self, op: OpId, args: &[Value], result: Option<Symbol>) -> Event {
        let args = args.iter().map(|value| observed(value.symbol())).collect();
        Event { op, args, result: result.map(observed) }
    }

    /// Updates the owner of the watched cell after a step, and raises an alarm if the cell is lost.
    fn update_cell_owner(&self, run: Case, span: Span, outcomes: &mut Outcomes) {
        let (scene, actor) = (&run.scene, run.actor);
        let (Some(watched), true) = (scene.tracked.first().copied().flatten(), self.is_memory()) else {
            outcomes.cases.push(run);
            return;
        };
        if self.program.collected || !(scene.visible || scene.threads[actor].answers) {
            outcomes.cases.push(run);
            return;
        }
        let roots = scene.globals.iter().enumerate().filter(|(part, _)| self.is_root(*part));
        let roots: Vec<Term> = roots.flat_map(|(_, value)| cells(std::slice::from_ref(value))).collect();
        // If nothing visible has changed, the same shared variables reach the cell.
        let roots = if scene.visible { roots } else { Vec::new() };
        let mut private = Some(run);
        for root in roots {
            let Some(run) = private.take() else { return };
            for (mut run, reached) in split(run, root, watched, REACHES) {
                if reached {
                    run.scene.watch.shared = true;
                    run.scene.threads.iter_mut().for_each(|thread| thread.answers = false);
                    outcomes.cases.push(run);
                } else {
                    private = Some(run);
                }
            }
        }
        let Some(mut run) = private else { return };
        let scene = &mut run.scene;
        if scene.watch.shared {
            scene.watch.shared = false;
            scene.threads[actor].answers = true;
        }
        if scene.threads[actor].answers {
            let mut lost = scene.shape.clone();
            let mut own = cells(&scene.threads[actor].slots);
            if own.all(|own| lost.refine(own, watched, !REACHES).is_ok()) {
                outcomes.alarm(AlarmKind::Leak, span);
                return;
            }
        }
        outcomes.cases.push(run);
    }
}

fn cells(values: &[Value]) -> impl Iterator<Item = Term> {
    values.iter().filter_map(|value| value.term())
}

fn observed(symbol: Symbol) -> ObservedValue {
    match symbol {
        Symbol::Tracked(variable) => ObservedValue::Variable(usize::from(variable)),
        Symbol::Absent => ObservedValue::Absent,
        Symbol::Small(number) => ObservedValue::Constant(number.into()),
        Symbol::Key(class) => ObservedValue::Constant(class.into()),
        _ => ObservedValue::Other,
    }
}
