//! Weakening: from guesses to claims that support each other.
//!
//! A prover assumes all lemmas of the state before a step and reports those that it cannot show of the state
//! after it. These are dropped, or replaced by weaker ones, and the prover tries again. Each lemma enters at
//! most once and leaves at most once, so the loop ends.
//!
//! **Claim** (Flanagan and Leino, Houdini, FME 2001). The result is the largest inductive subset of the
//! guesses, under two assumptions. The prover reports a lemma only if it is not inductive relative to the
//! others. It offers nothing weaker.

use super::syntax::Lemma;
use std::collections::BTreeSet;

/// A prover of lemmas.
pub trait LemmaProver {
    /// The reason why a run ended early.
    type Stop;

    /// Assumes all lemmas and returns the numbers of those that it cannot show. An empty list means that all
    /// are shown together.
    fn not_shown(&mut self, lemmas: &[Lemma]) -> Result<Vec<usize>, Self::Stop>;

    /// Returns lemmas that follow from this one and may be shown where it is not.
    fn weaker(&mut self, _lemma: &Lemma) -> Vec<Lemma> {
        Vec::new()
    }
}

/// The result of weakening.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Weakened {
    /// The lemmas that the prover showed together, sorted.
    pub kept: Vec<Lemma>,
    /// The lemmas that were dropped, round by round.
    pub dropped: Vec<Vec<Lemma>>,
}

/// Weakens lemmas until the prover shows all that are left.
pub fn weaken<P: LemmaProver>(
    guesses: impl IntoIterator<Item = Lemma>,
    prover: &mut P,
) -> Result<Weakened, P::Stop> {
    let mut current: BTreeSet<Lemma> = guesses.into_iter().collect();
    let mut met = current.clone();
    let mut dropped = Vec::new();
    loop {
        let lemmas: Vec<Lemma> = current.iter().cloned().collect();
        let open: BTreeSet<usize> =
            prover.not_shown(&lemmas)?.into_iter().filter(|at| *at < lemmas.len()).collect();
        if open.is_empty() {
            return Ok(Weakened { kept: lemmas, dropped });
        }
        let round: Vec<Lemma> = open.into_iter().map(|at| lemmas[at].clone()).collect();
        for lemma in &round {
            current.remove(lemma);
        }
        for lemma in &round {
            for weaker in prover.weaker(lemma) {
                if met.insert(weaker.clone()) {
                    current.insert(weaker);
                }
            }
        }
        dropped.push(round);
    }
}
