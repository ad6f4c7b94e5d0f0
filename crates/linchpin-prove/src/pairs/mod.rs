//! Proofs by pairs: pairwise thread-modular shape analysis with observers (Observers, sections 3 to 5).
//!
//! **What is shown.** Observers watch the operations take effect; one that accepts has seen what the specification forbids. The analysis
//! computes *views* ([`certificate`](linchpin_certify::certificate)): what may be true of any two threads together with all that is shared.
//! If no view, and no step from one, lets an observer accept, the object is linearizable, for any number of threads, nodes and values. A second run, in which
//! one arbitrary cell is watched instead, shows that memory is safe. Whatever is found is only a certificate: the room
//! `certify` of the core decides whether it proves anything.
//!
//! | file | what it says |
//! |---|---|
//! | `plan`, `node`, `liveness`, `returned` | the program: slots, shared variables, cells, places to rest, what a call will return |
//! | `relation`, `shape`, `meet`, `heap` | the domain of shapes: composition, closure, join, three threads, what steps do to it |
//! | `scene` | a few threads in the middle of a step |
//! | `step`, `decide`, `access`, `labels`, `finish` | postconditions of every step; observers, points, returns, leaks |
//! | `views`, `fixpoint`, `blind`, `change`, `covered` | all views, the steps of a third thread, and which need not be made |
//! | `alarm`, `story`, `sketch` | what could not be excluded, how one comes there, and in which calls |

mod access;
mod alarm;
mod blind;
mod change;
mod covered;
mod decide;
mod finish;
mod fixpoint;
#[cfg(test)]
mod forests;
mod heap;
mod labels;
mod liveness;
#[cfg(test)]
mod meaning;
mod meet;
mod node;
mod plan;
mod relation;
mod returned;
mod scene;
mod shape;
mod sketch;
mod step;
mod story;
mod views;

pub use alarm::{Alarm, AlarmKind};
pub use sketch::Call;
pub use story::{AbstractStep, AbstractTrace, Observed};

use fixpoint::{Fixpoint, Stopped};
use linchpin_certify::certificate::{Certificate, Invariant, Obligation, Rest};
use linchpin_certify::link;
use linchpin_certify::link::Group;
use linchpin_engine::{BudgetMeter, Exhausted, Listener};
use linchpin_ir::heap::UnsupportedConstruct;
use linchpin_ir::program::Program;
use plan::{Kind, Plan};
use std::collections::BTreeSet;
use step::Context;

/// The engine's name.
pub const ENGINE: &str = "pairs";

/// A program that the method takes.
pub struct Prover<'p> {
    plan: Plan<'p>,
    groups: Vec<Group>,
    /// Whether steps are left out of which it is known what comes of them.
    spares: bool,
    /// Obligations that are not looked at; none but in tests.
    ignored: Vec<AlarmKind>,
}

/// Invariants that answer a question, and what they cost.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub invariants: Vec<Invariant>,
    /// Steps of threads that were computed.
    pub steps: u64,
}

/// Why there is no invariant.
#[derive(Clone, Debug)]
pub enum Failure {
    Alarm(Box<AbstractTrace>),
    Exhausted(Exhausted),
}

impl<'p> Prover<'p> {
    /// Refuses a program with all that is not taken.
    pub fn new(program: &'p Program) -> Result<Prover<'p>, Vec<UnsupportedConstruct>> {
        let plan = Plan::of(program)?;
        let Some(groups) = link::groups(program, plan.heap().spec()) else {
            let construct = format!("the specification `{}`", program.spec.name);
            return Err(vec![UnsupportedConstruct { construct, span: program.spec.span }]);
        };
        Ok(Prover { plan, groups, spares: true, ignored: Vec::new() })
    }

    /// The naive twin, which makes every step in every view, and in every three threads each that others can see.
    pub fn plainly(self) -> Prover<'p> {
        Prover { spares: false, ..self }
    }

