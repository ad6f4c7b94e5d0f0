//! Draws heaps whose cells have at most one pointer: `head → B:2 → A:1 → null`, with other pointers below
//! their cells.
//!
//! Every cell is drawn once. A chain begins at a variable: shared variables first, then the variable that
//! leads to the most cells. So `head` begins a chain and `tail` becomes a label. A chain that reaches a drawn
//! cell (a cycle or a joined list) ends with the name of that cell. Freed cells are drawn separately.

use super::contents::{link_of, node_text};
use super::roots::{Label, Rank, Root, Roots, label_lines, place};
use crate::heap_snapshot::{Cell, CellName, HeapSnapshot};
use crate::line::{DIM, Line};
use anstyle::Style;
use std::collections::BTreeSet;

/// Draws the chains.
pub fn draw(scene: &HeapSnapshot, roots: &Roots, width: usize) -> Vec<Line> {
    let mut drawing = Drawing { scene, roots, drawn: BTreeSet::new() };
    let mut lines = Vec::new();
    for rank in [Rank::Shared, Rank::Own, Rank::Temporary] {
        while let Some(root) = drawing.best_root(rank) {
            lines.extend(drawing.chain(root).lay_out(width));
        }
        if rank == Rank::Shared {
            lines.extend(roots.nulls());
        }
    }
    while let Some(cell) = drawing.left_over(false) {
        lines.extend(drawing.chain_from(Line::new(), cell).lay_out(width));
    }
    while let Some(cell) = drawing.left_over(true) {
        let mut free = Line::new();
        free.push("free ", DIM);
        lines.extend(drawing.chain_from(free, cell).lay_out(width));
    }
    lines
}

struct Drawing<'a> {
    scene: &'a HeapSnapshot,
    roots: &'a Roots,
    drawn: BTreeSet<CellName>,
}

/// Pieces of one chain, with the labels below them.
struct Chain {
    pieces: Vec<Piece>,
}

struct Piece {
    text: Line,
    labels: Vec<Label>,
}

impl<'a> Drawing<'a> {
    /// Returns the first root that leads to the most cells not yet drawn. `None`: all cells are drawn.
    fn best_root(&self, rank: Rank) -> Option<&'a Root> {
        let mut best: Option<(usize, &Root)> = None;
        for root in self.roots.pointers.iter().filter(|root| root.rank == rank) {
            let fresh = self.fresh_cells(root);
            if fresh > best.map_or(0, |(most, _)| most) {
                best = Some((fresh, root));
            }
        }
        best.map(|(_, root)| root)
    }

    fn fresh_cells(&self, root: &Root) -> usize {
        let mut seen = BTreeSet::new();
        let mut at = self.fresh(root.target());
        while let Some(cell) = at {
            if !seen.insert(&cell.name) {
                break;
            }
            at = link_of(cell).and_then(|link| link.target).and_then(|target| self.fresh(Some(&target)));
        }
        seen.len()
    }

    /// Returns the cell unless it is freed or already drawn.
    fn fresh(&self, name: Option<&CellName>) -> Option<&'a Cell> {
        let cell = self.scene.cell(name?)?;
        (!cell.free && !self.drawn.contains(&cell.name)).then_some(cell)
    }

    fn left_over(&self, free: bool) -> Option<&'a Cell> {
        self.scene.cells.iter().find(|cell| cell.free == free && !self.drawn.contains(&cell.name))
    }

    fn chain(&mut self, root: &Root) -> Chain {
        let Some(cell) = self.fresh(root.target()) else { return Chain { pieces: Vec::new() } };
        let mut chain = self.chain_from(root.beginning(), cell);
        // The chain shows this pointer, so the label is redundant.
        if let Some(first) = chain.pieces.get_mut(1) {
            first.labels.retain(|(label, _)| *label != root.label());
        }
        chain
    }

    fn chain_from(&mut self, start: Line, first: &'a Cell) -> Chain {
        let mut pieces = vec![Piece { text: start, labels: Vec::new() }];
        let mut at = Some(first);
        while let Some(cell) = at.take() {
            self.drawn.insert(cell.name.clone());
            let labels = self.roots.to(&cell.name).map(|root| (root.label(), root.style)).collect();
            pieces.push(Piece { text: Line::plain(node_text(cell)), labels });
            let Some(link) = link_of(cell) else { break };
            let mut next = link.arrow();
            // The pointer of a freed cell is not followed.
            at = if cell.free { None } else { self.fresh(link.target.as_ref()) };
            if at.is_none() {
                next.push(link.target.as_ref().map_or("null".to_string(), CellName::to_string), Style::new());
                if link
                    .target
                    .as_ref()
                    .and_then(|target| self.scene.cell(target))
                    .is_some_and(|cell| cell.free)
                {
                    next.push(" (free)", DIM);
                }
            }
            pieces.push(Piece { text: next, labels: Vec::new() });
        }
        Chain { pieces }
    }
}

impl Chain {
    /// Breaks a full line before a cell. Labels follow below, each at the column of its cell.
    fn lay_out(self, width: usize) -> Vec<Line> {
        const INDENT: usize = 4;
        let mut lines = Vec::new();
        let mut line = Line::new();
        let mut labels: Vec<(usize, Vec<Label>)> = Vec::new();
        for piece in self.pieces {
            if line.width() > INDENT && line.width() + piece.text.width() > width {
                lines.push(std::mem::take(&mut line));
                lines.extend(below(std::mem::take(&mut labels), width));
                line.pad_to(INDENT);
            }
            if !piece.labels.is_empty() {
                labels.push((line.width(), piece.labels));
            }
            line.append(&piece.text);
        }
        if line.width() > 0 {
            lines.push(line);
            lines.extend(below(labels, width));
        }
        lines
    }
}

/// Places the labels of each cell on the first line with enough room. Labels that are wider than the picture
/// get lines of their own.
fn below(labels: Vec<(usize, Vec<Label>)>, width: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (column, labels) in labels {
        let parts = label_lines("↑ ", &labels, width);
        let widest = parts.iter().map(Line::width).max().unwrap_or(0);
        // Near the right edge a label moves to the left.
        let column = column.min(width.saturating_sub(widest));
        let free = lines.iter().position(|line| parts.len() == 1 && line.width() + 2 <= column);
        let first = free.unwrap_or(lines.len());
        place(parts, &mut lines, first, column);
    }
    lines
}
