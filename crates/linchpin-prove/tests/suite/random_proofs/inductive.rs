//! The [local test](crate::local) on random objects that are proved.

use crate::local::{Counts, certificate, examine, requested};
use crate::random_proofs::judging::{budget, complaint};
use crate::random_proofs::objects::Object;
use fastrand::Rng;
use linchpin_engine::model::Model;
use linchpin_ir::interface::Setting;
use std::time::{Duration, Instant};

/// Views that are drawn from one certificate.
const VIEWS: u64 = 600;
/// Proved objects of the quick test.
const OBJECTS: u64 = 12;

/// What was looked at, over all objects.
#[derive(Default)]
struct Total {
    objects: u64,
    proved: u64,
    counts: Counts,
}

impl Total {
    fn judge(&mut self, seed: u64, views: u64, time: Duration) {
        let object = Object::drawn(seed);
        self.objects += 1;
        let compiled = object.text.compile(&Setting::default());
        let program = compiled.unwrap_or_else(|problem| panic!("{}", complaint(&problem))).program;
        let Some(certificate) = certificate(&program, &budget(time)) else { return };
        self.proved += 1;
        let mut rng = Rng::with_seed(seed);
        let counts = examine(&program, &certificate, &mut rng, |counts| counts.views < views);
        let Object { skeleton, changes, text, .. } = &object;
        assert!(
            counts.failures.is_empty(),
            "seed {seed}, {skeleton} with {changes:?}: {}\n{}",
            counts.failures.join("\n"),
            text.0
        );
        self.counts.add(&counts);
    }
}

#[test]
fn certificates_of_random_objects_are_inductive() {
    let mut total = Total::default();
    for seed in 0.. {
        if total.proved == OBJECTS {
            break;
        }
        total.judge(seed, VIEWS, Duration::from_secs(2));
    }
    println!("{} of {} objects are proved: {}", total.proved, total.objects, total.counts);
    assert!(total.counts.confirmed > VIEWS, "{}", total.counts);
}

/// On request, for `LINCHPIN_LOCAL_SECONDS`; from seed `LINCHPIN_RANDOM_SEED` on.
#[test]
fn long_certificates_of_random_objects_are_inductive() {
    let Some(seconds) = requested() else { return };
    let first = std::env::var("LINCHPIN_RANDOM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let (started, mut total) = (Instant::now(), Total::default());
    for seed in first.. {
        if started.elapsed() > seconds {
            break;
        }
        total.judge(seed, 20 * VIEWS, Duration::from_secs(20));
    }
    println!("{} of {} objects are proved: {}", total.proved, total.objects, total.counts);
    assert!(total.proved > 0, "nothing is proved");
}
