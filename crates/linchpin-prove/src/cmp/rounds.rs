//! The refinement loop, made visible: counterexamples of the abstraction, and the lemmas that exclude them.
//!
//! The loop begins without lemmas. Each round ends in a counterexample of the abstraction. A step of *Other*
//! on the way there is made from a window that a proved lemma excludes; the lemma is added. When nothing is
//! left, each lemma is tried for its need: it is redundant if the others suffice without it.
//!
//! Nothing here is trusted, and no proof rests on it.

use super::fixpoint::{Cause, Fixpoint, Stopped, Unshown};
use super::{CmpProver, OTHER};
use crate::alarm::AbstractStep;
use linchpin_certify::cmp::lemma::{Known, Truth};
use linchpin_certify::cmp_certificate::{Claim, Fact, PointerName, RestLemma};
use linchpin_certify::set_certificate::{SetCertificate, SlotValue, ThreadView};
use linchpin_certify::sets::failure::SetFailure;
use linchpin_certify::sets::witness;
use linchpin_certify::sets::world::Witness;
use linchpin_engine::{BudgetMeter, Exhausted};
use std::collections::BTreeSet;

/// One counterexample of the abstraction.
#[derive(Clone, Debug)]
pub struct Round {
    pub why: Why,
    /// The steps that lead there.
    pub steps: Vec<AbstractStep>,
    /// The windows of the steps of *Other* on the way, last first.
    windows: Vec<ThreadView>,
    /// The window of the step of *Other* that is to blame.
    pub window: Option<ThreadView>,
    /// The kept thread in front of the last step.
    pub view: Option<ThreadView>,
    /// The lemma that is added; `None` ends the loop.
    pub added: Option<RestLemma>,
}

/// What goes wrong in a counterexample.
#[derive(Clone, Debug)]
pub enum Why {
    /// A step of the kept thread may break an obligation.
    Failed(SetFailure),
    /// A step of *Other* cannot be followed.
    Unfollowed(SetFailure),
    /// A lemma that was added is not true in a view.
    Lemma(RestLemma),
}

/// The rounds until nothing is left, and the lemmas that are needed.
#[derive(Clone, Debug)]
pub struct Rounds {
    pub rounds: Vec<Round>,
    /// Whether the added lemmas suffice.
    pub is_proved: bool,
    /// The added lemmas without which the others do not suffice, sorted.
    pub needed: Vec<RestLemma>,
}

/// What is known of one lemma.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// The proof fails without it.
    Needed,
    Redundant,
    /// Some view does not show it.
    NotShown,
}

