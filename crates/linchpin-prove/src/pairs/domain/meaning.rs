//! Tests that compare the operations on shapes with their effect on graphs.
//!
//! Each shape is the join of a few random graphs, weakened at random. A test applies an operation to the
//! shape and to each of the graphs. The changed graphs must be graphs of the changed shape.

use super::forests::relation;
use super::heap::{Target, any_free, create, follow, redirect, with_target};
use super::relation::Relations;
use super::shape::{Labels, Shape, Term, term_of};
use fastrand::Rng;
use linchpin_certify::certificate::{FREE, GARBAGE, NULL};

const ROUNDS: usize = 3_000;
const SENTINELS: usize = 3;

/// A graph, and the cell of each term. The sentinels come first in both.
#[derive(Clone, Debug)]
struct Concrete {
    edges: Vec<Option<usize>>,
    terms: Vec<usize>,
}

impl Concrete {
    fn random(rng: &mut Rng, cells: usize, terms: usize) -> Concrete {
        let mut edges = vec![None; SENTINELS];
        edges.extend((SENTINELS..SENTINELS + cells).map(|cell| Some(rng.usize(..cell))));
        let mut nodes: Vec<usize> = (0..SENTINELS).collect();
        nodes.extend((0..terms).map(|_| rng.usize(SENTINELS..SENTINELS + cells)));
        Concrete { edges, terms: nodes }
    }

    fn relation(&self, a: usize, b: usize) -> Relations {
        relation(&self.edges, self.terms[a], self.terms[b])
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        std::iter::successors(Some(from), |node| self.edges[*node]).any(|node| node == to)
    }

    fn is_in(&self, shape: &Shape) -> bool {
        let all = || 0..self.terms.len();
        shape.terms() == self.terms.len()
            && all().all(|a| all().all(|b| shape.get(term_of(a), term_of(b)) & self.relation(a, b) != 0))
    }

    /// Returns the graph with one more term.
    fn with(&self, node: usize) -> Concrete {
        let mut more = self.clone();
        more.terms.push(node);
        more
    }
}

/// Returns a closed shape and some of its graphs.
fn random_shape(rng: &mut Rng) -> (Shape, Vec<Concrete>) {
    let terms = rng.usize(2..6);
    let graphs: Vec<Concrete> = (0..rng.usize(1..4))
        .map(|_| {
            let cells = rng.usize(1..6);
            Concrete::random(rng, cells, terms)
        })
        .collect();
    let mut shape = Shape::new(SENTINELS, None);
    (0..terms).for_each(|_| {
        shape.add_cell();
    });
    for a in 0..SENTINELS + terms {
        for b in 0..a {
            let joined = graphs.iter().fold(0, |all, graph| all | graph.relation(a, b));
            let noise = if rng.u8(..4) == 0 { rng.u8(..64) & shape.get(term_of(a), term_of(b)) } else { 0 };
            shape.set(term_of(a), term_of(b), joined | noise);
        }
    }
    assert!(shape.close().is_ok(), "a shape with graphs is possible");
    (shape, graphs)
}

fn any_cell(rng: &mut Rng, shape: &Shape) -> Term {
    term_of(rng.usize(SENTINELS..shape.terms()))
}

#[test]
fn closing_loses_no_graph() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..ROUNDS {
        let (shape, graphs) = random_shape(&mut rng);
        for graph in &graphs {
            assert!(graph.is_in(&shape), "{graph:?}");
        }
    }
}

#[test]
fn refining_loses_no_graph_that_fits() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..ROUNDS {
        let (shape, graphs) = random_shape(&mut rng);
        let (a, b) = (any_cell(&mut rng, &shape), term_of(rng.usize(..shape.terms())));
        let kept = rng.u8(1..64);
        let mut refined = shape.clone();
        let refined = refined.refine(a, b, kept).is_ok().then_some(refined);
        for graph in graphs.iter().filter(|graph| graph.relation(a as usize, b as usize) & kept != 0) {
            let refined = refined.as_ref().expect("this graph is left");
            assert!(graph.is_in(refined), "{graph:?}");
        }
    }
}

