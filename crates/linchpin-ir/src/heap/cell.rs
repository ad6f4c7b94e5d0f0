//! The one kind of cell: its pointer, its data and its label.

use super::refusal::refusal;
use super::{HeapOp, HeapProgram, HeapScalar, HeapType, UnsupportedConstruct};
use crate::program::MemoryKind;

/// The one kind of cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CellLayout {
    pub link: Option<Link>,
    pub data: Option<usize>,
    pub label: Option<Label>,
}

/// The field with the pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    pub field: usize,
    /// `None`: the field is the pointer.
    pub word: Option<WordLink>,
}

/// The offsets of the pointer and of the age in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WordLink {
    pub pointer: usize,
    pub age: Option<usize>,
}

/// The field of a cell that is its label: of a small type, or a `key`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    pub field: usize,
    pub values: LabelValues,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LabelValues {
    /// The numbers from `least` on, so many of them.
    Numbers { least: i8, count: u8, default: i8 },
    /// Classes of keys.
    Keys,
}

/// The fields of the one struct that `new` makes.
pub(super) fn cell_layout(heap: &HeapProgram, refusals: &mut Vec<UnsupportedConstruct>) -> CellLayout {
    let methods = heap.ops().iter().map(|op| &op.method).chain([heap.init()]);
    let made = methods.flat_map(|method| method.code.iter()).find_map(|instr| match instr.op {
        HeapOp::New { of, .. } => Some(of),
        _ => None,
    });
    let mut cell = CellLayout::default();
    let Some(record) = made.and_then(|of| heap.structs().get(of)) else { return cell };
    for (field, variable) in record.fields.iter().enumerate() {
        let mut refuse = |construct: &str| refusals.push(refusal(construct, variable.span));
        match &variable.ty {
            HeapType::Scalar(HeapScalar::Pointer(_)) if cell.link.is_none() => {
                cell.link = Some(Link { field, word: None });
            }
            HeapType::Scalar(HeapScalar::Pointer(_)) => refuse("a second pointer field"),
            HeapType::Scalar(HeapScalar::Data) if cell.data.is_none() => cell.data = Some(field),
            HeapType::Scalar(HeapScalar::Data) => refuse("a second field of `data`"),
            HeapType::Word(scalars) => match word_link(scalars) {
                Some(word) if cell.link.is_none() => {
                    if word.age.is_some() && heap.memory() == MemoryKind::Manual {
                        refuse("an age in a cell of `manual` memory, where `new` resets it,");
                    }
                    cell.link = Some(Link { field, word: Some(word) });
                }
                Some(_) => refuse("a second pointer field"),
                None => refuse("a word of anything but a pointer and an age in a cell"),
            },
            HeapType::Scalar(_) if heap.memory() != MemoryKind::Gc => {
                refuse("a field that is neither a pointer nor `data` in memory that is used again");
            }
            HeapType::Scalar(_) if cell.label.is_some() => {
                refuse("a second field that is neither a pointer nor `data`");
            }
            HeapType::Scalar(scalar) => match label_values(*scalar) {
                Some(values) => cell.label = Some(Label { field, values }),
                None => refuse("a field of a cell that has too many values"),
            },
            HeapType::Lock => refuse("a lock in a cell"),
            HeapType::Optional(_) => refuse("an optional value in memory"),
            HeapType::Array { .. } => refuse("an array"),
        }
    }
    cell
}

/// A pointer, and an age at most.
fn word_link(scalars: &[HeapScalar]) -> Option<WordLink> {
    let pointer = scalars.iter().position(|scalar| matches!(scalar, HeapScalar::Pointer(_)))?;
    let age = scalars.iter().position(|scalar| *scalar == HeapScalar::Age);
    (scalars.len() == 1 + usize::from(age.is_some())).then_some(WordLink { pointer, age })
}

/// At most eight labels: a set of labels is a byte.
fn label_values(scalar: HeapScalar) -> Option<LabelValues> {
    match scalar {
        HeapScalar::Bool => Some(LabelValues::Numbers { least: 0, count: 2, default: 0 }),
        HeapScalar::Small { low, high } => {
            let count = u8::try_from(high - low + 1).ok().filter(|count| *count <= 8)?;
            let default = if (low..=high).contains(&0) { 0 } else { low };
            let (least, default) = (i8::try_from(low).ok()?, i8::try_from(default).ok()?);
            i8::try_from(high).ok()?;
            Some(LabelValues::Numbers { least, count, default })
        }
        HeapScalar::Key => Some(LabelValues::Keys),
        HeapScalar::Data | HeapScalar::Age | HeapScalar::Pointer(_) | HeapScalar::Int => None,
    }
}
