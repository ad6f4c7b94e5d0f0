//! What is said of a recorded history.

use super::reading::Recorded;
use crate::verdicts::grouped;
use linchpin_engine::verdict;
use linchpin_ir::property::Property;
use linchpin_judge::history::{
    Answer, Break, Budget, Consistency, Ending, Explanation, Judgement, Limit, Strategy, examine, first_break,
};
use linchpin_semantics::{SpecError, SpecMachine};

/// What can be asked of a history.
pub const PROPERTIES: [Property; 4] = [
    Property::Linearizable,
    Property::SequentiallyConsistent,
    Property::QuiescentlyConsistent,
    Property::BarrierConsistent,
];

/// What is asked of a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryQuery {
    consistency: Consistency,
    pub ending: Ending,
}

impl HistoryQuery {
    /// `None`: the property is none of a single history.
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

    pub fn property(self) -> Property {
        match self.consistency {
            Consistency::Linearizable => Property::Linearizable,
            Consistency::Sequential => Property::SequentiallyConsistent,
            Consistency::Quiescent => Property::QuiescentlyConsistent,
            Consistency::Barrier => Property::BarrierConsistent,
        }
    }
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Judged {
    pub question: HistoryQuery,
    /// An error is the specification's own.
    pub answer: Result<Answer, SpecError>,
    /// Where a history that is not linearizable stops being so, if that was found.
    pub first_break: Option<Break>,
    /// Who said stop, if somebody did, and it is known.
    pub stopped_by: Option<verdict::Limit>,
}

impl Judged {
    /// As in results for programs.
    pub fn verdict(&self) -> &'static str {
        match &self.answer {
            Ok(Answer { verdict: Judgement::Legal(_), .. }) => "holds",
            Ok(Answer { verdict: Judgement::Illegal(_), .. }) => "violated",
            Ok(Answer { verdict: Judgement::Unknown(_), .. }) | Err(_) => "unknown",
        }
    }

    /// Why nothing is known.
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

    pub fn configurations(&self) -> usize {
        self.answer.as_ref().map_or(0, |answer| answer.configurations)
    }
}

/// Judges a history, and looks for the event that breaks it.
pub fn judge(spec: &SpecMachine, recorded: &Recorded, question: HistoryQuery, budget: Budget) -> Judged {
    let HistoryQuery { consistency, ending } = question;
    let history = &recorded.history;
    let answer = examine(spec, history, consistency, ending, Strategy::default(), budget);
    let first_break = match &answer {
        Ok(Answer { verdict: Judgement::Illegal(why @ Explanation::NoOrder { .. }), .. })
            // A stuck history may be illegal as such, and each prefix of it legal.
            if consistency == Consistency::Linearizable
                && (ending == Ending::Open || history.is_complete()) =>
        {
            // That it is illegal is known; where it broke is a help, and an error on the way to it is none.
            first_break(spec, history, why, budget).ok().flatten()
        }
        _ => None,
    };
    Judged { question, answer, first_break, stopped_by: None }
}
