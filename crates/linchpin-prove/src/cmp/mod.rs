//! The compositional method (CMP): one kept thread, *Other*, and lemmas.
//!
//! After D. Sethi, M. Talupur, S. Malik, Model Checking Unbounded Concurrent Lists, 2013. There the user
//! finds lemmas one counterexample at a time. Here they are mined, and weakened until the rest supports
//! itself.
//!
//! The guesses of the root and of the abstract set are those of [`sets`](crate::sets).

mod fixpoint;
pub mod rounds;
mod translate;

use crate::alarm::AbstractStep;
use crate::lemma::Lemma;
use crate::sets::{meanings_of_presence, roots};
use fixpoint::{Cause, Fixpoint, Stopped, Unshown};
use linchpin_certify::cmp::lemma::is_shown;
use linchpin_certify::cmp::window::writing_rests;
use linchpin_certify::cmp_certificate::{CmpCertificate, RestLemma};
use linchpin_certify::set_certificate::{SetCertificate, ThreadView};
use linchpin_certify::sets::failure::SetFailure;
use linchpin_certify::sets::world::Witness;
use linchpin_engine::{BudgetMeter, Exhausted};
use linchpin_ir::heap::UnsupportedConstruct;
use linchpin_ir::heap::sets::SetLayout;
use linchpin_ir::program::Program;
use linchpin_ir::source::Span;
use std::collections::BTreeMap;

/// The method, applied to a program that it supports.
pub struct CmpProver<'p> {
    program: &'p Program,
    layout: SetLayout,
}

/// A certificate, and what the search did.
#[derive(Clone, Debug)]
pub struct CmpFound {
    pub certificate: CmpCertificate,
    /// The number of lemmas that were tried.
    pub guessed: usize,
    pub steps: u64,
    /// The number of different steps of *Other*.
    pub actions: usize,
}

/// The last facts of an abstract counterexample.
#[derive(Clone, Default, Debug)]
pub struct LastFacts {
    /// The window of the last step of *Other*.
    pub window: Option<ThreadView>,
    /// The kept thread in front of the step that fails.
    pub view: Option<ThreadView>,
}

/// The reason why no certificate was found.
#[derive(Clone, Debug)]
pub enum CmpStopped {
    /// An obligation that the analysis could not discharge, for the most successful guess, and the steps
    /// that lead there.
    Failed {
        failure: SetFailure,
        steps: Vec<AbstractStep>,
        last: Box<LastFacts>,
    },
    Exhausted(Exhausted),
    /// No shared pointer can be the root, or a step does what the method does not follow.
    NoWitness,
}

