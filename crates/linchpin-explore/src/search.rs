//! Breadth-first search of the product of an instance and a monitor, by as many workers as there are.
//!
//! Level by level, so that the first violation of a property is one of fewest moves. A node (q, S) is dropped if (q, S′) with
//! S′ ⊆ S is known (and, where preemptions are bounded, no more are used up); a node of the level being built that another one
//! of it covers is not expanded. What is kept of a level
//! is thus its minimal elements, whatever the order of insertion: with any number of workers the levels, the counts and
//! what is found are the same. A level is always finished, even after a violation.
//!
//! A rejected monitor is the empty set: it is covered by nothing and covers everything, and the search goes on from it for
//! the properties that are still open.

use super::coverage::Coverage;
use super::expand::{Origin, Visit, Worker};
use super::monitor::{Monitor, MonitorId, MonitorKind, REJECTED, UNWATCHED};
use super::preemptions::Running;
use super::reduction::{Reduction, Reductions};
use super::store::{Place, SHARDS, Store, Tag};
use super::watcher::{MonitorCache, Shared};
use linchpin_engine::stop::Stop;
use linchpin_engine::{Budget, BudgetMeter, Exhausted, Listener, Progress, forecast, lock, together};
use linchpin_semantics::{
    Asymmetry, Client, FaultProperty, Machine, Outcome, Picks, SpecError, SpecMachine, State,
};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What is asked of one instance.
#[derive(Clone)]
pub struct SearchProblem<'p> {
    pub machine: &'p Machine,
    pub client: &'p Client,
    pub spec: &'p SpecMachine,
    /// How consistency is judged, if it is asked for; stuck executions of specifications that block need it too.
    pub monitor: Option<MonitorKind>,
    pub wanted: Vec<ViolationKind>,
    pub reductions: Reductions,
    pub jobs: usize,
    /// Levels and nodes beyond which nobody wants to know.
    pub most_levels: Option<usize>,
    pub most_nodes: Option<usize>,
    /// A worker panics in this pass: for tests alone.
    #[doc(hidden)]
    pub planted: Option<Pass>,
}

/// A piece of work that workers share.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    Search,
    Progress,
}

impl Pass {
    /// The panic that a test planted.
    pub(super) fn reach(self, planted: Option<Pass>) {
        assert!(planted != Some(self), "a planted panic in this pass: {self:?}");
    }
}

/// The kinds of violation that a search over states finds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ViolationKind {
    /// The monitor rejects.
    Inconsistent,
    MemoryUnsafe,
    AssertionFails,
    /// Nobody can move, and the specification does not let the pending calls wait.
    Deadlocked,
    /// An end whose history is not legal, as a violation of consistency. Looked for with [`ViolationKind::Inconsistent`].
    Stuck,
    /// Calls nest deeper than the bound: recursion without end has no cycle to be found by.
    TooDeep,
}

impl ViolationKind {
    /// It is a state in which an execution ends, not a step.
    pub fn is_at_rest(self) -> bool {
        matches!(self, ViolationKind::Deadlocked | ViolationKind::Stuck)
    }
}

/// How a search ended.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// For each kind of violation that was found, the number of moves of a shortest one.
    pub found: BTreeMap<ViolationKind, usize>,
    /// Why not everything was searched, if so and if something is still open.
    pub exhausted: Option<Exhausted>,
    pub states: usize,
    pub nodes: usize,
    pub transitions: u64,
    pub depth: usize,
    pub frontier: usize,
    pub bytes: usize,
    pub coverage: Coverage,
    pub work: ReductionStats,
    /// The number of nodes when the search would have ended, if it did not and the levels let anybody guess.
    pub forecast: Option<u64>,
    /// What stood in the way of symmetry.
    pub obstacles: Vec<Asymmetry>,
}

/// How often each reduction had something to do.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReductionStats {
    /// Steps that were run ahead.
    pub run_ahead: u64,
    /// States whose tied threads were tried in every order.
    pub ties_tried: u64,
    /// Threads, or values, are interchangeable.
    pub exchanges: bool,
}

