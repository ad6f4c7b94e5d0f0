//! Breadth-first search of the product of an instance and a monitor.
//!
//! Level by level, so that the first violation of a property is a shortest one. A node (q, S) is dropped if (q, S′) with
//! S′ ⊆ S is known; a node of the level being built that a later one covers is not expanded. What is kept of a level is
//! thus its minimal elements, whatever the order of insertion.
//!
//! A rejected monitor is the empty set: it is covered by nothing and covers everything, and the search goes on from it for
//! the properties that are still open.

use super::coverage::Coverage;
use super::encode::{decode, encode};
use super::monitor::{Method, Monitor, MonitorId};
use super::store::{CAPACITY, NodeId, Store};
use super::successors::{Seen, Successors, Transition};
use crate::engine::{Budget, Exhausted, Listener, Progress, Watch};
use linchpin_core::index::Index;
use linchpin_core::ir::MemoryKind;
use linchpin_core::semantics::{
    Client, FaultProperty, Machine, Outcome, Picks, SpecError, SpecMachine, State, ThreadId,
};
use linchpin_core::types::Word;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What is asked of one instance.
#[derive(Clone)]
pub struct Question<'p> {
    pub machine: &'p Machine,
    pub client: &'p Client,
    pub spec: &'p SpecMachine,
    /// How consistency is judged, if it is asked for; stuck executions of specifications that block need it too.
    pub monitor: Option<Method>,
    pub wanted: Vec<Kind>,
}

/// The kinds of violation that a search over states finds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The monitor rejects.
    Inconsistent,
    MemoryUnsafe,
    AssertionFails,
    /// Nobody can move, and the specification does not let the pending calls wait.
    Deadlocked,
    /// The same, as a violation of consistency: a stuck history that is not legal. Looked for with [`Kind::Inconsistent`].
    Stuck,
}

impl Kind {
    /// It is a state in which nobody can move, not a step.
    pub fn is_at_rest(self) -> bool {
        matches!(self, Kind::Deadlocked | Kind::Stuck)
    }
}

/// How a search ended.
#[derive(Clone, Debug)]
pub struct Summary {
    /// For each kind of violation that was found, the number of steps of a shortest one.
    pub found: BTreeMap<Kind, usize>,
    /// Why not everything was searched, if so and if something is still open.
    pub exhausted: Option<Exhausted>,
    pub states: usize,
    pub nodes: usize,
    pub transitions: u64,
    pub depth: usize,
    pub frontier: usize,
    pub bytes: usize,
    pub coverage: Coverage,
}

/// Why there is nothing to search.
#[derive(Clone, Debug)]
pub enum Unsearchable {
    /// `init` does not end well.
    Init(Outcome),
    /// The specification itself has a fault.
    Spec(SpecError),
}

impl From<SpecError> for Unsearchable {
    fn from(fault: SpecError) -> Unsearchable {
        Unsearchable::Spec(fault)
    }
}

/// The monitor state of a history that has been rejected.
pub const REJECTED: MonitorId = MonitorId(u32::MAX);
/// The monitor state where there is no monitor.
pub const UNWATCHED: MonitorId = MonitorId(u32::MAX - 1);

/// A search and everything that it has found; kept after its end, so that witnesses can be drawn from it.
pub struct Search<'p> {
    pub question: Question<'p>,
    pub store: Store,
    /// The first node of each level.
    pub levels: Vec<u32>,
    monitor: Option<Monitor<'p>>,
    pruned: FxHashSet<NodeId>,
    found: BTreeMap<Kind, usize>,
    transitions: u64,
    coverage: Coverage,
}

/// Nodes between two looks at the budget.
const BETWEEN_LOOKS: u32 = 512;

