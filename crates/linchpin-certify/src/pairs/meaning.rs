//! Tests that compare operations on the checker's matrices with their effect on graphs.
//!
//! A matrix is the union of a few random graphs, weakened at random. Each test applies an operation to the
//! matrix and to each graph.

use super::graph::{Algebra, Graph, Labels, REACHES};
use crate::certificate::{APART, BEFORE, FAR, FAR_BEFORE, FREE, NEXT, SAME};
use fastrand::Rng;

const ROUNDS: usize = 2_000;
const SENTINELS: usize = 3;

/// The target of each node's edge, and the node of each row of a matrix. The sentinels come first in both.
#[derive(Clone, Debug)]
struct Concrete {
    edges: Vec<Option<usize>>,
    stands: Vec<usize>,
}

impl Concrete {
    fn random(rng: &mut Rng, rows: usize) -> Concrete {
        let nodes = SENTINELS + rng.usize(1..6);
        let mut edges = vec![None; SENTINELS];
        edges.extend((SENTINELS..nodes).map(|node| Some(rng.usize(..node))));
        let cells = (0..rows).map(|_| rng.usize(SENTINELS..nodes));
        Concrete { edges, stands: (0..SENTINELS).chain(cells).collect() }
    }

    fn distance(&self, from: usize, to: usize) -> Option<usize> {
        std::iter::successors(Some(from), |node| self.edges[*node]).position(|node| node == to)
    }

    fn relation(&self, a: usize, b: usize) -> u8 {
        let (a, b) = (self.stands[a], self.stands[b]);
        match (self.distance(a, b), self.distance(b, a)) {
            (Some(0), _) => SAME,
            (Some(1), _) => NEXT,
            (Some(_), _) => FAR,
            (_, Some(1)) => BEFORE,
            (_, Some(_)) => FAR_BEFORE,
            _ => APART,
        }
    }

    fn is_in(&self, graph: &Graph) -> bool {
        let all = || 0..self.stands.len();
        graph.nodes == self.stands.len()
            && all().all(|a| all().all(|b| graph.get(a, b) & self.relation(a, b) != 0))
    }

    fn with(&self, node: usize) -> Concrete {
        let mut more = self.clone();
        more.stands.push(node);
        more
    }
}

/// Returns the union of the graphs' relations between rows, weakened by `noise`.
fn union(algebra: &Algebra, graphs: &[Concrete], rows: &[usize], noise: &mut impl FnMut() -> u8) -> Graph {
    let mut graph = Graph::new(SENTINELS, None);
    for _ in SENTINELS..rows.len() {
        assert!(matches!(graph.add_related(algebra, 0, NEXT | FAR | APART), Some(Ok(_))));
    }
    for (a, &from) in rows.iter().enumerate() {
        for (b, &to) in rows.iter().enumerate().take(a) {
            let known = graph.get(a, b);
            let joined = graphs.iter().fold(0, |all, graph| all | graph.relation(from, to));
            graph.put(algebra, a, b, joined | noise() & known);
        }
    }
    graph
}

fn random_graph(algebra: &Algebra, rng: &mut Rng) -> (Graph, Vec<Concrete>) {
    let rows = rng.usize(2..6);
    let graphs: Vec<Concrete> = (0..rng.usize(1..4)).map(|_| Concrete::random(rng, rows)).collect();
    let all: Vec<usize> = (0..SENTINELS + rows).collect();
    let mut graph = union(algebra, &graphs, &all, &mut || if rng.u8(..4) == 0 { rng.u8(..64) } else { 0 });
    assert!(graph.tighten(algebra).is_ok());
    (graph, graphs)
}

#[test]
fn nothing_that_may_be_is_lost() {
    let algebra = Algebra::new();
    let mut rng = Rng::with_seed(1);
    for _ in 0..ROUNDS {
        let (graph, concretes) = random_graph(&algebra, &mut rng);
        let (a, b) = (rng.usize(SENTINELS..graph.nodes), rng.usize(..graph.nodes));
        let kept = rng.u8(1..64);
        let mut restricted = graph.clone();
        let restricted = restricted.restrict(&algebra, a, b, kept).is_ok().then_some(restricted);
        for concrete in &concretes {
            assert!(concrete.is_in(&graph), "{concrete:?}");
            if concrete.relation(a, b) & kept != 0 {
                assert!(concrete.is_in(restricted.as_ref().expect("this one is left")), "{concrete:?}");
            }
        }
    }
}

#[test]
fn an_edge_that_is_redirected() {
    let algebra = Algebra::new();
    let mut rng = Rng::with_seed(2);
    let mut tried = 0;
    for _ in 0..ROUNDS {
        let (graph, concretes) = random_graph(&algebra, &mut rng);
        let (from, to) = (rng.usize(SENTINELS..graph.nodes), rng.usize(..graph.nodes));
        let mut after = graph.clone();
        let after = after.redirect(&algebra, from, to).is_ok().then_some(after);
        for mut concrete in concretes {
            if concrete.relation(to, from) & REACHES != 0 {
                continue;
            }
            let (from, to) = (concrete.stands[from], concrete.stands[to]);
            concrete.edges[from] = Some(to);
            assert!(concrete.is_in(after.as_ref().expect("this one is left")), "{concrete:?}");
            tried += 1;
        }
    }
    assert!(tried > ROUNDS / 2);
}

