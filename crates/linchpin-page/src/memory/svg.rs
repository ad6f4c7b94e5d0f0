//! Draws boxes at their places, and arrows between them.
//!
//! An arrow to a neighbouring column, or within a column, is a curve. Every other arrow runs in a lane below
//! all rows, so that it crosses no box of a chain.

use super::boxes::{BoxKind, Boxes, Content, Label, NodeBox, Row, Tone};
use super::layout::{Layout, Slot};
use linchpin_report::heap_snapshot::CellName;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Sizes in pixels. The font is monospaced, with 12 pixels.
const CHARACTER: usize = 7;
const ROW: usize = 20;
const TITLE: usize = 17;
const LABEL: usize = 19;
const COLUMN_GAP: usize = 44;
const ROW_GAP: usize = 18;
const MARGIN: usize = 6;
const LANE: usize = 9;

/// A rectangle.
#[derive(Clone, Copy, Debug)]
struct Place {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

/// Draws the boxes. `label` is the drawing in words.
pub fn draw(boxes: &Boxes, layout: &Layout, label: &str) -> Markup {
    let places = Places::of(boxes, layout);
    let mut lanes = 0;
    let mut arrows = Vec::new();
    let mut width = places.width;
    for (at, node) in boxes.all.iter().enumerate() {
        for (number, row) in node.rows.iter().enumerate() {
            if let Content::Link { target: Some(target), .. } = &row.content
                && let Some(to) = boxes.position(target)
            {
                let (path, right) = places.path(at, number, to, node, &mut lanes);
                width = width.max(right + MARGIN);
                let class = arrow_class(row.changed, boxes.all[to].is_free());
                arrows.push(html! { path class=(class) d=(path) {} });
            }
        }
    }
    let height = places.height + lanes * LANE + MARGIN;
    html! {
        svg.memory role="img" aria-label=(label) width=(width) height=(height)
            viewBox=(format!("0 0 {width} {height}")) {
            @for arrow in &arrows { (arrow) }
            @for (at, node) in boxes.all.iter().enumerate() { (node_box(node, places.all[at])) }
            @for (cell, labels) in &boxes.labels {
                @if let Some(at) = boxes.position(cell) { (labels_of(labels, places.all[at])) }
            }
        }
    }
}

fn arrow_class(changed: bool, dangling: bool) -> &'static str {
    match (changed, dangling) {
        (false, false) => "arrow",
        (true, false) => "arrow new",
        (false, true) => "arrow dangling",
        (true, true) => "arrow dangling new",
    }
}

fn node_box(node: &NodeBox, place: Place) -> Markup {
    let Place { x, y, width, height } = place;
    let kind = match &node.kind {
        BoxKind::Plain | BoxKind::Variable => "var",
        BoxKind::Cell { free: true, .. } => "cell freed",
        BoxKind::Cell { .. } => "cell",
    };
    let class = if node.is_new { format!("{kind} new") } else { kind.to_string() };
    let top = title_height(node);
    html! {
        g class=(class) {
            rect x=(x) y=(y) width=(width) height=(height) rx="4" {}
            @if top > 0 { text.title x=(x + 6) y=(y + 13) { (node.title) } }
            @for (number, row) in node.rows.iter().enumerate() {
                (row_of(row, Place { x, y: y + top + number * ROW, width, height: ROW }))
            }
        }
    }
}

fn row_of(row: &Row, place: Place) -> Markup {
    let Place { x, y, width, .. } = place;
    let base = y + 14;
    let at = x + 6 + name_width(row);
    html! {
        @if row.changed { rect.news x=(x + 1) y=(y + 1) width=(width - 2) height=(ROW - 2) rx="3" {} }
        @if !row.name.is_empty() { text.name x=(x + 6) y=(base) { (row.name) } }
        @match &row.content {
            Content::Text { text, tone } => text class=(tone_class(*tone)) x=(at) y=(base) { (text) },
            Content::Link { label, target } => {
                @if !label.is_empty() { text.loud x=(at) y=(base) { (label) } }
                @match target {
                    Some(_) => circle cx=(x + width - 9) cy=(y + ROW / 2) r="3" {},
                    None => text.quiet x=(x + width - 6 - 4 * CHARACTER) y=(base) { "null" },
                }
            }
            Content::Grid(items) => (grid(items, at, y)),
        }
    }
}