impl CmpProver<'_> {
    /// Runs the loop with the lemmas of a certificate, at most `most` rounds.
    pub fn rounds(
        &self,
        views: &SetCertificate,
        proved: &[RestLemma],
        most: usize,
        meter: &mut BudgetMeter,
    ) -> Result<Rounds, Exhausted> {
        let mut rounds = Vec::new();
        let mut lemmas: BTreeSet<RestLemma> = BTreeSet::new();
        let Some(witness) = witness(&self.layout, views) else {
            return Ok(Rounds { rounds, is_proved: false, needed: Vec::new() });
        };
        while let Some(mut round) = self.round(&witness, &lemmas, meter)? {
            let is_last = rounds.len() + 1 >= most;
            let chosen = if is_last { None } else { self.choose(&round, proved, &lemmas) };
            (round.window, round.added) = match chosen {
                Some((window, lemma)) => (Some(window), Some(lemma)),
                None => (round.windows.first().cloned(), None),
            };
            let added = round.added.clone();
            rounds.push(round);
            match added {
                Some(lemma) => lemmas.insert(lemma),
                None => return Ok(Rounds { rounds, is_proved: false, needed: Vec::new() }),
            };
        }
        let needed = self.needed(&witness, lemmas, meter)?;
        Ok(Rounds { rounds, is_proved: true, needed })
    }

    /// Drops lemmas as long as the rest suffices.
    fn needed(
        &self,
        witness: &Witness,
        mut lemmas: BTreeSet<RestLemma>,
        meter: &mut BudgetMeter,
    ) -> Result<Vec<RestLemma>, Exhausted> {
        for lemma in lemmas.clone().into_iter().rev() {
            lemmas.remove(&lemma);
            if self.round(witness, &lemmas, meter)?.is_some() {
                lemmas.insert(lemma);
            }
        }
        Ok(lemmas.into_iter().collect())
    }

    /// Says of a lemma, beside the lemmas that suffice, whether the proof fails without it.
    pub fn standing(
        &self,
        views: &SetCertificate,
        lemma: &RestLemma,
        kept: &[RestLemma],
        meter: &mut BudgetMeter,
    ) -> Result<Standing, Exhausted> {
        let mut others: BTreeSet<RestLemma> = kept.iter().cloned().collect();
        let Some(witness) = witness(&self.layout, views).filter(|_| others.remove(lemma)) else {
            return Ok(Standing::NotShown);
        };
        Ok(match self.round(&witness, &others, meter)? {
            Some(_) => Standing::Needed,
            None => Standing::Redundant,
        })
    }

    /// Searches for a counterexample of the abstraction; `None` if there is none.
    pub(super) fn round(
        &self,
        witness: &Witness,
        lemmas: &BTreeSet<RestLemma>,
        meter: &mut BudgetMeter,
    ) -> Result<Option<Round>, Exhausted> {
        let lemmas: Vec<RestLemma> = lemmas.iter().cloned().collect();
        let mut fixpoint = Fixpoint::new(&self.layout, witness.clone(), &lemmas, Unshown::Stop);
        let (why, view) = match fixpoint.run(meter) {
            Ok(()) => return Ok(None),
            Err(Stopped::Exhausted(exhausted)) => return Err(exhausted),
            Err(Stopped::NoWitness) => return Ok(None),
            Err(Stopped::Unfollowed { failure, window }) => {
                let steps = vec![self.step_of(OTHER, &window)];
                let (why, windows) = (Why::Unfollowed(failure), vec![*window]);
                return Ok(Some(Round { why, steps, windows, window: None, view: None, added: None }));
            }
            Err(Stopped::Failed { failure, view }) => (Why::Failed(failure), view),
            Err(Stopped::Lemma { lemma, view }) => (Why::Lemma(lemma), view),
        };
        let steps = self.steps_to(&fixpoint, view, None);
        let windows = blamed(&fixpoint, view).cloned().collect();
        let view = fixpoint.views.get(view).map(|view| (**view).clone());
        Ok(Some(Round { why, steps, windows, window: None, view, added: None }))
    }

    /// Returns a step of *Other* that a proved lemma excludes, or one of which a proved lemma says more.
    fn choose(
        &self,
        round: &Round,
        proved: &[RestLemma],
        added: &BTreeSet<RestLemma>,
    ) -> Option<(ThreadView, RestLemma)> {
        let mut best = None;
        for (position, window) in round.windows.iter().enumerate() {
            let Some(at) = window.at else { continue };
            // What the window does not have is not known.
            let slots: Vec<Option<SlotValue>> = window
                .slots
                .iter()
                .map(|value| Some(*value).filter(|value| *value != SlotValue::Absent))
                .collect();
            let known = Known {
                layout: &self.layout,
                slots: &slots,
                shared: &window.shared,
                cells: &window.cells,
                locks: window.locks,
            };
            for lemma in proved.iter().filter(|lemma| (lemma.op, lemma.pc) == at && !added.contains(lemma)) {
                let excludes = known.lemma(lemma) == Truth::False;
                let rank = (!excludes, position, weight(&lemma.conclusion), lemma);
                if best.as_ref().is_none_or(|known| rank < *known) {
                    best = Some(rank);
                }
            }
        }
        best.map(|(_, position, _, lemma)| (round.windows[position].clone(), lemma.clone()))
    }
}

/// Locks first, then neighbours, then the rest: the order in which the paper presents its lemmas.
fn weight(claim: &Claim) -> usize {
    let is_link =
        |pointer: &PointerName| matches!(pointer, PointerName::NextOf(_) | PointerName::SecondOf(_));
    match (&claim.fact, claim.is_positive) {
        (Fact::Holds(_) | Fact::HoldsShared(_), true) => 0,
        (Fact::Same(a, b), true) if is_link(a) || is_link(b) => 1,
        (Fact::Linked(_), true) => 2,
        (Fact::Less(..), true) => 3,
        (Fact::Private(_), true) => 4,
        (Fact::SameKey(..), true) => 5,
        _ => 6,
    }
}

/// The windows of the steps of *Other* that may be to blame for a view, last first. Steps that changed the
/// thread's cells come first, then those that changed what the thread may meet.
pub(super) fn blamed<'f>(fixpoint: &'f Fixpoint, view: usize) -> impl Iterator<Item = &'f ThreadView> {
    let met = fixpoint.edge_causes.iter().rev().filter_map(|action| fixpoint.windows.get(*action));
    others_before(fixpoint, view).chain(met)
}

/// The windows of the steps of *Other* on the way to a view, last first.
fn others_before<'f>(fixpoint: &'f Fixpoint, view: usize) -> impl Iterator<Item = &'f ThreadView> {
    let before = |at: &usize| match fixpoint.causes.get(*at) {
        Some(Cause::Own(before) | Cause::Other(before, _)) => Some(*before),
        Some(Cause::Init) | None => None,
    };
    std::iter::successors(Some(view), before).filter_map(|at| match fixpoint.causes.get(at) {
        Some(Cause::Other(_, action)) => fixpoint.windows.get(*action),
        _ => None,
    })
}
