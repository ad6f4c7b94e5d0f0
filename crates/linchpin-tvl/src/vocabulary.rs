//! The predicates that structures interpret.
//!
//! A [`Vocabulary`] names predicates of no, one and two arguments and numbers each kind by itself. A number
//! has a type for its kind, so a formula cannot apply a predicate to a wrong number of arguments.

use std::fmt;

/// A predicate without arguments: a fact of the whole state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Nullary(pub(crate) u16);

/// A predicate of one individual.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Unary(pub(crate) u16);

/// A predicate of two individuals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Binary(pub(crate) u16);

impl Nullary {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl Unary {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl Binary {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A predicate of any kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Predicate {
    Nullary(Nullary),
    Unary(Unary),
    Binary(Binary),
}

/// The predicates of an analysis, in the order in which they were added.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vocabulary {
    nullary: Vec<String>,
    unary: Vec<String>,
    binary: Vec<String>,
}

/// More than 65,536 predicates of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyPredicates;

impl fmt::Display for TooManyPredicates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("more than 65,536 predicates of one kind")
    }
}

impl std::error::Error for TooManyPredicates {}

impl Vocabulary {
    pub fn new() -> Vocabulary {
        Vocabulary::default()
    }

    pub fn add_nullary(&mut self, name: impl Into<String>) -> Result<Nullary, TooManyPredicates> {
        add(&mut self.nullary, name.into()).map(Nullary)
    }

    pub fn add_unary(&mut self, name: impl Into<String>) -> Result<Unary, TooManyPredicates> {
        add(&mut self.unary, name.into()).map(Unary)
    }

    pub fn add_binary(&mut self, name: impl Into<String>) -> Result<Binary, TooManyPredicates> {
        add(&mut self.binary, name.into()).map(Binary)
    }

    pub fn nullary(&self) -> impl Iterator<Item = Nullary> + use<> {
        numbers(&self.nullary).map(Nullary)
    }

    pub fn unary(&self) -> impl Iterator<Item = Unary> + use<> {
        numbers(&self.unary).map(Unary)
    }

    pub fn binary(&self) -> impl Iterator<Item = Binary> + use<> {
        numbers(&self.binary).map(Binary)
    }

    /// Returns the name of a predicate; "?" for a predicate of another vocabulary.
    pub fn name(&self, predicate: Predicate) -> &str {
        let (names, index) = match predicate {
            Predicate::Nullary(p) => (&self.nullary, p.index()),
            Predicate::Unary(p) => (&self.unary, p.index()),
            Predicate::Binary(p) => (&self.binary, p.index()),
        };
        names.get(index).map_or("?", String::as_str)
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts { nullary: self.nullary.len(), unary: self.unary.len(), binary: self.binary.len() }
    }
}

/// How many predicates of each kind a structure interprets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Counts {
    pub nullary: usize,
    pub unary: usize,
    pub binary: usize,
}

fn add(names: &mut Vec<String>, name: String) -> Result<u16, TooManyPredicates> {
    let number = u16::try_from(names.len()).map_err(|_| TooManyPredicates)?;
    names.push(name);
    Ok(number)
}

fn numbers(names: &[String]) -> impl Iterator<Item = u16> + use<> {
    // A vocabulary has no more names than numbers.
    (0..=u16::MAX).take(names.len())
}
