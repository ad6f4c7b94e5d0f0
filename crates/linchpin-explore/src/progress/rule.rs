//! Which cycles violate which property, in the graph of a search.
//!
//! | property | searched | edges | a component is bad if |
//! |---|---|---|---|
//! | `lock-free` | nodes | on which no call returns | it has an edge |
//! | `terminating` | nodes | on which no call begins or returns | it has an edge |
//! | `wait-free` | nodes with a marked thread that has a pending call | on which that call does not return | the marked thread acts in it |
//! | `obstruction-free` | the same | steps of the marked thread, but for the last | it has an edge |
//! | `starvation-free` | the same | on which the marked call does not return | it is fair |
//!
//! | `lock-free` by points | the same, and whether the marked call has passed its point | it does not return and, before its point, nobody passes one | the marked thread acts in it |
//!
//! The last one is Friggens' LF-2 (5.3.2), which implies the first: an operation is wait-free from its linearization point on, and
//! before it can be kept from it only by others that pass theirs. Whether a call has passed its point is no part of a state, so
//! only what can be reached from the beginnings of calls is looked at.
//!
//! A thread whose call waits for a lock or a condition spins: an edge from the node to itself, except for `terminating`. *Fair*:
//! each thread steps in the component, or is excused in some node of it ([`ThreadStatus::excused`]). One cycle can go through the
//! whole component, and a part of a component is not fair where the whole is not, so components are enough. With `--fair`
//! all properties ask for it.
//!
//! **Symmetry.** Let a cycle of the quotient be bad. It leads from a state s to π(s) for some renaming π; along it again, renamed, to
//! π²(s), and since π has a finite order, back to s: a cycle of the real system. The mark is renamed along, so it is on the same
//! thread all the time. For the properties without fairness the cycle is as bad as before, since they ask nothing else of
//! the threads by name; and every bad cycle of the real system is one of the quotient. Fairness speaks of all threads by
//! name: for it threads keep theirs, and only cells and values are renamed.
//!
//! **Partial order.** Let σ be an infinite execution from a state that the search keeps, from some moment on without a return (or
//! without one of the marked call, whose thread steps for ever). As in [`super::super::expand`] the search has a move for its
//! first step and the local steps that are run ahead after it. Each of these occurs in σ, and is moved to the front, or
//! its thread does nothing more in σ, and it is put in. Moving and putting in changes nothing that others do. So there is a σ′
//! from the state after the move, infinite again. The steps that were put in belong to threads that σ has left: they
//! complete at most one call each, hence σ′ has finitely many returns if σ has; and they are not the marked thread's, which
//! does not stop. Local steps without end are no way out: where they are run ahead for ever, that is an execution without
//! progress, too. Own steps are neither added nor lost, so their largest number is the same.
//!
//! This needs that local steps disable nothing. Waiting is what they can disable: a thread that holds a lock may run ahead and give
//! it back before anybody is seen to wait. So where calls can wait, partial order is switched off for the properties that
//! count waiting; likewise for obstruction-freedom, which speaks of every state, and for fairness.

use super::super::deeds::{MoveSummary, bit};
use super::cycles::{Components, Digraph};
use super::graph::{Graph, Label, ThreadStatus};
use linchpin_ir::property::Property;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    pub property: Property,
    /// Only fair executions count.
    pub fair: bool,
    /// Progress is passing an annotated point.
    pub by_points: bool,
}

/// The thread that a rule is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    pub thread: usize,
    /// Its call has passed its point; always false where points do not matter.
    pub has_passed: bool,
}

/// The marked thread has acted, in a set of what a cycle must have met; the bits of the threads come before.
const MARK_ACTED: u32 = 1 << 31;

impl Rule {
    /// `None`: the property is not about cycles.
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

    /// Lock-freedom by annotated points.
    pub fn by_points() -> Rule {
        Rule { property: Property::LockFree, fair: false, by_points: true }
    }

    /// It is about one thread.
    pub fn is_marked(self) -> bool {
        self.by_points || !matches!(self.property, Property::LockFree | Property::Terminating)
    }

    pub fn counts_waiting(self) -> bool {
        self.property != Property::Terminating
    }

    /// Whether a move may lie on a bad cycle.
    pub fn allows(self, deeds: &MoveSummary, stepped: u16, mark: Mark) -> bool {
        let returns = deeds.returned & bit(mark.thread) != 0;
        if self.by_points {
            return !returns && (mark.has_passed || deeds.points | deeds.perhaps_points == 0);
        }
        match self.property {
            Property::LockFree => deeds.returned == 0,
            Property::Terminating => deeds.returned == 0 && deeds.call.is_none(),
            Property::ObstructionFree => deeds.returned == 0 && stepped == bit(mark.thread),
            _ => !returns,
        }
    }

    /// The threads, among those that wait, whose waiting is an edge.
    pub fn spins_by_waiting(self, waiting: u16, mark: Mark) -> u16 {
        match (self.counts_waiting(), self.is_marked()) {
            (false, _) => 0,
            (true, true) => waiting & bit(mark.thread),
            (true, false) => waiting,
        }
    }

    /// What a cycle must meet.
    pub fn required(self, threads: usize) -> u32 {
        let everybody = if self.fair { (1u32 << threads) - 1 } else { 0 };
        let acts = self.by_points || self.property == Property::WaitFree;
        everybody | if acts { MARK_ACTED } else { 0 }
    }

    /// What is met where these threads step, or wait as an edge.
    pub fn met_by(self, acting: u16, mark: Mark) -> u32 {
        u32::from(acting) | if acting & bit(mark.thread) != 0 { MARK_ACTED } else { 0 }
    }

