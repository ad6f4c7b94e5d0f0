//! Steps that need not be made, since what they change is known from another view.
//!
//! A step in a view is kept as what it changes for the other thread ([`Change`]). Let thread `c` act, seen by `a` and `b`.
//!
//! - **Bystanders.** Let `b` have no pointers and no ages that could become stale: no step of another changes what is known of it. Then the shape of
//!   the three is that of `a` and `c`, if the views of `b` with them allow all of it ([`Views::adds_nothing`]), and the step
//!   does to `a` what it does in the view of `a` and `c`.
//! - **Plain steps.** Let no step of `c` that can be seen in its view with `a` change a cell, a pointer or an age, nor learn anything of them: a lock is taken,
//!   say. What it decides on is certain in that view, and so in what the three threads know. So it leaves the shape of
//!   the three as it is, and changes what is shared as it does there.
//! - **Alone.** Beside a bystander a thread acts as if it were alone with what is shared. What came of that is kept for each shape ([`Alone`]).
//!
//! The bystander's own steps are made: it may well get pointers.

use super::fixpoint::{Fixpoint, Stopped};
use super::scene::unpack;
use super::shape::{MOST_TERMS, Shape, Term, term_of};
use super::step::{Outcomes, Run};
use super::views::{Cause, Known, Origin, ViewId, Views};
use linchpin_ir::program::OpId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What is left of a step that others can see when the thread that made it is left out: what is shared, and the other thread of the view.
pub struct Change {
    pub shared: u32,
    pub local: u32,
    /// The state of the thread that made the step, behind it.
    pub by: u32,
    /// The shape of the two, if one of them feels the step.
    pub felt: Option<Rc<Shape>>,
    /// The terms of the other thread before the step that it has not forgotten, a bit each.
    pub kept: u32,
    /// Its terms that may reach a cell whose edge was redirected, a bit each.
    pub moved: u32,
    pub op: Option<OpId>,
    pub ends: bool,
}

/// The changes that the steps of one thread of a view make.
#[derive(Default)]
pub struct Changes {
    pub all: Vec<Change>,
    /// All steps that others can see are plain.
    pub are_plain: bool,
}

/// One of three threads, as it acts on the two others.
pub struct Role {
    /// Its place among the three, its state, and the places of the others, in order.
    pub actor: usize,
    pub state: u32,
    pub victims: [usize; 2],
    /// The view of the two others, and its own with each.
    pub view: ViewId,
    pub with: [ViewId; 2],
}

/// A thread that acts beside a bystander, by what is shared and its own state: a few shapes that it had, with what came of them.
#[derive(Default)]
pub struct Alone(FxHashMap<(u32, u32), Vec<(Shape, Rc<[After]>)>>);

/// How a step alone ends, for the thread, and for what is shared alone if that feels it.
struct After {
    shared: u32,
    local: u32,
    shape: Shape,
    op: Option<OpId>,
    ends: bool,
    touched: bool,
    felt: Option<Rc<Shape>>,
    is_plain: bool,
}

/// How many shapes are kept of a thread.
const KEPT: usize = 4;

