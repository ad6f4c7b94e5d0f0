//! The end of a step: events, returns, and the owner of the watched cell.

use super::config::{Config, FailureKind, Thread, Val, Values, at_rest, class};
use super::eval::{Site, known_class};
use super::faults::Fault;
use super::graph::{NodeId, REACHES};
use super::run::{Case, Runner};
use crate::certificate::{Effect, Obligation, Returned, Slot, Symbol};
use linchpin_ir::heap::HeapExpr;
use linchpin_ir::heap::layout::Sort;
use linchpin_ir::program::observer::{Event, ObservedValue};
use linchpin_ir::program::{OpId, Pc};
use smallvec::SmallVec;

impl Runner<'_> {
    /// Lets the actor rest in front of an instruction.
    pub fn rest(&self, site: &mut Site, case: Case, op: OpId, pc: Pc, ends: &mut Vec<Case>) {
        let Some(number) = self.rest_number(op, pc) else {
            site.report(FailureKind::Method("the certificate has no rest at this instruction"));
            return;
        };
        let rest = &self.rests[usize::from(number)];
        for mut case in self.emit_deferred_event(site, case, op, rest.returned) {
            let mut values: SmallVec<[Val; 8]> = SmallVec::new();
            for slot in &rest.slots {
                values.push(variable(site, &case, slot.slot));
            }
            let me = case.me();
            me.at = Some(number);
            me.slots = at_rest(rest, values);
            self.update_cell_owner(site, case, ends);
        }
    }

    /// Lets the actor return from its call, or end `init`.
    pub fn end(
        &self,
        site: &mut Site,
        case: Case,
        op: Option<OpId>,
        value: Option<&HeapExpr>,
        ends: &mut Vec<Case>,
    ) {
        let Some(value) = value else {
            self.returns(site, case, op, None, ends);
            return;
        };
        for (case, values) in self.eval(site, case, value) {
            let [value] = values[..] else {
                site.report(FailureKind::Method("the result has several parts"));
                continue;
            };
            let may_be_undefined =
                self.is_undefined(value) || matches!(value, Val::Any(sort) if sort.may_be_undefined());
            if may_be_undefined {
                site.report(FailureKind::Fault(Fault::UndefinedReturned));
            }
            self.returns(site, case, op, Some(value), ends);
        }
    }

    fn returns(
        &self,
        site: &mut Site,
        case: Case,
        op: Option<OpId>,
        result: Option<Val>,
        ends: &mut Vec<Case>,
    ) {
        let mut case = match (op, self.observers) {
            (Some(op), Some(_)) => match self.returned(case, op, result) {
                Ok(Some(case)) => case,
                Ok(None) => return,
                Err(text) => {
                    site.report(FailureKind::Conformance(text));
                    return;
                }
            },
            _ => case,
        };
        let Thread { holds, answers, .. } = *case.me();
        if holds != 0 {
            site.report(FailureKind::Conformance("a call may return with a lock".into()));
        }
        *case.me() = Thread { holds, answers, ..Thread::idle() };
        case.visible |= op.is_none();
        self.update_cell_owner(site, case, ends);
    }

    /// Checks that the call returns the result of its event; `None` if no observer can accept any more. An
    /// operation without a result returns [`Symbol::Unknown`]; no other result has that class.
    fn returned(&self, case: Case, op: OpId, result: Option<Val>) -> Result<Option<Case>, String> {
        if result.is_some() != self.layout.heap().ops()[op].has_result {
            return Err("the number of results of a call may be wrong".into());
        }
        let result = match result.map(known_class) {
            None => None,
            Some(Some(known_class)) => Some(known_class),
            Some(None) => return Err("the result is not known at the return".into()),
        };
        match case.threads[case.actor].effect {
            Effect::Waiting => Err("a call may return without having taken effect".into()),
            Effect::Due => self.apply_effect(case, op, result),
            Effect::Tentative { right } => match (result, right) {
                (Some(Symbol::Absent), true) => Ok(Some(case)),
                (Some(Symbol::Absent), false) => Err("an observer may accept at a tentative point".into()),
                _ => Err("a call may return another result than its point predicts".into()),
            },
            Effect::Done(said) => {
                // Returning undefined data is a fault of memory; observers ignore it.
                if result.map_or(Symbol::Unknown, defined) == said {
                    Ok(Some(case))
                } else {
                    Err("a call may return another result than its point predicts".into())
                }
            }
        }
    }

    /// Emits the event of a passed point if its result is known now.
    fn emit_deferred_event(&self, site: &mut Site, case: Case, op: OpId, returned: Returned) -> Vec<Case> {
        if case.threads[case.actor].effect != Effect::Due {
            return vec![case];
        }
        let unclear = |site: &mut Site| {
            site.report(FailureKind::Conformance("the result is not known at the point".into()));
            Vec::new()
        };
        let cases: Vec<(Case, Option<Val>)> = match returned {
            Returned::Nothing => vec![(case, None)],
            Returned::None => vec![(case, Some(Val::Absent))],
            Returned::Slot(slot) => {
                let said = variable(site, &case, slot);
                vec![(case, Some(said))]
            }
            Returned::DataOf(slot) => match variable(site, &case, slot) {
                Val::Node(cell) => {
                    let one =
                        |values: Values| if let [value] = values[..] { value } else { Val::Any(Sort::Data) };
                    let data = self.data_of(case, cell).into_iter();
                    data.map(|(case, values)| (case, Some(one(values)))).collect()
                }
                _ => return unclear(site),
            },
            Returned::Unclear => {
                // Arguments are known in the step of the point only.
                let has_args = case.event.as_ref().is_some_and(|args| !args.is_empty());
                return if has_args { unclear(site) } else { vec![case] };
            }
        };
        let mut all = Vec::new();
        for (case, result) in cases {
            let has_result = self.layout.heap().ops()[op].has_result;
            let happened = match result.map(known_class) {
                None if !has_result => self.apply_effect(case, op, None),
                Some(Some(known_class)) if has_result => self.apply_effect(case, op, Some(known_class)),
                _ => Err("the result is not known at the point".into()),
            };
            match happened {
                Ok(case) => all.extend(case),
                Err(text) => site.report(FailureKind::Conformance(text)),
            }
        }
        all
    }

    /// Lets the operation take effect.
    fn apply_effect(&self, mut case: Case, op: OpId, result: Option<Symbol>) -> Result<Option<Case>, String> {
        let Some((observers, dead)) = self.observers else { return Ok(Some(case)) };
        let args = case.event.take().unwrap_or_default();
        if args.len() != self.layout.method(Some(op)).params.len() {
            return Err("the arguments are not known where the call takes effect".into());
        }
        let event =
            self.event(op, &args, result).ok_or("the arguments are not known where the call takes effect")?;
        let to = observers.step(case.location, &event);
        if let Some(observer) = observers.accepting(to) {
            return Err(format!("the observer `{}` may accept", observer.name));
        }
        // Observers of one variable continue: with the result as the variable they show that the call returns
        // it.
        if observers.variables > 1 && dead.contains(&to) {
            return Ok(None);
        }
        case.visible |= case.location != to;
        case.location = to;
        case.me().effect = Effect::Done(result.map_or(Symbol::Unknown, defined));
        Ok(Some(case))
    }

    /// Returns the event of a call; `None` if a value is not known.
    pub fn event(&self, op: OpId, args: &[Val], result: Option<Symbol>) -> Option<Event> {
        let args = args.iter().map(|value| observed(class(*value))).collect::<Option<_>>()?;
        let result = match result {
            Some(result) => Some(observed(result)?),
            None => None,
        };
        Some(Event { op, args, result })
    }

    /// Updates the owner of the watched cell after the step: a shared variable, or the thread that last
    /// removed the cell from all of them.
    fn update_cell_owner(&self, site: &mut Site, case: Case, ends: &mut Vec<Case>) {
        let watched = case.tracked.first().copied().flatten();
        let (Obligation::Memory { root }, false, Some(watched)) =
            (self.question, self.layout.is_collected(), watched)
        else {
            ends.push(case);
            return;
        };
        if !case.visible && !case.threads[case.actor].answers {
            ends.push(case);
            return;
        }
        let roots: Vec<NodeId> = node_values(&case.globals)
            .filter(|(at, _)| root.is_none_or(|root| root == *at))
            .map(|(_, node)| node)
            .collect();
        // If nothing visible has changed, the same shared variables reach the cell.
        let roots = if case.visible { roots } else { Vec::new() };
        let mut unshared = vec![case];
        for root in roots {
            let mut still = Vec::new();
            for case in unshared {
                for (mut case, reaches) in self.split(case, root, watched, REACHES) {
                    if reaches {
                        case.watch.shared = true;
                        case.threads.iter_mut().for_each(|thread| thread.answers = false);
                        ends.push(case);
                    } else {
                        still.push(case);
                    }
                }
            }
            unshared = still;
        }
        for mut case in unshared {
            if std::mem::replace(&mut case.watch.shared, false) {
                case.me().answers = true;
            }
            if case.threads[case.actor].answers && self.may_be_lost(&case, watched) {
                site.report(FailureKind::Fault(Fault::Lost));
            } else {
                ends.push(case);
            }
        }
    }

    /// Returns whether it is possible that no variable of the actor reaches the cell.
    fn may_be_lost(&self, case: &Config, cell: NodeId) -> bool {
        let mut graph = case.graph.clone();
        node_values(&case.threads[case.actor].slots)
            .all(|(_, own)| graph.restrict(self.algebra, own.index(), cell.index(), !REACHES).is_ok())
    }
}

