//! Sets of the six relations between two nodes of an acyclic graph in which each node has at most one edge.
//!
//! Exactly one relation holds between any two nodes. They are the same, or one is the successor of the other.
//! Or one is reached from the other by two or more edges, or they are apart.
//!
//! [`compose`] is the algebra: the relations of `a` and `c` that are consistent with one of `a` and `b` and
//! one of `b` and `c`. The table was found by enumerating all such graphs of up to seven nodes; five nodes
//! already show all of it. The test `compositions_are_those_of_all_small_graphs` enumerates the graphs again.

use linchpin_certify::certificate::{APART, BEFORE, FAR, FAR_BEFORE, NEXT, SAME};

/// A set of relations, one bit each.
pub type Relations = u8;

/// The relations in which the first node reaches the second.
pub const REACHES: Relations = SAME | NEXT | FAR;

/// The number of sets.
const SETS: usize = 64;

/// Returns the relations of `b` and `a`, for a set of relations of `a` and `b`.
#[inline]
pub const fn converse(set: Relations) -> Relations {
    (set & (SAME | APART)) | (set & (NEXT | FAR)) << 1 | (set & (BEFORE | FAR_BEFORE)) >> 1
}

/// Returns the relations of `a` and `c`, for those of `a` and `b` and those of `b` and `c`.
#[inline]
pub fn compose(first: Relations, second: Relations) -> Relations {
    COMPOSITION[(first & 63) as usize][(second & 63) as usize]
}

/// Returns a row of the composition table: all compositions of a set.
#[inline]
pub fn compositions(first: Relations) -> &'static [Relations; SETS] {
    &COMPOSITION[(first & 63) as usize]
}

/// Lists the members of a set.
#[inline]
pub fn members(set: Relations) -> impl Iterator<Item = Relations> {
    (0..6).map(|bit| 1 << bit).filter(move |relation| set & relation != 0)
}

/// The compositions of single relations, by the bits of both.
const SINGLE: [[Relations; 6]; 6] = [
    [SAME, NEXT, BEFORE, FAR, FAR_BEFORE, APART],
    [NEXT, FAR, SAME | APART, FAR, BEFORE | FAR_BEFORE | APART, APART],
    [BEFORE, SAME, FAR_BEFORE, NEXT | FAR, FAR_BEFORE, BEFORE | FAR_BEFORE | APART],
    [FAR, FAR, NEXT | FAR | APART, FAR, 63, APART],
    [FAR_BEFORE, BEFORE | FAR_BEFORE, FAR_BEFORE, 31, FAR_BEFORE, BEFORE | FAR_BEFORE | APART],
    [APART, NEXT | FAR | APART, APART, NEXT | FAR | APART, APART, 63],
];

static COMPOSITION: [[Relations; SETS]; SETS] = composition();

const fn composition() -> [[Relations; SETS]; SETS] {
    let mut table = [[0; SETS]; SETS];
    let mut first = 0;
    while first < SETS {
        let mut second = 0;
        while second < SETS {
            let mut bit = 0;
            while bit < 36 {
                if first >> (bit / 6) & 1 == 1 && second >> (bit % 6) & 1 == 1 {
                    table[first][second] |= SINGLE[bit / 6][bit % 6];
                }
                bit += 1;
            }
            second += 1;
        }
        first += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::domain::forests::{for_each_forest, relation};
    use linchpin_certify::certificate::ANY;

    #[test]
    fn compositions_are_those_of_all_small_graphs() {
        let mut seen = [[0; 6]; 6];
        for nodes in 1..=7 {
            for_each_forest(nodes, &mut |edges| {
                for a in 0..nodes {
                    for b in 0..nodes {
                        let first = relation(edges, a, b).trailing_zeros() as usize;
                        for c in 0..nodes {
                            let second = relation(edges, b, c).trailing_zeros() as usize;
                            seen[first][second] |= relation(edges, a, c);
                        }
                    }
                }
            });
        }
        assert_eq!(seen, SINGLE);
    }

    #[test]
    fn laws() {
        for a in 0..=ANY {
            assert_eq!(converse(converse(a)), a);
            assert_eq!(compose(a, SAME), a);
            assert_eq!(compose(SAME, a), a);
            assert_eq!(members(a).fold(0, |all, one| all | one), a);
            for b in 0..=ANY {
                assert_eq!(converse(compose(a, b)), compose(converse(b), converse(a)));
                assert_eq!(members(b).fold(0, |all, one| all | compose(a, one)), compose(a, b));
            }
        }
    }
}
