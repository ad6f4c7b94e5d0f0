//! The product of the graph with an automaton over its labels.
//!
//! A node of the product is a node of the graph and the number of an automaton state. Each step of the
//! automaton is computed once for each label.

use super::graph::{Edge, Graph};
use super::refused::GateRefused;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::hash::Hash;
use std::rc::Rc;

/// The result of a step of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To {
    State(u32),
    /// The step leaves the product: nothing more is to be shown.
    Left,
    /// The step is excluded.
    Wrong,
}

/// Limits of one search of a product.
pub struct Search<'s> {
    /// The maximal number of nodes of the product.
    pub pairs: usize,
    /// Polled regularly; `false` ends the search.
    pub go_on: &'s dyn Fn() -> bool,
}

/// Returns every reachable pair, sorted by node. `step` gets the node, the automaton's state and the edge.
/// Fails with the node and the label of an excluded step.
pub fn pairs(
    graph: &Graph,
    initial: &[(u32, u32)],
    mut step: impl FnMut(u32, u32, &Edge) -> To,
    search: &Search,
) -> Result<Vec<(u32, u32)>, Stopped> {
    let mut known: FxHashSet<(u32, u32)> = initial.iter().copied().collect();
    let mut open: VecDeque<(u32, u32)> = initial.iter().copied().collect();
    let mut count = 0_usize;
    while let Some((node, state)) = open.pop_front() {
        count += 1;
        if count.is_multiple_of(1024) && !(search.go_on)() {
            return Err(Stopped::Interrupted);
        }
        if known.len() > search.pairs {
            return Err(Stopped::TooMany);
        }
        for edge in graph.edges(node) {
            match step(node, state, edge) {
                To::State(next) => {
                    if known.insert((edge.to, next)) {
                        open.push_back((edge.to, next));
                    }
                }
                To::Left => {}
                To::Wrong => return Err(Stopped::Wrong { node, label: edge.label }),
            }
        }
    }
    let mut all: Vec<(u32, u32)> = known.into_iter().collect();
    all.sort_unstable();
    Ok(all)
}

/// The reason why a search of a product ended early.
pub enum Stopped {
    Interrupted,
    /// The product exceeds the limit of the search.
    TooMany,
    Wrong {
        node: u32,
        label: u32,
    },
}

impl Stopped {
    /// Returns the refusal. For an excluded step, `wrong` makes the refusal from the node and the label.
    pub fn refuse(self, graph: &Graph, wrong: impl FnOnce(u32, u32) -> GateRefused) -> GateRefused {
        match self {
            Stopped::Interrupted => GateRefused::Interrupted,
            Stopped::TooMany => {
                GateRefused::Unfinished { size: graph.size, states: u64::from(graph.node_ids().end) }
            }
            Stopped::Wrong { node, label } => wrong(node, label),
        }
    }
}

/// Numbers items in the order of their first occurrence.
pub struct Numbers<T> {
    known: FxHashMap<Rc<T>, u32>,
    all: Vec<Rc<T>>,
}

impl<T: Eq + Hash> Numbers<T> {
    pub fn new() -> Numbers<T> {
        Numbers { known: FxHashMap::default(), all: Vec::new() }
    }

    pub fn of(&mut self, item: T) -> u32 {
        if let Some(number) = self.known.get(&item) {
            return *number;
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let item = Rc::new(item);
        self.known.insert(Rc::clone(&item), number);
        self.all.push(item);
        number
    }

    pub fn get(&self, number: u32) -> &T {
        &self.all[number as usize]
    }

    /// Returns an item, shared with the table.
    pub fn shared(&self, number: u32) -> Rc<T> {
        Rc::clone(&self.all[number as usize])
    }
}
