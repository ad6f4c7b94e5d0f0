//! Certificates of the compositional method: one kept thread, *Other*, and lemmas.
//!
//! The views describe one thread, as in [`set_certificate`](crate::set_certificate). The steps of all other
//! threads are not read from views. They are the program's own steps from every *window* that the lemmas
//! allow ([`window`](crate::cmp::window)). A lemma belongs to one rest of one operation. It is claimed of
//! every thread that rests there.
//!
//! **Truth of a claim.** Keys are compared by their classes. Two keys of one side may be equal, or either may
//! be less. So a claim about keys is true if the classes do not exclude it. A claim behind null has no value:
//! neither it nor its negation is true.
//!
//! This module contains data only.

use crate::set_certificate::SetCertificate;
use linchpin_ir::program::{OpId, Pc};

/// The version of the format.
pub const CMP_CERTIFICATE_VERSION: u32 = 1;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CmpCertificate {
    /// The views of the kept thread, and of any edge as it sees them.
    pub views: SetCertificate,
    /// The lemmas, sorted.
    pub lemmas: Vec<RestLemma>,
}

/// If a thread rests there and all premises are true, the conclusion is true.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RestLemma {
    pub op: OpId,
    pub pc: Pc,
    pub premises: Vec<Claim>,
    pub conclusion: Claim,
}

/// A fact, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Claim {
    pub fact: Fact,
    pub is_positive: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fact {
    Same(PointerName, PointerName),
    SameKey(KeyName, KeyName),
    Less(KeyName, KeyName),
    /// The number is not 0.
    IsTrue(NumberName),
    /// The thread holds the lock of the cell.
    Holds(CellName),
    /// The thread holds the shared lock with this number.
    HoldsShared(u32),
    /// A chain of pointers leads from the root to the cell.
    Linked(CellName),
    /// The cell was never published.
    Private(CellName),
}

/// A variable that points to a cell: a part of the locals, or a shared pointer, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CellName {
    Slot(usize),
    Shared(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PointerName {
    Null,
    To(CellName),
    /// The pointer in this cell.
    NextOf(CellName),
    /// The pointer in the cell behind that.
    SecondOf(CellName),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum KeyName {
    Min,
    Max,
    Slot(usize),
    Of(CellName),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NumberName {
    Slot(usize),
    /// The small field with this number of this cell.
    Field(CellName, usize),
}

impl Fact {
    /// Visits the parts of locals that the fact reads.
    pub fn slots(&self, visit: &mut dyn FnMut(usize)) {
        let mut cell = |name: &CellName| match name {
            CellName::Slot(slot) => visit(*slot),
            CellName::Shared(_) => {}
        };
        match self {
            Fact::Same(a, b) => {
                for pointer in [a, b] {
                    match pointer {
                        PointerName::Null => {}
                        PointerName::To(name) | PointerName::NextOf(name) | PointerName::SecondOf(name) => {
                            cell(name);
                        }
                    }
                }
            }
            Fact::SameKey(a, b) | Fact::Less(a, b) => {
                for key in [a, b] {
                    match key {
                        KeyName::Min | KeyName::Max => {}
                        KeyName::Slot(slot) => cell(&CellName::Slot(*slot)),
                        KeyName::Of(name) => cell(name),
                    }
                }
            }
            Fact::IsTrue(NumberName::Slot(slot)) => cell(&CellName::Slot(*slot)),
            Fact::IsTrue(NumberName::Field(name, _))
            | Fact::Holds(name)
            | Fact::Linked(name)
            | Fact::Private(name) => cell(name),
            Fact::HoldsShared(_) => {}
        }
    }
}

impl RestLemma {
    /// Returns the claims: the premises, then the conclusion.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.premises.iter().chain([&self.conclusion])
    }
}
