//! The verdict about a recorded history.

use super::reading::Recorded;
use crate::quantities::grouped;
use linchpin_engine::verdict;
use linchpin_ir::property::Property;
use linchpin_judge::history::{
    Answer, Break, Budget, Consistency, Ending, Explanation, Judgement, Limit, Method, Strategy, examine,
    first_break,
};
use linchpin_semantics::{SpecError, SpecMachine};

/// The properties of a single history.
pub const PROPERTIES: [Property; 4] = [
    Property::Linearizable,
    Property::SequentiallyConsistent,
    Property::QuiescentlyConsistent,
    Property::BarrierConsistent,
];

/// A question about a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryQuery {
    consistency: Consistency,
    pub ending: Ending,
}

impl HistoryQuery {
    /// Makes a query. `None`: not a property of a single history.
    pub fn new(property: Property, ending: Ending) -> Option<HistoryQuery> {
        let consistency = match property {
            Property::Linearizable => Consistency::Linearizable,
            Property::SequentiallyConsistent => Consistency::Sequential,
            Property::QuiescentlyConsistent => Consistency::Quiescent,
            Property::BarrierConsistent => Consistency::Barrier,
            _ => return None,
        };
        Some(HistoryQuery { consistency, ending })
    }

    /// Returns the property.
    pub fn property(self) -> Property {
        match self.consistency {
            Consistency::Linearizable => Property::Linearizable,
            Consistency::Sequential => Property::SequentiallyConsistent,
            Consistency::Quiescent => Property::QuiescentlyConsistent,
            Consistency::Barrier => Property::BarrierConsistent,
        }
    }
}

/// The answer to a query.
#[derive(Clone, Debug)]
pub struct Judged {
    pub question: HistoryQuery,
    /// The judgement. An error is an error of the specification.
    pub answer: Result<Answer, SpecError>,
    /// The first event at which the history is not linearizable. `None`: not found, or another property.
    pub first_break: Option<Break>,
    /// The limit that stopped the search. `None`: not stopped.
    pub stopped_by: Option<verdict::Limit>,
}

impl Judged {
    /// Returns the word of the verdict in text and JSON.
    pub fn verdict(&self) -> &'static str {
        match &self.answer {
            Ok(Answer { verdict: Judgement::Legal(_), .. }) => "holds",
            Ok(Answer { verdict: Judgement::Illegal(_), .. }) => "violated",
            Ok(Answer { verdict: Judgement::Unknown(_), .. }) | Err(_) => "unknown",
        }
    }

    /// Returns the reason for `unknown`.
    pub fn limit(&self) -> Option<String> {
        match &self.answer {
            Ok(Answer { verdict: Judgement::Unknown(limit), .. }) => Some(match limit.limit {
                Limit::Configurations => {
                    format!("stopped after {} configurations", grouped(limit.configurations as u64))
                }
                Limit::Stopped => self.stopped_by.as_ref().map_or("stopped".into(), |by| by.to_string()),
            }),
            Err(SpecError::Fault(fault)) => {
                Some(format!("the specification itself is at fault: {}", fault.message))
            }
            Err(SpecError::Cut(_)) => Some("the specification left its bounds".into()),
            Ok(_) => None,
        }
    }

    /// Returns what decided the history, for people; `None` for the plain search.
    pub fn method(&self) -> Option<&'static str> {
        match self.answer.as_ref().ok()?.method {
            Method::Search => None,
            Method::Sweep => Some("in one pass"),
            Method::Keys => Some("key by key"),
            Method::ValuePairs => Some("with pairs of values"),
            Method::Register => Some("by the algorithm for registers"),
            Method::Log => Some("by the algorithm for logs"),
            Method::Queue => Some("by the algorithm for queues"),
            Method::Stack => Some("by the algorithm for stacks"),
            Method::Unordered => Some("by the algorithm for priority queues"),
        }
    }

    /// Returns the number of explored configurations.
    pub fn configurations(&self) -> usize {
        self.answer.as_ref().map_or(0, |answer| answer.configurations)
    }
}

/// Judges a history and finds the first event that violates linearizability.
pub fn judge(spec: &SpecMachine, recorded: &Recorded, question: HistoryQuery, budget: Budget) -> Judged {
    let HistoryQuery { consistency, ending } = question;
    let history = &recorded.history;
    let answer = examine(spec, history, consistency, ending, Strategy::default(), budget);
    let first_break = match &answer {
        Ok(Answer { verdict: Judgement::Illegal(why @ Explanation::NoOrder { .. }), .. })
            // Every prefix of an illegal stuck history may be legal.
            if consistency == Consistency::Linearizable
                && (ending == Ending::Open || history.is_complete()) =>
        {
            // The verdict is known. An error of this additional search does not change the verdict.
            first_break(spec, history, why, budget).ok().flatten()
        }
        _ => None,
    };
    Judged { question, answer, first_break, stopped_by: None }
}