/// Why there is nothing to search.
#[derive(Clone, Debug)]
pub enum SearchError {
    /// `init` does not end well.
    Init(Outcome),
    /// The specification itself has a fault.
    Spec(SpecError),
}

impl From<SpecError> for SearchError {
    fn from(fault: SpecError) -> SearchError {
        SearchError::Spec(fault)
    }
}

/// A search and everything that it has found; kept after its end, so that witnesses can be drawn from it.
pub struct Search<'p> {
    pub question: SearchProblem<'p>,
    pub reduction: Reduction,
    pub store: Store,
    pub shared: Shared<'p>,
    /// Where each level begins in each shard; the last entry is where the last level ends.
    pub levels: Vec<Vec<Place>>,
    /// It goes on although everything that was asked for is found, or nothing was.
    pub is_exhaustive: bool,
    found: BTreeMap<ViolationKind, usize>,
    transitions: u64,
    coverage: Coverage,
    work: ReductionStats,
}

/// Nodes that a worker takes out of a shard at a time.
const BATCH: usize = 256;
/// Nodes that are collected for a shard before it is locked.
const PARCEL: usize = 48;
/// Levels smaller than this are one worker's.
const WORTH_SHARING: usize = 1024;

impl<'p> Search<'p> {
    pub fn new(question: SearchProblem<'p>) -> Search<'p> {
        let reduction = Reduction::new(question.machine, question.client, question.reductions);
        Search::reduced(question, reduction)
    }

    /// With reductions of one's own choice.
    pub fn reduced(question: SearchProblem<'p>, reduction: Reduction) -> Search<'p> {
        let SearchProblem { machine, spec, .. } = question;
        let threads = machine.bounds().threads as usize;
        let monitor =
            |method| Mutex::new(Monitor::exchanging(spec, method, threads, reduction.exchanged.clone()));
        Search {
            shared: question.monitor.clone().map(monitor),
            store: Store::new(0),
            levels: Vec::new(),
            is_exhaustive: false,
            found: BTreeMap::new(),
            transitions: 0,
            coverage: Coverage::new(machine),
            work: ReductionStats { exchanges: !reduction.renames_nothing(), ..ReductionStats::default() },
            reduction,
            question,
        }
    }

    pub fn run(&mut self, budget: &Budget, listener: &mut dyn Listener) -> Result<SearchResult, SearchError> {
        let mut watch = BudgetMeter::start(budget.clone());
        self.levels.push(self.store.ends());
        let begun = self.insert_initial(&mut watch)?;
        self.levels.push(self.store.ends());
        let Search { question, reduction, store, shared, .. } = &*self;
        let jobs = question.jobs.clamp(1, SHARDS);
        let mut workers: Vec<Worker<'_, 'p>> =
            (0..jobs).map(|_| Worker::new(question, reduction, MonitorCache::new(shared))).collect();
        let mut found: BTreeMap<ViolationKind, usize> = BTreeMap::new();
        let mut levels = self.levels.clone();
        let mut exhausted = begun.or_else(|| watch.exhausted(store.bytes()));
        let mut before = 0;
        let mut sizes: Vec<usize> = Vec::new();
        let mut failure = None;
        let is_open = |found: &_| self.is_exhaustive || is_open(question, found);
        loop {
            let nodes = store.number_of_nodes();
            let depth = levels.len() - 2;
            if exhausted.is_some()
                || nodes == before
                || !is_open(&found)
                || question.most_levels.is_some_and(|most| depth > most)
            {
                break;
            }
            sizes.push(nodes - before);
            let level = Level {
                store,
                forecast: forecast(&sizes),
                starts: &levels[depth],
                ends: &levels[depth + 1],
                depth,
                next: AtomicUsize::new(0),
                expanded: AtomicUsize::new(0),
                is_over: AtomicBool::new(false),
                stop: &budget.stop,
                nodes_before: before,
                nodes,
            };
            let helpers = if nodes - before < WORTH_SHARING { 0 } else { jobs - 1 };
            let (first, others) = workers.split_at_mut(1);
            let level = &level;
            let help = |worker| {
                move || {
                    Pass::Search.reach(question.planted);
                    level.work(worker, &mut |_| false)
                }
            };
            let mut look = |worker: &Worker<'_, '_>| {
                exhausted = look(level, worker, shared, question, &mut watch, listener);
                exhausted.is_some()
            };
            let results = together(&level.is_over, others.iter_mut().take(helpers).map(help), || {
                if helpers == 0 && jobs == 1 {
                    Pass::Search.reach(question.planted);
                }
                level.work(&mut first[0], &mut look)
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
        let work = ReductionStats {
            run_ahead: workers.iter().map(|worker| worker.run_ahead).sum(),
            ties_tried: workers.iter().map(|worker| worker.ties_tried).sum(),
            ..self.work
        };
        let transitions = workers.iter().map(|worker| worker.transitions).sum();
        let mut coverage = self.coverage.clone();
        for worker in &mut workers {
            worker.finish();
            coverage.add(&worker.coverage);
        }
        drop(workers);
        if let Some(error) = failure {
            return Err(error.into());
        }
        if !is_open(&found) {
            exhausted = None;
        }
        (self.levels, self.found, self.work, self.transitions, self.coverage) =
            (levels, found, work, transitions, coverage);
        let forecast = exhausted.and_then(|_| forecast(&sizes));
        Ok(self.summary(exhausted, forecast, self.store.number_of_nodes() - before))
    }

    /// A worker of its own, for those who look at the graph afterwards.
    pub fn worker(&self) -> Worker<'_, 'p> {
        Worker::new(&self.question, &self.reduction, MonitorCache::new(&self.shared))
    }

    /// Every node that is kept: its state, read, and its monitor state.
    pub fn for_each_node(&self, visit: &mut dyn FnMut(&State, MonitorId)) {
        let mut worker = self.worker();
        let mut state = State::default();
        for shard in 0..SHARDS {
            let nodes = self.store.shard(shard);
            let mut place = self.levels[0][shard];
            loop {
                place = nodes.first_at(place);
                if place >= nodes.end() {
                    break;
                }
                let (record, next) = nodes.read(place);
                worker.read(record.state, &mut state);
                visit(&state, record.monitor);
                place = next;
            }
        }
    }

    /// What the monitor knows before anything happens.
    pub fn initial_monitor(&self) -> Result<MonitorId, SpecError> {
        match &self.shared {
            Some(monitor) => lock(monitor).initial(),
            None => Ok(UNWATCHED),
        }
    }

    /// Keeps every initial state; there are as many as arbitrary hash functions. The limit that was met on the way, if any.
    fn insert_initial(&self, watch: &mut BudgetMeter) -> Result<Option<Exhausted>, SearchError> {
        let monitor = self.initial_monitor()?;
        let mut worker = self.worker();
        let mut picks = Picks::new();
        loop {
            picks.restart();
            match self.question.machine.initial(&mut picks) {
                Ok(mut state) => {
                    let (monitor, _) = worker.canonical(&mut state, monitor);
                    let (hash, shard) = self.store.locate(&worker.bytes);
                    let level = self.levels[0][shard];
                    let _ =
                        self.store
                            .shard(shard)
                            .insert(hash, &worker.bytes, monitor, level, &mut |_, _| false);
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

    fn summary(&self, exhausted: Option<Exhausted>, forecast: Option<u64>, frontier: usize) -> SearchResult {
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
            obstacles: self.reduction.obstacles.clone(),
        }
    }
}

/// Something that is asked for has not been found.
fn is_open(question: &SearchProblem<'_>, found: &BTreeMap<ViolationKind, usize>) -> bool {
    let is_found = |kind: ViolationKind| {
        found.contains_key(&kind)
            || (kind == ViolationKind::Inconsistent && found.contains_key(&ViolationKind::Stuck))
    };
    question.wanted.iter().any(|&kind| !is_found(kind))
}

/// One level being expanded.
struct Level<'s> {
    store: &'s Store,
    forecast: Option<u64>,
    starts: &'s [Place],
    ends: &'s [Place],
    depth: usize,
    /// The next shard that nobody has taken.
    next: AtomicUsize,
    expanded: AtomicUsize,
    is_over: AtomicBool,
    /// Looked at for each node: one may take long.
    stop: &'s Stop,
    nodes_before: usize,
    nodes: usize,
}

impl Level<'_> {
    /// Expands shard after shard. `look` is asked from time to time whether to stop.
    fn work<'s, 'p>(
        &self,
        worker: &mut Worker<'s, 'p>,
        look: &mut dyn FnMut(&Worker<'s, 'p>) -> bool,
    ) -> Result<Vec<(ViolationKind, usize)>, SpecError> {
        let mut collector = Collector::new(self, worker);
        let mut batch = Batch::default();
        let mut state = State::default();
        'shards: loop {
            let shard = self.next.fetch_add(1, Ordering::Relaxed);
            if shard >= SHARDS {
                break;
            }
            let mut place = self.starts[shard];
            while self.fill(&mut batch, shard, &mut place) {
                for node in 0..batch.monitors.len() {
                    if self.stop.is_asked() {
                        self.is_over.store(true, Ordering::Relaxed);
                        break 'shards;
                    }
                    let (bytes, monitor) = batch.node(node);
                    let values = worker.read(bytes, &mut state);
                    let may_end = worker.expand(Origin { state: &state, monitor, values }, &mut collector)?;
                    if may_end {
                        collector.at_rest(worker, &state, monitor)?;
                    }
                }
                self.expanded.fetch_add(batch.monitors.len(), Ordering::Relaxed);
                if look(worker) {
                    self.is_over.store(true, Ordering::Relaxed);
                }
                if self.is_over.load(Ordering::Relaxed) {
                    break 'shards;
                }
            }
        }
        (0..SHARDS).for_each(|shard| collector.deliver(worker, shard));
        Ok(collector.found)
    }

    /// Copies the next nodes of a shard out; `false` at its end.
    fn fill(&self, batch: &mut Batch, shard: usize, place: &mut Place) -> bool {
        batch.clear();
        let nodes = self.store.shard(shard);
        while batch.monitors.len() < BATCH {
            *place = nodes.first_at(*place);
            if *place >= self.ends[shard] {
                break;
            }
            let (record, next) = nodes.read(*place);
            if !record.is_pruned {
                batch.push(record.state, record.monitor);
            }
            *place = next;
        }
        !batch.monitors.is_empty()
    }
}

/// Nodes, one after the other.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    monitors: Vec<MonitorId>,
    hashes: Vec<u64>,
}

impl Batch {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.monitors.clear();
        self.hashes.clear();
    }

    fn push(&mut self, bytes: &[u8], monitor: MonitorId) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
        self.monitors.push(monitor);
    }

    fn node(&self, at: usize) -> (&[u8], MonitorId) {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        (&self.bytes[start..self.ends[at]], self.monitors[at])
    }
}

/// Collects successors for each shard and delivers them in parcels.
struct Collector<'l> {
    level: &'l Level<'l>,
    parcels: Vec<Batch>,
    wanted: Vec<ViolationKind>,
    found: Vec<(ViolationKind, usize)>,
}

impl<'l> Collector<'l> {
    fn new(level: &'l Level<'l>, worker: &Worker<'_, '_>) -> Collector<'l> {
        Collector {
            level,
            parcels: (0..SHARDS).map(|_| Batch::default()).collect(),
            wanted: worker.question.wanted.clone(),
            found: Vec::new(),
        }
    }

