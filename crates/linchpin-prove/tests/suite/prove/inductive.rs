//! The [local test](crate::local) on proofs of the catalogue, and on certificates that are not inductive.

mod planted;
mod sets;

use crate::local;
use crate::local::building::Trait;
use crate::local::{Counts, examine, requested};
use crate::prove::gate::program;
use crate::prove::models::{SLOW, provable};
use crate::prove::{Text, budget};
use fastrand::Rng;
use linchpin_certify::certificate::Certificate;
use linchpin_ir::program::Program;
use std::sync::Arc;
use std::time::Instant;

/// Views that are drawn from one certificate.
const VIEWS: u64 = 2_000;

#[test]
fn every_certificate_of_the_catalogue_is_inductive() {
    let mut all = Counts::default();
    for name in provable().filter(|name| !SLOW.contains(name)) {
        let (program, certificate) = certificate(name);
        let counts = examine(&program, &certificate, &mut Rng::with_seed(5), |counts| counts.views < VIEWS);
        println!("{name}, {} views: {counts}", certificate.size());
        assert!(counts.failures.is_empty(), "{name}: {}", counts.failures.join("\n"));
        assert!(counts.confirmed > VIEWS / 20 && counts.steps > VIEWS / 20, "{name}: {counts}");
        all.add(&counts);
    }
    println!("{all}");
    let traits = [Trait::ThreeThreads, Trait::Chain, Trait::Stale, Trait::WildCell, Trait::Open];
    let is_met = |of: &Trait| all.traits.get(of).is_some_and(|count| *count > 50);
    assert!(traits.iter().all(is_met), "{:?}", all.traits);
}

/// On request, for `LINCHPIN_LOCAL_SECONDS`; those that are slow to prove too.
#[test]
fn long_every_certificate_of_the_catalogue_is_inductive() {
    let Some(seconds) = requested() else { return };
    let names: Vec<&str> = provable().collect();
    let time = seconds / u32::try_from(names.len()).unwrap_or(1);
    for name in names {
        let (program, certificate) = certificate(name);
        let start = Instant::now();
        let counts = examine(&program, &certificate, &mut Rng::new(), |_| start.elapsed() < time);
        println!("{name}: {counts}");
        assert!(counts.failures.is_empty(), "{name}: {}", counts.failures.join("\n"));
    }
}

fn certificate(name: &str) -> (Arc<Program>, Certificate) {
    let program = program(&Text::of_catalogue(name));
    let certificate =
        local::certificate(&program, &budget(None)).unwrap_or_else(|| panic!("`{name}` is proved"));
    (program, certificate)
}