impl<'p> Search<'p> {
    pub fn new(question: Question<'p>) -> Search<'p> {
        let threads = question.machine.bounds().threads as usize;
        let monitor = question.monitor.clone().map(|method| Monitor::new(question.spec, method, threads));
        Search {
            store: Store::new(),
            levels: Vec::new(),
            monitor,
            pruned: FxHashSet::default(),
            found: BTreeMap::new(),
            transitions: 0,
            coverage: Coverage::new(question.machine),
            question,
        }
    }

    pub fn run(&mut self, budget: &Budget, listener: &mut dyn Listener) -> Result<Summary, Unsearchable> {
        let mut watch = Watch::start(budget.clone());
        self.insert_initial()?;
        let successors = Successors::noting(self.question.machine);
        let mut scratch = Scratch { successors, ..Scratch::default() };
        let mut level = 0..self.store.number_of_nodes() as u32;
        let mut exhausted = None;
        'levels: while !level.is_empty() && self.is_open() {
            self.levels.push(level.start);
            self.pruned.retain(|node| level.contains(&node.0));
            for node in level.clone() {
                if node % BETWEEN_LOOKS == 0 {
                    exhausted = self.look(&mut watch, listener, node, level.end);
                    if exhausted.is_some() {
                        break 'levels;
                    }
                }
                if self.pruned.contains(&NodeId(node)) {
                    continue;
                }
                self.expand(&mut scratch, NodeId(node), level.end)?;
                if !self.is_open() {
                    break 'levels;
                }
            }
            level = level.end..self.store.number_of_nodes() as u32;
        }
        self.coverage.reached.copy_from_slice(scratch.successors.reached());
        Ok(self.summary(exhausted, level.len()))
    }

    /// The monitor's answer to what was seen; `None`: rejected.
    pub fn observe(&mut self, from: MonitorId, seen: &[Seen]) -> Result<MonitorId, SpecError> {
        observe(&mut self.monitor, from, seen)
    }

    /// The normal form of a state as the store keeps it.
    pub fn key(&self, scratch: &mut Scratch, state: &mut State) {
        self.question.machine.normalise(state);
        scratch.words.clear();
        self.question.machine.flatten(state, &mut scratch.words);
        encode(&scratch.words, &mut scratch.bytes);
    }

    pub fn load(&self, scratch: &mut Scratch, node: NodeId, into: &mut State) {
        decode(self.store.state(self.store.node(node).state), &mut scratch.words);
        let restored = self.question.machine.restore_into(&scratch.words, into);
        debug_assert!(restored.is_some(), "the store keeps what was flattened");
    }

    /// Whether pending calls may wait for ever in a monitor state, for each thread that has one.
    pub fn may_wait(&mut self, state: MonitorId) -> Result<Option<Vec<Option<bool>>>, SpecError> {
        may_wait(&mut self.monitor, state)
    }

    fn is_open(&self) -> bool {
        self.question.wanted.iter().any(|&kind| !self.is_found(kind))
    }

    fn is_found(&self, kind: Kind) -> bool {
        self.found.contains_key(&kind)
            || (kind == Kind::Inconsistent && self.found.contains_key(&Kind::Stuck))
    }

    fn insert_initial(&mut self) -> Result<(), Unsearchable> {
        let machine = self.question.machine;
        let monitor = match &mut self.monitor {
            Some(monitor) => monitor.initial()?,
            None => UNWATCHED,
        };
        let mut picks = Picks::new();
        let mut scratch = Scratch::default();
        loop {
            picks.restart();
            match machine.initial(&mut picks) {
                Ok(mut state) => {
                    self.key(&mut scratch, &mut state);
                    let (state, fresh) = self.store.insert_state(&scratch.bytes);
                    if fresh {
                        self.store.push_node(state, monitor, None);
                    }
                }
                Err(Outcome::Discarded) => {}
                Err(outcome) => return Err(Unsearchable::Init(outcome)),
            }
            if !picks.advance() {
                return Ok(());
            }
        }
    }

