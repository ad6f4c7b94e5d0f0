//! Which cycles violate which property, in the graph of a search.
//!
//! | property | searched | edges | a component is bad if |
//! |---|---|---|---|
//! | `lock-free` | nodes | on which no call returns | it has an edge |
//! | `terminating` | nodes | on which no call begins or returns | it has an edge |
//! | `wait-free` | nodes with a tracked thread that has a pending call | on which that call does not return | the tracked thread acts in it |
//! | `obstruction-free` | as `wait-free` | steps of the tracked thread, except its last | it has an edge |
//! | `starvation-free` | as `wait-free` | on which the tracked call does not return | it is fair |
//! | `lock-free` by points | as `wait-free`, and whether the tracked call has passed its point | the call does not return; before its point, no call passes a point | the tracked thread acts in it |
//!
//! The last row is Friggens' LF-2 (5.3.2), which implies the first row. An operation is wait-free from its
//! linearization point on. Before that, only calls that pass their own points can delay it. Whether a call
//! has passed its point is not part of a state. So only pairs that are reachable from the beginnings of calls
//! count.
//!
//! A thread whose call waits for a lock or a condition spins: an edge from the node to itself, except for
//! `terminating`. A component is *fair* if each thread steps in it, or is exempt in some node of it
//! ([`ThreadStatus::fairness_exempt`]). One cycle can go through the whole component. A part of a component
//! is not fair where the whole is not. So components are enough. With `--fair` all properties require
//! fairness.
//!
//! # Symmetry
//!
//! **Claim.** The quotient has a bad cycle iff the real system has one.
//!
//! **Proof.** Let a cycle of the quotient be bad. It leads from a state s to π(s) for some renaming π.
//! Following it again, renamed, leads to π²(s), and back to s, since π has a finite order: a cycle of the
//! real system. The tracked thread is renamed too, so it is the same thread all the time. For the properties
//! without fairness the real cycle is bad, since these properties name no other thread. Conversely, every bad
//! cycle of the real system is a cycle of the quotient. ∎
//!
//! Fairness names all threads. So for fair properties threads keep their names, and only cells and values are
//! renamed.
//!
//! # Partial order
//!
//! **Claim.** The reduced graph has a bad cycle if the plain graph has one.
//!
//! **Assumption.** Local steps disable nothing. Local steps can end waiting: a thread that holds a lock may
//! release it in local steps before another thread waits for it. So where calls can wait, partial order is
//! off for the properties that count waiting. It is off for obstruction-freedom, which is about every state,
//! and for fairness.
//!
//! **Proof.** Let σ be an infinite execution from a kept state. From some moment on it has no return, or no
//! return of the tracked call, whose thread steps for ever. As in [`crate::expand`] the search has a move for
//! its first step and the local steps after it. Each local step occurs in σ and commutes to the front, or its
//! thread has no further step in σ, and the step is added. Neither changes what other threads do. So there is
//! an infinite σ′ from the state after the move. Added steps belong to threads that stop in σ. They complete
//! at most one call each, so σ′ has finitely many returns if σ has. The tracked thread does not stop, so no
//! added step is its own. Endless local steps are an execution without progress, too. Own steps are neither
//! added nor lost, so their largest number is the same. ∎

use super::cycles::{Components, Digraph};
use super::graph::{Graph, Label, ThreadStatus};
use crate::expand::{MoveSummary, bit};
use linchpin_ir::property::Property;

/// A progress property, and how it is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    pub property: Property,
    /// Only fair executions count.
    pub fair: bool,
    /// Progress means passing an annotated point.
    pub by_points: bool,
}

/// The thread that a rule tracks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TrackedThread {
    pub thread: usize,
    /// The call of the thread has passed its point; always `false` where points do not matter.
    pub has_passed: bool,
}

/// The bit for "the tracked thread has acted" in a mask of conditions of a cycle. Lower bits are those of the
/// threads.
const TRACKED_ACTED: u32 = 1 << 31;

impl Rule {
    /// Returns the rule of a property; `None`: the property is not about cycles.
    pub fn of(property: Property, fair: bool) -> Option<Rule> {
        let is_endless = matches!(
            property,
            Property::LockFree
                | Property::WaitFree
                | Property::ObstructionFree
                | Property::StarvationFree
                | Property::Terminating
        );
        let fair = fair || property == Property::StarvationFree;
        is_endless.then_some(Rule { property, fair, by_points: false })
    }