#[test]
fn redirecting_follows_every_graph() {
    let mut rng = Rng::with_seed(3);
    let mut tried = 0;
    for _ in 0..ROUNDS {
        let (shape, graphs) = random_shape(&mut rng);
        let (from, to) = (any_cell(&mut rng, &shape), term_of(rng.usize(..shape.terms())));
        let mut after = shape.clone();
        let after = redirect(&mut after, from, to).is_ok().then_some(after);
        for mut graph in graphs {
            let (from, to) = (graph.terms[from as usize], graph.terms[to as usize]);
            if graph.reaches(to, from) {
                continue;
            }
            graph.edges[from] = Some(to);
            assert!(graph.is_in(after.as_ref().expect("this graph is left")), "{graph:?}");
            tried += 1;
        }
    }
    assert!(tried > ROUNDS / 2);
}

#[test]
fn what_is_read_behind_an_edge_is_in_every_graph() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..ROUNDS {
        let (shape, graphs) = random_shape(&mut rng);
        let from = any_cell(&mut rng, &shape);
        for target in Target::ALL {
            let wanted = |node: usize| match target {
                Target::Null => node == NULL,
                Target::Free => node == FREE,
                Target::Garbage => node == GARBAGE,
                Target::Cell => node >= SENTINELS,
            };
            let refined = with_target(&shape, from, target, false);
            for graph in &graphs {
                let Some(behind) = graph.edges[graph.terms[from as usize]] else { continue };
                if !wanted(behind) {
                    continue;
                }
                let mut refined = refined.clone().expect("this graph is left");
                assert!(graph.is_in(&refined), "{graph:?}");
                if target == Target::Cell {
                    assert!(follow(&mut refined, from).is_ok());
                    assert!(graph.with(behind).is_in(&refined), "{graph:?}");
                }
            }
        }
    }
}

#[test]
fn new_and_free_cells_are_in_every_graph() {
    let mut rng = Rng::with_seed(5);
    for _ in 0..ROUNDS {
        let (shape, graphs) = random_shape(&mut rng);
        let to = term_of(rng.usize(..shape.terms()));
        let mut made = shape.clone();
        create(&mut made, to);
        let mut found = shape.clone();
        let found = any_free(&mut found).is_ok().then_some(found);
        for graph in &graphs {
            let mut larger = graph.with(graph.edges.len());
            larger.edges.push(Some(graph.terms[to as usize]));
            assert!(larger.is_in(&made), "{larger:?}");
            for free in (SENTINELS..graph.edges.len()).filter(|node| graph.edges[*node] == Some(FREE)) {
                assert!(graph.with(free).is_in(found.as_ref().expect("there is one")), "{graph:?}");
            }
        }
    }
}

/// Each of three threads has its own terms. The shape of each pair is joined over the graphs.
#[test]
fn three_threads_meet_in_every_graph() {
    let mut rng = Rng::with_seed(6);
    for _ in 0..ROUNDS {
        let terms = rng.usize(3..7);
        let graphs: Vec<Concrete> = (0..2)
            .map(|_| {
                let cells = rng.usize(1..6);
                Concrete::random(&mut rng, cells, terms)
            })
            .collect();
        let cuts = [SENTINELS + rng.usize(..2), SENTINELS + terms / 2, SENTINELS + terms - 1];
        let own = [cuts[0]..cuts[1].max(cuts[0]), cuts[1].max(cuts[0])..cuts[2], cuts[2]..SENTINELS + terms];
        let part = |first: usize, second: usize| {
            let places: Vec<usize> =
                (0..cuts[0]).chain(own[first].clone()).chain(own[second].clone()).collect();
            let mut shape = Shape::new(SENTINELS, None);
            (SENTINELS..places.len()).for_each(|_| {
                shape.add_cell();
            });
            for (a, &from) in places.iter().enumerate() {
                for (b, &to) in places.iter().enumerate().take(a) {
                    let joined = graphs.iter().fold(0, |all, graph| all | graph.relation(from, to));
                    shape.set(term_of(a), term_of(b), joined);
                }
            }
            assert!(shape.close().is_ok());
            shape
        };
        let parts = [part(0, 1), part(0, 2), part(1, 2)];
        let met = Shape::meet(cuts[0], own.clone().map(|own| own.len()), parts.each_ref());
        let met = met.unwrap_or_else(|_| panic!("both graphs are left"));
        for graph in &graphs {
            assert!(graph.is_in(&met), "{graph:?}");
        }
    }
}

