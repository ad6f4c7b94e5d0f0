//! The [local test](crate::local) on proofs of the catalogue.

use crate::local::{Counts, examine};
use crate::models::provable;
use crate::{Text, proving};
use fastrand::Rng;
use linchpin_core::certify::certificate::Certificate;
use linchpin_core::ir::Program;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Proved in minutes where nothing is optimised.
const SLOW: [&str; 1] = ["ms_queue_tagged"];

/// Time for one certificate.
const TIME: Duration = Duration::from_millis(1_200);

#[test]
fn every_certificate_of_the_catalogue_is_inductive() {
    let mut all = Counts::default();
    for name in provable().filter(|name| !SLOW.contains(name)) {
        let (program, certificate) = certificate(name);
        let start = Instant::now();
        let counts = examine(&program, &certificate, &mut Rng::with_seed(5), |_| start.elapsed() < TIME);
        println!("{name}: {counts}");
        println!("{}", counts.failures.join("\n"));
        all.add(&counts);
    }
    println!("{all}");
}

fn certificate(name: &str) -> (Arc<Program>, Certificate) {
    let attempt = proving(&Text::of_catalogue(name), None, None);
    let certificate = attempt.certificate.unwrap_or_else(|| panic!("`{name}` is proved"));
    (attempt.compiled.program, certificate)
}
