//! The least set of views of the kept thread that its own steps and those of *Other* do not leave.
//!
//! *Other* steps from windows that the lemmas allow. A lemma that a view does not show is dropped: then there
//! are more windows, and all views found so far remain. So one run weakens the lemmas until the rest supports
//! itself. The search asks the checker what a step leads to, as the search for sets does: the gate and the
//! local test guard the steps.

use linchpin_certify::cmp::lemma::is_shown;
use linchpin_certify::cmp::window::{Ended, Materials, each_step};
use linchpin_certify::cmp_certificate::{CmpCertificate, RestLemma};
use linchpin_certify::set_certificate::{CallGhost, EdgeEnd, EdgeView, SetCertificate, ThreadView};
use linchpin_certify::sets::action::Action;
use linchpin_certify::sets::failure::SetFailure;
use linchpin_certify::sets::run::{Edges, initial, moves};
use linchpin_certify::sets::world::{Witness, canonical};
use linchpin_certify::sets::{after_reset, edges_at_call, edges_of_init, is_taken};
use linchpin_engine::{BudgetMeter, Exhausted};
use linchpin_ir::heap::sets::SetLayout;
use linchpin_ir::program::{GlobalId, OpId, Pc};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;

/// The reason why a search found no certificate.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// A step of the kept thread may break an obligation.
    Failed {
        failure: SetFailure,
        view: usize,
    },
    /// A step of *Other* cannot be followed from this window.
    Unfollowed {
        failure: SetFailure,
        window: Box<ThreadView>,
    },
    /// A view does not show a lemma that must not be dropped.
    Lemma {
        lemma: RestLemma,
        view: usize,
    },
    Exhausted(Exhausted),
    /// A step of the kept thread does what the method does not follow.
    NoWitness,
}

/// How a view was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    Init,
    /// A step of the kept thread, from its rest in this view.
    Own(usize),
    /// A step of *Other*, by the number of its action.
    Other(usize, usize),
}

type Key = (CallGhost, bool, EdgeEnd);

/// The successors found so far, and the views that asked for them.
#[derive(Default)]
struct Table {
    successors: FxHashMap<Key, Rc<[Option<EdgeEnd>]>>,
    asked: FxHashMap<Key, Vec<usize>>,
    /// The view whose steps run.
    asking: usize,
}

impl Edges for Table {
    fn successors(&mut self, ghost: CallGhost, is_in: bool, from: EdgeEnd) -> Rc<[Option<EdgeEnd>]> {
        let key = (ghost, is_in, from);
        let asked = self.asked.entry(key).or_default();
        if asked.last() != Some(&self.asking) {
            asked.push(self.asking);
        }
        self.successors.entry(key).or_insert_with(|| Rc::from([])).clone()
    }
}

/// What becomes of a lemma that a view does not show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unshown {
    Drop,
    Stop,
}

pub struct Fixpoint<'f> {
    layout: &'f SetLayout,
    witness: Witness,
    unshown: Unshown,
    lemmas: FxHashMap<(OpId, Pc), Vec<RestLemma>>,
    /// How many lemmas were dropped.
    pub dropped: usize,
    known: FxHashMap<Rc<ThreadView>, usize>,
    pub views: Vec<Rc<ThreadView>>,
    pub causes: Vec<Cause>,
    open: VecDeque<usize>,
    is_open: Vec<bool>,
    edges: Vec<EdgeView>,
    known_edges: FxHashSet<EdgeView>,
    table: Table,
    own_actions: Vec<Action>,
    own_applied: Vec<usize>,
    /// The actions of *Other*, each with its first window.
    actions: Vec<Action>,
    pub windows: Vec<ThreadView>,
    /// How many views each action was applied to, and edges.
    applied: Vec<(usize, usize)>,
    known_actions: FxHashSet<Action>,
    /// The actions of *Other* that gave edges, in the order of these.
    pub edge_causes: Vec<usize>,
    resets: FxHashSet<(CallGhost, bool)>,
    /// What the windows were made of, and how many lemmas had been dropped then.
    made_of: Option<(Materials, usize)>,
    unfollowed: Option<(SetFailure, ThreadView)>,
    broken: Option<(RestLemma, usize)>,
    pub steps: u64,
}

