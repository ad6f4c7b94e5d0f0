//! The fixpoint: computes, from the initial views, the steps of both threads of each view and the steps of a
//! third thread.
//!
//! **A third thread.** Three threads form a triple if each two of them are in a view of one bucket. The shape
//! of the triple is the meet of the three shapes. A step of one thread changes the view of the other two. A
//! view that grows is processed again: with its own steps, and in every triple in each of the three
//! positions.
//!
//! Two kinds of actors are skipped. One has no visible step in its view with a victim. The other has no step
//! that is visible to a victim in the view of both.

use super::heap_independent::HeapIndependentSteps;
use super::interference::{Interference, Interferences, Role, ViewId};
use super::replay;
use super::solo::SoloStepCache;
use super::state::{AnalysisState, Stopped};
use super::subsumption::is_subsumed;
use super::views::{Cause, Provenance, Views};
use crate::alarm::Alarm;
use crate::pairs::domain::shape::{MOST_TERMS, Shape};
use crate::pairs::domain::value::Value;
use crate::pairs::transfer::{Context, Outcomes, Thread, UnpackedView, sentinels, unpack};
use linchpin_certify::certificate::WatchedCell;
use linchpin_engine::{BudgetMeter, Listener, Progress};
use smallvec::SmallVec;
use std::iter::repeat_n;
use std::rc::Rc;

pub struct Fixpoint<'a> {
    state: AnalysisState<'a>,
    solo: SoloStepCache,
    heap_independent: HeapIndependentSteps,
    /// Views whose triples are to be tried next.
    grown: Vec<ViewId>,
    /// Skip steps whose result follows from known views.
    accelerate: bool,
    /// The number of calls of `poll`.
    polls: u32,
}

/// The number of views between two checks of the budget. A view takes microseconds, and reading the clock
/// takes a good part of one.
const BETWEEN_POLLS: u32 = 16;

