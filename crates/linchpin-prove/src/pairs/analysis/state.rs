//! The state that all parts of the analysis share: the views, the queue of views to expand, and the count of
//! steps.

use super::interference::ViewId;
use super::views::{Added, Cause, Provenance, TooManyTerms, Views};
use crate::alarm::{Alarm, AlarmKind};
use crate::pairs::program::AnalyzedProgram;
use crate::pairs::transfer::{Context, Outcomes, UnpackedView};
use linchpin_certify::certificate::Obligation;
use linchpin_engine::Exhausted;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The reason why the analysis ends without an invariant.
pub enum Stopped {
    Alarm { alarm: Alarm, cause: Option<Cause> },
    Exhausted(Exhausted),
}

pub struct AnalysisState<'a> {
    pub context: Context<'a>,
    pub views: Views,
    /// Views whose own steps are still to be made. The views found first come first, because others follow
    /// from them.
    queue: BinaryHeap<Reverse<ViewId>>,
    /// The number of steps computed.
    pub steps: u64,
}

/// The obligations to which an alarm belongs exclusively.
struct AlarmKinds {
    conformance: bool,
    memory: bool,
    assertions: bool,
}

impl AlarmKinds {
    fn of(kind: &AlarmKind) -> AlarmKinds {
        AlarmKinds {
            conformance: kind.is_conformance(),
            memory: kind.is_memory(),
            assertions: kind.is_assertions(),
        }
    }
}

impl<'a> AnalysisState<'a> {
    pub fn new(context: Context<'a>) -> AnalysisState<'a> {
        AnalysisState { context, views: Views::new(), queue: BinaryHeap::new(), steps: 0 }
    }

    pub fn program(&self) -> &'a AnalyzedProgram<'a> {
        self.context.program
    }

    /// Computes all results of a step of a thread.
    pub fn step(&mut self, scene: UnpackedView, actor: usize) -> Outcomes {
        let mut outcomes = Outcomes::default();
        self.context.step(scene, actor, &mut outcomes);
        self.steps += 1;
        outcomes
    }

    /// Returns whether an alarm is a failure of the obligation.
    fn concerns(&self, alarm: &Alarm) -> bool {
        let AlarmKinds { conformance, memory, assertions } = AlarmKinds::of(&alarm.kind);
        let is_relevant = match self.context.obligation {
            Obligation::Observers(_) => !memory && !assertions,
            Obligation::Memory { .. } => !conformance && !assertions,
            Obligation::Assertions => !conformance && !memory,
        };
        is_relevant && !self.context.ignored.contains(&alarm.kind)
    }

    /// Stops at the first alarm that concerns the obligation.
    pub fn check_alarms(&self, outcomes: &Outcomes, cause: Option<Cause>) -> Result<(), Stopped> {
        match outcomes.alarms.iter().find(|alarm| self.concerns(alarm)) {
            Some(alarm) => Err(Stopped::Alarm { alarm: alarm.clone(), cause }),
            None => Ok(()),
        }
    }

    /// Adds the view of two threads, and enqueues it if it is new or has grown.
    pub fn add(
        &mut self,
        scene: &UnpackedView,
        threads: [usize; 2],
        provenance: Option<Provenance>,
    ) -> Result<Added, Stopped> {
        let added = self.views.add(self.program(), scene, threads, provenance).map_err(|TooManyTerms| {
            let cause = provenance.map(|provenance| provenance.cause);
            Stopped::Alarm { alarm: self.too_many_terms(), cause }
        })?;
        self.enqueue(added.grown);
        Ok(added)
    }

    pub fn too_many_terms(&self) -> Alarm {
        Alarm { kind: AlarmKind::TooManyTerms, span: self.program().source.object_span }
    }

    /// Enqueues a view that is new or has grown.
    pub fn enqueue(&mut self, grown: Option<ViewId>) {
        if let Some(id) = grown {
            let known = &mut self.views.views[id as usize];
            if !known.open {
                known.open = true;
                self.queue.push(Reverse(id));
            }
        }
    }

    /// Removes and returns the next view whose own steps are to be made.
    pub fn dequeue(&mut self) -> Option<ViewId> {
        let Reverse(id) = self.queue.pop()?;
        self.views.views[id as usize].open = false;
        Some(id)
    }

    /// Returns the number of queued views.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }
}
