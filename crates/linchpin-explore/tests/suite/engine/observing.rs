//! Observers on the executions of objects. On random events the monitor agrees with the plain judge. Where no
//! value is added twice, it agrees with the linearization points (Observers, lemma 1), on events and on the
//! catalogue.

use crate::engine::naive::event;
use crate::engine::random_events::{Subject, THREADS, events, subjects};
use crate::engine::support::{Instance, Text, finding, holds, request, violated};
use fastrand::Rng;
use linchpin_engine::verdict::{Annotation, Verdict};
use linchpin_explore::{
    ClientEvent, ClientRequest, Monitor, MonitorKind, Reductions, Request, ViolationKind,
};
use linchpin_ir::index::Index;
use linchpin_ir::property::Property;
use linchpin_judge::history::{Found, PointError, PointEvent, PointMonitor, observed};
use linchpin_judge::replay::Evidence;
use linchpin_judge::trace::PlannedCall;

const SEQUENCES: u64 = 300;

/// Those with observers.
fn observed_subjects() -> Vec<Subject> {
    let subjects: Vec<Subject> =
        subjects().into_iter().filter(|subject| !subject.spec.program().spec.observers.is_empty()).collect();
    assert_eq!(subjects.len(), 3, "stack, queue and priority queue have observers");
    subjects
}

fn told(seen: &ClientEvent) -> PointEvent {
    match seen {
        ClientEvent::Lin { thread, maybe } => PointEvent::Lin { thread: *thread, maybe: *maybe },
        other => PointEvent::Client(event(other).expect("a call or a return")),
    }
}

fn floats(subject: &Subject) -> Vec<bool> {
    subject.spec.program().ops.iter().map(|op| op.free_point).collect()
}

/// How many events are fed before the monitor rejects.
fn rejected_at(subject: &Subject, method: MonitorKind, sequence: &[ClientEvent]) -> Option<usize> {
    let mut monitor = Monitor::new(&subject.spec, method, THREADS as usize);
    let mut at = monitor.initial().expect("the specification is in order");
    for (number, seen) in sequence.iter().enumerate() {
        let event = monitor.event(seen).expect("points are looked at");
        match monitor.advance(at, event).expect("the specification is in order") {
            Some(next) => at = next,
            None => return Some(number),
        }
    }
    None
}

#[test]
fn the_monitor_rejects_what_the_judge_finds() {
    for subject in observed_subjects() {
        let (program, bounds) = (subject.spec.program(), subject.spec.bounds());
        let (mut rejected, mut accepted) = (0, 0);
        for seed in 0..SEQUENCES {
            let sequence = events(&mut Rng::with_seed(seed), &subject, 16, 10);
            let method = MonitorKind::Observers { floats: floats(&subject) };
            let at = rejected_at(&subject, method, &sequence);
            let all: Vec<PointEvent> = sequence.iter().map(told).collect();
            for length in 0..=all.len() {
                let found = observed(program, bounds, &all[..length]).expect("there are observers");
                let expected = at.is_some_and(|at| at < length);
                assert_eq!(found.is_some(), expected, "{} {seed}: {:?}", subject.name, &sequence[..length]);
            }
            *(if at.is_some() { &mut rejected } else { &mut accepted }) += 1;
        }
        assert!(rejected > 20 && accepted > 20, "{}: {rejected} rejected, {accepted} not", subject.name);
    }
}

#[test]
fn where_no_value_is_added_twice_they_agree_with_the_points() {
    for subject in observed_subjects() {
        let (mut refuted, mut kept) = (0, 0);
        for seed in 0..4 * SEQUENCES {
            let mut sequence = events(&mut Rng::with_seed(seed), &subject, 14, 10);
            let mut used = Vec::new();
            let repeats = sequence.iter().position(|seen| match seen {
                ClientEvent::Call { op, args, .. } if op.index() == 0 => {
                    let is_known = used.contains(&args[0]);
                    used.push(args[0]);
                    is_known
                }
                _ => false,
            });
            sequence.truncate(repeats.unwrap_or(sequence.len()));
            let at = rejected_at(&subject, MonitorKind::Observers { floats: floats(&subject) }, &sequence);
            let mut reference = PointMonitor::new(&subject.spec).expect("points can be judged");
            let expected = sequence.iter().position(|seen| {
                reference.feed(&told(seen)).expect("the specification is in order").is_some()
            });
            assert_eq!(at, expected, "{} {seed}: {sequence:?}", subject.name);
            *(if at.is_some() { &mut refuted } else { &mut kept }) += 1;
        }
        assert!(refuted > 50 && kept > 50, "{}: {refuted} refuted, {kept} not", subject.name);
    }
}

