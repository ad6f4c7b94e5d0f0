//! Formats the contents of a cell without its pointer: `B:2[marked, lock t1]`. Clear marks, free locks and
//! undefined values are omitted.

use crate::heap_snapshot::{Cell, CellName, Field, Value};
use crate::line::{DIM, Line};

/// The pointer of a cell or variable, with the other fields of its word: `mark`, `age 2`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    pub label: String,
    pub target: Option<CellName>,
}

impl Link {
    /// Returns ` → ` or ` ─mark→ `.
    pub fn arrow(&self) -> Line {
        let mut line = Line::new();
        let text =
            if self.label.is_empty() { " → ".to_string() } else { format!(" ─{}→ ", self.label) };
        line.push(text, DIM);
        line
    }
}

/// Returns the pointer of a cell with at most one pointer.
pub fn link_of(cell: &Cell) -> Option<Link> {
    let target = cell.value.pointers().first()?.cloned();
    Some(Link { label: label_of(&cell.value), target })
}

/// Returns the fields beside the pointer in its word. Other fields of a struct do not belong to the word.
pub fn label_of(value: &Value) -> String {
    match value {
        Value::Word(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .map(|field| match field.value.pointers().as_slice() {
                    [] => unusual(field).unwrap_or_default(),
                    _ => label_of(&field.value),
                })
                .filter(|part| !part.is_empty())
                .collect();
            parts.join(", ")
        }
        Value::Struct(fields) => fields
            .iter()
            .find(|field| !field.value.pointers().is_empty())
            .map(|f| label_of(&f.value))
            .unwrap_or_default(),
        Value::Array(items) => {
            items.iter().find(|item| !item.pointers().is_empty()).map(label_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// Returns a cell without its pointer: the first value after a colon, the others in brackets.
pub fn node_text(cell: &Cell) -> String {
    let name = &cell.name;
    let fields: Vec<&Field> = match &cell.value {
        Value::Struct(fields) => fields.iter().filter(|field| field.value.pointers().is_empty()).collect(),
        value if value.pointers().is_empty() => return format!("{name}:{value}"),
        _ => Vec::new(),
    };
    let main = fields.iter().position(|field| matches!(field.value, Value::Plain(_)));
    let others = fields.iter().enumerate().filter(|(position, _)| Some(*position) != main);
    let rest: Vec<String> = others.filter_map(|(_, field)| unusual(field)).collect();
    let main = main.map(|position| fields[position]);
    let main = main.map_or(String::new(), |field| format!(":{}", field.value));
    let rest = if rest.is_empty() { String::new() } else { format!("[{}]", rest.join(", ")) };
    format!("{name}{main}{rest}")
}

/// Returns every field by name, for listings.
pub fn listing(cell: &Cell) -> String {
    match &cell.value {
        Value::Struct(fields) => {
            let shown: Vec<String> = fields.iter().filter_map(unusual).collect();
            shown.join(", ")
        }
        value => value.to_string(),
    }
}

/// Returns a field with its name. `None`: a clear mark, a free lock or an undefined value.
fn unusual(field: &Field) -> Option<String> {
    let name = &field.name;
    match &field.value {
        Value::Undefined | Value::Bool(false) | Value::Lock(None) => None,
        Value::Condvar(waiting) if waiting.is_empty() => None,
        Value::Bool(true) => Some(name.clone()),
        Value::Lock(Some(holder)) => Some(format!("{name} {holder}")),
        value => Some(format!("{name} {value}")),
    }
}
