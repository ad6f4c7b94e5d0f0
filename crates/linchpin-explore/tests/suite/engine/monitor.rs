//! The monitor that judges by refinement, event by event against the judge of whole histories.

use crate::engine::naive::event;
use crate::engine::random_events::{Subject, THREADS, events, subjects};
use fastrand::Rng;
use linchpin_explore::{ClientEvent, Monitor, MonitorId, MonitorKind};
use linchpin_judge::history::{Budget, Event, History, linearizable, stuck};

const SEQUENCES: u64 = 250;
const MOVES: usize = 22;

fn history(subject: &Subject, events: &[Event]) -> History {
    History::new(subject.spec.program(), events.to_vec()).expect("well-formed by construction")
}

/// Whether every pending call may wait for ever, as the monitor says.
fn may_all_wait(monitor: &mut Monitor<'_>, at: MonitorId) -> bool {
    let answers = monitor.may_wait(at).expect("the specification is in order");
    answers.into_iter().flatten().all(|may| may)
}

#[test]
fn it_rejects_what_no_order_explains_and_lets_wait_what_may() {
    for subject in subjects() {
        let (mut accepted, mut rejected, mut justified, mut unjustified) = (0, 0, 0, 0);
        for seed in 0..SEQUENCES {
            let mut monitor = Monitor::new(&subject.spec, MonitorKind::Refinement, THREADS as usize);
            let mut at = monitor.initial().expect("the specification is in order");
            let mut so_far = Vec::new();
            let sequence = events(&mut Rng::with_seed(seed), &subject, MOVES, 6);
            for seen in &sequence {
                let Some(told) = event(seen) else {
                    assert!(monitor.event(seen).is_none(), "refinement looks at no point");
                    continue;
                };
                so_far.push(told);
                let history = history(&subject, &so_far);
                let judgement = linearizable(&subject.spec, &history, Budget::default());
                let is_legal = judgement.expect("the specification is in order").is_legal();
                let told = monitor.event(seen).expect("a call or a return");
                let next = monitor.advance(at, told).expect("the specification is in order");
                assert_eq!(next.is_some(), is_legal, "{}, seed {seed}: {so_far:?}", subject.name);
                let Some(next) = next else {
                    rejected += 1;
                    break;
                };
                at = next;
                accepted += 1;
                if !history.is_complete() {
                    let judgement = stuck(&subject.spec, &history, Budget::default());
                    let is_justified = judgement.expect("the specification is in order").is_legal();
                    let may = may_all_wait(&mut monitor, at);
                    assert_eq!(may, is_justified, "{}, seed {seed}: {so_far:?}", subject.name);
                    *(if may { &mut justified } else { &mut unjustified }) += 1;
                }
            }
        }
        let blocks = ["BoundedQueue", "SynchronousQueue"].contains(&subject.name);
        assert!(accepted > 500 && rejected > 20, "{}: {accepted}, {rejected}", subject.name);
        assert_eq!(justified > 0, blocks, "{}: who waits may be right", subject.name);
        assert!(unjustified > 0, "{}", subject.name);
    }
}

/// If one state covers another, it still does after any event, and accepts whatever that one accepts.
#[test]
fn covering_is_kept_by_every_event() {
    for subject in subjects() {
        let mut monitor = Monitor::new(&subject.spec, MonitorKind::Refinement, THREADS as usize);
        let start = monitor.initial().expect("the specification is in order");
        let mut met = vec![start];
        let mut steps: Vec<ClientEvent> = Vec::new();
        for seed in 0..30 {
            let mut at = start;
            for seen in events(&mut Rng::with_seed(seed), &subject, 14, 8) {
                let Some(event) = monitor.event(&seen) else { continue };
                let Some(next) = monitor.advance(at, event).expect("in order") else { break };
                at = next;
                met.push(at);
                if !steps.contains(&seen) {
                    steps.push(seen);
                }
            }
        }
        met.sort();
        met.dedup();
        let mut proper = 0;
        for &large in &met {
            for &small in &met {
                if large == small || !monitor.covers(large, small).expect("in order") {
                    continue;
                }
                proper += 1;
                assert!(!monitor.covers(small, large).expect("in order"), "equal meanings have equal ids");
                for seen in steps.iter().filter(|seen| matches!(seen, ClientEvent::Return { .. })) {
                    let event = monitor.event(seen).expect("a return");
                    let Some(from_small) = monitor.advance(small, event).expect("in order") else { continue };
                    let from_large = monitor.advance(large, event).expect("in order");
                    let from_large = from_large.expect("what the smaller accepts");
                    assert!(monitor.covers(from_large, from_small).expect("in order"), "{}", subject.name);
                }
            }
        }
        assert!(proper > 0 || subject.name == "SynchronousQueue", "{}: no pair to look at", subject.name);
    }
}
