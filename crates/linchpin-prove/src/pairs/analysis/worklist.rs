//! The fixpoint: from the initial views, every step of a thread of a view and every step of a third thread, until nothing is new.
//!
//! **A third thread.** Threads 0, 1 and 2 form a triple if each two of them are in a view of one bucket; its shape is the meet of the three. A step of one
//! changes what is known of the other two. A view that grows is taken up again: with its own steps, and in every triple, in each
//! of the three places. A thread need not be tried whose steps nobody can see in its view with one of the others, or of whose steps neither
//! of the two feels anything in its view with it.

use super::alarm::{Alarm, AlarmKind};
use super::blind::HeapIndependentSteps;
use super::change::{Alone, Change, Changes, Role};
use super::plan::Plan;
use super::scene::{Thread, UnpackedView, default_value, sentinels, unpack};
use super::shape::{MOST_TERMS, Shape};
use super::step::{Context, Outcomes, Run};
use super::views::{Added, Cause, Origin, TooManyTerms, ViewId, Views};
use linchpin_certify::certificate::{Obligation, WatchedCell};
use linchpin_engine::{BudgetMeter, Exhausted, Listener, Progress};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::repeat_n;
use std::rc::Rc;

pub struct Fixpoint<'a> {
    pub(super) context: Context<'a>,
    pub views: Views,
    pub(super) alone: Alone,
    pub(super) blind: HeapIndependentSteps,
    /// Views whose own steps are to be made: those that were found first come first, since others follow from them.
    queue: BinaryHeap<Reverse<ViewId>>,
    /// Views whose triples are to be tried next.
    grown: Vec<ViewId>,
    pub steps: u64,
    /// Whether steps may be left out of which it is known what comes of them.
    spares: bool,
    /// How often it was time for a look at the budget.
    looks: u32,
}

/// A view takes some microseconds, a glance at the clock a good part of one.
const BETWEEN_LOOKS: u32 = 16;

/// What an alarm speaks of alone.
struct AlarmKinds {
    conformance: bool,
    memory: bool,
    assertions: bool,
}

impl AlarmKinds {
    fn of(kind: &AlarmKind) -> AlarmKinds {
        AlarmKinds {
            conformance: kind.is_conformance(),
            memory: kind.is_memory(),
            assertions: kind.is_assertions(),
        }
    }
}

/// Why there is no invariant.
pub enum Stopped {
    Alarm { alarm: Alarm, cause: Option<Cause> },
    Exhausted(Exhausted),
}

