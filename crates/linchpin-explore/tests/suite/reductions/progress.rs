//! Progress against its definitions: every way to search says what the whole graph of concrete states says,
//! on the catalogue in small bounds, on random objects, and on traps.
//!
//! Lassos are replayed elsewhere; only verdicts are compared here. With
//! `LINCHPIN_LONG_TESTS` more objects and larger graphs are looked at.

use crate::reductions::agree::{OTHERS, PLAIN, Room, Variant};
use crate::reductions::endless::{Expected, Whole};
use crate::reductions::model::{Text, complaint};
use crate::reductions::objects::Object;
use linchpin_engine::Silent;
use linchpin_engine::model::Model;
use linchpin_engine::verdict::{Annotation, Limit, Verdict};
use linchpin_explore::{ClientRequest, Request, check, schedules};
use linchpin_ir::interface::Setting;
use linchpin_ir::property::Property;
use linchpin_portfolio::catalogue::entries;
use linchpin_semantics::{Client, Machine, Picks};
use std::collections::BTreeMap;

const ENDLESS: [Property; 5] = [
    Property::LockFree,
    Property::WaitFree,
    Property::ObstructionFree,
    Property::StarvationFree,
    Property::Terminating,
];

const ROOM: Room = Room { bytes: None, seconds: 120 };

/// The limit where executions were cut at the bound on nested calls.
const CUT: &str = "cut";

/// How often each property held and was violated.
#[derive(Default)]
struct Seen(BTreeMap<(Property, bool), [usize; 2]>);

impl Seen {
    /// Enough of both, so that agreement means something.
    fn judge(&self, least: usize) {
        for property in ENDLESS {
            let both: [usize; 2] = [false, true]
                .map(|fair| self.0.get(&(property, fair)))
                .iter()
                .flatten()
                .fold([0, 0], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]]);
            assert!(both.iter().all(|count| *count >= least), "{property}: {both:?} held and violated");
        }
    }
}

fn is_long() -> bool {
    std::env::var_os("LINCHPIN_LONG_TESTS").is_some()
}

/// Progress by annotated points: in every way as the whole graph says; whether there was room.
fn agrees_by_points(
    name: &str,
    model: &dyn Model,
    request: &Request,
    most: usize,
    seen: &mut [usize; 2],
) -> bool {
    let Some(size) = request.largest() else { return false };
    let Ok(program) = model.compile(&size.setting).map(|compiled| compiled.program) else { return false };
    let Ok(machine) = Machine::new(&program, &size.bounds) else { return false };
    let Ok(client) = Client::general(&program, &size.bounds) else { return false };
    if machine.initial(&mut Picks::new()).is_err() {
        return false;
    }
    let Some(whole) = Whole::explore(&machine, &client, most) else { return false };
    let violated = whole.violates_by_points();
    seen[usize::from(violated)] += 1;
    for Variant { reductions, jobs } in std::iter::once(PLAIN).chain(OTHERS) {
        let properties = vec![Property::LockFree];
        let request = Request { reductions, jobs, lin_points: true, properties, ..request.clone() };
        let findings = check(model, &request, &ROOM.budget(), &mut Silent)
            .unwrap_or_else(|problem| panic!("the question has no answer:\n{}", complaint(&problem)));
        match (&findings[0].annotation, violated) {
            (Some(Annotation::Refuted(_)), true) | (Some(Annotation::Confirmed), false) => {}
            // A state may be reached with the point passed and without: which way was gone is not kept.
            (Some(Annotation::Unknown(Limit::Unconfirmed(_))), true) => {}
            (Some(Annotation::Unknown(Limit::Depth(_))), false) if whole.is_cut() => {}
            (other, _) => panic!("{name}, by points, {reductions:?}: {other:?}, but violated: {violated}"),
        }
    }
    true
}

/// Asks all properties of a request with one size in every way, and compares; whether there was room.
fn agrees(name: &str, model: &dyn Model, request: &Request, most: usize, seen: &mut Seen) -> bool {
    let Some(expected) = expected(model, request, most) else { return false };
    for fair in [false, true] {
        for variant in std::iter::once(PLAIN).chain(OTHERS) {
            let said = said(model, request, fair, variant);
            for property in ENDLESS {
                let (expected, said) = (expected[&(property, fair)], &said[&property]);
                let violated = expected == Expected::Violated;
                let right = match expected {
                    Expected::Holds => "holds",
                    Expected::Violated => "violated",
                    Expected::Unknown => CUT,
                };
                assert_eq!(said, right, "{name}, {property}, fair {fair}, {variant}: {request:?}");
                if variant == PLAIN {
                    seen.0.entry((property, fair)).or_default()[usize::from(violated)] += 1;
                }
            }
        }
    }
    true
}

