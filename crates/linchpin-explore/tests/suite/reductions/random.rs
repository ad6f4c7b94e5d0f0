//! Random objects: every way to search gives the same answers, and so does every question that contains the
//! same one.
//!
//! The suite tests the first objects; with `LINCHPIN_LONG_TESTS` it tests all. With
//! `LINCHPIN_STATISTICS` both print what they saw.

use crate::reductions::agree::{Answer, Comparison, Room, Said, compare};
use crate::reductions::model::Text;
use crate::reductions::objects::Object;
use crate::reductions::statistics::Statistics;
use linchpin_explore::{ClientRequest, Request};
use linchpin_ir::property::Property;
use std::ops::Range;
use std::time::Instant;

const SOME: u64 = 150;
const ALL: u64 = 1200;

/// For the plain search of one question: room for some twenty thousand states.
const ROOM: Room = Room { bytes: Some(1 << 20), seconds: 60 };

#[test]
fn some_random_objects() {
    agreement_on(0..SOME);
}

#[test]
fn long_all_random_objects() {
    if std::env::var_os("LINCHPIN_LONG_TESTS").is_some() {
        agreement_on(0..ALL);
    }
}

fn agreement_on(seeds: Range<u64>) {
    let mut statistics = Statistics::default();
    let mut differences = Vec::new();
    let mut bounded: usize = 0;
    for seed in seeds {
        let object = Object::drawn(seed);
        let model = Text::new(object.text.as_str());
        let mut first = None;
        for (question, request) in questions(&object) {
            let started = Instant::now();
            let comparison = compare(&model, &request, ROOM);
            statistics.add(&object, question, &comparison, started.elapsed());
            let first = first.get_or_insert_with(|| comparison.plain().clone());
            let is_the_same = request.client == ClientRequest::General && request.preemptions.is_none();
            let contradiction = contradiction(first, comparison.plain()).filter(|_| is_the_same);
            let lost = lost_by_a_bound(&model, &request, comparison.plain());
            bounded += usize::from(lost.is_some());
            let lost = lost.unwrap_or_default();
            report(&object, question, &comparison, contradiction.into_iter().chain(lost), &mut differences);
        }
    }
    if std::env::var_os("LINCHPIN_STATISTICS").is_some() {
        println!("{statistics}");
    }
    let shown = differences.iter().take(3).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(differences.is_empty(), "{} answers differ, among them:\n{shown}", differences.len());
    assert!(bounded > 20, "only {bounded} violations were looked for again under a bound on preemptions");
    statistics.judge();
}

fn report(
    object: &Object,
    question: &str,
    comparison: &Comparison,
    more: impl Iterator<Item = String>,
    differences: &mut Vec<String>,
) {
    let Object { seed, family, text, size: (threads, nodes, values) } = object;
    for difference in comparison.differences.iter().cloned().chain(more) {
        differences.push(format!(
            "seed {seed} ({family}), asked for {question}, {threads} threads, {nodes} nodes, {values} values: \
             {difference}\n\n{text}"
        ));
    }
}

/// A property is what it is, whatever else is asked.
fn contradiction(first: &Answer, answer: &Answer) -> Option<String> {
    let length = |said: &Said| match said {
        Said::Violated(choices) => Some(choices.len()),
        _ => None,
    };
    if first.gave_up() || answer.gave_up() {
        return None;
    }
    let differs = answer.said.iter().any(|(property, said)| {
        let before = first.said.iter().find(|(other, _)| other == property);
        before.is_some_and(|(_, before)| match length(before) {
            Some(steps) => length(said) != Some(steps),
            None => before != said,
        })
    });
    differs.then(|| format!("it depends on what else is asked\n  everything: {first}\n  this: {answer}"))
}

/// An execution with n context switches has at most n preemptions. So a search with at most n preemptions
/// finds its violation, and the counterexample is not longer. Returns the properties for which it does not.
/// `None` where no property is violated, or the request has a bound.
fn lost_by_a_bound(model: &Text, request: &Request, answer: &Answer) -> Option<Vec<String>> {
    if request.preemptions.is_some() || answer.gave_up() {
        return None;
    }
    let is_violated = |(_, said): &&(String, Said)| matches!(said, Said::Violated(_));
    let mut lost = None;
    for (property, said) in answer.said.iter().filter(is_violated) {
        let Said::Violated(choices) = said else { continue };
        let changes = choices.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count();
        let bounded = Request { preemptions: u32::try_from(changes).ok(), ..request.clone() };
        let again = compare(model, &bounded, ROOM);
        let lost: &mut Vec<String> = lost.get_or_insert_default();
        let found = again.plain().said.iter().find(|(other, _)| other == property);
        // Calls that spin for ever are not judged under a bound.
        if matches!(found, Some((_, Said::Unknown(_)))) {
            continue;
        }
        let is_found = matches!(found, Some((_, Said::Violated(shown))) if shown.len() == choices.len());
        if !is_found && !again.plain().gave_up() {
            let plain = again.plain();
            lost.push(format!("{property}: not the same with {changes} preemptions\n  any number: {answer}\n  so many: {plain}"));
        }
        lost.extend(again.differences);
    }
    lost
}

/// What is asked of an object: all at once and a part alone, for what a search may leave out depends on what
/// it must see.
fn questions(object: &Object) -> Vec<(&'static str, Request)> {
    let (threads, nodes, values) = object.size;
    let all = Request {
        threads: threads..=threads,
        nodes: Some(nodes..=nodes),
        values: values..=values,
        keys: values..=values,
        ints: 4,
        spurious: object.seed.is_multiple_of(3),
        any_hashes: object.seed.is_multiple_of(2),
        properties: vec![
            Property::Linearizable,
            Property::MemorySafe,
            Property::Assertions,
            Property::DeadlockFree,
        ],
        ..Request::default()
    };
    let errors = Request { properties: vec![Property::MemorySafe, Property::Assertions], ..all.clone() };
    let deadlock = Request { properties: vec![Property::DeadlockFree], ..all.clone() };
    let points = Request { lin_points: true, ..all.clone() };
    let client = ClientRequest::Schedules { steps: 2..=3, preadds: 0..=0, restrictions: Vec::new() };
    let schedules = Request { client, ..all.clone() };
    let most = u32::try_from(object.seed / 4 % 3).ok();
    let preempted = Request { preemptions: most, ..schedules.clone() };
    let general_preempted = Request { preemptions: most, ..all.clone() };
    let mut questions = vec![("everything", all)];
    questions.push(if object.seed.is_multiple_of(2) { ("errors", errors) } else { ("deadlock", deadlock) });
    if object.has_points() {
        questions.push(("points", points));
    }
    if object.seed.is_multiple_of(4) {
        questions.push(("schedules", schedules));
        questions.push(("schedules with few preemptions", preempted));
        questions.push(("few preemptions", general_preempted));
    }
    questions
}
