//! A heap snapshot as boxes with rows.

use linchpin_report::heap_snapshot::{Cell, CellName, Field, HeapSnapshot, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The boxes of a drawing: shared variables first, then cells in the order of their letters.
pub struct Boxes {
    pub all: Vec<NodeBox>,
    /// Labels of a cell: variables of threads that point to it.
    pub labels: BTreeMap<CellName, Vec<Label>>,
    /// Labels that were there before and are not now.
    lost: bool,
}

/// A cell or a shared variable.
#[derive(Debug)]
pub struct NodeBox {
    pub kind: BoxKind,
    /// `A`, or nothing for a shared variable.
    pub title: String,
    pub rows: Vec<Row>,
    pub is_new: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BoxKind {
    /// Shared variables without pointers.
    Plain,
    /// A shared variable with pointers.
    Variable,
    Cell {
        name: CellName,
        free: bool,
    },
}

/// A field, an element or a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    pub name: String,
    pub content: Content,
    pub changed: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    Text {
        text: String,
        tone: Tone,
    },
    /// A pointer with the other fields of its word. `None`: `null`.
    Link {
        label: String,
        target: Option<CellName>,
    },
    /// The elements of an array without pointers, and which of them changed.
    Grid(Vec<(String, bool)>),
}

/// How much a value matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    Usual,
    /// A free lock, a clear mark, an undefined value.
    Quiet,
    /// A held lock, a set mark.
    Loud,
}

/// A variable of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub thread: usize,
    pub text: String,
    pub changed: bool,
}

impl Boxes {
    /// Makes the boxes of a snapshot and marks what differs from `before`.
    pub fn of(scene: &HeapSnapshot, before: Option<&HeapSnapshot>) -> Boxes {
        let mut all = boxes(scene);
        let mut labels = labels(scene);
        let mut lost = false;
        if let Some(before) = before {
            let old = boxes(before);
            for new in &mut all {
                mark_news(new, old.iter().find(|old| old.same_place(new)));
            }
            let old = self::labels(before);
            for (cell, labels) in &mut labels {
                let old = old.get(cell).map_or(&[][..], Vec::as_slice);
                for label in labels {
                    label.changed = !old.contains(label);
                }
            }
            lost = old.iter().any(|(cell, old)| {
                let now = labels.get(cell).map_or(&[][..], Vec::as_slice);
                old.iter()
                    .any(|old| !now.iter().any(|now| (now.thread, &now.text) == (old.thread, &old.text)))
            });
        }
        Boxes { all, labels, lost }
    }

    pub fn has_news(&self) -> bool {
        self.lost
            || self.all.iter().any(|node| node.is_new || node.rows.iter().any(|row| row.changed))
            || self.labels.values().flatten().any(|label| label.changed)
    }

    /// Returns the position of a cell.
    pub fn position(&self, cell: &CellName) -> Option<usize> {
        self.all.iter().position(|node| matches!(&node.kind, BoxKind::Cell { name, .. } if name == cell))
    }
}

impl NodeBox {
    fn same_place(&self, other: &NodeBox) -> bool {
        match (&self.kind, &other.kind) {
            (BoxKind::Plain, BoxKind::Plain) => true,
            (BoxKind::Variable, BoxKind::Variable) => {
                self.rows.first().map(|row| &row.name) == other.rows.first().map(|row| &row.name)
            }
            (BoxKind::Cell { name, .. }, BoxKind::Cell { name: other, .. }) => name == other,
            _ => false,
        }
    }

    pub fn is_free(&self) -> bool {
        matches!(self.kind, BoxKind::Cell { free: true, .. })
    }

    /// Returns the targets of the rows that point to a cell.
    pub fn targets(&self) -> impl Iterator<Item = &CellName> {
        self.rows.iter().filter_map(|row| match &row.content {
            Content::Link { target, .. } => target.as_ref(),
            _ => None,
        })
    }
}

fn mark_news(new: &mut NodeBox, old: Option<&NodeBox>) {
    let Some(old) = old else {
        new.is_new = true;
        return;
    };
    new.is_new = new.is_free() != old.is_free();
    for row in &mut new.rows {
        let before = old.rows.iter().find(|old| old.name == row.name);
        row.changed = before.is_none_or(|before| before.content != row.content);
        if let (Content::Grid(items), Some(Content::Grid(old))) =
            (&mut row.content, before.map(|before| &before.content))
        {
            for (at, (text, changed)) in items.iter_mut().enumerate() {
                *changed = old.get(at).is_none_or(|(old, _)| old != text);
            }
        }
    }
}

fn boxes(scene: &HeapSnapshot) -> Vec<NodeBox> {
    let mut plain = Vec::new();
    let mut all = Vec::new();
    for variable in &scene.variables {
        let mut rows = Vec::new();
        add_rows(&variable.name, &variable.value, &mut rows);
        if variable.value.pointers().is_empty() {
            plain.extend(rows);
        } else {
            all.push(NodeBox { kind: BoxKind::Variable, title: String::new(), rows, is_new: false });
        }
    }
    if !plain.is_empty() {
        all.insert(0, NodeBox { kind: BoxKind::Plain, title: String::new(), rows: plain, is_new: false });
    }
    all.extend(scene.cells.iter().map(cell_box));
    all
}