impl Fixpoint<'_> {
    /// The steps of a thread of a view, of which the other one is a bystander.
    pub(super) fn steps_alone(&mut self, id: ViewId, actor: usize) -> Result<(), Stopped> {
        let known = &self.views.views[id as usize];
        let (shared, locals, other) = (known.shared, known.locals, known.locals[1 - actor]);
        let cause = Cause { from: id, actor: locals[actor], by_third: false, op: None, ends: false };
        let kept = self.alone.0.get(&(shared, locals[actor]));
        let kept = kept.and_then(|kept| kept.iter().find(|(shape, _)| *shape == *known.shape));
        let afters = match kept {
            Some((_, afters)) => afters.clone(),
            None => self.step_alone(id, actor, cause)?,
        };
        let mut changes = Changes { are_plain: true, ..Changes::default() };
        for After { shared: shared_after, local, shape, op, ends, touched, felt, is_plain } in afters.iter() {
            let (op, ends) = (*op, *ends);
            let mut after = [other; 2];
            after[actor] = *local;
            let origin = Origin { shared, locals, cause: Cause { op, ends, ..cause } };
            let grown = self.views.add_whole(*shared_after, after, shape, origin);
            self.enqueue(grown);
            changes.are_plain &= is_plain;
            changes.all.extend(touched.then(|| Change {
                shared: *shared_after,
                local: other,
                by: *local,
                felt: felt.clone(),
                kept: 0,
                moved: 0,
                op,
                ends,
            }));
        }
        self.views.keep_changes(id, actor, changes);
        Ok(())
    }

    fn step_alone(&mut self, id: ViewId, actor: usize, cause: Cause) -> Result<Rc<[After]>, Stopped> {
        let plan = self.plan();
        let known = &self.views.views[id as usize];
        let (shared, local, shape) = (known.shared, known.locals[actor], Shape::clone(&known.shape));
        let states = [self.views.locals.get(local)];
        let scene = unpack(plan, self.views.shared.get(shared), &states, shape.clone());
        let pointers = scene.pointers();
        let mut outcomes = Outcomes::default();
        self.context.step(scene, 0, &mut outcomes);
        self.steps += 1;
        self.alarms(&outcomes, Some(cause))?;
        let after = |views: &mut Views, run: &Run| {
            let scene = &run.scene;
            let (shared, local) = views.numbers(scene, 0, (shared, local));
            let own = scene.shape.project(&scene.terms(plan, &[0]));
            After {
                shared,
                local,
                shape: own,
                op: run.op,
                ends: run.ends(),
                touched: scene.touched,
                felt: scene.felt.then(|| Rc::new(scene.shape.project(&scene.terms(plan, &[])))),
                is_plain: !scene.touched || scene.is_as_before(&shape, &pointers),
            }
        };
        let afters: Rc<[After]> = outcomes.cases.iter().map(|run| after(&mut self.views, run)).collect();
        let kept = self.alone.0.entry((shared, local)).or_default();
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((shape, afters.clone()));
        Ok(afters)
    }

    /// Whether what a thread does to two others follows from their views alone; it has then been added.
    pub(super) fn is_told(&mut self, role: &Role) -> bool {
        self.is_beside_bystander(role) || self.is_plain_without_terms(role)
    }

    /// One of the two others is a bystander, which adds nothing to what the actor and its victim know.
    fn is_beside_bystander(&mut self, role: &Role) -> bool {
        let Known { shared, locals: others, bystanders, .. } = self.views.views[role.view as usize];
        for (victim, bystander) in [(0, 1), (1, 0)] {
            if !bystanders[bystander] {
                continue;
            }
            let of_two = role.with[victim];
            let at = self.views.place(of_two, role.state);
            // The bystander's views with the first and with the second thread of theirs.
            let mut beside = [role.with[bystander], role.view];
            if at == 1 {
                beside.reverse();
            }
            if !self.views.adds_nothing(of_two, beside) {
                continue;
            }
            self.with_changes(of_two, role.state, |of_all, change, shape| {
                let mut after = others;
                after[victim] = change.local;
                let origin = Origin { shared, locals: others, cause: change.by_third(role) };
                of_all.views.add_whole(change.shared, after, shape, origin)
            });
            return true;
        }
        false
    }

    /// The steps are plain, and the actor adds nothing to what the two others know: it has no terms.
    fn is_plain_without_terms(&mut self, role: &Role) -> bool {
        let at = self.views.place(role.with[0], role.state);
        let with = &self.views.views[role.with[0] as usize];
        if !with.changes[at].are_plain
            || with.terms[at] != 0
            || !self.views.adds_nothing(role.view, role.with)
        {
            return false;
        }
        let Known { shared, locals, ref shape, .. } = self.views.views[role.view as usize];
        let shape = Shape::clone(shape);
        self.with_changes(role.with[0], role.state, |of_all, change, _| {
            let origin = Origin { shared, locals, cause: change.by_third(role) };
            of_all.views.add_whole(change.shared, locals, &shape, origin)
        });
        true
    }

    /// Whether what a thread does to two others follows from the shape of the three, since its steps are plain; it has then been added.
    pub(super) fn is_told_with(&mut self, role: &Role, of_three: [ViewId; 3], shape: &Shape) -> bool {
        let at = self.views.place(role.with[0], role.state);
        if !self.views.views[role.with[0] as usize].changes[at].are_plain {
            return false;
        }
        let Known { shared, locals, .. } = self.views.views[role.view as usize];
        let (of_shared, threads) = self.views.ranges_of_three(of_three);
        let terms: [Term; MOST_TERMS] = std::array::from_fn(term_of);
        let of_shared = &terms[of_shared];
        let of_threads = role.victims.map(|victim| &terms[threads[victim].clone()]);
        self.with_changes(role.with[0], role.state, |of_all, change, _| {
            let origin = Origin { shared, locals, cause: change.by_third(role) };
            of_all.views.add_some(change.shared, locals, shape, of_shared, of_threads, origin)
        });
        true
    }

    /// Makes something of what the steps of a thread change in a view, where that is felt: a view that may be new or have grown.
    fn with_changes(
        &mut self,
        id: ViewId,
        state: u32,
        mut add: impl FnMut(&mut Self, &Change, &Shape) -> Option<ViewId>,
    ) {
        let at = self.views.place(id, state);
        let changes = std::mem::take(&mut self.views.views[id as usize].changes[at]);
        for change in &changes.all {
            if let Some(shape) = &change.felt {
                let grown = add(self, change, shape);
                self.enqueue(grown);
            }
        }
        self.views.views[id as usize].changes[at] = changes;
    }
}

impl Change {
    /// Whether this, beside one thread, and that, beside another, may be the same step.
    pub fn is_one_step_with(&self, other: &Change) -> bool {
        self.shared == other.shared && self.by == other.by
    }

    /// Why two threads are as they are that a third one has changed so.
    fn by_third(&self, role: &Role) -> Cause {
        Cause { from: role.view, actor: role.state, by_third: true, op: self.op, ends: self.ends }
    }
}
