//! Cycles of a directed graph: the strongly connected components that have an edge inside.
//!
//! First, nodes without predecessors are removed, again and again (Kahn 1962). Often no node is left, which
//! proves that there is no cycle. That costs one number for each node. Components of the remaining nodes are
//! found in linear time (Tarjan 1972). The search has an explicit stack, since a path may have as many nodes
//! as the graph. Components come in reverse topological order: a component comes after all components that it
//! leads to. Longest paths need that order.

use linchpin_ir::index::number_of;

/// A directed graph. Nodes are numbers below `size`.
pub trait Digraph {
    fn size(&self) -> usize;

    /// Visits every successor, perhaps more than once.
    fn successors(&self, node: usize, visit: &mut dyn FnMut(usize));
}

/// The components of the nodes that lie on cycles.
pub struct Components {
    of: Vec<u32>,
    pub count: usize,
}

const NOWHERE: u32 = u32::MAX;

impl Components {
    pub fn of(graph: &impl Digraph) -> Components {
        let mut components = Components { of: vec![NOWHERE; graph.size()], count: 0 };
        if let Some(left) = peel(graph) {
            Tarjan::new(graph, &left).run(&mut |members, is_cyclic| {
                if is_cyclic {
                    members.iter().for_each(|member| components.of[*member] = number_of(components.count));
                    components.count += 1;
                }
            });
        }
        components
    }

    /// Returns the component of a node; `None`: the node lies on no cycle.
    pub fn number(&self, node: usize) -> Option<usize> {
        Some(self.of[node] as usize).filter(|_| self.of[node] != NOWHERE)
    }

    /// Returns all nodes that lie on cycles, with their components.
    pub fn members(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.of.len()).filter_map(|node| Some((node, self.number(node)?)))
    }
}

/// Visits every component, also those of one node, after all components that it leads to.
pub fn for_each_component(graph: &impl Digraph, visit: &mut dyn FnMut(&[usize])) {
    let all = vec![true; graph.size()];
    Tarjan::new(graph, &all).run(&mut |members, _| visit(members));
}

/// Removes nodes without predecessors, again and again. Returns the remaining nodes; `None`: no node remains.
fn peel(graph: &impl Digraph) -> Option<Vec<bool>> {
    let size = graph.size();
    let mut predecessors = vec![0u32; size];
    for node in 0..size {
        graph.successors(node, &mut |next| predecessors[next] = predecessors[next].saturating_add(1));
    }
    let mut free: Vec<usize> = (0..size).filter(|node| predecessors[*node] == 0).collect();
    let mut peeled = 0;
    while let Some(node) = free.pop() {
        peeled += 1;
        graph.successors(node, &mut |next| {
            // A saturated count is never decreased: that only keeps more nodes.
            if predecessors[next] != u32::MAX {
                predecessors[next] -= 1;
                if predecessors[next] == 0 {
                    free.push(next);
                }
            }
        });
    }
    (peeled < size).then(|| predecessors.iter().map(|count| *count > 0).collect())
}

/// The search for components.
struct Tarjan<'g, G> {
    graph: &'g G,
    left: &'g [bool],
    /// The time when a node was first visited, from 1; 0: not yet. `DONE`: its component is finished.
    met: Vec<u32>,
    low: Vec<u32>,
    open: Vec<usize>,
    path: Vec<Frame>,
    /// Successors that are still to be visited, frame after frame.
    ahead: Vec<usize>,
    clock: u32,
}

/// A node on the current path.
struct Frame {
    node: usize,
    /// The position of its first successor in `ahead`.
    ahead: usize,
    /// The node is its own successor.
    is_loop: bool,
}

const DONE: u32 = u32::MAX;

impl<'g, G: Digraph> Tarjan<'g, G> {
    fn new(graph: &'g G, left: &'g [bool]) -> Self {
        let size = graph.size();
        Tarjan {
            graph,
            left,
            met: vec![0; size],
            low: vec![0; size],
            open: Vec::new(),
            path: Vec::new(),
            ahead: Vec::new(),
            clock: 0,
        }
    }

