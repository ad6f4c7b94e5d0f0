//! The trusted checker of the compositional method (CMP): one kept thread, *Other*, and lemmas.
//!
//! After D. Sethi, M. Talupur, S. Malik, Model Checking Unbounded Concurrent Lists, 2013. The kept thread and
//! its cells are those of [`sets`](crate::sets). The other threads have no state: each may make any step
//! of the program from any [`window`] that the lemmas allow.
//!
//! - **How it could be fooled.** A lemma could be assumed of the state after a step. The steps of other
//!   threads with the same key could be left out, or those of threads whose pointers lead into removed cells.
//!   A cell that was removed could be linked again. A lemma could be shown for the kept thread's own steps
//!   only.
//! - **Claim.** If [`check`] returns a property, the property holds for any number of threads, cells and
//!   keys.
//! - **Views and lemmas.** Every lemma must be certainly true in every view of its rest. So a lemma is shown
//!   wherever a view is: after steps of the kept thread, and after steps of *Other*.
//! - **Induction: the first violation.** Take the first step of an execution that violates an obligation, or
//!   after which some thread or edge has no view. In the state before it, each thread has a
//!   view, since any thread may be the kept one. So the lemmas are true of each thread in that state, and of
//!   the thread t that makes the step. Seen from t, it is a step of the kept thread from a view of t: it
//!   violates no obligation and leads to a view. Seen from another thread it is a step of t from some
//!   window. The window describes t before the step, where the lemmas are true, so it is not excluded. Its
//!   step is not left out as illegal, since t violates nothing. So the view of the other thread changes as
//!   one of the checked actions says. So such a first step does not exist.
//! - **Lemmas** are used of the state before a step only: [`window`] uses nothing else.
//! - **Removed cells.** Windows have them: their labels are those of all published cells. That a step links a
//!   removed cell again is an action like any other, and is not excluded but by lemmas. So footnote 7 of the
//!   paper is not assumed.
//! - **Waiting** for ever is not linearizable, so this needs the order of locks. The method does not answer
//!   for `deadlock-free` itself.
//! - **Tests.** `prove::cmp` in the suite of `linchpin-prove`: the views of a certificate must also be
//!   inductive for `sets`, which takes the steps of others from views. The gate compares the views.

pub mod lemma;
pub mod window;

use crate::cmp_certificate::{CmpCertificate, RestLemma};
use crate::set_certificate::{CallGhost, EdgeView, NextFact, ThreadView};
use crate::sets::action::Action;
use crate::sets::run::{initial, moves};
use crate::sets::world::canonical;
use crate::sets::{
    EdgeTable, SetError, SetRefusal, after_reset, edges_at_call, edges_of_init, is_label, is_taken,
    is_well_formed, witness,
};
use linchpin_ir::heap::sets::SetLayout;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_ir::source::Span;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use window::{Ended, Materials, each_step};

