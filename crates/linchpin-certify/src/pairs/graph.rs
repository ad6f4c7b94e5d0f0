//! Joined shape constraints, as the checker reads them.
//!
//! [`Graph`] is a matrix of sets of relations between nodes of an acyclic graph in which each node has at
//! most one edge.
//!
//! - *Claim.* No operation loses a graph of the matrix.
//! - *Assumption.* The graphs of five nodes show every composition of two relations. The table is computed
//!   from all of them.
//! - *Proof.* A relation is removed only if no composition through a third node, no chain to a sentinel, or
//!   no label allows it. When the set of a pair shrinks, every pair that shares a node with it is processed
//!   again.
//! - *Test.* `meaning` compares every operation with random graphs.

use crate::certificate::{ANY, APART, BEFORE, FAR, FAR_BEFORE, FREE, NEXT, NULL, SAME};

pub(super) const MOST_NODES: usize = 24;

/// The relations in which the first node reaches the second.
pub(super) const REACHES: u8 = SAME | NEXT | FAR;

/// A node of a graph, below [`MOST_NODES`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct NodeId(u8);

impl NodeId {
    /// Returns the node with this number; `None` if graphs have no such node.
    pub fn new(number: usize) -> Option<NodeId> {
        u8::try_from(number).ok().filter(|id| usize::from(*id) < MOST_NODES).map(NodeId)
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The entry of a pair before any matrix constrains it.
const OPEN: u8 = 255;

/// The algebra of relations.
pub(super) struct Algebra {
    compositions: [[u8; 64]; 64],
    converses: [u8; 64],
}

/// The error of a matrix without graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Contradiction;

#[derive(Clone)]
pub(super) struct Graph {
    pub nodes: usize,
    sentinels: usize,
    sets: [[u8; MOST_NODES]; MOST_NODES],
    /// All labels, if cells have labels, and the possible labels of each node.
    kinds: Option<Labels>,
    labels: [u8; MOST_NODES],
}

/// Facts about the labels of all cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Labels {
    /// All labels, one bit each.
    pub all: u8,
    /// No edge leads to a smaller label.
    pub ordered: bool,
}

impl Algebra {
    pub fn new() -> Algebra {
        let mut single = [[0; 6]; 6];
        let mut edges = [None; 5];
        record_all(&mut edges, 0, &mut single);
        let mut algebra = Algebra { compositions: [[0; 64]; 64], converses: [0; 64] };
        let opposite = [SAME, BEFORE, NEXT, FAR_BEFORE, FAR, APART];
        for first in 0..64 {
            for bit in 0..6 {
                if first >> bit & 1 == 0 {
                    continue;
                }
                algebra.converses[first] |= opposite[bit];
                for second in 0..64 {
                    for other in (0..6).filter(|other| second >> other & 1 == 1) {
                        algebra.compositions[first][second] |= single[bit][other];
                    }
                }
            }
        }
        algebra
    }

    pub fn compose(&self, first: u8, second: u8) -> u8 {
        self.compositions[usize::from(first & ANY)][usize::from(second & ANY)]
    }

