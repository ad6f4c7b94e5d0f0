//! The object drawn: lists as lists, everything else as a listing of cells; who points where; locks, marks and ages.

mod contents;
mod graph;
mod list;
mod roots;

use super::line::{Line, hanging};
use super::scene::HeapSnapshot;
use roots::Roots;

/// The picture, in lines of at most `width` columns wherever a name or a value is not itself longer. Of a large heap that
/// is listed, only what changed since `before` is shown.
pub fn draw(scene: &HeapSnapshot, before: Option<&HeapSnapshot>, width: usize) -> Vec<Line> {
    let roots = Roots::of(scene);
    let mut lines = if scene.cells.iter().all(|cell| cell.value.pointers().len() <= 1) {
        list::draw(scene, &roots, width)
    } else {
        graph::draw(scene, before, &roots, width)
    };
    if !roots.plain.is_empty() {
        let plain = roots.plain.join("   ");
        lines.extend(textwrap::wrap(&plain, hanging(width, 2)).into_iter().map(Line::plain));
    }
    lines
}

#[cfg(test)]
mod tests;