impl<'a> Fixpoint<'a> {
    pub fn new(context: Context<'a>, spares: bool) -> Fixpoint<'a> {
        Fixpoint {
            context,
            views: Views::new(),
            alone: Alone::default(),
            blind: HeapIndependentSteps::default(),
            queue: BinaryHeap::new(),
            grown: Vec::new(),
            steps: 0,
            spares,
            looks: 0,
        }
    }

    pub(super) fn plan(&self) -> &'a Plan<'a> {
        self.context.plan
    }

    /// Whether changes are made use of: who answers for a watched cell is asked anew in each step.
    fn tells_changes(&self) -> bool {
        self.spares && !self.context.is_memory()
    }

    /// Whether an alarm speaks of what is asked.
    fn concerns(&self, alarm: &Alarm) -> bool {
        let AlarmKinds { conformance, memory, assertions } = AlarmKinds::of(&alarm.kind);
        let is_asked = match self.context.question {
            Obligation::Observers(_) => !memory && !assertions,
            Obligation::Memory { .. } => !conformance && !assertions,
            Obligation::Assertions => !conformance && !memory,
        };
        is_asked && !self.context.ignored.contains(&alarm.kind)
    }

    pub fn run(&mut self, watch: &mut BudgetMeter, listener: &mut dyn Listener) -> Result<(), Stopped> {
        self.start()?;
        loop {
            while let Some(Reverse(id)) = self.queue.pop() {
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

    fn look(&mut self, watch: &mut BudgetMeter, listener: &mut dyn Listener) -> Result<(), Stopped> {
        self.looks += 1;
        if !self.looks.is_multiple_of(BETWEEN_LOOKS) {
            return Ok(());
        }
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
        let variables = self.context.variables();
        let scene = UnpackedView {
            shape: Shape::new(sentinels(plan), self.context.labels()),
            location: 0,
            used: 0,
            held: 0,
            globals: plan.shared.iter().map(|kind| default_value(*kind)).collect(),
            tracked: (0..variables).map(|_| None).collect(),
            watch: WatchedCell::default(),
            threads: Default::default(),
            touched: false,
            moved: 0,
            written: false,
            felt: false,
            aged: false,
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

    pub(super) fn alarms(&self, outcomes: &Outcomes, cause: Option<Cause>) -> Result<(), Stopped> {
        match outcomes.alarms.iter().find(|alarm| self.concerns(alarm)) {
            Some(alarm) => Err(Stopped::Alarm { alarm: alarm.clone(), cause }),
            None => Ok(()),
        }
    }

    fn add(
        &mut self,
        scene: &UnpackedView,
        threads: [usize; 2],
        origin: Option<Origin>,
    ) -> Result<Added, Stopped> {
        let added = self.views.add(self.plan(), scene, threads, origin).map_err(|TooManyTerms| {
            let alarm = Alarm { kind: AlarmKind::TooManyTerms, span: self.plan().program.object_span };
            Stopped::Alarm { alarm, cause: origin.map(|origin| origin.cause) }
        })?;
        self.enqueue(added.grown);
        Ok(added)
    }

    /// The steps of a view are to be made, if it is new or has grown.
    pub(super) fn enqueue(&mut self, grown: Option<ViewId>) {
        if let Some(id) = grown {
            let known = &mut self.views.views[id as usize];
            if !known.open {
                known.open = true;
                self.queue.push(Reverse(id));
            }
        }
    }

    /// The steps of the two threads of a view.
    fn own_steps(&mut self, id: ViewId) -> Result<(), Stopped> {
        let known = &self.views.views[id as usize];
        let (locals, bystanders) = (known.locals, known.bystanders);
        for actor in 0..if locals[0] == locals[1] { 1 } else { 2 } {
            if self.spares && self.steps_blindly(id, actor)? {
                continue;
            }
            if bystanders[1 - actor] && self.tells_changes() {
                self.steps_alone(id, actor)?;
            } else {
                self.steps_of(id, actor)?;
            }
        }
        Ok(())
    }

    fn steps_of(&mut self, id: ViewId, actor: usize) -> Result<(), Stopped> {
        let plan = self.plan();
        let known = &self.views.views[id as usize];
        let (shared, locals) = (known.shared, known.locals);
        let states = locals.map(|local| self.views.locals.get(local));
        let shape = Shape::clone(&known.shape);
        let scene = unpack(plan, self.views.shared.get(known.shared), &states, shape);
        let pointers = scene.pointers();
        let mut outcomes = Outcomes::default();
        self.context.step(scene, actor, &mut outcomes);
        self.steps += 1;
        let cause = Cause { from: id, actor: locals[actor], by_third: false, op: None, ends: false };
        self.alarms(&outcomes, Some(cause))?;
        let shape = &self.views.views[id as usize].shape;
        let is_plain = |scene: &UnpackedView| !scene.touched || scene.is_as_before(shape, &pointers);
        let are_plain = outcomes.cases.iter().all(|run| is_plain(&run.scene));
        let mut changes = Changes { are_plain, ..Changes::default() };
        for run in &outcomes.cases {
            let (cause, scene) = (cause.of(run), &run.scene);
            let added = self.add(scene, [0, 1], Some(Origin { shared, locals, cause }))?;
            if scene.touched {
                let other = 1 - actor;
                let terms = scene.terms(plan, &[other]);
                let own = &terms[terms.len() - self.views.terms_of(added.locals[other])..];
                let first = self.views.views[id as usize].offset(other);
                changes.all.push(Change {
                    shared: added.shared,
                    local: added.locals[other],
                    by: added.locals[actor],
                    felt: scene.felt.then(|| Rc::new(scene.shape.project(&terms))),
                    kept: own.iter().fold(0, |kept, term| kept | 1 << (usize::from(*term) - first)),
                    moved: scene.moved_of(own),
                    op: cause.op,
                    ends: cause.ends,
                });
            }
        }
        self.views.keep_changes(id, actor, changes);
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
        let thirds = self.views.partners(shared, few).to_vec();
        for (c, few_c) in thirds {
            let Some(many_c) = self.views.find(shared, many, c) else { continue };
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
        // Each of the three may act on the other two.
        let mut roles: SmallVec<[Role; 3]> = SmallVec::new();
        for (actor, victims, view, with) in
            [(2, [0, 1], ab, [ac, bc]), (0, [1, 2], bc, [ab, ac]), (1, [0, 2], ac, [ab, bc])]
        {
            let role = Role { actor, state: locals[actor], victims, view, with };
            if self.views.act(with, locals[actor])
                && !(self.spares && self.views.is_covered(&role))
                && !(self.tells_changes() && self.is_told(&role))
            {
                roles.push(role);
            }
        }
        if roles.is_empty() {
            return Ok(());
        }
        let views = &self.views;
        let plan = self.plan();
        let cause =
            |role: &Role| Cause { from: role.view, actor: role.state, by_third: true, op: None, ends: false };
        if views.terms_of_three(of_two) > MOST_TERMS {
            let alarm = Alarm { kind: AlarmKind::TooManyTerms, span: plan.program.object_span };
            return Err(Stopped::Alarm { alarm, cause: Some(cause(&roles[0])) });
        }
        let Ok(shape) = views.shape_of_three(of_two) else {
            return Ok(());
        };
        if self.tells_changes() {
            roles.retain(|role| !self.is_told_with(role, of_two, &shape));
        }
        if roles.is_empty() {
            return Ok(());
        }
        let views = &self.views;
        let states = locals.map(|local| views.locals.get(local));
        let scene = unpack(plan, views.shared.get(shared), &states, shape);
        let scenes = repeat_n(scene, roles.len());
        for (role, scene) in roles.iter().zip(scenes) {
            let mut outcomes = Outcomes::default();
            let third = Context { visible_only: true, ..self.context };
            third.step(scene, role.actor, &mut outcomes);
            self.steps += 1;
            let cause = cause(role);
            // What a step must not do is seen in the views of two already; not so what three threads are too many for.
            let ignored = self.context.ignored;
            let is_limit = |alarm: &&Alarm| alarm.kind.is_limit() && !ignored.contains(&alarm.kind);
            if let Some(alarm) = outcomes.alarms.iter().find(is_limit) {
                return Err(Stopped::Alarm { alarm: alarm.clone(), cause: Some(cause) });
            }
            let locals = role.victims.map(|victim| locals[victim]);
            for run in outcomes.cases.iter().filter(|run| run.scene.felt) {
                self.add(&run.scene, role.victims, Some(Origin { shared, locals, cause: cause.of(run) }))?;
            }
        }
        Ok(())
    }
}

impl Cause {
    /// The same, where this came of it.
    fn of(self, run: &Run) -> Cause {
        Cause { op: run.op, ends: run.ends(), ..self }
    }
}