    /// `next_level` is the first node of the level being built.
    fn expand(&mut self, scratch: &mut Scratch, node: NodeId, next_level: u32) -> Result<(), SpecError> {
        let mut state = std::mem::take(&mut scratch.state);
        self.load(scratch, node, &mut state);
        let depth = self.levels.len() - 1;
        let from = self.store.node(node).monitor;
        let mut successors = std::mem::take(&mut scratch.successors);
        let Question { machine, client, .. } = self.question;
        let watches_leaks = machine.program().memory != MemoryKind::Gc && self.wants(Kind::MemoryUnsafe);
        let mut moves = Moves::default();
        let mut failure = None;
        successors.each(machine, client, &state, |transition| {
            self.transitions += 1;
            moves.note(&transition.outcome);
            let Transition { outcome, next, seen, .. } = transition;
            match outcome {
                Outcome::Done => {
                    if watches_leaks && !machine.leaks(next).is_empty() {
                        self.note(Kind::MemoryUnsafe, depth + 1);
                        return true;
                    }
                    for event in seen {
                        if let Seen::Return { op, .. } = event {
                            self.coverage.completed[op.index()] += 1;
                        }
                    }
                    match self.observe(from, seen) {
                        Ok(REJECTED) => {
                            if from != REJECTED {
                                self.note(Kind::Inconsistent, depth + 1);
                            }
                            if self.is_open() {
                                self.insert(scratch, next, REJECTED, node, next_level);
                            }
                        }
                        Ok(monitor) => self.insert(scratch, next, monitor, node, next_level),
                        Err(SpecError::Cut(cut)) => *self.coverage.cut.entry(cut).or_default() += 1,
                        Err(error) => failure = Some(error),
                    }
                }
                Outcome::Fault(fault) => self.note(kind_of(fault.property()), depth + 1),
                Outcome::Disabled(blocked) => self.coverage.cut_by_nodes += u64::from(blocked.by_bound()),
                Outcome::Cut(cut) => *self.coverage.cut.entry(cut).or_default() += 1,
                Outcome::Discarded => self.coverage.discarded += 1,
            }
            failure.is_none()
        });
        if failure.is_none()
            && moves.nobody()
            && (self.wants(Kind::Deadlocked) || self.wants(Kind::Inconsistent))
        {
            match self.is_deadlock(&state, from) {
                Ok(true) => {
                    self.note(Kind::Deadlocked, depth);
                    if from != REJECTED && from != UNWATCHED {
                        self.note(Kind::Stuck, depth);
                    }
                }
                Ok(false) => {}
                Err(fault) => failure = Some(fault),
            }
        }
        scratch.state = state;
        scratch.successors = successors;
        failure.map_or(Ok(()), Err)
    }

    /// Whether, given that nobody can move, some pending call may not wait for ever.
    pub fn is_deadlock(&mut self, state: &State, monitor: MonitorId) -> Result<bool, SpecError> {
        let machine = self.question.machine;
        let pending: Vec<ThreadId> =
            machine.bounds().thread_ids().filter(|t| !machine.is_idle(state, *t)).collect();
        if pending.is_empty() {
            return Ok(false);
        }
        let Some(answers) = self.may_wait(monitor)? else { return Ok(true) };
        Ok(pending.iter().any(|thread| answers[thread.index()] != Some(true)))
    }

    fn insert(
        &mut self,
        scratch: &mut Scratch,
        next: &mut State,
        monitor: MonitorId,
        parent: NodeId,
        next_level: u32,
    ) {
        self.key(scratch, next);
        let (state, fresh) = self.store.insert_state(&scratch.bytes);
        if !fresh {
            if self.store.nodes_of(state).any(|(_, node)| node.monitor == monitor) {
                return;
            }
            let others: smallvec::SmallVec<[(NodeId, MonitorId); 8]> =
                self.store.nodes_of(state).map(|(id, node)| (id, node.monitor)).collect();
            if others.iter().any(|&(_, other)| self.covers(monitor, other)) {
                return;
            }
            for (id, other) in others {
                if id.0 >= next_level && self.covers(other, monitor) {
                    self.pruned.insert(id);
                }
            }
        }
        self.store.push_node(state, monitor, Some(parent));
    }