    pub fn converse(&self, set: u8) -> u8 {
        self.converses[usize::from(set & ANY)]
    }
}

/// Records the compositions of every graph whose edges lead to smaller numbers.
fn record_all(edges: &mut [Option<usize>; 5], node: usize, single: &mut [[u8; 6]; 6]) {
    if node == edges.len() {
        for a in 0..node {
            for b in 0..node {
                for c in 0..node {
                    let of = |x, y| relation(edges, x, y);
                    single[bit_of(of(a, b))][bit_of(of(b, c))] |= of(a, c);
                }
            }
        }
        return;
    }
    for target in std::iter::once(None).chain((0..node).map(Some)) {
        edges[node] = target;
        record_all(edges, node + 1, single);
    }
}

/// Returns the number of the only bit of a set.
fn bit_of(set: u8) -> usize {
    (0..8).find(|bit| set >> bit & 1 == 1).unwrap_or(0)
}

fn relation(edges: &[Option<usize>; 5], a: usize, b: usize) -> u8 {
    let distance = |from: usize, to: usize| {
        std::iter::successors(Some(from), |node| edges[*node]).position(|node| node == to)
    };
    match (distance(a, b), distance(b, a)) {
        (Some(0), _) => SAME,
        (Some(1), _) => NEXT,
        (Some(_), _) => FAR,
        (None, Some(1)) => BEFORE,
        (None, Some(_)) => FAR_BEFORE,
        (None, None) => APART,
    }
}

impl Graph {
    pub fn new(sentinels: usize, kinds: Option<Labels>) -> Graph {
        let sets = [[APART; MOST_NODES]; MOST_NODES];
        let labels = [kinds.map_or(0, |kinds| kinds.all); MOST_NODES];
        let mut graph = Graph { nodes: sentinels, sentinels, sets, kinds, labels };
        (0..sentinels).for_each(|node| graph.sets[node][node] = SAME);
        graph
    }

    pub fn get(&self, a: usize, b: usize) -> u8 {
        self.sets[a][b]
    }

    pub fn put(&mut self, algebra: &Algebra, a: usize, b: usize, set: u8) {
        self.sets[a][b] = set;
        self.sets[b][a] = algebra.converse(set);
    }

    /// Adds a cell with these relations to another node; `None` if there are too many nodes.
    pub fn add_related(
        &mut self,
        algebra: &Algebra,
        to: usize,
        set: u8,
    ) -> Option<Result<NodeId, Contradiction>> {
        let cell = self.add(algebra)?;
        let id = NodeId::new(cell)?;
        self.put(algebra, cell, to, self.sets[cell][to] & set);
        if self.sets[cell][to] == 0 {
            return Some(Err(Contradiction));
        }
        let changed = (0..cell).map(|other| (cell, other)).collect();
        Some(self.propagate(algebra, changed).map(|()| id))
    }

    /// Adds an arbitrary cell; `None` if there are too many nodes.
    fn add(&mut self, algebra: &Algebra) -> Option<usize> {
        let cell = self.nodes;
        if cell == MOST_NODES {
            return None;
        }
        self.nodes += 1;
        for other in 0..cell {
            // A cell is not a sentinel, and a sentinel has no edge.
            let set = if other < self.sentinels { NEXT | FAR | APART } else { ANY };
            self.put(algebra, cell, other, set);
        }
        self.sets[cell][cell] = SAME;
        self.labels[cell] = self.kinds.map_or(0, |kinds| kinds.all);
        Some(cell)
    }

    /// Removes all other relations of a pair, and tightens the matrix.
    pub fn restrict(&mut self, algebra: &Algebra, a: usize, b: usize, set: u8) -> Result<(), Contradiction> {
        let mut changed = Vec::new();
        self.shrink(algebra, a, b, set, &mut changed)?;
        self.propagate(algebra, changed)
    }

    /// Returns the possible labels of a node.
    pub fn labels(&self, node: usize) -> u8 {
        self.labels[node]
    }

    /// Sets the labels of all cells, in their order.
    pub fn put_labels(&mut self, labels: &[u8]) {
        self.labels[self.sentinels..].iter_mut().zip(labels).for_each(|(own, labels)| *own = *labels);
    }

    /// Gives a cell one of these labels. A node that may be the same cell keeps its own labels too.
    pub fn set_labels(&mut self, cell: usize, labels: u8) {
        for node in self.sentinels..self.nodes {
            match self.sets[cell][node] {
                SAME => self.labels[node] = labels,
                set if set & SAME != 0 => self.labels[node] |= labels,
                _ => {}
            }
        }
    }

    /// Removes all other labels of a node, and tightens the matrix.
    pub fn restrict_labels(
        &mut self,
        algebra: &Algebra,
        node: usize,
        labels: u8,
    ) -> Result<(), Contradiction> {
        self.labels[node] &= labels;
        self.propagate(algebra, Vec::new())
    }

