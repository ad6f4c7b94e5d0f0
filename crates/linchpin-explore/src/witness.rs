//! From "there is a violation after L moves" to the one execution that is shown.
//!
//! Among the executions of L moves the one with the fewest context switches: a second pass over the levels computes for each node
//! and each thread that may have stepped last
//!
//! cost(n′, π(v)) = min over (n, t) and moves n → n′ whose first step is u's and whose last is v's of
//! cost(n, t) + [t ≠ u] + switches within the move,
//!
//! where π renames the threads on the way to n′'s representative, and remembers where the minimum came from. Nodes of a level
//! are taken in the order of their bytes, and ties go to the first, so the result is the same for any number of workers.
//! Nodes that subset pruning dropped are not in the graph: where pruning cut a path of fewer switches short, one of more is
//! shown. The number of moves is always the least.

use super::expand::{Origin, Visit, Worker};
use super::monitor::MonitorId;
use super::search::{Search, ViolationKind};
use super::store::{NodeId, SHARDS};
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_judge::trace::context_switches;
use linchpin_semantics::{SpecError, State};
use rustc_hash::FxHashMap;

/// Which nodes are passed, and by whose moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    pub start: NodeId,
    pub moves: Vec<Leg>,
}

/// One move of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leg {
    /// Who makes its first step, by its name in the node that it leaves.
    pub first: usize,
    /// Where it leads, and who made its last step, by its name there; `None` for the move that is the violation.
    pub to: Option<(NodeId, usize)>,
}

/// Nodes times threads beyond which the table of costs is not built.
const LARGEST_TABLE: usize = 100_000_000;

impl Search<'_> {
    /// An execution of as few moves as possible that shows the violation, which was found after `moves` moves.
    pub fn witness(&self, kind: ViolationKind, moves: usize) -> Result<Option<Path>, SpecError> {
        let last_level = if kind.is_at_rest() { moves } else { moves - 1 };
        let Some(mut graph) = self.costs(last_level, Some(kind))? else { return Ok(None) };
        Ok(graph.best.take().map(|best| graph.path(best)))
    }

    /// The same for an execution that leads to a node of a level.
    pub fn way_to(&self, target: NodeId, level: usize) -> Result<Option<Path>, SpecError> {
        Ok(self.ways_to(&[target], level)?.into_iter().flatten().next())
    }

    /// The same for several nodes of a level: for each of them the cheapest ways there, one for each thread that may make the last
    /// step. None of any if the table of costs would be too large.
    pub fn ways_to(&self, targets: &[NodeId], level: usize) -> Result<Vec<Vec<Path>>, SpecError> {
        let Some(graph) = self.costs(level, None)? else { return Ok(Vec::new()) };
        let cheapest = |target: &NodeId| {
            let Some(&node) = graph.numbers.get(target) else { return Vec::new() };
            let reached = graph.reached(node);
            let least = reached.iter().map(|(_, cost)| *cost).min();
            let cheapest = reached.into_iter().filter(|(_, cost)| Some(*cost) == least);
            cheapest.map(|(last, cost)| graph.path(Best { cost, node, last, by: None })).collect()
        };
        Ok(targets.iter().map(cheapest).collect())
    }

    /// What it costs to come to each node up to a level, and the cheapest violation of a kind from the last of them.
    fn costs(&self, last_level: usize, kind: Option<ViolationKind>) -> Result<Option<Graph>, SpecError> {
        let threads = self.question.machine.bounds().threads as usize;
        let mut graph = Graph::new(self, last_level, threads);
        let columns = graph.threads + 1;
        if graph.nodes.len().saturating_mul(columns) > LARGEST_TABLE {
            return Ok(None);
        }
        graph.entries = vec![UNREACHED; graph.nodes.len() * columns];
        for node in graph.levels[0].clone() {
            graph.entries[node * columns + threads] = Entry { cost: 0, ..UNREACHED };
        }
        let mut worker = self.worker();
        worker.is_recording = true;
        let (mut bytes, mut state) = (Vec::new(), State::default());
        let expanded = if kind.is_some() { last_level + 1 } else { last_level };
        for level in 0..expanded {
            for node in graph.levels[level].clone() {
                let reached = graph.reached(node);
                if reached.is_empty() {
                    continue;
                }
                let monitor = self.store.copy(graph.nodes[node], &mut bytes);
                let values = worker.read(&bytes, &mut state);
                let is_last = level == last_level;
                let mut relaxing =
                    Relaxing { search: self, graph: &mut graph, kind, node, level, is_last, reached };
                let nobody = worker.expand(Origin { state: &state, monitor, values }, &mut relaxing)?;
                let reached = relaxing.reached;
                if is_last
                    && kind.is_some_and(ViolationKind::is_at_rest)
                    && nobody
                    && worker.is_illegal_end(&state, monitor)?
                {
                    reached.iter().for_each(|&(last, cost)| graph.offer(cost, node, last, None));
                }
            }
        }
        Ok(Some(graph))
    }
}

/// The nodes of the levels below, numbered in order, and what it costs to come there.
struct Graph {
    threads: usize,
    nodes: Vec<NodeId>,
    numbers: FxHashMap<NodeId, usize>,
    levels: Vec<std::ops::Range<usize>>,
    /// By node and last thread; the column behind the last thread stands for "nobody yet".
    entries: Vec<Entry>,
    best: Option<Best>,
}

