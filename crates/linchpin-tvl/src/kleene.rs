//! Kleene's three truth values, alone and as rows of bits.
//!
//! *Unknown* stands for "false or true". The connectives are minimum, maximum and complement of the order
//! false < unknown < true. A second order compares information: each value refines itself and *unknown*.
//! A [`Row`] holds one value for each of 64 individuals in two words: where the value may be true, and where
//! it must be. So one instruction computes a connective for all individuals.

use std::ops::{BitAnd, BitOr, Not};

/// A truth value of three-valued logic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Kleene {
    #[default]
    False,
    Unknown,
    True,
}

impl Kleene {
    pub const ALL: [Kleene; 3] = [Kleene::False, Kleene::Unknown, Kleene::True];

    /// Tells whether the value is not *unknown*.
    pub fn is_definite(self) -> bool {
        self != Kleene::Unknown
    }

    /// Tells whether this value says at least as much as `other`.
    pub fn refines(self, other: Kleene) -> bool {
        self == other || other == Kleene::Unknown
    }

    /// Returns what both values say.
    pub fn join(self, other: Kleene) -> Kleene {
        if self == other { self } else { Kleene::Unknown }
    }

    /// Tells whether the value can be true.
    pub fn may(self) -> bool {
        self != Kleene::False
    }

    /// Tells whether the value is true.
    pub fn must(self) -> bool {
        self == Kleene::True
    }

    pub(crate) fn of_bits(may: bool, must: bool) -> Kleene {
        match (may, must) {
            (_, true) => Kleene::True,
            (true, false) => Kleene::Unknown,
            (false, false) => Kleene::False,
        }
    }
}

impl From<bool> for Kleene {
    fn from(value: bool) -> Kleene {
        if value { Kleene::True } else { Kleene::False }
    }
}

impl Not for Kleene {
    type Output = Kleene;

    fn not(self) -> Kleene {
        match self {
            Kleene::False => Kleene::True,
            Kleene::Unknown => Kleene::Unknown,
            Kleene::True => Kleene::False,
        }
    }
}

impl BitAnd for Kleene {
    type Output = Kleene;

    fn bitand(self, other: Kleene) -> Kleene {
        self.min(other)
    }
}

impl BitOr for Kleene {
    type Output = Kleene;

    fn bitor(self, other: Kleene) -> Kleene {
        self.max(other)
    }
}

/// A truth value for each individual of a universe; false for the bits beyond the universe.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Row {
    pub may: u64,
    /// A subset of `may`.
    pub must: u64,
}

impl Row {
    pub const FALSE: Row = Row { may: 0, must: 0 };

    /// The row that has one value for all individuals in `universe`.
    pub fn constant(value: Kleene, universe: u64) -> Row {
        Row { may: if value.may() { universe } else { 0 }, must: if value.must() { universe } else { 0 } }
    }

    pub fn get(self, index: usize) -> Kleene {
        Kleene::of_bits(self.may >> index & 1 == 1, self.must >> index & 1 == 1)
    }

    pub fn set(&mut self, index: usize, value: Kleene) {
        let bit = 1 << index;
        self.may = if value.may() { self.may | bit } else { self.may & !bit };
        self.must = if value.must() { self.must | bit } else { self.must & !bit };
    }

    pub fn not(self, universe: u64) -> Row {
        Row { may: universe & !self.must, must: universe & !self.may }
    }

    /// The value of "for some individual".
    pub fn any(self) -> Kleene {
        Kleene::of_bits(self.may != 0, self.must != 0)
    }

    /// The value of "for all individuals in `universe`".
    pub fn all(self, universe: u64) -> Kleene {
        Kleene::of_bits(self.may == universe, self.must == universe)
    }

    /// What the values of the individuals in `group` have in common; the group is not empty.
    pub fn join_over(self, group: u64) -> Kleene {
        Kleene::of_bits(self.may & group != 0, self.must & group == group)
    }

    pub fn join(self, other: Row) -> Row {
        Row { may: self.may | other.may, must: self.must & other.must }
    }

    pub fn unknown(self) -> u64 {
        self.may & !self.must
    }
}

impl BitAnd for Row {
    type Output = Row;

    fn bitand(self, other: Row) -> Row {
        Row { may: self.may & other.may, must: self.must & other.must }
    }
}

impl BitOr for Row {
    type Output = Row;

    fn bitor(self, other: Row) -> Row {
        Row { may: self.may | other.may, must: self.must | other.must }
    }
}

/// The numbers of the bits that are set, smallest first.
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let bit = word.trailing_zeros();
        word &= word - 1;
        usize::try_from(bit).ok()
    })
}
