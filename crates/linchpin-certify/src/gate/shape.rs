//! The graph of cells that views speak of, of one concrete state.
//!
//! Its nodes are the sentinels and the cells. The edge of a cell leads to the cell that its pointer leads to, to `NULL`, or, if it is freed,
//! to `FREE`. In memory that is not collected the edge of an allocated cell may be taken to lead to `GARBAGE`, whatever its pointer
//! is: it may have been copied from a place of which nothing is known. It must be if the pointer was not written since the cell
//! was allocated (unless it is null, which may be the default). So a state has several graphs, and a view contains the state if
//! it contains one of them. A graph has no cycle.

use super::layout::{LINK_UNWRITTEN, Record};
use crate::certificate::{APART, BEFORE, FAR, FAR_BEFORE, FREE, GARBAGE, NEXT, NULL, SAME, View};

/// A node of the graph; `None` for a term whose cell is not known any more.
pub type Term = Option<usize>;

/// The graphs of a state, each made when it is asked for.
pub struct Shapes {
    pub sentinels: usize,
    nodes: usize,
    /// Of each cell the least wild edge, and whether it may be `GARBAGE` instead.
    edges: Vec<(usize, bool)>,
    /// The labels of each cell, a bit each.
    labels: Vec<u8>,
    ordered: bool,
    /// By the set of cells with wild edges; empty if there is a cycle, or the order is not kept.
    relations: Vec<Option<Vec<u8>>>,
    /// The graph without wild edges is none.
    base_fails: bool,
    /// Just these cells have wild edges, where that is known.
    pub wild: Option<usize>,
}

impl Shapes {
    /// `labels` has a bit for the label of each cell, all bits where it is not known.
    pub fn new(record: Record, labels: Vec<u8>, ordered: bool) -> Shapes {
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

    /// Whether one of the graphs is in a view, whose terms are these.
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

    /// The relation of each two nodes, if the edges of these cells are wild; empty if that is not a graph of the state.
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