    /// What is met in a state.
    pub fn met_at(self, excused: u16) -> u32 {
        u32::from(excused)
    }
}

/// The graph as a rule sees it: nodes, or nodes with a marked thread.
pub struct Marked<'g> {
    pub graph: &'g Graph,
    pub rule: Rule,
    marks: usize,
    /// Where not every number can be reached: those that can.
    reached: Option<Vec<bool>>,
}

impl<'g> Marked<'g> {
    pub fn new(graph: &'g Graph, rule: Rule) -> Marked<'g> {
        let marks = match (rule.is_marked(), rule.by_points) {
            (false, _) => 1,
            (true, false) => graph.threads,
            (true, true) => 2 * graph.threads,
        };
        let mut marked = Marked { graph, rule, marks, reached: None };
        marked.reached = rule.by_points.then(|| marked.reach());
        marked
    }

    /// The node and the marked thread of a number.
    pub fn split(&self, number: usize) -> (usize, Mark) {
        let (node, mark) = (number / self.marks, number % self.marks);
        let threads = self.graph.threads;
        (node, Mark { thread: mark % threads, has_passed: mark >= threads })
    }

    pub fn join(&self, node: usize, mark: Mark) -> usize {
        let passed = if mark.has_passed { self.graph.threads } else { 0 };
        if self.marks == 1 { node } else { node * self.marks + mark.thread + passed }
    }

    /// The mark after an edge along which its call stays as it is.
    pub fn renamed(&self, mark: Mark, label: &Label) -> Mark {
        if self.marks == 1 { mark } else { Mark { thread: label.renaming.thread(mark.thread), ..mark } }
    }

    /// What can be reached from the beginnings of calls, points counted.
    fn reach(&self) -> Vec<bool> {
        let mut reached = vec![false; self.size()];
        let mut open = Vec::new();
        let mut go = |open: &mut Vec<usize>, to: u32, label: &Label, mark: Mark| {
            if label.deeds.returned & bit(mark.thread) == 0 {
                let has_passed = mark.has_passed || label.deeds.points & bit(mark.thread) != 0;
                let number = self.join(to as usize, self.renamed(Mark { has_passed, ..mark }, label));
                if !std::mem::replace(&mut reached[number], true) {
                    open.push(number);
                }
            }
        };
        for node in 0..self.graph.size() {
            for (edge, label) in self.graph.edges(node) {
                if let Some((caller, _)) = label.deeds.call {
                    let mark = Mark { thread: caller as usize, has_passed: false };
                    go(&mut open, edge.to, label, mark);
                }
            }
        }
        while let Some(number) = open.pop() {
            let (node, mark) = self.split(number);
            for (edge, label) in self.graph.edges(node) {
                go(&mut open, edge.to, label, mark);
            }
        }
        reached
    }

    /// The numbers of a node, one for each mark.
    pub fn numbers(&self, node: usize) -> impl Iterator<Item = usize> {
        node * self.marks..(node + 1) * self.marks
    }

    /// Each edge: where it leads, and what is met on it.
    pub fn edges(&self, number: usize, tell: &mut dyn FnMut(usize, u32)) {
        let (node, mark) = self.split(number);
        let ThreadStatus { idle, waiting, .. } = self.graph.standing(node);
        let is_reached = self.reached.as_ref().is_none_or(|reached| reached[number]);
        if self.rule.is_marked() && (idle & bit(mark.thread) != 0 || !is_reached) {
            return;
        }
        let spinning = self.rule.spins_by_waiting(waiting, mark);
        if spinning != 0 {
            tell(number, self.rule.met_by(spinning, mark));
        }
        for (edge, label) in self.graph.edges(node) {
            if self.rule.allows(&label.deeds, label.stepped, mark) {
                let to = self.join(edge.to as usize, self.renamed(mark, label));
                tell(to, self.rule.met_by(label.stepped, mark));
            }
        }
    }

    /// What is met in the node of a number.
    pub fn met_at(&self, number: usize) -> u32 {
        self.rule.met_at(self.graph.standing(self.split(number).0).excused)
    }

    /// The components, and which of them are bad.
    pub fn bad(&self) -> Bad {
        let components = Components::of(self);
        let mut met = vec![0u32; components.count];
        for (number, component) in components.members() {
            met[component] |= self.met_at(number);
            self.edges(number, &mut |to, more| {
                if components.number(to) == Some(component) {
                    met[component] |= more;
                }
            });
        }
        let required = self.rule.required(self.graph.threads);
        let is_bad: Vec<bool> = met.iter().map(|met| met & required == required).collect();
        Bad { components, is_bad }
    }

    /// What the graph of the rule takes, beside the graph itself.
    pub fn bytes(&self) -> usize {
        self.size() * 4 * size_of::<u32>()
    }
}

impl Digraph for Marked<'_> {
    fn size(&self) -> usize {
        self.graph.size() * self.marks
    }

    fn successors(&self, number: usize, tell: &mut dyn FnMut(usize)) {
        self.edges(number, &mut |to, _| tell(to));
    }
}

/// Components of which some are bad.
pub struct Bad {
    components: Components,
    is_bad: Vec<bool>,
}

impl Bad {
    pub fn is_empty(&self) -> bool {
        !self.is_bad.contains(&true)
    }

    /// The bad component that a number lies in.
    pub fn component(&self, number: usize) -> Option<usize> {
        self.components.number(number).filter(|component| self.is_bad[*component])
    }

    pub fn members(&self) -> impl Iterator<Item = usize> {
        self.components.members().filter(|(_, component)| self.is_bad[*component]).map(|(number, _)| number)
    }
}
