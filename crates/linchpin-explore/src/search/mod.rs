//! Breadth-first search of the product of an instance and a monitor, by several workers.
//!
//! The search expands level by level, so the first violation of a property has the fewest moves. A node (q,
//! S) is dropped if a node (q, S′) with S′ ⊆ S is known. With a bound on preemptions, (q, S′) must also have
//! used no more of them. A node of the level being built is not expanded if another node of that level covers
//! it. So the search keeps the minimal elements of a level, in every order of insertion. Levels, counts and
//! findings do not depend on the number of workers. A level is always finished, even after a violation.
//!
//! A rejected monitor is the empty set: no node covers it, and it covers every node. The search continues
//! from it for the properties that are still open.
//!
//! | file | contents |
//! |---|---|
//! | [`bfs`] | one level, expanded by all workers |
//! | [`batch`] | nodes on their way from or to a shard |
//! | [`result`] | the result |
//!
//! The worker threads are those of [`linchpin_engine::together`]: a panic of one worker ends the run.

mod batch;
mod bfs;
mod result;

pub use result::{ReductionStats, SearchError, SearchResult};

use crate::expand::{Coverage, ExpandOptions, Expander, PreemptionState};
use crate::monitor::{Monitor, MonitorCache, MonitorId, SharedMonitor, UNWATCHED};
use crate::problem::{Pass, SearchProblem, ViolationKind};
use crate::reduce::ReductionPlan;
use crate::store::{NodeId, NodeOffset, SHARDS, VisitedSet};
use bfs::{Level, WORTH_SHARING, poll_budget};
use linchpin_engine::{Budget, BudgetMeter, Exhausted, Listener, forecast, lock, settled_forecast, together};
use linchpin_semantics::{Outcome, Picks, SpecError, State};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// A search and everything that it found. It stays after the end of the search: witnesses are computed from
/// it.
pub struct Search<'p> {
    pub problem: SearchProblem<'p>,
    pub plan: ReductionPlan,
    pub store: VisitedSet,
    pub shared: SharedMonitor<'p>,
    /// The offset in each shard at which each level begins; the last entry is the end of the last level.
    pub levels: Vec<Vec<NodeOffset>>,
    /// The search continues after it found every wanted violation, and also if none is wanted.
    pub is_exhaustive: bool,
    found: BTreeMap<ViolationKind, usize>,
    transitions: u64,
    coverage: Coverage,
    work: ReductionStats,
}

