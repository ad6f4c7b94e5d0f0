//! Builds the abstract trace to an alarm: a chain of abstract steps, and the open relation at its end.
//!
//! **Identity of threads.** A view orders its two threads by state, so the first thread of one view may be
//! second in the next. Each view records whether the order changed; the trace keeps the names. A third thread
//! is forgotten after each of its steps. The trace assigns its step to an interfering thread that fits: in
//! the same call, between two calls, or else a new thread.

use super::skeleton::CallSkeleton;
use crate::alarm::{AbstractStep, AbstractTrace, Alarm, AlarmKind, Observed};
use crate::pairs::analysis::{Cause, Known, Views};
use crate::pairs::domain::relation::members;
use crate::pairs::domain::shape::term_of;
use crate::pairs::program::AnalyzedProgram;
use crate::pairs::transfer::{Context, local_terms, sentinels};
use linchpin_certify::certificate::{
    APART, BEFORE, Effect, FAR, FAR_BEFORE, FREE, GARBAGE, LocalState, NEXT, NULL, SAME, Symbol,
};
use linchpin_certify::observer_adequacy::ObserverProduct;
use linchpin_ir::program::OpId;
use linchpin_ir::source::Span;
use std::collections::BTreeSet;

/// Returns the abstract trace to an alarm.
pub fn trace_to_alarm(context: &Context, views: &Views, alarm: Alarm, cause: Option<Cause>) -> AbstractTrace {
    let program = context.program;
    let mut causes = Vec::new();
    let mut next = cause;
    let mut seen = BTreeSet::new();
    // The first cause of a view is an older view, so this loop ends; the set guards against a bug.
    while let Some(cause) = next {
        if !seen.insert(cause.from) {
            break;
        }
        causes.push(cause);
        next = views.views[cause.from as usize].cause;
    }
    causes.reverse();
    let mut skeleton = CallSkeleton::new(program);
    let mut steps = Vec::new();
    let mut crossed = false;
    for (at, cause) in causes.iter().enumerate() {
        let from = &views.views[cause.from as usize];
        crossed ^= at > 0 && from.crossed;
        let to = causes.get(at + 1).map(|next| &views.views[next.from as usize]);
        let place = usize::from(from.locals[0] != cause.actor);
        let local = views.locals.get(cause.actor);
        let op = cause.op.or_else(|| local.at.map(|at| program.rests[at as usize].op));
        let op = op.or_else(|| calls_that_reach(program, alarm.span).next());
        let thread = match cause.by_third {
            false => place ^ usize::from(crossed),
            true => skeleton.interferer(local, op),
        };
        skeleton.step(thread, local, op, cause.ends);
        // After its own step, a thread has the position that the next view gives it.
        let after = to
            .filter(|_| !cause.by_third)
            .map(|to| views.locals.get(to.locals[place ^ usize::from(to.crossed)]));
        if let Some(after) = after {
            skeleton.learn(thread, after);
        }
        let waited = matches!(local.effect, Effect::Waiting | Effect::Due);
        let done = after.is_some_and(|after| matches!(after.effect, Effect::Done(_)));
        steps.push(AbstractStep {
            thread,
            op: op.map(|op| program.heap().ops()[op].name.clone()),
            span: local.at.map(|at| program.instr(at).span),
            takes_effect: waited && (cause.ends || done),
            returns: cause.ends,
            observed: context.observers.zip(to).map_or_else(Vec::new, |(observers, to)| {
                let [from, to] = [from, to].map(|view| views.shared.get(view.shared).location);
                let mut moved = observed(observers, from, to);
                if let AlarmKind::Accepts(observer) = &alarm.kind {
                    moved.retain(|moved| moved.observer == *observer);
                }
                moved
            }),
        });
    }
    let unclear = cause.and_then(|cause| unclear(program, views, &alarm, cause, crossed));
    AbstractTrace { alarm, steps, calls: skeleton.calls(), unclear }
}

/// Lists the operations whose code contains this location.
fn calls_that_reach<'p>(program: &'p AnalyzedProgram, span: Span) -> impl Iterator<Item = OpId> + use<'p> {
    let has = move |op: &OpId| program.heap().ops()[*op].method.code.iter().any(|instr| instr.span == span);
    program.heap().ops().ids().filter(has)
}

fn observed(product: &ObserverProduct, from: u16, to: u16) -> Vec<Observed> {
    let (mut from, mut to) = (usize::from(from), usize::from(to));
    let mut moved = Vec::new();
    for observer in &product.observers {
        let count = observer.locations.len();
        let name = |at: usize| observer.locations[at % count].name.clone();
        if from % count != to % count {
            moved.push(Observed { observer: observer.name.clone(), from: name(from), to: name(to) });
        }
        (from, to) = (from / count, to / count);
    }
    moved
}

/// Describes two pointers of the last view with several possible relations. One belongs to the actor. A pair
/// with the sentinel of the alarm is preferred.
fn unclear(
    program: &AnalyzedProgram,
    views: &Views,
    alarm: &Alarm,
    cause: Cause,
    crossed: bool,
) -> Option<String> {
    let known = &views.views[cause.from as usize];
    let names = names(program, views, known, crossed);
    let terms = known.locals.map(|local| local_terms(views.locals.get(local)));
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

/// Returns the names of a view's terms. If `crossed`, its first thread is `b`.
fn names(program: &AnalyzedProgram, views: &Views, known: &Known, crossed: bool) -> Vec<String> {
    let mut names: Vec<String> = vec![String::new(); sentinels(program)];
    for (at, name) in [(NULL, "null"), (FREE, "a free cell's next"), (GARBAGE, "an unknown pointer")] {
        if let Some(entry) = names.get_mut(at) {
            *entry = name.into();
        }
    }
    let shared = views.shared.get(known.shared);
    for (id, variable) in program.heap().globals().entries() {
        let cells = program.layout.variable_parts(id).filter(|part| shared.globals[*part] == Symbol::Cell);
        names.extend(cells.map(|_| variable.name.to_string()));
    }
    let tracked = shared.tracked.iter().enumerate().filter(|(_, there)| **there);
    names.extend(tracked.map(|(at, _)| format!("the cell of value {}", at + 1)));
    let threads = if crossed { ['b', 'a'] } else { ['a', 'b'] };
    for (thread, local) in threads.into_iter().zip(known.locals) {
        let local: &LocalState = views.locals.get(local);
        let Some(at) = local.at else { continue };
        let rest = &program.rests[at as usize];
        let method = &program.heap().ops()[rest.op].method;
        let cells = rest.slots.iter().zip(&local.slots).filter(|(_, symbol)| **symbol == Symbol::Cell);
        names.extend(cells.map(|(slot, _)| format!("{thread}.{}", method.locals[slot.slot.local].name)));
    }
    names
}