impl<'a> Fixpoint<'a> {
    pub fn new(context: Context<'a>, accelerate: bool) -> Fixpoint<'a> {
        Fixpoint {
            state: AnalysisState::new(context),
            solo: SoloStepCache::default(),
            heap_independent: HeapIndependentSteps::default(),
            grown: Vec::new(),
            accelerate,
            polls: 0,
        }
    }

    pub fn views(&self) -> &Views {
        &self.state.views
    }

    /// Returns the number of steps computed.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Returns whether stored interference is reused. For memory it is not: each step decides the owner of
    /// the watched cell anew.
    fn reuses_interference(&self) -> bool {
        self.accelerate && !self.state.context.is_memory()
    }

    pub fn run(&mut self, meter: &mut BudgetMeter, listener: &mut dyn Listener) -> Result<(), Stopped> {
        self.start()?;
        loop {
            while let Some(id) = self.state.dequeue() {
                self.own_steps(id)?;
                let known = &mut self.state.views.views[id as usize];
                if !known.grown {
                    known.grown = true;
                    self.grown.push(id);
                }
                self.poll(meter, listener)?;
            }
            if self.grown.is_empty() {
                return Ok(());
            }
            let mut round = std::mem::take(&mut self.grown);
            round.sort_unstable();
            for &id in &round {
                self.state.views.views[id as usize].grown = false;
                self.state.views.views[id as usize].in_round = true;
            }
            for &id in &round {
                self.triples(id)?;
                self.poll(meter, listener)?;
            }
            for &id in &round {
                self.state.views.views[id as usize].in_round = false;
            }
        }
    }

    fn poll(&mut self, meter: &mut BudgetMeter, listener: &mut dyn Listener) -> Result<(), Stopped> {
        self.polls += 1;
        if !self.polls.is_multiple_of(BETWEEN_POLLS) {
            return Ok(());
        }
        if let Some(exhausted) = meter.exhausted(0) {
            return Err(Stopped::Exhausted(exhausted));
        }
        meter.report(listener, |elapsed| Progress {
            states: self.state.views.views.len(),
            transitions: self.state.steps,
            frontier: self.state.queued() + self.grown.len(),
            elapsed,
            ..Progress::default()
        });
        Ok(())
    }

    /// Adds the views in which `init` may end.
    fn start(&mut self) -> Result<(), Stopped> {
        let program = self.state.program();
        let variables = self.state.context.variables();
        let scene = UnpackedView {
            shape: Shape::new(sentinels(program), self.state.context.labels()),
            location: 0,
            used: 0,
            held: 0,
            globals: program.shared.iter().map(|sort| Value::default_of(*sort)).collect(),
            tracked: (0..variables).map(|_| None).collect(),
            watch: WatchedCell::default(),
            threads: Default::default(),
            visible: false,
            moved: 0,
            written: false,
            visible_to_peer: false,
            aged: false,
        };
        let mut outcomes = Outcomes::default();
        self.state.context.init(scene, &mut outcomes);
        self.state.check_alarms(&outcomes, None)?;
        for mut run in outcomes.cases {
            run.scene.threads.push(Thread::idle());
            run.scene.threads.push(Thread::idle());
            self.state.add(&run.scene, [0, 1], None)?;
        }
        Ok(())
    }

    /// Makes the steps of both threads of a view.
    fn own_steps(&mut self, id: ViewId) -> Result<(), Stopped> {
        let known = &self.state.views.views[id as usize];
        let (locals, bystanders) = (known.locals, known.bystanders);
        for actor in 0..if locals[0] == locals[1] { 1 } else { 2 } {
            if self.accelerate && self.heap_independent.apply_summaries(&mut self.state, id, actor) {
                continue;
            }
            if bystanders[1 - actor] && self.reuses_interference() {
                self.solo.apply(&mut self.state, id, actor)?;
            } else {
                self.steps_of(id, actor)?;
            }
        }
        Ok(())
    }

    fn steps_of(&mut self, id: ViewId, actor: usize) -> Result<(), Stopped> {
        let state = &mut self.state;
        let program = state.program();
        let known = &state.views.views[id as usize];
        let (shared, locals) = (known.shared, known.locals);
        let states = locals.map(|local| state.views.locals.get(local));
        let shape = Shape::clone(&known.shape);
        let scene = unpack(program, state.views.shared.get(known.shared), &states, shape);
        let pointers = scene.pointers();
        let outcomes = state.step(scene, actor);
        let cause = Cause { from: id, actor: locals[actor], by_third: false, op: None, ends: false };
        state.check_alarms(&outcomes, Some(cause))?;
        let shape = &state.views.views[id as usize].shape;
        let is_plain = |scene: &UnpackedView| !scene.visible || scene.is_as_before(shape, &pointers);
        let are_plain = outcomes.cases.iter().all(|run| is_plain(&run.scene));
        let mut interferences = Interferences { are_plain, ..Interferences::default() };
        for run in &outcomes.cases {
            let (cause, scene) = (cause.of(run), &run.scene);
            let added = state.add(scene, [0, 1], Some(Provenance { shared, locals, cause }))?;
            if scene.visible {
                let other = 1 - actor;
                let terms = scene.terms(program, &[other]);
                let own = &terms[terms.len() - state.views.terms_of(added.locals[other])..];
                let first = state.views.views[id as usize].offset(other);
                interferences.all.push(Interference {
                    shared: added.shared,
                    local: added.locals[other],
                    by: added.locals[actor],
                    visible_to_peer: scene.visible_to_peer.then(|| Rc::new(scene.shape.project(&terms))),
                    kept: own.iter().fold(0, |kept, term| kept | 1 << (usize::from(*term) - first)),
                    moved: scene.moved_of(own),
                    op: cause.op,
                    ends: cause.ends,
                });
            }
        }
        state.views.keep_interferences(id, actor, interferences);
        Ok(())
    }

    /// Tries every triple that contains both threads of the view.
    fn triples(&mut self, id: ViewId) -> Result<(), Stopped> {
        let views = &self.state.views;
        let known = &views.views[id as usize];
        let (shared, [a, b]) = (known.shared, known.locals);
        let (few, many) =
            if views.partners(shared, a).len() <= views.partners(shared, b).len() { (a, b) } else { (b, a) };
        let thirds = views.partners(shared, few).to_vec();
        for (c, few_c) in thirds {
            let views = &self.state.views;
            let Some(many_c) = views.find(shared, many, c) else { continue };
            let (ac, bc) = if few == a { (few_c, many_c) } else { (many_c, few_c) };
            // Another view of this round has tried this triple already, or a view has grown and will try it.
            let tried = |other: ViewId| other < id && views.views[other as usize].in_round;
            let will = |other: ViewId| views.views[other as usize].open;
            if tried(ac) || tried(bc) || [id, ac, bc].into_iter().any(will) {
                continue;
            }
            let (locals, of_two) = match c {
                _ if c < a => ([c, a, b], [ac, bc, id]),
                _ if c < b => ([a, c, b], [ac, id, bc]),
                _ => ([a, b, c], [id, ac, bc]),
            };
            self.triple(shared, locals, of_two)?;
        }
        Ok(())
    }

    /// Makes the steps of each thread of a triple that may change the view of the other two. The states are
    /// in order. The views are those of the first and second, the first and third, and the second and third
    /// thread.
    fn triple(&mut self, shared: u32, locals: [u32; 3], of_two: [ViewId; 3]) -> Result<(), Stopped> {
        let [ab, ac, bc] = of_two;
        let mut roles: SmallVec<[Role; 3]> = SmallVec::new();
        for (actor, victims, view, with) in
            [(2, [0, 1], ab, [ac, bc]), (0, [1, 2], bc, [ab, ac]), (1, [0, 2], ac, [ab, bc])]
        {
            let role = Role { actor, state: locals[actor], victims, view, with };
            if self.state.views.may_interfere(with, locals[actor])
                && !(self.accelerate && is_subsumed(&self.state.views, &role))
                && !(self.reuses_interference() && replay::from_pairs(&mut self.state, &role))
            {
                roles.push(role);
            }
        }
        if roles.is_empty() {
            return Ok(());
        }
        let cause =
            |role: &Role| Cause { from: role.view, actor: role.state, by_third: true, op: None, ends: false };
        if self.state.views.terms_of_three(of_two) > MOST_TERMS {
            let alarm = self.state.too_many_terms();
            return Err(Stopped::Alarm { alarm, cause: Some(cause(&roles[0])) });
        }
        let Ok(shape) = self.state.views.shape_of_three(of_two) else {
            return Ok(());
        };
        if self.reuses_interference() {
            roles.retain(|role| !replay::from_triple(&mut self.state, role, of_two, &shape));
        }
        if roles.is_empty() {
            return Ok(());
        }
        let views = &self.state.views;
        let states = locals.map(|local| views.locals.get(local));
        let scene = unpack(self.state.program(), views.shared.get(shared), &states, shape);
        let scenes = repeat_n(scene, roles.len());
        for (role, scene) in roles.iter().zip(scenes) {
            let mut outcomes = Outcomes::default();
            let third = Context { visible_only: true, ..self.state.context };
            third.step(scene, role.actor, &mut outcomes);
            self.state.steps += 1;
            let cause = cause(role);
            // The views of two threads already show every error of a step. Only a limit may need three
            // threads.
            let ignored = self.state.context.ignored;
            let is_limit = |alarm: &&Alarm| alarm.kind.is_limit() && !ignored.contains(&alarm.kind);
            if let Some(alarm) = outcomes.alarms.iter().find(is_limit) {
                return Err(Stopped::Alarm { alarm: alarm.clone(), cause: Some(cause) });
            }
            let locals = role.victims.map(|victim| locals[victim]);
            for run in outcomes.cases.iter().filter(|run| run.scene.visible_to_peer) {
                let provenance = Provenance { shared, locals, cause: cause.of(run) };
                self.state.add(&run.scene, role.victims, Some(provenance))?;
            }
        }
        Ok(())
    }
}
