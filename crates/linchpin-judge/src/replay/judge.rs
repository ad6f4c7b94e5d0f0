//! Judges a replayed execution by the definitions of the properties alone.

use super::execution::End;
use super::lasso::{Lasso, fairness_exempt};
use super::refused::{ClaimNotShown, ReplayError};
use super::step_recorder::point_events;
use super::stuck::{Future, blocked_threads, future};
use crate::history::{
    Budget, Consistency, Ending, History, Judgement, NoPoints, PointEvent, PointMonitor, judge, observed,
};
use crate::replay::{Deadlock, Endless, Evidence, Inconsistency, PointsRefuted, TraceStep};
use crate::trace::{Claim, Trace};
use linchpin_ir::property::Property;
use linchpin_semantics::{Client, Cut, FaultProperty, Machine, SpecMachine, State};

/// A replayed execution, from its first state to its end.
pub(super) struct ReplayedExecution<'a> {
    pub machine: &'a Machine,
    pub client: &'a Client,
    pub spec: &'a SpecMachine,
    pub trace: &'a Trace,
    pub initial: &'a State,
    pub moments: &'a [TraceStep],
    pub end: Option<&'a End>,
    pub history: &'a History,
}

impl ReplayedExecution<'_> {
    /// Returns the evidence for the claim of the trace, or why there is none.
    pub fn evidence(&self) -> Result<Evidence, ReplayError> {
        match (self.trace.claim, self.end) {
            (Claim::Nothing, _) => Err(ReplayError::ClaimNotShown(ClaimNotShown::NothingClaimed)),
            (Claim::Violates(Property::MemorySafe), end) => self.faults(end, FaultProperty::MemorySafe),
            (Claim::Violates(Property::Assertions), end) => self.faults(end, FaultProperty::Assertions),
            (Claim::Violates(Property::Terminating), Some(End::Cut(Cut::Depth))) => self.recursion(),
            // Other properties concern executions up to their first error.
            (_, Some(_)) => Err(ReplayError::ClaimNotShown(ClaimNotShown::OtherEnd)),
            (Claim::RefutesPoints, None) => self.points(),
            (Claim::RefutesProgressByPoints, None) => {
                self.lasso(|lasso| lasso.refutes_progress_by_points(self.moments))
            }
            (Claim::Violates(property), None) => match property {
                Property::Linearizable => self.linearizable(),
                Property::SequentiallyConsistent => self.at_an_end(Consistency::Sequential),
                Property::QuiescentlyConsistent => self.at_an_end(Consistency::Quiescent),
                Property::BarrierConsistent => self.at_an_end(Consistency::Barrier),
                Property::Observers => self.observers(),
                Property::DeadlockFree => self.deadlock(),
                _ => self.endless(property),
            },
        }
    }

    /// Checks the cycle of the trace. A cycle is part of the claim, so it is checked or refused, never
    /// ignored. An endless execution was judged by its cycle. A stuck one may spin in a cycle. Any other
    /// violation needs none.
    pub fn cycle_belongs_to(&self, evidence: &Evidence) -> Result<(), ReplayError> {
        match (self.trace.cycle, evidence) {
            (None, _) | (Some(_), Evidence::Endless(_)) => Ok(()),
            (
                Some(_),
                Evidence::Deadlock(_) | Evidence::Inconsistent(Inconsistency { ending: Ending::Stuck, .. }),
            ) => self.circles(),
            (Some(_), _) => Err(ReplayError::ClaimNotShown(ClaimNotShown::NeedlessCycle)),
        }
    }

    fn last_state(&self) -> &State {
        self.moments.iter().rev().find_map(|moment| moment.after.as_ref()).unwrap_or(self.initial)
    }

    fn faults(&self, end: Option<&End>, property: FaultProperty) -> Result<Evidence, ReplayError> {
        match end {
            Some(End::Fault(fault)) if fault.property() == property => Ok(Evidence::Fault(fault.clone())),
            Some(_) => Err(ReplayError::ClaimNotShown(ClaimNotShown::OtherEnd)),
            None => {
                let leaks = self.machine.leaks(self.last_state());
                if property == FaultProperty::MemorySafe && !leaks.is_empty() {
                    return Ok(Evidence::Leak(leaks));
                }
                Err(ReplayError::ClaimNotShown(ClaimNotShown::NoFault))
            }
        }
    }

    /// Judges an execution in which one thread nests its calls for ever. It is fair if all other threads are
    /// exempt where the thread passes the bound.
    fn recursion(&self) -> Result<Evidence, ReplayError> {
        let Some(last) = self.moments.last() else {
            return Err(ReplayError::ClaimNotShown(ClaimNotShown::NoCycle));
        };
        let mut others = self.machine.bounds().thread_ids().filter(|thread| *thread != last.choice.thread);
        let excused = |thread| fairness_exempt(self.machine, self.client, self.last_state(), thread);
        if self.trace.instance.fair && !others.all(excused) {
            return Err(ReplayError::ClaimNotShown(ClaimNotShown::CycleIsUnfair));
        }
        Ok(Evidence::Recursion { thread: last.choice.thread, depth: self.machine.bounds().depth })
    }

    fn linearizable(&self) -> Result<Evidence, ReplayError> {
        let open = self.judge(Consistency::Linearizable, Ending::Open)?;
        match open {
            Judgement::Legal(_) if !self.history.is_complete() && self.future() == Future::Stuck => {
                self.inconsistent(Consistency::Linearizable, Ending::Stuck)
            }
            legal @ Judgement::Legal(_) => {
                Err(ReplayError::ClaimNotShown(ClaimNotShown::Legal(Box::new(legal))))
            }
            Judgement::Illegal(explanation) => {
                let (consistency, ending) = (Consistency::Linearizable, Ending::Open);
                Ok(Evidence::Inconsistent(Inconsistency { consistency, ending, explanation }))
            }
            Judgement::Unknown(limit) => Err(ReplayError::Undecided(limit)),
        }
    }

    /// Judges a property that is not closed under prefixes. It is judged only where no later call can justify
    /// an earlier result: at the end, where the execution is stuck and, for quiescent consistency, where no
    /// call is pending.
    fn at_an_end(&self, consistency: Consistency) -> Result<Evidence, ReplayError> {
        if matches!(self.client, Client::General(_)) {
            return Err(ReplayError::ClaimNotShown(ClaimNotShown::NoEnd));
        }
        let is_finished = |thread| self.client.is_finished(self.machine, self.last_state(), thread);
        let is_over = match consistency {
            Consistency::Quiescent => self.history.is_complete(),
            _ => self.machine.bounds().thread_ids().all(is_finished),
        };
        if !is_over {
            match self.future() {
                Future::Stuck => {}
                Future::GoesOn => return Err(ReplayError::ClaimNotShown(ClaimNotShown::NotOver)),
                Future::Unknown(states) => {
                    return Err(ReplayError::ClaimNotShown(ClaimNotShown::PerhapsStuck { states }));
                }
            }
        }
        self.inconsistent(consistency, Ending::Stuck)
    }

    fn inconsistent(&self, consistency: Consistency, ending: Ending) -> Result<Evidence, ReplayError> {
        match self.judge(consistency, ending)? {
            Judgement::Illegal(explanation) => {
                Ok(Evidence::Inconsistent(Inconsistency { consistency, ending, explanation }))
            }
            legal @ Judgement::Legal(_) => {
                Err(ReplayError::ClaimNotShown(ClaimNotShown::Legal(Box::new(legal))))
            }
            Judgement::Unknown(limit) => Err(ReplayError::Undecided(limit)),
        }
    }

    /// Checks that the trace ends in a cycle of a stuck execution whose threads spin. The cycle leads back to
    /// its first state, and no call begins or returns in it.
    fn circles(&self) -> Result<(), ReplayError> {
        let Some(start) = self.trace.cycle else { return Ok(()) };
        let lasso = Lasso::new(self.machine, self.client, self.moments, &self.states(), start);
        let circles = lasso.and_then(|lasso| lasso.circles());
        circles.map_err(ReplayError::ClaimNotShown)
    }

    fn states(&self) -> Vec<&State> {
        let after = self.moments.iter().filter_map(|moment| moment.after.as_ref());
        std::iter::once(self.initial).chain(after).collect()
    }

    fn deadlock(&self) -> Result<Evidence, ReplayError> {
        if self.history.is_complete() {
            return Err(ReplayError::ClaimNotShown(ClaimNotShown::NotStuck));
        }
        match self.future() {
            Future::Stuck => {}
            Future::GoesOn => return Err(ReplayError::ClaimNotShown(ClaimNotShown::NotStuck)),
            Future::Unknown(states) => {
                return Err(ReplayError::ClaimNotShown(ClaimNotShown::PerhapsStuck { states }));
            }
        }
        match self.judge(Consistency::Linearizable, Ending::Stuck)? {
            Judgement::Illegal(explanation) => {
                let threads = blocked_threads(self.machine, self.last_state());
                Ok(Evidence::Deadlock(Deadlock { threads, explanation }))
            }
            legal @ Judgement::Legal(_) => {
                Err(ReplayError::ClaimNotShown(ClaimNotShown::Justified(Box::new(legal))))
            }
            Judgement::Unknown(limit) => Err(ReplayError::Undecided(limit)),
        }
    }

    fn points(&self) -> Result<Evidence, ReplayError> {
        let mut monitor = PointMonitor::new(self.spec).map_err(|error| match error {
            NoPoints::Rendezvous => ReplayError::ClaimNotShown(ClaimNotShown::NoPoints),
            NoPoints::Spec(error) => ReplayError::Specification(error),
        })?;
        for (at, event) in point_events(self.moments) {
            if let Some(refutation) = monitor.feed(&event).map_err(ReplayError::Specification)? {
                return Ok(Evidence::PointsRefuted(PointsRefuted::Event { moment: at, refutation }));
            }
        }
        if !self.history.is_complete()
            && self.future() == Future::Stuck
            && let Some(cannot_wait) = monitor.cannot_wait().map_err(ReplayError::Specification)?
        {
            return Ok(Evidence::PointsRefuted(PointsRefuted::Stuck(cannot_wait)));
        }
        Err(ReplayError::ClaimNotShown(ClaimNotShown::PointsHold))
    }

    fn observers(&self) -> Result<Evidence, ReplayError> {
        let events: Vec<PointEvent> = point_events(self.moments).map(|(_, event)| event).collect();
        match observed(self.machine.program(), self.machine.bounds(), &events) {
            Ok(Some(found)) => Ok(Evidence::Observed(found)),
            Ok(None) => Err(ReplayError::ClaimNotShown(ClaimNotShown::NothingAccepted)),
            Err(_) => Err(ReplayError::ClaimNotShown(ClaimNotShown::NotObserved)),
        }
    }

    fn endless(&self, property: Property) -> Result<Evidence, ReplayError> {
        self.lasso(|lasso| lasso.violates(property, self.trace.instance.fair))
    }

    fn lasso(
        &self,
        judge: impl Fn(&Lasso<'_>) -> Result<Endless, ClaimNotShown>,
    ) -> Result<Evidence, ReplayError> {
        let start = self.trace.cycle.ok_or(ReplayError::ClaimNotShown(ClaimNotShown::NoCycle))?;
        let endless = Lasso::new(self.machine, self.client, self.moments, &self.states(), start)
            .and_then(|lasso| judge(&lasso));
        endless.map(Evidence::Endless).map_err(ReplayError::ClaimNotShown)
    }

    fn judge(&self, consistency: Consistency, ending: Ending) -> Result<Judgement, ReplayError> {
        judge(self.spec, self.history, consistency, ending, Budget::default())
            .map_err(ReplayError::Specification)
    }

    fn future(&self) -> Future {
        future(self.machine, self.client, self.last_state())
    }
}
