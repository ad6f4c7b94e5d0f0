//! Draws the memory of an object: lists as chains, other heaps as a listing of cells, with pointers, locks,
//! marks, ages.

mod contents;
mod graph;
mod grid;
mod list;
mod roots;

use super::heap_snapshot::HeapSnapshot;
use super::line::{Line, wrap};
use roots::Roots;

/// Draws a snapshot in lines of at most `width` columns. A longer name or value exceeds the width. A listing
/// of a large heap contains only the cells that differ from `before`.
pub fn draw(scene: &HeapSnapshot, before: Option<&HeapSnapshot>, width: usize) -> Vec<Line> {
    let roots = Roots::of(scene);
    let mut lines = if scene.cells.iter().all(|cell| cell.value.pointers().len() <= 1) {
        list::draw(scene, &roots, width)
    } else {
        graph::draw(scene, before, &roots, width)
    };
    if !roots.plain.is_empty() {
        let plain = roots.plain.join("   ");
        lines.extend(wrap(&plain, width, 2).into_iter().map(Line::plain));
    }
    lines.extend(roots.grids.iter().flat_map(|grid| grid.draw(width)).map(Line::plain));
    lines
}

#[cfg(test)]
mod tests;
