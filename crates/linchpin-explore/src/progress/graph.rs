//! The graph of a finished search, with its edges: who does what on each, and how its end is renamed.
//!
//! Nodes are the states that the search kept, each once, whatever monitor it was seen with. An edge is a move of the search
//! ([`super::super::expand`]), generated again; where the search renames states, the edge bears the permutation of threads
//! that leads from the names in the node that it leaves to those in the node that it reaches. Edges that differ only in
//! their ends share a [`Label`].
//!
//! Numbers of nodes depend on the order in which workers came; everything that is told to anybody outside must not.

use super::super::deeds::{MOST_THREADS, MoveSummary, bit, told_apart};
use super::super::expand::{Origin, Visit, Worker};
use super::super::monitor::MonitorId;
use super::super::search::{Pass, Search, ViolationKind};
use super::super::store::{NodeId, Place, SHARDS, Store};
use linchpin_engine::{BudgetMeter, Exhausted, Listener, Progress, together};
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_semantics::{Client, Machine, Renaming, SpecError, State, ThreadId};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub struct Graph {
    /// By shard: where the first node of each state lies, in order.
    places: Vec<Vec<Place>>,
    /// By shard: the number of its first state; and the number of all.
    bases: Vec<u32>,
    /// By node: its first edge; one more is the end of the last.
    starts: Vec<usize>,
    edges: Vec<Edge>,
    labels: Vec<Label>,
    standing: Vec<ThreadStatus>,
    pub threads: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub to: u32,
    label: u32,
}

/// What is done on an edge, by the names in the node that it leaves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    pub deeds: MoveSummary,
    /// A bit for each thread that makes a step.
    pub stepped: u16,
    /// To the names in the node that is reached.
    pub renaming: Renaming,
}

/// How the threads stand in a node: a bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ThreadStatus {
    pub idle: u16,
    /// Its pending call waits, and not for a cell.
    pub waiting: u16,
    /// A fair scheduler owes it nothing here: it waits, or is idle with no call that its client owes.
    pub excused: u16,
    /// Some move leads out of the scope, ends in an error, needs a cell, or leads where the search did not come.
    pub leaves: bool,
    /// The same of moves that begin no call.
    pub steps_leave: bool,
    /// The idle threads may stay idle for ever ([`Client::may_rest`]).
    pub may_rest: bool,
    /// Its step nests calls too deep.
    pub too_deep: u16,
}

/// Why there is no graph.
#[derive(Clone, Debug)]
pub enum NoGraph {
    Exhausted(Exhausted),
    Spec(SpecError),
    /// More threads than labels tell apart.
    TooManyThreads,
}

impl Graph {
    /// Of the levels that the search finished; by as many workers as it had.
    pub fn of(
        search: &Search<'_>,
        watch: &mut BudgetMeter,
        listener: &mut dyn Listener,
    ) -> Result<Graph, NoGraph> {
        let threads = search.question.machine.bounds().threads as usize;
        if threads > MOST_THREADS {
            return Err(NoGraph::TooManyThreads);
        }
        let places: Vec<Vec<Place>> = (0..SHARDS).map(|shard| first_places(search, shard)).collect();
        let mut bases = vec![0u32];
        for shard in &places {
            let base = bases.last().copied().unwrap_or(0) as usize + shard.len();
            bases.push(u32::try_from(base).map_err(|_| NoGraph::Exhausted(Exhausted::States(base)))?);
        }
        let work = Work {
            search,
            places: &places,
            bases: &bases,
            next: AtomicUsize::new(0),
            edges: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        };
        let is_small = bases.last().is_none_or(|nodes| *nodes < WORTH_SHARING);
        let jobs = if is_small { 1 } else { search.question.jobs.clamp(1, SHARDS) };
        let mut exhausted = None;
        let mut parts: Vec<(usize, Part)> = Vec::new();
        let mut failure = None;
        let planted = search.question.planted;
        let help = |_| {
            || {
                Pass::Progress.reach(planted);
                work.run(&mut || false)
            }
        };
        let mut look = || {
            exhausted = look(&work, watch, listener);
            exhausted.is_some()
        };
        let results = together(&work.is_over, (1..jobs).map(help), || {
            if jobs == 1 {
                Pass::Progress.reach(planted);
            }
            work.run(&mut look)
        });
        for result in results {
            match result {
                Ok(some) => parts.extend(some),
                Err(error) => failure = Some(error),
            }
        }
        if let Some(error) = failure {
            return Err(NoGraph::Spec(error));
        }
        if let Some(exhausted) = exhausted {
            return Err(NoGraph::Exhausted(exhausted));
        }
        parts.sort_unstable_by_key(|(shard, _)| *shard);
        let mut graph = Graph {
            starts: vec![0],
            edges: Vec::with_capacity(parts.iter().map(|(_, part)| part.edges.len()).sum()),
            labels: Vec::new(),
            standing: Vec::with_capacity(bases.last().map_or(0, |nodes| *nodes as usize)),
            threads,
            places,
            bases,
        };
        let mut numbers: FxHashMap<Label, u32> = FxHashMap::default();
        for (_, part) in parts {
            graph.append(part, &mut numbers);
        }
        Ok(graph)
    }

