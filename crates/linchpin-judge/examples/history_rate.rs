//! Measures how long histories can be judged in a second. The histories are generated, legal or with two
//! results exchanged.
//!
//! `cargo run --release -p linchpin-judge --example history_rate [OBJECT…] [PROPERTY…]`, such as `Queue
//! quiescent`; all objects, and linearizability, by default. This is a measurement, not a test: machines are
//! noisy.

use fastrand::Rng;
use linchpin_frontend::lower::lower;
use linchpin_frontend::typing::check;
use linchpin_ir::index::number_of;
use linchpin_ir::interface::Setting;
use linchpin_ir::source::SourceMap;
use linchpin_ir::types::Word;
use linchpin_judge::history::{
    Budget, Consistency, Ending, Event, Explanation, History, Judgement, Strategy, examine, first_break,
};
use linchpin_semantics::{Bounds, SpecMachine};
use linchpin_testkit::large_histories::{Recipe, events, with_swapped_results};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

const OBJECTS: [(&str, &str); 7] = [
    ("Queue", "object O: Queue; op enq(v: data) { loop {} } op deq() -> data? { loop {} }"),
    ("Stack", "object O: Stack; op push(v: data) { loop {} } op pop() -> data? { loop {} }"),
    (
        "Deque",
        "object O: Deque; op push_left(v: data) { loop {} } op push_right(v: data) { loop {} }
         op pop_left() -> data? { loop {} } op pop_right() -> data? { loop {} }",
    ),
    (
        "Set",
        "object O: Set<key>; op add(x: key) -> bool { loop {} } op remove(x: key) -> bool { loop {} }
         op contains(x: key) -> bool { loop {} }",
    ),
    (
        "Map",
        "object O: Map<key, data>; op put(k: key, v: data) -> data? { loop {} }
         op remove(k: key) -> data? { loop {} } op get(k: key) -> data? { loop {} }",
    ),
    (
        "PQueue",
        "object O: PQueue<key>; op add(item: data, priority: key) { loop {} }
         op remove_min() -> data? { loop {} }",
    ),
    (
        "Register",
        "object O: Register<0..=9>(0); op write(v: 0..=9) { loop {} } op read() -> 0..=9 { loop {} }",
    ),
];

/// The numbers of threads and calls, how rare calls are, and the number of elements.
const SIZES: [(usize, usize, u32, usize); 5] = [
    (4, 10_000, 12, 20),
    (4, 10_000, 1, 20),
    (4, 10_000, 12, 1000),
    (8, 25_000, 12, 100),
    (8, 25_000, 1, 1000),
];

const PROPERTIES: [(&str, Consistency); 3] = [
    ("linearizable", Consistency::Linearizable),
    ("sequential", Consistency::Sequential),
    ("quiescent", Consistency::Quiescent),
];

fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let is_named = |name: &str| named.iter().any(|other| other == name);
    let mut objects: Vec<_> = OBJECTS.into_iter().filter(|(name, _)| is_named(name)).collect();
    let mut properties: Vec<_> = PROPERTIES.into_iter().filter(|(name, _)| is_named(name)).collect();
    if objects.is_empty() {
        objects = OBJECTS.to_vec();
    }
    if properties.is_empty() {
        properties = PROPERTIES[..1].to_vec();
    }
    for (name, text) in objects {
        let spec = spec_machine(text);
        for size in SIZES {
            measure(name, &spec, size, &properties);
        }
    }
}

fn measure(
    name: &str,
    spec: &SpecMachine,
    (threads, calls, pause, elements): (usize, usize, u32, usize),
    properties: &[(&str, Consistency)],
) {
    let values = match name {
        "Set" | "Map" => Some(2 * number_of(elements)),
        "Register" => Some(9),
        _ => None,
    };
    let args = match name {
        "Set" => |_: &mut Rng, _: usize, value: Word| vec![value],
        "Map" => |rng: &mut Rng, op: usize, value: Word| {
            if op == 0 { vec![value, rng.i32(1..1000)] } else { vec![value] }
        },
        "PQueue" => |rng: &mut Rng, op: usize, value: Word| {
            if op == 0 { vec![value, rng.i32(1..100)] } else { vec![] }
        },
        "Deque" => |_: &mut Rng, op: usize, value: Word| if op < 2 { vec![value] } else { vec![] },
        _ => |_: &mut Rng, op: usize, value: Word| if op == 0 { vec![value] } else { vec![] },
    };
    let recipe = Recipe { threads, calls, pause, elements, values, args };
    let legal = events(&mut Rng::with_seed(1), spec, &recipe);
    let op = if name == "Deque" { 2 } else { 1 };
    let swapped = with_swapped_results(&legal, spec, op, legal.len() / 2);
    println!("{name}: {threads} threads, {calls} calls, pause {pause}, {elements} elements");
    for (what, events) in [("legal", legal), ("exchanged", swapped)] {
        for &(property, consistency) in properties {
            judge(&format!("{what:9} {property}"), spec, &events, consistency);
        }
    }
}

fn judge(what: &str, spec: &SpecMachine, events: &[Event], consistency: Consistency) {
    let history = History::new(spec.program(), events.to_vec()).expect("a history");
    let started = Clock::start();
    let answer = examine(spec, &history, consistency, Ending::Open, Strategy::default(), Budget::default())
        .expect("no fault");
    let seconds = started.seconds();
    let verdict = match &answer.verdict {
        Judgement::Legal(_) => "legal".to_string(),
        Judgement::Illegal(Explanation::NoOrder { among, .. }) => {
            let among = among.as_ref().map_or("all".to_string(), |calls| calls.len().to_string());
            format!("illegal, {among} calls to blame")
        }
        Judgement::Illegal(_) => "illegal".to_string(),
        Judgement::Unknown(_) => "unknown".to_string(),
    };
    println!("  {what}: {verdict}; {} configurations, {seconds:.2} s", answer.configurations);
    if let (Judgement::Illegal(why), Consistency::Linearizable) = (&answer.verdict, consistency) {
        let started = Clock::start();
        let found = first_break(spec, &history, why, Budget::default()).expect("no fault");
        let seconds = started.seconds();
        let event = found.map_or("not found".to_string(), |found| found.event.to_string());
        println!("            first break: {event} of {}, {seconds:.2} s", history.events().len());
    }
}

/// Processor time of this thread, if the system reports it; otherwise elapsed time.
struct Clock {
    at: Instant,
    used: Option<Duration>,
}

impl Clock {
    fn start() -> Clock {
        Clock { at: Instant::now(), used: Clock::used() }
    }

    fn seconds(&self) -> f64 {
        let used = self.used.zip(Clock::used()).map(|(before, now)| now - before);
        used.unwrap_or_else(|| self.at.elapsed()).as_secs_f64()
    }

    fn used() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }
}

fn spec_machine(text: &str) -> SpecMachine {
    let mut sources = SourceMap::default();
    let root = sources.add("model.lin", text);
    let checked = check(&mut sources, &BTreeMap::new(), root, &Setting::default());
    let program = lower(&sources, &checked.program.expect("a model")).expect("a program");
    let bounds = Bounds { ints: Word::MAX - 1, ..Bounds::default() };
    SpecMachine::new(&Arc::new(program), &bounds).expect("a specification")
}
