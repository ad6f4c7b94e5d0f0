//! Steps of a third thread whose effect follows from stored interference, so the step need not be computed.
//!
//! Let thread `c` act; `a` and `b` see the step.
//!
//! - **Bystanders.** *Assumptions.* `b` has no pointers and no ages that could become stale. The views of `b`
//!   with `a` and `c` cover the view of `a` and `c`
//!   ([`Views::adds_nothing`](super::views::Views::adds_nothing)). *Claim.* The step has the same effect on
//!   `a` as in the view of `a` and `c`. *Proof.* No step of another thread changes `b`, and the shape of the
//!   three is the shape of `a` and `c`.
//! - **Plain steps.** *Assumption.* In its view with `a`, no visible step of `c` changes or inspects a cell,
//!   a pointer or an age. An example is taking a lock. *Claim.* The step leaves the shape of the three as it
//!   is, and changes the shared state as in that view. *Proof.* Every condition of the step is certain in
//!   that view, hence also for the three.
//!
//! The steps of a bystander itself are made: it may get pointers.
//!
//! *Test.* `prove::without_acceleration` compares the views with those of the reference, which computes every
//! step.

use super::interference::{Interference, Role, ViewId};
use super::state::AnalysisState;
use super::views::{Cause, Known, Provenance};
use crate::pairs::domain::shape::{MOST_TERMS, Shape, Term, term_of};

/// Adds the effect of the actor on its victims, if it follows from the views of pairs. Returns whether it
/// does.
pub fn from_pairs(state: &mut AnalysisState, role: &Role) -> bool {
    is_beside_bystander(state, role) || is_plain_without_terms(state, role)
}

/// Handles a victim that is a bystander and adds nothing to the view of the actor and the other victim.
fn is_beside_bystander(state: &mut AnalysisState, role: &Role) -> bool {
    let Known { shared, locals: others, bystanders, .. } = state.views.views[role.view as usize];
    for (victim, bystander) in [(0, 1), (1, 0)] {
        if !bystanders[bystander] {
            continue;
        }
        let of_two = role.with[victim];
        let at = state.views.place(of_two, role.state);
        // The bystander's views with the first and with the second thread of `of_two`.
        let mut beside = [role.with[bystander], role.view];
        if at == 1 {
            beside.reverse();
        }
        if !state.views.adds_nothing(of_two, beside) {
            continue;
        }
        for_each_visible(state, of_two, role.state, |state, interference, shape| {
            let mut after = others;
            after[victim] = interference.local;
            let provenance = Provenance { shared, locals: others, cause: cause(interference, role) };
            state.views.add_whole(interference.shared, after, shape, provenance)
        });
        return true;
    }
    false
}

/// Handles plain steps of an actor without terms: the actor adds nothing to the view of its victims.
fn is_plain_without_terms(state: &mut AnalysisState, role: &Role) -> bool {
    let at = state.views.place(role.with[0], role.state);
    let with = &state.views.views[role.with[0] as usize];
    if !with.interferences[at].are_plain
        || with.terms[at] != 0
        || !state.views.adds_nothing(role.view, role.with)
    {
        return false;
    }
    let Known { shared, locals, ref shape, .. } = state.views.views[role.view as usize];
    let shape = Shape::clone(shape);
    for_each_visible(state, role.with[0], role.state, |state, interference, _| {
        let provenance = Provenance { shared, locals, cause: cause(interference, role) };
        state.views.add_whole(interference.shared, locals, &shape, provenance)
    });
    true
}

/// Adds the effect of plain steps of the actor, from the shape of all three threads. Returns whether the
/// steps are plain.
pub fn from_triple(state: &mut AnalysisState, role: &Role, of_three: [ViewId; 3], shape: &Shape) -> bool {
    let at = state.views.place(role.with[0], role.state);
    if !state.views.views[role.with[0] as usize].interferences[at].are_plain {
        return false;
    }
    let Known { shared, locals, .. } = state.views.views[role.view as usize];
    let (of_shared, threads) = state.views.ranges_of_three(of_three);
    let terms: [Term; MOST_TERMS] = std::array::from_fn(term_of);
    let of_shared = &terms[of_shared];
    let of_threads = role.victims.map(|victim| &terms[threads[victim].clone()]);
    for_each_visible(state, role.with[0], role.state, |state, interference, _| {
        let provenance = Provenance { shared, locals, cause: cause(interference, role) };
        state.views.add_some(interference.shared, locals, shape, of_shared, of_threads, provenance)
    });
    true
}

/// Calls `add` for each interference of a thread that is visible to its peer, and enqueues the view that
/// `add` returns.
fn for_each_visible(
    state: &mut AnalysisState,
    id: ViewId,
    local: u32,
    mut add: impl FnMut(&mut AnalysisState, &Interference, &Shape) -> Option<ViewId>,
) {
    let at = state.views.place(id, local);
    let interferences = std::mem::take(&mut state.views.views[id as usize].interferences[at]);
    for interference in &interferences.all {
        if let Some(shape) = &interference.visible_to_peer {
            let grown = add(state, interference, shape);
            state.enqueue(grown);
        }
    }
    state.views.views[id as usize].interferences[at] = interferences;
}

fn cause(interference: &Interference, role: &Role) -> Cause {
    let Interference { op, ends, .. } = *interference;
    Cause { from: role.view, actor: role.state, by_third: true, op, ends }
}