    /// Removes inconsistent relations and labels: the same cell has one label, and where cells are ordered no
    /// chain leads to a smaller label.
    fn match_labels(
        &mut self,
        algebra: &Algebra,
        changed: &mut Vec<(usize, usize)>,
    ) -> Result<(), Contradiction> {
        let Some(Labels { ordered, .. }) = self.kinds else { return Ok(()) };
        let possible = |set: u8| (0..8_u8).filter(move |label| set >> label & 1 == 1);
        let mut settled = false;
        while !settled {
            settled = true;
            for a in self.sentinels..self.nodes {
                for b in a + 1..self.nodes {
                    let (mut set, mut of_a, mut of_b) = (0, 0, 0);
                    for x in possible(self.labels[a]) {
                        for y in possible(self.labels[b]) {
                            let fits = |relation: &u8| match *relation {
                                SAME => x == y,
                                NEXT | FAR => !ordered || x <= y,
                                BEFORE | FAR_BEFORE => !ordered || y <= x,
                                _ => true,
                            };
                            let together =
                                singles(self.sets[a][b]).filter(fits).fold(0, |all, one| all | one);
                            if together != 0 {
                                set |= together;
                                of_a |= 1 << x;
                                of_b |= 1 << y;
                            }
                        }
                    }
                    settled &= (of_a, of_b) == (self.labels[a], self.labels[b]);
                    (self.labels[a], self.labels[b]) = (of_a, of_b);
                    self.shrink(algebra, a, b, set, changed)?;
                }
            }
        }
        if self.labels[self.sentinels..self.nodes].contains(&0) { Err(Contradiction) } else { Ok(()) }
    }

    fn shrink(
        &mut self,
        algebra: &Algebra,
        a: usize,
        b: usize,
        set: u8,
        changed: &mut Vec<(usize, usize)>,
    ) -> Result<(), Contradiction> {
        let now = self.sets[a][b];
        let left = now & set;
        if left == 0 {
            return Err(Contradiction);
        }
        if left != now {
            self.put(algebra, a, b, left);
            changed.push((a, b));
        }
        Ok(())
    }

    fn propagate(
        &mut self,
        algebra: &Algebra,
        mut changed: Vec<(usize, usize)>,
    ) -> Result<(), Contradiction> {
        loop {
            while let Some((a, b)) = changed.pop() {
                for c in 0..self.nodes {
                    let (ab, bc, ac) = (self.sets[a][b], self.sets[b][c], self.sets[a][c]);
                    self.shrink(algebra, a, c, algebra.compose(ab, bc), &mut changed)?;
                    self.shrink(algebra, b, c, algebra.compose(algebra.converse(ab), ac), &mut changed)?;
                }
            }
            // From every cell a chain leads to a sentinel.
            for cell in self.sentinels..self.nodes {
                let mut reached =
                    (0..self.sentinels).filter(|sentinel| self.sets[cell][*sentinel] & REACHES != 0);
                match (reached.next(), reached.next()) {
                    (None, _) => return Err(Contradiction),
                    (Some(only), None) => self.shrink(algebra, cell, only, REACHES, &mut changed)?,
                    _ => {}
                }
            }
            self.match_labels(algebra, &mut changed)?;
            if changed.is_empty() {
                return Ok(());
            }
        }
    }

    /// Redirects the edge of `from` to `to`, which does not reach `from`.
    pub fn redirect(&mut self, algebra: &Algebra, from: usize, to: usize) -> Result<(), Contradiction> {
        self.restrict(algebra, to, from, !REACHES)?;
        let old = self.clone();
        let mut changed = Vec::new();
        for a in 0..old.nodes {
            for b in a + 1..old.nodes {
                let set = old.after_redirect(algebra, from, to, a, b);
                if set == 0 {
                    return Err(Contradiction);
                }
                self.put(algebra, a, b, set);
                changed.push((a, b));
            }
        }
        self.propagate(algebra, changed)
    }

