//! Draws a random graph of cells in which each two terms have a relation that a matrix allows.
//!
//! Terms are put on nodes one by one: on an existing node if they may be the same, or on a new node. Then
//! each node gets an edge: to a node that may be next, or to a node that may be further on. The latter goes
//! through one or two cells without terms. A graph that does not fit is discarded.

use fastrand::Rng;
use linchpin_certify::certificate::{ANY, APART, BEFORE, FAR, FAR_BEFORE, NEXT, SAME};

/// Graphs that are tried for one matrix.
const ATTEMPTS: usize = 12;
/// Cells of one graph, at most.
const MOST: usize = 7;

/// The relations that each two terms may have; the sentinels come first.
#[derive(Clone)]
pub struct Matrix {
    pub sentinels: usize,
    pub terms: usize,
    sets: Vec<u8>,
}

/// The sentinels and then the cells are the nodes.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The node of each term.
    pub of_term: Vec<usize>,
    /// Where the edge of each cell leads.
    pub edges: Vec<usize>,
}

impl Matrix {
    pub fn new(sentinels: usize, terms: usize) -> Matrix {
        let mut matrix = Matrix { sentinels, terms, sets: vec![ANY; terms * terms] };
        for term in 0..terms {
            matrix.sets[term * terms + term] = SAME;
        }
        matrix
    }

    pub fn get(&self, a: usize, b: usize) -> u8 {
        self.sets[a * self.terms + b]
    }

    /// Both ways.
    pub fn restrict(&mut self, a: usize, b: usize, set: u8) {
        self.sets[a * self.terms + b] &= set;
        self.sets[b * self.terms + a] &= converse(set);
    }

    pub fn draw(&self, rng: &mut Rng) -> Option<Graph> {
        if self.sets.contains(&0) {
            return None;
        }
        (0..ATTEMPTS).find_map(|_| self.attempt(rng).filter(|graph| self.allows(graph)))
    }

    fn attempt(&self, rng: &mut Rng) -> Option<Graph> {
        // The terms of each node.
        let mut nodes: Vec<Vec<usize>> = (0..self.sentinels).map(|sentinel| vec![sentinel]).collect();
        for term in self.sentinels..self.terms {
            let may_be = |terms: &Vec<usize>| terms.iter().all(|other| self.get(term, *other) & SAME != 0);
            let must_be = nodes.iter().flatten().any(|other| self.get(term, *other) == SAME);
            let there: Vec<usize> =
                (self.sentinels..nodes.len()).filter(|node| may_be(&nodes[*node])).collect();
            if !there.is_empty() && (must_be || rng.u8(..3) == 0) {
                nodes[there[rng.usize(..there.len())]].push(term);
            } else {
                nodes.push(vec![term]);
            }
        }
        let set = |from: usize, to: usize| {
            let pairs = nodes[from].iter().flat_map(|a| nodes[to].iter().map(move |b| (*a, *b)));
            pairs.fold(ANY, |set, (a, b)| set & self.get(a, b))
        };
        let named = nodes.len();
        let mut edges: Vec<Option<usize>> = vec![None; named - self.sentinels];
        let mut order: Vec<usize> = (self.sentinels..named).collect();
        rng.shuffle(&mut order);
        for node in order {
            let others = || (0..named).filter(|other| *other != node);
            let to = |wanted: u8| others().filter(move |other| set(node, *other) & wanted != 0);
            let forced = others().find(|other| set(node, *other) == NEXT);
            let (next, far): (Vec<usize>, Vec<usize>) = (to(NEXT).collect(), to(FAR).collect());
            let target = match forced {
                Some(forced) => forced,
                None if !next.is_empty() && (far.is_empty() || rng.u8(..3) > 0) => {
                    next[rng.usize(..next.len())]
                }
                None if !far.is_empty() => {
                    // Through cells of no term, old or new ones.
                    let old = named..self.sentinels + edges.len();
                    if !old.is_empty() && rng.u8(..4) == 0 {
                        rng.usize(old)
                    } else {
                        let mut target = far[rng.usize(..far.len())];
                        for _ in 0..rng.usize(1..=2) {
                            edges.push(Some(target));
                            target = self.sentinels + edges.len() - 1;
                        }
                        target
                    }
                }
                None => return None,
            };
            edges[node - self.sentinels] = Some(target);
        }
        let mut of_term = vec![0; self.terms];
        for (node, terms) in nodes.iter().enumerate() {
            terms.iter().for_each(|term| of_term[*term] = node);
        }
        let edges: Option<Vec<usize>> = edges.into_iter().collect();
        edges.filter(|edges| edges.len() <= MOST).map(|edges| Graph { of_term, edges })
    }

    fn allows(&self, graph: &Graph) -> bool {
        let next = |node: &usize| node.checked_sub(self.sentinels).map(|cell| graph.edges[cell]);
        // No chain is longer than there are cells.
        let chain = |from: usize| std::iter::successors(Some(from), next).take(graph.edges.len() + 2);
        let is_endless = |cell: usize| chain(cell).count() == graph.edges.len() + 2;
        if (self.sentinels..self.sentinels + graph.edges.len()).any(is_endless) {
            return false;
        }
        let distance = |from: usize, to: usize| chain(from).position(|node| node == to);
        let relation = |a: usize, b: usize| relation(distance(a, b), distance(b, a));
        (0..self.terms).all(|a| {
            let fits = |b| relation(graph.of_term[a], graph.of_term[b]) & self.get(a, b) != 0;
            (0..a).all(fits)
        })
    }
}

/// The relation of two nodes between which the ways are so long.
pub fn relation(there: Option<usize>, back: Option<usize>) -> u8 {
    match (there, back) {
        (Some(0), _) => SAME,
        (Some(1), _) => NEXT,
        (Some(_), _) => FAR,
        (_, Some(1)) => BEFORE,
        (_, Some(_)) => FAR_BEFORE,
        (None, None) => APART,
    }
}

fn converse(set: u8) -> u8 {
    let swapped = [(NEXT, BEFORE), (BEFORE, NEXT), (FAR, FAR_BEFORE), (FAR_BEFORE, FAR)];
    let kept = set & (SAME | APART);
    swapped.into_iter().filter(|(one, _)| set & one != 0).fold(kept, |all, (_, other)| all | other)
}
