//! The graph of all reachable states of a small instance, in the plain semantics.
//!
//! The search is breadth first from all initial states, with the general client: an idle thread calls any
//! operation with any arguments, without roles. In a symmetric graph, states that differ only in which thread
//! is which are one node. A node is a [record](super::layout). An edge is a call or a
//! step, with its label and the renaming of cells. Ages are plain numbers: an edge to a state with an age
//! beyond the limit is cut and counted.

use super::layout::{DATA_UNWRITTEN, LINK_UNWRITTEN, Layout, Short, StateRecord};
use super::naming::{self, Threads};
use super::observed_step::{Label, Move, StepListener};
use super::refused::{Execution, GateRefused, Size, Unsupported};
use super::text;
use linchpin_ir::index::Index;
use linchpin_ir::program::{MemoryKind, Program};
use linchpin_ir::property::Property;
use linchpin_ir::types::{Scalar, SlotKind, UNDEFINED, Word};
use linchpin_semantics::{
    Blocked, Bounds, CallChoice, Client, Fault, FaultProperty, Machine, Outcome, Picks, State, ThreadId,
};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::{BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The modulus of ages in the machine, far beyond the limit at which executions are cut.
pub const AGES: u32 = 64;

/// Limits of one graph.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of states after which no more states are expanded.
    pub states: usize,
    /// The largest age.
    pub age: Word,
    /// Threads are named by what they do.
    pub symmetric: bool,
}

/// An edge: its target, its label, and the renaming of threads and cells.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub to: u32,
    pub label: u32,
    pub cells: u32,
}

pub struct Graph<'p> {
    pub layout: &'p Layout<'p>,
    pub size: Size,
    pub bounds: Bounds,
    pub initial: Vec<u32>,
    pub labels: Vec<Label>,
    pub moves: Vec<Move>,
    /// All edges, grouped by source node, in the order of the nodes.
    edges: Vec<Edge>,
    first_edge: Vec<usize>,
    shorts: Vec<Short>,
    starts: Vec<usize>,
    parents: Vec<Option<(u32, u32)>>,
    /// For each node the threads in the order of their names, along the execution of `parents`.
    threads: Vec<Threads>,
    /// The first fault of each property, with the node and the label of its step.
    pub faults: Vec<(FaultProperty, Fault, u32, Label)>,
    /// The first node with a lost cell.
    pub leak: Option<u32>,
    /// The first node in which calls are pending and no thread can move.
    pub stuck: Option<u32>,
    /// For each node: a step leads out of the instance, to a fault, or is discarded.
    pub leaves: Vec<bool>,
    /// The results of completed calls, by operation.
    pub completed: Vec<BTreeSet<Box<[Word]>>>,
    /// Instructions that ran, by address.
    pub reached: Vec<bool>,
    pub cut_by_age: u64,
    /// The number of levels whose states are all expanded; `None` if all states are.
    pub depth: Option<u32>,
}

/// A state that is not expanded yet.
struct Open {
    words: Vec<Word>,
    flags: Vec<Short>,
    /// The thread of each name, and the cell of each name.
    threads: Threads,
    order: Vec<usize>,
    level: u32,
}

struct Builder<'b, 'p> {
    graph: Graph<'p>,
    machine: &'b Machine,
    calls: Vec<CallChoice>,
    limits: Limits,
    /// The newest node for each hash of a record.
    by_hash: FxHashMap<u64, u32>,
    same_hash: Vec<Option<u32>>,
    labels: FxHashMap<Label, u32>,
    moves: FxHashMap<Move, u32>,
    open: VecDeque<Open>,
    buffer: Vec<Short>,
}

/// Returns the bounds of an instance of this size.
pub fn bounds(size: Size) -> Bounds {
    let Size { threads, nodes, values } = size;
    Bounds { threads, nodes, values, keys: values, ages: Some(AGES), ..Bounds::default() }
}

/// Returns the maximal number of cells that `init` makes.
pub fn cells_of_init(program: &Arc<Program>, most: u32) -> Result<u32, GateRefused> {
    let size = Size { threads: 2, nodes: most, values: 2 };
    let machine = machine(program, size)?;
    let mut picks = Picks::new();
    let mut most = None;
    loop {
        picks.restart();
        if let Ok(state) = machine.initial(&mut picks) {
            most = most.max(Some(state.allocated_cells()));
        }
        if !picks.advance() {
            break;
        }
    }
    Ok(most.and_then(|most| u32::try_from(most).ok()).unwrap_or(0))
}