    /// Returns the possible relations of two nodes afterwards. The relation changes only if exactly one of
    /// them reaches `from`: afterwards this node reaches the other exactly if `to` does.
    fn after_redirect(&self, algebra: &Algebra, from: usize, to: usize, a: usize, b: usize) -> u8 {
        let mut after = 0;
        for near in singles(self.sets[a][from]) {
            for far in singles(self.sets[b][from]) {
                let together = algebra.compose(near, algebra.converse(far)) & self.sets[a][b];
                if together == 0 {
                    continue;
                }
                let target = |node: usize, its: u8, other: u8| {
                    let consistent = algebra.compose(self.sets[to][from], algebra.converse(its));
                    beyond(other == SAME, self.sets[to][node] & consistent)
                };
                after |= match (near & REACHES != 0, far & REACHES != 0) {
                    (true, false) => target(b, far, near),
                    (false, true) => algebra.converse(target(a, near, far)),
                    _ => together,
                };
            }
        }
        after
    }

    /// Adds a cell that no edge leads to, with an edge to `to`; `None` if there are too many nodes.
    pub fn create(&mut self, algebra: &Algebra, to: usize) -> Option<NodeId> {
        let cell = self.add(algebra)?;
        for other in 0..cell {
            self.put(algebra, cell, other, beyond(true, self.sets[to][other]));
        }
        NodeId::new(cell)
    }

    /// Returns whether a cell may be free.
    pub fn may_be_free(&self, cell: usize) -> bool {
        self.sentinels > FREE && self.sets[cell][FREE] & NEXT != 0
    }

    /// The sentinels.
    pub fn sentinels(&self) -> std::ops::Range<usize> {
        NULL..self.sentinels
    }

    /// Returns the meet of the matrices of three pairs of threads, each with the positions of its nodes.
    /// `empty` is a graph without cells, `own` are the nodes of each thread.
    pub fn meet(
        algebra: &Algebra,
        empty: Graph,
        own: [std::ops::Range<usize>; 3],
        pairs: [(&Graph, &[usize]); 3],
    ) -> Result<Graph, Contradiction> {
        let mut all = empty;
        all.nodes = own[2].end;
        all.sets = [[OPEN; MOST_NODES]; MOST_NODES];
        let mut changed = Vec::new();
        for (graph, places) in pairs {
            for a in 0..graph.nodes {
                all.labels[places[a]] &= graph.labels[a];
                for b in 0..graph.nodes {
                    let set = &mut all.sets[places[a]][places[b]];
                    let (before, theirs) = (*set, graph.sets[a][b]);
                    *set &= theirs;
                    if before != OPEN && before != theirs {
                        changed.push((places[a], places[b]));
                    }
                    if *set == 0 {
                        return Err(Contradiction);
                    }
                }
            }
        }
        // Every matrix is consistent. New facts follow from one node of each thread, or from changed pairs.
        let [xs, ys, zs] = own;
        for x in xs {
            for y in ys.clone() {
                for z in zs.clone() {
                    for (a, b, c) in [(x, y, z), (y, z, x), (z, x, y)] {
                        let set = algebra.compose(all.sets[a][b], all.sets[b][c]);
                        all.shrink(algebra, a, c, set, &mut changed)?;
                    }
                }
            }
        }
        all.propagate(algebra, changed)?;
        Ok(all)
    }

    /// Makes a matrix of a certificate consistent.
    pub fn tighten(&mut self, algebra: &Algebra) -> Result<(), Contradiction> {
        let nodes = self.nodes;
        self.propagate(algebra, (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b))).collect())
    }
}

/// Returns the relations of a node to the end of a chain, if the node behind its edge has these relations to
/// the end.
fn beyond(is_first: bool, set: u8) -> u8 {
    let mut after = 0;
    if set & SAME != 0 {
        after |= if is_first { NEXT } else { FAR };
    }
    if set & (NEXT | FAR) != 0 {
        after |= FAR;
    }
    if set & !REACHES & ANY != 0 {
        after |= APART;
    }
    after
}

fn singles(set: u8) -> impl Iterator<Item = u8> {
    (0..6).map(|bit| 1 << bit).filter(move |relation| set & relation != 0)
}
