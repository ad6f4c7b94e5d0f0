//! The fixpoint: from the initial views, every step of a thread of a view and every step of a third thread, until nothing is new.
//!
//! **A third thread.** Threads 0, 1 and 2 form a triple if each two of them are in a view of one bucket; its shape is the meet of the three. A step of one
//! changes what is known of the other two. A view that grows is taken up again: with its own steps, and in every triple, in each
//! of the three places. A thread need not be tried whose steps nobody can see in its view with one of the others, or of whose steps neither
//! of the two feels anything in its view with it.

use super::alarm::{Alarm, AlarmKind};
use super::plan::Plan;
use super::scene::{Scene, Thread, default_value, sentinels, unpack};
use super::shape::{MOST_TERMS, Shape};
use super::step::{Context, Outcomes, Run};
use super::views::{Added, Cause, Effect, Origin, TooManyTerms, ViewId, Views};
use crate::engine::{Exhausted, Listener, Progress, Watch};
use linchpin_core::certify::certificate::Watch as Watched;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::iter::repeat_n;

pub struct Fixpoint<'a> {
    context: Context<'a>,
    pub views: Views,
    /// Views whose own steps are to be made: those that were found first come first, since others follow from them.
    queue: BTreeSet<ViewId>,
    /// Views whose triples are to be tried next.
    grown: Vec<ViewId>,
    pub steps: u64,
}

/// Why there is no invariant.
pub enum Stopped {
    Alarm { alarm: Alarm, cause: Option<Cause> },
    Exhausted(Exhausted),
}