#[derive(Clone, Copy)]
struct Entry {
    cost: u32,
    from: u32,
    last: u8,
    first: u8,
}

const UNREACHED: Entry = Entry { cost: u32::MAX, from: u32::MAX, last: u8::MAX, first: u8::MAX };

struct Best {
    cost: u32,
    node: usize,
    last: usize,
    /// Who makes the first step of the move that is the violation.
    by: Option<usize>,
}

impl Graph {
    fn new(search: &Search<'_>, last_level: usize, threads: usize) -> Graph {
        let (mut nodes, mut levels) = (Vec::new(), Vec::new());
        let mut worker = search.worker();
        for level in 0..=last_level {
            let start = nodes.len();
            let mut found: Vec<(Vec<u8>, u128, NodeId)> = Vec::new();
            for shard_number in 0..SHARDS {
                let mut place = search.levels[level][shard_number];
                let shard = search.store.shard(shard_number);
                loop {
                    place = shard.first_at(place);
                    if place >= search.levels[level + 1][shard_number] {
                        break;
                    }
                    let (record, next) = shard.read(place);
                    if !record.is_pruned || level == 0 {
                        let node = NodeId { shard: byte_of(shard_number), place };
                        found.push((record.state.to_vec(), u128::from(record.monitor.0), node));
                    }
                    place = next;
                }
            }
            for node in &mut found {
                node.1 = worker.watcher.digest(MonitorId(number_of(node.1)));
            }
            found.sort_unstable();
            nodes.extend(found.into_iter().map(|(_, _, node)| node));
            levels.push(start..nodes.len());
        }
        let numbers = nodes.iter().enumerate().map(|(number, node)| (*node, number)).collect();
        Graph { threads, nodes, numbers, levels, entries: Vec::new(), best: None }
    }

    fn reached(&self, node: usize) -> Vec<(usize, u32)> {
        let columns = self.threads + 1;
        let row = &self.entries[node * columns..][..columns];
        row.iter().enumerate().filter(|(_, e)| e.cost != u32::MAX).map(|(last, e)| (last, e.cost)).collect()
    }

    fn lower(&mut self, node: usize, by: usize, entry: Entry) {
        let known = &mut self.entries[node * (self.threads + 1) + by];
        if entry.cost < known.cost {
            *known = entry;
        }
    }

    fn offer(&mut self, cost: u32, node: usize, last: usize, by: Option<usize>) {
        if self.best.as_ref().is_none_or(|best| cost < best.cost) {
            self.best = Some(Best { cost, node, last, by });
        }
    }

    fn path(&self, best: Best) -> Path {
        let (mut node, mut last) = (best.node, best.last);
        let mut moves: Vec<Leg> = best.by.map(|first| Leg { first, to: None }).into_iter().collect();
        while last != self.threads {
            let entry = self.entries[node * (self.threads + 1) + last];
            moves.push(Leg { first: entry.first as usize, to: Some((self.nodes[node], last)) });
            node = entry.from as usize;
            last = entry.last as usize;
        }
        moves.reverse();
        Path { start: self.nodes[node], moves }
    }
}

/// The moves of one node, as they lower the costs of others or meet the violation.
struct Relaxing<'g, 'q> {
    search: &'g Search<'q>,
    graph: &'g mut Graph,
    kind: Option<ViolationKind>,
    node: usize,
    level: usize,
    is_last: bool,
    /// Who may have stepped last here, and at which cost.
    reached: Vec<(usize, u32)>,
}

impl Relaxing<'_, '_> {
    /// The least cost of a move, over who stepped last before it: the first step of all is no switch.
    fn costs(&self, worker: &Worker<'_, '_>) -> Vec<(u32, usize, usize)> {
        let Some(first) = worker.trail().first().map(|choice| choice.thread.index()) else {
            return Vec::new();
        };
        let inner = number_of(context_switches(worker.trail()));
        let switch = |last: usize| u32::from(last != self.graph.threads && last != first);
        self.reached.iter().map(|&(last, cost)| (cost + switch(last) + inner, last, first)).collect()
    }
}

impl<'s, 'p> Visit<'s, 'p> for Relaxing<'_, '_> {
    fn arrive(&mut self, worker: &mut Worker<'s, 'p>, next: &mut State, monitor: MonitorId) {
        if self.is_last {
            return;
        }
        let Some(stepped) = worker.trail().last().map(|choice| choice.thread.index()) else { return };
        let (monitor, renaming) = worker.canonical(next, monitor);
        let Some(to) = self.search.store.find(&worker.bytes, monitor) else { return };
        let Some(&to) = self.graph.numbers.get(&to) else { return };
        if !self.graph.levels[self.level + 1].contains(&to) {
            return;
        }
        for (cost, last, first) in self.costs(worker) {
            let entry =
                Entry { cost, from: number_of(self.node), last: byte_of(last), first: byte_of(first) };
            self.graph.lower(to, renaming.thread(stepped), entry);
        }
    }

    fn violate(&mut self, worker: &mut Worker<'s, 'p>, kind: ViolationKind) {
        if self.is_last && Some(kind) == self.kind {
            for (cost, last, first) in self.costs(worker) {
                self.graph.offer(cost, self.node, last, Some(first));
            }
        }
    }
}
