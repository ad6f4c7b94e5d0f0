//! The truth of a lemma in the facts that are known of a thread.

use crate::cmp_certificate::{CellName, Claim, Fact, KeyName, NumberName, PointerName, RestLemma};
use crate::set_certificate::{CellFact, CellPlace, KeyClass, NextFact, SlotValue, ThreadView};
use linchpin_ir::heap::sets::SetLayout;

/// What is known of a thread. `None` in `slots`: the value is not chosen yet.
pub struct Known<'k> {
    pub layout: &'k SetLayout,
    pub slots: &'k [Option<SlotValue>],
    pub shared: &'k [SlotValue],
    pub cells: &'k [CellFact],
    pub locks: u32,
}

/// The truth of a claim or a lemma. `NoValue`: neither the claim nor its negation is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    True,
    False,
    NoValue,
    Unknown,
}

/// Whether a lemma is certainly true in a view. A lemma of another rest is.
pub fn is_shown(layout: &SetLayout, lemma: &RestLemma, view: &ThreadView) -> bool {
    if view.at != Some((lemma.op, lemma.pc)) {
        return true;
    }
    let slots: Vec<Option<SlotValue>> = view.slots.iter().copied().map(Some).collect();
    let known = Known { layout, slots: &slots, shared: &view.shared, cells: &view.cells, locks: view.locks };
    known.lemma(lemma) == Truth::True
}

/// A cell behind a name.
enum Behind<'b> {
    Cell(&'b CellFact),
    Nothing,
    Unknown,
}

