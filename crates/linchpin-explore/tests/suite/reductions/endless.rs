//! Progress and stuck states in the plainest way: the whole graph of concrete states, and for each property
//! its definition, thread by thread.
//!
//! Nothing is reduced: states are equal up to the names of cells only. Cycles are found by who reaches whom
//! and back (two walks, Kosaraju), not as the engine does it. A *spurious* wake-up is a step that the machine
//! without spurious wake-ups does not make: it may happen and need not, so a thread that could only do that
//! waits.

use linchpin_ir::index::Index;
use linchpin_ir::program::OpId;
use linchpin_ir::property::Property;
use linchpin_ir::types::Word;
use linchpin_judge::history::Event;
use linchpin_semantics::{Bounds, Client, Cut, Events, Machine, Outcome, Picks, State, ThreadId};
use std::collections::BTreeMap;

/// Every state that can be reached, and every step between them.
pub struct Whole {
    threads: usize,
    pub nodes: Vec<Node>,
    /// The nodes in which an execution may begin.
    pub first: Vec<usize>,
    /// Idle threads may call for ever, and need not.
    is_general: bool,
}

#[derive(Default)]
pub struct Node {
    pub edges: Vec<Edge>,
    pub idle: Vec<bool>,
    waits: Vec<bool>,
    /// A fair scheduler owes the thread nothing here.
    excused: Vec<bool>,
    /// An idle thread has a call that it may make here.
    pub may_call: Vec<bool>,
    /// The step of a thread passes the bound on nested calls.
    too_deep: Vec<bool>,
    /// Some step, not a spurious one, leaves the scope, is an error or needs a cell.
    leaves: bool,
}

#[derive(Clone)]
pub struct Edge {
    pub to: usize,
    thread: usize,
    is_call: bool,
    returns: bool,
    is_spurious: bool,
    /// What the client sees.
    pub events: Vec<Event>,
    /// Whose points are passed; `None`: perhaps one.
    points: Vec<Option<usize>>,
}

/// What the definitions say of a property.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Expected {
    Holds,
    /// Executions were cut at `depth`, and nothing that was seen is a violation.
    Unknown,
    Violated,
}

impl Whole {
    /// `None`: there are more states than `most`.
    pub fn explore(machine: &Machine, client: &Client, most: usize) -> Option<Whole> {
        let threads = machine.bounds().threads as usize;
        let is_general = matches!(client, Client::General(_));
        let mut whole = Whole { threads, nodes: Vec::new(), first: Vec::new(), is_general };
        let sober = Bounds { spurious: false, ..machine.bounds().clone() };
        let sober = Machine::new(machine.program(), &sober).ok()?;
        let machines = (machine, &sober);
        let mut numbers: BTreeMap<Vec<Word>, usize> = BTreeMap::new();
        let mut open: Vec<State> = Vec::new();
        let mut picks = Picks::new();
        loop {
            picks.restart();
            if let Ok(state) = machine.initial(&mut picks) {
                whole.first.push(number(machine, &mut numbers, &mut open, state));
            }
            if !picks.advance() {
                break;
            }
        }
        let mut next = 0;
        while next < open.len() {
            if open.len() > most {
                return None;
            }
            let state = open[next].clone();
            let node =
                Whole::node(machines, client, &state, &mut |to| number(machine, &mut numbers, &mut open, to));
            whole.nodes.push(node);
            next += 1;
        }
        Some(whole)
    }

