//! One level of the search, expanded by all workers.
//!
//! Workers take shards of the level one after the other. They copy nodes out of a shard in batches, and
//! collect successors for each shard before they lock it.

use super::batch::Batch;
use crate::expand::{Expander, Move, MoveSink, PreemptionState, Representatives};
use crate::monitor::{MonitorCache, MonitorId, REJECTED, SharedMonitor, UNWATCHED};
use crate::problem::{SearchProblem, ViolationKind};
use crate::store::{NodeOffset, SHARDS, Tag, VisitedSet};
use linchpin_engine::stop::Stop;
use linchpin_engine::{BudgetMeter, Exhausted, Listener, Progress, lock};
use linchpin_judge::trace::Choice;
use linchpin_semantics::{SpecError, State};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The number of nodes that a worker takes out of a shard at once.
const BATCH: usize = 256;
/// The number of nodes that a worker collects for a shard before it locks the shard.
const PARCEL: usize = 48;
/// The least number of nodes of a level that several workers share.
pub(super) const WORTH_SHARING: usize = 1024;

/// The level that is being expanded.
pub(super) struct Level<'s> {
    store: &'s VisitedSet,
    forecast: Option<u64>,
    starts: &'s [NodeOffset],
    ends: &'s [NodeOffset],
    depth: usize,
    /// The next shard that no worker has taken.
    next: AtomicUsize,
    expanded: AtomicUsize,
    pub is_over: AtomicBool,
    /// Polled for each node, since one expansion may take long.
    stop: &'s Stop,
    nodes_before: usize,
    nodes: usize,
}

impl<'s> Level<'s> {
    /// Returns the last level. `nodes_before` counts the nodes of all levels before it, `nodes` includes its
    /// own.
    pub fn new(
        store: &'s VisitedSet,
        levels: &'s [Vec<NodeOffset>],
        (nodes_before, nodes): (usize, usize),
        forecast: Option<u64>,
        stop: &'s Stop,
    ) -> Level<'s> {
        let depth = levels.len() - 2;
        Level {
            store,
            forecast,
            starts: &levels[depth],
            ends: &levels[depth + 1],
            depth,
            next: AtomicUsize::new(0),
            expanded: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            stop,
            nodes_before,
            nodes,
        }
    }

    /// Expands shard after shard. `poll` receives the worker's transitions from time to time, and returns
    /// whether to stop.
    pub fn work(
        &self,
        expander: &mut Expander<'_, '_>,
        wanted: &[ViolationKind],
        poll: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Vec<(ViolationKind, usize)>, SpecError> {
        let mut collector = MoveCollector::new(self, wanted);
        let mut batch = Batch::default();
        let mut state = State::default();
        'shards: loop {
            let shard = self.next.fetch_add(1, Ordering::Relaxed);
            if shard >= SHARDS {
                break;
            }
            let mut offset = self.starts[shard];
            while self.fill(&mut batch, shard, &mut offset) {
                for node in 0..batch.len() {
                    if self.stop.is_asked() {
                        self.is_over.store(true, Ordering::Relaxed);
                        break 'shards;
                    }
                    let (bytes, monitor) = batch.node(node);
                    let node = expander.decode(bytes, monitor, &mut state);
                    let facts = expander.expand(node, &mut collector)?;
                    if facts.may_end {
                        collector.at_rest(expander, &state, monitor)?;
                    }
                }
                self.expanded.fetch_add(batch.len(), Ordering::Relaxed);
                if poll(expander.transitions()) {
                    self.is_over.store(true, Ordering::Relaxed);
                }
                if self.is_over.load(Ordering::Relaxed) {
                    break 'shards;
                }
            }
        }
        let monitors = expander.representatives().monitors();
        (0..SHARDS).for_each(|shard| collector.deliver(monitors, shard));
        Ok(collector.found)
    }

    /// Copies the next nodes of a shard into the batch. Returns `false` at the end of the shard.
    fn fill(&self, batch: &mut Batch, shard: usize, offset: &mut NodeOffset) -> bool {
        batch.clear();
        let nodes = self.store.shard(shard);
        while batch.len() < BATCH {
            *offset = nodes.first_at(*offset);
            if *offset >= self.ends[shard] {
                break;
            }
            let (node, next) = nodes.read(*offset);
            if !node.is_pruned {
                batch.push(node.state, node.monitor);
            }
            *offset = next;
        }
        !batch.is_empty()
    }
}