    fn run(mut self, visit: &mut dyn FnMut(&[usize], bool)) {
        for root in 0..self.left.len() {
            if self.left[root] && self.met[root] == 0 {
                self.enter(root);
                while !self.path.is_empty() {
                    self.advance(visit);
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.clock += 1;
        self.met[node] = self.clock;
        self.low[node] = self.clock;
        self.open.push(node);
        let ahead = self.ahead.len();
        let mut is_loop = false;
        let Tarjan { graph, left, ahead: list, .. } = self;
        graph.successors(node, &mut |next| {
            is_loop |= next == node;
            if left[next] {
                list.push(next);
            }
        });
        self.path.push(Frame { node, ahead, is_loop });
    }

    fn advance(&mut self, visit: &mut dyn FnMut(&[usize], bool)) {
        let Some(frame) = self.path.last() else { return };
        let node = frame.node;
        if self.ahead.len() > frame.ahead {
            let Some(next) = self.ahead.pop() else { return };
            match self.met[next] {
                0 => self.enter(next),
                DONE => {}
                met => self.low[node] = self.low[node].min(met),
            }
            return;
        }
        let is_loop = frame.is_loop;
        self.path.pop();
        if let Some(above) = self.path.last() {
            self.low[above.node] = self.low[above.node].min(self.low[node]);
        }
        if self.low[node] == self.met[node] {
            let start = self.open.iter().rposition(|other| *other == node).unwrap_or(0);
            let is_cyclic = is_loop || self.open.len() - start > 1;
            visit(&self.open[start..], is_cyclic);
            for member in self.open.drain(start..) {
                self.met[member] = DONE;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lists(Vec<Vec<usize>>);

    impl Digraph for Lists {
        fn size(&self) -> usize {
            self.0.len()
        }

        fn successors(&self, node: usize, visit: &mut dyn FnMut(usize)) {
            self.0[node].iter().for_each(|next| visit(*next));
        }
    }

    /// Returns which node reaches which by at least one edge, by brute force.
    fn closure(graph: &Lists) -> Vec<Vec<bool>> {
        let size = graph.size();
        let mut reach = vec![vec![false; size]; size];
        for (node, nexts) in graph.0.iter().enumerate() {
            nexts.iter().for_each(|next| reach[node][*next] = true);
        }
        for via in 0..size {
            for from in 0..size {
                for to in 0..size {
                    reach[from][to] |= reach[from][via] && reach[via][to];
                }
            }
        }
        reach
    }

    #[test]
    fn components_agree_with_the_closure() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut cyclic = 0;
        for _ in 0..2000 {
            let size = random.usize(1..9);
            let edges = random.usize(0..2 * size);
            let mut graph = Lists(vec![Vec::new(); size]);
            for _ in 0..edges {
                graph.0[random.usize(0..size)].push(random.usize(0..size));
            }
            let (reach, components) = (closure(&graph), Components::of(&graph));
            cyclic += usize::from(components.count > 0);
            let pairs = (0..size).flat_map(|one| (0..size).map(move |other| (one, other)));
            for (one, other) in pairs {
                let is_cyclic = |node: usize| reach[node][node];
                assert_eq!(components.number(one).is_some(), is_cyclic(one), "{:?}", graph.0);
                let together = is_cyclic(one) && (one == other || reach[one][other] && reach[other][one]);
                let same =
                    components.number(one).is_some() && components.number(one) == components.number(other);
                assert_eq!(same, together, "{:?}", graph.0);
            }
        }
        assert!((400..1600).contains(&cyclic), "{cyclic} of 2000 have a cycle");
    }

    /// A recursive search would overflow its stack on a path of this length.
    #[test]
    fn long_cycles_fit() {
        let size = 1_000_000;
        let graph = Lists((0..size).map(|node| vec![(node + 1) % size]).collect());
        let components = Components::of(&graph);
        assert_eq!((components.count, components.members().count()), (1, size));
    }
}
