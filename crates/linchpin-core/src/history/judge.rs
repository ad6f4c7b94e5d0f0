//! The judgement of one history, for each consistency property and each way in which a history may end.
//!
//! **Open**: the execution may go on. A pending call may or may not have taken effect, with whatever result. The history is
//! legal iff some order of all completed and some pending calls keeps the property's [precedence](super::precedence), is a
//! sequential execution of the specification, and gives each completed call the result that it returned.
//!
//! **Stuck**: no pending call will ever return. The history is legal iff *each* pending call is justified by itself: with
//! the other pending calls dropped, as if they had never been made, some legal order of the completed calls ends in a state
//! in which no clause lets this call happen alone. (A rendezvous needs a partner, and none is left.) This is definition 2.1
//! of Davis and Siegel 2025, after Burckhardt et al. 2010. Without pending calls it is the same as open.
//!
//! Linearizability alone is closed under prefixes; for the other two a later call may justify an earlier result, so that an
//! open history that is illegal may become legal.

use super::ask::Ask;
use super::judgement::{Budget, Enabled, Explanation, Judgement, Justification, Witness};
use super::precedence::{Consistency, Precedence};
use super::record::{CallId, History};
use super::search::{Ended, Search};
use crate::semantics::{SpecError, SpecMachine, SpecState};

/// How the pending calls of a history are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    Open,
    Stuck,
}

/// Whether each operation can have taken effect at one moment between its call and its return.
pub fn linearizable(spec: &SpecMachine, history: &History, budget: Budget) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Linearizable, Ending::Open, budget)
}

/// Whether the specification justifies that the pending calls of a linearizable history never return.
pub fn stuck(spec: &SpecMachine, history: &History, budget: Budget) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Linearizable, Ending::Stuck, budget)
}

/// Whether one order, each thread's own order kept, explains a complete or stuck history.
pub fn sequentially_consistent(
    spec: &SpecMachine,
    history: &History,
    budget: Budget,
) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Sequential, Ending::Stuck, budget)
}

/// Whether one order that respects all quiescent moments explains a complete or stuck history.
pub fn quiescently_consistent(
    spec: &SpecMachine,
    history: &History,
    budget: Budget,
) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Quiescent, Ending::Stuck, budget)
}

/// An error is the specification's own fault, or a bound that it left: nothing is known then. The history is one of the
/// specification's program.
pub fn judge(
    spec: &SpecMachine,
    history: &History,
    consistency: Consistency,
    ending: Ending,
    budget: Budget,
) -> Result<Judgement, SpecError> {
    let case = Case { ask: Ask::new(spec, history), history, consistency, budget };
    match ending {
        Ending::Stuck if !history.is_complete() => case.stuck(),
        Ending::Open | Ending::Stuck => case.open(),
    }
}

/// How many dead ends, or ends at which a stuck call could go on, an explanation shows.
const SHOWN: usize = 8;

struct Case<'a> {
    ask: Ask<'a>,
    history: &'a History,
    consistency: Consistency,
    budget: Budget,
}

impl Case<'_> {
    fn open(&self) -> Result<Judgement, SpecError> {
        let mut search = self.search(self.history.pending().collect(), |_| true);
        match search.run(|_| Ok(true))? {
            Ended::Accepted(end) => Ok(Judgement::Legal(Witness::Order(search.legal_order(end)?))),
            Ended::Exhausted => Ok(Judgement::Illegal(no_order(&search)?)),
            Ended::OutOfBudget(limit) => Ok(Judgement::Unknown(limit)),
        }
    }

    fn stuck(&self) -> Result<Judgement, SpecError> {
        let mut justifications = Vec::new();
        for call in self.history.pending() {
            let is_completed = |other: CallId| !self.history.call(other).is_pending();
            let mut search = self.search(Vec::new(), |other| other == call || is_completed(other));
            let mut complete_orders = 0;
            let ended = search.run(|state| {
                complete_orders += 1;
                Ok(self.ask.outcomes(state, &[call])?.is_empty())
            })?;
            match ended {
                Ended::Accepted(end) => {
                    justifications.push(Justification { call, order: search.legal_order(end)? })
                }
                Ended::Exhausted if complete_orders == 0 => {
                    return Ok(Judgement::Illegal(no_order(&search)?));
                }
                Ended::Exhausted => return Ok(Judgement::Illegal(self.unjustified(&search, call)?)),
                Ended::OutOfBudget(limit) => return Ok(Judgement::Unknown(limit)),
            }
        }
        Ok(Judgement::Legal(Witness::Stuck(justifications)))
    }

    fn search(&self, pending: Vec<CallId>, counts: impl Fn(CallId) -> bool) -> Search<'_> {
        let precedence = Precedence::new(self.history, self.consistency, counts);
        let completed =
            self.history.calls().entries().filter(|(_, call)| !call.is_pending()).map(|(id, _)| id);
        Search::new(&self.ask, precedence, completed.collect(), pending, self.budget)
    }

    fn unjustified(&self, search: &Search, call: CallId) -> Result<Explanation, SpecError> {
        let could_return = |state: &SpecState| -> Result<Vec<_>, SpecError> {
            let mut results: Vec<_> =
                self.ask.outcomes(state, &[call])?.into_iter().flat_map(|outcome| outcome.results).collect();
            results.sort();
            results.dedup();
            Ok(results)
        };
        let mut ends = Vec::new();
        for &end in search.deepest().iter().take(SHOWN) {
            let order = search.legal_order(end)?;
            ends.push(Enabled { results: could_return(&order.state)?, order });
        }
        Ok(Explanation::Unjustified { call, omitted: search.deepest().len() - ends.len(), ends })
    }
}

fn no_order(search: &Search) -> Result<Explanation, SpecError> {
    let (dead_ends, omitted) = search.dead_ends(SHOWN)?;
    Ok(Explanation::NoOrder { dead_ends, omitted })
}
