//! The graphs of cells of one concrete state.
//!
//! The nodes are the sentinels and the cells. The edge of a cell leads to the target of its pointer, to
//! `NULL`, or to `FREE` if the cell is freed. In memory without garbage collection the edge of an allocated
//! cell may also be *wild*: it leads to `GARBAGE`, whatever its pointer is. The reason is that the pointer
//! may be a copy of an unknown pointer. The edge must be wild if the pointer was not written since the
//! allocation (unless it is null, which may be the default). So a state has several graphs. A view contains
//! the state if it contains one of them. A graph has no cycle.

use super::layout::{LINK_UNWRITTEN, StateRecord};
use crate::certificate::{APART, BEFORE, FAR, FAR_BEFORE, FREE, GARBAGE, NEXT, NULL, SAME, View};

/// A node of the graph; `None` for a term whose cell is no longer known.
pub type Term = Option<usize>;

/// The graphs of a state, computed on demand.
pub struct Shapes {
    pub sentinels: usize,
    nodes: usize,
    /// The least wild edge of each cell, and whether it may be `GARBAGE` instead.
    edges: Vec<(usize, bool)>,
    /// The possible labels of each cell, one bit each.
    labels: Vec<u8>,
    ordered: bool,
    /// The relations, by the set of cells with wild edges; empty if there is a cycle, or the order is
    /// violated.
    relations: Vec<Option<Vec<u8>>>,
    /// The state has no graph without wild edges.
    base_fails: bool,
    /// Exactly these cells have wild edges; `None` if this is not known.
    pub wild: Option<usize>,
}

impl Shapes {
    /// Takes a bit for the label of each cell, or all bits if it is not known.
    pub fn new(record: StateRecord, labels: Vec<u8>, ordered: bool) -> Shapes {
        let is_collected = record.layout.is_collected();
        let sentinels = if is_collected { 1 } else { 3 };
        let edge = |cell: usize| {
            if record.is_freed(cell) {
                return (FREE, false);
            }
            match record.next(cell) {
                None => (NULL, !is_collected),
                Some(_) if record.flags(cell) & LINK_UNWRITTEN != 0 => (GARBAGE, false),
                Some(next) => (sentinels + next, !is_collected),
            }
        };
        let edges: Vec<(usize, bool)> = (0..record.cells()).map(edge).collect();
        let nodes = sentinels + edges.len();
        let relations = vec![None; 1 << edges.len()];
        let mut shapes =
            Shapes { sentinels, nodes, edges, labels, ordered, relations, base_fails: false, wild: None };
        shapes.base_fails = shapes.graph(0).is_empty();
        shapes
    }

    /// Returns whether one of the graphs is in a view with these terms.
    pub fn fit(&mut self, view: &View, terms: &[Term]) -> bool {
        let count = terms.len();
        if view.shape.len() != count * count.saturating_sub(1) / 2 {
            return false;
        }
        let own = &terms[self.sentinels.min(count)..];
        if !view.labels.is_empty() {
            let fits = |(term, set): (&Term, &u8)| {
                term.is_none_or(|node| self.labels[node - self.sentinels] & set != 0)
            };
            if view.labels.len() != own.len() || !own.iter().zip(&view.labels).all(fits) {
                return false;
            }
        }
        if let Some(wild) = self.wild {
            return self.is_in(wild, view, terms);
        }
        if !self.base_fails && self.is_in(0, view, terms) {
            return true;
        }
        let may_be_wild = self.sentinels > GARBAGE
            && (self.base_fails || {
                let row = GARBAGE * count - GARBAGE * (GARBAGE + 1) / 2;
                (GARBAGE + 1..count).any(|at| view.shape[row + at - GARBAGE - 1] & (BEFORE | FAR_BEFORE) != 0)
            });
        may_be_wild && (1..self.relations.len()).any(|wild| self.is_in(wild, view, terms))
    }

    fn is_in(&mut self, wild: usize, view: &View, terms: &[Term]) -> bool {
        let nodes = self.nodes;
        let graph = self.graph(wild);
        if graph.is_empty() {
            return false;
        }
        let mut entries = view.shape.iter();
        for (at, a) in terms.iter().enumerate() {
            for b in &terms[at + 1..] {
                let Some(set) = entries.next() else { return false };
                if let (Some(a), Some(b)) = (a, b)
                    && graph[a * nodes + b] & set == 0
                {
                    return false;
                }
            }
        }
        true
    }

    /// Returns the relation of each two nodes if the edges of these cells are wild; empty if this is not a
    /// graph of the state.
    fn graph(&mut self, wild: usize) -> &[u8] {
        if self.relations[wild].is_none() {
            self.relations[wild] = Some(self.relate(wild).unwrap_or_default());
        }
        self.relations[wild].as_deref().unwrap_or(&[])
    }

    fn relate(&self, wild: usize) -> Option<Vec<u8>> {
        let count = self.nodes;
        let mut next: Vec<Option<usize>> = vec![None; self.sentinels];
        for (cell, (target, may_be_wild)) in self.edges.iter().enumerate() {
            let is_wild = wild >> cell & 1 == 1;
            if is_wild && !may_be_wild {
                return None;
            }
            next.push(Some(if is_wild { GARBAGE } else { *target }));
        }
        let mut all = vec![APART; count * count];
        for from in 0..count {
            all[from * count + from] = SAME;
            let (mut at, mut steps) = (next[from], 1);
            while let Some(to) = at {
                if steps > count {
                    return None;
                }
                let (there, back) = if steps == 1 { (NEXT, BEFORE) } else { (FAR, FAR_BEFORE) };
                if to == from {
                    return None;
                }
                all[from * count + to] = there;
                all[to * count + from] = back;
                (at, steps) = (next[to], steps + 1);
            }
        }
        let keeps_order = |(cell, to): (usize, &Option<usize>)| {
            let Some(to) = to.and_then(|to| to.checked_sub(self.sentinels)) else { return true };
            let (label, behind) = (self.labels[cell], self.labels[to]);
            label.count_ones() != 1 || behind.count_ones() != 1 || label <= behind
        };
        let is_ordered = !self.ordered || next[self.sentinels..].iter().enumerate().all(keeps_order);
        is_ordered.then_some(all)
    }
}