    pub fn size(&self) -> usize {
        self.standing.len()
    }

    pub fn edges(&self, node: usize) -> impl Iterator<Item = (Edge, &Label)> {
        let edges = &self.edges[self.starts[node]..self.starts[node + 1]];
        edges.iter().map(|edge| (*edge, &self.labels[edge.label as usize]))
    }

    pub fn standing(&self, node: usize) -> ThreadStatus {
        self.standing[node]
    }

    /// Where a node lies in the search's store.
    pub fn place(&self, node: usize) -> NodeId {
        let shard = self.bases.partition_point(|base| *base as usize <= node) - 1;
        NodeId { shard: byte_of(shard), place: self.places[shard][node - self.bases[shard] as usize] }
    }

    /// The node of a state, as the search writes it.
    pub fn find(&self, store: &Store, state: &[u8]) -> Option<usize> {
        find(store, &self.places, &self.bases, state).map(|node| node as usize)
    }

    pub fn bytes(&self) -> usize {
        self.edges.len() * size_of::<Edge>()
            + self.size() * (size_of::<ThreadStatus>() + size_of::<u64>() + size_of::<Place>())
    }

    fn append(&mut self, part: Part, numbers: &mut FxHashMap<Label, u32>) {
        let labels: Vec<u32> = part
            .labels
            .iter()
            .map(|label| {
                *numbers.entry(*label).or_insert_with(|| {
                    self.labels.push(*label);
                    number_of(self.labels.len()) - 1
                })
            })
            .collect();
        let base = self.edges.len();
        self.edges.extend(part.edges.iter().map(|edge| Edge { label: labels[edge.label as usize], ..*edge }));
        self.starts.extend(part.ends.iter().map(|end| base + *end as usize));
        self.standing.extend(part.standing);
    }
}

/// The threads that a fair scheduler owes nothing in a state, given those that wait there.
pub fn excused(machine: &Machine, client: &Client, state: &State, waiting: u16) -> u16 {
    let may_rest =
        |thread: &ThreadId| machine.is_idle(state, *thread) && !client.owes(machine, state, *thread);
    machine.bounds().thread_ids().filter(may_rest).fold(waiting, |mask, thread| mask | bit(thread.index()))
}

/// Where the first node of each state of a shard lies, in the levels that were finished.
fn first_places(search: &Search<'_>, shard: usize) -> Vec<Place> {
    let mut found = Vec::new();
    let (Some(first), Some(last)) = (search.levels.first(), search.levels.last()) else { return found };
    let nodes = search.store.shard(shard);
    let mut place = first[shard];
    loop {
        place = nodes.first_at(place);
        if place >= last[shard] {
            return found;
        }
        let (record, next) = nodes.read(place);
        let is_first = search.shared.is_none()
            || nodes.find_state(search.store.locate(record.state).0, record.state) == Some(place);
        if is_first {
            found.push(place);
        }
        place = next;
    }
}

fn find(store: &Store, places: &[Vec<Place>], bases: &[u32], state: &[u8]) -> Option<u32> {
    let (hash, shard) = store.locate(state);
    let place = store.shard(shard).find_state(hash, state)?;
    let at = places[shard].binary_search(&place).ok()?;
    Some(bases[shard] + number_of(at))
}

/// The edges of one shard's nodes.
#[derive(Default)]
struct Part {
    ends: Vec<u32>,
    edges: Vec<Edge>,
    labels: Vec<Label>,
    standing: Vec<ThreadStatus>,
}

/// What the workers share.
struct Work<'w, 's> {
    search: &'w Search<'s>,
    places: &'w [Vec<Place>],
    bases: &'w [u32],
    /// The next shard that nobody has taken.
    next: AtomicUsize,
    edges: AtomicUsize,
    done: AtomicUsize,
    is_over: AtomicBool,
}

/// Graphs with fewer nodes are one worker's.
const WORTH_SHARING: u32 = 1024;
/// Nodes between two looks at the budget.
const BETWEEN_LOOKS: usize = 256;

