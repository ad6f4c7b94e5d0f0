//! How the analysis came to an alarm: a chain of abstract steps, and what was not known at its end.
//!
//! An abstract step may stand for no concrete one. A story is a hint for a search, not a counterexample.

use super::alarm::Alarm;
use super::plan::Plan;
use super::relation::members;
use super::shape::Term;
use super::views::{Cause, Known, Views};
use linchpin_core::certify::certificate::{
    APART, BEFORE, FAR, FAR_BEFORE, FREE, GARBAGE, LocalState, NEXT, NULL, SAME, Symbol,
};
use linchpin_core::source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Story {
    pub alarm: Alarm,
    /// First things first.
    pub moments: Vec<Moment>,
    /// What is known of two pointers of the thread that moves last, where that is more than one thing.
    pub unclear: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moment {
    /// `a`, `b`, or `c` for a third thread.
    pub thread: char,
    pub op: Arc<str>,
    /// Where the thread rests; its call, if it was idle.
    pub span: Option<Span>,
}

pub fn tell(plan: &Plan, views: &Views, alarm: Alarm, cause: Option<Cause>) -> Story {
    let mut moments = Vec::new();
    let mut next = cause;
    let mut seen = BTreeSet::new();
    // The first cause of a view was found before it, so this ends; the set guards against a mistake.
    while let Some(cause) = next {
        if !seen.insert(cause.from) {
            break;
        }
        let known = &views.views[cause.from as usize];
        moments.push(moment(plan, views, known, cause));
        next = known.cause;
    }
    moments.reverse();
    let unclear = cause.and_then(|cause| unclear(plan, views, cause));
    Story { alarm, moments, unclear }
}

fn moment(plan: &Plan, views: &Views, known: &Known, cause: Cause) -> Moment {
    let thread = match (cause.by_third, known.locals[0] == cause.actor) {
        (true, _) => 'c',
        (false, true) => 'a',
        (false, false) => 'b',
    };
    match views.locals.get(cause.actor).at {
        Some(at) => {
            let rest = &plan.rests[at as usize];
            Moment { thread, op: plan.heap.ops()[rest.op].name.clone(), span: Some(plan.instr(at).span) }
        }
        None => Moment { thread, op: "call".into(), span: None },
    }
}

/// The first pair of terms of the last view of which more than one relation is possible, one of them the actor's.
fn unclear(plan: &Plan, views: &Views, cause: Cause) -> Option<String> {
    let known = &views.views[cause.from as usize];
    let names = names(plan, views, known);
    let base = names.len() - views_terms(views, known);
    let own = base..names.len();
    for a in own {
        for b in 0..a {
            let set = known.shape.get(a as Term, b as Term);
            if set.count_ones() > 1 && set.count_ones() < 6 {
                let possible: Vec<String> = members(set).map(|one| relation(one, &names[b])).collect();
                return Some(format!("`{}` may {}", names[a], possible.join(", or ")));
            }
        }
    }
    None
}

fn views_terms(views: &Views, known: &Known) -> usize {
    known.locals.iter().map(|local| super::scene::local_terms(views.locals.get(*local))).sum()
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

/// The names of a view's terms.
fn names(plan: &Plan, views: &Views, known: &Known) -> Vec<String> {
    let mut names: Vec<String> = vec![String::new(); super::scene::sentinels(plan)];
    for (at, name) in [(NULL, "null"), (FREE, "a free cell's next"), (GARBAGE, "an unknown pointer")] {
        if let Some(entry) = names.get_mut(at) {
            *entry = name.into();
        }
    }
    let shared = views.shared.get(known.shared);
    for (id, variable) in plan.heap.globals().entries() {
        let cells = plan.globals.whole(id).filter(|part| shared.globals[*part] == Symbol::Cell);
        names.extend(cells.map(|_| variable.name.to_string()));
    }
    let tracked = shared.tracked.iter().enumerate().filter(|(_, there)| **there);
    names.extend(tracked.map(|(at, _)| format!("the cell of value {}", at + 1)));
    for (thread, local) in ['a', 'b'].into_iter().zip(known.locals) {
        let local: &LocalState = views.locals.get(local);
        let Some(at) = local.at else { continue };
        let rest = &plan.rests[at as usize];
        let method = &plan.heap.ops()[rest.op].method;
        let cells = rest.slots.iter().zip(&local.slots).filter(|(_, symbol)| **symbol == Symbol::Cell);
        names.extend(cells.map(|(slot, _)| format!("{thread}.{}", method.locals[slot.slot.local].name)));
    }
    names
}