fn said(model: &dyn Model, request: &Request, fair: bool, variant: Variant) -> BTreeMap<Property, String> {
    let Variant { reductions, jobs } = variant;
    let request = Request { reductions, jobs, fair, properties: ENDLESS.to_vec(), ..request.clone() };
    let findings = check(model, &request, &ROOM.budget(), &mut Silent)
        .unwrap_or_else(|problem| panic!("the question has no answer:\n{}", complaint(&problem)));
    let word = |verdict: &Verdict| match verdict {
        Verdict::Unknown(Limit::Vacuous(_)) => "holds".to_string(),
        Verdict::Unknown(Limit::Depth(_)) => CUT.to_string(),
        Verdict::Unknown(limit) => limit.to_string(),
        verdict => verdict.as_str().to_string(),
    };
    findings.iter().map(|finding| (finding.property(), word(finding.verdict()))).collect()
}

/// By property and fairness, whether it is violated; `None`: the graph is too large, or has no beginning.
fn expected(
    model: &dyn Model,
    request: &Request,
    most: usize,
) -> Option<BTreeMap<(Property, bool), Expected>> {
    let asked = ENDLESS.into_iter().flat_map(|property| [(property, false), (property, true)]);
    let mut all: BTreeMap<(Property, bool), Expected> = asked.map(|asked| (asked, Expected::Holds)).collect();
    for size in request.sizes() {
        let program = model.compile(&size.setting).ok()?.program;
        let machine = Machine::new(&program, &size.bounds).ok()?;
        machine.initial(&mut Picks::new()).ok()?;
        let general = Client::general(&program, &size.bounds).ok()?;
        let clients: Vec<Client> = match (&request.client, &general) {
            (ClientRequest::Schedules { steps, preadds, restrictions }, Client::General(general)) => {
                let mut clients = Vec::new();
                for (steps, preadds) in
                    steps.clone().flat_map(|steps| preadds.clone().map(move |p| (steps, p)))
                {
                    let (steps, preadds) = (steps as usize, preadds as usize);
                    let threads = size.bounds.threads as usize;
                    let lists = schedules(&program, general, threads, steps, preadds, restrictions);
                    clients.extend(lists.iter().map(|schedule| schedule.client()));
                }
                clients
            }
            _ => vec![general],
        };
        for client in &clients {
            let whole = Whole::explore(&machine, client, most)?;
            for property in ENDLESS {
                for fair in [false, true] {
                    let said = all.entry((property, fair)).or_insert(Expected::Holds);
                    *said = whole.verdict(property, fair).max(*said);
                }
            }
        }
    }
    Some(all)
}

#[test]
fn the_catalogue() {
    let most = if is_long() { 20_000 } else { 500 };
    let mut seen = Seen::default();
    let mut compared = 0;
    for entry in entries() {
        let model = Text::of(entry);
        let program = model.compile(&Setting::default()).expect("it is a model").program;
        let mut asked: Vec<Request> = Vec::new();
        for block in &program.checks {
            let block = Request::of_check(block).0;
            let constants = block.constants.clone();
            if block.client == ClientRequest::General {
                for (threads, nodes) in [(1, 2), (2, 2), (2, 3), (2, 4)] {
                    let request = Request {
                        threads: threads..=threads,
                        nodes: Some(nodes..=nodes),
                        values: 1..=1,
                        keys: 1..=1,
                        constants: constants.clone(),
                        preemptions: None,
                        ..Request::default()
                    };
                    asked.push(request);
                }
            } else if let ClientRequest::Schedules { restrictions, .. } = &block.client {
                let restrictions = restrictions.clone();
                let client = ClientRequest::Schedules { steps: 2..=2, preadds: 0..=0, restrictions };
                let (values, keys) = (1..=1, 1..=1);
                asked.push(Request { threads: 2..=2, values, keys, client, preemptions: None, ..block });
            }
        }
        asked.dedup();
        let mut known: Vec<Request> = Vec::new();
        for request in asked {
            if !known.contains(&request) {
                compared += usize::from(agrees(entry.name, &model, &request, most, &mut seen));
                known.push(request);
            }
        }
    }
    assert!(compared * 2 > entries().len(), "only {compared} questions had room");
    seen.judge(3);
}