    /// Returns the rule of lock-freedom by annotated points.
    pub fn by_points() -> Rule {
        Rule { property: Property::LockFree, fair: false, by_points: true }
    }

    /// Checks whether the rule tracks a thread.
    pub fn is_tracked(self) -> bool {
        self.by_points || !matches!(self.property, Property::LockFree | Property::Terminating)
    }

    /// Checks whether waiting counts as an edge.
    pub fn counts_waiting(self) -> bool {
        self.property != Property::Terminating
    }

    /// Checks whether a move may lie on a bad cycle.
    pub fn allows(self, summary: &MoveSummary, stepped: u16, tracked: TrackedThread) -> bool {
        let returns = summary.returned & bit(tracked.thread) != 0;
        if self.by_points {
            return !returns && (tracked.has_passed || summary.points | summary.perhaps_points == 0);
        }
        match self.property {
            Property::LockFree => summary.returned == 0,
            Property::Terminating => summary.returned == 0 && summary.call.is_none(),
            Property::ObstructionFree => summary.returned == 0 && stepped == bit(tracked.thread),
            _ => !returns,
        }
    }

    /// Returns the waiting threads whose waiting is an edge.
    pub fn spins_by_waiting(self, waiting: u16, tracked: TrackedThread) -> u16 {
        match (self.counts_waiting(), self.is_tracked()) {
            (false, _) => 0,
            (true, true) => waiting & bit(tracked.thread),
            (true, false) => waiting,
        }
    }

    /// Returns the conditions that a bad cycle must meet.
    pub fn required(self, threads: usize) -> u32 {
        let all_threads = if self.fair { (1u32 << threads) - 1 } else { 0 };
        let acts = self.by_points || self.property == Property::WaitFree;
        all_threads | if acts { TRACKED_ACTED } else { 0 }
    }

    /// Returns the conditions that an edge meets on which these threads step or wait.
    pub fn met_by(self, acting: u16, tracked: TrackedThread) -> u32 {
        u32::from(acting) | if acting & bit(tracked.thread) != 0 { TRACKED_ACTED } else { 0 }
    }

    /// Returns the conditions that a state meets.
    pub fn met_at(self, fairness_exempt: u16) -> u32 {
        u32::from(fairness_exempt)
    }
}

/// The product of a graph and a rule: its vertices are nodes, or nodes with a tracked thread.
pub struct ProductGraph<'g> {
    pub graph: &'g Graph,
    pub rule: Rule,
    /// The number of vertices of each node.
    per_node: usize,
    /// The reachable vertices; `None`: all vertices count.
    reached: Option<Vec<bool>>,
}

