//! Random objects: whatever is proved of one holds in its small instances.
//!
//! A proof that the search cannot judge in the time is *unjudged*, not confirmed; the tests want a number of
//! judged ones.

use crate::random_proofs::judging::{Attempt, Bounds, Searched, Wrong, attempt, search, wrong};
use crate::random_proofs::objects::{Object, right_sets};
use linchpin_ir::property::Property;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

const SMALL: Bounds = Bounds { threads: 2, further_cells: 3, values: 2 };
/// Sets: with three keys there is one below and one above every other.
const SETS: [Bounds; 2] = [SMALL, Bounds { threads: 2, further_cells: 3, values: 3 }];
const LONG_SETS: [Bounds; 3] = [SMALL, SETS[1], Bounds { threads: 3, further_cells: 2, values: 2 }];
const LONG: [Bounds; 2] = [SMALL, Bounds { threads: 3, further_cells: 2, values: 2 }];

/// Time for one proof, and for one search.
#[derive(Clone, Copy)]
struct Times {
    proof: Duration,
    search: Duration,
}

#[derive(Default)]
struct Counts {
    objects: u64,
    refused: u64,
    alarmed: u64,
    out_of_time: u64,
    proved: u64,
    /// Proofs that are right in all bounds.
    confirmed: u64,
    unjudged: u64,
    wrong: BTreeMap<Wrong, Vec<Example>>,
}

/// A wrong proof.
struct Example {
    text: String,
    title: String,
}

impl Counts {
    fn judge(&mut self, object: &Object, bounds: &[Bounds], times: Times) {
        self.objects += 1;
        match attempt(&object.text, times.proof) {
            Attempt::Refused(_) => self.refused += 1,
            Attempt::AlarmReport => self.alarmed += 1,
            Attempt::OutOfTime => self.out_of_time += 1,
            Attempt::Proved(proved) => {
                self.proved += 1;
                self.compare(object, &proved, bounds, times.search);
            }
        }
    }

    fn compare(&mut self, object: &Object, proved: &[Property], bounds: &[Bounds], time: Duration) {
        let mut is_judged = true;
        for bounds in bounds {
            let searched: Searched = search(&object.text, object.cells, *bounds, time);
            if let Some(cause) = wrong(&object.text, proved, &searched) {
                let Object { seed, skeleton, changes, .. } = object;
                let title = format!(
                    "seed {seed}: {skeleton} with {changes:?}; proved {proved:?}; {bounds}: {searched:?}"
                );
                self.wrong.entry(cause).or_default().push(Example { text: object.text.0.clone(), title });
                return;
            }
            is_judged &= searched.unjudged.is_empty();
        }
        if is_judged { self.confirmed += 1 } else { self.unjudged += 1 }
    }

    fn judged(&self) -> u64 {
        self.proved - self.unjudged
    }

    fn table(&self) -> String {
        let Counts { objects, refused, alarmed, out_of_time, proved, confirmed, unjudged, wrong } = self;
        let mut table = format!(
            "objects {objects}, refused {refused}, alarmed {alarmed}, out of time {out_of_time}, proved {proved}: \
             confirmed {confirmed}, unjudged {unjudged}"
        );
        for (cause, examples) in wrong {
            let _ = write!(table, ", wrong ({cause:?}) {}", examples.len());
        }
        table
    }

    /// The shortest wrong proofs of each cause.
    fn examples(&self) -> String {
        let mut shown = String::new();
        for (cause, examples) in &self.wrong {
            let mut examples: Vec<&Example> = examples.iter().collect();
            examples.sort_by_key(|example| example.text.len());
            for Example { text, title } in examples.into_iter().take(3) {
                let _ = writeln!(shown, "--- {cause:?}, {title}\n{text}");
            }
        }
        shown
    }
}

#[test]
fn what_is_proved_of_random_objects_holds_in_small_instances() {
    let times = Times { proof: Duration::from_secs(1), search: Duration::from_secs(1) };
    let mut counts = Counts::default();
    for seed in 0..QUICK {
        counts.judge(&Object::drawn(seed), &[SMALL], times);
    }
    println!("{}", counts.table());
    assert!(counts.judged() >= QUICK / 8, "too few are judged: {}", counts.table());
    assert!(counts.wrong.is_empty(), "{}\n{}", counts.table(), counts.examples());
}

/// Objects of the quick test.
const QUICK: u64 = 300;

#[test]
fn the_skeletons_of_sets_are_right() {
    for object in right_sets() {
        let searched = search(&object.text, object.cells, SMALL, Duration::from_secs(60));
        let Object { skeleton, .. } = object;
        assert_eq!((&searched.violated[..], &searched.idle[..]), (&[][..], &[][..]), "{skeleton}");
        assert!(!searched.has_unreached_lines && searched.unjudged.is_empty(), "{skeleton}: {searched:?}");
    }
}

#[test]
fn what_is_proved_of_random_sets_holds_in_small_instances() {
    let times = Times { proof: Duration::from_secs(2), search: Duration::from_secs(2) };
    let mut counts = Counts::default();
    for seed in 0..QUICK_SETS {
        counts.judge(&Object::drawn_set(seed), &SETS, times);
    }
    println!("{}", counts.table());
    assert!(counts.wrong.is_empty(), "{}\n{}", counts.table(), counts.examples());
}

/// Sets of the quick test.
const QUICK_SETS: u64 = 60;

/// Runs only if `LINCHPIN_LONG_TESTS` is set: for `LINCHPIN_RANDOM_SECONDS` (default: 1800), from seed
/// `LINCHPIN_RANDOM_SEED` on.
#[test]
fn long_what_is_proved_of_random_objects_holds_in_small_instances() {
    long_run(QUICK, Object::drawn, &LONG);
}

/// The same for sets.
#[test]
fn long_what_is_proved_of_random_sets_holds_in_small_instances() {
    long_run(QUICK_SETS, Object::drawn_set, &LONG_SETS);
}

fn long_run(first: u64, drawn: impl Fn(u64) -> Object, bounds: &[Bounds]) {
    if std::env::var_os("LINCHPIN_LONG_TESTS").is_none() {
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = Duration::from_secs(number("LINCHPIN_RANDOM_SECONDS").unwrap_or(1800));
    let first = number("LINCHPIN_RANDOM_SEED").unwrap_or(first);
    // So long that other work on the machine leaves few objects unjudged.
    let times = Times { proof: Duration::from_secs(30), search: Duration::from_secs(60) };
    let mut counts = Counts::default();
    let started = Instant::now();
    for seed in first.. {
        if started.elapsed() > seconds {
            println!("seeds {first} to {}: {}", seed - 1, counts.table());
            break;
        }
        counts.judge(&drawn(seed), bounds, times);
    }
    println!("{}", counts.examples());
    assert!(counts.judged() > 0, "nothing is judged");
    assert!(counts.wrong.is_empty(), "{}", counts.table());
}
