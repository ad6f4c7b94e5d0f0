//! The local test on certificates for sets.

use crate::local::requested;
use crate::local::sets::{Counts, examine};
use crate::prove::gate::program;
use crate::prove::{Text, budget};
use fastrand::Rng;
use linchpin_certify::set_certificate::{CallGhost, SetCertificate};
use linchpin_engine::BudgetMeter;
use linchpin_ir::program::Program;
use linchpin_prove::sets::SetProver;
use std::sync::Arc;
use std::time::Instant;

const SETS: [&str; 4] = ["coarse_list", "fine_list", "lazy_list", "vechev_yahav_set_dcas"];

/// States that are to be in each certificate.
const STATES: u64 = 300;

#[test]
fn certificates_of_sets_are_inductive() {
    for name in SETS {
        let (program, certificate) = certificate(name);
        let enough = |counts: &Counts| counts.confirmed < STATES && counts.drawn < 200 * STATES;
        let counts = examine(&program, &certificate, &mut Rng::with_seed(5), enough);
        println!("{name}, {} views: {counts}", certificate.size());
        assert!(counts.failures.is_empty(), "{name}: {}", counts.failures.join("\n"));
        assert!(counts.confirmed == STATES && counts.steps > STATES, "{name}: {counts}");
        assert!(counts.of_three > STATES / 20, "{name}: {counts}");
    }
}

/// Without some view the remaining ones are not inductive, and the test notices.
#[test]
fn a_set_certificate_that_is_not_inductive_fails() {
    let (program, whole) = certificate("fine_list");
    let fails = |certificate: &SetCertificate| {
        let enough = |counts: &Counts| counts.drawn < 100 * STATES;
        !examine(&program, certificate, &mut Rng::with_seed(5), enough).failures.is_empty()
    };
    let mut done = whole.clone();
    done.threads.retain(|view| view.ghost != CallGhost::Done);
    assert!(fails(&done), "views behind an event are missing");
    let mut edges = whole.clone();
    edges.edges.retain(|edge| edge.to.is_none_or(|to| to.label.class <= edge.from.label.class));
    assert!(!fails(&edges), "no state is in a certificate without edges");
    let mut held = whole;
    held.threads.retain(|view| view.cells.iter().filter(|cell| cell.mine).count() != 2);
    assert!(fails(&held), "views with two locks are missing");
}

/// On request, for `LINCHPIN_LOCAL_SECONDS`.
#[test]
fn long_certificates_of_sets_are_inductive() {
    let Some(seconds) = requested() else { return };
    let all = [
        "coarse_list",
        "fine_list",
        "optimistic_list",
        "lazy_list",
        "lock_free_list",
        "vechev_yahav_set",
        "michael_list",
        "harris_list",
    ];
    let time = seconds / 8;
    for name in all {
        let program = program(&Text::of_catalogue(name));
        let Some(certificate) = search(&program) else {
            println!("{name}: no certificate");
            continue;
        };
        let start = Instant::now();
        let counts = examine(&program, &certificate, &mut Rng::new(), |_| start.elapsed() < time);
        println!("{name}, {} views: {counts}", certificate.size());
        assert!(counts.failures.is_empty(), "{name}: {}", counts.failures.join("\n"));
    }
}

fn certificate(name: &str) -> (Arc<Program>, SetCertificate) {
    let program = program(&Text::of_catalogue(name));
    let certificate = search(&program).unwrap_or_else(|| panic!("`{name}` is proved"));
    (program, certificate)
}

fn search(program: &Program) -> Option<SetCertificate> {
    let prover = SetProver::new(program).ok()?;
    let found = prover.prove(&mut BudgetMeter::start(budget(Some(std::time::Duration::from_secs(300)))));
    Some(found.ok()?.0)
}