    fn note(&mut self, kind: ViolationKind, moves: usize) {
        let wanted = if kind == ViolationKind::Stuck { ViolationKind::Inconsistent } else { kind };
        if self.wanted.contains(&wanted) && !self.found.contains(&(kind, moves)) {
            self.found.push((kind, moves));
        }
    }

    /// An execution may end here.
    fn at_rest(
        &mut self,
        worker: &mut Worker<'_, '_>,
        state: &State,
        monitor: MonitorId,
    ) -> Result<(), SpecError> {
        let is_asked = self.wanted.contains(&ViolationKind::Deadlocked)
            || self.wanted.contains(&ViolationKind::Inconsistent);
        if is_asked && worker.is_illegal_end(state, monitor)? {
            self.note(ViolationKind::Deadlocked, self.level.depth);
            if monitor != REJECTED && monitor != UNWATCHED {
                self.note(ViolationKind::Stuck, self.level.depth);
            }
        }
        Ok(())
    }

    fn deliver(&mut self, worker: &mut Worker<'_, '_>, shard: usize) {
        let parcel = &mut self.parcels[shard];
        if parcel.monitors.is_empty() {
            return;
        }
        let level = self.level.ends[shard];
        let mut nodes = self.level.store.shard(shard);
        for at in 0..parcel.monitors.len() {
            let (state, monitor) = parcel.node(at);
            let mut covers = |large: Tag<'_>, small: Tag<'_>| {
                Running::read(large.tail).is_covered_by(Running::read(small.tail))
                    && (large.monitor == small.monitor || worker.watcher.covers(large.monitor, small.monitor))
            };
            let _ = nodes.insert(parcel.hashes[at], state, monitor, level, &mut covers);
        }
        parcel.clear();
    }
}

