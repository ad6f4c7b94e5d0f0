//! The pool: the lemmas of a program's vocabulary that no sample falsifies.
//!
//! For each place the truth of every literal is recorded, once for each different row of truths. A literal
//! that is true in every row is a lemma. An implication `p -> q` is one if `q` is true wherever `p` is; it is
//! kept if `p` is true somewhere and `q` is not a lemma by itself. Two premises are tried for cell lemmas
//! only.

use super::evaluate::{Scene, Truth};
use super::syntax::{Lemma, Literal, Place};
use super::vocabulary::{literals, places};
use linchpin_engine::Budget;
use linchpin_engine::model::RequestError;
use linchpin_engine::samples::{Presence, Sample, Sampled, Samples};
use linchpin_ir::program::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Limits of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolLimits {
    /// The maximal number of different rows of a place. A place with more gives no implications.
    pub rows: usize,
    /// The maximal number of implications of a place.
    pub implications: usize,
}

impl Default for PoolLimits {
    fn default() -> PoolLimits {
        PoolLimits { rows: 20_000, implications: 2_000 }
    }
}

/// Lemmas that no sample falsifies, by place.
#[derive(Clone, Debug)]
pub struct LemmaPool {
    places: BTreeMap<Place, PlaceLemmas>,
    pub sampled: Sampled,
}

#[derive(Clone, Default, Debug)]
struct PlaceLemmas {
    always: Vec<Lemma>,
    implications: Vec<Lemma>,
}

/// Mines the lemmas of a program. Rests that no sample reaches have none: anything would be true there.
pub fn mine(
    program: &Program,
    samples: &dyn Samples,
    presence: Option<&Presence>,
    limits: PoolLimits,
    budget: &Budget,
) -> Result<LemmaPool, RequestError> {
    let mut tables: Vec<Table> =
        places(program).into_iter().map(|place| Table::new(program, place)).collect();
    let sampled = samples.for_each(presence, budget, &mut |sample| {
        let scene = Scene::new(sample);
        for table in &mut tables {
            table.add(&scene, limits.rows);
        }
        ControlFlow::Continue(())
    })?;
    let lemmas = tables.into_iter().map(|table| (table.place, table.lemmas(limits.implications)));
    Ok(LemmaPool { places: lemmas.collect(), sampled })
}

impl LemmaPool {
    /// Iterates over the lemmas without premises, in the order of their places.
    pub fn always(&self) -> impl Iterator<Item = &Lemma> {
        self.places.values().flat_map(|lemmas| &lemmas.always)
    }

    /// Iterates over the implications, in the order of their places.
    pub fn implications(&self) -> impl Iterator<Item = &Lemma> {
        self.places.values().flat_map(|lemmas| &lemmas.implications)
    }

    /// Returns the lemmas of one place, those without premises first.
    pub fn at(&self, place: Place) -> impl Iterator<Item = &Lemma> {
        let lemmas = self.places.get(&place);
        lemmas.into_iter().flat_map(|lemmas| lemmas.always.iter().chain(&lemmas.implications))
    }

    /// Returns the implications with the conclusion of a lemma. They follow from it, so they are weaker.
    pub fn weaker(&self, program: &Program, lemma: &Lemma) -> Vec<Lemma> {
        if !lemma.premises().is_empty() {
            return Vec::new();
        }
        let premises = literals(program, lemma.place).into_iter();
        let fitting = premises.filter(|premise| premise.atom != lemma.conclusion.atom);
        fitting.filter_map(|premise| Lemma::new(lemma.place, [premise], lemma.conclusion.clone())).collect()
    }

    /// Drops the lemmas that a further sample falsifies. Returns how many.
    pub fn refine(&mut self, sample: &Sample) -> usize {
        let scene = Scene::new(sample);
        let mut dropped = 0;
        for lemmas in self.places.values_mut() {
            for list in [&mut lemmas.always, &mut lemmas.implications] {
                let before = list.len();
                list.retain(|lemma| scene.holds(lemma));
                dropped += before - list.len();
            }
        }
        dropped
    }
}

/// The rows of one place. A row has a bit for each literal: whether it is true.
struct Table {
    place: Place,
    literals: Vec<Literal>,
    /// Whether each literal is true in every row.
    always: Vec<bool>,
    rows: BTreeSet<Vec<u64>>,
    is_full: bool,
    is_reached: bool,
}

impl Table {
    fn new(program: &Program, place: Place) -> Table {
        let literals = literals(program, place);
        let always = vec![true; literals.len()];
        Table { place, literals, always, rows: BTreeSet::new(), is_full: false, is_reached: false }
    }

    fn add(&mut self, scene: &Scene, most_rows: usize) {
        for reader in scene.readers(self.place) {
            self.is_reached = true;
            let mut row = vec![0_u64; self.literals.len().div_ceil(64)];
            for (at, literal) in self.literals.iter().enumerate() {
                if scene.truth(reader, literal) == Truth::True {
                    row[at / 64] |= 1 << (at % 64);
                } else {
                    self.always[at] = false;
                }
            }
            if self.rows.len() < most_rows {
                self.rows.insert(row);
            } else if !self.rows.contains(&row) {
                self.is_full = true;
            }
        }
    }

    fn lemmas(self, most_implications: usize) -> PlaceLemmas {
        if !self.is_reached {
            return PlaceLemmas::default();
        }
        let always = (0..self.literals.len()).filter(|at| self.always[*at]);
        let always = always.map(|at| Lemma::always(self.place, self.literals[at].clone())).collect();
        let implications = if self.is_full { Vec::new() } else { self.implications(most_implications) };
        PlaceLemmas { always, implications }
    }

    fn implications(&self, most: usize) -> Vec<Lemma> {
        // A column for each literal that is true in some rows and not in all.
        let width = self.rows.len().div_ceil(64);
        let mut columns: Vec<(usize, Vec<u64>)> = Vec::new();
        for at in (0..self.literals.len()).filter(|at| !self.always[*at]) {
            let mut column = vec![0_u64; width];
            for (number, row) in self.rows.iter().enumerate() {
                column[number / 64] |= (row[at / 64] >> (at % 64) & 1) << (number % 64);
            }
            if column.iter().any(|bits| *bits != 0) {
                columns.push((at, column));
            }
        }
        let mut found = Vec::new();
        let mut add = |premises: &[usize], conclusion: usize| {
            let premises = premises.iter().map(|at| self.literals[*at].clone());
            found.extend(Lemma::new(self.place, premises, self.literals[conclusion].clone()));
            found.len() < most
        };
        let implies = |left: &[u64], right: &[u64]| left.iter().zip(right).all(|(l, r)| l & !r == 0);
        let alike = |left: usize, right: usize| self.literals[left].atom == self.literals[right].atom;
        for (premise, column) in &columns {
            for (conclusion, own) in &columns {
                if !alike(*premise, *conclusion) && implies(column, own) && !add(&[*premise], *conclusion) {
                    return found;
                }
            }
        }
        if self.place != Place::EveryCell {
            return found;
        }
        for (at, (first, left)) in columns.iter().enumerate() {
            for (second, right) in &columns[at + 1..] {
                let both: Vec<u64> = left.iter().zip(right).map(|(l, r)| l & r).collect();
                if both.iter().all(|bits| *bits == 0) {
                    continue;
                }
                for (conclusion, own) in &columns {
                    let is_new = !implies(left, own) && !implies(right, own) && implies(&both, own);
                    if is_new && !add(&[*first, *second], *conclusion) {
                        return found;
                    }
                }
            }
        }
        found
    }
}