impl Work<'_, '_> {
    fn run(&self, look: &mut dyn FnMut() -> bool) -> Result<Vec<(usize, Part)>, SpecError> {
        let mut worker = self.search.worker();
        worker.tells_twins_apart = true;
        let (mut bytes, mut state) = (Vec::new(), State::default());
        let mut parts = Vec::new();
        loop {
            let shard = self.next.fetch_add(1, Ordering::Relaxed);
            if shard >= SHARDS {
                return Ok(parts);
            }
            let mut gathering =
                Gathering { work: self, numbers: FxHashMap::default(), part: Part::default(), leaves: false };
            for (at, &place) in self.places[shard].iter().enumerate() {
                if at % BETWEEN_LOOKS == 0 {
                    if look() {
                        self.is_over.store(true, Ordering::Relaxed);
                    }
                    if self.is_over.load(Ordering::Relaxed) {
                        return Ok(parts);
                    }
                }
                let node = NodeId { shard: byte_of(shard), place };
                let monitor = self.search.store.copy(node, &mut bytes);
                let values = worker.read(&bytes, &mut state);
                gathering.leaves = false;
                let edges = gathering.part.edges.len();
                let told = worker.expand(Origin { state: &state, monitor, values }, &mut gathering);
                if let Err(error) = told {
                    self.is_over.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                gathering.end(&worker, &state);
                self.edges.fetch_add(gathering.part.edges.len() - edges, Ordering::Relaxed);
                self.done.fetch_add(1, Ordering::Relaxed);
            }
            parts.push((shard, gathering.part));
        }
    }
}

fn look(work: &Work<'_, '_>, watch: &mut BudgetMeter, listener: &mut dyn Listener) -> Option<Exhausted> {
    if !watch.should_poll() && !watch.is_stopped() {
        return None;
    }
    let nodes = work.bases.last().map_or(0, |nodes| *nodes as usize);
    // The edges are copied once more in the end.
    let bytes = work.search.store.bytes() + 2 * size_of::<Edge>() * work.edges.load(Ordering::Relaxed);
    let (memory, time) = (watch.budget().memory, watch.budget().time);
    watch.report(listener, |elapsed| Progress {
        states: nodes,
        frontier: nodes - work.done.load(Ordering::Relaxed).min(nodes),
        depth: work.search.levels.len(),
        bytes: bytes as u64,
        elapsed,
        memory,
        time,
        ..Progress::default()
    });
    watch.exhausted(bytes)
}

/// Hears of the moves of a node.
struct Gathering<'w, 'g, 's> {
    work: &'g Work<'w, 's>,
    numbers: FxHashMap<Label, u32>,
    part: Part,
    /// Some move of the node leads where the search did not come.
    leaves: bool,
}

impl Gathering<'_, '_, '_> {
    fn end(&mut self, worker: &Worker<'_, '_>, state: &State) {
        let machine = worker.question.machine;
        let client = worker.question.client;
        let waiting = told_apart(worker.waiting);
        let idle = |thread: &ThreadId| machine.is_idle(state, *thread);
        self.part.standing.push(ThreadStatus {
            idle: machine.bounds().thread_ids().filter(idle).fold(0, |mask, t| mask | bit(t.index())),
            waiting,
            excused: excused(machine, client, state, waiting),
            leaves: self.leaves || worker.leaves,
            steps_leave: self.leaves || worker.steps_leave,
            may_rest: client.may_rest(machine, state),
            too_deep: told_apart(worker.too_deep),
        });
        self.part.ends.push(number_of(self.part.edges.len()));
    }
}

impl<'s, 'p> Visit<'s, 'p> for Gathering<'_, '_, '_> {
    fn arrive(&mut self, worker: &mut Worker<'s, 'p>, next: &mut State, monitor: MonitorId) {
        let deeds = worker.deeds;
        let (_, renaming) = worker.canonical(next, monitor);
        let Work { search, places, bases, .. } = self.work;
        let Some(to) = find(&search.store, places, bases, &worker.bytes) else {
            self.leaves = true;
            return;
        };
        // Who is renamed how matters, which value is does not.
        let label = Label { deeds, stepped: deeds.stepped(), renaming: Renaming { data: 0, ..renaming } };
        let label = *self.numbers.entry(label).or_insert_with(|| {
            self.part.labels.push(label);
            number_of(self.part.labels.len()) - 1
        });
        let edge = Edge { to, label };
        let start = self.part.ends.last().map_or(0, |end| *end as usize);
        if !self.part.edges[start..].contains(&edge) {
            self.part.edges.push(edge);
        }
    }

    fn violate(&mut self, _: &mut Worker<'s, 'p>, _: ViolationKind) {}
}
