//! Steps that look at no cell: a lock is taken, a shared variable is read or written, a call begins or returns.
//!
//! Such a step is decided by what is shared and by the thread's own state alone, and makes nothing but copies of pointers. So it is made once, with cells of which nothing is
//! known, and kept as which term each pointer is afterwards ([`Move`]); in each view it is then told from its shape. Whether a step is of this kind is
//! seen there: where nothing is known of cells, a step that asks for something learns it, and its shape is another than before. Writes into cells
//! are marked as such. Who answers for the watched cell is asked of its relations to pointers too: a step after which that may be another thread is none of these.

use super::change::{Change, Changes};
use super::fixpoint::{Fixpoint, Stopped};
use super::scene::{UnpackedView, local_terms, sentinels, unpack};
use super::shape::{MOST_TERMS, Shape, Term, term_of};
use super::step::Outcomes;
use super::views::{Cause, Known, Origin, ViewId};
use linchpin_certify::certificate::Symbol;
use linchpin_ir::program::OpId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// By what is shared and a thread's state: its steps, if none of them looks at cells.
#[derive(Default)]
pub struct HeapIndependentSteps(FxHashMap<(u32, u32), Option<Rc<[Move]>>>);

type Terms = SmallVec<[Term; MOST_TERMS]>;

/// How such a step ends.
pub struct Move {
    shared: u32,
    local: u32,
    /// For each pointer of what is shared afterwards, and of the thread, the term that it was: of what is shared, or else of the thread.
    of_shared: Terms,
    own: Terms,
    touched: bool,
    op: Option<OpId>,
    ends: bool,
}

impl Fixpoint<'_> {
    /// The steps of a thread of a view, if they look at no cell; whether they do not.
    pub(super) fn steps_blindly(&mut self, id: ViewId, actor: usize) -> Result<bool, Stopped> {
        let Known { shared, locals, .. } = self.views.views[id as usize];
        let key = (shared, locals[actor]);
        let moves = match self.blind.0.get(&key) {
            Some(moves) => moves.clone(),
            None => {
                let moves = self.moves(key);
                self.blind.0.insert(key, moves.clone());
                moves
            }
        };
        let Some(moves) = moves else { return Ok(false) };
        let known = &self.views.views[id as usize];
        let (common, own) = (known.offset(0), term_of(known.offset(actor)));
        let other = 1 - actor;
        let others: Terms = known.terms_at(other).collect();
        let most = moves.iter().map(|made| made.of_shared.len() + made.own.len()).max();
        if most.unwrap_or(0) + others.len() > MOST_TERMS {
            return Ok(false);
        }
        let shape = Shape::clone(&known.shape);
        let now =
            |term: &Term| if usize::from(*term) < common { *term } else { *term - term_of(common) + own };
        let mut changes = Changes { are_plain: true, ..Changes::default() };
        for made in moves.iter() {
            let of_shared: Terms = made.of_shared.iter().map(now).collect();
            let of_actor: Terms = made.own.iter().map(now).collect();
            let mut after = locals;
            after[actor] = made.local;
            let cause =
                Cause { from: id, actor: locals[actor], by_third: false, op: made.op, ends: made.ends };
            let origin = Origin { shared, locals, cause };
            let of_threads = if actor == 0 { [&of_actor, &others] } else { [&others, &of_actor] };
            let of_threads = of_threads.map(|terms| &terms[..]);
            let grown = self.views.add_some(made.shared, after, &shape, &of_shared, of_threads, origin);
            self.enqueue(grown);
            if made.touched {
                let terms: Terms = of_shared.iter().chain(&others).copied().collect();
                changes.are_plain &= of_shared.iter().copied().eq(0..term_of(common));
                changes.all.push(Change {
                    shared: made.shared,
                    local: locals[other],
                    by: made.local,
                    felt: Some(Rc::new(shape.project(&terms))),
                    kept: (1 << others.len()) - 1,
                    moved: 0,
                    op: made.op,
                    ends: made.ends,
                });
            }
        }
        self.views.keep_changes(id, actor, changes);
        Ok(true)
    }

    /// The steps of a thread, where nothing is known of cells; none if one of them asks for something, or changes a cell or an age.
    fn moves(&mut self, (shared, local): (u32, u32)) -> Option<Rc<[Move]>> {
        let plan = self.plan();
        let (of_shared, of_thread) = (self.views.shared.get(shared), self.views.locals.get(local));
        let pointers = of_shared.globals.iter().filter(|symbol| **symbol == Symbol::Cell).count();
        let tracked = of_shared.tracked.iter().filter(|is_there| **is_there).count();
        let mut shape = Shape::new(sentinels(plan), self.context.labels());
        for _ in 0..pointers + tracked + local_terms(of_thread) {
            shape.add_cell();
        }
        let scene = unpack(plan, of_shared, &[of_thread], shape.clone());
        let mut outcomes = Outcomes::default();
        self.context.step(scene, 0, &mut outcomes);
        self.steps += 1;
        let is_blind = |scene: &UnpackedView| !scene.written && !scene.aged && scene.shape == shape;
        if self.alarms(&outcomes, None).is_err() || !outcomes.cases.iter().all(|run| is_blind(&run.scene)) {
            return None;
        }
        let moves = outcomes.cases.iter().map(|run| {
            let scene = &run.scene;
            let (shared, local) = self.views.numbers(scene, 0, (shared, local));
            let of_shared = scene.terms(plan, &[]);
            let own = scene.terms(plan, &[0])[of_shared.len()..].into();
            let touched = scene.touched;
            Move { shared, local, of_shared, own, touched, op: run.op, ends: run.ends() }
        });
        Some(moves.collect())
    }
}
