//! The memory of an object after one step, for drawing: names instead of numbers, no layout, no semantics.

use linchpin_ir::index::byte_of;
use serde::{Serialize, Serializer};

/// The name of a cell: `A`, `B`, … in the order of first allocation. A name is valid for a whole run.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CellName {
    number: usize,
}

impl CellName {
    pub fn nth(number: usize) -> CellName {
        CellName { number }
    }
}

/// Serialises the letters.
impl Serialize for CellName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Formats `A` to `Z`, then `AA`, `AB`, …
impl std::fmt::Display for CellName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut letters = Vec::new();
        let mut rest = self.number + 1;
        while rest > 0 {
            letters.push(char::from(b'A' + byte_of((rest - 1) % 26)));
            rest = (rest - 1) / 26;
        }
        f.pad(&letters.iter().rev().collect::<String>())
    }
}

/// A value for drawing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Text: a number, a `data`, a variant of an enum, `none`, a thread.
    Plain(String),
    Undefined,
    Bool(bool),
    Pointer(Option<CellName>),
    /// A `word`, accessed in one step.
    Word(Vec<Field>),
    /// A `struct` inside another place.
    Struct(Vec<Field>),
    Array(Vec<Value>),
    Collection {
        open: &'static str,
        items: Vec<Value>,
        close: &'static str,
    },
    /// An entry of a map.
    Entry(Box<Value>, Box<Value>),
    /// The holder of a lock. `None`: free.
    Lock(Option<String>),
    /// The waiting threads.
    Condvar(Vec<String>),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Field {
    pub name: String,
    pub value: Value,
}

impl Field {
    pub fn new(name: impl Into<String>, value: Value) -> Field {
        Field { name: name.into(), value }
    }
}

/// A struct or an array on the heap.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Cell {
    pub name: CellName,
    /// [`Value::Struct`] or [`Value::Array`].
    pub value: Value,
    /// Freed. The value is the last one written.
    pub free: bool,
}

/// A variable of one thread that holds a pointer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Holder {
    pub thread: usize,
    pub variable: Field,
    /// A temporary of the lowering. It is shown only if no other variable leads to the cell.
    pub is_temporary: bool,
}

/// The memory after one step.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct HeapSnapshot {
    pub variables: Vec<Field>,
    pub cells: Vec<Cell>,
    pub holders: Vec<Holder>,
}

impl HeapSnapshot {
    /// Finds a cell by its name.
    pub fn cell(&self, name: &CellName) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.name == *name)
    }

    /// Returns whether the memory differs from `before`. Removed cells and variables of threads do not count.
    pub fn is_news_after(&self, before: &HeapSnapshot) -> bool {
        self.variables != before.variables
            || self.cells.iter().any(|cell| before.cell(&cell.name) != Some(cell))
    }
}

impl Value {
    /// Returns every pointer in the value, in order; `None` for `null`.
    pub fn pointers(&self) -> Vec<Option<&CellName>> {
        let mut found = Vec::new();
        self.collect_pointers(&mut found);
        found
    }

    fn collect_pointers<'a>(&'a self, found: &mut Vec<Option<&'a CellName>>) {
        match self {
            Value::Pointer(target) => found.push(target.as_ref()),
            Value::Word(fields) | Value::Struct(fields) => {
                fields.iter().for_each(|field| field.value.collect_pointers(found));
            }
            Value::Array(items) | Value::Collection { items, .. } => {
                items.iter().for_each(|item| item.collect_pointers(found));
            }
            Value::Entry(key, value) => {
                key.collect_pointers(found);
                value.collect_pointers(found);
            }
            Value::Plain(_) | Value::Undefined | Value::Bool(_) | Value::Lock(_) | Value::Condvar(_) => {}
        }
    }
}

/// Formats the value in one line: `A`, `null`, `⟨A 1⟩`, `[true, false]`, `{1, 2}`.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Plain(text) => f.write_str(text),
            Value::Undefined => f.write_str("undefined"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Pointer(None) => f.write_str("null"),
            Value::Pointer(Some(name)) => write!(f, "{name}"),
            Value::Word(fields) | Value::Struct(fields) => {
                f.write_str("⟨")?;
                write_separated(f, " ", fields.iter().filter_map(shown_in_word))?;
                f.write_str("⟩")
            }
            Value::Array(items) => {
                f.write_str("[")?;
                write_separated(f, ", ", items)?;
                f.write_str("]")
            }
            Value::Collection { open, items, close } => {
                f.write_str(open)?;
                write_separated(f, ", ", items)?;
                f.write_str(close)
            }
            Value::Entry(key, value) => write!(f, "{key}: {value}"),
            Value::Lock(None) => f.write_str("free"),
            Value::Lock(Some(holder)) => write!(f, "held by {holder}"),
            Value::Condvar(waiting) if waiting.is_empty() => f.write_str("no thread waits"),
            Value::Condvar(waiting) => {
                write_separated(f, ", ", waiting)?;
                f.write_str(if waiting.len() == 1 { " waits" } else { " wait" })
            }
        }
    }
}

/// Formats a field of a word: a set flag by its name, other fields by their value.
fn shown_in_word(field: &Field) -> Option<String> {
    match &field.value {
        Value::Bool(false) => None,
        Value::Bool(true) => Some(field.name.clone()),
        value => Some(value.to_string()),
    }
}

fn write_separated<T: std::fmt::Display>(
    f: &mut std::fmt::Formatter<'_>,
    separator: &str,
    items: impl IntoIterator<Item = T>,
) -> std::fmt::Result {
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            f.write_str(separator)?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_named_like_columns_of_a_sheet() {
        let names: Vec<String> = [0, 1, 25, 26, 27, 701, 702].map(|n| CellName::nth(n).to_string()).into();
        assert_eq!(names, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    }

    #[test]
    fn words_show_set_marks_by_name() {
        let word = |mark| {
            let pointer = Value::Pointer(Some(CellName::nth(0)));
            Value::Word(vec![Field::new("ptr", pointer), Field::new("mark", Value::Bool(mark))])
        };
        assert_eq!(word(true).to_string(), "⟨A mark⟩");
        assert_eq!(word(false).to_string(), "⟨A⟩");
    }

    #[test]
    fn a_removed_cell_is_not_news_and_a_changed_cell_is() {
        let cell =
            |n, text: &str| Cell { name: CellName::nth(n), value: Value::Plain(text.into()), free: false };
        let both = HeapSnapshot { cells: vec![cell(0, "1"), cell(1, "2")], ..HeapSnapshot::default() };
        let one = HeapSnapshot { cells: vec![cell(0, "1")], ..HeapSnapshot::default() };
        let changed = HeapSnapshot { cells: vec![cell(0, "2")], ..HeapSnapshot::default() };
        assert!(!one.is_news_after(&both));
        assert!(both.is_news_after(&one));
        assert!(changed.is_news_after(&one));
    }
}