#[test]
fn symmetry_keeps_what_observers_say() {
    let mut saved = false;
    for (model, size) in [
        ("treiber_stack", (2, 2, 2)),
        ("treiber_stack_as_fifo", (2, 2, 3)),
        ("ms_queue", (2, 3, 2)),
        ("treiber_stack_reuse", (2, 1, 3)),
    ] {
        let instance = Instance::of(model, size);
        let client = instance.general();
        let floats = instance.machine.program().ops.iter().map(|op| op.free_point).collect();
        let method = Some(MonitorKind::Observers { floats });
        let symmetry = Reductions { symmetry: true, partial_order: false };
        let (plain, reduced) = (
            instance.search(&client, method.clone(), &[ViolationKind::Inconsistent]).1,
            instance.reduced_search(&client, method, &[ViolationKind::Inconsistent], symmetry, 1).1,
        );
        assert_eq!(plain.found, reduced.found, "{model}");
        assert!(reduced.nodes <= plain.nodes, "{model}");
        saved |= reduced.nodes < plain.nodes / 2;
    }
    assert!(saved, "symmetry was of no use");
}

/// A call that takes effect twice cannot be watched; no observer is to be blamed.
#[test]
fn a_second_point_is_told_as_such() {
    let text = Text::of("ms_queue").with("lin maybe if next == null;", "lin if next == null;");
    let watched = finding(&text, &request(Property::Observers, (2, 2, 1)));
    let Verdict::Violated(counterexample) = watched.verdict() else { panic!("{:?}", watched.verdict()) };
    let Evidence::Observed(observed) = counterexample.evidence() else { panic!("what observers say") };
    let Found::Points { error, .. } = &observed.reason else { panic!("{:?}", observed.reason) };
    assert_eq!(*error, PointError::SecondPoint);
}

/// Objects with the operations `add` and `remove` by these names; whether they are wrong.
const MODELS: [(&str, &str, &str, u32); 20] = [
    ("coarse_stack", "push", "pop", 2),
    ("coarse_stack_manual", "push", "pop", 2),
    ("treiber_stack", "push", "pop", 2),
    ("treiber_stack_tagged", "push", "pop", 2),
    ("coarse_queue", "enq", "deq", 3),
    ("coarse_queue_manual", "enq", "deq", 3),
    ("two_lock_queue", "enq", "deq", 3),
    ("two_lock_queue_gc", "enq", "deq", 3),
    ("ms_queue", "enq", "deq", 3),
    ("ms_queue_tagged", "enq", "deq", 3),
    ("dglm_queue", "enq", "deq", 3),
    ("lms_queue", "enq", "deq", 3),
    ("coarse_pqueue_buckets", "add", "remove_min", 3),
    ("coarse_pqueue_list", "add", "remove_min", 3),
    ("bucket_lock_pqueue", "add", "remove_min", 3),
    ("treiber_stack_reuse", "push", "pop", 1),
    ("ms_queue_reuse", "enq", "deq", 2),
    ("ms_queue_next_reset", "enq", "deq", 3),
    ("treiber_stack_as_fifo", "push", "pop", 2),
    ("ms_queue_as_lifo", "enq", "deq", 3),
];

/// How many of [`MODELS`] are right.
const RIGHT: usize = 15;

/// Calls of two threads: `+` adds, `-` removes.
const SCHEDULES: [[&str; 2]; 4] = [["+-+", "-"], ["++-", "-"], ["+-", "-+-"], ["+-", "+-"]];

#[test]
fn on_the_catalogue_they_agree_with_the_points() {
    for (number, (model, add, remove, nodes)) in MODELS.into_iter().enumerate() {
        let text = Text::of(model);
        let width = {
            let program = text.compiled(&Default::default()).program;
            let added = program.ops.iter().find(|op| *op.name == *add).expect("it adds");
            added.params.len()
        };
        let mut accepts = false;
        for schedule in SCHEDULES {
            let mut value = 0;
            let threads = schedule.map(|calls| {
                let call = |sign: char| {
                    if sign == '-' {
                        return PlannedCall { op: remove.into(), args: Vec::new() };
                    }
                    value += 1;
                    let args = [value, value % 2][..width].to_vec();
                    PlannedCall { op: add.into(), args }
                };
                calls.chars().map(call).collect::<Vec<_>>()
            });
            let client = ClientRequest::Calls { threads: threads.to_vec() };
            let asked = |property, lin_points| Request {
                client: client.clone(),
                lin_points,
                ..request(property, (2, nodes, 3))
            };
            let watched = finding(&text, &asked(Property::Observers, false));
            let judged = finding(&text, &asked(Property::Linearizable, true));
            let refuted = match &judged.annotation {
                Some(Annotation::Refuted(_)) => true,
                Some(Annotation::Confirmed) => false,
                other => panic!("{model}: {other:?}"),
            };
            assert_eq!(violated(&watched), refuted, "{model}, {schedule:?}");
            assert!(violated(&watched) || holds(&watched), "{model}, {schedule:?}: {:?}", watched.verdict());
            accepts |= refuted;
        }
        assert_eq!(accepts, number >= RIGHT, "{model}");
    }
}
