//! Separates variables that point into the heap from variables that are shown as values.

use super::contents::{Link, label_of};
use super::grid::Grid;
use crate::heap_snapshot::{CellName, HeapSnapshot, Value};
use crate::line::{BOLD, DIM, Line, display_width, thread_name, thread_style};
use anstyle::Style;

/// The order in which chains begin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rank {
    /// A shared variable.
    Shared,
    /// A variable of a thread.
    Own,
    /// A temporary of the lowering. It is shown only if no other variable leads to the cell.
    Temporary,
}

/// A variable, or a part of a variable, with one pointer.
#[derive(Clone, Debug)]
pub struct Root {
    pub name: String,
    pub style: Style,
    pub link: Link,
    pub rank: Rank,
    /// An element of an array. A `null` element is not shown.
    is_element: bool,
}

impl Root {
    pub fn target(&self) -> Option<&CellName> {
        self.link.target.as_ref()
    }

    /// Returns `head → `.
    pub fn beginning(&self) -> Line {
        let mut line = Line::new();
        line.push(self.name.clone(), self.style);
        line.append(&self.link.arrow());
        line
    }

    /// Returns the name with the other fields of the word: `tail (age 2)`.
    pub fn label(&self) -> String {
        if self.link.label.is_empty() {
            self.name.clone()
        } else {
            format!("{} ({})", self.name, self.link.label)
        }
    }
}

/// The label of a variable, with the style of its thread.
pub type Label = (String, Style);

/// Returns an arrow and labels, `← head, t0.top`, in lines of at most `width` columns. A longer label exceeds
/// the width.
pub fn label_lines(arrow: &str, labels: &[Label], width: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (position, (label, style)) in labels.iter().enumerate() {
        let comma = if position + 1 < labels.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.width() + 1 + display_width(label) + comma.len() <= width => {
                line.push(" ", DIM);
            }
            _ => {
                let mut line = Line::new();
                if lines.is_empty() {
                    line.push(arrow, DIM);
                }
                line.pad_to(display_width(arrow));
                lines.push(line);
            }
        }
        if let Some(line) = lines.last_mut() {
            line.push(label.as_str(), *style);
            line.push(comma, DIM);
        }
    }
    lines
}

/// Writes parts at a column of `lines`, one below the other, from the line `first` on.
pub fn place(parts: Vec<Line>, lines: &mut Vec<Line>, first: usize, column: usize) {
    for (at, part) in (first..).zip(parts) {
        if at == lines.len() {
            lines.push(Line::new());
        }
        lines[at].pad_to(column);
        lines[at].append(&part);
    }
}

pub struct Roots {
    pub pointers: Vec<Root>,
    /// `size = 1`, `mutex held by t1`
    pub plain: Vec<String>,
    /// Arrays of structs, a line for each element.
    pub grids: Vec<Grid>,
}

impl Roots {
    pub fn of(scene: &HeapSnapshot) -> Roots {
        let mut roots = Roots { pointers: Vec::new(), plain: Vec::new(), grids: Vec::new() };
        for variable in &scene.variables {
            roots.add(&variable.name, &variable.value, BOLD, Rank::Shared);
        }
        for holder in &scene.holders {
            let thread = thread_name(holder.thread);
            let (name, rank) = if holder.is_temporary {
                (thread, Rank::Temporary)
            } else {
                (format!("{thread}.{}", holder.variable.name), Rank::Own)
            };
            roots.add(&name, &holder.variable.value, thread_style(holder.thread), rank);
        }
        // `null` in a variable of a thread is not shown.
        roots
            .pointers
            .retain(|root| (root.rank == Rank::Shared && !root.is_element) || root.target().is_some());
        roots
    }

    /// Returns the named variables that point to a cell.
    pub fn to<'a>(&'a self, cell: &'a CellName) -> impl Iterator<Item = &'a Root> {
        let named = self.pointers.iter().filter(|root| root.rank != Rank::Temporary);
        named.filter(move |root| root.target() == Some(cell))
    }

    /// Returns the shared pointers that are `null`, in one line: `head → null   tail → null`. `None`: there
    /// are none.
    pub fn nulls(&self) -> Option<Line> {
        let mut line = Line::new();
        for root in self.pointers.iter().filter(|root| root.target().is_none()) {
            if line.width() > 0 {
                line.push("   ", Style::new());
            }
            line.append(&root.beginning());
            line.push("null", Style::new());
        }
        (line.width() > 0).then_some(line)
    }

    /// Splits a value into parts with one pointer each.
    fn add(&mut self, name: &str, value: &Value, style: Style, rank: Rank) {
        let pointers = value.pointers();
        match value {
            Value::Pointer(_) | Value::Word(_) if pointers.len() == 1 => {
                let target = pointers[0].cloned();
                let link = Link { label: label_of(value), target };
                let is_element = name.contains('[');
                self.pointers.push(Root { name: name.to_string(), style, link, rank, is_element });
            }
            Value::Struct(fields) => {
                for field in fields {
                    self.add(&format!("{name}.{}", field.name), &field.value, style, rank);
                }
            }
            Value::Word(fields) if !pointers.is_empty() => {
                for field in fields {
                    self.add(&format!("{name}.{}", field.name), &field.value, style, rank);
                }
            }
            Value::Array(items) if rank == Rank::Shared && Grid::of(name, items).is_some() => {
                self.grids.extend(Grid::of(name, items));
            }
            Value::Array(items)
                if !pointers.is_empty() || items.iter().any(|i| matches!(i, Value::Struct(_))) =>
            {
                for (index, item) in items.iter().enumerate() {
                    self.add(&format!("{name}[{index}]"), item, style, rank);
                }
            }
            _ if rank != Rank::Shared && pointers.is_empty() => {}
            Value::Lock(None) => {}
            Value::Condvar(waiting) if waiting.is_empty() => {}
            Value::Lock(Some(_)) => self.plain.push(format!("{name} {value}")),
            Value::Condvar(_) => self.plain.push(format!("{name}: {value}")),
            value => self.plain.push(format!("{name} = {value}")),
        }
    }
}
