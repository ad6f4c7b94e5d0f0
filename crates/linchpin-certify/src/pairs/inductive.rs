//! Checks that one invariant is inductive: it holds initially, and every step preserves it.
//!
//! A state is *composed of* the views if each two of its threads, in either order, together with the shared
//! state are in a view.
//!
//! - *Claim.* If [`check`] accepts, every reachable state is composed of the views, and no step from it is an
//!   excluded failure.
//! - *Assumptions.* [`Runner`] computes every end of a step; [`Graph::meet`] contains every graph of three
//!   threads.
//! - *Proof.* The initial state is composed of the views ([`Views::initial`]). Let a thread of a composed
//!   state make a step. Each pair that contains the thread stays in a view, by the view of that pair (*own
//!   steps*). Each other pair stays in a view, by the meet of the three views of the pair and the thread
//!   (*triples*). A step that changes nothing visible, as the views of the thread with both others show,
//!   leaves the pair unchanged.
//! - *Tests.* `prove::inductive` and `prove::forgery` in the suite of `linchpin-prove`.

use super::config::{Config, FailureKind, ObligationFailure, Reader, Thread, default, nodes, sentinels};
use super::error::{Broken, CheckError};
use super::graph::{Graph, MOST_NODES};
use super::labels::all_labels;
use super::run::{Case, Runner};
use crate::certificate::{ANY, Invariant, LocalState, SharedState, WatchedCell};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// The views of an invariant, with indices.
pub(super) struct Views<'v> {
    invariant: &'v Invariant,
    runner: &'v Runner<'v>,
    reader: Reader<'v>,
    shared: FxHashMap<&'v SharedState, usize>,
    locals: FxHashMap<&'v LocalState, usize>,
    graphs: Vec<Graph>,
    /// The view of a shared state and two local states, smaller number first.
    numbers: FxHashMap<(usize, usize, usize), usize>,
    /// The partners of a local state in the views of a shared state.
    partners: FxHashMap<(usize, usize), Vec<usize>>,
    /// For each view and thread: a step of the thread can change something visible.
    has_visible_step: Vec<[bool; 2]>,
}

/// Checks one invariant. Polls `go_on` regularly, and stops when it returns false.
pub(super) fn check(
    runner: &Runner,
    invariant: &Invariant,
    go_on: &dyn Fn() -> bool,
) -> Result<(), CheckError> {
    let mut views = Views::read(runner, invariant)?;
    views.initial()?;
    for number in 0..invariant.views.len() {
        views.own_steps(number)?;
        if number % 64 == 0 && !go_on() {
            return Err(CheckError::Interrupted);
        }
    }
    for number in 0..invariant.views.len() {
        views.triples(number)?;
        if !go_on() {
            return Err(CheckError::Interrupted);
        }
    }
    Ok(())
}

