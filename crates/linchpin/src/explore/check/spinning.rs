//! Ends of schedules at which pending calls spin: whether the specification lets them wait for ever.
//!
//! Where a specification never makes anybody wait, a call that spins for ever violates `terminating`, and nothing more is to
//! be said. Where it does, spinning is one way to wait: such an end is judged like one at which nobody can move. It is found on
//! the graph of a search that has come to its end ([`crate::explore::progress`]), with every monitor state that it was seen with.

use super::{Run, Uncheckable};
use crate::explore::progress::NoGraph;
use crate::explore::search::{Kind, Question, Search, Unsearchable};
use crate::explore::store::NodeId;
use linchpin_core::semantics::{Client, SpecError};
use linchpin_core::verdict::{Claim, Counterexample, Limit, Property};

impl Run<'_> {
    /// Judges those of the properties that are open; the question's monitor is about them.
    pub(super) fn spinning(
        &mut self,
        question: &Question<'_>,
        properties: &[Property],
    ) -> Result<(), Uncheckable> {
        let mut open = self.answers.open();
        open.retain(|property| properties.contains(property));
        let is_bounded = self.request.preemptions.is_some();
        let ends = !matches!(question.client, Client::General(_));
        if open.is_empty() || is_bounded || !ends || !self.compiled.program.spec.makes_wait() {
            return Ok(());
        }
        let mut search = Search::new(Question { wanted: vec![Kind::Inconsistent], ..question.clone() });
        search.tell_calls_apart();
        search.is_exhaustive = true;
        let summary =
            search.run(&self.rest_of_budget(), self.listener).map_err(|error| self.unsearchable(error))?;
        self.answers.note(&summary, (self.budget.memory_in_use)());
        let found = match search.stuck_ends(&self.rest_of_budget(), self.listener) {
            _ if summary.exhausted.is_some() => summary.exhausted.map_or(Ok(None), Err),
            Ok(found) => Ok(found),
            Err(NoGraph::Exhausted(exhausted)) => Err(exhausted),
            Err(NoGraph::Spec(error)) => return Err(self.unsearchable(Unsearchable::Spec(error))),
            Err(NoGraph::TooManyThreads) => {
                for property in open {
                    let limit = Limit::NotSupported("calls that spin, of so many threads".into());
                    self.answers.unknown(property, limit, false);
                }
                return Ok(());
            }
        };
        for property in open {
            match found {
                Ok(None) => {}
                Ok(Some(node)) => match self.spinning_witness(&search, node, property) {
                    Ok(counterexample) => self.answers.violate(property, counterexample),
                    Err(why) => self.answers.unconfirmed(property, why, false),
                },
                Err(exhausted) => self.answers.gave_up(property, exhausted, self.budget.time, false),
            }
        }
        Ok(())
    }

    fn spinning_witness(
        &self,
        search: &Search<'_>,
        node: NodeId,
        property: Property,
    ) -> Result<Counterexample, String> {
        let lost = |_: SpecError| "the specification failed on the way".to_string();
        let path = search.way_to(node, search.level_of(node)).map_err(lost)?;
        let path = path.ok_or("no execution leads there")?;
        let choices = search.arrive(&path).map_err(lost)?;
        let (choices, _) = choices.ok_or("no execution of the plain semantics goes along")?;
        self.confirmed(search, Claim::Violates(property), choices, None)
    }
}