    /// A prover that cheats, for tests: it does not look at these obligations, so that only the checker can tell.
    #[doc(hidden)]
    pub fn ignoring(self, ignored: Vec<AlarmKind>) -> Prover<'p> {
        Prover { ignored, ..self }
    }

    /// A prover that cheats, for tests: its rests say what they are made to say.
    #[doc(hidden)]
    pub fn saying(mut self, say: &dyn Fn(&mut Rest)) -> Prover<'p> {
        self.plan.edit_rests(say);
        self
    }

    /// That no observer of any group accepts, and every call takes effect once, with the result that it returns.
    pub fn conformance(
        &self,
        watch: &mut BudgetMeter,
        listener: &mut dyn Listener,
    ) -> Result<Found, Failure> {
        let mut all = Found::default();
        for (at, group) in self.groups.iter().enumerate() {
            let dead = group.dead(self.plan.program);
            let context = Context {
                plan: &self.plan,
                question: Obligation::Observers(at),
                ignored: &self.ignored,
                group: Some(group),
                dead: &dead,
                root: None,
                visible_only: false,
                ordered: self.plan.node.label.is_some(),
            };
            let (invariant, steps) = self.run(context, watch, listener)?;
            all.invariants.push(invariant);
            all.steps += steps;
        }
        Ok(all)
    }

    /// That no access, free or result is an error, and no cell is lost. Who keeps a cell is guessed: any shared variable, or else a certain one.
    pub fn memory(&self, watch: &mut BudgetMeter, listener: &mut dyn Listener) -> Result<Found, Failure> {
        let pointers = self.plan.shared.iter().enumerate();
        let pointers = pointers.filter(|(_, kind)| **kind == Kind::Pointer).map(|(at, _)| Some(at));
        let mut roots = vec![None];
        if !self.plan.collected {
            roots.extend(pointers);
        }
        let mut first = None;
        for root in roots {
            let dead = BTreeSet::new();
            let ordered = self.plan.node.label.is_some();
            let context = Context {
                plan: &self.plan,
                question: Obligation::Memory { root },
                ignored: &self.ignored,
                group: None,
                dead: &dead,
                root,
                visible_only: false,
                ordered,
            };
            match self.run(context, watch, listener) {
                Ok((invariant, steps)) => return Ok(Found { invariants: vec![invariant], steps }),
                Err(Failure::Alarm(story)) if story.alarm.kind == AlarmKind::Leak => {
                    first.get_or_insert(Failure::Alarm(story));
                }
                Err(failure) => return Err(failure),
            }
        }
        Err(first.unwrap_or(Failure::Exhausted(Exhausted::Interrupted)))
    }

    /// That no assertion fails, no index and no number leaves its bounds, no lock is given back by a thread that does not hold it, and local
    /// work ends.
    pub fn assertions(&self, watch: &mut BudgetMeter, listener: &mut dyn Listener) -> Result<Found, Failure> {
        let dead = BTreeSet::new();
        let context = Context {
            plan: &self.plan,
            question: Obligation::Assertions,
            ignored: &self.ignored,
            group: None,
            dead: &dead,
            root: None,
            visible_only: false,
            ordered: self.plan.node.label.is_some(),
        };
        let (invariant, steps) = self.run(context, watch, listener)?;
        Ok(Found { invariants: vec![invariant], steps })
    }

    /// The certificate that is made of what was found.
    pub fn certificate(&self, found: impl IntoIterator<Item = Found>) -> Certificate {
        let invariants = found.into_iter().flat_map(|found| found.invariants).collect();
        Certificate { rests: self.plan.rests.clone(), invariants }
    }

    fn run(
        &self,
        context: Context,
        watch: &mut BudgetMeter,
        listener: &mut dyn Listener,
    ) -> Result<(Invariant, u64), Failure> {
        let mut fixpoint = Fixpoint::new(context, self.spares);
        match fixpoint.run(watch, listener) {
            Ok(()) => Ok((fixpoint.views.invariant(context.question, context.ordered), fixpoint.steps)),
            // They are not in order: it must do without.
            Err(Stopped::Alarm { alarm, .. }) if alarm.kind == AlarmKind::OutOfOrder => {
                self.run(Context { ordered: false, ..context }, watch, listener)
            }
            Err(Stopped::Exhausted(exhausted)) => Err(Failure::Exhausted(exhausted)),
            Err(Stopped::Alarm { alarm, cause }) => {
                Err(Failure::Alarm(Box::new(story::tell(&context, &fixpoint.views, alarm, cause))))
            }
        }
    }
}