/// Returns the value of a variable of the actor. A missing slot has any value.
fn variable(site: &Site, case: &Config, slot: Slot) -> Val {
    let at = site.frame.local(slot.local, Some(slot.part)).map(|slots| slots.start);
    at.and_then(|at| case.vars.get(at)).copied().unwrap_or(Val::Any(Sort::Pointer))
}

/// Returns the class under which a call stores its result: observers do not distinguish undefined data.
fn defined(symbol: Symbol) -> Symbol {
    if symbol == Symbol::Undefined { Symbol::Other } else { symbol }
}

/// Returns the value that observers see; `None` if its class does not determine it.
fn observed(symbol: Symbol) -> Option<ObservedValue> {
    match symbol {
        Symbol::Tracked(at) => Some(ObservedValue::Variable(usize::from(at))),
        Symbol::Absent => Some(ObservedValue::Absent),
        Symbol::Small(number) => Some(ObservedValue::Constant(i32::from(number))),
        Symbol::Key(class) => Some(ObservedValue::Constant(i32::from(class))),
        Symbol::Other | Symbol::Undefined => Some(ObservedValue::Other),
        Symbol::Unknown | Symbol::Null | Symbol::Garbage | Symbol::Cell | Symbol::Current | Symbol::Stale => {
            None
        }
    }
}

fn node_values(values: &[Val]) -> impl Iterator<Item = (usize, NodeId)> {
    values.iter().enumerate().filter_map(|(at, value)| match value {
        Val::Node(node) => Some((at, *node)),
        _ => None,
    })
}
