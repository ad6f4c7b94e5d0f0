//! The path that shows a violation: of the fewest moves, and among those of the fewest context switches.
//!
//! The search knows that there is a violation after L moves. A second pass over the levels computes for each
//! node and each thread that may have stepped last
//!
//! ```text
//! cost(n′, π(v)) = min over t and moves n → n′ (first step by u, last step by v): cost(n, t) + [t ≠ u] + switches in the move
//! ```
//!
//! where π renames the threads on the way to the representative of n′. The pass also stores where each
//! minimum came from. Nodes of a level are taken in the order of their bytes, and ties go to the first. So
//! the result does not depend on the number of workers. Nodes that subset pruning dropped are not in the
//! graph. So the path may have more switches than needed, if pruning cut a better one. The number of moves is
//! always the least.

use crate::expand::{ExpandOptions, Move, MoveSink, Representatives};
use crate::monitor::MonitorId;
use crate::problem::ViolationKind;
use crate::search::Search;
use crate::store::{NodeId, SHARDS};
use linchpin_ir::index::{Index, byte_of, number_of};
use linchpin_judge::trace::{Choice, context_switches};
use linchpin_semantics::{SpecError, State};
use rustc_hash::FxHashMap;

/// A path in the reduced graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    pub start: NodeId,
    pub moves: Vec<PathMove>,
}

/// One move of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathMove {
    /// The thread of the first step, by its name in the node that the move leaves.
    pub first: usize,
    /// The node that the move reaches, and the thread of the last step, by its name there. `None`: the move
    /// is the violation.
    pub to: Option<(NodeId, usize)>,
}

/// The limit on entries of the table of costs: nodes times threads.
const LARGEST_TABLE: usize = 100_000_000;

impl Search<'_> {
    /// Returns a path that shows a violation. The search found the violation after `moves` moves, which is
    /// the least number.
    pub fn witness(&self, kind: ViolationKind, moves: usize) -> Result<Option<Path>, SpecError> {
        let last_level = if kind.is_at_rest() { moves } else { moves - 1 };
        let Some(mut graph) = self.costs(last_level, Some(kind))? else { return Ok(None) };
        Ok(graph.best.take().map(|best| graph.path(best)))
    }

    /// Returns a path to a node of a level.
    pub fn path_to(&self, target: NodeId, level: usize) -> Result<Option<Path>, SpecError> {
        Ok(self.paths_to(&[target], level)?.into_iter().flatten().next())
    }

    /// Returns for each node of a level the cheapest paths, one for each thread that may make the last step.
    /// Empty if the table of costs would be too large.
    pub fn paths_to(&self, targets: &[NodeId], level: usize) -> Result<Vec<Vec<Path>>, SpecError> {
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

    /// Computes the costs of all nodes up to a level, and the cheapest violation of a kind from that level.
    fn costs(&self, last_level: usize, kind: Option<ViolationKind>) -> Result<Option<CostTable>, SpecError> {
        let threads = self.problem.machine.bounds().threads as usize;
        let mut graph = CostTable::new(self, last_level, threads);
        let columns = graph.threads + 1;
        if graph.nodes.len().saturating_mul(columns) > LARGEST_TABLE {
            return Ok(None);
        }
        graph.entries = vec![UNREACHED; graph.nodes.len() * columns];
        for node in graph.levels[0].clone() {
            graph.entries[node * columns + threads] = Entry { cost: 0, ..UNREACHED };
        }
        let mut expander = self.expander(ExpandOptions::RECORD);
        let (mut bytes, mut state) = (Vec::new(), State::default());
        let expanded = if kind.is_some() { last_level + 1 } else { last_level };
        for level in 0..expanded {
            for node in graph.levels[level].clone() {
                let reached = graph.reached(node);
                if reached.is_empty() {
                    continue;
                }
                let monitor = self.store.copy(graph.nodes[node], &mut bytes);
                let is_last = level == last_level;
                let mut relaxation =
                    Relaxation { search: self, graph: &mut graph, kind, node, level, is_last, reached };
                let expansion = expander.decode(&bytes, monitor, &mut state);
                let facts = expander.expand(expansion, &mut relaxation)?;
                let reached = relaxation.reached;
                if is_last
                    && kind.is_some_and(ViolationKind::is_at_rest)
                    && facts.may_end
                    && expander.is_illegal_end(&state, monitor)?
                {
                    reached.iter().for_each(|&(last, cost)| graph.offer(cost, node, last, None));
                }
            }
        }
        Ok(Some(graph))
    }
}

/// The nodes up to a level, numbered in order, and the costs of reaching them.
struct CostTable {
    threads: usize,
    nodes: Vec<NodeId>,
    numbers: FxHashMap<NodeId, usize>,
    levels: Vec<std::ops::Range<usize>>,
    /// By node and last thread. The column behind the last thread means that no thread has stepped yet.
    entries: Vec<Entry>,
    best: Option<Best>,
}

