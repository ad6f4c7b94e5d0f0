//! Lists heaps whose cells have several pointers (doubly linked lists, trees, arrays of pointers). Each cell
//! gets one line with its contents and the variables that point to it.
//!
//! ```text
//! A  left A, right A           ← dummy, t1.rh
//! B  val 1, left A, right A    ← left_hat, right_hat
//! ```

use super::contents::listing;
use super::roots::{Label, Root, Roots, label_lines, place};
use crate::heap_snapshot::{Cell, HeapSnapshot};
use crate::line::{DIM, Line, hanging};
use anstyle::Style;
use textwrap::core::display_width;

/// A heap of at most this many cells is always listed completely.
const FEW: usize = 6;

/// Draws the listing.
pub fn draw(scene: &HeapSnapshot, before: Option<&HeapSnapshot>, roots: &Roots, width: usize) -> Vec<Line> {
    let before = before.filter(|_| scene.cells.len() > FEW);
    let is_news = |cell: &&Cell| before.is_none_or(|before| before.cell(&cell.name) != Some(*cell));
    let rows: Vec<Row> = scene
        .cells
        .iter()
        .filter(is_news)
        .map(|cell| Row {
            name: if cell.free { format!("{} (free)", cell.name) } else { cell.name.to_string() },
            contents: listing(cell),
            pointing: roots.to(&cell.name).collect(),
        })
        .collect();
    let unchanged = scene.cells.len() - rows.len();
    let columns = Columns::of(&rows, width);
    let mut lines: Vec<Line> = rows.iter().flat_map(|row| columns.draw(row)).collect();
    if unchanged > 0 {
        let mut line = Line::new();
        line.push(format!("… {unchanged} unchanged cells"), DIM);
        lines.push(line);
    }
    lines.extend(roots.nulls());
    lines
}

/// Leads from the variables to their cell.
const ARROW: &str = "← ";

/// A cell of the listing.
struct Row<'a> {
    name: String,
    contents: String,
    /// The variables that point to the cell.
    pointing: Vec<&'a Root>,
}

/// Where the parts of a row stand.
struct Columns {
    width: usize,
    /// The width of the names, with blanks.
    names: usize,
    contents: usize,
    /// Variables stand beside the contents. Otherwise there is no room, and they stand below.
    beside: bool,
}

impl Columns {
    fn of(rows: &[Row], width: usize) -> Columns {
        let names = rows.iter().map(|row| display_width(&row.name)).max().unwrap_or(0) + 2;
        // Long contents are wrapped, so that labels stay near their cells.
        let limit = width.saturating_sub(names).max(20);
        let longest = rows.iter().map(|row| display_width(&row.contents)).max().unwrap_or(0);
        let contents = longest.min(limit * 2 / 3);
        let labels = rows.iter().flat_map(|row| &row.pointing).map(|root| display_width(&root.label()));
        let beside = names + contents + 2 + display_width(ARROW) + labels.max().unwrap_or(0) < width;
        let contents = if beside { contents } else { longest.min(limit) };
        Columns { width, names, contents, beside }
    }

    fn draw(&self, row: &Row) -> Vec<Line> {
        let mut lines: Vec<Line> = textwrap::wrap(&row.contents, hanging(self.contents, 2))
            .into_iter()
            .enumerate()
            .map(|(at, text)| {
                let mut line = Line::plain(if at == 0 { row.name.as_str() } else { "" });
                line.pad_to(self.names);
                line.push(text, Style::new());
                line
            })
            .collect();
        let column = if self.beside { self.names + self.contents + 2 } else { self.names };
        let first = if self.beside { 0 } else { lines.len() };
        let labels: Vec<Label> = row.pointing.iter().map(|root| (root.label(), root.style)).collect();
        place(label_lines(ARROW, &labels, self.width.saturating_sub(column)), &mut lines, first, column);
        lines
    }
}
