//! The end of a step: events, returns, and who keeps the watched cell.

use super::certificate::{Effect, Obligation, Returned, Slot, Symbol};
use super::config::{Config, Thread, Val, Values, What, class, settled};
use super::eval::{Site, told};
use super::faults::Fault;
use super::graph::{NodeId, REACHES};
use super::run::{Case, Runner};
use linchpin_ir::heap::HeapExpr;
use linchpin_ir::heap::layout::Sort;
use linchpin_ir::program::observer::{Event, ObservedValue};
use linchpin_ir::program::{OpId, Pc};
use smallvec::SmallVec;

impl Runner<'_> {
    /// The actor rests in front of an instruction.
    pub fn rest(&self, site: &mut Site, case: Case, op: OpId, pc: Pc, ends: &mut Vec<Case>) {
        let Some(number) = self.rest_number(op, pc) else {
            site.report(What::Method("the certificate knows no such place to rest"));
            return;
        };
        let rest = &self.rests[usize::from(number)];
        for mut case in self.due(site, case, op, rest.returned) {
            let mut values: SmallVec<[Val; 8]> = SmallVec::new();
            for slot in &rest.slots {
                values.push(variable(site, &case, slot.slot));
            }
            let me = case.me();
            me.at = Some(number);
            me.slots = settled(rest, values);
            self.keep(site, case, ends);
        }
    }

    /// The actor returns, or ends `init`.
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
                site.report(What::Method("a result of several parts"));
                continue;
            };
            let may_be_undefined =
                self.is_undefined(value) || matches!(value, Val::Any(sort) if sort.may_be_undefined());
            if may_be_undefined {
                site.report(What::Fault(Fault::UndefinedReturned));
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
        let mut case = match (op, self.group) {
            (Some(op), Some(_)) => match self.returned(case, op, result) {
                Ok(Some(case)) => case,
                Ok(None) => return,
                Err(text) => {
                    site.report(What::Conformance(text));
                    return;
                }
            },
            _ => case,
        };
        let Thread { holds, answers, .. } = *case.me();
        if holds != 0 {
            site.report(What::Conformance("a call may return with a lock".into()));
        }
        *case.me() = Thread { holds, answers, ..Thread::idle() };
        case.visible |= op.is_none();
        self.keep(site, case, ends);
    }

    /// Whether the call returns what its point says; `None` if nothing is left to be watched. An operation that has no result
    /// returns [`Symbol::Unknown`]; no other result is of that class.
    fn returned(&self, case: Case, op: OpId, result: Option<Val>) -> Result<Option<Case>, String> {
        if result.is_some() != self.layout.heap().ops()[op].has_result {
            return Err("a call may return another number of results than its operation has".into());
        }
        let result = match result.map(told) {
            None => None,
            Some(Some(told)) => Some(told),
            Some(None) => return Err("the result is not clear where the call returns".into()),
        };
        match case.threads[case.actor].effect {
            Effect::Waiting => Err("a call may return without having taken effect".into()),
            Effect::Due => self.happen(case, op, result),
            Effect::Tentative { right } => match (result, right) {
                (Some(Symbol::Absent), true) => Ok(Some(case)),
                (Some(Symbol::Absent), false) => Err("an observer may accept at a tentative point".into()),
                _ => Err("a call may return something else than its point says".into()),
            },
            Effect::Done(said) => {
                // Returning undefined data is a fault of memory, and no observer's business.
                if result.map_or(Symbol::Unknown, defined) == said {
                    Ok(Some(case))
                } else {
                    Err("a call may return something else than its point says".into())
                }
            }
        }
    }

    /// The event of a point that was passed, if its result is clear by now.
    fn due(&self, site: &mut Site, case: Case, op: OpId, returned: Returned) -> Vec<Case> {
        if case.threads[case.actor].effect != Effect::Due {
            return vec![case];
        }
        let unclear = |site: &mut Site| {
            site.report(What::Conformance("the result is not clear at the point".into()));
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
                // Arguments are told in the step of the point only.
                let has_args = case.event.as_ref().is_some_and(|args| !args.is_empty());
                return if has_args { unclear(site) } else { vec![case] };
            }
        };
        let mut all = Vec::new();
        for (case, result) in cases {
            let has_result = self.layout.heap().ops()[op].has_result;
            let happened = match result.map(told) {
                None if !has_result => self.happen(case, op, None),
                Some(Some(told)) if has_result => self.happen(case, op, Some(told)),
                _ => Err("the result is not clear at the point".into()),
            };
            match happened {
                Ok(case) => all.extend(case),
                Err(text) => site.report(What::Conformance(text)),
            }
        }
        all
    }

    /// The operation takes effect.
    fn happen(&self, mut case: Case, op: OpId, result: Option<Symbol>) -> Result<Option<Case>, String> {
        let Some((group, dead)) = self.group else { return Ok(Some(case)) };
        let args = case.event.take().unwrap_or_default();
        if args.len() != self.layout.method(Some(op)).params.len() {
            return Err("the arguments are not clear where the call takes effect".into());
        }
        let event =
            self.event(op, &args, result).ok_or("the arguments are not clear where the call takes effect")?;
        let to = group.step(case.location, &event);
        if let Some(observer) = group.accepting(to) {
            return Err(format!("the observer `{}` may accept", observer.name));
        }
        // Those of one variable go on: with the result's value as the variable they show that it is returned.
        if group.variables > 1 && dead.contains(&to) {
            return Ok(None);
        }
        case.visible |= case.location != to;
        case.location = to;
        case.me().effect = Effect::Done(result.map_or(Symbol::Unknown, defined));
        Ok(Some(case))
    }

    /// What observers see of a call; `None` where a value is not clear.
    pub fn event(&self, op: OpId, args: &[Val], result: Option<Symbol>) -> Option<Event> {
        let args = args.iter().map(|value| seen(class(*value))).collect::<Option<_>>()?;
        let result = match result {
            Some(result) => Some(seen(result)?),
            None => None,
        };
        Some(Event { op, args, result })
    }

    /// Who keeps the watched cell after the step: a shared variable, or the thread that last took it from all of them.
    fn keep(&self, site: &mut Site, case: Case, ends: &mut Vec<Case>) {
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
        // What leads to the cell is as it was where nothing visible has changed.
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
                site.report(What::Fault(Fault::Lost));
            } else {
                ends.push(case);
            }
        }
    }

    /// Whether none of the actor's variables leads to the cell.
    fn may_be_lost(&self, case: &Config, cell: NodeId) -> bool {
        let mut graph = case.graph.clone();
        node_values(&case.threads[case.actor].slots)
            .all(|(_, own)| graph.restrict(self.algebra, own.index(), cell.index(), !REACHES).is_ok())
    }
}

/// What a variable of the actor holds. A slot that is not there may be anything.
fn variable(site: &Site, case: &Config, slot: Slot) -> Val {
    let at = site.frame.local(slot.local, Some(slot.part)).map(|slots| slots.start);
    at.and_then(|at| case.vars.get(at)).copied().unwrap_or(Val::Any(Sort::Pointer))
}

/// The class by which a call keeps what it will return: whether data is undefined is not an observer's business.
fn defined(symbol: Symbol) -> Symbol {
    if symbol == Symbol::Undefined { Symbol::Other } else { symbol }
}

/// What observers see of a value; `None` if its class does not say.
fn seen(symbol: Symbol) -> Option<ObservedValue> {
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