pub fn machine(program: &Arc<Program>, size: Size) -> Result<Machine, GateRefused> {
    Machine::new(program, &bounds(size)).map_err(|_| Unsupported("an instance that cannot be run").into())
}

impl<'p> Graph<'p> {
    pub fn build(
        layout: &'p Layout<'p>,
        machine: &Machine,
        size: Size,
        limits: Limits,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Graph<'p>, GateRefused> {
        let program = machine.program();
        let Ok(Client::General(client)) = Client::general(program, machine.bounds()) else {
            return Err(Unsupported("arguments that cannot be listed").into());
        };
        let graph = Graph {
            layout,
            size,
            bounds: machine.bounds().clone(),
            initial: Vec::new(),
            labels: Vec::new(),
            moves: Vec::new(),
            edges: Vec::new(),
            first_edge: vec![0],
            shorts: Vec::new(),
            starts: vec![0],
            parents: Vec::new(),
            threads: Vec::new(),
            faults: Vec::new(),
            leak: None,
            stuck: None,
            leaves: Vec::new(),
            completed: vec![BTreeSet::new(); program.ops.len()],
            reached: vec![false; machine.number_of_instructions()],
            cut_by_age: 0,
            depth: None,
        };
        let mut builder = Builder {
            graph,
            machine,
            calls: client.choices(ThreadId::new(0), 0).to_vec(),
            limits,
            by_hash: FxHashMap::default(),
            same_hash: Vec::new(),
            labels: FxHashMap::default(),
            moves: FxHashMap::default(),
            open: VecDeque::new(),
            buffer: Vec::new(),
        };
        builder.begin()?;
        builder.run(go_on)?;
        Ok(builder.graph)
    }

    /// Lists all nodes, in the order in which they were found.
    pub fn node_ids(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.nodes()).unwrap_or(u32::MAX)
    }

    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn transitions(&self) -> usize {
        self.edges.len()
    }

    /// Returns the edges of a node; empty if the node was not expanded.
    pub fn edges(&self, node: u32) -> &[Edge] {
        let node = node as usize;
        match (self.first_edge.get(node), self.first_edge.get(node + 1)) {
            (Some(from), Some(to)) => &self.edges[*from..*to],
            _ => &[],
        }
    }

    pub fn record(&self, node: u32) -> StateRecord<'_> {
        let node = node as usize;
        StateRecord::new(self.layout, &self.shorts[self.starts[node]..self.starts[node + 1]])
    }

    /// Returns the keys at which keys are cut into two classes: all that make a difference, or a single one
    /// without keys.
    pub fn cuts(&self) -> std::ops::RangeInclusive<Word> {
        let program = self.layout.program;
        let is_key = |slot: &SlotKind| slot.scalar == Scalar::Key;
        let has_keys = program.globals.slots.iter().any(is_key)
            || program.ops.iter().any(|op| program.methods[op.method].slots.iter().any(is_key))
            || self.layout.cells.slots.iter().any(is_key);
        0..=if has_keys { Word::try_from(self.bounds.keys).unwrap_or(0) } else { 0 }
    }

    /// Returns a shortest execution to a node, followed by the step `last`.
    pub fn execution_to(&self, node: u32, last: Option<&Label>) -> Box<Execution> {
        let program = self.layout.program;
        let step = |from: u32, label: &Label| {
            let threads = &self.threads[from as usize];
            let numbered = label.clone().renamed(|name| threads.get(name).copied().unwrap_or(name));
            text::label(program, &numbered)
        };
        let mut steps: Vec<String> = last.map(|label| step(node, label)).into_iter().collect();
        let mut at = node;
        while let Some((parent, label)) = self.parents[at as usize] {
            steps.push(step(parent, &self.labels[label as usize]));
            at = parent;
        }
        steps.reverse();
        let state = text::record(self.record(node), &self.threads[node as usize]);
        Box::new(Execution { size: self.size, steps, state })
    }
}

