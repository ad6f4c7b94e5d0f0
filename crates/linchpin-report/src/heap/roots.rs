//! Variables apart: those that point into the heap, and those that are shown as they are.

use super::contents::{Link, label_of};
use crate::line::{BOLD, Line, thread_name, thread_style};
use crate::scene::{CellName, HeapSnapshot, Value};
use anstyle::Style;

/// Which variables a cell is drawn from first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rank {
    /// Every thread can see it.
    Shared,
    /// A thread's own.
    Own,
    /// Without a name in the model: shown only where nothing else leads to the cell.
    Temporary,
}

/// A variable, or a part of one, that holds one pointer.
#[derive(Clone, Debug)]
pub struct Root {
    pub name: String,
    pub style: Style,
    pub link: Link,
    pub rank: Rank,
    /// An element of an array: one of many, so that its being null is not worth a word.
    is_element: bool,
}

impl Root {
    pub fn target(&self) -> Option<&CellName> {
        self.link.target.as_ref()
    }

    /// `head → `
    pub fn beginning(&self) -> Line {
        let mut line = Line::new();
        line.push(self.name.clone(), self.style);
        line.append(&self.link.arrow());
        line
    }

    /// With what the word says besides: `tail (age 2)`.
    pub fn label(&self) -> String {
        if self.link.label.is_empty() {
            self.name.clone()
        } else {
            format!("{} ({})", self.name, self.link.label)
        }
    }
}

pub struct Roots {
    pub pointers: Vec<Root>,
    /// `size = 1`, `mutex held by t1`
    pub plain: Vec<String>,
}

impl Roots {
    pub fn of(scene: &HeapSnapshot) -> Roots {
        let mut roots = Roots { pointers: Vec::new(), plain: Vec::new() };
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
        // A thread's null pointer says nothing about the heap.
        roots
            .pointers
            .retain(|root| (root.rank == Rank::Shared && !root.is_element) || root.target().is_some());
        roots
    }

    /// Who points to a cell, by name.
    pub fn to<'a>(&'a self, cell: &'a CellName) -> impl Iterator<Item = &'a Root> {
        let named = self.pointers.iter().filter(|root| root.rank != Rank::Temporary);
        named.filter(move |root| root.target() == Some(cell))
    }

    /// The shared pointers that lead nowhere, in a line if there are any: `head → null   tail → null`.
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

    /// Takes a value apart as far as its pointers need it.
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
