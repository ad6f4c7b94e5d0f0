//! The fields of the only cell type: its pointer, its data, and its label.

use super::slot::SlotSort;
use linchpin_certify::observer_adequacy::KEY_CLASSES;
use linchpin_ir::heap::cell;
use linchpin_ir::heap::cell::{CellLayout, LabelValues};

#[derive(Clone, Copy, Debug, Default)]
pub struct CellFields {
    /// The field with the pointer.
    pub next: Option<usize>,
    /// The pointer's part of the field, if the field is a word.
    pub pointer_part: Option<usize>,
    /// The age's part of the field, if the field is a word with an age.
    pub age_part: Option<usize>,
    pub data: Option<usize>,
    pub label: Option<Label>,
}

/// The label of a cell: a field of a small type, or its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    pub field: usize,
    pub sort: SlotSort,
    /// The value of the first label.
    pub least: i8,
    /// All labels, one bit each.
    pub all: u8,
}

impl CellFields {
    pub fn of(cell: CellLayout) -> CellFields {
        let word = cell.link.and_then(|link| link.word);
        CellFields {
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
        let (sort, least, count) = match label.values {
            LabelValues::Numbers { least, count, default } => (SlotSort::Small { default }, least, count),
            LabelValues::Keys => (SlotSort::Key, 0, KEY_CLASSES),
        };
        let all = u8::MAX.checked_shr(8 - u32::from(count.min(8))).unwrap_or(0);
        Label { field: label.field, sort, least, all }
    }
}
