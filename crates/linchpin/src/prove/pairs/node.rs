//! The one kind of cell: its pointer, its data, and its label.

use super::plan::{Kind, kinds};
use super::scene::Value;
use linchpin_core::certify::link::KEY_CLASSES;
use linchpin_core::ir::MemoryKind;
use linchpin_core::ir::fragment::{HeapOp, HeapProgram, HeapScalar, HeapType, Refusal};
use linchpin_core::source::Span;

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

impl Label {
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

/// The layout of the cells: at most one pointer, at most one `data`, and in garbage-collected memory at most one label.
pub fn node(heap: &HeapProgram, refusals: &mut Vec<Refusal>) -> Node {
    let mut node = Node::default();
    // Structs that no `new` makes have no cells; `HeapProgram` takes one struct on the heap.
    let made = |heap: &HeapProgram| {
        let methods = heap.ops().iter().map(|op| &op.method).chain([heap.init()]);
        methods.flat_map(|method| method.code.iter()).find_map(|instr| match instr.op {
            HeapOp::New { of, .. } => Some(of),
            _ => None,
        })
    };
    let Some(of) = made(heap) else { return node };
    for (number, field) in heap.structs()[of].fields.iter().enumerate() {
        let mut refuse =
            |construct: &str| refusals.push(Refusal { construct: construct.into(), span: field.span });
        match &field.ty {
            HeapType::Scalar(HeapScalar::Pointer(_)) => node.next = Some(number),
            HeapType::Scalar(HeapScalar::Data) if node.data.is_none() => node.data = Some(number),
            HeapType::Scalar(HeapScalar::Data) => refuse("a second field of `data`"),
            HeapType::Word(parts) => {
                node.next = Some(number);
                node.pointer_part = parts.iter().position(|part| matches!(part, HeapScalar::Pointer(_)));
                node.age_part = parts.iter().position(|part| *part == HeapScalar::Age);
                let known = usize::from(node.pointer_part.is_some()) + usize::from(node.age_part.is_some());
                if node.pointer_part.is_none() || parts.len() != known {
                    refuse("a word of anything but a pointer and an age in a cell");
                }
                if heap.memory() == MemoryKind::Manual && node.age_part.is_some() {
                    refuse("an age in a cell of `manual` memory, where `new` resets it,");
                }
            }
            HeapType::Scalar(_) if heap.memory() != MemoryKind::Gc => {
                refuse("a field that is neither a pointer nor `data` in memory that is used again");
            }
            HeapType::Scalar(_) if node.label.is_some() => {
                refuse("a second field that is neither a pointer nor `data`");
            }
            HeapType::Scalar(scalar) => {
                node.label = label(number, *scalar, field.span);
                if node.label.is_none() {
                    refuse("a field of a cell that has too many values");
                }
            }
            HeapType::Lock => refuse("a lock in a cell"),
            HeapType::Optional(_) => refuse("an optional value in memory"),
            HeapType::Array { .. } => refuse("an array"),
        }
    }
    node
}

fn label(field: usize, scalar: HeapScalar, span: Span) -> Option<Label> {
    let (least, count) = match scalar {
        HeapScalar::Bool => (0, 2),
        HeapScalar::Small { low, high } => (i8::try_from(low).ok()?, u32::try_from(high - low + 1).ok()?),
        HeapScalar::Key => (0, KEY_CLASSES.into()),
        _ => return None,
    };
    let kind = kinds(&HeapType::Scalar(scalar), span, &mut Vec::new()).pop()?;
    (count <= 8).then(|| Label { field, kind, least, all: u8::MAX >> (8 - count) })
}
