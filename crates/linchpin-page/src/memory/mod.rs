//! The memory of an object as a drawing.
//!
//! A cell is a box with a row for each field; a pointer is an arrow. Shared variables are boxes on the left.
//! A variable of a thread is a label above the cell that it points to.
//!
//! | file | contents |
//! |---|---|
//! | [`boxes`] | a snapshot as boxes with rows, and what differs from the snapshot before |
//! | [`layout`] | a column and a row for each box |
//! | [`svg`] | the drawing |

mod boxes;
mod layout;
mod svg;

use linchpin_report::scene::HeapSnapshot;
use maud::Markup;

/// A drawing, and whether it shows something new.
pub struct Drawing {
    pub svg: Markup,
    /// Whether a box, a row or a label differs from the snapshot before.
    pub has_news: bool,
}

/// Draws a snapshot. What differs from `before` is marked.
pub fn draw(scene: &HeapSnapshot, before: Option<&HeapSnapshot>) -> Drawing {
    let boxes = boxes::Boxes::of(scene, before);
    let has_news = boxes.has_news();
    let layout = layout::Layout::of(&boxes);
    Drawing { svg: svg::draw(&boxes, &layout, &label(scene)), has_news }
}

/// Returns the drawing in words, for screen readers: the text drawing.
fn label(scene: &HeapSnapshot) -> String {
    let lines = linchpin_report::heap::draw(scene, None, 100);
    let text: Vec<String> = lines.iter().map(|line| line.text().trim().to_string()).collect();
    format!("Memory: {}", text.join("; "))
}