impl<'f> Fixpoint<'f> {
    pub fn new(
        layout: &'f SetLayout,
        witness: Witness,
        lemmas: &[RestLemma],
        unshown: Unshown,
    ) -> Fixpoint<'f> {
        let mut by_rest: FxHashMap<(OpId, Pc), Vec<RestLemma>> = FxHashMap::default();
        for lemma in lemmas {
            by_rest.entry((lemma.op, lemma.pc)).or_default().push(lemma.clone());
        }
        Fixpoint {
            layout,
            witness,
            unshown,
            lemmas: by_rest,
            dropped: 0,
            known: FxHashMap::default(),
            views: Vec::new(),
            causes: Vec::new(),
            open: VecDeque::new(),
            is_open: Vec::new(),
            edges: Vec::new(),
            known_edges: FxHashSet::default(),
            table: Table::default(),
            own_actions: Vec::new(),
            own_applied: Vec::new(),
            actions: Vec::new(),
            windows: Vec::new(),
            applied: Vec::new(),
            known_actions: FxHashSet::default(),
            edge_causes: Vec::new(),
            resets: FxHashSet::default(),
            made_of: None,
            unfollowed: None,
            broken: None,
            steps: 0,
        }
    }

    pub fn run(&mut self, meter: &mut BudgetMeter) -> Result<(), Stopped> {
        let stopped = |failure| Stopped::Failed { failure, view: 0 };
        let worlds = initial(self.layout, &self.witness, &mut self.table).map_err(stopped)?;
        for world in worlds {
            self.add_view(canonical(self.layout, &self.witness, &world, None), Cause::Init);
            for edge in edges_of_init(&world) {
                self.add_edge(edge);
            }
        }
        let mut turn = 0_usize;
        loop {
            if turn.is_multiple_of(64)
                && let Some(exhausted) = meter.exhausted(self.views.len())
            {
                return Err(Stopped::Exhausted(exhausted));
            }
            turn += 1;
            if let Some((lemma, view)) = self.broken.take() {
                return Err(Stopped::Lemma { lemma, view });
            }
            match self.open.pop_front() {
                Some(at) => self.step(at)?,
                None if self.interfere() => {}
                None if self.look(meter)? => {}
                None => break,
            }
        }
        match self.unfollowed.take() {
            Some((failure, window)) => Err(Stopped::Unfollowed { failure, window: Box::new(window) }),
            None => Ok(()),
        }
    }

    /// Runs the steps of a view.
    fn step(&mut self, at: usize) -> Result<(), Stopped> {
        self.is_open[at] = false;
        self.table.asking = at;
        let view = self.views[at].clone();
        let all = moves(self.layout, &self.witness, &mut self.table, &view)
            .map_err(|failure| Stopped::Failed { failure, view: at })?;
        for moved in all {
            self.steps += 1;
            if !is_taken(&moved, &view) {
                return Err(Stopped::NoWitness);
            }
            if moved.resets && view.at.is_some() && self.resets.insert((moved.ghost, moved.is_in)) {
                for edge in self.edges.clone() {
                    self.consider_reset(edge);
                }
            }
            self.add_view(moved.view, Cause::Own(at));
            if let Some(action) = moved.action
                && self.known_actions.insert(action.clone())
            {
                self.own_actions.push(action);
                self.own_applied.push(0);
            }
        }
        Ok(())
    }

    /// Applies one action to the views and edges that it was not applied to. Returns whether there was one.
    fn interfere(&mut self) -> bool {
        for at in 0..self.own_actions.len() {
            if self.own_applied[at] == self.edges.len() {
                continue;
            }
            while let Some(edge) = self.edges.get(self.own_applied[at]) {
                self.own_applied[at] += 1;
                for edge in self.own_actions[at].on_edge(edge, true, &self.witness.present) {
                    self.add_edge(edge);
                }
            }
            return true;
        }
        for at in 0..self.actions.len() {
            if self.applied[at] == (self.views.len(), self.edges.len()) {
                continue;
            }
            while let Some(edge) = self.edges.get(self.applied[at].1) {
                self.applied[at].1 += 1;
                let before = self.edges.len();
                for edge in self.actions[at].on_edge(edge, false, &self.witness.present) {
                    self.add_edge(edge);
                }
                if self.edges.len() > before {
                    self.edge_causes.push(at);
                }
            }
            while let Some(view) = self.views.get(self.applied[at].0) {
                let from = self.applied[at].0;
                self.applied[at].0 += 1;
                self.steps += 1;
                for view in self.actions[at].on_view(self.layout, &self.witness, view) {
                    self.add_view(view, Cause::Other(from, at));
                }
            }
            return true;
        }
        false
    }

    /// Makes the windows of *Other* anew, if there may be more. Returns whether they gave an action.
    fn look(&mut self, meter: &BudgetMeter) -> Result<bool, Stopped> {
        let mut materials = Materials::default();
        self.views.iter().for_each(|view| materials.add_view(view));
        self.edges.iter().for_each(|edge| materials.add_edge(edge));
        if self.made_of.as_ref() == Some(&(materials.clone(), self.dropped)) {
            return Ok(false);
        }
        let lemmas = self.lemmas();
        let (layout, witness) = (self.layout, self.witness.clone());
        let views = self.views.len();
        let go_on = || meter.exhausted(views).is_none();
        let before = self.actions.len();
        let (actions, windows, known) = (&mut self.actions, &mut self.windows, &mut self.known_actions);
        let unfollowed = &mut self.unfollowed;
        *unfollowed = None;
        let stops = self.unshown == Unshown::Stop;
        let seen = each_step(layout, &witness, &lemmas, &materials, &go_on, &mut |window, effect| {
            match effect {
                Ok(action) => {
                    if known.insert(action.clone()) {
                        actions.push(action);
                        windows.push(window.clone());
                    }
                }
                Err(failure) => {
                    unfollowed.get_or_insert_with(|| (failure, window.clone()));
                }
            }
            !stops || unfollowed.is_none()
        });
        if stops && let Some((failure, window)) = self.unfollowed.take() {
            return Err(Stopped::Unfollowed { failure, window: Box::new(window) });
        }
        if seen == Err(Ended)
            && let Some(exhausted) = meter.exhausted(views)
        {
            return Err(Stopped::Exhausted(exhausted));
        }
        self.applied.resize(self.actions.len(), (0, 0));
        self.made_of = Some((materials, self.dropped));
        Ok(self.actions.len() > before)
    }

    /// The lemmas that are left, sorted.
    pub fn lemmas(&self) -> Vec<RestLemma> {
        let mut lemmas: Vec<RestLemma> = self.lemmas.values().flatten().cloned().collect();
        lemmas.sort();
        lemmas
    }

    fn add_view(&mut self, view: ThreadView, cause: Cause) {
        if self.known.contains_key(&view) {
            return;
        }
        let (view, at) = (Rc::new(view), self.views.len());
        if let Some(lemmas) = view.at.and_then(|rest| self.lemmas.get_mut(&rest)) {
            let before = lemmas.len();
            match self.unshown {
                Unshown::Drop => lemmas.retain(|lemma| is_shown(self.layout, lemma, &view)),
                Unshown::Stop => {
                    let broken = lemmas.iter().find(|lemma| !is_shown(self.layout, lemma, &view));
                    self.broken = self.broken.take().or(broken.map(|lemma| (lemma.clone(), at)));
                }
            }
            self.dropped += before - lemmas.len();
        }
        self.known.insert(view.clone(), at);
        self.views.push(view);
        self.causes.push(cause);
        self.is_open.push(true);
        self.open.push_back(at);
    }

    fn add_edge(&mut self, edge: EdgeView) {
        if !self.known_edges.insert(edge) {
            return;
        }
        self.edges.push(edge);
        let key = (edge.ghost, edge.is_in, edge.from);
        let known = self.table.successors.entry(key).or_insert_with(|| Rc::from([]));
        *known = known.iter().copied().chain([edge.to]).collect();
        for view in self.table.asked.remove(&key).unwrap_or_default() {
            if !self.is_open[view] {
                self.is_open[view] = true;
                self.open.push_back(view);
            }
        }
        for edge in edges_at_call(&edge) {
            self.add_edge(edge);
        }
        self.consider_reset(edge);
    }

    fn consider_reset(&mut self, edge: EdgeView) {
        if self.resets.contains(&(edge.ghost, edge.is_in)) {
            self.add_edge(after_reset(edge));
        }
    }

    pub fn certificate(&self, root: GlobalId) -> CmpCertificate {
        let mut threads: Vec<ThreadView> = self.views.iter().map(|view| (**view).clone()).collect();
        threads.sort_unstable();
        let mut edges = self.edges.clone();
        edges.sort_unstable();
        let views = SetCertificate {
            root,
            present: self.witness.present.clone(),
            deadlock_free: self.witness.deadlock_free,
            chains: false,
            threads,
            edges,
        };
        CmpCertificate { views, lemmas: self.lemmas() }
    }
}