fn cell_box(cell: &Cell) -> NodeBox {
    let mut rows = Vec::new();
    match &cell.value {
        Value::Struct(fields) | Value::Word(fields) => {
            fields.iter().for_each(|field| add_rows(&field.name, &field.value, &mut rows));
        }
        Value::Array(items) if !items.iter().all(is_simple) => {
            let each = items.iter().enumerate();
            each.for_each(|(at, item)| add_rows(&format!("[{at}]"), item, &mut rows));
        }
        value => add_rows("", value, &mut rows),
    }
    let title = if cell.free { format!("{} freed", cell.name) } else { cell.name.to_string() };
    NodeBox { kind: BoxKind::Cell { name: cell.name.clone(), free: cell.free }, title, rows, is_new: false }
}

fn add_rows(name: &str, value: &Value, rows: &mut Vec<Row>) {
    let mut push = |content| rows.push(Row { name: name.to_string(), content, changed: false });
    match value {
        Value::Pointer(target) => push(Content::Link { label: String::new(), target: target.clone() }),
        Value::Word(fields) if value.pointers().len() == 1 => {
            let target = value.pointers()[0].cloned();
            push(Content::Link { label: word_label(fields), target });
        }
        Value::Struct(fields) => {
            fields.iter().for_each(|field| add_rows(&format!("{name}.{}", field.name), &field.value, rows));
        }
        Value::Word(fields) if !value.pointers().is_empty() => {
            fields.iter().for_each(|field| add_rows(&format!("{name}.{}", field.name), &field.value, rows));
        }
        Value::Array(items) if items.iter().all(is_simple) => {
            push(Content::Grid(items.iter().map(|item| (short(item), false)).collect()));
        }
        Value::Array(items) => {
            let each = items.iter().enumerate();
            each.for_each(|(at, item)| add_rows(&format!("{name}[{at}]"), item, rows));
        }
        value => push(Content::Text { text: short(value), tone: tone(value) }),
    }
}

/// Returns the fields beside the pointer in its word.
fn word_label(fields: &[Field]) -> String {
    let mut parts = Vec::new();
    for field in fields {
        match &field.value {
            Value::Bool(true) => parts.push(field.name.clone()),
            Value::Bool(false) | Value::Pointer(_) => {}
            Value::Word(inner) => parts.extend(Some(word_label(inner)).filter(|label| !label.is_empty())),
            value => parts.push(format!("{} {value}", field.name)),
        }
    }
    parts.join(", ")
}

/// Returns whether a value fits into a cell of a grid.
fn is_simple(value: &Value) -> bool {
    value.pointers().is_empty() && !matches!(value, Value::Struct(_) | Value::Array(_))
}

fn short(value: &Value) -> String {
    match value {
        Value::Undefined => "?".into(),
        value => value.to_string(),
    }
}

fn tone(value: &Value) -> Tone {
    match value {
        Value::Undefined | Value::Bool(false) | Value::Lock(None) => Tone::Quiet,
        Value::Condvar(waiting) if waiting.is_empty() => Tone::Quiet,
        Value::Bool(true) | Value::Lock(Some(_)) | Value::Condvar(_) => Tone::Loud,
        _ => Tone::Usual,
    }
}

/// Returns the variables of threads that point to each cell. A temporary is named by its thread, and only if
/// no other variable of the thread points to the cell.
fn labels(scene: &HeapSnapshot) -> BTreeMap<CellName, Vec<Label>> {
    let mut labels: BTreeMap<CellName, Vec<Label>> = BTreeMap::new();
    let mut named: BTreeSet<(usize, CellName)> = BTreeSet::new();
    let (temporary, own): (Vec<_>, Vec<_>) = scene.holders.iter().partition(|holder| holder.is_temporary);
    for holder in own.into_iter().chain(temporary) {
        let mut rows = Vec::new();
        add_rows(&holder.variable.name, &holder.variable.value, &mut rows);
        for row in rows {
            let Content::Link { label, target: Some(target) } = row.content else { continue };
            let is_first = named.insert((holder.thread, target.clone()));
            if holder.is_temporary && !is_first {
                continue;
            }
            let of_cell = labels.entry(target).or_default();
            let text = match (holder.is_temporary, label.is_empty()) {
                (true, _) => String::new(),
                (false, true) => row.name,
                (false, false) => format!("{} ({label})", row.name),
            };
            match of_cell.iter_mut().find(|label| label.thread == holder.thread) {
                Some(label) => label.text = format!("{}, {text}", label.text),
                None => of_cell.push(Label { thread: holder.thread, text, changed: false }),
            }
        }
    }
    labels.values_mut().for_each(|labels| labels.sort_by_key(|label| label.thread));
    labels
}