    /// `sober` is the machine without spurious wake-ups.
    fn node(
        (machine, sober): (&Machine, &Machine),
        client: &Client,
        state: &State,
        number: &mut dyn FnMut(State) -> usize,
    ) -> Node {
        let mut node = Node::default();
        for thread in machine.bounds().thread_ids() {
            let is_idle = machine.is_idle(state, thread);
            let is_spurious = !is_idle && machine.bounds().spurious && {
                let outcome =
                    sober.step(&mut state.clone(), thread, &mut Picks::new(), &mut Heard::default());
                matches!(outcome, Outcome::Disabled(blocked) if !blocked.by_bound())
            };
            let (mut waits, mut too_deep) = (!is_idle, false);
            let mut each_way = |is_call: bool, go: &dyn Fn(&mut State, &mut Picks, &mut Heard) -> Outcome| {
                let mut picks = Picks::new();
                loop {
                    picks.restart();
                    let (mut to, mut heard) = (state.clone(), Heard::default());
                    let outcome = go(&mut to, &mut picks, &mut heard);
                    let leaves = match &outcome {
                        Outcome::Done => false,
                        Outcome::Disabled(blocked) => blocked.by_bound(),
                        Outcome::Fault(_) | Outcome::Cut(_) | Outcome::Discarded => true,
                    };
                    node.leaves |= leaves && !is_spurious;
                    waits &= is_spurious || !leaves && !outcome.is_done();
                    too_deep |= outcome == Outcome::Cut(Cut::Depth);
                    if outcome.is_done() {
                        machine.collect_keeping_names(&mut to);
                        let (to, thread) = (number(to), thread.index());
                        let Heard { returns, points, events } = heard;
                        node.edges.push(Edge { to, thread, is_call, returns, is_spurious, events, points });
                    }
                    if !picks.advance() {
                        return;
                    }
                }
            };
            let mut may_call = false;
            if is_idle {
                for call in client.calls(machine, state, thread) {
                    may_call = true;
                    each_way(true, &|to, picks, events| {
                        machine.call(to, thread, call.op, &call.args, call.next_position, picks, events)
                    });
                }
            } else {
                each_way(false, &|to, picks, events| machine.step(to, thread, picks, events));
            }
            node.idle.push(is_idle);
            node.waits.push(waits);
            node.may_call.push(may_call);
            node.too_deep.push(too_deep);
            let owes = match client {
                Client::General(_) => client.owes(machine, state, thread),
                _ => may_call,
            };
            node.excused.push(waits || is_idle && !owes);
        }
        node
    }

    /// Returns for each node whether it is stuck. Some call is pending, and no continuation completes a
    /// pending call or exits the scope. With a schedule, idle threads have no further call.
    pub fn stuck(&self) -> Vec<bool> {
        let mut stuck: Vec<bool> = self
            .nodes
            .iter()
            .map(|node| node.idle.contains(&false) && (self.is_general || !node.may_call.contains(&true)))
            .collect();
        for thread in 0..self.threads {
            let can_return = self.can_return(thread);
            for (at, node) in self.nodes.iter().enumerate() {
                stuck[at] &= node.idle[thread] || !can_return[at];
            }
        }
        stuck
    }

    /// Whether some thread of a node can move, and not by a spurious wake-up.
    pub fn moves(&self, node: usize) -> bool {
        self.nodes[node].edges.iter().any(|edge| !edge.is_call && !edge.is_spurious)
    }

    fn can_return(&self, thread: usize) -> Vec<bool> {
        let mut can: Vec<bool> = self.nodes.iter().map(|node| node.leaves).collect();
        loop {
            let before = can.clone();
            for (at, node) in self.nodes.iter().enumerate() {
                let leads = |edge: &Edge| {
                    !edge.is_spurious && (edge.returns && edge.thread == thread || before[edge.to])
                };
                can[at] |= node.edges.iter().any(leads);
            }
            if can == before {
                return can;
            }
        }
    }

    /// Whether some execution is cut at the bound on nested calls.
    pub fn is_cut(&self) -> bool {
        self.nodes.iter().any(|node| node.too_deep.contains(&true))
    }

    /// What the definition says of a property. Passing `depth` violates `terminating`, if the execution is
    /// fair where that is asked for; nothing is known of other properties then.
    pub fn verdict(&self, property: Property, fair: bool) -> Expected {
        let cuts = |node: &Node, thread: usize| {
            let others = (0..self.threads).filter(|other| *other != thread);
            node.too_deep[thread] && (!fair || others.into_iter().all(|other| node.excused[other]))
        };
        let recurs = property == Property::Terminating
            && self.nodes.iter().any(|node| (0..self.threads).any(|thread| cuts(node, thread)));
        match self.violates(property, fair) || recurs {
            true => Expected::Violated,
            false if self.is_cut() => Expected::Unknown,
            false => Expected::Holds,
        }
    }