impl<'a> Fixpoint<'a> {
    pub fn new(context: Context<'a>) -> Fixpoint<'a> {
        Fixpoint { context, views: Views::new(), queue: BTreeSet::new(), grown: Vec::new(), steps: 0 }
    }

    fn plan(&self) -> &'a Plan<'a> {
        self.context.plan
    }

    /// Whether an alarm speaks of what is asked.
    fn concerns(&self, alarm: &Alarm) -> bool {
        if self.context.is_memory() { !alarm.kind.is_conformance() } else { !alarm.kind.is_memory() }
    }

    pub fn run(&mut self, watch: &mut Watch, listener: &mut dyn Listener) -> Result<(), Stopped> {
        self.start()?;
        loop {
            while let Some(id) = self.queue.pop_first() {
                self.views.views[id as usize].open = false;
                self.own_steps(id)?;
                let known = &mut self.views.views[id as usize];
                if !known.grown {
                    known.grown = true;
                    self.grown.push(id);
                }
                self.look(watch, listener)?;
            }
            if self.grown.is_empty() {
                return Ok(());
            }
            let mut round = std::mem::take(&mut self.grown);
            round.sort_unstable();
            for &id in &round {
                self.views.views[id as usize].grown = false;
                self.views.views[id as usize].in_round = true;
            }
            for &id in &round {
                self.triples(id)?;
                self.look(watch, listener)?;
            }
            for &id in &round {
                self.views.views[id as usize].in_round = false;
            }
        }
    }

    fn look(&mut self, watch: &mut Watch, listener: &mut dyn Listener) -> Result<(), Stopped> {
        if let Some(exhausted) = watch.exhausted(0) {
            return Err(Stopped::Exhausted(exhausted));
        }
        watch.tell(listener, |elapsed| Progress {
            states: self.views.views.len(),
            transitions: self.steps,
            frontier: self.queue.len() + self.grown.len(),
            elapsed,
            ..Progress::default()
        });
        Ok(())
    }

    fn start(&mut self) -> Result<(), Stopped> {
        let plan = self.plan();
        let variables = self.context.group.map_or(1, |group| group.variables);
        let scene = Scene {
            shape: Shape::new(sentinels(plan), self.context.labels()),
            location: 0,
            used: 0,
            held: 0,
            globals: plan.globals.kinds.iter().map(|kind| default_value(*kind)).collect(),
            tracked: (0..variables).map(|_| None).collect(),
            watch: Watched::default(),
            threads: Default::default(),
            touched: false,
            felt: false,
        };
        let mut outcomes = Outcomes::default();
        self.context.init(scene, &mut outcomes);
        self.alarms(&outcomes, None)?;
        for mut run in outcomes.cases {
            run.scene.threads.push(Thread::idle());
            run.scene.threads.push(Thread::idle());
            self.add(&run.scene, [0, 1], None)?;
        }
        Ok(())
    }

    fn alarms(&self, outcomes: &Outcomes, cause: Option<Cause>) -> Result<(), Stopped> {
        match outcomes.alarms.iter().find(|alarm| self.concerns(alarm)) {
            Some(alarm) => Err(Stopped::Alarm { alarm: alarm.clone(), cause }),
            None => Ok(()),
        }
    }

    fn add(&mut self, scene: &Scene, threads: [usize; 2], origin: Option<Origin>) -> Result<Added, Stopped> {
        let added = self.views.add(self.plan(), scene, threads, origin).map_err(|TooManyTerms| {
            let alarm = Alarm { kind: AlarmKind::TooManyTerms, span: self.plan().program.object_span };
            Stopped::Alarm { alarm, cause: origin.map(|origin| origin.cause) }
        })?;
        self.enqueue(added.grown);
        Ok(added)
    }

    /// The steps of a view are to be made, if it is new or has grown.
    fn enqueue(&mut self, grown: Option<ViewId>) {
        if let Some(id) = grown {
            self.views.views[id as usize].open = true;
            self.queue.insert(id);
        }
    }

    /// The steps of the two threads of a view.
    fn own_steps(&mut self, id: ViewId) -> Result<(), Stopped> {
        let plan = self.plan();
        let known = &self.views.views[id as usize];
        let (shared, locals) = (known.shared, known.locals);
        let scene = unpack(
            plan,
            self.views.shared.get(known.shared),
            &locals.map(|local| self.views.locals.get(local)),
            known.shape.clone(),
        );
        let actors = if locals[0] == locals[1] { 1 } else { 2 };
        for (actor, scene) in (0..actors).zip(repeat_n(scene, actors)) {
            let mut outcomes = Outcomes::default();
            self.context.step(scene, actor, &mut outcomes);
            self.steps += 1;
            let cause = Cause { from: id, actor: locals[actor], by_third: false, op: None, ends: false };
            self.alarms(&outcomes, Some(cause))?;
            let acts = outcomes.cases.iter().any(|run| run.scene.touched);
            let felt = outcomes.cases.iter().any(|run| run.scene.felt);
            let known = &mut self.views.views[id as usize];
            for thread in if locals[0] == locals[1] { 0..2 } else { actor..actor + 1 } {
                known.acts[thread] |= acts;
                known.felt[thread] |= felt;
            }
            let mut effects = Vec::new();
            for run in &outcomes.cases {
                let cause = cause.of(run);
                let added = self.add(&run.scene, [0, 1], Some(Origin { shared, locals, cause }))?;
                if run.scene.felt && !self.context.is_memory() {
                    let other = 1 - actor;
                    effects.push(Effect {
                        shared: added.shared,
                        local: added.locals[other],
                        shape: run.scene.shape.project(&run.scene.terms(plan, &[other])),
                        op: cause.op,
                        ends: cause.ends,
                    });
                }
            }
            self.views.keep_effects(id, actor, effects);
        }
        Ok(())
    }

    /// Everything that three threads do of which two are those of the view.
    fn triples(&mut self, id: ViewId) -> Result<(), Stopped> {
        let known = &self.views.views[id as usize];
        let (shared, [a, b]) = (known.shared, known.locals);
        let (few, many) = if self.views.partners(shared, a).len() <= self.views.partners(shared, b).len() {
            (a, b)
        } else {
            (b, a)
        };
        let thirds: Vec<u32> = self.views.partners(shared, few).to_vec();
        for c in thirds {
            let (Some(few_c), Some(many_c)) =
                (self.views.find(shared, few, c), self.views.find(shared, many, c))
            else {
                continue;
            };
            let (ac, bc) = if few == a { (few_c, many_c) } else { (many_c, few_c) };
            // Another view of this round has tried these three already, or one has grown and will.
            let tried = |other: ViewId| other < id && self.views.views[other as usize].in_round;
            let will = |other: ViewId| self.views.views[other as usize].open;
            if tried(ac) || tried(bc) || [id, ac, bc].into_iter().any(will) {
                continue;
            }
            let (locals, views) = match c {
                _ if c < a => ([c, a, b], [ac, bc, id]),
                _ if c < b => ([a, c, b], [ac, id, bc]),
                _ => ([a, b, c], [id, ac, bc]),
            };
            self.triple(shared, locals, views)?;
        }
        Ok(())
    }

    /// The states of the threads stand in order, and so do their views: of the first and the second, of the first and the third, of the
    /// second and the third.
    fn triple(&mut self, shared: u32, locals: [u32; 3], of_two: [ViewId; 3]) -> Result<(), Stopped> {
        let [ab, ac, bc] = of_two;
        // Each of the three may act on the other two: the thread, the others, and its views with those.
        let mut roles: SmallVec<[_; 3]> = SmallVec::new();
        for (actor, victims, view, with) in
            [(2, [0, 1], ab, [ac, bc]), (0, [1, 2], bc, [ab, ac]), (1, [0, 2], ac, [ab, bc])]
        {
            if self.views.act(with[0], with[1], locals[actor])
                && !self.beside_bystander(
                    shared,
                    locals[actor],
                    victims.map(|victim| locals[victim]),
                    view,
                    with,
                )
            {
                roles.push((actor, victims, view));
            }
        }
        if roles.is_empty() {
            return Ok(());
        }
        let views = &self.views;
        let plan = self.plan();
        let cause = |actor: usize, view: ViewId| {
            let actor = locals[actor];
            Cause { from: view, actor, by_third: true, op: None, ends: false }
        };
        if views.terms_of_three(of_two) > MOST_TERMS {
            let (actor, _, view) = roles[0];
            let alarm = Alarm { kind: AlarmKind::TooManyTerms, span: plan.program.object_span };
            return Err(Stopped::Alarm { alarm, cause: Some(cause(actor, view)) });
        }
        let Ok(shape) = views.shape_of_three(of_two) else {
            return Ok(());
        };
        let states = locals.map(|local| views.locals.get(local));
        let scene = unpack(plan, views.shared.get(shared), &states, shape);
        let scenes = repeat_n(scene, roles.len());
        for ((actor, victims, view), scene) in roles.into_iter().zip(scenes) {
            let mut outcomes = Outcomes::default();
            let third = Context { visible_only: true, ..self.context };
            third.step(scene, actor, &mut outcomes);
            self.steps += 1;
            let cause = cause(actor, view);
            // What a step must not do is seen in the views of two already; not so what three threads are too many for.
            let is_limit = |alarm: &&Alarm| alarm.kind.is_limit();
            if let Some(alarm) = outcomes.alarms.iter().find(is_limit) {
                return Err(Stopped::Alarm { alarm: alarm.clone(), cause: Some(cause) });
            }
            let states = victims.map(|victim| locals[victim]);
            for run in outcomes.cases.iter().filter(|run| run.scene.felt) {
                self.add(&run.scene, victims, Some(Origin { shared, locals: states, cause: cause.of(run) }))?;
            }
        }
        Ok(())
    }

    /// The steps of a thread where one of the two others is a bystander that adds nothing to what the actor and its victim know; false
    /// if there is none. `view` is that of the two others, `with` are those of the actor with each.
    fn beside_bystander(
        &mut self,
        shared: u32,
        actor: u32,
        others: [u32; 2],
        view: ViewId,
        with: [ViewId; 2],
    ) -> bool {
        if self.context.is_memory() {
            return false;
        }
        for (victim, bystander) in [(0, 1), (1, 0)] {
            if !self.views.is_bystander(view, others[bystander]) {
                continue;
            }
            let of_two = with[victim];
            let known = &self.views.views[of_two as usize];
            let at = usize::from(known.locals[0] != actor);
            // The bystander's views with the first and with the second thread of theirs.
            let mut beside = [with[bystander], view];
            if at == 1 {
                beside.reverse();
            }
            if !self.views.adds_nothing(of_two, beside) {
                continue;
            }
            let effects = std::mem::take(&mut self.views.views[of_two as usize].effects[at]);
            for effect in &effects {
                let mut after = others;
                after[victim] = effect.local;
                let cause = Cause { from: view, actor, by_third: true, op: effect.op, ends: effect.ends };
                let grown = self.views.add_effect(effect, after, Origin { shared, locals: others, cause });
                self.enqueue(grown);
            }
            self.views.keep_effects(of_two, at, effects);
            return true;
        }
        false
    }
}

impl Cause {
    /// The same, where this came of it.
    fn of(self, run: &Run) -> Cause {
        Cause { op: run.op, ends: run.scene.threads[run.actor].at.is_none(), ..self }
    }
}
