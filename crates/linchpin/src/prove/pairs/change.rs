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
use super::shape::Shape;
use super::step::{Outcomes, Run};
use super::views::{Cause, Known, Origin, ViewId, Views};
use linchpin_core::ir::OpId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What is left of a step when the thread that made it is left out: what is shared, and the other thread of the view.
#[derive(Clone)]
pub struct Change {
    pub shared: u32,
    pub local: u32,
    pub shape: Shape,
    pub op: Option<OpId>,
    pub ends: bool,
}

/// The changes that the steps of one thread of a view make.
#[derive(Default)]
pub struct Changes {
    /// Those that the other one, or what they share, feels.
    pub felt: Vec<Change>,
    /// All steps that others can see are plain.
    pub are_plain: bool,
}

/// A thread that acts beside a bystander, by what is shared and its own state: a few shapes that it had, with what came of them.
#[derive(Default)]
pub struct Alone(FxHashMap<(u32, u32), Vec<(Shape, Rc<[After]>)>>);

/// How a step alone ends: the thread, and what is shared alone if that feels it.
struct After {
    thread: Change,
    touched: bool,
    felt: Option<Shape>,
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
        let kept = kept.and_then(|kept| kept.iter().find(|(shape, _)| *shape == known.shape));
        let afters = match kept {
            Some((_, afters)) => afters.clone(),
            None => self.step_alone(id, actor, cause)?,
        };
        let mut changes = Changes { felt: Vec::new(), are_plain: true };
        for After { thread, felt, is_plain, .. } in afters.iter() {
            let mut after = [other; 2];
            after[actor] = thread.local;
            let cause = Cause { op: thread.op, ends: thread.ends, ..cause };
            let origin = Origin { shared, locals, cause };
            let grown = self.views.add_whole(thread.shared, after, &thread.shape, origin);
            self.enqueue(grown);
            changes.are_plain &= is_plain;
            changes.felt.extend(felt.as_ref().map(|shape| Change {
                local: other,
                shape: shape.clone(),
                ..thread.clone()
            }));
        }
        let touched = afters.iter().any(|after| after.touched);
        self.views.keep_changes(id, actor, touched, changes);
        Ok(())
    }

    fn step_alone(&mut self, id: ViewId, actor: usize, cause: Cause) -> Result<Rc<[After]>, Stopped> {
        let plan = self.plan();
        let known = &self.views.views[id as usize];
        let (shared, local, shape) = (known.shared, known.locals[actor], known.shape.clone());
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
                thread: Change { shared, local, shape: own, op: run.op, ends: run.ends() },
                touched: scene.touched,
                felt: scene.felt.then(|| scene.shape.project(&scene.terms(plan, &[]))),
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

    /// The steps of a thread where one of the two others is a bystander that adds nothing to what the actor and its victim know; false
    /// if there is none. `view` is that of the two others, `with` are those of the actor with each.
    pub(super) fn beside_bystander(
        &mut self,
        shared: u32,
        actor: u32,
        others: [u32; 2],
        view: ViewId,
        with: [ViewId; 2],
    ) -> bool {
        for (victim, bystander) in [(0, 1), (1, 0)] {
            if !self.views.is_bystander(view, others[bystander]) {
                continue;
            }
            let of_two = with[victim];
            let at = self.views.place(of_two, actor);
            // The bystander's views with the first and with the second thread of theirs.
            let mut beside = [with[bystander], view];
            if at == 1 {
                beside.reverse();
            }
            if !self.views.adds_nothing(of_two, beside) {
                continue;
            }
            let changes = std::mem::take(&mut self.views.views[of_two as usize].changes[at]);
            for change in &changes.felt {
                let mut after = others;
                after[victim] = change.local;
                let origin = Origin { shared, locals: others, cause: change.by_third(view, actor) };
                let grown = self.views.add_whole(change.shared, after, &change.shape, origin);
                self.enqueue(grown);
            }
            self.views.views[of_two as usize].changes[at] = changes;
            return true;
        }
        false
    }

    /// The steps of a thread, if they are plain: `shape` is that of the three, `with` its view with the first of the others.
    pub(super) fn plainly(
        &mut self,
        of_three: [ViewId; 3],
        shape: &Shape,
        (actor, state): (usize, u32),
        victims: [usize; 2],
        view: ViewId,
        with: ViewId,
    ) -> bool {
        let at = self.views.place(with, state);
        if !self.views.views[with as usize].changes[at].are_plain {
            return false;
        }
        debug_assert!(victims.into_iter().all(|victim| victim != actor));
        let Known { shared, locals, .. } = self.views.views[view as usize];
        let (of_shared, threads) = self.views.ranges_of_three(of_three);
        let terms = [of_shared, threads[victims[0]].clone(), threads[victims[1]].clone()];
        let changes = std::mem::take(&mut self.views.views[with as usize].changes[at]);
        for change in &changes.felt {
            let origin = Origin { shared, locals, cause: change.by_third(view, state) };
            let states = [change.shared, locals[0], locals[1]];
            let grown = self.views.add_two_of_three(states, shape, terms.clone(), origin);
            self.enqueue(grown);
        }
        self.views.views[with as usize].changes[at] = changes;
        true
    }
}

impl Change {
    /// Why two threads are as they are that a third one has changed so.
    pub fn by_third(&self, view: ViewId, actor: u32) -> Cause {
        Cause { from: view, actor, by_third: true, op: self.op, ends: self.ends }
    }
}
