//! The verdict about a history as JSON: format `linchpin/1` with a history as scope. New versions may add
//! fields, but never rename one.

use super::judged::Judged;
use super::view::View;
use crate::json::FORMAT;
use linchpin_ir::types::{TypeId, Word};
use linchpin_judge::history::{CallId, DeadEnd, Effect, Ending, Explanation, Judgement, LegalOrder, Witness};
use linchpin_semantics::Value;
use serde::Serialize;
use serde_json::{Value as Json, json};

/// The result of `linchpin history`.
#[derive(Serialize, Debug)]
pub struct Report {
    format: &'static str,
    /// The specification.
    model: String,
    history: String,
    results: Vec<ResultRecord>,
}

#[derive(Serialize, Debug)]
struct ResultRecord {
    property: String,
    verdict: &'static str,
    scope: ScopeRecord,
    engine: &'static str,
    /// What decided the history. Absent for the plain search.
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
    /// Number of configurations.
    states: usize,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    /// A legal order of the calls. A rendezvous is one step with several calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Json>,
    /// For a stuck history: for each pending call an order that disables the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    justifications: Option<Json>,
    /// The first event without a legal order.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_break: Option<Json>,
    /// The reason why no order is legal.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Json>,
}

#[derive(Serialize, Clone, Debug)]
struct ScopeRecord {
    kind: &'static str,
    events: usize,
    calls: usize,
    pending: usize,
    threads: usize,
    /// The treatment of pending calls: `open` or `stuck`.
    ending: &'static str,
}

impl Report {
    /// Makes the report of answers, each with its time in seconds.
    pub fn new(view: &View, spec: &str, file: &str, answers: &[(Judged, f64)]) -> Report {
        let results = answers.iter().map(|(judged, seconds)| record(view, judged, *seconds)).collect();
        Report { format: FORMAT, model: spec.into(), history: file.into(), results }
    }

    /// Returns the text, with a newline at the end.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

fn record(view: &View, judged: &Judged, seconds: f64) -> ResultRecord {
    let history = &view.recorded.history;
    let scope = ScopeRecord {
        kind: "history",
        events: history.events().len(),
        calls: history.calls().len(),
        pending: history.pending().count(),
        threads: view.recorded.dictionary.threads(),
        ending: match judged.question.ending {
            Ending::Open => "open",
            Ending::Stuck => "stuck",
        },
    };
    let (mut order, mut justifications, mut explanation) = (None, None, None);
    match judged.answer.as_ref().map(|answer| &answer.verdict) {
        Ok(Judgement::Legal(Witness::Order(legal))) => order = Some(steps(view, legal)),
        Ok(Judgement::Legal(Witness::Stuck(all))) => {
            let one = |justification: &linchpin_judge::history::Justification| {
                let order = steps(view, &justification.order);
                json!({ "call": call(view, justification.call, None), "order": order })
            };
            justifications = Some(all.iter().map(one).collect());
        }
        Ok(Judgement::Illegal(why)) => {
            let why = judged.first_break.as_ref().map_or(why, |found| &found.explanation);
            explanation = Some(reasons(view, why));
        }
        Ok(Judgement::Unknown(_)) | Err(_) => {}
    }
    let first_break = judged
        .first_break
        .as_ref()
        .map(|found| json!({ "event": found.event + 1, "line": view.recorded.line(found.event) }));
    ResultRecord {
        property: judged.question.property().to_string(),
        verdict: judged.verdict(),
        scope,
        engine: "history",
        method: judged.method(),
        states: judged.configurations(),
        seconds,
        limit: judged.limit(),
        order,
        justifications,
        first_break,
        explanation,
    }
}

fn reasons(view: &View, explanation: &Explanation) -> Json {
    match explanation {
        Explanation::NoOrder { among, dead_ends, omitted } => {
            let among: Option<Vec<Json>> =
                among.as_ref().map(|calls| calls.iter().map(|&id| call(view, id, None)).collect());
            let one = |end: &DeadEnd| {
                let stopped: Vec<Json> = end
                    .ways
                    .iter()
                    .map(|way| way.calls.iter().map(|&id| call(view, id, None)).collect())
                    .collect();
                json!({ "order": steps(view, &end.order), "cannot_follow": stopped })
            };
            let ends: Vec<Json> = dead_ends.iter().map(one).collect();
            json!({ "no_order_of": among, "longest_orders": ends, "omitted": omitted })
        }
        Explanation::Unjustified { call: waiting, ends, omitted } => {
            let ends: Vec<Json> = ends.iter().map(|end| steps(view, &end.order)).collect();
            json!({ "could_happen": call(view, *waiting, None), "after": ends, "omitted": omitted })
        }
    }
}

fn steps(view: &View, order: &LegalOrder) -> Json {
    let step = |effect: &Effect| -> Json {
        let each = effect.calls.iter().zip(&effect.results);
        each.map(|(&id, result)| call(view, id, Some(result))).collect()
    };
    order.effects.iter().map(step).collect()
}

/// Converts a call to JSON, with the result of the order if `given`, otherwise with the recorded result.
fn call(view: &View, id: CallId, given: Option<&[Word]>) -> Json {
    let program = view.spec.program();
    let recorded = view.recorded;
    let call = recorded.history.call(id);
    let operation = &program.ops[call.op];
    let mut rest = &call.args[..];
    let mut args = Vec::new();
    for &param in &operation.params {
        let (words, others) = rest.split_at_checked(program.types.width(param)).unwrap_or((rest, &[]));
        rest = others;
        args.push(value(view, param, words));
    }
    let returned = call.returned.as_ref();
    let result = given.or(returned.map(|returned| &returned.result[..]));
    let mut lines = vec![recorded.line(call.called)];
    lines.extend(returned.map(|returned| recorded.line(returned.event)));
    let thread = recorded.dictionary.thread_name(call.thread).map(|name| name.json());
    let mut record = json!({ "thread": thread, "call": *operation.name, "args": args, "lines": lines });
    if let (Some(ty), Some(words)) = (operation.result, result) {
        record["result"] = value(view, ty, words);
    }
    record
}

fn value(view: &View, ty: TypeId, words: &[Word]) -> Json {
    let types = &view.spec.program().types;
    view.recorded.dictionary.json(types, ty, &Value::outside(types, ty, words))
}
