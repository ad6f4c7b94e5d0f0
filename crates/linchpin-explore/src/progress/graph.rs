//! The graph of a finished search, with its edges: what each thread does on an edge, and how the end of the
//! edge is renamed.
//!
//! Nodes are the states that the search kept, each once, whatever its monitor states. An edge is a move of
//! the search ([`crate::expand`]), generated again. Where the search renames states, the edge has a
//! permutation of threads: from the names in its start node to the names in its end node. Edges that differ
//! only in their ends share a [`Label`].
//!
//! The numbers of nodes depend on the order in which workers insert nodes. Results must not depend on these
//! numbers.

use crate::expand::{
    ExpandOptions, MOST_THREADS, Move, MoveSink, MoveSummary, NodeFacts, Representatives, bit, thread_bits,
};
use crate::problem::{Pass, SearchProblem, ViolationKind};
use crate::reduce::Renaming;
use crate::search::Search;
use crate::store::{NodeId, NodeOffset, SHARDS, VisitedSet};
use linchpin_engine::{BudgetMeter, Exhausted, Listener, Progress, together};
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_judge::trace::Choice;
use linchpin_semantics::{Client, Machine, SpecError, State, ThreadId};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The graph of a finished search.
pub struct Graph {
    /// For each shard the offsets of the first nodes of its states, in order.
    offsets: Vec<Vec<NodeOffset>>,
    /// For each shard the number of its first state; then the number of all states.
    bases: Vec<u32>,
    /// For each node its first edge; then the number of all edges.
    starts: Vec<usize>,
    edges: Vec<Edge>,
    labels: Vec<Label>,
    status: Vec<ThreadStatus>,
    pub threads: usize,
}

/// An edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub to: u32,
    label: u32,
}

/// What threads do on an edge, by the names in its start node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    pub summary: MoveSummary,
    /// A bit for each thread that makes a step.
    pub stepped: u16,
    /// The renaming to the names in the end node.
    pub renaming: Renaming,
}

/// The status of the threads in a node: masks with a bit for each thread.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ThreadStatus {
    pub idle: u16,
    /// The pending call waits, but not for a cell.
    pub waiting: u16,
    /// A fair scheduler need not run the thread: it waits, or it is idle and its client owes no call.
    pub fairness_exempt: u16,
    /// Some move exits the scope, ends in a fault, needs a cell, or reaches a state that the search did not
    /// keep.
    pub exits_scope: bool,
    /// As `exits_scope`, for moves that begin no call.
    pub steps_exit_scope: bool,
    /// All idle threads may stay idle for ever ([`Client::may_rest`]).
    pub may_rest: bool,
    /// The step of the thread nests calls too deep.
    pub too_deep: u16,
}

/// Why there is no graph.
#[derive(Clone, Debug)]
pub enum NoGraph {
    Exhausted(Exhausted),
    Spec(SpecError),
    /// There are more threads than [`MOST_THREADS`].
    TooManyThreads,
}

