//! How the analysis came to an alarm: a chain of abstract steps, and what was not known at its end.
//!
//! An abstract step may stand for no concrete one. A story is a hint for a search, not a counterexample.
//!
//! **Who is who.** A view keeps its two threads in the order of their states, so the thread that is first in one may be second in the
//! next; each view says whether it is so, and here the two keep their names. A third thread is forgotten after each of its steps: a
//! step of one is given to an interferer that can have been there, in the same call or between two, and to a new one otherwise.

use super::alarm::{Alarm, AlarmKind};
use super::plan::Plan;
use super::relation::members;
use super::shape::term_of;
use super::sketch::{Call, CallSkeleton};
use super::step::Context;
use super::views::{Cause, Known, Views};
use linchpin_certify::certificate::{
    APART, BEFORE, Effect, FAR, FAR_BEFORE, FREE, GARBAGE, LocalState, NEXT, NULL, SAME, Symbol,
};
use linchpin_certify::link::Group;
use linchpin_ir::program::OpId;
use linchpin_ir::source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractTrace {
    pub alarm: Alarm,
    /// First things first.
    pub moments: Vec<AbstractStep>,
    /// The calls to which they belong, by thread.
    pub calls: Vec<Vec<Call>>,
    /// What is known of two pointers of the thread that moves last, where that is more than one thing.
    pub unclear: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractStep {
    /// The two of the view are 0 and 1; others interfere.
    pub thread: usize,
    /// Not known of a call that raises the alarm in its first step, where several operations could.
    pub op: Option<Arc<str>>,
    /// Where the thread rests; nothing if it begins its call.
    pub span: Option<Span>,
    pub takes_effect: bool,
    pub returns: bool,
    /// Which observers move, from where to where; if the alarm is about one, that one.
    pub observed: Vec<Observed>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    pub observer: Arc<str>,
    pub from: Arc<str>,
    pub to: Arc<str>,
}

/// The way to an alarm.
pub fn tell(context: &Context, views: &Views, alarm: Alarm, cause: Option<Cause>) -> AbstractTrace {
    let plan = context.plan;
    let mut causes = Vec::new();
    let mut next = cause;
    let mut seen = BTreeSet::new();
    // The first cause of a view was found before it, so this ends; the set guards against a mistake.
    while let Some(cause) = next {
        if !seen.insert(cause.from) {
            break;
        }
        causes.push(cause);
        next = views.views[cause.from as usize].cause;
    }
    causes.reverse();
    let mut sketch = CallSkeleton::new(plan);
    let mut moments = Vec::new();
    let mut crossed = false;
    for (at, cause) in causes.iter().enumerate() {
        let from = &views.views[cause.from as usize];
        crossed ^= at > 0 && from.crossed;
        let to = causes.get(at + 1).map(|next| &views.views[next.from as usize]);
        let place = usize::from(from.locals[0] != cause.actor);
        let local = views.locals.get(cause.actor);
        let op = cause.op.or_else(|| local.at.map(|at| plan.rests[at as usize].op));
        let op = op.or_else(|| calls_that_reach(plan, alarm.span).next());
        let thread = match cause.by_third {
            false => place ^ usize::from(crossed),
            true => sketch.interferer(local, op),
        };
        sketch.step(thread, local, op, cause.ends);
        // After a step of its own a thread stands in the place that the next view gives it.
        let after = to
            .filter(|_| !cause.by_third)
            .map(|to| views.locals.get(to.locals[place ^ usize::from(to.crossed)]));
        if let Some(after) = after {
            sketch.learn(thread, after);
        }
        let waited = matches!(local.effect, Effect::Waiting | Effect::Due);
        let done = after.is_some_and(|after| matches!(after.effect, Effect::Done(_)));
        moments.push(AbstractStep {
            thread,
            op: op.map(|op| plan.heap().ops()[op].name.clone()),
            span: local.at.map(|at| plan.instr(at).span),
            takes_effect: waited && (cause.ends || done),
            returns: cause.ends,
            observed: context.group.zip(to).map_or_else(Vec::new, |(group, to)| {
                let [from, to] = [from, to].map(|view| views.shared.get(view.shared).location);
                let mut moved = observed(group, from, to);
                if let AlarmKind::Accepts(observer) = &alarm.kind {
                    moved.retain(|moved| moved.observer == *observer);
                }
                moved
            }),
        });
    }
    let unclear = cause.and_then(|cause| unclear(plan, views, &alarm, cause, crossed));
    AbstractTrace { alarm, moments, calls: sketch.calls(), unclear }
}

/// The operations whose text has this place.
fn calls_that_reach<'p>(plan: &'p Plan, span: Span) -> impl Iterator<Item = OpId> + use<'p> {
    let has = move |op: &OpId| plan.heap().ops()[*op].method.code.iter().any(|instr| instr.span == span);
    plan.heap().ops().ids().filter(has)
}

