//! Embedding: which structures a structure stands for.
//!
//! *S* embeds in *T* by *f* if two things hold. The map *f* leads from the individuals of *S* onto those of
//! *T*. And each value of *S* refines the value of *T* at the images. So *T* says nothing that is wrong of
//! *S*. The set γ(*T*) is that of all two-valued structures that embed in *T*. The embedding theorem says
//! that the value of each formula in *S* refines its value in *T*; the tests check it.

use crate::kleene::{Row, bits};
use crate::structure::{Individual, Structure};
use crate::vocabulary::Binary;

impl Structure {
    /// Tells whether `map`, which has an individual of `other` for each of this structure, is an embedding.
    pub fn embeds_by(&self, other: &Structure, map: &[Individual]) -> bool {
        let images: Vec<usize> = map.iter().map(|u| u.index()).collect();
        if images.len() != self.size || images.iter().any(|image| *image >= other.size) {
            return false;
        }
        let onto = images.iter().fold(0u64, |set, image| set | 1 << image) == other.universe();
        onto && self.nullary_refine(other)
            && (0..self.size).all(|u| self.may_map(other, u, images[u]))
            && (0..self.size).all(|u| self.equality_refines(other, u, &images))
            && (0..self.size).all(|u| self.pairs_refine(other, u, &images))
    }

    /// Returns an embedding in `other`, if there is one.
    pub fn embedding(&self, other: &Structure) -> Option<Vec<Individual>> {
        if self.counts != other.counts || self.size < other.size || !self.nullary_refine(other) {
            return None;
        }
        let mut candidates = Vec::new();
        for u in 0..self.size {
            let images = bits(other.universe()).filter(|image| self.may_map(other, u, *image));
            candidates.push(images.fold(0u64, |set, image| set | 1 << image));
        }
        let mut images = Vec::with_capacity(self.size);
        let found = self.extend(other, &candidates, &mut images);
        found.then(|| images.into_iter().map(Individual::of).collect())
    }

    /// Tells whether the structure embeds in `other`.
    pub fn embeds(&self, other: &Structure) -> bool {
        self.embedding(other).is_some()
    }

    fn extend(&self, other: &Structure, candidates: &[u64], images: &mut Vec<usize>) -> bool {
        let u = images.len();
        let covered = images.iter().fold(0u64, |set, image| set | 1 << image);
        if u == self.size {
            return covered == other.universe();
        }
        let reachable = candidates[u..].iter().fold(covered, |set, row| set | row);
        if reachable != other.universe() {
            return false;
        }
        for image in bits(candidates[u]) {
            images.push(image);
            let fits = self.equality_refines(other, u, images) && self.pairs_refine(other, u, images);
            if fits && self.extend(other, candidates, images) {
                return true;
            }
            images.pop();
        }
        false
    }

    fn nullary_refine(&self, other: &Structure) -> bool {
        self.nullary.iter().zip(&other.nullary).all(|(here, there)| here.refines(*there))
    }

    fn may_map(&self, other: &Structure, u: usize, image: usize) -> bool {
        let unary = self.unary.iter().zip(&other.unary);
        let loops = (0..self.counts.binary).all(|p| {
            let (here, there) = (p * self.size + u, p * other.size + image);
            self.binary[here].get(u).refines(other.binary[there].get(image))
        });
        (self.summary >> u & 1 <= other.summary >> image & 1)
            && loops
            && unary.into_iter().all(|(here, there)| here.get(u).refines(there.get(image)))
    }

    /// Whether the individuals before `u` that share its image are allowed to: the image is a summary.
    fn equality_refines(&self, other: &Structure, u: usize, images: &[usize]) -> bool {
        let image = images[u];
        other.summary >> image & 1 == 1 || !images[..u].contains(&image)
    }

    /// Whether the values of all pairs of `u` and an individual up to `u` are kept.
    fn pairs_refine(&self, other: &Structure, u: usize, images: &[usize]) -> bool {
        (0..self.counts.binary).all(|p| {
            let row =
                |structure: &Structure, from: usize| -> Row { structure.binary[p * structure.size + from] };
            (0..=u).all(|v| {
                row(self, u).get(v).refines(row(other, images[u]).get(images[v]))
                    && row(self, v).get(u).refines(row(other, images[v]).get(images[u]))
            })
        })
    }

    /// Merges groups of individuals: the tightest structure in which this one embeds by that map.
    ///
    /// Each group is a set of bits. The groups are not empty, and each individual is in one of them.
    pub(crate) fn merged(&self, groups: &[u64]) -> Structure {
        let mut result = Structure::falsehood(self.counts, groups.len());
        result.nullary.clone_from(&self.nullary);
        for (i, group) in groups.iter().enumerate() {
            if group.count_ones() > 1 || self.summary & group != 0 {
                result.summary |= 1 << i;
            }
            for (to, from) in result.unary.iter_mut().zip(&self.unary) {
                to.set(i, from.join_over(*group));
            }
        }
        for (number, p) in (0..self.counts.binary).zip((0..=u16::MAX).map(Binary)) {
            for (i, group) in groups.iter().enumerate() {
                let joined = bits(*group)
                    .map(|u| self.binary[number * self.size + u])
                    .reduce(Row::join)
                    .unwrap_or(Row::FALSE);
                let mut row = Row::FALSE;
                for (j, other) in groups.iter().enumerate() {
                    row.set(j, joined.join_over(*other));
                }
                result.set_row_from(p, i, row);
            }
        }
        result
    }
}