/// Collects the successors for each shard, and the violations.
struct MoveCollector<'l> {
    level: &'l Level<'l>,
    parcels: Vec<Batch>,
    wanted: &'l [ViolationKind],
    found: Vec<(ViolationKind, usize)>,
}

impl<'l> MoveCollector<'l> {
    fn new(level: &'l Level<'l>, wanted: &'l [ViolationKind]) -> MoveCollector<'l> {
        let parcels = (0..SHARDS).map(|_| Batch::default()).collect();
        MoveCollector { level, parcels, wanted, found: Vec::new() }
    }

    fn note(&mut self, kind: ViolationKind, moves: usize) {
        let wanted = if kind == ViolationKind::Stuck { ViolationKind::Inconsistent } else { kind };
        if self.wanted.contains(&wanted) && !self.found.contains(&(kind, moves)) {
            self.found.push((kind, moves));
        }
    }

    /// Judges a node at which an execution may end.
    fn at_rest(
        &mut self,
        expander: &mut Expander<'_, '_>,
        state: &State,
        monitor: MonitorId,
    ) -> Result<(), SpecError> {
        let is_asked = self.wanted.contains(&ViolationKind::Deadlocked)
            || self.wanted.contains(&ViolationKind::Inconsistent);
        if is_asked && expander.is_illegal_end(state, monitor)? {
            self.note(ViolationKind::Deadlocked, self.level.depth);
            if monitor != REJECTED && monitor != UNWATCHED {
                self.note(ViolationKind::Stuck, self.level.depth);
            }
        }
        Ok(())
    }

    /// Inserts the collected successors of a shard.
    fn deliver(&mut self, monitors: &mut MonitorCache<'_, '_>, shard: usize) {
        let parcel = &mut self.parcels[shard];
        if parcel.is_empty() {
            return;
        }
        let level = self.level.ends[shard];
        let mut nodes = self.level.store.shard(shard);
        for at in 0..parcel.len() {
            let (state, monitor) = parcel.node(at);
            let mut covers = |large: Tag<'_>, small: Tag<'_>| {
                PreemptionState::read(large.tail).is_covered_by(PreemptionState::read(small.tail))
                    && (large.monitor == small.monitor || monitors.covers(large.monitor, small.monitor))
            };
            let _ = nodes.insert(parcel.hash(at), state, monitor, level, &mut covers);
        }
        parcel.clear();
    }
}

impl MoveSink for MoveCollector<'_> {
    fn on_successor(&mut self, representatives: &mut Representatives<'_, '_>, found: Move<'_>) {
        let node = representatives.of(found.target, found.monitor, found.preemption);
        let (hash, shard) = self.level.store.locate(node.bytes);
        let parcel = &mut self.parcels[shard];
        parcel.push_hashed(hash, node.bytes, node.monitor);
        if parcel.len() >= PARCEL {
            self.deliver(representatives.monitors(), shard);
        }
    }

    fn on_violation(&mut self, kind: ViolationKind, _: &[Choice]) {
        self.note(kind, self.level.depth + 1);
    }
}

/// Reports progress, and returns the limit that is exhausted, if any.
pub(super) fn poll_budget(
    level: &Level<'_>,
    transitions: u64,
    shared: &SharedMonitor<'_>,
    problem: &SearchProblem<'_>,
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
        transitions: transitions * problem.jobs as u64,
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
    if level.store.is_full() || problem.most_nodes.is_some_and(|most| nodes > most) {
        return Some(Exhausted::States(nodes));
    }
    watch.exhausted(bytes)
}