    /// Whether a cycle violates the property, as its definition says.
    fn violates(&self, property: Property, fair: bool) -> bool {
        let pending = |node: &Node, thread: usize| !node.idle[thread];
        match property {
            Property::LockFree => {
                let waits = |node: &Node| (0..self.threads).any(|t| node.waits[t]);
                self.has_cycle(&|_| true, &|edge| !edge.returns, &waits, &|_| true, fair)
            }
            Property::Terminating => {
                self.has_cycle(&|_| true, &|e| !e.returns && !e.is_call, &|_| false, &|_| true, fair)
            }
            Property::WaitFree => (0..self.threads).any(|t| {
                let acts = |component: &Component<'_>| {
                    component.edges.iter().any(|e| e.thread == t)
                        || component.nodes.iter().any(|n| n.waits[t])
                };
                self.has_cycle(
                    &|n| pending(n, t),
                    &|e| !(e.returns && e.thread == t),
                    &|n| n.waits[t],
                    &acts,
                    fair,
                )
            }),
            Property::ObstructionFree => (0..self.threads).any(|t| {
                let alone = |edge: &Edge| edge.thread == t && !edge.returns;
                self.has_cycle(&|n| pending(n, t), &alone, &|n| n.waits[t], &|_| true, fair)
            }),
            Property::StarvationFree => (0..self.threads).any(|t| {
                let others = |edge: &Edge| !(edge.returns && edge.thread == t);
                self.has_cycle(&|n| pending(n, t), &others, &|n| n.waits[t], &|_| true, true)
            }),
            _ => unreachable!("no property about cycles"),
        }
    }

    /// Lock-freedom by annotated points (LF-2): whether some thread acts for ever after its point, or before
    /// it while no thread passes one.
    pub fn violates_by_points(&self) -> bool {
        (0..self.threads).any(|t| [false, true].into_iter().any(|passed| self.stalls(t, passed)))
    }

    fn stalls(&self, t: usize, passed: bool) -> bool {
        // By state and whether the point is passed: what can be reached within one call.
        let mut reached = vec![[false; 2]; self.nodes.len()];
        let mut open: Vec<(usize, bool)> = Vec::new();
        let after = |edge: &Edge, before: bool| {
            let ends = edge.thread == t && edge.returns;
            (!ends).then(|| (edge.to, before || edge.points.contains(&Some(t))))
        };
        let calls = self.nodes.iter().flat_map(|node| &node.edges).filter(|e| e.thread == t && e.is_call);
        open.extend(calls.filter_map(|edge| after(edge, false)));
        while let Some((node, passed)) = open.pop() {
            if !std::mem::replace(&mut reached[node][usize::from(passed)], true) {
                open.extend(self.nodes[node].edges.iter().filter_map(|edge| after(edge, passed)));
            }
        }
        let part = Whole {
            threads: self.threads,
            is_general: self.is_general,
            first: Vec::new(),
            nodes: self
                .nodes
                .iter()
                .zip(&reached)
                .map(|(node, reached)| Node {
                    // Nodes out of reach have no edges.
                    edges: node.edges.iter().filter(|_| reached[usize::from(passed)]).cloned().collect(),
                    idle: node.idle.clone(),
                    waits: node.waits.iter().map(|waits| *waits && reached[usize::from(passed)]).collect(),
                    excused: node.excused.clone(),
                    ..Node::default()
                })
                .collect(),
        };
        let acts = |component: &Component<'_>| {
            component.edges.iter().any(|e| e.thread == t) || component.nodes.iter().any(|n| n.waits[t])
        };
        let stays = |edge: &Edge| !(edge.returns && edge.thread == t) && (passed || edge.points.is_empty());
        part.has_cycle(&|n| !n.idle[t], &stays, &|n| n.waits[t], &acts, false)
    }

    /// Whether some component of these nodes and edges, where waiting is an edge too, is as it is asked for.
    fn has_cycle(
        &self,
        node: &dyn Fn(&Node) -> bool,
        edge: &dyn Fn(&Edge) -> bool,
        waits: &dyn Fn(&Node) -> bool,
        wanted: &dyn Fn(&Component<'_>) -> bool,
        fair: bool,
    ) -> bool {
        let size = self.nodes.len();
        let is_in: Vec<bool> = self.nodes.iter().map(node).collect();
        let mut forth = vec![Vec::new(); size];
        let mut back = vec![Vec::new(); size];
        for from in (0..size).filter(|from| is_in[*from]) {
            for step in self.nodes[from].edges.iter().filter(|step| is_in[step.to] && edge(step)) {
                forth[from].push(step.to);
                back[step.to].push(from);
            }
        }
        let component_of = kosaraju(&forth, &back);
        let mut components: BTreeMap<usize, Component<'_>> = BTreeMap::new();
        for from in (0..size).filter(|from| is_in[*from]) {
            let component = components.entry(component_of[from]).or_default();
            component.nodes.push(&self.nodes[from]);
            component.is_cyclic |= waits(&self.nodes[from]);
            let inside =
                |step: &&Edge| is_in[step.to] && edge(step) && component_of[step.to] == component_of[from];
            component.edges.extend(self.nodes[from].edges.iter().filter(inside));
        }
        let is_fair = |component: &Component<'_>| {
            (0..self.threads).all(|t| {
                component.edges.iter().any(|edge| edge.thread == t)
                    || component.nodes.iter().any(|node| node.excused[t])
            })
        };
        components.values().any(|component| {
            let is_cyclic = component.is_cyclic || !component.edges.is_empty();
            is_cyclic && wanted(component) && (!fair || is_fair(component))
        })
    }
}