#[test]
fn cells_that_are_read_made_and_taken() {
    let algebra = Algebra::new();
    let mut rng = Rng::with_seed(3);
    for _ in 0..ROUNDS {
        let (graph, concretes) = random_graph(&algebra, &mut rng);
        let (cell, to) = (rng.usize(SENTINELS..graph.nodes), rng.usize(..graph.nodes));
        let extended = |other: usize, set: u8| {
            let mut graph = graph.clone();
            matches!(graph.add_related(&algebra, other, set), Some(Ok(_))).then_some(graph)
        };
        let (read, taken) = (extended(cell, BEFORE), extended(FREE, NEXT));
        let mut made = graph.clone();
        assert!(made.create(&algebra, to).is_some());
        for concrete in &concretes {
            if let Some(behind) = concrete.edges[concrete.stands[cell]].filter(|node| *node >= SENTINELS) {
                assert!(concrete.with(behind).is_in(read.as_ref().expect("there is one")), "{concrete:?}");
            }
            for free in (SENTINELS..concrete.edges.len()).filter(|node| concrete.edges[*node] == Some(FREE)) {
                assert!(concrete.with(free).is_in(taken.as_ref().expect("there is one")), "{concrete:?}");
            }
            let mut larger = concrete.with(concrete.edges.len());
            larger.edges.push(Some(concrete.stands[to]));
            assert!(larger.is_in(&made), "{larger:?}");
        }
    }
}

#[test]
fn three_threads_that_meet() {
    let algebra = Algebra::new();
    let mut rng = Rng::with_seed(4);
    for _ in 0..ROUNDS {
        let rows = rng.usize(3..7);
        let concretes: Vec<Concrete> = (0..2).map(|_| Concrete::random(&mut rng, rows)).collect();
        let end = SENTINELS + rows;
        let shared = SENTINELS + rng.usize(..2);
        let (second, third) = (shared.max(SENTINELS + rows / 2), end - 1);
        let own = [shared..second, second..third.max(second), third.max(second)..end];
        let part = |a: usize, b: usize| -> (Graph, Vec<usize>) {
            let places: Vec<usize> = (0..shared).chain(own[a].clone()).chain(own[b].clone()).collect();
            (union(&algebra, &concretes, &places, &mut || 0), places)
        };
        let parts = [part(0, 1), part(0, 2), part(1, 2)];
        let pairs = [0, 1, 2].map(|at: usize| (&parts[at].0, &parts[at].1[..]));
        let met = Graph::meet(&algebra, Graph::new(SENTINELS, None), own.clone(), pairs);
        let met = met.unwrap_or_else(|_| panic!("both are left"));
        assert!(concretes.iter().all(|concrete| concrete.is_in(&met)));
    }
}

#[test]
fn labels_of_cells() {
    let algebra = Algebra::new();
    let mut rng = Rng::with_seed(5);
    for round in 0..ROUNDS {
        let ordered = round % 2 == 0;
        let (plain, concretes) = random_graph(&algebra, &mut rng);
        let mut labels_of = |concrete: &Concrete| {
            let mut labels = vec![0_u8; concrete.edges.len()];
            for node in SENTINELS..labels.len() {
                let next = concrete.edges[node].filter(|next| ordered && *next >= SENTINELS);
                labels[node] = rng.u8(..=next.map_or(2, |next| labels[next]));
            }
            concrete.stands.iter().map(|node| 1 << labels[*node]).collect::<Vec<u8>>()
        };
        let labels: Vec<Vec<u8>> = concretes.iter().map(&mut labels_of).collect();
        let mut graph = Graph::new(SENTINELS, Some(Labels { all: 7, ordered }));
        graph.nodes = plain.nodes;
        let joined: Vec<u8> = (SENTINELS..plain.nodes)
            .map(|row| labels.iter().fold(0, |all, labels| all | labels[row]))
            .collect();
        graph.put_labels(&joined);
        for a in 0..plain.nodes {
            (0..=a).for_each(|b| graph.put(&algebra, a, b, plain.get(a, b)));
        }
        assert!(graph.tighten(&algebra).is_ok(), "there are graphs");
        let (cell, kept) = (rng.usize(SENTINELS..graph.nodes), rng.u8(1..8));
        let mut restricted = graph.clone();
        let restricted = restricted.restrict_labels(&algebra, cell, kept).is_ok().then_some(restricted);
        let mut written = graph.clone();
        written.set_labels(cell, 4);
        let fits = |graph: &Graph, labels: &[u8]| {
            (SENTINELS..graph.nodes).all(|row| graph.labels(row) & labels[row] != 0)
        };
        for (concrete, labels) in concretes.iter().zip(&labels) {
            assert!(concrete.is_in(&graph) && fits(&graph, labels), "{concrete:?}");
            if labels[cell] & kept != 0 {
                let restricted = restricted.as_ref().expect("this one is left");
                assert!(concrete.is_in(restricted) && fits(restricted, labels), "{concrete:?}");
            }
            let same = |row: usize| concrete.stands[row] == concrete.stands[cell];
            let after: Vec<u8> =
                (0..graph.nodes).map(|row| if same(row) { 4 } else { labels[row] }).collect();
            assert!(fits(&written, &after), "{concrete:?}");
        }
    }
}
