//! The monitors that judge at ends, against the judge of whole histories: after every event of random
//! sequences.

use crate::engine::naive::event;
use crate::engine::random_events::{THREADS, events, subjects};
use fastrand::Rng;
use linchpin_explore::{Monitor, MonitorKind};
use linchpin_judge::history::{Budget, Consistency, Ending, History, judge};

const SEQUENCES: u64 = 150;
const MOVES: usize = 18;

/// Sequences that were legal at their last event, and events after which they were not.
fn compare(method: &MonitorKind, consistency: Consistency) {
    for subject in subjects() {
        let (mut legal, mut illegal, mut rejected) = (0, 0, 0);
        for seed in 0..SEQUENCES {
            let mut monitor = Monitor::new(&subject.spec, method.clone(), THREADS as usize);
            let mut at = monitor.initial().expect("the specification is in order");
            let mut so_far = Vec::new();
            for seen in &events(&mut Rng::with_seed(seed), &subject, MOVES, 6) {
                let Some(told) = event(seen) else { continue };
                so_far.push(told);
                let history = History::new(subject.spec.program(), so_far.clone()).expect("well-formed");
                let judged = judge(&subject.spec, &history, consistency, Ending::Stuck, Budget::default());
                let is_legal = judged.expect("the specification is in order").is_legal();
                let told = monitor.event(seen).expect("a call or a return");
                let Some(next) = monitor.advance(at, told).expect("the specification is in order") else {
                    assert!(history.is_complete(), "only quiescent moments settle anything");
                    assert!(!is_legal, "{}, seed {seed}: {so_far:?}", subject.name);
                    rejected += 1;
                    break;
                };
                at = next;
                let may_end = monitor.is_legal_end(at).expect("the specification is in order");
                assert_eq!(may_end, is_legal, "{}, seed {seed}: {so_far:?}", subject.name);
                *(if is_legal { &mut legal } else { &mut illegal }) += 1;
            }
        }
        assert!(legal > 30 && illegal > 30, "{}: {legal} legal, {illegal} not", subject.name);
        assert_eq!(rejected > 0, consistency == Consistency::Quiescent, "{}", subject.name);
    }
}

#[test]
fn sequential_consistency() {
    compare(&MonitorKind::ProgramOrder, Consistency::Sequential);
}

#[test]
fn quiescent_consistency() {
    compare(&MonitorKind::Quiescence, Consistency::Quiescent);
}

#[test]
fn one_barrier() {
    compare(&MonitorKind::Barrier, Consistency::Barrier);
}
