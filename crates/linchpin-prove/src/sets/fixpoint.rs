//! The least set of views that a program's steps do not leave, for one pair of witnesses.
//!
//! The search begins with the views of `init`. It adds every view that a step leads to, until there is none.
//! It asks the checker what a step leads to. So a wrong step of the checker would not show here: the gate and
//! the local test, which use the plain semantics, guard the steps.

use linchpin_certify::set_certificate::{CallGhost, EdgeEnd, EdgeView, SetCertificate, ThreadView};
use linchpin_certify::sets::action::Action;
use linchpin_certify::sets::failure::SetFailure;
use linchpin_certify::sets::run::{Edges, initial, moves};
use linchpin_certify::sets::world::{Witness, canonical};
use linchpin_certify::sets::{after_reset, edges_at_call, edges_of_init, is_taken};
use linchpin_engine::{BudgetMeter, Exhausted};
use linchpin_ir::heap::sets::SetLayout;
use linchpin_ir::program::GlobalId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;

/// The reason why a search found no certificate.
#[derive(Clone, Debug)]
pub enum Stopped {
    Failed(SetFailure),
    Exhausted(Exhausted),
    /// A step does what the method does not follow.
    Unfollowed,
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

pub struct Fixpoint<'f> {
    layout: &'f SetLayout,
    witness: Witness,
    known: FxHashMap<Rc<ThreadView>, usize>,
    views: Vec<Rc<ThreadView>>,
    /// The views whose steps are to be run.
    open: VecDeque<usize>,
    is_open: Vec<bool>,
    edges: Vec<EdgeView>,
    known_edges: FxHashSet<EdgeView>,
    table: Table,
    own_actions: Vec<Action>,
    actions: Vec<Action>,
    known_actions: FxHashSet<Action>,
    resets: FxHashSet<(CallGhost, bool)>,
    /// How many views each action was applied to, and edges.
    applied: Vec<(usize, usize)>,
    own_applied: Vec<usize>,
    pub steps: u64,
}

impl<'f> Fixpoint<'f> {
    pub fn new(layout: &'f SetLayout, witness: Witness) -> Fixpoint<'f> {
        Fixpoint {
            layout,
            witness,
            known: FxHashMap::default(),
            views: Vec::new(),
            open: VecDeque::new(),
            is_open: Vec::new(),
            edges: Vec::new(),
            known_edges: FxHashSet::default(),
            table: Table::default(),
            own_actions: Vec::new(),
            actions: Vec::new(),
            known_actions: FxHashSet::default(),
            resets: FxHashSet::default(),
            applied: Vec::new(),
            own_applied: Vec::new(),
            steps: 0,
        }
    }

    pub fn run(&mut self, meter: &mut BudgetMeter) -> Result<(), Stopped> {
        let worlds = initial(self.layout, &self.witness, &mut self.table).map_err(Stopped::Failed)?;
        for world in worlds {
            self.add_view(canonical(self.layout, &self.witness, &world, None));
            for edge in edges_of_init(&world) {
                self.add_edge(edge);
            }
        }
        loop {
            if let Some(exhausted) = meter.exhausted(self.views.len()) {
                return Err(Stopped::Exhausted(exhausted));
            }
            match self.open.pop_front() {
                Some(at) => self.step(at)?,
                None if self.interfere(meter)? => {}
                None => return Ok(()),
            }
        }
    }

    /// Runs the steps of a view.
    fn step(&mut self, at: usize) -> Result<(), Stopped> {
        self.is_open[at] = false;
        self.table.asking = at;
        let view = self.views[at].clone();
        let all = moves(self.layout, &self.witness, &mut self.table, &view).map_err(Stopped::Failed)?;
        for moved in all {
            self.steps += 1;
            if !is_taken(&moved, &view) {
                return Err(Stopped::Unfollowed);
            }
            if moved.resets && view.at.is_some() && self.resets.insert((moved.ghost, moved.is_in)) {
                for edge in self.edges.clone() {
                    self.consider_reset(edge);
                }
            }
            self.add_view(moved.view);
            if let Some(action) = moved.action {
                let seen = action.seen_by_others();
                if self.known_actions.insert(seen.clone()) {
                    self.actions.push(seen);
                    self.applied.push((0, 0));
                }
                if self.known_actions.insert(action.clone()) {
                    self.own_actions.push(action);
                    self.own_applied.push(0);
                }
            }
        }
        Ok(())
    }

    /// Applies actions to the views and edges that they were not applied to. Returns whether there were any.
    fn interfere(&mut self, meter: &mut BudgetMeter) -> Result<bool, Stopped> {
        let mut is_new = false;
        for at in 0..self.own_actions.len() {
            while let Some(edge) = self.edges.get(self.own_applied[at]) {
                is_new = true;
                self.own_applied[at] += 1;
                for edge in self.own_actions[at].on_edge(edge, true, &self.witness.present) {
                    self.add_edge(edge);
                }
            }
        }
        for at in 0..self.actions.len() {
            if let Some(exhausted) = meter.exhausted(self.views.len()) {
                return Err(Stopped::Exhausted(exhausted));
            }
            while let Some(edge) = self.edges.get(self.applied[at].1) {
                is_new = true;
                self.applied[at].1 += 1;
                for edge in self.actions[at].on_edge(edge, false, &self.witness.present) {
                    self.add_edge(edge);
                }
            }
            while let Some(view) = self.views.get(self.applied[at].0) {
                is_new = true;
                self.applied[at].0 += 1;
                self.steps += 1;
                for view in self.actions[at].on_view(self.layout, &self.witness, view) {
                    self.add_view(view);
                }
            }
        }
        Ok(is_new)
    }

    fn add_view(&mut self, view: ThreadView) {
        if self.known.contains_key(&view) {
            return;
        }
        let (view, at) = (Rc::new(view), self.views.len());
        self.known.insert(view.clone(), at);
        self.views.push(view);
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

    pub fn certificate(self, root: GlobalId) -> SetCertificate {
        let mut threads: Vec<ThreadView> = self.views.iter().map(|view| (**view).clone()).collect();
        threads.sort_unstable();
        let mut edges = self.edges;
        edges.sort_unstable();
        SetCertificate {
            root,
            present: self.witness.present,
            deadlock_free: self.witness.deadlock_free,
            chains: self.witness.chains,
            threads,
            edges,
        }
    }
}