impl Builder<'_, '_> {
    fn begin(&mut self) -> Result<(), GateRefused> {
        let mut picks = Picks::new();
        loop {
            picks.restart();
            match self.machine.initial(&mut picks) {
                Ok(state) => {
                    let flags = self.flags_of_init(&state);
                    if let Some((node, ..)) = self.intern(&state, flags, None, 0) {
                        self.graph.initial.push(node);
                    }
                }
                Err(Outcome::Fault(fault)) => {
                    let execution =
                        Execution { size: self.graph.size, steps: Vec::new(), state: "in `init`".into() };
                    let (message, span) = (fault.message.clone(), Some(fault.span));
                    let property = property_of(fault.property());
                    return Err(GateRefused::Fault {
                        property,
                        message,
                        span,
                        execution: Box::new(execution),
                    });
                }
                Err(_) => {}
            }
            if !picks.advance() {
                break;
            }
        }
        if self.graph.initial.is_empty() { Err(GateRefused::InitNeverEnds) } else { Ok(()) }
    }

    /// Returns the flags after `init`. Writes of `init` are not recorded: a field with its default may be
    /// unwritten.
    fn flags_of_init(&self, state: &State) -> Vec<Short> {
        let layout = self.graph.layout;
        if layout.program.memory != MemoryKind::Pool {
            return Vec::new();
        }
        let mut flags = Vec::new();
        for cell in self.machine.cells(state) {
            flags.resize(cell.id.index() + 1, 0);
            let holds = |slot: Option<usize>, word: Word| slot.is_some_and(|slot| cell.words[slot] == word);
            let flag = &mut flags[cell.id.index()];
            if holds(layout.cells.data, UNDEFINED) {
                *flag |= DATA_UNWRITTEN;
            }
            if holds(layout.cells.link, 0) {
                *flag |= LINK_UNWRITTEN;
            }
        }
        flags
    }

    fn run(&mut self, go_on: &dyn Fn() -> bool) -> Result<(), GateRefused> {
        let mut state = State::default();
        let mut scratch = State::default();
        let mut node = 0_u32;
        while let Some(open) = self.open.pop_front() {
            if node.is_multiple_of(256) && !go_on() {
                return Err(GateRefused::Interrupted);
            }
            if self.graph.nodes() >= self.limits.states {
                self.graph.depth = Some(open.level);
                return Ok(());
            }
            if self.machine.restore_into(&open.words, &mut state).is_none() {
                return Err(Unsupported("a state that cannot be kept").into());
            }
            if self.graph.leak.is_none() && !self.machine.leaks(&state).is_empty() {
                self.graph.leak = Some(node);
            }
            match self.machine.program().memory {
                MemoryKind::Pool => self.expand::<true>(node, &open, &state, &mut scratch),
                MemoryKind::Gc | MemoryKind::Manual => {
                    self.expand::<false>(node, &open, &state, &mut scratch)
                }
            }
            self.graph.first_edge.push(self.graph.edges.len());
            node += 1;
        }
        Ok(())
    }

    fn expand<const WRITES: bool>(&mut self, node: u32, open: &Open, state: &State, scratch: &mut State) {
        let machine = self.machine;
        let calls = std::mem::take(&mut self.calls);
        let (mut is_stuck, mut is_pending) = (true, false);
        let mut leaves = false;
        let cut_before = self.graph.cut_by_age;
        for thread in (0..self.graph.layout.threads).map(ThreadId::new) {
            let mut take = |call: Option<&CallChoice>| {
                let mut picks = Picks::new();
                loop {
                    picks.restart();
                    scratch.clone_from(state);
                    let mut listener = StepListener::<WRITES>::new(&mut self.graph.reached);
                    let outcome = match call {
                        Some(CallChoice { op, args, .. }) => {
                            machine.call(scratch, thread, *op, args, 0, &mut picks, &mut listener)
                        }
                        None => machine.step(scratch, thread, &mut picks, &mut listener),
                    };
                    let call = call.map(|call| (call.op, call.args.clone()));
                    let name =
                        |thread: usize| open.threads.iter().position(|at| *at == thread).unwrap_or(thread);
                    let seen = listener.end(thread, call).renamed(name);
                    match outcome {
                        Outcome::Done => {
                            is_stuck = false;
                            self.follow(node, open, scratch, seen);
                        }
                        Outcome::Fault(fault) => {
                            is_stuck = false;
                            leaves = true;
                            let property = fault.property();
                            if self.graph.faults.iter().all(|(known, ..)| *known != property) {
                                self.graph.faults.push((property, *fault, node, seen.label));
                            }
                        }
                        Outcome::Disabled(blocked) => {
                            is_stuck &= blocked != Blocked::NoCell;
                            leaves |= blocked == Blocked::NoCell;
                        }
                        Outcome::Cut(_) | Outcome::Discarded => {
                            is_stuck = false;
                            leaves = true;
                        }
                    }
                    if !picks.advance() {
                        break;
                    }
                }
            };
            if machine.is_idle(state, thread) {
                calls.iter().for_each(|call| take(Some(call)));
            } else {
                is_pending = true;
                take(None);
            }
        }
        self.calls = calls;
        self.graph.leaves.push(leaves || self.graph.cut_by_age != cut_before);
        if is_stuck && is_pending && self.graph.stuck.is_none() {
            self.graph.stuck = Some(node);
        }
    }