/// Checks that lemmas and views support each other, and that no step breaks an obligation. Returns the
/// properties that hold. Polls `go_on` regularly.
pub fn check(
    program: &Program,
    certificate: &CmpCertificate,
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<Property>, SetError> {
    let layout = SetLayout::of(program).map_err(SetError::Program)?;
    let malformed = |why: &str| SetError::Malformed(why.into());
    let views = &certificate.views;
    let witness = witness(&layout, views).ok_or_else(|| malformed("the root is not a shared pointer"))?;
    if !views.threads.iter().all(|view| is_well_formed(&layout, view)) {
        return Err(malformed("a view does not fit the program"));
    }
    let mut facts = views.threads.iter().flat_map(|view| &view.cells);
    if views.chains || facts.any(|fact| matches!(fact.next, NextFact::Chain(_))) {
        return Err(malformed("a chain of cells, which this method does not follow"));
    }
    let mut ends = views.edges.iter().flat_map(|edge| [Some(edge.from), edge.to]).flatten();
    if !ends.all(|end| is_label(&layout, end.label)) {
        return Err(malformed("an edge does not fit the program"));
    }
    if !certificate.lemmas.iter().all(|lemma| is_of_the_program(&layout, lemma)) {
        return Err(malformed("a lemma does not fit the program"));
    }
    let refused = |refusal| Err(SetError::Refused(refusal));
    let known =
        Inside { threads: views.threads.iter().collect(), edges: views.edges.iter().copied().collect() };
    let step_of = |view: &ThreadView| -> Option<Span> {
        let (op, pc) = view.at?;
        Some(layout.method(Some(op)).code.get(pc)?.span)
    };

    // The lemmas, in every view.
    for view in &views.threads {
        if !certificate.lemmas.iter().all(|lemma| lemma::is_shown(&layout, lemma, view)) {
            return refused(SetRefusal::Lemma { step: step_of(view) });
        }
    }
    // The beginning.
    let mut table = EdgeTable::of(&views.edges);
    let failed = |failure| SetError::Refused(SetRefusal::Failed(failure));
    for world in initial(&layout, &witness, &mut table).map_err(failed)? {
        let has_edges = edges_of_init(&world).iter().all(|edge| known.edges.contains(edge));
        if !known.threads.contains(&canonical(&layout, &witness, &world, None)) || !has_edges {
            return refused(SetRefusal::Outside { step: None });
        }
    }
    if !views.edges.iter().flat_map(edges_at_call).all(|edge| known.edges.contains(&edge)) {
        return refused(SetRefusal::Outside { step: None });
    }
    // The steps of the kept thread, and what they do to its edges.
    let mut own = BTreeSet::new();
    let mut resets: BTreeSet<(CallGhost, bool)> = BTreeSet::new();
    for (at, view) in views.threads.iter().enumerate() {
        if at % 256 == 0 && !go_on() {
            return Err(SetError::Interrupted);
        }
        for moved in moves(&layout, &witness, &mut table, view).map_err(failed)? {
            if !known.threads.contains(&moved.view) || !is_taken(&moved, view) {
                return refused(SetRefusal::Outside { step: step_of(view) });
            }
            if moved.resets && view.at.is_some() {
                resets.insert((moved.ghost, moved.is_in));
            }
            own.extend(moved.action);
        }
    }
    let is_reset = |edge: &&EdgeView| resets.contains(&(edge.ghost, edge.is_in));
    if !views.edges.iter().filter(is_reset).all(|edge| known.edges.contains(&after_reset(*edge))) {
        return refused(SetRefusal::Outside { step: None });
    }
    let inside = |action: &Action, own: bool| {
        let edges = views.edges.iter().flat_map(|edge| action.on_edge(edge, own, &witness.present));
        edges.into_iter().all(|edge| known.edges.contains(&edge))
    };
    for action in &own {
        if !go_on() {
            return Err(SetError::Interrupted);
        }
        if !inside(action, true) {
            return refused(SetRefusal::Outside { step: None });
        }
    }
    // The steps of *Other*.
    let mut materials = Materials::default();
    views.threads.iter().for_each(|view| materials.add_view(view));
    views.edges.iter().for_each(|edge| materials.add_edge(edge));
    let mut others = BTreeSet::new();
    let mut unfollowed = None;
    let steps = each_step(&layout, &witness, &certificate.lemmas, &materials, go_on, &mut |_, effect| {
        match effect {
            Ok(action) => drop(others.insert(action)),
            Err(failure) => unfollowed = Some(failure),
        }
        unfollowed.is_none()
    });
    match (steps, unfollowed) {
        (_, Some(failure)) => return Err(failed(failure)),
        (Err(Ended), None) => return Err(SetError::Interrupted),
        (Ok(()), None) => {}
    }
    for action in &others {
        if !go_on() {
            return Err(SetError::Interrupted);
        }
        let has_views = views.threads.iter().all(|view| {
            action.on_view(&layout, &witness, view).iter().all(|view| known.threads.contains(view))
        });
        if !has_views || !inside(action, false) {
            return refused(SetRefusal::Outside { step: None });
        }
    }
    let safe = [Property::MemorySafe, Property::Assertions];
    let linearizable = witness.deadlock_free.then_some(Property::Linearizable);
    Ok(linearizable.into_iter().chain(safe).collect())
}

/// The views of a certificate, for look-ups.
struct Inside<'c> {
    threads: FxHashSet<&'c ThreadView>,
    edges: FxHashSet<EdgeView>,
}

/// Whether a lemma belongs to a rest, and its locals exist.
fn is_of_the_program(layout: &SetLayout, lemma: &RestLemma) -> bool {
    if layout.operation(lemma.op).is_none() {
        return false;
    }
    let rests = layout.method(Some(lemma.op)).code.get(lemma.pc).is_some_and(|at| at.access.is_step());
    let parts = layout.frame(Some(lemma.op)).map_or(0, |frame| frame.parts().len());
    let mut fits = rests;
    for claim in lemma.claims() {
        claim.fact.slots(&mut |slot| fits &= slot < parts);
    }
    fits
}