#[derive(Default)]
struct Component<'w> {
    nodes: Vec<&'w Node>,
    edges: Vec<&'w Edge>,
    /// By waiting.
    is_cyclic: bool,
}

/// Returns a number for each node. Nodes that reach each other have the same number.
fn kosaraju(forth: &[Vec<usize>], back: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; forth.len()];
    for root in 0..forth.len() {
        let mut path = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((node, at)) = path.pop() {
            match forth[node].get(at) {
                Some(&next) => {
                    path.push((node, at + 1));
                    if !std::mem::replace(&mut seen[next], true) {
                        path.push((next, 0));
                    }
                }
                None => order.push(node),
            }
        }
    }
    let mut component = vec![usize::MAX; forth.len()];
    for &root in order.iter().rev() {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if component[node] == usize::MAX {
                component[node] = root;
                open.extend(back[node].iter().filter(|before| component[**before] == usize::MAX));
            }
        }
    }
    component
}

fn number(
    machine: &Machine,
    numbers: &mut BTreeMap<Vec<Word>, usize>,
    open: &mut Vec<State>,
    state: State,
) -> usize {
    let mut normal = state.clone();
    machine.normalise(&mut normal);
    let mut words = Vec::new();
    machine.flatten(&normal, &mut words);
    *numbers.entry(words).or_insert_with(|| {
        open.push(state);
        open.len() - 1
    })
}

#[derive(Default)]
struct Heard {
    returns: bool,
    points: Vec<Option<usize>>,
    events: Vec<Event>,
}

impl Events for Heard {
    fn call(&mut self, thread: ThreadId, op: OpId, args: &[Word]) {
        self.events.push(Event::Call { thread, op, args: args.to_vec() });
    }

    fn returned(&mut self, thread: ThreadId, _: OpId, result: &[Word]) {
        self.returns = true;
        self.events.push(Event::Return { thread, result: result.to_vec() });
    }

    fn lin(&mut self, target: ThreadId, maybe: bool) {
        self.points.push(Some(target.index()).filter(|_| !maybe));
    }
}
