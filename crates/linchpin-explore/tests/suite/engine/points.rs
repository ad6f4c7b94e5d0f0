//! The monitor that judges by points, event by event against the reference monitor.

use crate::engine::naive::event;
use crate::engine::random_events::{THREADS, events, subjects};
use fastrand::Rng;
use linchpin_explore::{ClientEvent, Monitor, MonitorKind};
use linchpin_judge::history::{NoPoints, PointEvent, PointMonitor};

const SEQUENCES: u64 = 400;

#[test]
fn it_refutes_what_the_reference_refutes() {
    for subject in subjects() {
        let program = subject.spec.program();
        if program.spec.has_rendezvous {
            assert!(matches!(PointMonitor::new(&subject.spec), Err(NoPoints::Rendezvous)));
            continue;
        }
        let floats: Vec<bool> = program.ops.iter().map(|op| op.free_point).collect();
        let (mut accepted, mut refuted, mut waits, mut cannot_wait) = (0, 0, 0, 0);
        for seed in 0..SEQUENCES {
            let method = MonitorKind::Points { floats: floats.clone() };
            let mut monitor = Monitor::new(&subject.spec, method, THREADS as usize);
            let mut at = monitor.initial().expect("the specification is in order");
            let mut reference = PointMonitor::new(&subject.spec).expect("points can be judged");
            let sequence = events(&mut Rng::with_seed(seed), &subject, 22, 10);
            for (number, seen) in sequence.iter().enumerate() {
                let told = match seen {
                    ClientEvent::Lin { thread, maybe } => PointEvent::Lin { thread: *thread, maybe: *maybe },
                    other => PointEvent::Client(event(other).expect("a call or a return")),
                };
                let refutation = reference.feed(&told).expect("the specification is in order");
                let told = monitor.event(seen).expect("points are looked at");
                let next = monitor.advance(at, told).expect("the specification is in order");
                let so_far = &sequence[..=number];
                assert_eq!(next.is_none(), refutation.is_some(), "{} {seed}: {so_far:?}", subject.name);
                let Some(next) = next else {
                    refuted += 1;
                    break;
                };
                at = next;
                accepted += 1;
                let answers = monitor.may_wait(at).expect("the specification is in order");
                let first = answers.iter().position(|answer| *answer == Some(false));
                let expected = reference.cannot_wait().expect("the specification is in order");
                let expected = expected.map(|c| linchpin_ir::index::Index::index(c.thread));
                assert_eq!(first, expected, "{} {seed}: {so_far:?}", subject.name);
                if answers.iter().any(|answer| answer.is_some()) {
                    *(if first.is_none() { &mut waits } else { &mut cannot_wait }) += 1;
                }
            }
        }
        assert!(accepted > 500 && refuted > 20, "{}: {accepted}, {refuted}", subject.name);
        assert_eq!(waits > 0, subject.name == "BoundedQueue", "{}", subject.name);
        assert!(cannot_wait > 0, "{}", subject.name);
    }
}