impl CmpProver<'_> {
    pub fn new(program: &Program) -> Result<CmpProver<'_>, Vec<UnsupportedConstruct>> {
        Ok(CmpProver { program, layout: SetLayout::of(program)? })
    }

    /// Returns the fields and variables of the program, resolved.
    pub fn layout(&self) -> &SetLayout {
        &self.layout
    }

    /// Returns the claims of lemmas that the method can use, each with its lemma: those in front of writes.
    pub fn usable<'l>(&self, lemmas: impl IntoIterator<Item = &'l Lemma>) -> BTreeMap<RestLemma, Lemma> {
        let rests = writing_rests(&self.layout);
        let translate =
            |lemma: &Lemma| Some((translate::translate(self.program, &self.layout, lemma)?, lemma.clone()));
        let all = lemmas.into_iter().filter_map(translate);
        all.filter(|(claim, _)| rests.contains(&(claim.op, claim.pc))).collect()
    }

    /// Returns the lemmas that are true in every view of a certificate, at places where some view rests.
    pub fn shown_in<'l>(
        &self,
        certificate: &SetCertificate,
        lemmas: impl IntoIterator<Item = &'l Lemma>,
    ) -> Vec<Lemma> {
        let is_shown = |claim: &RestLemma| {
            let mut views =
                certificate.threads.iter().filter(|view| view.at == Some((claim.op, claim.pc))).peekable();
            views.peek().is_some() && views.all(|view| is_shown(&self.layout, claim, view))
        };
        let translated = |lemma: &&Lemma| translate::translate(self.program, &self.layout, lemma);
        let shown = |lemma: &&Lemma| translated(lemma).is_some_and(|claim| is_shown(&claim));
        lemmas.into_iter().filter(shown).cloned().collect()
    }

    /// Searches for a certificate with these lemmas, or weaker ones.
    pub fn prove(&self, lemmas: &[RestLemma], meter: &mut BudgetMeter) -> Result<CmpFound, CmpStopped> {
        let mut best: Option<(u64, CmpStopped)> = None;
        for (id, root) in roots(&self.layout) {
            for present in meanings_of_presence(&self.layout) {
                let witness = Witness { root, present, deadlock_free: true, chains: false };
                let mut fixpoint = Fixpoint::new(&self.layout, witness, lemmas, Unshown::Drop);
                let stopped = match fixpoint.run(meter) {
                    Ok(()) => {
                        return Ok(CmpFound {
                            certificate: fixpoint.certificate(id),
                            guessed: lemmas.len(),
                            steps: fixpoint.steps,
                            actions: fixpoint.windows.len(),
                        });
                    }
                    Err(stopped) => stopped,
                };
                let stopped = match stopped {
                    Stopped::Exhausted(exhausted) => return Err(CmpStopped::Exhausted(exhausted)),
                    Stopped::Failed { failure, view } => {
                        let steps = self.steps_to(&fixpoint, view, failure.step);
                        let window = rounds::blamed(&fixpoint, view).next().cloned();
                        let view = fixpoint.views.get(view).map(|view| (**view).clone());
                        CmpStopped::Failed { failure, steps, last: Box::new(LastFacts { window, view }) }
                    }
                    Stopped::Unfollowed { failure, window } => {
                        let steps = vec![self.step_of(OTHER, &window)];
                        let last = Box::new(LastFacts { window: Some(*window), view: None });
                        CmpStopped::Failed { failure, steps, last }
                    }
                    Stopped::Lemma { .. } | Stopped::NoWitness => continue,
                };
                if best.as_ref().is_none_or(|(steps, _)| fixpoint.steps > *steps) {
                    best = Some((fixpoint.steps, stopped));
                }
            }
        }
        Err(best.map_or(CmpStopped::NoWitness, |(_, stopped)| stopped))
    }
    /// The abstract trace to a view, and the step that fails.
    fn steps_to(&self, fixpoint: &Fixpoint, view: usize, last: Option<Span>) -> Vec<AbstractStep> {
        let mut steps = Vec::new();
        if let (Some(view), Some(_)) = (fixpoint.views.get(view), last) {
            steps.push(AbstractStep { span: last, ..self.step_of(KEPT, view) });
        }
        let mut at = view;
        while let Some(cause) = fixpoint.causes.get(at) {
            let (step, before) = match cause {
                Cause::Init => break,
                Cause::Own(before) => (self.step_of(KEPT, &fixpoint.views[*before]), *before),
                Cause::Other(before, action) => (self.step_of(OTHER, &fixpoint.windows[*action]), *before),
            };
            // The step that begins a call has its operation from the view that it leads to.
            let op = step.op.clone().or_else(|| self.step_of(KEPT, &fixpoint.views[at]).op);
            steps.push(AbstractStep { op, ..step });
            at = before;
        }
        steps.reverse();
        steps
    }

    fn step_of(&self, thread: usize, view: &ThreadView) -> AbstractStep {
        let place = view.at.and_then(|(op, pc)| {
            let operation = self.layout.heap().ops().get(op)?;
            Some((operation.name.clone(), operation.method.code.get(pc)?.span))
        });
        let (op, span) = place.unzip();
        AbstractStep { thread, op, span, takes_effect: false, returns: false, observed: Vec::new() }
    }
}

/// The numbers of the kept thread and of *Other* in a trace.
const KEPT: usize = 0;
const OTHER: usize = 2;
