//! Proofs by pairs: pairwise thread-modular shape analysis with observers (Observers, sections 3 to 5).
//!
//! Observers watch the operations take effect. An observer accepts if it has seen something that the
//! specification forbids. The analysis computes *views* ([`certificate`](linchpin_certify::certificate)):
//! facts about any two threads and the shared state. If no view and no step from a view lets an observer
//! accept, the object is linearizable for any number of threads, cells and values. A second run watches one
//! arbitrary cell instead, and shows memory safety. The result is only a certificate: `linchpin-certify`
//! decides whether it is a proof.
//!
//! Modules use only modules above them:
//!
//! | module | contents |
//! |---|---|
//! | `program` | slots, shared variables, cell fields, rests, liveness, predicted results |
//! | `domain` | relations and shapes: composition, closure, join, meet of three threads, heap operations; values |
//! | `transfer` | postconditions of steps; observers, points, returns, leaks |
//! | `analysis` | the set of views, the steps of a third thread, and steps that need not be computed |
//! | `alarm` | the abstract trace to an alarm, and its calls |

mod alarm;
mod analysis;
mod domain;
mod program;
mod transfer;

use crate::alarm::AlarmKind;
use crate::prover::{Analysis, Failure, Found, Prover};
use alarm::trace_to_alarm;
use analysis::{Fixpoint, Stopped};
use linchpin_certify::certificate::{Certificate, Invariant, Obligation, Rest};
use linchpin_certify::observer_adequacy;
use linchpin_certify::observer_adequacy::ObserverProduct;
use linchpin_engine::{BudgetMeter, Exhausted, Listener};
use linchpin_ir::heap::UnsupportedConstruct;
use linchpin_ir::program::Program;
use program::{AnalyzedProgram, SlotSort};
use std::collections::BTreeSet;
use transfer::Context;

/// The name of the method.
pub const ENGINE: &str = "pairs";

/// The method of pairs, applied to a program that it supports.
pub struct PairsProver<'p> {
    program: AnalyzedProgram<'p>,
    products: Vec<ObserverProduct>,
    /// Skip steps whose result follows from known views.
    accelerate: bool,
    /// Alarms that the analysis ignores; empty except in tests.
    ignored: Vec<AlarmKind>,
}

impl<'p> Prover<'p> for PairsProver<'p> {
    fn new(program: &'p Program) -> Result<PairsProver<'p>, Vec<UnsupportedConstruct>> {
        let analyzed = AnalyzedProgram::of(program)?;
        let Some(products) = observer_adequacy::products(program, analyzed.heap().spec()) else {
            let construct = format!("the specification `{}`", program.spec.name);
            return Err(vec![UnsupportedConstruct { construct, span: program.spec.span }]);
        };
        Ok(PairsProver { program: analyzed, products, accelerate: true, ignored: Vec::new() })
    }

    fn name(&self) -> &'static str {
        ENGINE
    }

    fn prove(
        &self,
        analysis: Analysis,
        meter: &mut BudgetMeter,
        listener: &mut dyn Listener,
    ) -> Result<Found, Failure> {
        match analysis {
            Analysis::Conformance => self.conformance(meter, listener),
            Analysis::Memory => self.memory(meter, listener),
            Analysis::Assertions => self.assertions(meter, listener),
        }
    }

    fn certificate(&self, found: Vec<Found>) -> Certificate {
        let invariants = found.into_iter().flat_map(|found| found.invariants).collect();
        Certificate { rests: self.program.rests.clone(), invariants }
    }
}

impl<'p> PairsProver<'p> {
    /// Returns the reference prover, which computes every step in every view and every visible step in every
    /// triple.
    pub fn without_acceleration(self) -> PairsProver<'p> {
        PairsProver { accelerate: false, ..self }
    }

    /// Returns a prover that cheats, for tests: it ignores these alarms, so that only the checker can refuse
    /// its certificate.
    #[doc(hidden)]
    pub fn ignoring(self, ignored: Vec<AlarmKind>) -> PairsProver<'p> {
        PairsProver { ignored, ..self }
    }

    /// Returns a prover that cheats, for tests: it edits the rests of the program.
    #[doc(hidden)]
    pub fn editing_rests(mut self, edit: &dyn Fn(&mut Rest)) -> PairsProver<'p> {
        self.program.edit_rests(edit);
        self
    }

    fn conformance(&self, meter: &mut BudgetMeter, listener: &mut dyn Listener) -> Result<Found, Failure> {
        let mut all = Found::default();
        for (at, product) in self.products.iter().enumerate() {
            let dead = product.dead(self.program.source);
            let context = self.context(Obligation::Observers(at), &dead);
            let (invariant, steps) =
                self.run(Context { observers: Some(product), ..context }, meter, listener)?;
            all.invariants.push(invariant);
            all.steps += steps;
        }
        Ok(all)
    }

    /// Tries two kinds of roots of cells: first all shared variables, then each single one.
    fn memory(&self, meter: &mut BudgetMeter, listener: &mut dyn Listener) -> Result<Found, Failure> {
        let pointers = self.program.shared.iter().enumerate();
        let pointers = pointers.filter(|(_, sort)| **sort == SlotSort::Pointer).map(|(at, _)| Some(at));
        let mut roots = vec![None];
        if !self.program.collected {
            roots.extend(pointers);
        }
        let mut first = None;
        for root in roots {
            let dead = BTreeSet::new();
            let context = self.context(Obligation::Memory { root }, &dead);
            match self.run(Context { root, ..context }, meter, listener) {
                Ok((invariant, steps)) => return Ok(Found { invariants: vec![invariant], steps }),
                Err(Failure::Alarm(trace)) if trace.alarm.kind == AlarmKind::Leak => {
                    first.get_or_insert(Failure::Alarm(trace));
                }
                Err(failure) => return Err(failure),
            }
        }
        Err(first.unwrap_or(Failure::Exhausted(Exhausted::Interrupted)))
    }

    fn assertions(&self, meter: &mut BudgetMeter, listener: &mut dyn Listener) -> Result<Found, Failure> {
        let dead = BTreeSet::new();
        let (invariant, steps) = self.run(self.context(Obligation::Assertions, &dead), meter, listener)?;
        Ok(Found { invariants: vec![invariant], steps })
    }

    fn context<'a>(&'a self, obligation: Obligation, dead: &'a BTreeSet<u16>) -> Context<'a> {
        Context {
            program: &self.program,
            obligation,
            ignored: &self.ignored,
            observers: None,
            dead,
            root: None,
            visible_only: false,
            ordered: self.program.cell.label.is_some(),
        }
    }

    fn run(
        &self,
        context: Context,
        meter: &mut BudgetMeter,
        listener: &mut dyn Listener,
    ) -> Result<(Invariant, u64), Failure> {
        let mut fixpoint = Fixpoint::new(context, self.accelerate);
        match fixpoint.run(meter, listener) {
            Ok(()) => {
                let invariant = fixpoint.views().invariant(context.obligation, context.ordered);
                Ok((invariant, fixpoint.steps()))
            }
            // Cells are not in order: the analysis starts again without order.
            Err(Stopped::Alarm { alarm, .. }) if alarm.kind == AlarmKind::OutOfOrder => {
                self.run(Context { ordered: false, ..context }, meter, listener)
            }
            Err(Stopped::Exhausted(exhausted)) => Err(Failure::Exhausted(exhausted)),
            Err(Stopped::Alarm { alarm, cause }) => {
                Err(Failure::Alarm(Box::new(trace_to_alarm(&context, fixpoint.views(), alarm, cause))))
            }
        }
    }
}
