//! The one kind of cell: its pointer, its data, and its label.

use super::plan::Kind;
use super::scene::Value;
use linchpin_certify::link::KEY_CLASSES;
use linchpin_ir::heap::cell;
use linchpin_ir::heap::cell::{CellLayout, LabelValues};

/// The one kind of cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Node {
    /// The field with the pointer.
    pub next: Option<usize>,
    /// The part of it that is the pointer, and the one that is an age, if it is a word.
    pub pointer_part: Option<usize>,
    pub age_part: Option<usize>,
    pub data: Option<usize>,
    pub label: Option<Label>,
}

/// The field of a cell of a small type, or its key: the label of the cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    pub field: usize,
    pub kind: Kind,
    /// The value of the first label.
    least: i8,
    /// All labels, a bit each.
    pub all: u8,
}

impl Node {
    pub fn of(cell: CellLayout) -> Node {
        let word = cell.link.and_then(|link| link.word);
        Node {
            next: cell.link.map(|link| link.field),
            pointer_part: word.map(|word| word.pointer),
            age_part: word.and_then(|word| word.age),
            data: cell.data,
            label: cell.label.map(Label::new),
        }
    }
}

impl Label {
    fn new(label: cell::Label) -> Label {
        let (kind, least, count) = match label.values {
            LabelValues::Numbers { least, count, default } => (Kind::Small { default }, least, count),
            LabelValues::Keys => (Kind::Key, 0, KEY_CLASSES),
        };
        let all = u8::MAX.checked_shr(8 - u32::from(count.min(8))).unwrap_or(0);
        Label { field: label.field, kind, least, all }
    }

    /// The labels that a value may be; none for one beyond the type, which is a fault.
    pub fn of(self, value: Value) -> u8 {
        let number = match value {
            Value::Small(number) => i16::from(number) - i16::from(self.least),
            Value::Key(class) => i16::from(class),
            _ => return self.all,
        };
        if (0..8).contains(&number) { self.all & 1 << number } else { 0 }
    }

    /// The value of a label.
    pub fn value(self, number: u8) -> Value {
        match self.kind {
            Kind::Key => Value::Key(number),
            _ => Value::Small(self.least.saturating_add_unsigned(number)),
        }
    }
}
