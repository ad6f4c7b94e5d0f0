//! The verdict about a recorded history as a part of the report model.

use super::judged::Judged;
use super::view::{FirstBreak, View};
use crate::history_view::HistoryView;
use crate::uri;
use crate::view::intervals::Intervals;
use crate::view::why::{Fact, OrderTried, Part};
use crate::visible::visible;
use linchpin_judge::history::{CallId, Effect, Explanation, Judgement, LegalOrder, Witness};

/// What a report shows of a history.
#[derive(Clone, Debug)]
pub struct HistoryReport {
    pub file: String,
    /// The address of the file.
    pub uri: String,
    /// The specification as written.
    pub spec: String,
    /// `400 events, 200 calls, 4 threads`
    pub size: String,
    pub verdicts: Vec<HistoryVerdict>,
    pub calls: Intervals,
}

/// The verdict about one property, with its reason.
#[derive(Clone, Debug)]
pub struct HistoryVerdict {
    pub property: String,
    /// `holds`, `violated` or `unknown`.
    pub verdict: &'static str,
    /// The reason for `unknown`. Empty: another verdict.
    pub remark: String,
    pub parts: Vec<Part>,
}

impl HistoryReport {
    /// Makes the report of a history.
    pub fn of(view: &View<'_>, file: &str, spec: &str, answers: &[Judged]) -> HistoryReport {
        let named = view.named();
        let at_fault: Vec<CallId> =
            answers.iter().filter_map(explanation).filter_map(among).flatten().collect();
        let verdict = |judged: &Judged| HistoryVerdict {
            property: judged.question.property().to_string(),
            verdict: judged.verdict(),
            remark: judged.limit().unwrap_or_default(),
            parts: parts(view, judged),
        };
        let mut calls = named.intervals(&at_fault, |call| view.lines(call));
        let history = &view.recorded.history;
        for (interval, id) in calls.calls.iter_mut().zip(history.calls().ids()) {
            let call = history.call(id);
            let line = |event| view.recorded.line(event);
            let returned = call.returned.as_ref().map(|returned| line(returned.event));
            interval.lines = Some((line(call.called), returned));
        }
        HistoryReport {
            file: visible(file),
            uri: uri::of_path(file),
            spec: visible(spec),
            size: view.size(),
            verdicts: answers.iter().map(verdict).collect(),
            calls,
        }
    }
}

/// Returns the explanation that is shown: of the first prefix that is illegal, otherwise of the whole
/// history.
fn explanation(judged: &Judged) -> Option<&Explanation> {
    match (&judged.answer.as_ref().ok()?.verdict, &judged.first_break) {
        (Judgement::Illegal(_), Some(found)) => Some(&found.explanation),
        (Judgement::Illegal(explanation), None) => Some(explanation),
        _ => None,
    }
}

fn among(explanation: &Explanation) -> Option<Vec<CallId>> {
    match explanation {
        Explanation::NoOrder { among, .. } => among.clone(),
        Explanation::Unjustified { call, .. } => Some(vec![*call]),
    }
}

fn parts(view: &View<'_>, judged: &Judged) -> Vec<Part> {
    let named = view.named();
    let property = judged.question.property();
    let Ok(answer) = &judged.answer else { return Vec::new() };
    match &answer.verdict {
        Judgement::Legal(Witness::Order(order)) => {
            let orders = vec![legal(&named, order)];
            vec![Part { orders, ..Part::default() }.titled(format!("A legal order ({property})"))]
        }
        Judgement::Legal(Witness::Stuck(justifications)) => {
            let fact = |(call, order): (CallId, &LegalOrder)| {
                let state = named.state(&order.state);
                let at = if state.is_empty() { String::new() } else { format!(", at {state}") };
                let (who, what) = (named.thread(call), named.bare(call));
                Fact::new(format!("{what} of {who} is disabled after a legal order of the other calls{at}"))
            };
            let facts = justifications.iter().map(|found| fact((found.call, &found.order))).collect();
            vec![Part { facts, ..Part::default() }.titled("Every pending call may wait")]
        }
        Judgement::Illegal(_) => {
            let mut parts = Vec::new();
            if let Some(found) = &judged.first_break {
                let FirstBreak { before, line, returns } = view.break_at(found.event);
                let facts = before.into_iter().chain([format!("{line}{returns}")]).map(Fact::new);
                parts.push(
                    Part { facts: facts.collect(), ..Part::default() }.titled(format!("Not {property}")),
                );
            }
            if let Some(explanation) = explanation(judged) {
                let title = match among(explanation) {
                    Some(calls) if calls.len() == 1 => {
                        "No order of this call is legal, whatever the other calls do"
                    }
                    Some(_) => "No order of the marked calls is legal, whatever the other calls do",
                    None => "No order of the calls is legal",
                };
                parts.push(named.reasons(explanation).titled(title));
            }
            parts
        }
        Judgement::Unknown(_) => Vec::new(),
    }
}

fn legal(named: &HistoryView<'_>, order: &LegalOrder) -> OrderTried {
    let effect = |effect: &Effect| crate::view::why::EffectOf {
        calls: effect.calls.iter().map(|call| call.index()).collect(),
        text: named.effect(effect),
    };
    OrderTried {
        effects: order.effects.iter().map(effect).collect(),
        state: named.state(&order.state),
        ..OrderTried::default()
    }
}