impl<'p> Search<'p> {
    pub fn new(problem: SearchProblem<'p>) -> Search<'p> {
        let plan = ReductionPlan::new(problem.machine, problem.client, problem.reductions);
        Search::with_plan(problem, plan)
    }

    /// Returns a search with a plan that the caller made.
    pub fn with_plan(problem: SearchProblem<'p>, plan: ReductionPlan) -> Search<'p> {
        let SearchProblem { machine, spec, .. } = problem;
        let threads = machine.bounds().threads as usize;
        let monitor =
            |kind| Mutex::new(Monitor::with_symmetry(spec, kind, threads, plan.spec_symmetry.clone()));
        Search {
            shared: problem.monitor.clone().map(monitor),
            store: VisitedSet::new(0),
            levels: Vec::new(),
            is_exhaustive: false,
            found: BTreeMap::new(),
            transitions: 0,
            coverage: Coverage::new(machine),
            work: ReductionStats { exchanges: !plan.renames_nothing(), ..ReductionStats::default() },
            plan,
            problem,
        }
    }

    /// Limits the number of preemptions of an execution. Must be called before the search runs.
    pub fn bound_preemptions(&mut self, most: u32) {
        self.plan.preemptions = Some(u8::try_from(most).unwrap_or(u8::MAX));
        self.plan.delayed_calls = false;
        self.store = VisitedSet::new(PreemptionState::BYTES);
    }

    /// Makes every call a move of its own, even if its first step can block. Must be called before the search
    /// runs.
    pub fn keep_calls_separate(&mut self) {
        self.plan.delayed_calls = false;
    }

    /// Runs the search to its end, or until the budget is exhausted.
    pub fn run(&mut self, budget: &Budget, listener: &mut dyn Listener) -> Result<SearchResult, SearchError> {
        let mut watch = BudgetMeter::start(budget.clone());
        self.levels.push(self.store.ends());
        let begun = self.insert_initial(&mut watch)?;
        self.levels.push(self.store.ends());
        let Search { problem, store, shared, .. } = &*self;
        let jobs = problem.jobs.clamp(1, SHARDS);
        let mut workers: Vec<Expander<'_, 'p>> =
            (0..jobs).map(|_| self.expander(ExpandOptions::default())).collect();
        let mut found: BTreeMap<ViolationKind, usize> = BTreeMap::new();
        let mut levels = self.levels.clone();
        let mut exhausted = begun.or_else(|| watch.exhausted(store.bytes()));
        let mut before = 0;
        let mut sizes: Vec<usize> = Vec::new();
        let mut failure = None;
        let is_open = |found: &_| self.is_exhaustive || is_open(problem, found);
        loop {
            let nodes = store.number_of_nodes();
            let depth = levels.len() - 2;
            if exhausted.is_some()
                || nodes == before
                || !is_open(&found)
                || problem.most_levels.is_some_and(|most| depth > most)
            {
                break;
            }
            sizes.push(nodes - before);
            let level = &Level::new(store, &levels, (before, nodes), settled_forecast(&sizes), &budget.stop);
            let helpers = if nodes - before < WORTH_SHARING { 0 } else { jobs - 1 };
            let (first, others) = workers.split_at_mut(1);
            let help = |worker| {
                move || {
                    Pass::Search.reach(problem.planted);
                    level.work(worker, &problem.wanted, &mut |_| false)
                }
            };
            let mut poll = |transitions: u64| {
                exhausted = poll_budget(level, transitions, shared, problem, &mut watch, listener);
                exhausted.is_some()
            };
            let results = together(&level.is_over, others.iter_mut().take(helpers).map(help), || {
                if helpers == 0 && jobs == 1 {
                    Pass::Search.reach(problem.planted);
                }
                level.work(&mut first[0], &problem.wanted, &mut poll)
            });
            if level.is_over.load(Ordering::Relaxed) {
                exhausted = exhausted.or_else(|| watch.exhausted(0)).or(Some(Exhausted::Interrupted));
            }
            for result in results {
                match result {
                    Ok(kinds) => kinds.into_iter().for_each(|(kind, moves)| {
                        let known = found.entry(kind).or_insert(moves);
                        *known = (*known).min(moves);
                    }),
                    Err(error) => failure = Some(error),
                }
            }
            if exhausted.is_some() || failure.is_some() {
                break;
            }
            before = nodes;
            levels.push(store.ends());
        }
        let (mut work, mut transitions, mut coverage) = (self.work, 0, self.coverage.clone());
        for counters in workers.into_iter().map(Expander::finish) {
            work.run_ahead += counters.local_steps;
            work.ties_tried += counters.ties_tried;
            transitions += counters.transitions;
            coverage.add(&counters.coverage);
        }
        if let Some(error) = failure {
            return Err(error.into());
        }
        if !is_open(&found) {
            exhausted = None;
        }
        (self.levels, self.found, self.work, self.transitions, self.coverage) =
            (levels, found, work, transitions, coverage);
        let forecast = exhausted.and_then(|_| forecast(&sizes));
        Ok(self.result(exhausted, forecast, self.store.number_of_nodes() - before))
    }

    /// Returns an expander with its own cache of the monitor.
    pub fn expander(&self, options: ExpandOptions) -> Expander<'_, 'p> {
        Expander::new(&self.problem, &self.plan, MonitorCache::new(&self.shared), options)
    }

    /// Visits every stored node: its decoded state and its monitor state.
    pub fn for_each_node(&self, visit: &mut dyn FnMut(&State, MonitorId)) {
        let expander = self.expander(ExpandOptions::default());
        let mut state = State::default();
        for shard in 0..SHARDS {
            let nodes = self.store.shard(shard);
            let mut offset = self.levels[0][shard];
            loop {
                offset = nodes.first_at(offset);
                if offset >= nodes.end() {
                    break;
                }
                let (node, next) = nodes.read(offset);
                expander.decode(node.state, node.monitor, &mut state);
                visit(&state, node.monitor);
                offset = next;
            }
        }
    }

    /// Returns the level of a node: the fewest moves that lead to it.
    pub fn level_of(&self, node: NodeId) -> usize {
        self.levels.partition_point(|level| level[node.shard as usize] <= node.offset) - 1
    }

    /// Returns the monitor state of the empty history.
    pub fn initial_monitor(&self) -> Result<MonitorId, SpecError> {
        match &self.shared {
            Some(monitor) => lock(monitor).initial(),
            None => Ok(UNWATCHED),
        }
    }

    /// Inserts every initial state. There are as many as arbitrary hash functions. Returns the limit that it
    /// met, if any.
    fn insert_initial(&self, watch: &mut BudgetMeter) -> Result<Option<Exhausted>, SearchError> {
        let monitor = self.initial_monitor()?;
        let mut expander = self.expander(ExpandOptions::default());
        let mut picks = Picks::new();
        loop {
            picks.restart();
            match self.problem.machine.initial(&mut picks) {
                Ok(mut state) => {
                    let found =
                        expander.representatives().of(&mut state, monitor, PreemptionState::default());
                    let (hash, shard) = self.store.locate(found.bytes);
                    let level = self.levels[0][shard];
                    let mut nodes = self.store.shard(shard);
                    let _ = nodes.insert(hash, found.bytes, found.monitor, level, &mut |_, _| false);
                }
                Err(Outcome::Discarded) => {}
                Err(outcome) => return Err(SearchError::Init(outcome)),
            }
            if !picks.advance() {
                return Ok(None);
            }
            if watch.should_poll()
                && let Some(exhausted) = watch.exhausted(self.store.bytes())
            {
                return Ok(Some(exhausted));
            }
        }
    }

    fn result(&self, exhausted: Option<Exhausted>, forecast: Option<u64>, frontier: usize) -> SearchResult {
        SearchResult {
            found: self.found.clone(),
            exhausted,
            states: self.store.number_of_states(),
            nodes: self.store.number_of_nodes(),
            transitions: self.transitions,
            depth: self.levels.len().saturating_sub(3),
            frontier,
            bytes: self.store.bytes() + self.shared.as_ref().map_or(0, |monitor| lock(monitor).bytes()),
            coverage: self.coverage.clone(),
            work: self.work,
            forecast,
            obstacles: self.plan.obstacles.clone(),
        }
    }
}

/// Checks whether a wanted violation has not been found.
fn is_open(problem: &SearchProblem<'_>, found: &BTreeMap<ViolationKind, usize>) -> bool {
    let is_found = |kind: ViolationKind| {
        found.contains_key(&kind)
            || (kind == ViolationKind::Inconsistent && found.contains_key(&ViolationKind::Stuck))
    };
    problem.wanted.iter().any(|&kind| !is_found(kind))
}