impl<'v> Views<'v> {
    /// Reads an invariant. Refuses data that is not an invariant of this program.
    fn read(runner: &'v Runner<'v>, invariant: &'v Invariant) -> Result<Views<'v>, CheckError> {
        let reader = Reader { layout: runner.layout, rests: runner.rests };
        let malformed = |text: &str| CheckError::Malformed(text.to_string());
        for shared in &invariant.shared {
            let variables = runner.variables();
            if shared.globals.len() != runner.layout.shared().len() || shared.tracked.len() != variables {
                return Err(malformed("a shared state has the wrong number of parts"));
            }
        }
        for local in &invariant.locals {
            let slots = match local.at {
                Some(at) => runner.rests.get(usize::from(at)).map(|rest| rest.slots.len()),
                None => Some(0),
            };
            if slots != Some(local.slots.len()) {
                return Err(malformed("a local state has the wrong number of slots"));
            }
        }
        if invariant.ordered && runner.layout.cell().label.is_none() {
            return Err(malformed("cells without labels have no order"));
        }
        let mut views = Views {
            invariant,
            runner,
            reader,
            shared: invariant.shared.iter().enumerate().map(|(at, state)| (state, at)).collect(),
            locals: invariant.locals.iter().enumerate().map(|(at, state)| (state, at)).collect(),
            graphs: Vec::new(),
            numbers: FxHashMap::default(),
            partners: FxHashMap::default(),
            has_visible_step: vec![[false; 2]; invariant.views.len()],
        };
        for (number, view) in invariant.views.iter().enumerate() {
            let [a, b] = view.locals;
            let (Some(shared), Some(first), Some(second)) =
                (invariant.shared.get(view.shared), invariant.locals.get(a), invariant.locals.get(b))
            else {
                return Err(malformed("a view names a state that does not exist"));
            };
            let count = views.reader.shared_nodes(shared) + nodes(&first.slots) + nodes(&second.slots);
            if count > MOST_NODES || view.shape.len() != count * count.saturating_sub(1) / 2 {
                return Err(malformed("a shape has the wrong number of entries"));
            }
            if view.shape.iter().any(|set| *set == 0 || set & !ANY != 0) {
                return Err(malformed("an entry of a shape is not a set of relations"));
            }
            let mut graph = runner.empty_graph();
            graph.nodes = count;
            let mut sets = view.shape.iter();
            for x in 0..count {
                graph.put(runner.algebra, x, x, crate::certificate::SAME);
                for y in x + 1..count {
                    graph.put(runner.algebra, x, y, sets.next().copied().unwrap_or(ANY));
                }
            }
            let cells = count - sentinels(runner.layout);
            match runner.layout.cell().label {
                None if view.labels.is_empty() => {}
                Some(label) if view.labels.len() == cells => {
                    if view.labels.iter().any(|set| *set == 0 || set & !all_labels(label) != 0) {
                        return Err(malformed("an entry of a shape is not a set of labels"));
                    }
                    graph.put_labels(&view.labels);
                }
                _ => return Err(malformed("a shape has the wrong number of labels")),
            }
            views.graphs.push(graph);
            if views.numbers.insert((view.shared, a.min(b), a.max(b)), number).is_some() {
                return Err(malformed("two views have the same states"));
            }
            views.partners.entry((view.shared, a)).or_default().push(b);
            if a != b {
                views.partners.entry((view.shared, b)).or_default().push(a);
            }
        }
        Ok(views)
    }

    fn initial(&self) -> Result<(), CheckError> {
        let layout = self.runner.layout;
        let variables = self.runner.variables();
        let config = Config {
            graph: self.runner.empty_graph(),
            location: 0,
            used: 0,
            held: 0,
            globals: layout.shared().iter().map(|part| default(*part)).collect(),
            tracked: SmallVec::from_elem(None, variables),
            watch: WatchedCell::default(),
            threads: smallvec![Thread::idle()],
            actor: 0,
            vars: SmallVec::new(),
            event: None,
            visible: false,
            fuel: 0,
        };
        let mut failures = Vec::new();
        let ends = self.runner.init(config, &mut failures);
        self.excluded(&failures, None)?;
        for mut end in ends {
            end.threads = smallvec![Thread::idle(), Thread::idle()];
            self.contains(&end, 0, 1, None)?;
        }
        Ok(())
    }

    /// Refuses the first failure that concerns the obligation.
    fn excluded(&self, failures: &[ObligationFailure], actor: Option<usize>) -> Result<(), CheckError> {
        match failures.iter().find(|failure| self.runner.concerns(failure)) {
            Some(failure) => Err(self.broken(failure.kind.to_string(), actor, Some(failure.span))),
            None => Ok(()),
        }
    }

    fn broken(
        &self,
        why: String,
        actor: Option<usize>,
        span: Option<linchpin_ir::source::Span>,
    ) -> CheckError {
        let rest = actor.and_then(|actor| self.invariant.locals.get(actor)).and_then(|local| local.at);
        let rest = rest.and_then(|at| self.runner.rests.get(usize::from(at)));
        let at = rest.map(|rest| self.runner.layout.heap().ops()[rest.op].method.code[rest.pc].span);
        CheckError::Broken(Box::new(Broken { question: self.invariant.question, why, step: at, span }))
    }

    /// Checks that two threads of a configuration are in a view, in both orders.
    fn contains(
        &self,
        case: &Config,
        first: usize,
        second: usize,
        actor: Option<usize>,
    ) -> Result<(), CheckError> {
        let missing = || match actor {
            Some(_) => self.broken("no view contains the state after a step".into(), actor, None),
            None => self.broken("no view contains the initial state".into(), None, None),
        };
        let shared = *self.shared.get(&case.shared()).ok_or_else(missing)?;
        let a = *self.locals.get(&case.local(first)).ok_or_else(missing)?;
        let b = *self.locals.get(&case.local(second)).ok_or_else(missing)?;
        let number = *self.numbers.get(&(shared, a.min(b), a.max(b))).ok_or_else(missing)?;
        let graph = &self.graphs[number];
        let within = |first: usize, second: usize| {
            let own = case.view_nodes(self.runner.layout, first, second);
            own.iter().enumerate().all(|(x, from)| {
                own.iter().enumerate().all(|(y, to)| case.graph.get(*from, *to) & !graph.get(x, y) == 0)
                    && case.graph.labels(*from) & !graph.labels(x) == 0
            })
        };
        let is_forward = self.invariant.views[number].locals[0] == a;
        let is_in = match (a == b, is_forward) {
            (true, _) => within(first, second) && within(second, first),
            (false, true) => within(first, second),
            (false, false) => within(second, first),
        };
        if is_in { Ok(()) } else { Err(missing()) }
    }

    fn own_steps(&mut self, number: usize) -> Result<(), CheckError> {
        let view = &self.invariant.views[number];
        let locals = view.locals.map(|local| &self.invariant.locals[local]);
        let mut graph = self.graphs[number].clone();
        if graph.tighten(self.runner.algebra).is_err() {
            // The view has no states.
            return Ok(());
        }
        let Some(config) = self.reader.config(&self.invariant.shared[view.shared], &locals, graph) else {
            return Err(CheckError::Malformed("a view does not fit the program".into()));
        };
        for actor in 0..2 {
            let mut failures = Vec::new();
            let ends = self.runner.step(&config, actor, &mut failures);
            self.excluded(&failures, Some(view.locals[actor]))?;
            for end in &ends {
                self.contains(end, 0, 1, Some(view.locals[actor]))?;
            }
            let before = &self.invariant.shared[view.shared];
            self.has_visible_step[number][actor] |=
                ends.iter().any(|end| end.visible || end.shared() != *before);
        }
        Ok(())
    }

    fn can_act(&self, number: usize, local: usize) -> bool {
        let [first, second] = self.invariant.views[number].locals;
        let [of_first, of_second] = self.has_visible_step[number];
        (first == local && of_first) || (second == local && of_second)
    }

    /// Checks the triples whose two smallest local states are in this view.
    fn triples(&self, number: usize) -> Result<(), CheckError> {
        let view = &self.invariant.views[number];
        let (a, b) = (view.locals[0].min(view.locals[1]), view.locals[0].max(view.locals[1]));
        let Some(thirds) = self.partners.get(&(view.shared, a)) else { return Ok(()) };
        for &c in thirds.iter().filter(|c| **c >= b) {
            let (Some(&ac), Some(&bc)) =
                (self.numbers.get(&(view.shared, a, c)), self.numbers.get(&(view.shared, b, c)))
            else {
                continue;
            };
            self.triple(view.shared, [a, b, c], [number, ac, bc])?;
        }
        Ok(())
    }

    fn triple(&self, shared: usize, locals: [usize; 3], [ab, ac, bc]: [usize; 3]) -> Result<(), CheckError> {
        let [a, b, c] = locals;
        let roles = [(0, [1, 2], a, [ab, ac]), (1, [0, 2], b, [ab, bc]), (2, [0, 1], c, [ac, bc])];
        let acting = |role: &(usize, [usize; 2], usize, [usize; 2])| {
            role.3.iter().all(|view| self.can_act(*view, role.2))
        };
        if !roles.iter().any(acting) {
            return Ok(());
        }
        let shared = &self.invariant.shared[shared];
        let states = locals.map(|local| &self.invariant.locals[local]);
        let counts: usize = states.iter().map(|state| nodes(&state.slots)).sum();
        if self.reader.shared_nodes(shared) + counts > MOST_NODES {
            return Err(self.broken("three threads have too many pointers".into(), Some(a), None));
        }
        let Some(graph) = self.meet(shared, states, locals, [ab, ac, bc]) else { return Ok(()) };
        let Some(config) = self.reader.config(shared, &states, graph) else {
            return Err(CheckError::Malformed("a view does not fit the program".into()));
        };
        for (actor, victims, local, _) in roles.iter().filter(|role| acting(role)) {
            // The views of two threads already exclude every failure of a step. Only a limit may need three
            // threads.
            let mut failures = Vec::new();
            let ends: Vec<Case> = self.runner.step(&config, *actor, &mut failures);
            failures.retain(|failure| matches!(failure.kind, FailureKind::Method(_)));
            self.excluded(&failures, Some(*local))?;
            for end in ends.iter().filter(|end| end.visible || end.shared() != *shared) {
                self.contains(end, victims[0], victims[1], Some(*local))?;
            }
        }
        Ok(())
    }

    /// Returns the meet of three views; `None` if it has no graph.
    fn meet(
        &self,
        shared: &SharedState,
        states: [&LocalState; 3],
        locals: [usize; 3],
        views: [usize; 3],
    ) -> Option<Graph> {
        let base = self.reader.shared_nodes(shared);
        let mut next = base;
        let own = states.map(|state| {
            let start = next;
            next += nodes(&state.slots);
            start..next
        });
        let mut stands: [SmallVec<[usize; MOST_NODES]>; 3] = Default::default();
        for (at, (first, second)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            let is_forward = self.invariant.views[views[at]].locals[0] == locals[first];
            let (first, second) = if is_forward { (first, second) } else { (second, first) };
            stands[at] = (0..base).chain(own[first].clone()).chain(own[second].clone()).collect();
        }
        let pairs = [0, 1, 2].map(|at: usize| (&self.graphs[views[at]], &stands[at][..]));
        Graph::meet(self.runner.algebra, self.runner.empty_graph(), own, pairs).ok()
    }
}