impl Known<'_> {
    pub fn lemma(&self, lemma: &RestLemma) -> Truth {
        let mut is_open = false;
        for premise in &lemma.premises {
            match self.claim(premise) {
                Truth::True => {}
                Truth::False | Truth::NoValue => return Truth::True,
                Truth::Unknown => is_open = true,
            }
        }
        match self.claim(&lemma.conclusion) {
            Truth::True => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::False | Truth::NoValue if is_open => Truth::Unknown,
            Truth::False | Truth::NoValue => Truth::False,
        }
    }

    pub fn claim(&self, claim: &Claim) -> Truth {
        let of = |value: Option<bool>| match value {
            None => Truth::NoValue,
            Some(value) if value == claim.is_positive => Truth::True,
            Some(_) => Truth::False,
        };
        match &claim.fact {
            Fact::Same(a, b) => match (self.pointer(a), self.pointer(b)) {
                (Pointer::Unknown, _) | (_, Pointer::Unknown) => Truth::Unknown,
                (Pointer::Nothing, _) | (_, Pointer::Nothing) => Truth::NoValue,
                (a, b) => of(Some(a == b)),
            },
            Fact::SameKey(a, b) => self.keys(a, b, |a, b| {
                let may_differ = a != b || is_side(a);
                if claim.is_positive { a == b } else { may_differ }
            }),
            Fact::Less(a, b) => self.keys(a, b, |a, b| {
                let is_open = a == b && is_side(a);
                is_open || (a < b) == claim.is_positive
            }),
            Fact::IsTrue(NumberName::Slot(slot)) => match self.slot(*slot) {
                None => Truth::Unknown,
                Some(SlotValue::Number(number)) => of(Some(number != 0)),
                Some(_) => of(None),
            },
            Fact::IsTrue(NumberName::Field(name, number)) => {
                self.cell(name, |cell| Some(digit(self.layout, cell, *number)? != 0), of)
            }
            Fact::Holds(name) => self.cell(name, |cell| Some(cell.mine), of),
            Fact::HoldsShared(number) => of(1_u32.checked_shl(*number).map(|bit| self.locks & bit != 0)),
            Fact::Linked(name) => self.cell(name, |cell| Some(cell.label.place == CellPlace::Linked), of),
            Fact::Private(name) => self.cell(name, |cell| Some(cell.label.place == CellPlace::Private), of),
        }
    }

    fn slot(&self, slot: usize) -> Option<SlotValue> {
        self.slots.get(slot).copied().flatten()
    }

    fn behind(&self, name: &CellName) -> Behind<'_> {
        let value = match name {
            CellName::Slot(slot) => self.slot(*slot),
            CellName::Shared(number) => self.shared.get(*number).copied(),
        };
        match value {
            None => Behind::Unknown,
            Some(SlotValue::Cell(cell)) => {
                self.cells.get(usize::from(cell)).map_or(Behind::Nothing, Behind::Cell)
            }
            Some(_) => Behind::Nothing,
        }
    }

    fn cell(
        &self,
        name: &CellName,
        value: impl Fn(&CellFact) -> Option<bool>,
        truth: impl Fn(Option<bool>) -> Truth,
    ) -> Truth {
        match self.behind(name) {
            Behind::Cell(cell) => truth(value(cell)),
            Behind::Nothing => Truth::NoValue,
            Behind::Unknown => Truth::Unknown,
        }
    }

    fn pointer(&self, name: &PointerName) -> Pointer {
        let of = |value: Option<SlotValue>| match value {
            None => Pointer::Unknown,
            Some(SlotValue::Null) => Pointer::Null,
            Some(SlotValue::Cell(cell)) => Pointer::Cell(cell),
            Some(_) => Pointer::Nothing,
        };
        match name {
            PointerName::Null => Pointer::Null,
            PointerName::To(CellName::Slot(slot)) => of(self.slot(*slot)),
            PointerName::To(CellName::Shared(number)) => of(self.shared.get(*number).copied()),
            PointerName::NextOf(name) => match self.behind(name) {
                Behind::Cell(cell) => next_of(cell),
                Behind::Nothing => Pointer::Nothing,
                Behind::Unknown => Pointer::Unknown,
            },
            PointerName::SecondOf(name) => match self.pointer(&PointerName::NextOf(*name)) {
                Pointer::Cell(next) => self.cells.get(usize::from(next)).map_or(Pointer::Nothing, next_of),
                Pointer::Null | Pointer::Nothing => Pointer::Nothing,
                Pointer::Unknown => Pointer::Unknown,
            },
        }
    }

    fn keys(&self, a: &KeyName, b: &KeyName, truth: impl Fn(KeyClass, KeyClass) -> bool) -> Truth {
        let class = |name: &KeyName| match name {
            KeyName::Min => Ok(Some(KeyClass::Min)),
            KeyName::Max => Ok(Some(KeyClass::Max)),
            KeyName::Slot(slot) => match self.slot(*slot) {
                None => Err(()),
                Some(SlotValue::Key(class)) => Ok(Some(class)),
                Some(_) => Ok(None),
            },
            KeyName::Of(name) => match self.behind(name) {
                Behind::Cell(cell) => Ok(Some(cell.label.class)),
                Behind::Nothing => Ok(None),
                Behind::Unknown => Err(()),
            },
        };
        match (class(a), class(b)) {
            (Err(()), _) | (_, Err(())) => Truth::Unknown,
            (Ok(Some(a)), Ok(Some(b))) if truth(a, b) => Truth::True,
            (Ok(Some(_)), Ok(Some(_))) => Truth::False,
            _ => Truth::NoValue,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pointer {
    Null,
    Cell(u8),
    /// Behind null, or no pointer.
    Nothing,
    Unknown,
}

fn next_of(cell: &CellFact) -> Pointer {
    match cell.next {
        NextFact::Unknown | NextFact::Chain(_) => Pointer::Unknown,
        NextFact::Null => Pointer::Null,
        NextFact::Cell(next) => Pointer::Cell(next),
    }
}

/// Two keys of one side compare either way.
fn is_side(class: KeyClass) -> bool {
    matches!(class, KeyClass::Below | KeyClass::Above)
}

/// The value of a small field of a cell.
fn digit(layout: &SetLayout, cell: &CellFact, number: usize) -> Option<i16> {
    let small = &layout.cell().small;
    let field = small.get(number)?;
    let weight: u16 = small.iter().take(number).map(|field| field.count).product();
    let digit = i16::try_from(cell.label.fields.0 / weight % field.count).ok()?;
    field.least.checked_add(digit)
}