impl<'s, 'p> Visit<'s, 'p> for Collector<'_> {
    fn arrive(&mut self, worker: &mut Worker<'s, 'p>, next: &mut State, monitor: MonitorId) {
        let (monitor, _) = worker.canonical(next, monitor);
        let (hash, shard) = self.level.store.locate(&worker.bytes);
        let parcel = &mut self.parcels[shard];
        parcel.push(&worker.bytes, monitor);
        parcel.hashes.push(hash);
        if parcel.monitors.len() >= PARCEL {
            self.deliver(worker, shard);
        }
    }

    fn violate(&mut self, _: &mut Worker<'s, 'p>, kind: ViolationKind) {
        self.note(kind, self.level.depth + 1);
    }
}

fn look(
    level: &Level<'_>,
    worker: &Worker<'_, '_>,
    shared: &Shared<'_>,
    question: &SearchProblem<'_>,
    watch: &mut BudgetMeter,
    listener: &mut dyn Listener,
) -> Option<Exhausted> {
    let is_due = watch.should_poll();
    if !is_due && !watch.is_stopped() {
        return None;
    }
    let nodes = level.store.number_of_nodes();
    let bytes = level.store.bytes() + shared.as_ref().map_or(0, |monitor| lock(monitor).bytes());
    let (memory, time) = (watch.budget().memory, watch.budget().time);
    watch.report(listener, |elapsed| Progress {
        states: nodes,
        transitions: worker.transitions * question.jobs as u64,
        depth: level.depth,
        frontier: nodes
            - level.nodes_before
            - level.expanded.load(Ordering::Relaxed).min(level.nodes - level.nodes_before),
        bytes: bytes as u64,
        elapsed,
        forecast: level.forecast,
        memory,
        time,
        ..Progress::default()
    });
    if level.store.is_full() || question.most_nodes.is_some_and(|most| nodes > most) {
        return Some(Exhausted::States(nodes));
    }
    watch.exhausted(bytes)
}

pub fn kind_of(property: FaultProperty) -> ViolationKind {
    match property {
        FaultProperty::MemorySafe => ViolationKind::MemoryUnsafe,
        FaultProperty::Assertions => ViolationKind::AssertionFails,
    }
}
