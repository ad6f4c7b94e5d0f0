//! Lemmas as data.

use linchpin_ir::program::{GlobalId, LocalId, OpId, Pc};
use std::sync::Arc;

/// Premises and a conclusion. Without premises the conclusion always holds at the place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lemma {
    pub place: Place,
    /// At most two, sorted and different.
    premises: Vec<Literal>,
    pub conclusion: Literal,
}

/// Where a lemma is claimed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// Whenever a thread in a call of the operation rests there.
    Rest(OpId, Pc),
    /// Of every cell, always.
    EveryCell,
}

/// An atom or its negation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    pub atom: Atom,
    pub is_positive: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    /// Pointers, keys, numbers or bools are equal. Sorted: [`Atom::equal`] makes it.
    Equal(Operand, Operand),
    /// The order of keys and numbers.
    Less(Operand, Operand),
    /// A field or variable of type `bool` is true.
    Flag(Term),
    /// The thread holds this lock; in a cell lemma some thread.
    Held(Term),
    /// Some shared variable leads to the cell.
    Reachable(Term),
    /// The cell was never reachable from a shared variable.
    Private(Term),
    /// The pending call is on the watched key.
    OnKey,
    /// The pending call has taken effect.
    TookEffect,
    /// The pending call has seen the watched key in the object, or out of it.
    SeenIn,
    SeenOut,
    /// The watched key is in the object.
    IsIn,
    /// The cell that holds the watched key comes after this cell.
    Behind(Term),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operand {
    Null,
    KeyMin,
    KeyMax,
    Term(Term),
}

/// A place that a lemma reads: a variable and fields. A field of a pointer reads the cell.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term {
    pub root: Root,
    pub fields: Vec<Arc<str>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Root {
    Local(LocalId),
    Shared(GlobalId),
    /// The cell of a cell lemma.
    Cell,
}

/// The largest number of premises.
pub const MOST_PREMISES: usize = 2;

impl Lemma {
    /// Makes a lemma. `None`: too many premises.
    pub fn new(
        place: Place,
        premises: impl IntoIterator<Item = Literal>,
        conclusion: Literal,
    ) -> Option<Lemma> {
        let mut premises: Vec<Literal> = premises.into_iter().collect();
        premises.sort();
        premises.dedup();
        (premises.len() <= MOST_PREMISES).then_some(Lemma { place, premises, conclusion })
    }

    /// Makes a lemma without premises.
    pub fn always(place: Place, conclusion: Literal) -> Lemma {
        Lemma { place, premises: Vec::new(), conclusion }
    }

    /// Returns the premises, sorted.
    pub fn premises(&self) -> &[Literal] {
        &self.premises
    }
}

impl Literal {
    pub fn new(atom: Atom, is_positive: bool) -> Literal {
        Literal { atom, is_positive }
    }

    /// Returns the literal with the other sign.
    pub fn negated(&self) -> Literal {
        Literal { atom: self.atom.clone(), is_positive: !self.is_positive }
    }
}

impl Atom {
    /// Equality in its one form: the operands are sorted, `null` and the ends of the keys come last.
    pub fn equal(left: Operand, right: Operand) -> Atom {
        let rank = |operand: &Operand| (!matches!(operand, Operand::Term(_)), operand.clone());
        if rank(&left) <= rank(&right) { Atom::Equal(left, right) } else { Atom::Equal(right, left) }
    }
}

impl Term {
    pub fn new(root: Root) -> Term {
        Term { root, fields: Vec::new() }
    }

    /// Returns a field of the term.
    #[must_use]
    pub fn field(&self, name: &Arc<str>) -> Term {
        let mut fields = self.fields.clone();
        fields.push(name.clone());
        Term { root: self.root, fields }
    }
}