#[test]
fn random_objects() {
    let (objects, most) = if is_long() { (1200, 20_000) } else { (90, 1500) };
    let mut seen = Seen::default();
    let mut seen_by_points = [0, 0];
    let mut compared = 0;
    for seed in 0..objects {
        let object = Object::drawn(seed);
        let (threads, nodes, values) = object.size;
        let request = Request {
            threads: threads..=threads,
            nodes: Some(nodes..=nodes),
            values: values..=values,
            keys: values..=values,
            ints: 4,
            ..Request::default()
        };
        let name = format!("seed {seed} ({})\n{}\n", object.family, object.text);
        let model = Text::new(object.text.as_str());
        compared += usize::from(agrees(&name, &model, &request, most, &mut seen));
        if object.has_points() {
            agrees_by_points(&name, &model, &request, most, &mut seen_by_points);
        }
        if seed.is_multiple_of(5) {
            let client = ClientRequest::Schedules { steps: 2..=2, preadds: 0..=0, restrictions: Vec::new() };
            agrees(&name, &model, &Request { client, ..request }, most, &mut seen);
        }
    }
    assert!(compared as u64 * 2 > objects, "only {compared} of {objects} had room");
    seen.judge(3);
    assert!(seen_by_points.iter().all(|count| *count >= 3), "by points: {seen_by_points:?}");
}

/// What a trap says with two threads, one value and as many nodes as it needs: the properties that it
/// violates.
fn trap(text: &str, nodes: u32, fair: bool) -> Vec<Property> {
    let model = Text::new(text);
    let request = Request {
        threads: 2..=2,
        nodes: Some(nodes..=nodes),
        values: 1..=1,
        keys: 1..=1,
        ..Request::default()
    };
    assert!(agrees("trap", &model, &request, 100_000, &mut Seen::default()), "it is small");
    let said = said(&model, &request, fair, PLAIN);
    ENDLESS.into_iter().filter(|property| said[property] == "violated").collect()
}

/// Two threads take turns: the quotient has a cycle after one round, in which each is where the other was.
#[test]
fn a_loop_that_exchanges_the_threads() {
    let text = "object Turns: Spec; spec Spec { op go() { } } shared turn: thread?; \
                op go() { loop { let t = turn; if t == me { turn = none; } else { turn = me; } } }";
    let violated = trap(text, 1, false);
    assert!(violated.contains(&Property::LockFree) && violated.contains(&Property::WaitFree), "{violated:?}");
}

/// With local steps, the holder of a lock releases it at once. The search must still see that other threads
/// wait.
#[test]
fn a_lock_that_is_given_back_at_once() {
    let text = "object Locked: Spec; spec Spec { op go() { } } shared l: lock; shared x: 0..2; \
                op go() { l.lock(); x = 1 - x; l.unlock(); }";
    let violated = trap(text, 1, false);
    assert_eq!(
        violated,
        [Property::LockFree, Property::WaitFree, Property::ObstructionFree, Property::StarvationFree]
    );
}

/// Local steps without end, beside others that get on.
#[test]
fn local_steps_without_end() {
    let text = "object Private: Spec; spec Spec { op spin() { } op go() { } } struct Cell { x: bool } \
                shared y: bool; \
                op spin() { let c = new Cell { }; loop { c.x = !c.x; if c.x && y { return; } } } \
                op go() { y = !y; }";
    let violated = trap(text, 2, false);
    assert!(violated.contains(&Property::LockFree), "{violated:?}");
    assert!(violated.contains(&Property::ObstructionFree), "{violated:?}");
}

/// A thread that waits for a cell is outside the scope, and so is whatever it keeps others from.
#[test]
fn the_node_bound_is_not_a_violation() {
    let text = "object Bounded: Spec; spec Spec { op keep() { } op drop() { } } struct Cell { x: bool } \
                shared kept: *Cell; local mine: *Cell; \
                op keep() { let c = new Cell { }; mine = c; kept = c; } \
                op drop() { mine = null; kept = null; }";
    assert_eq!(trap(text, 1, false), []);
    assert_eq!(trap(text, 1, true), []);
}

/// A round of a role that has begun is ended under a fair scheduler; one that has not need not begin.
#[test]
fn a_role_owes_the_rest_of_its_round() {
    let text = "object Gate: Spec; spec Spec { op close() { } op open() { } op pass() { } } \
                role keeper: 1 = close open; role guest: 1 = pass; shared closed: bool; \
                op close() { closed = true; } op open() { closed = false; } \
                op pass() { await !closed; }";
    let violated = trap(text, 1, true);
    assert!(violated.contains(&Property::StarvationFree), "the gate can be closed whenever it is passed");
    let once = text.replace("op close() { closed = true; }", "op close() { let c = closed; }");
    assert_eq!(trap(&once, 1, true), []);
}
