//! Steps that do not inspect the heap: taking a lock, reading or writing a shared variable, beginning or
//! ending a call.
//!
//! *Claim.* The result of such a step depends only on the shared state and the thread's own state; the step
//! only copies pointers. So it is computed once, with arbitrary cells, and stored as a [`Summary`]: for each
//! pointer afterwards the term that it was. The summary is then applied to the shape of every view.
//!
//! *Proof.* With arbitrary cells, a step that inspects a cell learns something, so its shape differs
//! afterwards. Writes to cells and ages are marked. A step without these signs therefore inspects and changes
//! no cell. For memory, the owner of the watched cell depends on relations to pointers. A step after which
//! the owner may be another thread learns a relation, so it is not heap-independent.
//!
//! *Test.* `prove::without_acceleration` compares the views with those of the reference, which computes every
//! step.

use super::interference::{Interference, Interferences, ViewId};
use super::state::AnalysisState;
use super::views::{Cause, Known, Provenance};
use crate::pairs::domain::shape::{MOST_TERMS, Shape, Term, term_of};
use crate::pairs::transfer::{UnpackedView, local_terms, sentinels, unpack};
use linchpin_certify::certificate::Symbol;
use linchpin_ir::program::OpId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// The summaries by shared state and thread state; `None` if one of the steps inspects the heap.
#[derive(Default)]
pub struct HeapIndependentSteps(FxHashMap<(u32, u32), Option<Rc<[Summary]>>>);

type Terms = SmallVec<[Term; MOST_TERMS]>;

/// The result of a heap-independent step.
struct Summary {
    shared: u32,
    local: u32,
    /// For each shared pointer afterwards the term that it was: a shared term, or else a term of the thread.
    of_shared: Terms,
    /// The same for each pointer of the thread.
    own: Terms,
    visible: bool,
    op: Option<OpId>,
    ends: bool,
}

impl HeapIndependentSteps {
    /// Applies the summaries of a thread of a view. Returns false if its steps have no summaries.
    pub fn apply_summaries(&mut self, state: &mut AnalysisState, id: ViewId, actor: usize) -> bool {
        let Known { shared, locals, .. } = state.views.views[id as usize];
        let key = (shared, locals[actor]);
        let summaries = self.0.entry(key).or_insert_with(|| summarize(state, key)).clone();
        let Some(summaries) = summaries else { return false };
        let known = &state.views.views[id as usize];
        let (common, own) = (known.offset(0), term_of(known.offset(actor)));
        let other = 1 - actor;
        let others: Terms = known.terms_at(other).collect();
        let most = summaries.iter().map(|summary| summary.of_shared.len() + summary.own.len()).max();
        if most.unwrap_or(0) + others.len() > MOST_TERMS {
            return false;
        }
        let shape = Shape::clone(&known.shape);
        let now =
            |term: &Term| if usize::from(*term) < common { *term } else { *term - term_of(common) + own };
        let mut interferences = Interferences { are_plain: true, ..Interferences::default() };
        for summary in summaries.iter() {
            let of_shared: Terms = summary.of_shared.iter().map(now).collect();
            let of_actor: Terms = summary.own.iter().map(now).collect();
            let mut after = locals;
            after[actor] = summary.local;
            let Summary { op, ends, .. } = *summary;
            let cause = Cause { from: id, actor: locals[actor], by_third: false, op, ends };
            let provenance = Provenance { shared, locals, cause };
            let of_threads = if actor == 0 { [&of_actor, &others] } else { [&others, &of_actor] };
            let of_threads = of_threads.map(|terms| &terms[..]);
            let grown =
                state.views.add_some(summary.shared, after, &shape, &of_shared, of_threads, provenance);
            state.enqueue(grown);
            if summary.visible {
                let terms: Terms = of_shared.iter().chain(&others).copied().collect();
                interferences.are_plain &= of_shared.iter().copied().eq(0..term_of(common));
                interferences.all.push(Interference {
                    shared: summary.shared,
                    local: locals[other],
                    by: summary.local,
                    visible_to_peer: Some(Rc::new(shape.project(&terms))),
                    kept: (1 << others.len()) - 1,
                    moved: 0,
                    op,
                    ends,
                });
            }
        }
        state.views.keep_interferences(id, actor, interferences);
        true
    }
}

/// Computes the steps of a thread with arbitrary cells. Returns `None` if a step inspects the heap, or
/// changes a cell or an age.
fn summarize(state: &mut AnalysisState, (shared, local): (u32, u32)) -> Option<Rc<[Summary]>> {
    let program = state.program();
    let (of_shared, of_thread) = (state.views.shared.get(shared), state.views.locals.get(local));
    let pointers = of_shared.globals.iter().filter(|symbol| **symbol == Symbol::Cell).count();
    let tracked = of_shared.tracked.iter().filter(|is_there| **is_there).count();
    let mut shape = Shape::new(sentinels(program), state.context.labels());
    for _ in 0..pointers + tracked + local_terms(of_thread) {
        shape.add_cell();
    }
    let scene = unpack(program, of_shared, &[of_thread], shape.clone());
    let outcomes = state.step(scene, 0);
    let is_independent = |scene: &UnpackedView| !scene.written && !scene.aged && scene.shape == shape;
    if state.check_alarms(&outcomes, None).is_err()
        || !outcomes.cases.iter().all(|run| is_independent(&run.scene))
    {
        return None;
    }
    let summaries = outcomes.cases.iter().map(|run| {
        let scene = &run.scene;
        let (shared, local) = state.views.numbers(scene, 0, (shared, local));
        let of_shared = scene.terms(program, &[]);
        let own = scene.terms(program, &[0])[of_shared.len()..].into();
        Summary { shared, local, of_shared, own, visible: scene.visible, op: run.op, ends: run.ends() }
    });
    Some(summaries.collect())
}