impl<'g> ProductGraph<'g> {
    pub fn new(graph: &'g Graph, rule: Rule) -> ProductGraph<'g> {
        let per_node = match (rule.is_tracked(), rule.by_points) {
            (false, _) => 1,
            (true, false) => graph.threads,
            (true, true) => 2 * graph.threads,
        };
        let mut product = ProductGraph { graph, rule, per_node, reached: None };
        product.reached = rule.by_points.then(|| product.reach());
        product
    }

    /// Returns the node and the tracked thread of a vertex.
    pub fn split(&self, vertex: usize) -> (usize, TrackedThread) {
        let (node, tracked) = (vertex / self.per_node, vertex % self.per_node);
        let threads = self.graph.threads;
        (node, TrackedThread { thread: tracked % threads, has_passed: tracked >= threads })
    }

    /// Returns the vertex of a node and a tracked thread.
    pub fn join(&self, node: usize, tracked: TrackedThread) -> usize {
        let passed = if tracked.has_passed { self.graph.threads } else { 0 };
        if self.per_node == 1 { node } else { node * self.per_node + tracked.thread + passed }
    }

    /// Renames the tracked thread along an edge that does not end its call.
    pub fn renamed(&self, tracked: TrackedThread, label: &Label) -> TrackedThread {
        if self.per_node == 1 {
            tracked
        } else {
            TrackedThread { thread: label.renaming.thread(tracked.thread), ..tracked }
        }
    }

    /// Returns the vertices that are reachable from the beginnings of calls.
    fn reach(&self) -> Vec<bool> {
        let mut reached = vec![false; self.size()];
        let mut open = Vec::new();
        let mut go = |open: &mut Vec<usize>, to: u32, label: &Label, tracked: TrackedThread| {
            if label.summary.returned & bit(tracked.thread) == 0 {
                let has_passed = tracked.has_passed || label.summary.points & bit(tracked.thread) != 0;
                let vertex =
                    self.join(to as usize, self.renamed(TrackedThread { has_passed, ..tracked }, label));
                if !std::mem::replace(&mut reached[vertex], true) {
                    open.push(vertex);
                }
            }
        };
        for node in 0..self.graph.size() {
            for (edge, label) in self.graph.edges(node) {
                if let Some((caller, _)) = label.summary.call {
                    let tracked = TrackedThread { thread: caller as usize, has_passed: false };
                    go(&mut open, edge.to, label, tracked);
                }
            }
        }
        while let Some(vertex) = open.pop() {
            let (node, tracked) = self.split(vertex);
            for (edge, label) in self.graph.edges(node) {
                go(&mut open, edge.to, label, tracked);
            }
        }
        reached
    }

    /// Returns the vertices of a node.
    pub fn vertices(&self, node: usize) -> impl Iterator<Item = usize> {
        node * self.per_node..(node + 1) * self.per_node
    }

    /// Visits each edge: its end, and the conditions that it meets.
    pub fn edges(&self, vertex: usize, visit: &mut dyn FnMut(usize, u32)) {
        let (node, tracked) = self.split(vertex);
        let ThreadStatus { idle, waiting, .. } = self.graph.status(node);
        let is_reached = self.reached.as_ref().is_none_or(|reached| reached[vertex]);
        if self.rule.is_tracked() && (idle & bit(tracked.thread) != 0 || !is_reached) {
            return;
        }
        let spinning = self.rule.spins_by_waiting(waiting, tracked);
        if spinning != 0 {
            visit(vertex, self.rule.met_by(spinning, tracked));
        }
        for (edge, label) in self.graph.edges(node) {
            if self.rule.allows(&label.summary, label.stepped, tracked) {
                let to = self.join(edge.to as usize, self.renamed(tracked, label));
                visit(to, self.rule.met_by(label.stepped, tracked));
            }
        }
    }

    /// Returns the conditions that a vertex meets.
    pub fn met_at(&self, vertex: usize) -> u32 {
        self.rule.met_at(self.graph.status(self.split(vertex).0).fairness_exempt)
    }

    /// Computes the bad components.
    pub fn bad(&self) -> BadComponents {
        let components = Components::of(self);
        let mut met = vec![0u32; components.count];
        for (vertex, component) in components.members() {
            met[component] |= self.met_at(vertex);
            self.edges(vertex, &mut |to, more| {
                if components.number(to) == Some(component) {
                    met[component] |= more;
                }
            });
        }
        let required = self.rule.required(self.graph.threads);
        let is_bad: Vec<bool> = met.iter().map(|met| met & required == required).collect();
        BadComponents { components, is_bad }
    }

    /// Returns the memory that the product takes, without the graph itself.
    pub fn bytes(&self) -> usize {
        self.size() * 4 * size_of::<u32>()
    }
}

impl Digraph for ProductGraph<'_> {
    fn size(&self) -> usize {
        self.graph.size() * self.per_node
    }

    fn successors(&self, vertex: usize, visit: &mut dyn FnMut(usize)) {
        self.edges(vertex, &mut |to, _| visit(to));
    }
}

/// The components of a product graph, some of them bad.
pub struct BadComponents {
    components: Components,
    is_bad: Vec<bool>,
}

impl BadComponents {
    pub fn is_empty(&self) -> bool {
        !self.is_bad.contains(&true)
    }

    /// Returns the bad component of a vertex.
    pub fn component(&self, vertex: usize) -> Option<usize> {
        self.components.number(vertex).filter(|component| self.is_bad[*component])
    }

    /// Returns the vertices of bad components.
    pub fn members(&self) -> impl Iterator<Item = usize> {
        self.components.members().filter(|(_, component)| self.is_bad[*component]).map(|(vertex, _)| vertex)
    }
}
