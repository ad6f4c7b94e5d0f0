//! Progress in the plainest way: the whole graph of concrete states, and for each property its definition, thread by thread.
//!
//! Nothing is reduced: states are equal up to the names of cells only. Cycles are found by who reaches whom and back (two
//! walks, Kosaraju), not as the engine does it.

use linchpin_core::index::Index;
use linchpin_core::ir::OpId;
use linchpin_core::semantics::{Client, Cut, Events, Machine, Outcome, Picks, State, ThreadId};
use linchpin_core::types::Word;
use linchpin_core::verdict::Property;
use std::collections::BTreeMap;

/// Every state that can be reached, and every step between them.
pub struct Whole {
    threads: usize,
    nodes: Vec<Node>,
    too_deep: bool,
}

#[derive(Default)]
struct Node {
    edges: Vec<Edge>,
    idle: Vec<bool>,
    waits: Vec<bool>,
    /// A fair scheduler owes the thread nothing here.
    excused: Vec<bool>,
}

#[derive(Clone)]
struct Edge {
    to: usize,
    thread: usize,
    is_call: bool,
    returns: bool,
    /// Whose points are passed; `None`: perhaps one.
    points: Vec<Option<usize>>,
}

impl Whole {
    /// `None`: there are more states than `most`.
    pub fn explore(machine: &Machine, client: &Client, most: usize) -> Option<Whole> {
        let threads = machine.bounds().threads as usize;
        let mut whole = Whole { threads, nodes: Vec::new(), too_deep: false };
        let mut numbers: BTreeMap<Vec<Word>, usize> = BTreeMap::new();
        let mut open: Vec<State> = Vec::new();
        let mut picks = Picks::new();
        loop {
            picks.restart();
            if let Ok(state) = machine.initial(&mut picks) {
                number(machine, &mut numbers, &mut open, state);
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
                whole.node(machine, client, &state, &mut |to| number(machine, &mut numbers, &mut open, to));
            whole.nodes.push(node);
            next += 1;
        }
        Some(whole)
    }

    fn node(
        &mut self,
        machine: &Machine,
        client: &Client,
        state: &State,
        number: &mut dyn FnMut(State) -> usize,
    ) -> Node {
        let mut node = Node::default();
        for thread in machine.bounds().thread_ids() {
            let is_idle = machine.is_idle(state, thread);
            let mut waits = !is_idle;
            let mut each_way = |is_call: bool, go: &dyn Fn(&mut State, &mut Picks, &mut Heard) -> Outcome| {
                let mut picks = Picks::new();
                loop {
                    picks.restart();
                    let (mut to, mut heard) = (state.clone(), Heard::default());
                    let outcome = go(&mut to, &mut picks, &mut heard);
                    match outcome {
                        Outcome::Disabled(blocked) => waits &= !blocked.by_bound(),
                        _ => waits = false,
                    }
                    self.too_deep |= outcome == Outcome::Cut(Cut::Depth);
                    if outcome.is_done() {
                        machine.collect_keeping_names(&mut to);
                        let (to, thread) = (number(to), thread.index());
                        let Heard { returns, points } = heard;
                        node.edges.push(Edge { to, thread, is_call, returns, points });
                    }
                    if !picks.advance() {
                        return;
                    }
                }
            };
            if is_idle {
                for call in client.calls(machine, state, thread) {
                    each_way(true, &|to, picks, events| {
                        machine.call(to, thread, call.op, &call.args, call.next_position, picks, events)
                    });
                }
            } else {
                each_way(false, &|to, picks, events| machine.step(to, thread, picks, events));
            }
            node.idle.push(is_idle);
            node.waits.push(waits);
            node.excused.push(waits || is_idle && !client.owes(machine, state, thread));
        }
        node
    }

    /// Whether the property is violated, as its definition says.
    pub fn violates(&self, property: Property, fair: bool) -> bool {
        let pending = |node: &Node, thread: usize| !node.idle[thread];
        match property {
            Property::LockFree => {
                let waits = |node: &Node| (0..self.threads).any(|t| node.waits[t]);
                self.has_cycle(&|_| true, &|edge| !edge.returns, &waits, &|_| true, fair)
            }
            Property::Terminating => {
                self.too_deep
                    || self.has_cycle(&|_| true, &|e| !e.returns && !e.is_call, &|_| false, &|_| true, fair)
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

    /// Lock-freedom by annotated points (LF-2): whether some thread acts for ever after its point, or before it while nobody
    /// passes one.
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
            too_deep: false,
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

/// A number for each node, the same for those that reach each other.
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
}

impl Events for Heard {
    fn returned(&mut self, _: ThreadId, _: OpId, _: &[Word]) {
        self.returns = true;
    }

    fn lin(&mut self, target: ThreadId, maybe: bool) {
        self.points.push(Some(target.index()).filter(|_| !maybe));
    }
}
