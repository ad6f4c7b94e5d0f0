//! The faults that the checker must exclude.
//!
//! *Claim.* Every fault of the semantics is an obligation of its property. *Test.*
//! `an_obligation_has_the_property_of_its_fault` has an exhaustive match over the faults of the semantics: a
//! new fault does not compile without an entry.

use linchpin_semantics::FaultProperty;

/// A fault in which a step may end, or a state that may lead to a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    NullAccess,
    /// An access through an arbitrary pointer.
    WildAccess,
    FreedAccess,
    DoubleFree,
    UndefinedUsed,
    /// An undefined value would be in two places; the checker follows only one.
    UndefinedStored,
    UndefinedKey,
    UndefinedReturned,
    /// A leak. The semantics has no fault for it: the execution continues.
    Lost,
    Assert,
    Range,
    Index,
    NotHolder,
}

impl Fault {
    pub fn property(self) -> FaultProperty {
        use Fault::*;
        match self {
            NullAccess | WildAccess | FreedAccess | DoubleFree | UndefinedUsed | UndefinedStored
            | UndefinedKey | UndefinedReturned | Lost => FaultProperty::MemorySafe,
            Assert | Range | Index | NotHolder => FaultProperty::Assertions,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Fault::NullAccess => "the pointer may be null",
            Fault::WildAccess => "the pointer is not known",
            Fault::FreedAccess => "the cell may be free",
            Fault::DoubleFree => "the cell may be free already",
            Fault::UndefinedUsed => "an undefined value may be used",
            Fault::UndefinedStored => "an undefined value may be stored in a cell",
            Fault::UndefinedKey => "the key of a cell may be undefined",
            Fault::UndefinedReturned => "the result may be undefined",
            Fault::Lost => "a cell may be lost",
            Fault::Assert => "the assertion may fail",
            Fault::Range => "a value may leave its range",
            Fault::Index => "the index may be out of bounds",
            Fault::NotHolder => "the thread may not hold the lock",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_ir::index::Index;
    use linchpin_semantics::{CellId, FaultKind};

    /// The way in which the checker excludes a fault of the semantics.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum Answer {
        /// It reports these faults where a step may end in the fault.
        Reports(&'static [Fault]),
        /// It stops: the work is cut, and no obligation is proved.
        GivesUp,
        /// No heap program has the construct with this fault.
        NotInFragment(&'static str),
    }

    /// Returns the answer for each fault.
    fn answer(kind: FaultKind) -> Answer {
        use Answer::{GivesUp, NotInFragment, Reports};
        match kind {
            FaultKind::NullAccess => Reports(&[Fault::NullAccess, Fault::WildAccess]),
            FaultKind::FreedAccess(_) => Reports(&[Fault::FreedAccess, Fault::WildAccess]),
            FaultKind::DoubleFree(_) => Reports(&[Fault::DoubleFree, Fault::WildAccess]),
            FaultKind::UndefinedUsed => {
                Reports(&[Fault::UndefinedUsed, Fault::UndefinedStored, Fault::UndefinedKey])
            }
            FaultKind::UndefinedReturned => Reports(&[Fault::UndefinedReturned, Fault::UndefinedStored]),
            FaultKind::Assert => Reports(&[Fault::Assert]),
            FaultKind::Range { .. } => Reports(&[Fault::Range]),
            FaultKind::Index { .. } => Reports(&[Fault::Index]),
            FaultKind::NotHolder { .. } => Reports(&[Fault::NotHolder]),
            FaultKind::Endless => GivesUp,
            FaultKind::Length(_) => NotInFragment("arrays on the heap"),
            FaultKind::Unwrap => NotInFragment("`unwrap`"),
            FaultKind::DivisionByZero => NotInFragment("division"),
            FaultKind::Empty => NotInFragment("collections"),
        }
    }

    const KINDS: [FaultKind; 10] = [
        FaultKind::NullAccess,
        FaultKind::UndefinedUsed,
        FaultKind::UndefinedReturned,
        FaultKind::Assert,
        FaultKind::Range { value: 3, low: 0, high: 2 },
        FaultKind::Index { index: 3, len: 2 },
        FaultKind::Length(-1),
        FaultKind::NotHolder { holder: None },
        FaultKind::Endless,
        FaultKind::Empty,
    ];

    #[test]
    fn an_obligation_has_the_property_of_its_fault() {
        let cells = [FaultKind::FreedAccess(CellId::new(0)), FaultKind::DoubleFree(CellId::new(0))];
        for kind in KINDS.into_iter().chain(cells) {
            if let Answer::Reports(faults) = answer(kind) {
                assert!(!faults.is_empty());
                assert!(faults.iter().all(|fault| fault.property() == kind.property()), "{kind:?}");
            }
        }
    }
}
