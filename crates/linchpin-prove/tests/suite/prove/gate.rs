//! The gate: every proof of the catalogue passes, and the gate refuses what an execution contradicts.

mod objects;
mod planted;
mod sets;

use crate::prove::{QUICK, Text, budget, complaint};
use linchpin_certify::certificate::Certificate;
use linchpin_certify::gate::{GateRefused, GateReport, examine};
use linchpin_engine::model::Model;
use linchpin_engine::{BudgetMeter, Silent};
use linchpin_ir::interface::Setting;
use linchpin_ir::program::Program;
use linchpin_ir::property::Property;
use linchpin_portfolio::catalogue;
use linchpin_prove::pairs::PairsProver;
use linchpin_prove::{Analysis, Prover};
use std::sync::Arc;

/// Everything that a certificate with invariants of both kinds shows.
pub const CLAIMS: [Property; 3] = [Property::Linearizable, Property::DeadlockFree, Property::MemorySafe];

#[test]
fn every_proof_of_the_catalogue_passes() {
    let mut compared = 0;
    for entry in catalogue::entries() {
        if !entry.text.contains("prove pairs") || entry.name == "ms_queue_tagged" {
            continue;
        }
        let program = program(&Text::of_catalogue(entry.name));
        let report = pass(&program, &certificate(&program)).unwrap_or_else(|refused| {
            let way = refused.execution().map(ToString::to_string).unwrap_or_default();
            panic!("{}: {refused}\n{way}", entry.name)
        });
        let [first, second] = &report.instances[..] else { panic!("{:?}", report.instances) };
        assert_eq!((first.size.threads, first.depth, second.size.threads), (2, None, 3), "{}", entry.name);
        assert!(first.states > 1_000 && second.states > 1_000, "{}: {:?}", entry.name, report.instances);
        assert!(report.never_reached.is_empty(), "{}: {:?}", entry.name, report.never_reached);
        compared += 1;
    }
    assert!(compared > 10, "only {compared} models were compared");
}

pub fn program(model: &Text) -> Arc<Program> {
    model
        .compile(&Setting::default())
        .unwrap_or_else(|problem| panic!("{}", complaint(model, &problem)))
        .program
}

pub fn pass(program: &Arc<Program>, certificate: &Certificate) -> Result<GateReport, GateRefused> {
    examine(program, certificate, &CLAIMS, &QUICK, &|| true)
}

/// The prover's certificate, unchecked.
pub fn certificate(program: &Program) -> Certificate {
    let prover = PairsProver::new(program).unwrap_or_else(|_| panic!("the program is taken"));
    let found = [Analysis::Conformance, Analysis::Memory]
        .map(|analysis| prover.prove(analysis, &mut BudgetMeter::start(budget(None)), &mut Silent));
    prover.certificate(found.into_iter().filter_map(Result::ok).collect())
}
