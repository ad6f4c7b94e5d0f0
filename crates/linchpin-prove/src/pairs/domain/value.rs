//! Symbolic values of slots and shared variables.

use super::shape::Term;
use crate::pairs::program::SlotSort;
use linchpin_certify::certificate::Symbol;
use linchpin_ir::heap::layout::SharedPart;

/// The value of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Unknown,
    Null,
    /// An arbitrary pointer.
    Garbage,
    Cell(Term),
    Absent,
    /// Data equal to an observer variable; for memory, undefined data of the watched cell.
    Tracked(u8),
    Other,
    Undefined,
    /// A copy of the age of a place.
    Age {
        current: bool,
        /// The value is the successor of the copy.
        stepped: bool,
        of: AgePlace,
    },
    Small(i8),
    /// A key of this class.
    Key(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgePlace {
    /// A part of the shared variables.
    Shared(SharedPart),
    /// The pointer field of a cell.
    Cell(Term),
    Lost,
}

impl Value {
    /// Returns the value that a variable has before its first assignment.
    pub fn default_of(sort: SlotSort) -> Value {
        match sort {
            SlotSort::Pointer => Value::Null,
            SlotSort::Data | SlotSort::Key => Value::Undefined,
            SlotSort::Small { default } => Value::Small(default),
            SlotSort::Optional => Value::Absent,
            SlotSort::Age | SlotSort::Lock => Value::Unknown,
        }
    }

    /// Converts a symbol of the certificate. Takes the terms of cells from `fresh`; the place of an age is
    /// not yet known.
    pub fn from_symbol(symbol: Symbol, fresh: &mut impl FnMut() -> Term) -> Value {
        let age = |current| Value::Age { current, stepped: false, of: AgePlace::Lost };
        match symbol {
            Symbol::Unknown => Value::Unknown,
            Symbol::Null => Value::Null,
            Symbol::Garbage => Value::Garbage,
            Symbol::Cell => Value::Cell(fresh()),
            Symbol::Absent => Value::Absent,
            Symbol::Tracked(variable) => Value::Tracked(variable),
            Symbol::Other => Value::Other,
            Symbol::Undefined => Value::Undefined,
            Symbol::Current => age(true),
            Symbol::Stale => age(false),
            Symbol::Small(number) => Value::Small(number),
            Symbol::Key(class) => Value::Key(class),
        }
    }

    /// Returns the symbol of the certificate for this value.
    pub fn symbol(self) -> Symbol {
        match self {
            Value::Unknown => Symbol::Unknown,
            Value::Null => Symbol::Null,
            Value::Garbage => Symbol::Garbage,
            Value::Cell(_) => Symbol::Cell,
            Value::Absent => Symbol::Absent,
            Value::Tracked(variable) => Symbol::Tracked(variable),
            Value::Other => Symbol::Other,
            Value::Undefined => Symbol::Undefined,
            Value::Age { stepped: true, .. } => Symbol::Unknown,
            Value::Age { current: true, .. } => Symbol::Current,
            Value::Age { current: false, .. } => Symbol::Stale,
            Value::Small(number) => Symbol::Small(number),
            Value::Key(class) => Symbol::Key(class),
        }
    }

    /// Returns the term of a cell; `None` for every other value.
    pub fn term(self) -> Option<Term> {
        match self {
            Value::Cell(term) => Some(term),
            _ => None,
        }
    }
}