fn grid(items: &[(String, bool)], x: usize, y: usize) -> Markup {
    let width = item_width(items);
    html! {
        @for (at, (text, changed)) in items.iter().enumerate() {
            rect class=(if *changed { "slot new" } else { "slot" }) x=(x + at * width) y=(y + 2) width=(width)
                height=(ROW - 4) {}
            text.middle x=(x + at * width + width / 2) y=(y + 14) { (text) }
        }
    }
}

fn labels_of(labels: &[Label], place: Place) -> Markup {
    html! {
        @for (at, label) in labels.iter().rev().enumerate() {
            @let y = place.y - (at + 1) * LABEL;
            @let text = label_text(label);
            @let class = if label.changed { "label new" } else { "label" };
            g class=(format!("{class} t{}", label.thread % 6)) {
                rect x=(place.x) y=(y) width=(text_width(&text) + 10) height=(LABEL - 4) rx="7" {}
                text x=(place.x + 5) y=(y + 11) { (text) }
                @if at == 0 {
                    path d=(format!("M{} {}l4 4 4-4z", place.x + 8, y + LABEL - 4)) {}
                }
            }
        }
    }
}

fn label_text(label: &Label) -> String {
    if label.text.is_empty() {
        format!("t{}", label.thread)
    } else {
        format!("t{} {}", label.thread, label.text)
    }
}

fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Usual => "value",
        Tone::Quiet => "quiet",
        Tone::Loud => "loud",
    }
}

struct Places {
    all: Vec<Place>,
    slots: Vec<Option<Slot>>,
    width: usize,
    /// The height of all rows, without the lanes.
    height: usize,
}

impl Places {
    fn of(boxes: &Boxes, layout: &Layout) -> Places {
        let slot = |node: &NodeBox| match &node.kind {
            BoxKind::Cell { name, .. } => layout.slots.get(name).copied(),
            _ => None,
        };
        let slots: Vec<Option<Slot>> = boxes.all.iter().map(slot).collect();
        let sizes: Vec<(usize, usize)> = boxes.all.iter().map(size).collect();
        // The column of shared variables, then the columns of cells.
        let mut widths: Vec<usize> = vec![0];
        let mut heights: Vec<usize> = Vec::new();
        let mut above: Vec<usize> = Vec::new();
        for (at, node) in boxes.all.iter().enumerate() {
            let (width, height) = sizes[at];
            let Some(Slot { column, row }) = slots[at] else {
                widths[0] = widths[0].max(width);
                continue;
            };
            let labels = labels_size(boxes, node);
            raise(&mut widths, column + 1, width.max(labels.0));
            raise(&mut heights, row, height);
            raise(&mut above, row, labels.1);
        }
        let gap = |width: usize| if width == 0 { 0 } else { width + COLUMN_GAP };
        let lefts: Vec<usize> = running(MARGIN, widths.iter().map(|&width| gap(width)));
        let row_heights = heights.iter().zip(&above).map(|(height, above)| height + above + ROW_GAP);
        let tops: Vec<usize> = running(MARGIN, row_heights);
        let mut all = Vec::new();
        let mut variables = MARGIN;
        let (mut right, mut bottom) = (0, 0);
        for (at, node) in boxes.all.iter().enumerate() {
            let (width, height) = sizes[at];
            let place = match slots[at] {
                Some(Slot { column, row }) => {
                    Place { x: lefts[column + 1], y: tops[row] + above[row], width, height }
                }
                None => {
                    // A variable stands beside the first cell that it points to, if there is room.
                    let beside = first_target(boxes, node).and_then(|to| slots[to]);
                    let wanted = beside
                        .filter(|slot| slot.column == 0)
                        .map_or(0, |slot| tops[slot.row] + above[slot.row]);
                    let y = variables.max(wanted);
                    variables = y + height + 8;
                    Place { x: MARGIN + widths[0] - width, y, width, height }
                }
            };
            right = right.max(place.x + place.width.max(labels_size(boxes, node).0));
            bottom = bottom.max(place.y + place.height);
            all.push(place);
        }
        Places { all, slots, width: right + MARGIN + 14, height: bottom }
    }