/// The least cost of a node and a last thread, and where it comes from.
#[derive(Clone, Copy)]
struct Entry {
    cost: u32,
    from: u32,
    last: u8,
    first: u8,
}

const UNREACHED: Entry = Entry { cost: u32::MAX, from: u32::MAX, last: u8::MAX, first: u8::MAX };

/// The cheapest violation, or the target of a path.
struct Best {
    cost: u32,
    node: usize,
    last: usize,
    /// The thread of the first step of the move that is the violation.
    by: Option<usize>,
}

impl CostTable {
    fn new(search: &Search<'_>, last_level: usize, threads: usize) -> CostTable {
        let (mut nodes, mut levels) = (Vec::new(), Vec::new());
        let mut expander = search.expander(ExpandOptions::default());
        for level in 0..=last_level {
            let start = nodes.len();
            let mut found: Vec<(Vec<u8>, u128, NodeId)> = Vec::new();
            for shard_number in 0..SHARDS {
                let mut offset = search.levels[level][shard_number];
                let shard = search.store.shard(shard_number);
                loop {
                    offset = shard.first_at(offset);
                    if offset >= search.levels[level + 1][shard_number] {
                        break;
                    }
                    let (stored, next) = shard.read(offset);
                    if !stored.is_pruned || level == 0 {
                        let node = NodeId { shard: byte_of(shard_number), offset };
                        found.push((stored.state.to_vec(), u128::from(stored.monitor.0), node));
                    }
                    offset = next;
                }
            }
            let monitors = expander.representatives().monitors();
            for node in &mut found {
                node.1 = monitors.digest(MonitorId(number_of(node.1)));
            }
            found.sort_unstable();
            nodes.extend(found.into_iter().map(|(_, _, node)| node));
            levels.push(start..nodes.len());
        }
        let numbers = nodes.iter().enumerate().map(|(number, node)| (*node, number)).collect();
        CostTable { threads, nodes, numbers, levels, entries: Vec::new(), best: None }
    }

    /// Returns the threads that may have stepped last at a node, with their costs.
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
        let mut moves: Vec<PathMove> =
            best.by.map(|first| PathMove { first, to: None }).into_iter().collect();
        while last != self.threads {
            let entry = self.entries[node * (self.threads + 1) + last];
            moves.push(PathMove { first: entry.first as usize, to: Some((self.nodes[node], last)) });
            node = entry.from as usize;
            last = entry.last as usize;
        }
        moves.reverse();
        Path { start: self.nodes[node], moves }
    }
}

/// The sink for the moves of one node: each move lowers costs, or is the violation.
struct Relaxation<'g, 'q> {
    search: &'g Search<'q>,
    graph: &'g mut CostTable,
    kind: Option<ViolationKind>,
    node: usize,
    level: usize,
    is_last: bool,
    /// The threads that may have stepped last at the node, with their costs.
    reached: Vec<(usize, u32)>,
}

impl Relaxation<'_, '_> {
    /// Returns the costs of a move, for each thread that may have stepped last before it. The first step of
    /// an execution is not a switch.
    fn costs(&self, choices: &[Choice]) -> Vec<(u32, usize, usize)> {
        let Some(first) = choices.first().map(|choice| choice.thread.index()) else {
            return Vec::new();
        };
        let inner = number_of(context_switches(choices));
        let switch = |last: usize| u32::from(last != self.graph.threads && last != first);
        self.reached.iter().map(|&(last, cost)| (cost + switch(last) + inner, last, first)).collect()
    }
}

impl MoveSink for Relaxation<'_, '_> {
    fn on_successor(&mut self, representatives: &mut Representatives<'_, '_>, found: Move<'_>) {
        if self.is_last {
            return;
        }
        let Some(stepped) = found.choices.last().map(|choice| choice.thread.index()) else { return };
        let node = representatives.of(found.target, found.monitor, found.preemption);
        let Some(to) = self.search.store.find(node.bytes, node.monitor) else { return };
        let Some(&to) = self.graph.numbers.get(&to) else { return };
        if !self.graph.levels[self.level + 1].contains(&to) {
            return;
        }
        for (cost, last, first) in self.costs(found.choices) {
            let entry =
                Entry { cost, from: number_of(self.node), last: byte_of(last), first: byte_of(first) };
            self.graph.lower(to, node.renaming.thread(stepped), entry);
        }
    }

    fn on_violation(&mut self, kind: ViolationKind, choices: &[Choice]) {
        if self.is_last && Some(kind) == self.kind {
            for (cost, last, first) in self.costs(choices) {
                self.graph.offer(cost, self.node, last, Some(first));
            }
        }
    }
}
