//! The end of a step: events, returns, and who keeps the watched cell.

use super::certificate::{Effect, Returned, Slot, Symbol};
use super::config::{Config, Thread, Trouble, Val, What, class, settled};
use super::graph::REACHES;
use super::run::{Case, Runner};
use crate::index::Index;
use crate::ir::fragment::HeapExpr;
use crate::ir::observer::{Event, Seen};
use crate::ir::{OpId, Pc};
use crate::source::Span;

type Ends = (Vec<Case>, Vec<Trouble>);

impl Runner<'_> {
    /// The actor rests in front of an instruction.
    pub fn rest(&self, case: Case, op: OpId, pc: Pc, span: Span) -> Ends {
        let number =
            self.rest_numbers.get(op.index()).and_then(|rests| rests.get(pc.index()).copied().flatten());
        let Some(number) = number else {
            let what = What::Method("the certificate knows no such place to rest");
            return (Vec::new(), vec![Trouble { what, span }]);
        };
        let rest = &self.rests[usize::from(number)];
        let frame = &self.layout.frames[op.index()];
        let mut troubles = Vec::new();
        let mut ends = Vec::new();
        for mut case in self.due(case, op, rest.returned, span, &mut troubles) {
            let slot = |slot: Slot| frame.local(slot.local, Some(slot.part)).next();
            let values = rest
                .slots
                .iter()
                .map(|at| slot(at.slot).map_or(Val::Is(Symbol::Unknown), |at| case.vars[at]));
            let slots = settled(rest, values.collect());
            let me = case.me();
            me.at = Some(number);
            me.slots = slots;
            self.keep(case, span, &mut ends, &mut troubles);
        }
        (ends, troubles)
    }

    /// The actor returns, or ends `init`.
    pub fn end(&self, case: Case, op: Option<OpId>, value: Option<&HeapExpr>, span: Span) -> Ends {
        let (_, frame) = self.code(op);
        let mut troubles = Vec::new();
        let mut ends = Vec::new();
        let result =
            value.map(|value| self.parts(frame, &case, value).first().map_or(Symbol::Unknown, |v| class(*v)));
        let is_undefined = matches!(result, Some(Symbol::Undefined | Symbol::Tracked(_)));
        let mut case = match (op, self.is_memory()) {
            (None, _) => case,
            (Some(_), true) => {
                if is_undefined {
                    troubles.push(Trouble { what: What::Memory("the result may be undefined"), span });
                }
                case
            }
            (Some(op), false) => match self.returned(case, op, result, span) {
                Ok(Some(case)) => case,
                Ok(None) => return (ends, troubles),
                Err(trouble) => return (ends, vec![trouble]),
            },
        };
        let Thread { holds, answers, .. } = *case.me();
        if holds != 0 {
            let what = What::Conformance("a call may return with a lock".into());
            troubles.push(Trouble { what, span });
        }
        *case.me() = Thread { holds, answers, ..Thread::idle() };
        case.visible |= op.is_none();
        self.keep(case, span, &mut ends, &mut troubles);
        (ends, troubles)
    }

    /// Whether the call returns what its point says; `None` if nothing is left to be watched.
    fn returned(
        &self,
        case: Case,
        op: OpId,
        result: Option<Symbol>,
        span: Span,
    ) -> Result<Option<Case>, Trouble> {
        let trouble = |text: &str| Err(Trouble { what: What::Conformance(text.into()), span });
        match case.threads[case.actor].effect {
            Effect::Waiting => trouble("a call may return without having taken effect"),
            Effect::Due => self.happen(case, op, result, span),
            Effect::Tentative { right } => match (result, right) {
                (Some(Symbol::Absent), true) => Ok(Some(case)),
                (Some(Symbol::Absent), false) => trouble("an observer may accept at a tentative point"),
                _ => trouble("a call may return something else than its point says"),
            },
            Effect::Done(said) => {
                let told = result.unwrap_or(Symbol::Unknown);
                if told == said || (told, said) == (Symbol::Undefined, Symbol::Other) {
                    Ok(Some(case))
                } else {
                    trouble("a call may return something else than its point says")
                }
            }
        }
    }

    /// The event of a point that was passed, if its result is clear by now.
    fn due(
        &self,
        case: Case,
        op: OpId,
        returned: Returned,
        span: Span,
        troubles: &mut Vec<Trouble>,
    ) -> Vec<Case> {
        if case.threads[case.actor].effect != Effect::Due {
            return vec![case];
        }
        let frame = &self.layout.frames[op.index()];
        let variable = |slot: Slot| {
            frame
                .local(slot.local, Some(slot.part))
                .next()
                .map_or(Val::Is(Symbol::Unknown), |at| case.vars[at])
        };
        let unclear = |troubles: &mut Vec<Trouble>| {
            let what = What::Conformance("the result is not clear at the point".into());
            troubles.push(Trouble { what, span });
            Vec::new()
        };
        let cases: Vec<(Case, Option<Symbol>)> = match returned {
            Returned::Nothing => vec![(case, None)],
            Returned::None => vec![(case, Some(Symbol::Absent))],
            Returned::Slot(slot) => {
                let said = class(variable(slot));
                vec![(case, Some(said))]
            }
            Returned::DataOf(slot) => match variable(slot) {
                Val::Node(cell) => {
                    let told = |(case, values): (Case, super::config::Values)| {
                        (case, Some(values.first().map_or(Symbol::Unknown, |value| class(*value))))
                    };
                    self.data_of(case, cell).into_iter().map(told).collect()
                }
                _ => return unclear(troubles),
            },
            Returned::Unclear => {
                // Arguments are told in the step of the point only.
                let has_args = case.event.as_ref().is_some_and(|args| !args.is_empty());
                return if has_args { unclear(troubles) } else { vec![case] };
            }
        };
        let mut all = Vec::new();
        for (case, result) in cases {
            match self.happen(case, op, result, span) {
                Ok(case) => all.extend(case),
                Err(trouble) => troubles.push(trouble),
            }
        }
        all
    }

    /// The operation takes effect.
    fn happen(
        &self,
        mut case: Case,
        op: OpId,
        result: Option<Symbol>,
        span: Span,
    ) -> Result<Option<Case>, Trouble> {
        let Some((group, dead)) = self.group else { return Ok(Some(case)) };
        let args = case.event.take().unwrap_or_default();
        if result == Some(Symbol::Unknown) || args.contains(&Val::Is(Symbol::Unknown)) {
            let what = What::Conformance("the result is not clear at the point".into());
            return Err(Trouble { what, span });
        }
        let to = group.step(case.location, &self.event(op, &args, result));
        if let Some(observer) = group.accepting(to) {
            let what = What::Conformance(format!("the observer `{}` may accept", observer.name));
            return Err(Trouble { what, span });
        }
        // Those of one variable go on: with the result's value as the variable they show that it is returned.
        if group.variables > 1 && dead.contains(&to) {
            return Ok(None);
        }
        case.visible |= case.location != to;
        case.location = to;
        case.me().effect = Effect::Done(match result {
            None => Symbol::Unknown,
            Some(Symbol::Undefined) => Symbol::Other,
            Some(result) => result,
        });
        Ok(Some(case))
    }

    pub fn event(&self, op: OpId, args: &[Val], result: Option<Symbol>) -> Event {
        let seen = |symbol: Symbol| match symbol {
            Symbol::Tracked(at) => Seen::Variable(usize::from(at)),
            Symbol::Absent => Seen::Absent,
            Symbol::Small(number) => Seen::Constant(i32::from(number)),
            Symbol::Key(class) => Seen::Constant(i32::from(class)),
            _ => Seen::Other,
        };
        Event { op, args: args.iter().map(|value| seen(class(*value))).collect(), result: result.map(seen) }
    }

    /// Who keeps the watched cell after the step: a shared variable, or the thread that last took it from all of them.
    fn keep(&self, case: Case, span: Span, ends: &mut Vec<Case>, troubles: &mut Vec<Trouble>) {
        let watched = case.tracked.first().copied().flatten();
        let (true, false, Some(watched)) = (self.is_memory(), self.layout.collected, watched) else {
            ends.push(case);
            return;
        };
        if !case.visible && !case.threads[case.actor].answers {
            ends.push(case);
            return;
        }
        let roots: Vec<u8> = node_values(&case.globals)
            .filter(|(at, _)| self.root.is_none_or(|root| root == *at))
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
                troubles.push(Trouble { what: What::Memory("a cell may be lost"), span });
            } else {
                ends.push(case);
            }
        }
    }

    /// Whether none of the actor's variables leads to the cell.
    fn may_be_lost(&self, case: &Config, cell: u8) -> bool {
        let mut graph = case.graph.clone();
        node_values(&case.threads[case.actor].slots).all(|(_, own)| {
            graph.restrict(self.algebra, usize::from(own), usize::from(cell), !REACHES).is_ok()
        })
    }
}

fn node_values(values: &[Val]) -> impl Iterator<Item = (usize, u8)> {
    values.iter().enumerate().filter_map(|(at, value)| match value {
        Val::Node(node) => Some((at, *node)),
        _ => None,
    })
}