    /// Returns the path of an arrow from a row of a box, and its right edge.
    fn path(&self, from: usize, row: usize, to: usize, node: &NodeBox, lanes: &mut usize) -> (String, usize) {
        let (source, target) = (self.all[from], self.all[to]);
        let x = source.x + source.width - 9;
        let y = source.y + title_height(node) + row * ROW + ROW / 2;
        let column = |at: usize| self.slots[at].map_or(0, |slot| slot.column + 1);
        let enters = target.y + TITLE / 2 + 1;
        let same_row = match (self.slots[from], self.slots[to]) {
            (Some(from), Some(to)) => from.row == to.row,
            _ => false,
        };
        let near = column(to) == column(from) + 1;
        if near || (column(to) > column(from) && !same_row && self.slots[from].is_some()) {
            let edge = target.x - 2;
            let bend = (edge.saturating_sub(x) / 2).clamp(12, 40);
            let path =
                format!("M{x} {y}C{} {y} {} {enters} {edge} {enters}", x + bend, edge - bend.min(edge));
            return (path, edge);
        }
        if column(to) + 1 == column(from) && self.slots[to].is_some() {
            // To the column before: out of the left edge, into the right edge.
            let (edge, enters) = (target.x + target.width + 2, target.y + target.height - ROW / 2);
            let bend = (source.x.saturating_sub(edge) / 2).clamp(8, 40);
            let out = source.x.saturating_sub(bend);
            let path = format!("M{} {y}C{out} {y} {} {enters} {edge} {enters}", source.x, edge + bend);
            return (path, source.x);
        }
        if column(to) == column(from) {
            // Within a column: a bow on the right.
            let (begin, edge) = (source.x + source.width, target.x + target.width + 2);
            let bow = begin.max(edge) + 14 + y.abs_diff(enters) / 8;
            return (format!("M{begin} {y}C{bow} {y} {bow} {enters} {edge} {enters}"), bow);
        }
        // Through a lane below all rows, into the bottom of the target.
        *lanes += 1;
        let lane = self.height + *lanes * LANE;
        let out = source.x + source.width + 4 + (*lanes % 4) * 3;
        let into = target.x + 14 + (*lanes * 7) % target.width.saturating_sub(26).max(1);
        let foot = target.y + target.height + 2;
        (format!("M{x} {y}H{out}V{lane}H{into}V{foot}"), out)
    }
}

fn first_target(boxes: &Boxes, node: &NodeBox) -> Option<usize> {
    node.targets().find_map(|target| boxes.position(target))
}

fn raise(values: &mut Vec<usize>, at: usize, value: usize) {
    if values.len() <= at {
        values.resize(at + 1, 0);
    }
    values[at] = values[at].max(value);
}

/// Returns the sums before each element, beginning with `start`.
fn running(start: usize, sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut at = start;
    let mut sums = Vec::new();
    for size in sizes {
        sums.push(at);
        at += size;
    }
    sums.push(at);
    sums
}

fn size(node: &NodeBox) -> (usize, usize) {
    let title = node.title.chars().count() * CHARACTER + 14;
    let rows = node.rows.iter().map(|row| 12 + name_width(row) + content_width(&row.content));
    (rows.chain([title, 30]).max().unwrap_or(30), title_height(node) + node.rows.len() * ROW)
}

fn title_height(node: &NodeBox) -> usize {
    if node.title.is_empty() { 0 } else { TITLE }
}

fn name_width(row: &Row) -> usize {
    if row.name.is_empty() { 0 } else { text_width(&row.name) + CHARACTER }
}

fn content_width(content: &Content) -> usize {
    match content {
        Content::Text { text, .. } => text_width(text),
        Content::Link { label, target } => {
            let label = if label.is_empty() { 0 } else { text_width(label) + CHARACTER };
            label + if target.is_some() { 8 } else { 4 * CHARACTER }
        }
        Content::Grid(items) => item_width(items) * items.len(),
    }
}

fn item_width(items: &[(String, bool)]) -> usize {
    items.iter().map(|(text, _)| text_width(text)).max().unwrap_or(0) + 10
}

/// The size of the labels above a cell.
fn labels_size(boxes: &Boxes, node: &NodeBox) -> (usize, usize) {
    let labels: Option<&Vec<Label>> = match &node.kind {
        BoxKind::Cell { name, .. } => labels(&boxes.labels, name),
        _ => None,
    };
    let Some(labels) = labels else { return (0, 0) };
    let width = labels.iter().map(|label| text_width(&label_text(label)) + 10).max().unwrap_or(0);
    (width, labels.len() * LABEL)
}

fn labels<'a>(all: &'a BTreeMap<CellName, Vec<Label>>, cell: &CellName) -> Option<&'a Vec<Label>> {
    all.get(cell)
}

/// Returns the width of a text. A wide character counts twice.
fn text_width(text: &str) -> usize {
    linchpin_report::line::display_width(text) * CHARACTER + CHARACTER / 2
}