impl Graph {
    /// Builds the graph of the levels that the search finished, with the search's number of workers.
    pub fn of(
        search: &Search<'_>,
        watch: &mut BudgetMeter,
        listener: &mut dyn Listener,
    ) -> Result<Graph, NoGraph> {
        let threads = search.problem.machine.bounds().threads as usize;
        if threads > MOST_THREADS {
            return Err(NoGraph::TooManyThreads);
        }
        let offsets: Vec<Vec<NodeOffset>> = (0..SHARDS).map(|shard| first_offsets(search, shard)).collect();
        let mut bases = vec![0u32];
        for shard in &offsets {
            let base = bases.last().copied().unwrap_or(0) as usize + shard.len();
            bases.push(u32::try_from(base).map_err(|_| NoGraph::Exhausted(Exhausted::States(base)))?);
        }
        let work = SharedWork {
            search,
            offsets: &offsets,
            bases: &bases,
            next: AtomicUsize::new(0),
            edges: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        };
        let is_small = bases.last().is_none_or(|nodes| *nodes < WORTH_SHARING);
        let jobs = if is_small { 1 } else { search.problem.jobs.clamp(1, SHARDS) };
        let mut exhausted = None;
        let mut parts: Vec<(usize, ShardEdges)> = Vec::new();
        let mut failure = None;
        let planted = search.problem.planted;
        let help = |_| {
            || {
                Pass::Progress.reach(planted);
                work.run(&mut || false)
            }
        };
        let mut poll = || {
            exhausted = poll_budget(&work, watch, listener);
            exhausted.is_some()
        };
        let results = together(&work.is_over, (1..jobs).map(help), || {
            if jobs == 1 {
                Pass::Progress.reach(planted);
            }
            work.run(&mut poll)
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
            status: Vec::with_capacity(bases.last().map_or(0, |nodes| *nodes as usize)),
            threads,
            offsets,
            bases,
        };
        let mut numbers: FxHashMap<Label, u32> = FxHashMap::default();
        for (_, part) in parts {
            graph.append(part, &mut numbers);
        }
        Ok(graph)
    }

    /// Returns the number of nodes.
    pub fn size(&self) -> usize {
        self.status.len()
    }

    /// Returns the edges of a node.
    pub fn edges(&self, node: usize) -> impl Iterator<Item = (Edge, &Label)> {
        let edges = &self.edges[self.starts[node]..self.starts[node + 1]];
        edges.iter().map(|edge| (*edge, &self.labels[edge.label as usize]))
    }

    pub fn status(&self, node: usize) -> ThreadStatus {
        self.status[node]
    }

    /// Returns the node of the visited set.
    pub fn node_id(&self, node: usize) -> NodeId {
        let shard = self.bases.partition_point(|base| *base as usize <= node) - 1;
        NodeId { shard: byte_of(shard), offset: self.offsets[shard][node - self.bases[shard] as usize] }
    }

    /// Returns the node of an encoded state.
    pub fn find(&self, store: &VisitedSet, state: &[u8]) -> Option<usize> {
        find(store, &self.offsets, &self.bases, state).map(|node| node as usize)
    }

    pub fn bytes(&self) -> usize {
        self.edges.len() * size_of::<Edge>()
            + self.size() * (size_of::<ThreadStatus>() + size_of::<u64>() + size_of::<NodeOffset>())
    }

    fn append(&mut self, part: ShardEdges, numbers: &mut FxHashMap<Label, u32>) {
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
        self.status.extend(part.status);
    }
}

/// Returns the threads that a fair scheduler need not run in a state, given the threads that wait there.
pub fn fairness_exempt(machine: &Machine, client: &Client, state: &State, waiting: u16) -> u16 {
    let may_rest =
        |thread: &ThreadId| machine.is_idle(state, *thread) && !client.owes(machine, state, *thread);
    machine.bounds().thread_ids().filter(may_rest).fold(waiting, |mask, thread| mask | bit(thread.index()))
}

/// Returns the offset of the first node of each state of a shard, in the finished levels.
fn first_offsets(search: &Search<'_>, shard: usize) -> Vec<NodeOffset> {
    let mut found = Vec::new();
    let (Some(first), Some(last)) = (search.levels.first(), search.levels.last()) else { return found };
    let nodes = search.store.shard(shard);
    let mut offset = first[shard];
    loop {
        offset = nodes.first_at(offset);
        if offset >= last[shard] {
            return found;
        }
        let (node, next) = nodes.read(offset);
        let is_first = search.shared.is_none()
            || nodes.find_state(search.store.locate(node.state).0, node.state) == Some(offset);
        if is_first {
            found.push(offset);
        }
        offset = next;
    }
}

fn find(store: &VisitedSet, offsets: &[Vec<NodeOffset>], bases: &[u32], state: &[u8]) -> Option<u32> {
    let (hash, shard) = store.locate(state);
    let offset = store.shard(shard).find_state(hash, state)?;
    let at = offsets[shard].binary_search(&offset).ok()?;
    Some(bases[shard] + number_of(at))
}

/// The edges of the nodes of one shard.
#[derive(Default)]
struct ShardEdges {
    ends: Vec<u32>,
    edges: Vec<Edge>,
    labels: Vec<Label>,
    status: Vec<ThreadStatus>,
}

/// The work that the workers share.
struct SharedWork<'w, 's> {
    search: &'w Search<'s>,
    offsets: &'w [Vec<NodeOffset>],
    bases: &'w [u32],
    /// The next shard that no worker has taken.
    next: AtomicUsize,
    edges: AtomicUsize,
    done: AtomicUsize,
    is_over: AtomicBool,
}

/// The least number of nodes of a graph that several workers share.
const WORTH_SHARING: u32 = 1024;
/// The number of nodes between two polls of the budget.
const BETWEEN_POLLS: usize = 256;

impl SharedWork<'_, '_> {
    /// Generates the edges of shard after shard.
    fn run(&self, poll: &mut dyn FnMut() -> bool) -> Result<Vec<(usize, ShardEdges)>, SpecError> {
        let mut expander = self.search.expander(ExpandOptions::KEEP_TWINS);
        let (mut bytes, mut state) = (Vec::new(), State::default());
        let mut parts = Vec::new();
        loop {
            let shard = self.next.fetch_add(1, Ordering::Relaxed);
            if shard >= SHARDS {
                return Ok(parts);
            }
            let mut collector = EdgeCollector {
                work: self,
                numbers: FxHashMap::default(),
                part: ShardEdges::default(),
                exits_graph: false,
            };
            for (at, &offset) in self.offsets[shard].iter().enumerate() {
                if at % BETWEEN_POLLS == 0 {
                    if poll() {
                        self.is_over.store(true, Ordering::Relaxed);
                    }
                    if self.is_over.load(Ordering::Relaxed) {
                        return Ok(parts);
                    }
                }
                let node = NodeId { shard: byte_of(shard), offset };
                let monitor = self.search.store.copy(node, &mut bytes);
                collector.exits_graph = false;
                let edges = collector.part.edges.len();
                let expansion = expander.decode(&bytes, monitor, &mut state);
                let facts = match expander.expand(expansion, &mut collector) {
                    Ok(facts) => facts,
                    Err(error) => {
                        self.is_over.store(true, Ordering::Relaxed);
                        return Err(error);
                    }
                };
                collector.end(facts, &state);
                self.edges.fetch_add(collector.part.edges.len() - edges, Ordering::Relaxed);
                self.done.fetch_add(1, Ordering::Relaxed);
            }
            parts.push((shard, collector.part));
        }
    }
}

/// Reports progress, and returns the limit that is exhausted, if any.
fn poll_budget(
    work: &SharedWork<'_, '_>,
    watch: &mut BudgetMeter,
    listener: &mut dyn Listener,
) -> Option<Exhausted> {
    if !watch.should_poll() && !watch.is_stopped() {
        return None;
    }
    let nodes = work.bases.last().map_or(0, |nodes| *nodes as usize);
    // The edges are copied once more at the end.
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

/// Collects the edges of a node.
struct EdgeCollector<'w, 'g, 's> {
    work: &'g SharedWork<'w, 's>,
    numbers: FxHashMap<Label, u32>,
    part: ShardEdges,
    /// Some move of the node reaches a state that the search did not keep.
    exits_graph: bool,
}

impl EdgeCollector<'_, '_, '_> {
    /// Finishes a node.
    fn end(&mut self, facts: NodeFacts, state: &State) {
        let SearchProblem { machine, client, .. } = self.work.search.problem;
        let waiting = thread_bits(facts.blocked);
        let idle = |thread: &ThreadId| machine.is_idle(state, *thread);
        self.part.status.push(ThreadStatus {
            idle: machine.bounds().thread_ids().filter(idle).fold(0, |mask, t| mask | bit(t.index())),
            waiting,
            fairness_exempt: fairness_exempt(machine, client, state, waiting),
            exits_scope: self.exits_graph || facts.exits_scope,
            steps_exit_scope: self.exits_graph || facts.steps_exit_scope,
            may_rest: client.may_rest(machine, state),
            too_deep: thread_bits(facts.too_deep),
        });
        self.part.ends.push(number_of(self.part.edges.len()));
    }
}

impl MoveSink for EdgeCollector<'_, '_, '_> {
    fn on_successor(&mut self, representatives: &mut Representatives<'_, '_>, found: Move<'_>) {
        let summary = *found.summary;
        let node = representatives.of(found.target, found.monitor, found.preemption);
        let SharedWork { search, offsets, bases, .. } = self.work;
        let Some(to) = find(&search.store, offsets, bases, node.bytes) else {
            self.exits_graph = true;
            return;
        };
        // The renaming of threads matters, the renaming of values does not.
        let renaming = Renaming { data: 0, ..node.renaming };
        let label = Label { summary, stepped: summary.stepped(), renaming };
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

    fn on_violation(&mut self, _: ViolationKind, _: &[Choice]) {}
}
