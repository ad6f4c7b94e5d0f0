//! Finds the first event at which a history stops being linearizable.
//!
//! Linearizability is closed under prefixes. So there is a first event such that the events before it are a
//! linearizable history, and with it they are not. This event is a return, since a pending call need not have
//! taken effect. The other properties have no such event: a later call may justify an earlier result.

use crate::call::CallId;
use crate::history::History;
use crate::judge::{Ending, Strategy, examine};
use crate::precedence::Consistency;
use crate::spec::Specification;
use crate::verdict::{Budget, Explanation, ExplanationOf, Verdict};

/// The first return that no order explains.
#[derive(Clone, PartialEq, Debug)]
pub struct Break<State, Ret> {
    /// The number of the event, from 0.
    pub event: usize,
    /// Why the history that ends with this event is illegal. Calls have the numbers of the whole history.
    pub explanation: Explanation<State, Ret>,
}

/// Returns the first event at which a history is not linearizable. `known` explains why the whole history is
/// not. `None` means that the budget did not suffice.
pub fn first_break<S: Specification>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    known: &ExplanationOf<S>,
    budget: Budget,
) -> Result<Option<Break<S::State, S::Ret>>, S::Error>
where
    S::Op: Clone,
{
    Prefixes { spec, history, budget }.first_break(known)
}

struct Prefixes<'a, S: Specification> {
    spec: &'a S,
    history: &'a History<S::Op, S::Ret>,
    budget: Budget<'a>,
}

/// The verdict about a prefix.
enum PrefixVerdict<S: Specification> {
    Legal,
    Illegal(ExplanationOf<S>),
    Unknown,
}

impl<S: Specification> Prefixes<'_, S>
where
    S::Op: Clone,
{
    fn first_break(&self, known: &ExplanationOf<S>) -> Result<Option<Break<S::State, S::Ret>>, S::Error> {
        // The events before `legal` are linearizable, those before `illegal` are not.
        let mut legal = 0;
        let mut illegal = self.history.events();
        let mut explanation = known.clone();
        let mut stride = 1;
        while legal + 1 < illegal {
            let guess = self.guess(&explanation, illegal)?.unwrap_or(illegal - 1);
            let guess = guess.clamp(legal + 1, illegal - 1);
            match self.judge_prefix(guess)? {
                PrefixVerdict::Illegal(why) => {
                    illegal = guess;
                    explanation = why;
                }
                PrefixVerdict::Legal => {
                    legal = guess;
                    // The guess was a little too low, and no better guess is possible: go up from it.
                    while legal + 1 < illegal {
                        let tried =
                            (legal + stride).min(legal + (illegal - legal).div_ceil(2)).min(illegal - 1);
                        match self.judge_prefix(tried)? {
                            PrefixVerdict::Legal => {
                                legal = tried;
                                stride *= 2;
                            }
                            PrefixVerdict::Illegal(why) => {
                                illegal = tried;
                                explanation = why;
                                stride = 1;
                            }
                            PrefixVerdict::Unknown => return Ok(None),
                        }
                    }
                }
                PrefixVerdict::Unknown => return Ok(None),
            }
        }
        // The explanation is that of the first `illegal` events.
        Ok(illegal.checked_sub(1).map(|event| Break { event, explanation }))
    }

    /// Guesses how many events are linearizable, from an explanation why more of them are not.
    fn guess(&self, explanation: &ExplanationOf<S>, before: usize) -> Result<Option<usize>, S::Error> {
        let Explanation::NoOrder { among, dead_ends, .. } = explanation else { return Ok(None) };
        // A small illegal core has a first break of its own.
        if let Some(calls) = among {
            return self.break_among(calls, before);
        }
        // The longest orders end in front of the call that returns first among those without a place.
        let stopped = dead_ends.iter().flat_map(|end| end.ways.iter().flat_map(|way| &way.calls));
        let returns = stopped.filter_map(|&call| self.history.call(call).returned.as_ref());
        Ok(returns.map(|returned| returned.event).filter(|event| *event < before).min())
    }

    /// Returns the first break of these calls alone, as an event of the whole history.
    fn break_among(&self, calls: &[CallId], before: usize) -> Result<Option<usize>, S::Error> {
        let mut events: Vec<usize> = Vec::new();
        for &id in calls {
            let call = self.history.call(id);
            let returned = call.returned.as_ref().map(|returned| returned.event);
            events.extend(std::iter::once(call.called).chain(returned).filter(|at| *at < before));
        }
        events.sort();
        let (mut legal, mut illegal) = (0, events.len());
        while legal + 1 < illegal {
            let tried = legal + (illegal - legal) / 2;
            match self.judge(events[..tried].iter().copied())? {
                PrefixVerdict::Legal => legal = tried,
                PrefixVerdict::Illegal(_) => illegal = tried,
                PrefixVerdict::Unknown => return Ok(None),
            }
        }
        Ok(illegal.checked_sub(1).and_then(|last| events.get(last)).copied())
    }

    fn judge_prefix(&self, events: usize) -> Result<PrefixVerdict<S>, S::Error> {
        self.judge(0..events)
    }

    fn judge(&self, events: impl IntoIterator<Item = usize>) -> Result<PrefixVerdict<S>, S::Error> {
        let history = self.history.restricted(events);
        let (consistency, ending) = (Consistency::Linearizable, Ending::Open);
        let answer = examine(self.spec, &history, consistency, ending, Strategy::default(), self.budget)?;
        Ok(match answer.verdict {
            Verdict::Legal(_) => PrefixVerdict::Legal,
            Verdict::Illegal(explanation) => PrefixVerdict::Illegal(explanation),
            Verdict::Unknown(_) => PrefixVerdict::Unknown,
        })
    }
}