fn observed(group: &Group, from: u16, to: u16) -> Vec<Observed> {
    let (mut from, mut to) = (usize::from(from), usize::from(to));
    let mut moved = Vec::new();
    for observer in &group.observers {
        let count = observer.locations.len();
        let name = |at: usize| observer.locations[at % count].name.clone();
        if from % count != to % count {
            moved.push(Observed { observer: observer.name.clone(), from: name(from), to: name(to) });
        }
        (from, to) = (from / count, to / count);
    }
    moved
}

/// Two pointers in the last view of which more than one relation is possible, one of them the actor's; rather one of what the alarm is about.
fn unclear(plan: &Plan, views: &Views, alarm: &Alarm, cause: Cause, crossed: bool) -> Option<String> {
    let known = &views.views[cause.from as usize];
    let names = names(plan, views, known, crossed);
    let terms = known.locals.map(|local| super::scene::local_terms(views.locals.get(local)));
    let base = names.len() - terms[0] - terms[1];
    let own = match (cause.by_third, known.locals[0] == cause.actor) {
        (true, _) => base..names.len(),
        (false, true) => base..base + terms[0],
        (false, false) => base + terms[0]..names.len(),
    };
    let pairs = own.flat_map(|a| (0..names.len()).filter(move |b| a != *b).map(move |b| (a, b)));
    let sentinel = match alarm.kind {
        AlarmKind::NullAccess => Some(NULL),
        AlarmKind::FreedAccess | AlarmKind::DoubleFree => Some(FREE),
        AlarmKind::WildAccess | AlarmKind::WildWrite => Some(GARBAGE),
        _ => None,
    };
    let open: Vec<(usize, usize, u8)> = pairs
        .map(|(a, b)| (a, b, known.shape.get(term_of(a), term_of(b))))
        .filter(|(_, _, set)| set.count_ones() > 1 && set.count_ones() < 6)
        .collect();
    let (a, b, set) = open.iter().find(|(_, b, _)| Some(*b) == sentinel).or(open.first())?;
    let possible: Vec<String> = members(*set).map(|one| relation(one, &names[*b])).collect();
    Some(format!("`{}` may {}", names[*a], possible.join(", or ")))
}

fn relation(one: u8, other: &str) -> String {
    match one {
        SAME => format!("be `{other}`"),
        NEXT => format!("lead to `{other}`"),
        BEFORE => format!("come right behind `{other}`"),
        FAR => format!("reach `{other}`"),
        FAR_BEFORE => format!("be reached from `{other}`"),
        APART => format!("be apart from `{other}`"),
        _ => String::new(),
    }
}

/// The names of a view's terms; `crossed`: its first thread is `b`.
fn names(plan: &Plan, views: &Views, known: &Known, crossed: bool) -> Vec<String> {
    let mut names: Vec<String> = vec![String::new(); super::scene::sentinels(plan)];
    for (at, name) in [(NULL, "null"), (FREE, "a free cell's next"), (GARBAGE, "an unknown pointer")] {
        if let Some(entry) = names.get_mut(at) {
            *entry = name.into();
        }
    }
    let shared = views.shared.get(known.shared);
    for (id, variable) in plan.heap().globals().entries() {
        let cells = plan.layout.variable_parts(id).filter(|part| shared.globals[*part] == Symbol::Cell);
        names.extend(cells.map(|_| variable.name.to_string()));
    }
    let tracked = shared.tracked.iter().enumerate().filter(|(_, there)| **there);
    names.extend(tracked.map(|(at, _)| format!("the cell of value {}", at + 1)));
    let threads = if crossed { ['b', 'a'] } else { ['a', 'b'] };
    for (thread, local) in threads.into_iter().zip(known.locals) {
        let local: &LocalState = views.locals.get(local);
        let Some(at) = local.at else { continue };
        let rest = &plan.rests[at as usize];
        let method = &plan.heap().ops()[rest.op].method;
        let cells = rest.slots.iter().zip(&local.slots).filter(|(_, symbol)| **symbol == Symbol::Cell);
        names.extend(cells.map(|(slot, _)| format!("{thread}.{}", method.locals[slot.slot.local].name)));
    }
    names
}
