//! Up to which event a history is linearizable.
//!
//! Linearizability is closed under prefixes: there is a first event such that the events before it are a linearizable
//! history, and with it they are not. It is a return, since a call that is pending need not have taken effect. For the
//! other two properties there is no such event: what comes later may explain what came before.

use super::judge::{Ending, Strategy, examine};
use super::judgement::{Budget, Explanation, Judgement};
use super::precedence::Consistency;
use super::record::{CallId, Event, History};
use linchpin_semantics::{SpecError, SpecMachine};

/// The return that no order explains.
#[derive(Clone, PartialEq, Debug)]
pub struct Break {
    /// From 0.
    pub event: usize,
    /// Why the history that ends with this event is illegal; its calls are those of the whole history, with the same
    /// numbers.
    pub explanation: Explanation,
}

/// Where a history that is not linearizable stops being so. `known` is why it is not. `None`: the budget did not reach.
pub fn first_break(
    spec: &SpecMachine,
    history: &History,
    known: &Explanation,
    budget: Budget,
) -> Result<Option<Break>, SpecError> {
    Prefixes { spec, history, budget }.first_break(known)
}

struct Prefixes<'a> {
    spec: &'a SpecMachine,
    history: &'a History,
    budget: Budget<'a>,
}

/// What the judgement of a prefix says.
enum Says {
    Legal,
    Illegal(Explanation),
    Unknown,
}

impl Prefixes<'_> {
    fn first_break(&self, known: &Explanation) -> Result<Option<Break>, SpecError> {
        // The events before `legal` are linearizable, those before `illegal` are not.
        let mut legal = 0;
        let mut illegal = self.history.events().len();
        let mut explanation = known.clone();
        let mut stride = 1;
        while legal + 1 < illegal {
            let guess = self.guess(&explanation, illegal)?.unwrap_or(illegal - 1);
            let guess = guess.clamp(legal + 1, illegal - 1);
            match self.says(guess)? {
                Says::Illegal(why) => {
                    illegal = guess;
                    explanation = why;
                }
                Says::Legal => {
                    legal = guess;
                    // The guess was at most a little too low: what it was made of does not get better, so go up from it.
                    while legal + 1 < illegal {
                        let tried =
                            (legal + stride).min(legal + (illegal - legal).div_ceil(2)).min(illegal - 1);
                        match self.says(tried)? {
                            Says::Legal => {
                                legal = tried;
                                stride *= 2;
                            }
                            Says::Illegal(why) => {
                                illegal = tried;
                                explanation = why;
                                stride = 1;
                            }
                            Says::Unknown => return Ok(None),
                        }
                    }
                }
                Says::Unknown => return Ok(None),
            }
        }
        match self.says(illegal)? {
            Says::Illegal(explanation) => Ok(Some(Break { event: illegal - 1, explanation })),
            _ => Ok(None),
        }
    }

    /// How many events are probably linearizable, by an explanation why more of them are not.
    fn guess(&self, explanation: &Explanation, before: usize) -> Result<Option<usize>, SpecError> {
        let Explanation::NoOrder { among, dead_ends, .. } = explanation else { return Ok(None) };
        // Few calls that are to blame have a first break of their own.
        if let Some(calls) = among {
            return self.break_among(calls, before);
        }
        // The longest orders end in front of a call that is over first and has no place.
        let stopped = dead_ends.iter().flat_map(|end| end.ways.iter().flat_map(|way| &way.calls));
        let returns = stopped.filter_map(|&call| self.history.call(call).returned.as_ref());
        Ok(returns.map(|returned| returned.event).filter(|event| *event < before).min())
    }

    /// The first break of these calls alone, by the events of the whole history.
    fn break_among(&self, calls: &[CallId], before: usize) -> Result<Option<usize>, SpecError> {
        let mut events: Vec<(usize, Event)> = Vec::new();
        for &id in calls {
            let call = self.history.call(id);
            let returned = call.returned.as_ref().map(|returned| returned.event);
            for at in std::iter::once(call.called).chain(returned).filter(|at| *at < before) {
                events.extend(self.history.events().get(at).map(|event| (at, event.clone())));
            }
        }
        events.sort_by_key(|(at, _)| *at);
        let (mut legal, mut illegal) = (0, events.len());
        while legal + 1 < illegal {
            let tried = legal + (illegal - legal) / 2;
            let some = events[..tried].iter().map(|(_, event)| event.clone()).collect();
            match self.judge(some)? {
                Says::Legal => legal = tried,
                Says::Illegal(_) => illegal = tried,
                Says::Unknown => return Ok(None),
            }
        }
        Ok(illegal.checked_sub(1).and_then(|last| events.get(last)).map(|(at, _)| *at))
    }

    fn says(&self, events: usize) -> Result<Says, SpecError> {
        self.judge(self.history.events()[..events].to_vec())
    }

    fn judge(&self, events: Vec<Event>) -> Result<Says, SpecError> {
        // What was well-formed is so without its end, and without some of its calls.
        let Ok(history) = History::new(self.spec.program(), events) else { return Ok(Says::Unknown) };
        let (consistency, ending) = (Consistency::Linearizable, Ending::Open);
        let answer = examine(self.spec, &history, consistency, ending, Strategy::default(), self.budget)?;
        Ok(match answer.judgement {
            Judgement::Legal(_) => Says::Legal,
            Judgement::Illegal(explanation) => Says::Illegal(explanation),
            Judgement::Unknown(_) => Says::Unknown,
        })
    }
}
