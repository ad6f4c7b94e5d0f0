//! Weakening against every subset of the guesses.

use super::compiled;
use linchpin_prove::lemma::vocabulary::{literals, places};
use linchpin_prove::lemma::{Lemma, LemmaProver, weaken};
use std::collections::BTreeSet;
use std::convert::Infallible;

/// A prover that shows a lemma if it has one of its supports among the assumed lemmas.
struct Supports {
    guesses: Vec<Lemma>,
    /// For each guess, alternatives; each is a set of guesses that together show it.
    supports: Vec<Vec<BTreeSet<usize>>>,
    replacements: Vec<(usize, Lemma)>,
}

impl Supports {
    fn shows(&self, at: usize, assumed: &BTreeSet<usize>) -> bool {
        self.supports[at].iter().any(|needed| needed.is_subset(assumed))
    }
}

impl LemmaProver for Supports {
    type Stop = Infallible;

    fn not_shown(&mut self, lemmas: &[Lemma]) -> Result<Vec<usize>, Infallible> {
        let number = |lemma: &Lemma| self.guesses.iter().position(|guess| guess == lemma);
        let assumed: BTreeSet<usize> = lemmas.iter().filter_map(number).collect();
        let is_open = |lemma: &Lemma| number(lemma).is_some_and(|at| !self.shows(at, &assumed));
        Ok((0..lemmas.len()).filter(|at| is_open(&lemmas[*at])).collect())
    }

    fn weaker(&mut self, lemma: &Lemma) -> Vec<Lemma> {
        let of = |(at, _): &&(usize, Lemma)| self.guesses[*at] == *lemma;
        self.replacements.iter().filter(of).map(|(_, weaker)| weaker.clone()).collect()
    }
}

fn guesses(count: usize) -> Vec<Lemma> {
    let compiled = compiled("lazy_list");
    let place = places(&compiled.program)[3];
    let literals = literals(&compiled.program, place);
    literals.into_iter().take(count).map(|literal| Lemma::always(place, literal)).collect()
}

#[test]
fn what_is_kept_is_the_largest_subset_that_shows_itself() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut sizes = BTreeSet::new();
    for _ in 0..200 {
        let guesses = guesses(7);
        let support = |rng: &mut fastrand::Rng| {
            (0..rng.usize(..3)).map(|_| rng.usize(..7)).collect::<BTreeSet<usize>>()
        };
        let supports: Vec<Vec<BTreeSet<usize>>> =
            (0..7).map(|_| (0..rng.usize(..3)).map(|_| support(&mut rng)).collect()).collect();
        let mut prover = Supports { guesses: guesses.clone(), supports, replacements: Vec::new() };
        let largest = (0..1_usize << 7)
            .map(|bits| (0..7).filter(|at| bits >> at & 1 == 1).collect::<BTreeSet<usize>>())
            .filter(|set| set.iter().all(|at| prover.shows(*at, set)))
            .max_by_key(BTreeSet::len)
            .unwrap_or_default();
        let Ok(weakened) = weaken(guesses.clone(), &mut prover);
        let kept: BTreeSet<Lemma> = weakened.kept.iter().cloned().collect();
        let expected: BTreeSet<Lemma> = largest.iter().map(|at| guesses[*at].clone()).collect();
        assert_eq!(kept, expected);
        let dropped: usize = weakened.dropped.iter().map(Vec::len).sum();
        assert_eq!(kept.len() + dropped, guesses.len());
        sizes.insert(kept.len());
    }
    assert!(sizes.len() > 4, "{sizes:?}");
}

#[test]
fn a_dropped_lemma_is_replaced_once() {
    let all = guesses(3);
    // The first is not shown, its replacement is; the replacement of the second is not shown, and is the
    // first.
    let supports = vec![Vec::new(), Vec::new(), vec![BTreeSet::new()]];
    let replacements = vec![(0, all[2].clone()), (1, all[0].clone())];
    let mut prover = Supports { guesses: all.clone(), supports, replacements };
    let Ok(weakened) = weaken(all[..2].to_vec(), &mut prover);
    assert_eq!(weakened.kept, [all[2].clone()]);
    let mut dropped = all[..2].to_vec();
    dropped.sort();
    assert_eq!(weakened.dropped, [dropped]);
}
