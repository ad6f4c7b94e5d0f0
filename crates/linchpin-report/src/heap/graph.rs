//! Lists heaps whose cells have several pointers (doubly linked lists, trees, arrays of pointers). Each cell
//! gets one line with its contents and the variables that point to it.
//!
//! ```text
//! A  left A, right A           ← dummy, t1.rh
//! B  val 1, left A, right A    ← left_hat, right_hat
//! ```

use super::contents::listing;
use super::roots::{Root, Roots};
use crate::line::{DIM, Line, hanging};
use crate::scene::{Cell, HeapSnapshot};
use anstyle::Style;
use textwrap::core::display_width;

/// A heap of at most this many cells is always listed completely.
const FEW: usize = 6;

/// Draws the listing.
pub fn draw(scene: &HeapSnapshot, before: Option<&HeapSnapshot>, roots: &Roots, width: usize) -> Vec<Line> {
    let before = before.filter(|_| scene.cells.len() > FEW);
    let is_news = |cell: &&Cell| before.is_none_or(|before| before.cell(&cell.name) != Some(*cell));
    let rows: Vec<(String, String, Vec<&Root>)> = scene
        .cells
        .iter()
        .filter(is_news)
        .map(|cell| {
            let name = if cell.free { format!("{} (free)", cell.name) } else { cell.name.to_string() };
            (name, listing(cell), roots.to(&cell.name).collect())
        })
        .collect();
    let names = rows.iter().map(|(name, ..)| display_width(name)).max().unwrap_or(0) + 2;
    // Long contents are wrapped, so that labels stay near their cells.
    let limit = width.saturating_sub(names).max(20);
    let contents =
        rows.iter().map(|(_, contents, _)| display_width(contents)).max().unwrap_or(0).min(limit * 2 / 3);
    let unchanged = scene.cells.len() - rows.len();
    let mut lines = Vec::new();
    for (name, text, pointing) in rows {
        let mut wrapped = textwrap::wrap(&text, hanging(contents, 2)).into_iter();
        let mut line = Line::plain(name);
        line.pad_to(names);
        line.push(wrapped.next().unwrap_or_default(), Style::new());
        if !pointing.is_empty() {
            line.pad_to(names + contents + 2);
            line.push("← ", DIM);
            let column = line.width();
            for (position, root) in pointing.iter().enumerate() {
                if position > 0 {
                    line.push(", ", DIM);
                }
                let label = root.label();
                if line.width() > column && line.width() + display_width(&label) > width {
                    let rest = wrapped.next();
                    lines.push(std::mem::take(&mut line));
                    line.pad_to(names);
                    line.push(rest.unwrap_or_default(), Style::new());
                    line.pad_to(column);
                }
                line.push(label, root.style);
            }
        }
        lines.push(line);
        for rest in wrapped {
            let mut line = Line::new();
            line.pad_to(names);
            line.push(rest, Style::new());
            lines.push(line);
        }
    }
    if unchanged > 0 {
        let mut line = Line::new();
        line.push(format!("… {unchanged} unchanged cells"), DIM);
        lines.push(line);
    }
    lines.extend(roots.nulls());
    lines
}