    /// Adds the edge of a completed step.
    fn follow(&mut self, node: u32, open: &Open, state: &State, seen: super::observed_step::ObservedStep) {
        let mut flags = open.flags.clone();
        seen.mark(self.graph.layout, &mut flags);
        if let Some((op, result)) = &seen.label.returned {
            let results = &mut self.graph.completed[op.index()];
            if !results.contains(result) {
                results.insert(result.clone());
            }
        }
        let label = intern(&mut self.labels, &mut self.graph.labels, &seen.label);
        let level = open.level + 1;
        let Some((to, threads, cells)) = self.intern(state, flags, Some((node, label)), level) else {
            self.graph.cut_by_age += 1;
            return;
        };
        let is_collected = self.graph.layout.is_collected();
        let (before, after) = ((&open.threads[..], &open.order[..]), (&threads[..], &cells[..]));
        let moved = Move::new(before, after, &seen, is_collected);
        let cells = intern(&mut self.moves, &mut self.graph.moves, &moved);
        self.graph.edges.push(Edge { to, label, cells });
    }

    /// Returns the node of a state, the thread of each name and the cell of each name; `None` if an age or another number is too
    /// large.
    fn intern(
        &mut self,
        state: &State,
        flags: Vec<Short>,
        parent: Option<(u32, u32)>,
        level: u32,
    ) -> Option<(u32, Threads, Vec<usize>)> {
        let layout = self.graph.layout;
        let threads = match self.limits.symmetric {
            true => naming::threads(layout, self.machine, state),
            false => naming::as_numbered(layout),
        };
        let order = naming::order(layout, self.machine, state, &flags, &threads);
        let mut buffer = std::mem::take(&mut self.buffer);
        let written = layout.write(self.machine, state, (&order, &threads), &flags, &mut buffer);
        let is_young = StateRecord::new(layout, &buffer).oldest() <= self.limits.age;
        if written.is_none() || !is_young {
            self.buffer = buffer;
            return None;
        }
        let mut hasher = FxHasher::default();
        buffer.hash(&mut hasher);
        let hash = hasher.finish();
        let first = self.by_hash.get(&hash).copied();
        let mut at = first;
        while let Some(node) = at {
            if self.graph.record(node).shorts == &buffer[..] {
                self.buffer = buffer;
                return Some((node, threads, order));
            }
            at = self.same_hash[node as usize];
        }
        let node = u32::try_from(self.graph.nodes()).ok()?;
        self.by_hash.insert(hash, node);
        self.same_hash.push(first);
        self.graph.shorts.extend_from_slice(&buffer);
        self.graph.starts.push(self.graph.shorts.len());
        self.graph.parents.push(parent);
        self.graph.threads.push(threads.clone());
        let mut words = Vec::new();
        self.machine.flatten(state, &mut words);
        self.open.push_back(Open { words, flags, threads: threads.clone(), order: order.clone(), level });
        self.buffer = buffer;
        Some((node, threads, order))
    }
}

fn intern<T: Clone + Eq + Hash>(known: &mut FxHashMap<T, u32>, all: &mut Vec<T>, item: &T) -> u32 {
    if let Some(number) = known.get(item) {
        return *number;
    }
    let number = u32::try_from(all.len()).unwrap_or(u32::MAX);
    known.insert(item.clone(), number);
    all.push(item.clone());
    number
}

pub fn property_of(property: FaultProperty) -> Property {
    match property {
        FaultProperty::MemorySafe => Property::MemorySafe,
        FaultProperty::Assertions => Property::Assertions,
    }
}
