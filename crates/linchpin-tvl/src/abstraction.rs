//! Canonical abstraction, and when two abstract structures are joined.
//!
//! An [`Abstraction`] is a set of predicates. Individuals with the same values of its unary predicates are
//! merged, where *unknown* is a value of its own. So there are finitely many abstract structures. The
//! individuals of a blurred structure have different values, and are put in the order of these values.
//! So two blurred structures are isomorphic exactly if they are equal.
//!
//! Two blurred structures are *congruent* if they have the same values of the abstraction predicates:
//! individual by individual, and of the nullary ones. A congruent pair has a join with the same individuals.

use crate::kleene::Row;
use crate::structure::Structure;
use crate::vocabulary::{Nullary, Unary};

/// The predicates that keep individuals, and structures, apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Abstraction {
    pub nullary: Vec<Nullary>,
    pub unary: Vec<Unary>,
}

impl Abstraction {
    /// Merges the individuals with the same values; also called canonical abstraction.
    pub fn blur(&self, structure: &Structure) -> Structure {
        let mut groups = vec![structure.universe()];
        for p in &self.unary {
            let row = structure.unary[p.index()];
            let parts = [!row.may, row.unknown(), row.must];
            groups = groups.iter().flat_map(|group| parts.map(|part| group & part)).collect();
            groups.retain(|group| *group != 0);
        }
        groups.retain(|group| *group != 0);
        structure.merged(&groups)
    }

    /// Tells whether two blurred structures agree on all abstraction predicates.
    pub fn congruent(&self, left: &Structure, right: &Structure) -> bool {
        left.size == right.size
            && self.nullary.iter().all(|p| left.nullary(*p) == right.nullary(*p))
            && self.unary.iter().all(|p| left.unary[p.index()] == right.unary[p.index()])
    }

    /// Returns the values on which congruent structures agree, as a key for a map.
    pub(crate) fn key(&self, structure: &Structure) -> Box<[u64]> {
        let mut key = vec![u64::try_from(structure.size).unwrap_or(u64::MAX)];
        for p in &self.nullary {
            key.push(structure.nullary(*p) as u64);
        }
        for p in &self.unary {
            let Row { may, must } = structure.unary[p.index()];
            key.extend([may, must]);
        }
        key.into_boxed_slice()
    }

    /// Returns the tightest structure with the same individuals in which both congruent structures embed.
    ///
    /// `None` if the structures are not congruent.
    pub fn join(&self, left: &Structure, right: &Structure) -> Option<Structure> {
        if !self.congruent(left, right) {
            return None;
        }
        let mut result = left.clone();
        result.summary |= right.summary;
        for (value, other) in result.nullary.iter_mut().zip(&right.nullary) {
            *value = value.join(*other);
        }
        let rows = result.unary.iter_mut().zip(&right.unary);
        let pairs = result.binary.iter_mut().zip(&right.binary);
        let inverse = result.inverse.iter_mut().zip(&right.inverse);
        for (row, other) in rows.chain(pairs).chain(inverse) {
            *row = row.join(*other);
        }
        Some(result)
    }
}
