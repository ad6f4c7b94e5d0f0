//! Three-valued logical structures: individuals and the values of predicates.
//!
//! An individual that is a *summary* stands for one or more individuals; any other stands for exactly one.
//! The summary bit belongs to the structure, and no formula can read it. If it were a predicate, canonical
//! abstraction would have to find it false in each two-valued structure, hence false for ever.
//! A structure without summaries and without unknown values is *two-valued*: it is a concrete state.

use crate::kleene::{Kleene, Row, bits};
use crate::vocabulary::{Binary, Counts, Nullary, Predicate, Unary, Vocabulary};
use std::fmt;

/// An individual of one structure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Individual(pub(crate) u8);

impl Individual {
    pub(crate) fn of(index: usize) -> Individual {
        // A universe has at most 64 individuals.
        Individual(u8::try_from(index).unwrap_or(u8::MAX))
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A structure would need more individuals than [`Structure::MOST_INDIVIDUALS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyIndividuals;

impl fmt::Display for TooManyIndividuals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a structure needs more than {} individuals", Structure::MOST_INDIVIDUALS)
    }
}

impl std::error::Error for TooManyIndividuals {}

/// A three-valued logical structure.
///
/// Methods that take a predicate panic on a predicate of another vocabulary, and those that take an
/// individual panic on an individual that the structure does not have.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Structure {
    pub(crate) counts: Counts,
    pub(crate) size: usize,
    /// The summaries, as bits.
    pub(crate) summary: u64,
    pub(crate) nullary: Vec<Kleene>,
    pub(crate) unary: Vec<Row>,
    /// Row `p * size + u` has the values of `p(u, _)`.
    pub(crate) binary: Vec<Row>,
    /// Row `p * size + u` has the values of `p(_, u)`.
    pub(crate) inverse: Vec<Row>,
}

impl Structure {
    pub const MOST_INDIVIDUALS: usize = 64;

    /// Makes a structure of so many individuals that are not summaries, in which every predicate is false.
    pub fn new(vocabulary: &Vocabulary, individuals: usize) -> Result<Structure, TooManyIndividuals> {
        if individuals > Structure::MOST_INDIVIDUALS {
            return Err(TooManyIndividuals);
        }
        Ok(Structure::falsehood(vocabulary.counts(), individuals))
    }

    pub(crate) fn falsehood(counts: Counts, size: usize) -> Structure {
        Structure {
            counts,
            size,
            summary: 0,
            nullary: vec![Kleene::False; counts.nullary],
            unary: vec![Row::FALSE; counts.unary],
            binary: vec![Row::FALSE; counts.binary * size],
            inverse: vec![Row::FALSE; counts.binary * size],
        }
    }

    /// The number of individuals.
    pub fn size(&self) -> usize {
        self.size
    }

    pub fn individuals(&self) -> impl Iterator<Item = Individual> + use<> {
        (0..self.size).map(Individual::of)
    }

    /// All individuals, as bits.
    pub(crate) fn universe(&self) -> u64 {
        if self.size == 64 { u64::MAX } else { (1 << self.size) - 1 }
    }

    pub fn is_summary(&self, u: Individual) -> bool {
        self.summary >> u.index() & 1 == 1
    }

    pub fn set_summary(&mut self, u: Individual, summary: bool) {
        let bit = 1 << u.index();
        self.summary = if summary { self.summary | bit } else { self.summary & !bit };
    }

    /// Tells whether two individuals are equal; *unknown* of a summary and itself.
    pub fn equal(&self, u: Individual, v: Individual) -> Kleene {
        match u == v {
            false => Kleene::False,
            true if self.is_summary(u) => Kleene::Unknown,
            true => Kleene::True,
        }
    }

    pub fn nullary(&self, p: Nullary) -> Kleene {
        self.nullary[p.index()]
    }

    pub fn unary(&self, p: Unary, u: Individual) -> Kleene {
        self.unary[p.index()].get(u.index())
    }

    pub fn binary(&self, p: Binary, from: Individual, to: Individual) -> Kleene {
        self.binary[p.index() * self.size + from.index()].get(to.index())
    }

    pub fn set_nullary(&mut self, p: Nullary, value: Kleene) {
        self.nullary[p.index()] = value;
    }

    pub fn set_unary(&mut self, p: Unary, u: Individual, value: Kleene) {
        self.unary[p.index()].set(u.index(), value);
    }

    pub fn set_binary(&mut self, p: Binary, from: Individual, to: Individual, value: Kleene) {
        let base = p.index() * self.size;
        self.binary[base + from.index()].set(to.index(), value);
        self.inverse[base + to.index()].set(from.index(), value);
    }

    /// Tells whether the structure is a concrete state: no summary and no unknown value.
    pub fn is_two_valued(&self) -> bool {
        self.summary == 0
            && self.nullary.iter().all(|value| value.is_definite())
            && self.unary.iter().chain(&self.binary).all(|row| row.unknown() == 0)
    }

    /// Adds an individual that is not a summary and of which every predicate is false.
    ///
    /// So a step can make a cell: a predicate of the caller's marks the individual, and the update reads it.
    pub fn add_individual(&self) -> Result<(Structure, Individual), TooManyIndividuals> {
        if self.size >= Structure::MOST_INDIVIDUALS {
            return Err(TooManyIndividuals);
        }
        let sources: Vec<Option<usize>> = (0..self.size).map(Some).chain([None]).collect();
        Ok((self.rebuilt(&sources), Individual::of(self.size)))
    }

    /// Removes the individuals of which `keep` is false.
    ///
    /// The result does not stand for the same states: the caller owes the argument why those individuals do
    /// not matter, for example since no variable leads to them.
    pub fn retain(&self, keep: impl Fn(Individual) -> bool) -> Structure {
        let sources: Vec<Option<usize>> =
            self.individuals().filter(|u| keep(*u)).map(|u| Some(u.index())).collect();
        self.rebuilt(&sources)
    }

    /// Replaces a summary by two individuals with the same values, the second one with the last number.
    pub(crate) fn bifurcate(&self, u: usize) -> Result<Structure, TooManyIndividuals> {
        if self.size >= Structure::MOST_INDIVIDUALS {
            return Err(TooManyIndividuals);
        }
        let sources: Vec<Option<usize>> = (0..self.size).map(Some).chain([Some(u)]).collect();
        Ok(self.rebuilt(&sources))
    }

    /// Renames individuals: number `i` of the result is number `order[i]` of this structure.
    pub fn permuted(&self, order: &[Individual]) -> Structure {
        let sources: Vec<Option<usize>> = order.iter().map(|u| Some(u.index())).collect();
        self.rebuilt(&sources)
    }

    /// The structure whose individual `i` is a copy of `sources[i]`, or is new.
    fn rebuilt(&self, sources: &[Option<usize>]) -> Structure {
        let mut result = Structure::falsehood(self.counts, sources.len());
        result.nullary.clone_from(&self.nullary);
        for (i, source) in sources.iter().enumerate() {
            if source.is_some_and(|u| self.summary >> u & 1 == 1) {
                result.summary |= 1 << i;
            }
        }
        for (to, from) in result.unary.iter_mut().zip(&self.unary) {
            *to = picked(*from, sources);
        }
        for p in 0..self.counts.binary {
            for (i, source) in sources.iter().enumerate() {
                if let Some(u) = source {
                    let to = p * sources.len() + i;
                    result.binary[to] = picked(self.binary[p * self.size + u], sources);
                    result.inverse[to] = picked(self.inverse[p * self.size + u], sources);
                }
            }
        }
        result
    }

    /// The values of `p(u, _)`.
    pub(crate) fn row_from(&self, p: Binary, u: usize) -> Row {
        self.binary[p.index() * self.size + u]
    }

    /// The values of `p(_, u)`.
    pub(crate) fn row_to(&self, p: Binary, u: usize) -> Row {
        self.inverse[p.index() * self.size + u]
    }

    /// Replaces the values of `p(u, _)`.
    pub(crate) fn set_row_from(&mut self, p: Binary, u: usize, row: Row) {
        let base = p.index() * self.size;
        let old = std::mem::replace(&mut self.binary[base + u], row);
        for v in bits((old.may ^ row.may) | (old.must ^ row.must)) {
            self.inverse[base + v].set(u, row.get(v));
        }
    }

    /// Writes the structure with the names of a vocabulary: individuals, then what is not false.
    pub fn display<'a>(&'a self, vocabulary: &'a Vocabulary) -> impl fmt::Display + 'a {
        Shown { structure: self, vocabulary }
    }
}

fn picked(row: Row, sources: &[Option<usize>]) -> Row {
    let mut result = Row::FALSE;
    for (i, source) in sources.iter().enumerate() {
        if let Some(u) = source {
            result.may |= (row.may >> u & 1) << i;
            result.must |= (row.must >> u & 1) << i;
        }
    }
    result
}

struct Shown<'a> {
    structure: &'a Structure,
    vocabulary: &'a Vocabulary,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown { structure, vocabulary } = self;
        let mark = |value: Kleene| if value.must() { "" } else { "?" };
        for p in vocabulary.nullary().filter(|p| structure.nullary(*p).may()) {
            let value = mark(structure.nullary(p));
            writeln!(f, "{}{value}", vocabulary.name(Predicate::Nullary(p)))?;
        }
        for u in structure.individuals() {
            write!(f, "{}{}:", u.index(), if structure.is_summary(u) { "*" } else { "" })?;
            for p in vocabulary.unary().filter(|p| structure.unary(*p, u).may()) {
                write!(f, " {}{}", vocabulary.name(Predicate::Unary(p)), mark(structure.unary(p, u)))?;
            }
            for p in vocabulary.binary() {
                for v in structure.individuals().filter(|v| structure.binary(p, u, *v).may()) {
                    let value = mark(structure.binary(p, u, v));
                    write!(f, " {}→{}{value}", vocabulary.name(Predicate::Binary(p)), v.index())?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