#[test]
fn a_join_has_the_graphs_of_both() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..ROUNDS {
        let (mut shape, graphs) = random_shape(&mut rng);
        let terms = shape.terms() - SENTINELS;
        let other = Concrete::random(&mut rng, 4, terms);
        let mut single = shape.clone();
        for a in 0..shape.terms() {
            for b in 0..a {
                single.set(term_of(a), term_of(b), other.relation(a, b));
            }
        }
        let all: Vec<Term> = (0..term_of(shape.terms())).collect();
        let was_in = other.is_in(&shape);
        assert_eq!(shape.join(&single, &all), !was_in);
        assert!(other.is_in(&shape) && graphs.iter().all(|graph| graph.is_in(&shape)));
        assert!(!shape.join(&single, &all), "what is in it already does not make it larger");
    }
}

/// Returns a label for each cell of a graph. If labels are ordered, no edge leads to a smaller label.
fn random_labels(rng: &mut Rng, graph: &Concrete, ordered: bool) -> Vec<u8> {
    let mut labels = vec![0; graph.edges.len()];
    for node in SENTINELS..graph.edges.len() {
        let behind = graph.edges[node].filter(|next| ordered && *next >= SENTINELS);
        labels[node] = rng.u8(..=behind.map_or(2, |next| labels[next]));
    }
    labels
}

#[test]
fn labels_lose_no_graph() {
    let mut rng = Rng::with_seed(9);
    for round in 0..ROUNDS {
        let ordered = round % 2 == 0;
        let (shape, graphs) = random_shape(&mut rng);
        let labelled: Vec<(Concrete, Vec<u8>)> = graphs
            .into_iter()
            .map(|graph| {
                let labels = random_labels(&mut rng, &graph, ordered);
                (graph, labels)
            })
            .collect();
        let label = |(graph, labels): &(Concrete, Vec<u8>), term: usize| 1_u8 << labels[graph.terms[term]];
        let mut with_labels = Shape::new(SENTINELS, Some(Labels { all: 7, ordered }));
        for term in SENTINELS..shape.terms() {
            with_labels.add_cell();
            let joined = labelled.iter().fold(0, |all, graph| all | label(graph, term));
            with_labels.put_labels(term_of(term), joined);
        }
        for a in 0..term_of(shape.terms()) {
            (0..a).for_each(|b| with_labels.set(a, b, shape.get(a, b)));
        }
        for term in SENTINELS..shape.terms() {
            let joined = labelled.iter().fold(0, |all, graph| all | label(graph, term));
            assert!(with_labels.keep_labels(term_of(term), joined).is_ok(), "there are graphs");
        }
        assert!(with_labels.close().is_ok());
        let is_in = |shape: &Shape, labelled: &(Concrete, Vec<u8>)| {
            let fits = |term: usize| shape.labels(term_of(term)) & label(labelled, term) != 0;
            labelled.0.is_in(shape) && (SENTINELS..shape.terms()).all(fits)
        };
        let (cell, kept) = (any_cell(&mut rng, &shape), rng.u8(1..8));
        let mut refined = with_labels.clone();
        let refined = refined.keep_labels(cell, kept).is_ok().then_some(refined);
        let (written, value) = (any_cell(&mut rng, &shape), rng.u8(..3));
        let mut put = Shape::clone(&with_labels);
        put.put_labels(written, 1 << value);
        for graph in &labelled {
            assert!(is_in(&with_labels, graph), "{graph:?}");
            if label(graph, cell as usize) & kept != 0 {
                assert!(is_in(refined.as_ref().expect("this one is left"), graph), "{graph:?}");
            }
            let mut changed = graph.clone();
            changed.1[graph.0.terms[written as usize]] = value;
            assert!(ordered || is_in(&put, &changed), "{changed:?}");
        }
    }
}
