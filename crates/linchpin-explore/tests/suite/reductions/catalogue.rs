//! The catalogue: every way to search gives the same answers on every model, in the bounds of its own `check`
//! blocks.
//!
//! A block whose plain search is larger than there is room for is asked in less: fewer threads, values and
//! calls. The suite has little room; with `LINCHPIN_LONG_TESTS` a search has ten seconds.

use crate::reductions::agree::{Room, compare};
use crate::reductions::model::{Text, complaint};
use linchpin_engine::model::Model;
use linchpin_explore::{ClientRequest, Request};
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_portfolio::catalogue::{Entry, entries};
use std::ops::RangeInclusive;
use std::time::Instant;

const LITTLE: Room = Room { bytes: Some(1 << 19), seconds: 2 };
const MUCH: Room = Room { bytes: None, seconds: 10 };

#[test]
fn the_catalogue_in_little_room() {
    agreement_within(LITTLE);
}

#[test]
fn long_the_catalogue_in_much_room() {
    if std::env::var_os("LINCHPIN_LONG_TESTS").is_some() {
        agreement_within(MUCH);
    }
}

fn agreement_within(room: Room) {
    let (mut differences, mut too_large) = (Vec::new(), Vec::new());
    let mut answered: usize = 0;
    for entry in entries() {
        let model = Text::of(entry);
        let mut is_compared = false;
        for request in questions(&model, entry) {
            let started = Instant::now();
            let mut asked_for = request;
            let mut comparison = compare(&model, &asked_for, room);
            if comparison.plain().gave_up() {
                asked_for = smaller(asked_for);
                comparison = compare(&model, &asked_for, room);
            }
            let is_answered = !comparison.plain().gave_up();
            answered += usize::from(is_answered);
            is_compared |= is_answered;
            if std::env::var_os("LINCHPIN_STATISTICS").is_some() {
                let seconds = started.elapsed().as_secs_f64();
                println!("{} {}: {}; {seconds:.2} s", entry.name, bounds(&asked_for), comparison.plain());
            }
            for difference in comparison.differences {
                differences.push(format!("{} {}: {difference}", entry.name, bounds(&asked_for)));
            }
        }
        if !is_compared {
            too_large.push(entry.name);
        }
    }
    assert!(differences.is_empty(), "{} answers differ:\n{}", differences.len(), differences.join("\n\n"));
    assert!(answered >= entries().len(), "only {answered} questions had room");
    assert!(too_large.len() * 10 <= entries().len(), "no room for {too_large:?}");
}

/// What its `check` blocks ask of a model, by refinement, by its points and with few preemptions, each
/// question once.
fn questions(model: &Text, entry: &Entry) -> Vec<Request> {
    let compiled = model
        .compile(&Setting::default())
        .unwrap_or_else(|problem| panic!("{}: {}", entry.name, complaint(&problem)));
    let program = &compiled.program;
    let mut questions: Vec<Request> = Vec::new();
    let blocks = program.checks.iter().map(|block| Request::of_check(block).0);
    for block in blocks {
        let by_refinement =
            Request { properties: JUDGED.to_vec(), lin_points: false, preemptions: None, ..block };
        let by_points = Request { lin_points: true, ..by_refinement.clone() };
        let is_scheduled = matches!(by_refinement.client, ClientRequest::Schedules { .. });
        let preempted = Request { preemptions: Some(2), ..by_refinement.clone() };
        let requests = [
            Some(by_refinement),
            has_points(program).then_some(by_points),
            is_scheduled.then_some(preempted),
        ];
        for request in requests.into_iter().flatten() {
            if !questions.contains(&request) {
                questions.push(request);
            }
        }
    }
    questions
}

const JUDGED: [Property; 4] =
    [Property::Linearizable, Property::MemorySafe, Property::Assertions, Property::DeadlockFree];

fn has_points(program: &Program) -> bool {
    !program.spec.has_rendezvous && program.ops.iter().any(|op| !op.free_point)
}

fn smaller(request: Request) -> Request {
    let at_most =
        |range: RangeInclusive<u32>, most: u32| (*range.start()).min(most)..=(*range.end()).min(most);
    let client = match request.client {
        client @ (ClientRequest::General | ClientRequest::Calls { .. }) => client,
        ClientRequest::Schedules { steps, preadds, restrictions } => {
            ClientRequest::Schedules { steps: at_most(steps, 2), preadds: at_most(preadds, 1), restrictions }
        }
    };
    Request {
        threads: at_most(request.threads, 2),
        values: at_most(request.values, 1),
        keys: at_most(request.keys, 1),
        client,
        ..request
    }
}

fn bounds(request: &Request) -> String {
    let Request { threads, values, keys, client, constants, preemptions, .. } = request;
    let method = if request.lin_points { "points" } else { "refinement" };
    let nodes = request.nodes();
    format!(
        "by {method}, {threads:?} threads, {nodes:?} nodes, {values:?} values, {keys:?} keys, {constants:?}, {client:?}, preemptions {preemptions:?}"
    )
}
