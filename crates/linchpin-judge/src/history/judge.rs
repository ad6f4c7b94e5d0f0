//! Judges histories of a program by the search of [`linchpin_order`].
//!
//! The definitions of legal, open and stuck histories are in `linchpin_order::judge`.

use super::order_history::order_history;
use super::record::History;
use super::spec_oracle::SpecOracle;
use super::{Answer, Break, Budget, Consistency, Ending, Explanation, Judgement, Strategy};
use linchpin_semantics::{SpecError, SpecMachine};

/// Checks that each operation can take effect at one moment between its call and its return.
pub fn linearizable(spec: &SpecMachine, history: &History, budget: Budget) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Linearizable, Ending::Open, budget)
}

/// Checks that the specification justifies that the pending calls of a linearizable history never return.
pub fn stuck(spec: &SpecMachine, history: &History, budget: Budget) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Linearizable, Ending::Stuck, budget)
}

/// Checks that one order that keeps each thread's own order explains a complete or stuck history.
pub fn sequentially_consistent(
    spec: &SpecMachine,
    history: &History,
    budget: Budget,
) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Sequential, Ending::Stuck, budget)
}

/// Checks that one order that respects all quiescent moments explains a complete or stuck history.
pub fn quiescently_consistent(
    spec: &SpecMachine,
    history: &History,
    budget: Budget,
) -> Result<Judgement, SpecError> {
    judge(spec, history, Consistency::Quiescent, Ending::Stuck, budget)
}

/// Judges a history of the specification's program.
///
/// An error is a fault of the specification, or a bound that it exceeds: nothing is known about the history
/// then.
pub fn judge(
    spec: &SpecMachine,
    history: &History,
    consistency: Consistency,
    ending: Ending,
    budget: Budget,
) -> Result<Judgement, SpecError> {
    let answer = examine(spec, history, consistency, ending, Strategy::default(), budget)?;
    Ok(answer.verdict)
}

/// Judges a history with a given strategy, and counts configurations. Otherwise as [`judge`].
pub fn examine(
    spec: &SpecMachine,
    history: &History,
    consistency: Consistency,
    ending: Ending,
    strategy: Strategy,
    budget: Budget,
) -> Result<Answer, SpecError> {
    let calls = order_history(history);
    linchpin_order::examine(&SpecOracle::new(spec), &calls, consistency, ending, strategy, budget)
}

/// Returns the first event at which a history is not linearizable. `known` explains why the whole history is
/// not. `None` means that the budget did not suffice.
pub fn first_break(
    spec: &SpecMachine,
    history: &History,
    known: &Explanation,
    budget: Budget,
) -> Result<Option<Break>, SpecError> {
    linchpin_order::first_break(&SpecOracle::new(spec), &order_history(history), known, budget)
}