    /// Whether what `large` rejects, `small` rejects: the closure of `small` is a subset.
    fn covers(&mut self, large: MonitorId, small: MonitorId) -> bool {
        match &mut self.monitor {
            _ if small == REJECTED => true,
            Some(monitor) if large != REJECTED => monitor.covers(large, small).unwrap_or(false),
            _ => false,
        }
    }

    fn wants(&self, kind: Kind) -> bool {
        self.question.wanted.contains(&kind) && !self.is_found(kind)
    }

    fn note(&mut self, kind: Kind, steps: usize) {
        let wanted = if kind == Kind::Stuck { Kind::Inconsistent } else { kind };
        if self.question.wanted.contains(&wanted) {
            self.found.entry(kind).or_insert(steps);
        }
    }

    fn look(
        &self,
        watch: &mut Watch,
        listener: &mut dyn Listener,
        node: u32,
        level_end: u32,
    ) -> Option<Exhausted> {
        let bytes = self.bytes();
        watch.tell(listener, |elapsed| Progress {
            states: self.store.number_of_states(),
            transitions: self.transitions,
            depth: self.levels.len() - 1,
            frontier: self.store.number_of_nodes() - node as usize,
            bytes: bytes as u64,
            elapsed,
        });
        let _ = level_end;
        if self.store.number_of_nodes() >= CAPACITY {
            return Some(Exhausted::States(CAPACITY));
        }
        watch.exhausted(bytes)
    }

    fn bytes(&self) -> usize {
        self.store.bytes() + self.monitor.as_ref().map_or(0, Monitor::bytes)
    }

    fn summary(&self, exhausted: Option<Exhausted>, frontier: usize) -> Summary {
        Summary {
            found: self.found.clone(),
            exhausted,
            states: self.store.number_of_states(),
            nodes: self.store.number_of_nodes(),
            transitions: self.transitions,
            depth: self.levels.len().saturating_sub(1),
            frontier,
            bytes: self.bytes(),
            coverage: self.coverage.clone(),
        }
    }
}

/// Buffers of the inner loop.
#[derive(Default)]
pub struct Scratch {
    pub state: State,
    pub words: Vec<Word>,
    pub bytes: Vec<u8>,
    pub successors: Successors,
}

/// Which threads could move, as far as stuck executions are concerned.
#[derive(Default)]
pub struct Moves {
    somebody: bool,
    waits_for_cell: bool,
}

impl Moves {
    pub fn note(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Disabled(blocked) => self.waits_for_cell |= blocked.by_bound(),
            _ => self.somebody = true,
        }
    }

    /// Nobody can move, and not because of the node bound.
    pub fn nobody(&self) -> bool {
        !self.somebody && !self.waits_for_cell
    }
}

pub fn kind_of(property: FaultProperty) -> Kind {
    match property {
        FaultProperty::MemorySafe => Kind::MemoryUnsafe,
        FaultProperty::Assertions => Kind::AssertionFails,
    }
}

fn observe(
    monitor: &mut Option<Monitor<'_>>,
    from: MonitorId,
    seen: &[Seen],
) -> Result<MonitorId, SpecError> {
    let Some(monitor) = monitor else { return Ok(UNWATCHED) };
    if from == REJECTED {
        return Ok(REJECTED);
    }
    let mut at = from;
    for event in seen {
        let Some(event) = monitor.event(event) else { continue };
        match monitor.advance(at, event)? {
            Some(next) => at = next,
            None => return Ok(REJECTED),
        }
    }
    Ok(at)
}

fn may_wait(
    monitor: &mut Option<Monitor<'_>>,
    state: MonitorId,
) -> Result<Option<Vec<Option<bool>>>, SpecError> {
    match monitor {
        Some(monitor) if state != REJECTED => monitor.may_wait(state).map(Some),
        _ => Ok(None),
    }
}
